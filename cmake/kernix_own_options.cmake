# SPDX-License-Identifier: Apache-2.0
# For kernix's own tests, examples and benchmarks only: users of kernix get none of this.

add_library(kernix_own_options INTERFACE)
target_compile_options(kernix_own_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
target_compile_definitions(kernix_own_options INTERFACE BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(kernix_own_options INTERFACE kernix::kernix)
