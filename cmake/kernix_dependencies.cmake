# SPDX-License-Identifier: Apache-2.0
# What kernix stands on. Used by the build and, installed beside the package file, by find_package(kernix).

if(NOT TARGET Boost::headers)
  find_package(Boost 1.81 REQUIRED)
endif()
# Boost.Process is header-only up to 1.85 and a compiled library from 1.86 on.
if(NOT TARGET Boost::process AND DEFINED Boost_VERSION_STRING AND Boost_VERSION_STRING VERSION_GREATER_EQUAL 1.86)
  find_package(Boost 1.86 REQUIRED COMPONENTS process)
endif()
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(Threads REQUIRED)

function(kernix_link_dependencies target)
  target_link_libraries(${target} INTERFACE Boost::headers OpenSSL::Crypto Threads::Threads ${CMAKE_DL_LIBS})
  if(TARGET Boost::process)
    target_link_libraries(${target} INTERFACE Boost::process)
  else()
    # Without this the header-only Boost.Process would want Boost.Filesystem.
    target_compile_definitions(${target} INTERFACE BOOST_PROCESS_USE_STD_FS)
  endif()
endfunction()
