# SPDX-License-Identifier: Apache-2.0
# Compiles one file and compares kernix's sentences in the compiler's output with the one that the file expects: that one and
# no other. A file that expects none has to compile.
#
# cmake -D SOURCE=... -D COMPILER=... -D INCLUDES=... -D DEFINITIONS=... -P check.cmake

set(arguments -std=c++20 -fsyntax-only)
foreach(directory ${INCLUDES})
  if(NOT directory MATCHES "^(/usr/include|/usr/local/include)$")
    list(APPEND arguments -I${directory})
  endif()
endforeach()
foreach(definition ${DEFINITIONS})
  list(APPEND arguments -D${definition})
endforeach()

# In English, and on one line a message.
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C LANGUAGE= ${COMPILER} ${arguments} -fmessage-length=0 ${SOURCE}
  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)

file(READ ${SOURCE} text)
string(REGEX MATCH "// expect: ([^\n]+)" line "${text}")
if(NOT line)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} has to compile, but:\n${out}")
  endif()
  return()
endif()
set(expected "${CMAKE_MATCH_1}")

if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiled; expected the error: ${expected}")
endif()
# A semicolon or bracket in the output would be taken for a list's.
string(REGEX REPLACE "[][;]" " " out_plain "${out}")
string(REGEX MATCHALL "error: static[ _]assert[a-z]* failed[^\n]*: \"?kernix: [^\n]*" sentences "${out_plain}")
if(NOT sentences)
  message(FATAL_ERROR "${SOURCE}: kernix said nothing; expected: ${expected}\n${out}")
endif()
foreach(sentence ${sentences})
  string(FIND "${sentence}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${SOURCE}: expected: ${expected}\nbut was told: ${sentence}\n${out}")
  endif()
endforeach()
