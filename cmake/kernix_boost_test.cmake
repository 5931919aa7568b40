# SPDX-License-Identifier: Apache-2.0

# kernix_add_boost_test(<label> TIMEOUT <seconds a suite> PROCESSORS <ctest's slots for a suite> SOURCES <files>...)
#
# One executable test_<label> of the sources and the shared entry point, and one ctest entry for each of its suites. Nothing where
# there are no sources.
function(kernix_add_boost_test label)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;PROCESSORS" SOURCES)
  if(NOT arg_SOURCES)
    return()
  endif()
  set(target test_${label})
  add_executable(${target} ${arg_SOURCES} $<TARGET_OBJECTS:kernix_test_main>)
  target_link_libraries(${target} PRIVATE kernix_test_options)

  set(listed ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  set(not_built ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${listed}
    COMMAND ${CMAKE_COMMAND} -D EXECUTABLE=$<TARGET_FILE:${target}> -D OUTPUT=${listed} -D PREFIX=${label}
            -D LABEL=${label} -D TIMEOUT=${arg_TIMEOUT} -D PROCESSORS=${arg_PROCESSORS}
            -D HOME=${CMAKE_CURRENT_BINARY_DIR}/cache -P ${PROJECT_SOURCE_DIR}/cmake/discover_boost_tests.cmake)
  # An executable that was not built is a failed test, not an absent one.
  file(WRITE ${not_built}
       "if(EXISTS [=[${listed}]=])\n  include([=[${listed}]=])\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\n"
       "  set_tests_properties(${target}_NOT_BUILT PROPERTIES LABELS ${label})\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${not_built})
endfunction()
