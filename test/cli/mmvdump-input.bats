#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where mmvdump reads from: files, folders, standard input, pipes, and what is none of these.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  fixture plain-v1 >good
  fixture cut-values >bad
  VALUES='req.total 42
disk.read[sda] 1.5
disk.read[sdb] 0.1
state "running"'
  readarray -t lines_of_values <<<"$VALUES"
}

# A user who may not read everything.
as_nobody() {
  if [ "$(id -u)" -eq 0 ]; then
    need setpriv
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
  else
    "$@"
  fi
}

prefixed() {
  printf '%s\n' "${lines_of_values[@]/#/$1: }"
}

@test "without an operand: the folder where programs put their files" {
  mkdir -p tmp/mmv
  cp good tmp/mmv/b
  cp good tmp/mmv/a
  PCP_TMP_DIR=$PWD/tmp run_dump 0 --values
  assert_output "$(prefixed "$PWD/tmp/mmv/a"; prefixed "$PWD/tmp/mmv/b")"
  assert_stderr
}

@test "without an operand, and without that folder" {
  PCP_TMP_DIR=$PWD/none run_dump 1 --values
  assert_output ''
  assert_stderr "mmvdump: $PWD/none/mmv: cannot open: No such file or directory"
}

@test "a folder: regular files, by name, and nothing else" {
  mkdir dir dir/sub
  cp good dir/b
  cp good dir/.hidden
  ln -s ../good dir/a
  ln -s nowhere dir/dangling
  mkfifo dir/fifo
  run_dump 0 --values dir
  assert_output "$(prefixed dir/a; prefixed dir/b)"
  assert_stderr
  run_dump 0 --values dir/
  assert_line 'dir/a: req.total 42'
}

@test "an empty folder" {
  mkdir dir
  run_dump 0 dir
  assert_output ''
  assert_stderr
  run_dump 0 --json dir
  assert_output '{"schema":"pcputils/mmvdump","version":1,"files":[]}'
  run_dump 0 --openmetrics dir
  assert_output '# EOF'
}

@test "a folder that may not be read" {
  mkdir -m 711 dir
  chmod 755 .
  run -1 --separate-stderr as_nobody "$MMVDUMP" "$PWD/dir"
  assert_output ''
  assert_stderr "mmvdump: $PWD/dir: cannot open: Permission denied"
}

@test "a file that may not be read" {
  cp good secret
  chmod 600 secret
  [ "$(id -u)" -eq 0 ] || chmod 000 secret
  run -1 --separate-stderr as_nobody "$MMVDUMP" "$PWD/secret"
  assert_output ''
  assert_stderr "mmvdump: $PWD/secret: cannot open: Permission denied"
}

@test "a file that is not there" {
  run_dump 1 none
  assert_output ''
  assert_stderr 'mmvdump: none: cannot open: No such file or directory'
}

@test "a file that is not there, in JSON" {
  run_dump 1 --json none
  check json "$SRCDIR/test/schema/mmvdump.json" <(printf '%s\n' "$output")
  assert_line --index 1 '{"file":"none","errors":['
  assert_line --index 2 --partial '{"message":"cannot open: No such file or directory"}'
}

@test "many operands: one bad, the others are shown, the worst status wins" {
  run_dump 3 --values good bad good
  assert_line 'good: req.total 42'
  assert_equal "$(grep -c '^good: ' <<<"$output")" 8
  assert_regex "$stderr" '^mmvdump: bad: toc\[[0-9]\]: '
  run_dump 1 --values bad none good
  assert_equal "$(grep -c '^good: ' <<<"$output")" 4
  assert_equal "${stderr_lines[-1]}" 'mmvdump: none: cannot open: No such file or directory'
}

@test "many operands, in each mode" {
  for mode in '' --json --json-lines --openmetrics; do
    run_dump 1 ${mode:+"$mode"} none good
    assert_output --partial req
    assert_stderr 'mmvdump: none: cannot open: No such file or directory'
  done
}

@test "text of many files is set apart by an empty line" {
  run_dump 0 good good
  assert_equal "$output" "$(dump good; echo; dump good)"
}

@test "standard input" {
  run -0 --separate-stderr bash -c '"$MMVDUMP" --values - <good'
  assert_output "$VALUES"
  assert_stderr
  run -0 --separate-stderr bash -c 'cat good | "$MMVDUMP" --values -'
  assert_output "$VALUES"
  run -0 --separate-stderr bash -c 'cat good | timeout 20 "$MMVDUMP" --values good - '
  assert_line '-: req.total 42'
}

