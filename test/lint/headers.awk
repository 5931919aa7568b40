# SPDX-License-Identifier: Apache-2.0
# The rules for headers; see lint.sh. Plain awk: mawk knows no intervals and no \b.

function complain(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  bad = 1
}

# The room of a path below include/kernix.
function room_of(path) {
  if (path ~ /\//) sub(/\/.*/, "", path)
  else sub(/\.hpp$/, "", path)
  return path
}

function check_include(path,   other, rest, key) {
  other = room_of(path)
  if (!(other in step)) {
    complain("the room \"" other "\" is not in rooms.txt")
    return
  }
  rest = path
  sub(/^[^\/]*\//, "", rest)
  if (other == room) return
  if (rest ~ /^detail\//) complain("a room's detail/ is for that room alone: <kernix/" path ">")
  key = room " " other
  if (step[other] > step[room]) complain("upward include: " room " may not know " other)
  else if (step[other] == step[room] && !(key in within)) complain(room " and " other " may not know each other")
  else if (key in deny) complain(room " may not know " other)
  else if ((room " " path) in barred) complain(room " may not know <kernix/" path ">")
}

# Notes that this header does what one header alone may do.
function claim(what) {
  if (!(what in owner)) owner[what] = FILENAME
  else if (owner[what] != FILENAME) complain(what " belongs in one header, and " owner[what] " has it already")
}

function finish_file() {
  if (previous == "") return
  lengths[++files] = lines
  if (lines > 300) {
    printf "%s:%d: %d lines: a header has to be split before it has more than 300\n", previous, lines, lines
    bad = 1
  } else if (lines > 240) {
    printf "note: %s has %d lines; most headers should have fewer than 240\n", previous, lines
  }
}

BEGIN {
  while ((getline line < rooms) > 0) {
    n = split(line, word, " ")
    if (word[1] == "step") {
      ++height
      for (i = 2; i <= n; ++i) step[word[i]] = height
    } else if (word[1] == "within") within[word[2] " " word[3]] = 1
    else if (word[1] == "deny") deny[word[2] " " word[3]] = 1
    else if (word[1] == "bar") barred[word[2] " " word[3]] = 1
  }
  if (height == 0) {
    print "lint: no steps in " rooms
    bad = 1
    exit
  }
}

FNR == 1 {
  finish_file()
  previous = FILENAME
  here = FILENAME
  sub(/^.*include\/kernix\//, "", here)
  room = room_of(here)
  # The settings are the one place of the two that reads the environment, and the current directory that a variable is relative to.
  pure = (room == "core" || room == "backend") && here !~ /^core\/(detail\/)?settings/
  innermost = ""
  if (!(room in step)) complain("the room \"" room "\" is not in rooms.txt")
}
FNR == 2 && $0 != "#pragma once" { complain("the second line of a header is #pragma once") }
{ lines = FNR }

/^[ \t]*#[ \t]*include/ {
  name = $0
  sub(/^[^<"]*[<"]/, "", name)
  sub(/[>"].*/, "", name)
  if (name ~ /^kernix\//) {
    sub(/^kernix\//, "", name)
    check_include(name)
  } else if ($0 ~ /"/) complain("headers are included as <kernix/...>, so that any include directory order finds them")
  if (name ~ /^boost\/process/) claim("including Boost.Process")
  if (name ~ /^boost\/interprocess/) claim("including Boost.Interprocess")
  if (pure && name ~ /^(boost\/(asio|process|interprocess|filesystem|beast|cobalt)|sys\/|linux\/|unistd|fcntl|dlfcn|csignal|signal|spawn|poll|pthread|fstream|thread)/)
    complain("core/ and backend/ are pure: no <" name ">")
  next
}

{
  code = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  sub(/\/\/.*/, "", code)
  code = " " code " "
}
code ~ /[^A-Za-z0-9_](secure_)?getenv[^A-Za-z0-9_]/ || code ~ /[^A-Za-z0-9_](__)?environ[^A-Za-z0-9_]/ {
  if (here != "core/settings.hpp") complain("the environment is read in core/settings.hpp alone")
}
code ~ /[^A-Za-z0-9_]co_spawn[^A-Za-z0-9_]/ { claim("calling co_spawn") }
code ~ /[^A-Za-z0-9_]virtual[^A-Za-z0-9_]/ { complain("no virtual functions") }
code ~ /^ using namespace / { complain("a header may not have a using directive that reaches those who include it") }
code ~ /[^A-Za-z0-9_]namespace [^={]*\{/ {
  innermost = code
}
code ~ /^ namespace asio *=/ && innermost !~ /detail/ { complain("namespace asio belongs in kernix::detail or in a function") }
pure && code ~ /_clock::now *\(|clock_gettime|filesystem::(exists|status|symlink_status|is_[a-z_]+|canonical|weakly_canonical|absolute|current_path|directory_iterator|recursive_directory_iterator|create_[a-z_]+|remove|remove_all|rename|copy|copy_file|file_size|last_write_time|temp_directory_path|read_symlink|equivalent) *[({]/ {
  complain("core/ and backend/ are pure: they read no file and no clock")
}

END {
  finish_file()
  for (i = 2; i <= files; ++i) {
    value = lengths[i]
    for (j = i - 1; j > 0 && lengths[j] > value; --j) lengths[j + 1] = lengths[j]
    lengths[j + 1] = value
  }
  if (files > 0) printf "note: %d headers, median %d lines, nine of ten have at most %d\n", files, lengths[int((files + 1) / 2)], lengths[int((files * 9 + 9) / 10)]
  exit bad
}
