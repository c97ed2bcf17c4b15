#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Assignments from standard input, and what happens to the file meanwhile.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers
load mmvset-helpers

setup() {
  mkdir "$BATS_TEST_TMPDIR/work" # bats has files of its own beside it
  cd "$BATS_TEST_TMPDIR/work" || return
  make_file file
}

teardown() {
  exec 7>&-
  if [[ -n ${setter-} ]]; then
    kill "$setter" 2>/dev/null || true
    wait "$setter" 2>/dev/null || true
  fi
}

# --- lines ------------------------------------------------------------------------------------

@test "one assignment a line; empty lines are skipped; the last line may lack its end" {
  run_set 0 --print file - <<'END'
u32=1

many[a, b]=2


u32+=41
END
  assert_output 'u32 1
many[a] 2
many[b] 2
u32 42'
  assert_stderr
  run_set 0 file - < <(printf 'i32=5\n\ntext=no end')
  assert_output ''
  assert_stderr
  assert_equal "$("$MMVDUMP" --values -m i32 -m text file)" 'i32 5
text "no end"'
  run_set 0 file - </dev/null
  assert_output ''
  assert_stderr
}

@test "a line that is wrong: its number and column, and the next is done" {
  run_set 1 --print file - <<'END'
u32=1
nonsense
many[a

=1
many[]=1
u32=x
nope+=1
  i32=4
u32+=2
END
  assert_output 'u32 1
u32 3'
  assert_stderr "mmvset: -: 2:1: no METRIC=VALUE and no METRIC+=N
mmvset: -: 3:1: no METRIC=VALUE and no METRIC+=N
mmvset: -: 5:1: the name of a metric is missing
mmvset: -: 6:6: many[]: an instance is missing
mmvset: -: 7:5: u32: 'x' is not an integer
mmvset: -: 8:1: nope: there is no such metric
mmvset: -: 9:1:   i32: there is no such metric"
}

@test "the worst status counts: a line that is no assignment is 3, one that is refused 1" {
  run_set 3 file - <<<'nonsense'
  run_set 1 file - <<<'u32=-1'
  run_set 1 file - < <(printf 'nonsense\nu32=-1\nu32=2\n')
  assert_equal "${#stderr_lines[@]}" 2
}

@test "a NUL in a line, and other bytes that could harm a terminal" {
  printf 'u32\0=1\ntext=a\0b\nu32=1\0\ntext=\e[31m\n\e=1\nu32=7\n' >in
  run_set 1 --print file - <in
  assert_output 'text "\x1b[31m"
u32 7'
  assert_stderr "mmvset: -: 1:1: u32: a name cannot hold a NUL
mmvset: -: 2:6: text: a text cannot hold a NUL
mmvset: -: 3:5: u32: '1' is not an integer
mmvset: -: 5:1: \\x1b: there is no such metric"
}

@test "the longest line, and longer ones" {
  zeros() {
    head -c "$1" /dev/zero | tr '\0' 0
  }
  { printf 'u64='; zeros 65530; printf '7\ni32=1\nu64='; zeros 65531; printf '8\nu32=1\nu64='; zeros 300000; } >in
  run_set 3 --print file - <in
  assert_output 'u64 7
i32 1
u32 1'
  assert_stderr 'mmvset: -: 3:1: more than 65535 bytes
mmvset: -: 5:1: more than 65535 bytes'
}

@test "a line without end takes no memory" {
  local limit=200000
  is_sanitized && limit=unlimited # it needs more itself
  run -3 --separate-stderr bash -c 'ulimit -v "$0"; { head -c 300000000 /dev/zero; echo; echo u32=5; } | "$MMVSET" file -' "$limit"
  assert_stderr 'mmvset: -: 1:1: more than 65535 bytes'
  assert_equal "$("$MMVDUMP" --values -m u32 file)" 'u32 5'
}

@test "more ways to spell a name than are remembered" {
  "$MMVCREATE" --force -o file - <<<'{"metrics":[{"name":"abcdefghijklmnopqrs"}, {"name":"other"}]}'
  "$PYTHON" - >in <<'EOF'
import itertools
for choice in itertools.islice(itertools.product((0, 1), repeat=19), 300000):
  print('"' + ''.join('\\x%02x' % ord(c) if one else c for one, c in zip(choice, 'abcdefghijklmnopqrs')) + '"+=1')
EOF
  run_set 0 file - <in
  assert_output ''
  assert_stderr
  run_set 0 --print file - < <(printf 'a*+=1\n*s=7\n'; tail -n 3 in)
  assert_output 'abcdefghijklmnopqrs 300001
abcdefghijklmnopqrs 7
abcdefghijklmnopqrs 8
abcdefghijklmnopqrs 9
abcdefghijklmnopqrs 10'
}

@test "input that cannot be read" {
  run -1 --separate-stderr sh -c '"$MMVSET" file - <&-'
  assert_output ''
  assert_stderr 'mmvset: -: cannot read: Bad file descriptor'
  run_set 1 file - <.
  assert_output ''
  assert_stderr 'mmvset: -: cannot read: Is a directory'
}

# --- while it waits ---------------------------------------------------------------------------

# begin ARGUMENT...: mmvset, which reads what `say` writes; its output goes to the files out and err.
begin() {
  mkfifo lines
  "$MMVSET" "$@" file - <lines >out 2>err 3>&- &
  setter=$!
  exec 7>lines
}

say() {
  printf '%s\n' "$@" >&7
}

# shows LINE: waits for what is printed last.
shows() {
  wait_until ends_with out "$1"
}

ends_with() {
  [ "$(tail -n 1 "$1")" = "$2" ]
}

# holds NAME LINE: waits until that is in a file.
holds() {
  wait_until has_value "$1" "$2"
}

has_value() {
  "$MMVDUMP" --values "$1" | grep -qxF -- "$2"
}

# end STATUS: with nothing on stderr if that is 0; otherwise its lines are left in $lines.
end() {
  local ended=0
  exec 7>&-
  wait "$setter" || ended=$?
  setter=
  assert_equal "$ended" "$1"
  run -0 cat err
  [[ $1 != 0 ]] || assert_output ''
}

@test "a line is done as soon as it is there" {
  begin
  say u32=1
  holds file 'u32 1'
  say u32+=1 text=new
  holds file 'u32 2'
  holds file 'text "new"'
  end 0
}

@test "what is printed can be read before the next line is written" {
  begin --print
  say u32+=5
  shows 'u32 5'
  say u32+=5
  shows 'u32 10'
  end 0
}

@test "a file that takes the place of the other is the one" {
  make_file new
  poke new u32=100
  begin --print
  say u32+=1
  shows 'u32 1'
  ln file old
  mv new file
  say u32+=1
  shows 'u32 101'
  # Another layout, other metrics.
  "$MMVCREATE" --force --output file - <<<'{"metrics": [{"name": "first"}, {"name": "u32", "type": "double"}]}'
  say u32+=.5 first=3
  shows 'first 3'
  end 0
  has_value old 'u32 1'
  has_value file 'u32 0.5'
}

@test "a file that is rewritten in place, with another generation" {
  "$MMVCREATE" -o new - <<<'{"header": {"generation1": 7},
    "metrics": [{"name": "a", "type": "string"}, {"name": "b", "type": "double"}, {"name": "u32", "value": 3}]}'
  begin --print
  say u32+=1
  shows 'u32 1'
  printf '\0\0\0\0\0\0\0\0' | dd of=file bs=1 seek=16 conv=notrunc status=none
  # The generations last, the second of them at the very end.
  { head -c 8 new; printf '\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; tail -c +25 new; } | dd of=file bs=64k conv=notrunc status=none
  printf '\7' | dd of=file bs=1 seek=16 conv=notrunc status=none
  say u32+=1
  shows 'u32 4'
  end 0
}

@test "while the file is gone, or is being rewritten, lines are lost and that is told" {
  begin --print
  say u32+=1
  shows 'u32 1'
  mv file away
  say u32+=1
  wait_until test -s err
  say 'many[a]+=1'
  say ''
  mv away file
  # A line may still be on its way to a file that is not there.
  say u64=9
  shows 'u64 9'
  printf '\1' | dd of=file bs=1 seek=16 conv=notrunc status=none
  say u32+=1
  wait_until grep -q rewritten err
  say u32+=1
  say u32+=1
  end 1
  assert_line --index 0 'mmvset: file: cannot open: No such file or directory'
  assert_line --index 1 --regexp '^mmvset: -: 2:1: from this line on, [12] could not be done$'
  assert_line --index 2 --regexp '^mmvset: file: header: being rewritten, or left half written: its generations are [0-9]+ and [0-9]+ \(offset 0x8\)$'
  assert_line --index 3 'mmvset: -: 6:1: from this line on, 3 could not be done'
  assert_equal "${#lines[@]}" 4
  assert_equal "$(tail -n 1 out)" 'u64 9'
}

@test "a file that is cut in place: no signal, a message" {
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}"} for i in range(1000)]}))' |
    "$MMVCREATE" --force -o file -
  begin --print
  say m999+=1
  shows 'm999 1'
  # The pages of the last values go, the first one stays.
  truncate -s 8192 file
  say m999+=1
  wait_until test -s err
  truncate -s 0 file
  say m999+=1
  end 3
  assert_line --index 0 --regexp '^mmvset: file: toc\[.*: room for [0-9]+ \(offset 0x[0-9a-f]+\)$'
  assert_line --index 1 'mmvset: -: 2:1: from this line on, 2 could not be done'
  assert_equal "$(cat out)" 'm999 1'
}
