#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plants one violation of each rule in a small tree, and checks that lint.sh finds it there and nowhere else: a check that finds
# nothing must not pass for a clean project.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# A clean tree, with a header for each room that the plants need.
fresh_tree() {
  rm -rf "$tree/include" "$tree/test"
  mkdir -p "$tree/include/kernix/core/detail" "$tree/include/kernix/detail" "$tree/include/kernix/backend" \
    "$tree/include/kernix/process" "$tree/include/kernix/compile" "$tree/include/kernix/cache" "$tree/include/kernix/load" \
    "$tree/test"
  for header in core/value core/detail/inner detail/plumbing backend/cxx process/runner compile/compiler cache/layer load/object \
      kernel_cache; do
    printf '// SPDX-License-Identifier: Apache-2.0\n#pragma once\n\n#include <string>\n' >"$tree/include/kernix/$header.hpp"
  done
  printf '#include <kernix/cache/layer.hpp>\n' >>"$tree/include/kernix/kernel_cache.hpp"
  printf 'namespace kernix::detail {\nnamespace asio = boost::asio;\n}\n// virtual, getenv("HOME") and co_spawn in a comment\n' \
    >>"$tree/include/kernix/detail/plumbing.hpp"
  printf '// SPDX-License-Identifier: Apache-2.0\n' | tee "$tree/CMakeLists.txt" >"$tree/test/a.cpp"
  for folder in bench example cmake .ci; do mkdir -p "$tree/$folder"; done
}

# expect SENTENCE FILE TEXT...: with each TEXT a line at the end of FILE, the lint fails and says SENTENCE of FILE alone.
expect() {
  sentence=$1 file=$2
  shift 2
  fresh_tree
  printf '%s\n' "$@" >>"$tree/$file"
  check "$sentence" "$file"
}
check() {
  if sh "$here/lint.sh" "$tree" >"$tree/out" 2>&1; then
    echo "planted in $2, not found: $1"
    failures=$((failures + 1))
  elif ! grep -F "$1" "$tree/out" | grep -q "^$2:" || grep '^[a-zA-Z./_]*:[0-9]*:' "$tree/out" | grep -qv "^$2:"; then
    echo "planted in $2: $1; but the lint said:"
    cat "$tree/out"
    failures=$((failures + 1))
  fi
}

fresh_tree
if ! sh "$here/lint.sh" "$tree" >"$tree/out" 2>&1; then
  echo 'the clean tree was not clean:'
  cat "$tree/out"
  failures=$((failures + 1))
fi

in=include/kernix
expect 'upward include: core may not know detail' $in/core/value.hpp '#include <kernix/detail/plumbing.hpp>'
expect 'upward include: cache may not know kernel_cache' $in/cache/layer.hpp '#  include  <kernix/kernel_cache.hpp>'
expect 'backend and process may not know each other' $in/backend/cxx.hpp '#include <kernix/process/runner.hpp>'
expect 'process and backend may not know each other' $in/process/runner.hpp '#include <kernix/backend/cxx.hpp>'
expect 'cache may not know <kernix/compile/compiler.hpp>' $in/cache/layer.hpp '#include <kernix/compile/compiler.hpp>'
expect 'load may not know compile' $in/load/object.hpp '#include <kernix/compile/compiler.hpp>'
expect 'detail/ is for that room alone' $in/cache/layer.hpp '#include <kernix/core/detail/inner.hpp>'
expect 'is not in rooms.txt' $in/cache/layer.hpp '#include <kernix/attic/old.hpp>'
expect 'included as <kernix/...>' $in/cache/layer.hpp '#include "other.hpp"'
expect 'are pure: no <boost/asio/post.hpp>' $in/backend/cxx.hpp '#include <boost/asio/post.hpp>'
expect 'are pure: no <unistd.h>' $in/core/value.hpp '#include <unistd.h>'
expect 'read no file and no clock' $in/backend/cxx.hpp 'inline bool f() { return std::filesystem::exists("x"); }'
expect 'the environment is read in core/settings.hpp alone' $in/load/object.hpp 'inline auto f() { return std::getenv("X"); }'
expect 'the environment is read in core/settings.hpp alone' $in/process/runner.hpp 'inline auto f() { return ::environ; }'
expect 'no virtual functions' $in/cache/layer.hpp 'struct s { virtual ~s(); };'
expect 'using directive' $in/cache/layer.hpp 'using namespace std;'
expect 'namespace asio belongs in' $in/process/runner.hpp 'namespace kernix {' 'namespace asio = boost::asio;'
expect 'name the licence' test/b.cpp 'int x;'
expect 'do it, or leave the note out' test/a.cpp '// TO''DO: later'
for line in '#include <boost/process/v2/process.hpp>' '#include <boost/interprocess/sync/file_lock.hpp>' 'inline void f() { asio::co_spawn(); }'; do
  fresh_tree
  printf '%s\n' "$line" >>"$tree/$in/detail/plumbing.hpp"
  printf '%s\n' "$line" >>"$tree/$in/process/runner.hpp"
  check 'belongs in one header' $in/process/runner.hpp
done
fresh_tree
sed -i 2d "$tree/$in/core/value.hpp"
check '#pragma once' $in/core/value.hpp
fresh_tree
yes '// long' | head -n 300 >>"$tree/$in/core/value.hpp"
check 'has to be split' $in/core/value.hpp

[ $failures -eq 0 ] && echo 'lint_selftest: every planted violation was found'
exit $((failures > 0))
