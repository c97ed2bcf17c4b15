#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which files mmvset changes, and that nothing but values changes in them.

# shellcheck disable=SC2154 # run sets stderr
load helpers
load mmvset-helpers

setup() {
  mkdir "$BATS_TEST_TMPDIR/work" # bats has files of its own beside it
  cd "$BATS_TEST_TMPDIR/work" || return
}

teardown() {
  [[ -z ${outside-} ]] || rm -rf "$outside"
}

# --- what cannot be opened --------------------------------------------------------------------

@test "a folder, a pipe, a device, nothing" {
  mkfifo pipe
  ln -s /dev/null device
  ln -s nowhere dangling
  run_set 1 . a=1
  assert_output ''
  assert_stderr 'mmvset: .: cannot open: Is a directory'
  for name in pipe device /dev/zero; do
    run_set 1 "$name" a=1
    assert_output ''
    assert_stderr "mmvset: $name: it is not a regular file"
  done
  for name in none dangling ''; do
    run_set 1 "$name" a=1
    assert_output ''
    assert_stderr "mmvset: $name: cannot open: No such file or directory"
  done
  run_set 1 none - <<<a=1
  assert_stderr 'mmvset: none: cannot open: No such file or directory'
}

@test "a link to a file is followed" {
  make_file file
  ln -s file link
  run_set 0 --print link u32=4
  assert_output 'u32 4'
  assert_equal "$("$MMVDUMP" --values -m u32 file)" 'u32 4'
}

# A user who may not do everything.
as_nobody() {
  if [ "$(id -u)" -eq 0 ]; then
    need setpriv
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
  else
    "$@"
  fi
}

@test "a file that may be read, not written" {
  # The way to bats' own folders, and to the program, may be barred to others.
  outside=$(mktemp -d)
  chmod 755 "$outside"
  make_file "$outside/file"
  chmod 444 "$outside/file"
  cp "$MMVSET" "$outside/mmvset"
  cp "$outside/file" before
  run -1 --separate-stderr as_nobody "$outside/mmvset" "$outside/file" u32=1
  assert_output ''
  assert_stderr "mmvset: $outside/file: cannot open: Permission denied"
  cmp "$outside/file" before
  run -0 --separate-stderr as_nobody "$outside/mmvset" --dry-run "$outside/file" u32=1
  assert_output 'u32 1'
}

# --- what is not touched ----------------------------------------------------------------------

# untouched STATUS MESSAGE [ASSIGNMENT]: "file" stays as it is.
untouched() {
  cp file before
  run_set "$1" file "${3-m=1}"
  assert_output ''
  assert_stderr "mmvset: file: $2"
  cmp file before
}

@test "what is no MMV file" {
  : >file
  untouched 3 'too small for an MMV file: 0 bytes, of 40 (offset 0x0)'
  head -c 100 /dev/zero >file
  untouched 3 'not an MMV file: it does not begin with "MMV" (offset 0x0)'
  echo 'a text of more than forty bytes that is no MMV file' >file
  untouched 3 'not an MMV file: it does not begin with "MMV" (offset 0x0)'
}

@test "the byte order of another machine" {
  fixture seed-big-endian-v1 >file
  untouched 1 'it is in the byte order of another machine, and not in use on this one'
}

@test "a file that is being rewritten, or was left so" {
  make_file file
  printf '\1' | dd of=file bs=1 seek=16 conv=notrunc status=none
  local numbers
  numbers=$("$MMVDUMP" --json file 2>/dev/null | jq -r '.files[0].header | "\(.generation1) and \(.generation2)"')
  untouched 3 "header: being rewritten, or left half written: its generations are $numbers (offset 0x8)" u32=1
  head -c 16 /dev/zero | dd of=file bs=1 seek=8 conv=notrunc status=none
  untouched 3 'not complete: its generations are 0 (offset 0x8)' u32=1
}

