#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes what real compilers print for sources that quote a sentence in every way known: run where g++, clang++-14,
# clang++-19 and nvcc are installed. The tests put every line of the message catalogue in the sentence's place.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C TMPDIR="$work"
S=QUOTED_SENTENCE

printf '#error %s\n' "$S" > error
printf 'static_assert(sizeof(int) == 5, "%s");\n' "$S" > assert
printf 'static_assert(sizeof(int) == 5, "first\\n%s\\nlast");\n' "$S" > assert_lines
printf '#warning %s\nint x = undeclared;\n' "$S" > warning
printf '#pragma message("first\\n%s")\nint x = undeclared;\n' "$S" > message_lines
printf '[[deprecated("first\\n%s\\nlast")]] int f();\nint x = f() + undeclared;\n' "$S" > deprecated_lines
printf 'int f() { return\n%s\n; }\n' "$S" > echo
printf 'int i = "first"\n"%s";\n' "$S" > string
printf '#define S(x) #x\nint i = S(\n%s\n);\n' "$S" > macro
printf '#include "%s"\n' "$S" > include
printf '#line 1000 "%s"\nint x = undeclared;\n' "$S" > line_name
printf '#line 1000 "%s"\nint f() { return undeclared; }\n' "$S" > line_function
printf '#line 1000\nstatic_assert(sizeof(int) == 5, "first\\n%s\\nlast");\n' "$S" > line_number
printf 'asm(".error \\"first\\\\n%s\\"");\n' "$S" > asm_error
printf 'int %s();\nint x = undeclared;\nint %s(int, int) { return 1 + nothing; }\n' "$S" "$S" > identifier
printf 'int %s(); int f() { return %s(); }\n' "$S" "$S" > symbol

for source in error assert assert_lines warning message_lines deprecated_lines echo string macro include line_name \
              line_function line_number asm_error identifier symbol; do
  cp $source k.cpp
  cp $source k.cu
  link=-c
  [ $source = symbol ] && link='-shared -fPIC -Wl,-z,defs'
  nvlink=-c
  [ $source = symbol ] && nvlink='-shared -Xcompiler -fPIC -Xlinker -z -Xlinker defs'
  g++ $link k.cpp -o k.o 2> "$here/gcc-$source.txt"
  clang++-14 $link k.cpp -o k.o 2> "$here/clang14-$source.txt"
  clang++-19 $link k.cpp -o k.o 2> "$here/clang19-$source.txt"
  nvcc $nvlink k.cu -o k.o 2> "$here/nvcc-$source.txt"
  if [ $source = assert_lines ]; then
    g++ -fno-diagnostics-show-caret $link k.cpp -o k.o 2> "$here/gcc-no_caret.txt"
    clang++-14 -fno-caret-diagnostics $link k.cpp -o k.o 2> "$here/clang14-no_caret.txt"
    clang++-19 -fno-caret-diagnostics $link k.cpp -o k.o 2> "$here/clang19-no_caret.txt"
  fi
done
find "$here" -name '*.txt' -size 0 -delete
