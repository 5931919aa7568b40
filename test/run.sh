#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds everything and runs all tests:
#
#   sh test/run.sh [CTEST-ARGUMENT...]      for instance: sh test/run.sh -L unit
#
# Everything that is built goes to build/ci. Returns 0 if all that was run passed; tests that need a compiler or device which this
# machine lacks are skipped, and listed by name at the end.
set -eu
cd "$(dirname "$0")/.."

started=$(date +%s)
say() { echo "==> $(($(date +%s) - started)) s: $*"; }

# The tests set what they mean to set; what the caller's shell exports for its own work must not decide them.
for name in $(env | sed -n 's/^\(\(KERNIX\|TEENYC\|BRAINEVENT\)_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
unset CXX CXXFLAGS CPATH CPLUS_INCLUDE_PATH LDFLAGS NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CTEST_PARALLEL_LEVEL

say 'looking for what the build needs'
sh cmake/install_debian.sh

# The processors that this process may use; a compiler takes up to 1.5 GB.
jobs=$(nproc)
memory=$(awk '/^MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
if [ "${memory:-0}" -ge 1 ] && [ "$memory" -lt "$jobs" ]; then jobs=$memory; fi

say 'configuring in build/ci'
mkdir -p build/ci
cmake --preset ci >build/ci/configure.log 2>&1 || { cat build/ci/configure.log; say 'FAILED to configure'; exit 1; }

status=0
say "building with $jobs jobs"
cmake --build --preset ci -j "$jobs" -- -k 0 || { status=1; say 'FAILED to build; running what could be built'; }

say 'running the tests'
log=build/ci/test-run.log
{ ctest --preset ci -j "$jobs" --no-label-summary "$@" && echo 0 >"$log.status" || echo 1 >"$log.status"; } 2>&1 | tee "$log"
[ "$(cat "$log.status")" = 0 ] || status=1

skipped=$(sed -n -e 's/^.*Test \(case\|suite\) "\([^"]*\)" is skipped because \(.*\)$/    \2: \3/p' \
  -e "s/^\(test_[a-z_0-9]*\) (.*) \.\.\. skipped ['\"]\(.*\)['\"]\$/    tool: \1: \2/p" \
  build/ci/Testing/Temporary/LastTest.log | grep -v ': disabled$' | sort -u)
echo
if [ -n "$skipped" ]; then
  echo 'Skipped on this machine:'
  echo "$skipped"
fi
summary=$(grep -E '^[0-9]+% tests passed' "$log" || echo 'no tests were run')
if [ $status -eq 0 ]; then say "all passed: $summary"; else say "FAILED: $summary"; fi
exit $status
