# SPDX-License-Identifier: Apache-2.0
# Install rules, so that find_package(kernix) works for others.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KERNIX_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kernix)

# The exported target names no dependency: the package file links them after it has found them, since which they are depends on
# the Boost of the machine where kernix is used, not of the one where it was installed.
add_library(kernix_exported INTERFACE)
set_target_properties(kernix_exported PROPERTIES EXPORT_NAME kernix)
target_compile_features(kernix_exported INTERFACE cxx_std_20)
target_sources(kernix_exported INTERFACE FILE_SET HEADERS BASE_DIRS include FILES ${KERNIX_HEADERS})
set_target_properties(kernix_exported PROPERTIES VERIFY_INTERFACE_HEADER_SETS OFF)

install(TARGETS kernix_exported EXPORT kernix-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kernix-targets NAMESPACE kernix:: DESTINATION ${KERNIX_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kernix-config-version.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/kernix-config.cmake cmake/kernix_dependencies.cmake
              ${PROJECT_BINARY_DIR}/kernix-config-version.cmake DESTINATION ${KERNIX_PACKAGE_DIR})
