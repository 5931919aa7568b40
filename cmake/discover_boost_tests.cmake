# SPDX-License-Identifier: Apache-2.0
# Run after a test executable is linked: asks it for its suites and writes one ctest entry for each, so that a failure has a
# name, and an edited test is listed without configuring anew.
#
# cmake -D EXECUTABLE=... -D OUTPUT=... -D PREFIX=... -D LABEL=... -D TIMEOUT=... -D PROCESSORS=... -D HOME=...
#       -P discover_boost_tests.cmake

execute_process(COMMAND ${EXECUTABLE} --list_content RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT status EQUAL 0)
  file(REMOVE ${EXECUTABLE})
  message(FATAL_ERROR "${EXECUTABLE} --list_content ended with ${status}:\n${out}${err}")
endif()

# HOME keeps the tests out of the cache of whoever runs them.
# Top-level units stand at the left margin; "*" marks those that are enabled.
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_]+\\*?" units "\n${out}${err}")
set(tests "")
foreach(unit IN LISTS units)
  string(REGEX REPLACE "[^A-Za-z0-9_]" "" unit "${unit}")
  if(unit MATCHES "_worker$")  # the other processes of a test, started by that test
    continue()
  endif()
  # log_level=test_suite: a skipped case says why, which is what the summary of test/run.sh lists. The output names a suite that
  # was skipped as a whole.
  string(APPEND tests
    "add_test([=[${PREFIX}.${unit}]=] [=[${EXECUTABLE}]=] [=[--run_test=${unit}]=] --log_level=test_suite "
    "--report_level=no --color_output=no --catch_system_errors=no)\n"
    "set_tests_properties([=[${PREFIX}.${unit}]=] PROPERTIES LABELS ${LABEL} TIMEOUT ${TIMEOUT} "
    "PROCESSORS ${PROCESSORS} SKIP_REGULAR_EXPRESSION [=[Test suite \"${unit}\" is skipped because]=] ENVIRONMENT [=[XDG_CACHE_HOME=${HOME}/${PREFIX}.${unit}]=])\n")
endforeach()
if(tests STREQUAL "")
  file(REMOVE ${EXECUTABLE})
  message(FATAL_ERROR "${EXECUTABLE} lists no tests")
endif()
file(WRITE ${OUTPUT} "${tests}")
