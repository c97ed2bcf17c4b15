#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who may include whom (the table in CONTRIBUTING.md), and what library code must not do.
# usage: sh test/layers.sh [BUILDDIR]
# With BUILDDIR, the library's objects are read too: no printing, no exiting, no mutable variables.
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd) || exit 1
build=${1-}
[ -z "$build" ] || build=$(cd "$build" && pwd) || exit 1
cd "$here/.." || exit 1

includes() {
  find lib cmd -name '*.[ch]' -exec grep -Hn '^[[:space:]]*#[[:space:]]*include' {} + | sort
}

# A layer is a folder under lib/ that has rules of its own; every other folder there is a domain.
check_includes() {
  awk '
    BEGIN {
      may["cmd"] = "cli out domain base"
      may["domain"] = "base pcp"
      may["view"] = "base pcp out"
      may["cli"] = "out pcp base"
      may["out"] = "base"
      may["pcp"] = "base"
      may["base"] = ""
      # Which outer header is for whom; a path matches from its beginning.
      only["^pcp/"] = "^lib/(pcp|cli|logger)/|^lib/event/live"
      only["^jansson\\.h$"] = "^lib/base/json-read\\.|^lib/mmv/(spec|label)|^lib/logger/state|^lib/event/jsonl"
      only["^(lzma|zstd)\\.h$"] = "^lib/event/unzip"
      only["^expat\\.h$"] = "^lib/experiment/xml"
      only["^(libelf|gelf|dwarf)\\.h$|^elfutils/"] = "^lib/experiment/elf"
    }

    function fail(text) {
      print place ": " text
      bad = 1
    }

    # "lib/mmv/view.c" is kind "view" of folder "lib/mmv".
    function kind_of(path) {
      if (path ~ /^cmd\//)
        return "cmd"
      if (path ~ /^lib\/(base|out|pcp|cli)\//)
        return layer_of(path)
      if (path ~ /(^|[\/-])view\.[ch]$/)
        return "view"
      return "domain"
    }

    function layer_of(path) {
      split(path, part, "/")
      return part[2]
    }

    function folder_of(path) {
      sub(/\/[^\/]*$/, "", path)
      return path
    }

    function exists(path,  line, ok) {
      ok = (getline line < path) >= 0
      close(path)
      return ok
    }

    # Ours are found beside the file or under lib/; everything else is an outer header.
    function find(from, name, quoted) {
      if (quoted && exists(folder_of(from) "/" name))
        return folder_of(from) "/" name
      return exists("lib/" name) ? "lib/" name : ""
    }

    function check_ours(from, to,  kind, target) {
      if (folder_of(from) == folder_of(to))
        return
      kind = kind_of(from)
      target = kind_of(to)
      if (kind == "cmd" && target == "cmd" && index(from, folder_of(to) "/") == 1)
        return
      if (target == "view")
        target = "domain"
      if (index(" " may[kind] " ", " " target " ") == 0)
        fail(kind " may not include " to)
    }

    function check_outer(from, name,  header) {
      for (header in only)
        if (name ~ header && from !~ only[header])
          fail("<" name "> is not for this file")
    }

    {
      split($0, field, ":")
      from = field[1]
      place = from ":" field[2]
      name = $0
      if (name !~ /["<].*[">]/) {
        fail("cannot read this #include")
        next
      }
      quoted = name ~ /include[ \t]*"/
      sub(/^[^"<]*["<]/, "", name)
      sub(/[">].*/, "", name)
      if (name ~ /\.\.\//)
        fail("a path upwards; name it from lib/")
      to = find(from, name, quoted)
      if (to != "")
        check_ours(from, to)
      else if (!quoted)
        check_outer(from, name)
      else if (name != "pcputils-config.h")
        fail("\"" name "\" is none of our headers")
      edges++
    }

    END {
      if (edges == 0) {
        print "layers: no #include found"
        bad = 1
      }
      exit bad
    }'
}

# "base/num.c printf U *UND*": source file, symbol, class, section of each symbol of the library.
symbols() {
  nm -A -f sysv "$build/lib/libpcputils.a" 2>/dev/null |
    awk -F'|' 'NF >= 7 {
      object = $1
      sub(/:[^:]*$/, "", object)
      sub(/^.*[:\/\[]/, "", object)
      sub(/\.o\]?$/, "", object)
      sub(/_/, "/", object)
      name = $1
      sub(/^.*:/, "", name)
      gsub(/ /, "", name); gsub(/ /, "", $3); gsub(/ /, "", $7)
      print object, name, $3, $7
    }'
}

# gcc turns fprintf(stderr, "text") into fwrite, so the streams themselves are looked for as well.
# Sanitizers add variables of their own, and those are not ours to judge.
check_symbols() {
  awk '
    BEGIN {
      prints = "^(__)?(v?f?printf|v?dprintf|puts|putchar|perror|psignal|v?warnx?|error)(_chk)?$"
      ends = "^(exit|_exit|_Exit|quick_exit|abort|__assert_fail|v?errx?)$"
    }
    {
      speaks = $1 ~ /^(cli|out)\//
      seen++
    }
    $3 == "U" && $2 ~ prints && !speaks { fail("prints: " $2) }
    $3 == "U" && $2 ~ ends && !speaks { fail("ends the program: " $2) }
    $3 == "U" && $2 == "stdout" && !speaks { fail("uses stdout") }
    $3 == "U" && $2 == "stderr" && $1 !~ /^cli\// { fail("uses stderr") }
    $3 ~ /^[bBdDC]$/ && $4 !~ /^\.data\.rel\.ro/ && $2 !~ /^__(odr_|unnamed_)?(asan|sanc|llvm|gcov|[0-9])/ {
      fail("mutable file-scope variable: " $2)
    }
    function fail(text) {
      print "lib/" $1 ": " text
      bad = 1
    }
    END {
      if (seen == 0) {
        print "layers: no symbols in the library"
        bad = 1
      }
      exit bad
    }'
}

bad=0
includes | check_includes || bad=1
if [ -n "$build" ]; then
  symbols | check_symbols || bad=1
fi
[ $bad -ne 0 ] || echo "layers: nothing forbidden"
exit $bad
