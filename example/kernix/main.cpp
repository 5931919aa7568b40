// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>

#include "build.hpp"
#include "command_line.hpp"

int main(int argc, char** argv) {
  try {
    tool::command_line wanted = tool::parse_command_line(argc, argv);
    return wanted.build ? tool::build(*wanted.build) : wanted.status;
  } catch (const std::exception& error) {
    std::cerr << "kernix: " << error.what() << '\n';
    return tool::some_failed;
  }
}
