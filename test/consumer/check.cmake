# SPDX-License-Identifier: Apache-2.0
# Configures, builds and runs the consumer project against an installed kernix, or with kernix as a subdirectory.
#
# cmake -D HOW=find_package|add_subdirectory -D MAIN=part.cpp|whole.cpp -D KERNIX_SOURCE=... -D KERNIX_BINARY=... -D COMPILER=... -D READELF=...
#       -D WORK=... -P check.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${status}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/source)
configure_file(${KERNIX_SOURCE}/test/consumer/project.cmake ${WORK}/source/CMakeLists.txt COPYONLY)
configure_file(${KERNIX_SOURCE}/test/consumer/${MAIN} ${WORK}/source/${MAIN} COPYONLY)

if(HOW STREQUAL find_package)
  run(${CMAKE_COMMAND} --install ${KERNIX_BINARY} --prefix ${WORK}/prefix)
  set(how -DCMAKE_PREFIX_PATH=${WORK}/prefix)
else()
  set(how -DKERNIX_CONSUMER_SUBDIRECTORY=${KERNIX_SOURCE})
endif()
# What the environment says would reach the consumer's flags, and these are compared.
set(clean ${CMAKE_COMMAND} -E env --unset=CXXFLAGS --unset=LDFLAGS --unset=CMAKE_BUILD_TYPE)
run(${clean} ${CMAKE_COMMAND} -G Ninja -S ${WORK}/source -B ${WORK}/build -DCMAKE_CXX_COMPILER=${COMPILER}
    -DKERNIX_CONSUMER_MAIN=${MAIN} ${how})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_COMMAND} -E env KERNIX_CACHE_DIR=${WORK}/cache ${WORK}/build/consumer)

run(${READELF} -d ${WORK}/build/consumer)
if(out MATCHES "libboost" AND NOT BOOST_HAS_PROCESS_LIBRARY)
  message(FATAL_ERROR "a consumer must not need a compiled Boost library:\n${out}")
endif()
