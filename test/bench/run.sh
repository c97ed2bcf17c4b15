#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures against the peers, in one run, as ratios; writes a table for each tool to standard output.
# usage: sh test/bench/run.sh [TOOL...]     (RUNS=9 for more than 5 runs of each, BUILD for another folder)
# Each tool has its file beside this one, which says what "at most" means for it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build-bench}
runs=${RUNS:-5}

[ -f "$build/build.ninja" ] || meson setup "$build" "$here/../.." >/dev/null
ninja -C "$build" >/dev/null
build=$(cd "$build" && pwd)
bench=$build/test/bench

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# need FILE PACKAGE: what a tool is compared with.
need() {
  [ -x "$1" ] || command -v "$1" >/dev/null || {
    echo "bench: $1 is missing: install $2" >&2
    exit 1
  }
}

# In a shell of its own: what it sources does not bear "set -u".
stock=$(sh -c '. "$PCP_DIR/etc/pcp.env"; echo "$PCP_PMDAS_DIR/mmv/mmvdump"')
need "$stock" pcp

# row LABEL LIMIT "A..." "B...": LIMIT is what the ratio of wall times should not exceed. What was measured is left in
# $work/measured, as compare.py has it.
row() {
  label=$1 limit=$2 a=$3 b=$4
  # shellcheck disable=SC2086  # commands are lists of words without blanks in them
  /usr/bin/python3 "$here/compare.py" "$runs" "$work/out" $a --- $b >"$work/measured"
  awk -F '\t' -v label="$label" -v limit="$limit" '{
    printf "| %s | %s s | %s s | %s | %s | %s | %.1f MiB | %.1f MiB |\n",
      label, $1, $2, $3, $6, limit, $7 / 1024, $8 / 1024 }' "$work/measured"
}

head_of_table() {
  printf '\n%s\n\n' "$1"
  echo "| case | A | B | A/B wall | A/B cpu | at most | A peak | B peak |"
  echo "|---|---|---|---|---|---|---|---|"
}

# script NAME LINE...: a program of these lines, for commands that need more than words.
script() {
  file=$work/$1
  shift
  printf '%s\n' '#!/bin/sh' "$@" >"$file"
  chmod +x "$file"
}

# big NAME ARGUMENT...: the MMV file of that name, made where it is not there yet.
big() {
  file=$work/$1
  shift
  [ -e "$file" ] || "$bench/mmv-big" "$@" >"$file"
}

# The files that several tools are measured with: 1,000,000 values and a tenth of that.
big_files() {
  for version in 1 2; do
    big v$version $version 1000 1000
    big v$version.tenth $version 100 1000
  done
  big shuffled 2 1000 1000 shuffled
  big shuffled.tenth 2 100 1000 shuffled
}

[ $# -gt 0 ] || set -- mmvdump mmvcheck mmvcreate mmvlabel mmvset evarray erexp-inspect pmlcctl
for tool in "$@"; do
  [ -f "$here/$tool.sh" ] || {
    echo "bench: there are no measures of $tool" >&2
    exit 2
  }
done
for tool in "$@"; do
  # shellcheck disable=SC2034 # the files use it
  ours=$build/cmd/$tool
  # shellcheck disable=SC1090 # one of those beside this one
  . "$here/$tool.sh"
done
