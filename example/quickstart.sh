#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds example/quickstart, and runs it twice: first every kernel is compiled, then every kernel is
# found. Works on a fresh Debian 12 as root or with sudo. Ends with 0 if every kernel gave the right result.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/quickstart

say() { printf '\n== %s\n' "$*"; }

say 'Installing what is missing'
sh "$root/cmake/install_debian.sh"

mkdir -p "$root/build"
say "Building example/quickstart in $build (about half a minute)"
cmake -S "$root/example/quickstart" -B "$build" -G Ninja >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build"

# a cache of its own, new each time, so that the first run has something to compile
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export KERNIX_CACHE_DIR="$cache"
unset KERNIX_OFFLINE

say 'First run: nothing is in the cache, so the compilers have to work'
"$build/quickstart" "$root/example/quickstart/kernels" compiler

say 'Second run, a new process: everything is in the cache on the disk'
"$build/quickstart" "$root/example/quickstart/kernels" disk

say 'All kernels were built, loaded and right. CUDA kernels are built where nvcc is found, and never called: that takes a GPU.'
