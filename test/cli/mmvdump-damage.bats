#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Damaged, hostile and large files. What exactly is said of each damage is in test/golden.

# shellcheck disable=SC2154 # run sets stderr
load helpers

setup_file() {
  export CASES=$BATS_FILE_TMPDIR/cases
  mkdir "$CASES"
  fixture --all "$CASES"
}

setup() {
  cd "$CASES" || return
}

# without_path FILE: the text of a file without the line that names it.
without_path() {
  dump "$1" 2>/dev/null | tail -n +2
}

@test "no fixture breaks a promise of the library, with all sanitizers on" {
  run -0 --separate-stderr "$BUILDDIR/test/fuzz/replay-mmv" "$CASES"
  assert_line --regexp '^ok 1 - [0-9]{3} files$'
  assert_stderr
}

@test "cut at any byte: never a signal, and what is before the cut is shown" {
  # Some of them here, every single one in the mutation test.
  size=$(stat -c %s plain-v1)
  for ((n = 0; n < size; n += 37)); do
    head -c $n plain-v1 >"$BATS_TEST_TMPDIR/cut"
    status=0
    dump --values "$BATS_TEST_TMPDIR/cut" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
    echo "$n bytes: $status"
    [ $status -eq 3 ]
    assert_file_not_empty "$BATS_TEST_TMPDIR/err"
  done
  # The last was cut in the strings: all numbers were there.
  assert_equal "$(head -n 3 "$BATS_TEST_TMPDIR/out")" 'req.total 42
disk.read[sda] 1.5
disk.read[sdb] 0.1'
}

@test "a damaged section costs that section" {
  fixture plain-v3 | tail -c +1 >good
  for kind in 0:indoms 3:values 4:strings 5:labels; do
    for damage in negative past-end at-end wraps wraps-1; do
      name=section-${kind#*:}-$damage
      echo "$name"
      # All but the header line and the records of this section is as it was.
      diff <(without_path plain-v3 | sed '/^Process\|^Flags/d' | drop_section "${kind%:*}") \
        <(without_path "$name" | sed '/^Process\|^Flags/d' | drop_section "${kind%:*}")
    done
  done
  rm good
}

# drop_section N: text without the section TOC[N].
drop_section() {
  awk -v "head=TOC[$1]:" '/^TOC\[/ { drop = index($0, head) == 1 } !drop'
}

@test "a damaged value costs that value" {
  dump --values plain-v1 >"$BATS_TEST_TMPDIR/good"
  for damage in far wraps wraps-1 at-end; do
    run_dump 3 --values "value-metric-$damage"
    assert_equal "$(grep -v '^?' <<<"$output")" "$(grep -v '\[sdb\]' "$BATS_TEST_TMPDIR/good")"
    assert_line --regexp '^\?\[sdb\] 0x[0-9a-f]+$'
    assert_regex "$stderr" '^mmvdump: value-metric-[a-z0-9-]+: toc\[3\]\.value\[2\]\.metric: no metric at offset'
    run_dump 3 --values "value-instance-$damage"
    assert_line 'disk.read[?] 0.1'
    assert_equal "$(grep -vF '[?]' <<<"$output")" "$(grep -v '\[sdb\]' "$BATS_TEST_TMPDIR/good")"
    assert_regex "$stderr" 'toc\[3\]\.value\[2\]\.instance: no instance at offset'
  done
}

@test "a damaged name costs that name" {
  for damage in at-end far wraps wraps-1 none; do
    run_dump 3 --values "metric-name-$damage"
    assert_line 'req.total 42'
    assert_line '""[sda] 1.5'
    assert_regex "$stderr" 'toc\[2\]\.metric\[1\]\.name: '
  done
}

@test "only so many errors are listed, and the others counted" {
  run_dump 3 --values everything
  assert_equal "${#lines[@]}" 100
  assert_equal "${#stderr_lines[@]}" 21
  assert_equal "${stderr_lines[20]}" 'mmvdump: everything: and 80 more of the kind'
  run_dump 3 --json everything
  assert_equal "${lines[-1]}" '{"more":80}]}]}'
}

# within STATUS FACTOR NAME ARGUMENT...: prints no more than so many times the size of the file.
within() {
  local expected=$1 factor=$2 name=$3 status=0
  shift 3
  dump "$@" "$name" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  echo "$name $*: status $status, $(stat -c %s "$BATS_TEST_TMPDIR/out") bytes"
  assert_equal "$status" "$expected"
  [ "$(stat -c %s "$BATS_TEST_TMPDIR/out")" -le $((factor * $(stat -c %s "$name"))) ]
}

@test "small files that claim to be huge do not make us print without end" {
  for mode in --text --json --values --json-lines --openmetrics; do
    within 3 60 bomb-toc ${mode/--text/--}
    assert_file_contains "$BATS_TEST_TMPDIR/err" 'claim more than 4 times the size of the file'
    within 3 60 bomb-counts ${mode/--text/--}
  done
  within 3 60 bomb-indoms --json
  assert_file_contains "$BATS_TEST_TMPDIR/err" 'claim more instances than fit into 4 such files'
  within 0 60 bomb-indoms
}

@test "a million values in no more memory than the file and 8 MiB" {
  fixture million >"$BATS_TEST_TMPDIR/million"
  limit=$(($(stat -c %s "$BATS_TEST_TMPDIR/million") / 1024 + 8192))
  is_sanitized && limit=1000000
  for mode in --text --json --values --json-lines; do
    check memory $limit "$MMVDUMP" ${mode/--text/--} "$BATS_TEST_TMPDIR/million"
  done
}
