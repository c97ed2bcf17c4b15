#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints how long files and functions are, and fails on what is longer than CONTRIBUTING.md allows.
# usage: sh test/sizes.sh
# Needs universal-ctags: other kinds do not tell where a function ends.
set -u
export LC_ALL=C

cd "$(dirname "$0")/.." || exit 1
case $(ctags --version 2>/dev/null) in
'Universal Ctags'*) ;;
*)
  echo "sizes: universal-ctags is needed" >&2
  exit 1
  ;;
esac

# "function FILE NAME LINES" and "file FILE - LINES".
measure() {
  find lib cmd -name '*.[ch]' | sort | while IFS= read -r file; do
    echo "file $file - $(wc -l <"$file")"
    ctags -o - -x --languages=C --langmap=C:.c.h --kinds-C=f --_xformat='%{name} %{line} %{end}' \
      "$file" | awk -v file="$file" '{ print "function", file, $1, $3 - $2 + 1 }'
  done
}

# Sorted by length within a folder, so that the middle and the last one can be taken as they pass.
report() {
  sort -k1,1 -k4,4n | awk '
    function folder_of(path,  part) {
      split(path, part, "/")
      return part[1] == "lib" ? "lib/" part[2] : "cmd"
    }

    function figures(key, what, width,  n) {
      n = count[key, what]
      return sprintf("%*d %5d %5d", width, n, size[key, what, int((n + 1) / 2)], size[key, what, n])
    }

    function limit(file, name) {
      if ($1 == "file")
        return file ~ /^lib\// ? 600 : 300
      if (file ~ /^lib\//)
        return 80
      return name == "main" ? 60 : 0
    }

    {
      key = folder_of($2)
      size[key, $1, ++count[key, $1]] = $4
      keys[key]
      max = limit($2, $3)
      if (max > 0 && $4 > max) {
        over = over sprintf("sizes: %s: %s%d lines, %d allowed\n", $2, $3 == "-" ? "" : $3 "() has ", $4, max)
        bad = 1
      }
      seen += $1 == "function"
    }

    END {
      printf "%-16s %5s %5s %5s  %9s %5s %5s\n", "", "files", "med", "max", "functions", "med", "max"
      fflush()
      for (key in keys)
        printf "%-16s %s  %s\n", key, figures(key, "file", 5), figures(key, "function", 9) | "sort"
      close("sort")
      printf "%s", over
      if (!seen)
        print "sizes: no function found"
      exit bad || !seen
    }'
}

measure | report
