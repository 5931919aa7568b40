# SPDX-License-Identifier: Apache-2.0
# The CMakeLists.txt of a project of someone else's; check.cmake puts it in place.
cmake_minimum_required(VERSION 3.25...3.31)
project(consumer LANGUAGES CXX)

if(KERNIX_CONSUMER_SUBDIRECTORY)
  add_subdirectory(${KERNIX_CONSUMER_SUBDIRECTORY} kernix)
else()
  find_package(kernix 0.1 REQUIRED CONFIG)
endif()

add_executable(consumer ${KERNIX_CONSUMER_MAIN})
target_link_libraries(consumer PRIVATE kernix::kernix)

get_target_property(options kernix::kernix INTERFACE_COMPILE_OPTIONS)
if(options)
  message(FATAL_ERROR "kernix forces compiler options on its users: ${options}")
endif()
foreach(variable CMAKE_CXX_FLAGS CMAKE_CXX_STANDARD CMAKE_BUILD_TYPE)
  if(NOT "${${variable}}" STREQUAL "")
    message(FATAL_ERROR "kernix set ${variable} for its users: ${${variable}}")
  endif()
endforeach()
foreach(target kernix_own_options kernix_tool test_unit)
  if(TARGET ${target})
    message(FATAL_ERROR "kernix builds ${target} inside other projects")
  endif()
endforeach()
