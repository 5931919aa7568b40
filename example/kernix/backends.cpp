// SPDX-License-Identifier: Apache-2.0
#include "backends.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <boost/asio/detached.hpp>

#include <kernix/kernix.hpp>

namespace tool {
namespace {

template <class Backend>
open_cache open(boost::asio::any_io_executor executor, kernix::settings settings) {
  using cache = kernix::kernel_cache<kernix::default_stack<Backend>>;
  auto kernels = std::make_shared<cache>(std::move(executor), Backend{}, std::move(settings));
  return {[kernels](kernix::compile_request request, compile_handler handler) {
            kernels->async_compile(std::move(request), std::move(handler));
          },
          [kernels] { kernels->async_shutdown(boost::asio::detached); }};
}

}  // namespace

const std::vector<backend>& known_backends() {
  static const std::vector<backend> all{
      {"cxx", {".cpp", ".cc", ".cxx"}, &open<kernix::cxx>},
      {"nvcc", {".cu"}, &open<kernix::nvcc>},
      {"hipcc", {".hip"}, nullptr},
      {"teenyc", {".rs"}, nullptr},
  };
  return all;
}

const backend* find_backend(const build_options& options, const std::string& file) {
  std::string suffix = std::filesystem::path(file).extension().native();
  for (const backend& each : known_backends()) {
    bool fits = options.backend.empty() ? std::find(each.suffixes.begin(), each.suffixes.end(), suffix) != each.suffixes.end()
                                        : each.name == options.backend;
    if (fits) return &each;
  }
  return nullptr;
}

}  // namespace tool
