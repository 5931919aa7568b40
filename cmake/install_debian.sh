#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what kernix's build needs on Debian 12, and nothing where all of it is there.
#
#   sh cmake/install_debian.sh            what the build, the tests and the examples need
#   sh cmake/install_debian.sh sanitizers ... and clang-19 with its sanitizers, for .ci/run
#
# Needs root, or sudo; says what it installs, and removes nothing. nvcc and hipcc are used where they are found, and never installed.
set -eu

wanted='g++ cmake ninja-build libboost1.81-dev libboost-test1.81-dev libssl-dev libcli11-dev clang ccache python3'
if [ "${1:-}" = sanitizers ]; then
  wanted="$wanted clang-19 libclang-rt-19-dev llvm-19"
fi

# There is a tool already that did not come from this package: leave it.
have() {
  case $1 in
    g++) command -v g++ ;;
    clang) command -v clang++ ;;
    ninja-build) command -v ninja ;;
    cmake) command -v cmake && newer_than_3_25 ;;
    ccache | python3) command -v "$1" ;;
    llvm-19) command -v llvm-symbolizer-19 || [ -x /usr/lib/llvm-19/bin/llvm-symbolizer ] ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
  esac >/dev/null 2>&1
}
newer_than_3_25() {
  [ "$(printf '%s\n' 3.25 "$(cmake --version | sed -n '1s/^cmake version //p')" | sort -V | head -n 1)" = 3.25 ]
}

missing=
for package in $wanted; do
  have "$package" || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo 'kernix: all packages that the build needs are installed'
  exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
  echo "kernix: this is no Debian system (there is no apt-get); please install what is the same as:$missing" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  echo "kernix: these packages are missing, and installing them takes root or sudo:$missing" >&2
  exit 1
fi

echo "kernix: installing with apt-get:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_them() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get --no-remove -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null >"$log" 2>&1
}
# The lists of a fresh image are absent or old; a source that can't be reached does no harm if the packages come from another.
install_them -q update || echo 'kernix: apt-get update complained, going on with the lists there are' >&2
# shellcheck disable=SC2086
if ! install_them -q install -y --no-install-recommends $missing; then
  cat "$log" >&2
  echo "kernix: apt-get could not install:$missing" >&2
  exit 1
fi
echo 'kernix: installed'