@test "files that are damaged" {
  mkdir cases
  fixture --all cases bad
  local name count=0
  for name in cases/*; do
    cp "$name" before
    run --separate-stderr poke "$name" '*=1'
    cmp "$name" before || fail "$name was changed"
    [[ $status == [13] ]] || fail "$name: status $status: $stderr"
    assert_equal "${#stderr_lines[@]}" 1
    count=$((count + 1))
  done
  [[ $count -gt 20 ]]
}

@test "values that share their place with something else" {
  mkdir cases
  "$PYTHON" "$SRCDIR/test/fixture/mmv-overlaps.py" cases >list
  local name assignment
  while read -r name assignment; do
    cp "cases/$name" before
    run_set 3 "cases/$name" "$assignment"
    assert_output ''
    [[ $stderr =~ ^mmvset:\ cases/$name:\ ${assignment%%[+=]*}:\ (the file has something else in the same place as this value|its text has no 256 bytes for itself at offset [0-9]+)\ \(offset\ 0x[0-9a-f]+\)$ ]] ||
      fail "$name $assignment: $stderr"
    cmp "cases/$name" before
  done <list
  [[ $(wc -l <list) -gt 25 ]]
  # The others can be set.
  run_set 0 --print cases/text-shared n=3 many=4
  assert_output 'n 3
many[one] 4'
}

@test "strings back to back: those that stay are as they were" {
  local name text
  for name in strings-packed-v1 strings-packed-v3; do
    fixture $name >file
    for text in $("$MMVDUMP" --json file | jq -r '.files[0].metrics[] | select(.type == "string").name'); do
      "$MMVDUMP" --json file | jq --arg name "$text" 'del(.files[].values[] | select(.name == $name))' >before
      run --separate-stderr poke file "$text=$(printf 'z%.0s' {1..255})"
      "$MMVDUMP" --json file | jq --arg name "$text" 'del(.files[].values[] | select(.name == $name))' | diff before -
    done
  done
}

# --- what changes -----------------------------------------------------------------------------

# The number of bytes that differ from "before", and where the first and the last of them stand.
changes() {
  cmp -l before file | awk 'NR == 1 { first = $1 - 1 } END { print NR + 0, first, $1 - 1 }'
}

@test "nothing but the value changes, and never the generations" {
  make_file file
  local at slot
  at=$(field u64 .offset | tr -d '[]')
  cp file before
  run_set 0 file u64=18446744073709551615
  assert_equal "$(changes)" "8 $at $((at + 7))"
  at=$(field busy .offset | tr -d '[]')
  cp file before
  run_set 0 file busy=start
  read -r _ first last < <(changes)
  ((first >= at + 8 && last <= at + 15))
  slot=$(field text .extra | tr -d '[]')
  run_set 0 file text=12345678
  cp file before
  run_set 0 file "text=$(printf 'z%.0s' {1..255})"
  run_set 0 file text=abcdefgh
  assert_equal "$(changes)" "8 $slot $((slot + 7))"
}

@test "32-bit numbers are where readers look for them" {
  make_file file
  local at
  at=$(field u32 .offset | tr -d '[]')
  # What others leave in the second half is no part of the number.
  printf '\1\0\0\0\377\377\377\377' | dd of=file bs=1 seek="$at" conv=notrunc status=none
  run_set 0 --print file u32+=1
  assert_output 'u32 2'
  assert_equal "$(od -An -t u4 -j "$at" -N 8 file | tr -s ' ')" ' 2 0'
}

@test "values that are not aligned can be set, and not be added to" {
  "$PYTHON" - >file <<'EOF'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ['SRCDIR'], 'test', 'fixture'))
from mmv import *
mmv = Mmv()
mmv.layout = ['strings', 'metrics', 'values']
mmv.add('strings', 'text:251s', text='x')
for name, type in ('n', U64), ('d', DOUBLE), ('e', ELAPSED), ('s', STRING):
  mmv.value(mmv.metric(name, type=type), '' if type == STRING else 5)
sys.stdout.buffer.write(mmv.build())
EOF
  run_set 0 --print file n=7 d=1.5 e=9 s=text
  assert_output 'n 7
d 1.5
e 9
s "text"'
  assert_stderr
  cp file before
  for assignment in n+=1 d+=1 e+=1 e=start e=stop; do
    run_set 1 file "$assignment"
    assert_output ''
    [[ $stderr =~ ^mmvset:\ file:\ ${assignment:0:1}:\ it\ stands\ at\ offset\ [0-9]*[13579],\ which\ is\ no\ multiple\ of\ 8:\ it\ can\ be\ set,\ but\ not\ be\ added\ to,\ started\ or\ stopped$ ]] ||
      fail "$stderr"
  done
  cmp file before
}

# findings FILE: what a checker says, without places and numbers that change with the values.
findings() {
  { "$MMVCHECK" "$1" || true; } | sed -E 's/.* \[([a-z-]+)\]$/\1/' | sort
}

@test "a checker finds nothing new afterwards, in files of all shapes" {
  mkdir cases
  fixture --all cases good
  local name changed=0
  for name in cases/*; do
    findings "$name" >before
    cp "$name" copy
    # Not everything can be set everywhere.
    poke "$name" '*=1' 2>/dev/null || true
    cmp -s "$name" copy || changed=$((changed + 1))
    findings "$name" >after
    assert_equal "$name: $(comm -13 before after)" "$name: "
  done
  [[ $changed -gt 20 ]]
}
