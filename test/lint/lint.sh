#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks what no compiler checks: the order of the rooms, and the things that only one header may do.
#
#   sh test/lint/lint.sh [ROOT]     ROOT is the project's folder; default: the one this script lies in
#
# Prints a line "file:line: sentence" for each violation, and returns 1 if there is any. Long headers are only mentioned.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}"

status=0
find include/kernix -name '*.hpp' | sort >"${TMPDIR:-/tmp}/kernix_lint.$$"
trap 'rm -f "${TMPDIR:-/tmp}/kernix_lint.$$"' EXIT
# shellcheck disable=SC2046
awk -f "$here/headers.awk" -v rooms="$here/rooms.txt" $(cat "${TMPDIR:-/tmp}/kernix_lint.$$") || status=1

for file in $(find include test bench example cmake .ci -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' -o -name 'CMakeLists.txt' -o -path '.ci/*' \) \
    -not -path '*/corpus/*' | sort) CMakeLists.txt; do
  [ -f "$file" ] || continue
  head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || {
    echo "$file:1: the first line has to name the licence: SPDX-License-Identifier: Apache-2.0"
    status=1
  }
  # The words are split, so that this file doesn't find itself.
  if grep -nE '(^|[^A-Za-z_])(TO''DO|FIX''ME|XX''X)([^A-Za-z_]|$)' "$file" | sed "s|^\([0-9]*\):.*|$file:\1: do it, or leave the note out|" | grep .; then
    status=1
  fi
done
[ $status -eq 0 ] && echo 'lint: nothing to complain about'
exit $status