@test "standard input that is empty, wrong, closed, or a folder" {
  run -3 --separate-stderr bash -c '"$MMVDUMP" - </dev/null'
  assert_output ''
  assert_stderr 'mmvdump: -: too small for an MMV file: 0 bytes, of 40 (offset 0x0)'
  run -3 --separate-stderr bash -c '"$MMVDUMP" - <"$SRCDIR/LICENSE"'
  assert_stderr 'mmvdump: -: not an MMV file: it does not begin with "MMV" (offset 0x0)'
  run -1 --separate-stderr bash -c '"$MMVDUMP" - <&-'
  assert_output ''
  assert_regex "$stderr" '^mmvdump: -: cannot '
  run -1 --separate-stderr bash -c '"$MMVDUMP" - <.'
  assert_stderr 'mmvdump: -: cannot read: Is a directory'
}

@test "standard input that is half written is shown at once" {
  fixture header-flux >flux
  run -3 --separate-stderr bash -c 'cat flux | timeout 20 "$MMVDUMP" --values -'
  assert_output "$VALUES"
  assert_regex "$stderr" 'generations are 1 and 2 \(offset 0x8\)$'
}

@test "a large file through a pipe" {
  fixture hundred-thousand >large
  run -0 --separate-stderr bash -c 'cat large | "$MMVDUMP" --values - | tail -n 1'
  assert_output 'metric.n0099[instance-00999] 1098'
  run -0 --separate-stderr bash -c '"$MMVDUMP" --values <(cat large) | tail -n 1'
  assert_output 'metric.n0099[instance-00999] 1098'
}

@test "process substitution" {
  run -0 --separate-stderr bash -c '"$MMVDUMP" --values <(cat good)'
  assert_output "$VALUES"
  assert_stderr
}

@test "process substitution of a file that is half written" {
  fixture header-flux >flux
  run -3 --separate-stderr bash -c 'timeout 20 "$MMVDUMP" --values <(cat flux)'
  assert_output "$VALUES"
  assert_regex "$stderr" 'generations are 1 and 2 \(offset 0x8\)$'
}

@test "a named pipe that nobody writes to" {
  mkfifo fifo
  run_dump 3 fifo
  assert_output ''
  assert_stderr 'mmvdump: fifo: too small for an MMV file: 0 bytes, of 40 (offset 0x0)'
}

@test "devices" {
  run_dump 3 /dev/null
  assert_stderr 'mmvdump: /dev/null: too small for an MMV file: 0 bytes, of 40 (offset 0x0)'
  # Endless, but the first bytes tell.
  run_dump 3 /dev/zero
  assert_stderr 'mmvdump: /dev/zero: not an MMV file: it does not begin with "MMV" (offset 0x0)'
}

@test "files that are far too large" {
  truncate -s 3G zeros
  run_dump 3 zeros
  assert_stderr 'mmvdump: zeros: not an MMV file: it does not begin with "MMV" (offset 0x0)'
  cp good huge
  truncate -s 3G huge
  run_dump 1 huge
  assert_output ''
  assert_stderr 'mmvdump: huge: larger than 1073741824 bytes'
}

@test "names of files that would drive the terminal" {
  name=$'a\x1b[31m\nb'
  cp good "$name"
  run_dump 0 --values "$name" "$name"
  assert_line --index 0 'a\x1b[31m\nb: req.total 42'
  assert_equal "${#lines[@]}" 8
  run_dump 0 "$name"
  assert_line --index 0 'MMV file   = a\x1b[31m\nb'
  run_dump 1 "no$name"
  assert_stderr 'mmvdump: noa\x1b[31m\nb: cannot open: No such file or directory'
}

@test "names that are not UTF-8, in JSON" {
  cp good $'\xff'
  run_dump 0 --json $'\xff'
  check json "$SRCDIR/test/schema/mmvdump.json" <(printf '%s\n' "$output")
  assert_output --partial '"file_b64":"/w=="'
}

@test "operands that look like options" {
  cp good ./-j
  run_dump 0 --values -- -j
  assert_output "$VALUES"
  run_dump 0 good --values
  assert_output "$VALUES"
}

@test "a file that changes its size under our hands is read without a signal" {
  for _ in {1..5}; do
    cp good moving
    (
      for _ in {1..20}; do
        : >moving
        cat good >moving
      done
    ) 3>&- &
    for _ in {1..5}; do
      status=0
      dump moving >/dev/null 2>&1 || status=$?
      echo "status $status"
      [ $status -eq 0 ] || [ $status -eq 3 ]
    done
    wait
  done
}
