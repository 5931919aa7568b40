// SPDX-License-Identifier: Apache-2.0
// Uses one part of kernix alone.

#include <iostream>

#include <kernix/core/digest.hpp>
#include <kernix/core/hasher.hpp>

int main() { return kernix::sha256("consumer") == kernix::digest{}; }
