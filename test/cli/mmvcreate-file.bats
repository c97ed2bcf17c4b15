#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where mmvcreate reads and writes, and what it leaves behind whatever happens.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers
load mmvcreate-helpers

setup() {
  mkdir "$BATS_TEST_TMPDIR/work" # bats has files of its own beside it
  cd "$BATS_TEST_TMPDIR/work" || return
  metric '"value":7' '"header":{"generation1":1}' >spec
  mkdir -p tmp/mmv
  export PCP_TMP_DIR=$PWD/tmp
}

teardown() {
  [[ -z ${live-} ]] || kill "$live" 2>/dev/null || true
  [[ -z ${outside-} ]] || rm -rf "$outside"
}

# A user who may not write everywhere.
as_nobody() {
  if [ "$(id -u)" -eq 0 ]; then
    need setpriv
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
  else
    "$@"
  fi
}

# only NAME...: these are in the folder, and nothing else; dot-files are.
only() {
  # shellcheck disable=SC2012 # names of ours
  assert_equal "$(ls -A "$1" | tr '\n' ' ')" "${*:2}${2:+ }"
}

# --- where to ---------------------------------------------------------------------------------

@test "-o: that file; status 0 and not a word" {
  run_create 0 -o out spec
  assert_output ''
  assert_stderr
  run_create 0 --output=tmp/out spec
  cmp out tmp/out
  only tmp mmv out
}

@test "without -o: the agent's folder, and the name in the description" {
  metric '' '"file":"shop"' >spec
  run_create 0 spec
  assert_output ''
  assert_stderr
  only tmp/mmv shop
  metric '' '"file":"/some/where/else"' >spec
  run_create 0 spec
  only tmp/mmv else shop
}

@test "without -o: a description without a name that will do" {
  run_create 3 spec
  assert_output ''
  assert_stderr 'mmvcreate: spec: no name for the file: give --output, or "file" in the description'
  for name in '' - a/ a/-; do
    metric '' "\"file\":\"$name\"" >spec
    run_create 3 spec
    assert_stderr 'mmvcreate: spec: no name for the file: give --output, or "file" in the description'
  done
  for name in . .. .hidden a/..; do
    metric '' "\"file\":\"$name\"" >spec
    run_create 3 spec
    assert_stderr 'mmvcreate: spec: "file" begins with a dot: the agent ignores such files'
  done
  only tmp/mmv
}

@test "without -o: no such folder" {
  metric '' '"file":"shop"' >spec
  PCP_TMP_DIR=$PWD/none run_create 1 spec
  assert_output ''
  assert_stderr "mmvcreate: $PWD/none/mmv/shop: cannot write beside it: No such file or directory"
}

@test "-o -: standard output" {
  create -o file spec
  create --output - spec | cmp file -
  run -1 --separate-stderr sh -c '"$MMVCREATE" -o - spec >/dev/full'
  assert_stderr 'mmvcreate: standard output: cannot write: No space left on device'
  assert_file_not_exist ./-
}

@test "an empty name, a folder, a folder that is not there" {
  run_create 1 -o '' spec
  assert_output ''
  assert_stderr 'mmvcreate: : cannot write: No such file or directory'
  run_create 1 -o tmp spec
  assert_stderr 'mmvcreate: tmp: it is there already: --force replaces it'
  run_create 1 --force -o tmp spec
  assert_stderr 'mmvcreate: tmp: it is not a regular file'
  run_create 1 -o none/x spec
  assert_stderr 'mmvcreate: none/x: cannot write beside it: No such file or directory'
  only . spec tmp
}

# --- what is there already --------------------------------------------------------------------

@test "a file that is there: only with --force" {
  echo old >out
  run_create 1 -o out spec
  assert_output ''
  assert_stderr 'mmvcreate: out: it is there already: --force replaces it'
  assert_equal "$(cat out)" old
  run_create 0 -f -o out spec
  assert_output ''
  assert_stderr
  assert_equal "$(head -c 3 out)" MMV
  ln out second
  metric '"value":8' >spec
  run_create 0 --force -o out spec
  run ! cmp -s out second
  only . out second spec tmp
}

@test "a device, a pipe: never" {
  mkfifo pipe
  ln -s /dev/null link
  for name in pipe link /dev/null /dev/full; do
    run_create 1 -o $name spec
    assert_stderr "mmvcreate: $name: it is there already: --force replaces it"
    run_create 1 --force -o $name spec
    assert_output ''
    assert_stderr "mmvcreate: $name: it is not a regular file"
  done
  [[ -p pipe && -L link && -c /dev/null && -c /dev/full ]]
}

@test "a link is replaced, not what it leads to" {
  echo old >there
  ln -s there link
  run_create 1 -o link spec
  run_create 0 --force -o link spec
  assert_equal "$(cat there)" old
  [[ ! -L link && -f link ]]
  ln -s nowhere dangling
  run_create 1 -o dangling spec
  assert_stderr 'mmvcreate: dangling: it is there already: --force replaces it'
}

@test "a file that a process has mapped: a warning, and the new file" {
  need "$PEERDIR/mmv-live"
  exec {in}> >(exec "$PEERDIR/mmv-live" live >answers 2>&1)
  live=$!
  wait_until test -s tmp/mmv/live
  wait_until grep -q "$PWD/tmp/mmv/live" /proc/$live/maps
  run_create 1 -o tmp/mmv/live spec
  assert_stderr 'mmvcreate: tmp/mmv/live: it is there already: --force replaces it'
  run_create 0 --force -o tmp/mmv/live spec
  assert_output ''
  assert_stderr "mmvcreate: tmp/mmv/live: process $live is using it: it will go on with the old file"
  run_dump 0 --values tmp/mmv/live
  assert_output 'm 7'
  exec {in}>&-
}

# --- --dry-run, --mode ------------------------------------------------------------------------

@test "--dry-run writes nothing, and says what it would" {
  run_create 0 --dry-run -o out spec
  assert_output 'would write out: 208 bytes, version 1, 1 metrics, 1 values, 0 labels'
  assert_stderr
  metric '"labels":{"a":1}' '"file":"shop"' >spec
  run_create 0 -n spec
  assert_output "would write $PWD/tmp/mmv/shop: 696 bytes, version 3, 1 metrics, 1 values, 1 labels"
  only tmp/mmv
  only . spec tmp
  metric '"item":1024' >spec
  run_create 3 --dry-run -o out spec
  assert_output ''
  assert_stderr 'mmvcreate: spec: 1:13: metrics[0]: its item is 1024; the agent drops the metric [item-range]'
  metric >spec
  run_create 0 --dry-run -o $'a\e\n' --allow all spec
  assert_output --partial 'would write a\x1b\n: '
}

@test "--dry-run: a full device, a closed standard output" {
  run -1 --separate-stderr sh -c '"$MMVCREATE" -n -o out spec >/dev/full'
  assert_stderr 'mmvcreate: standard output: cannot write: No space left on device'
  run -1 --separate-stderr sh -c '"$MMVCREATE" -n -o out spec >&-'
  assert_stderr 'mmvcreate: standard output: cannot write: Bad file descriptor'
}

@test "--mode: octal, whatever the umask; 0644 without it" {
  umask 077
  run_create 0 -o out spec
  assert_equal "$(stat -c %a out)" 644
  umask 0
  for mode in 600 0640 777 0 00444; do
    run_create 0 --force --mode $mode -o out spec
    assert_equal "$((8#$(stat -c %a out)))" "$((8#$mode))"
  done
  run_create 0 -f -m 0604 -o out spec
  assert_equal "$(stat -c %a out)" 604
}

@test "--mode: nothing else" {
  for mode in '' 8 0x1ff rw 1777 '644 ' +644 -644 99999999999999999999; do
    run_create 2 --mode="$mode" -o out spec
    assert_output ''
    assert_stderr "mmvcreate: -m/--mode: '$mode' is not an octal number up to 0777
Try 'mmvcreate --help' for more information."
  done
  assert_file_not_exist out
}

# --- operands ---------------------------------------------------------------------------------

@test "one description, no more and no less" {
  run_create 2 -o out
  assert_output ''
  assert_stderr "mmvcreate: SPEC is missing
Try 'mmvcreate --help' for more information."
  run_create 2 -o out spec spec
  assert_output ''
  assert_stderr "mmvcreate: one SPEC at a time
Try 'mmvcreate --help' for more information."
  assert_file_not_exist out
}

@test "options behind the description; -- and POSIXLY_CORRECT end them" {
  run_create 0 spec -o out
  run_create 1 -o x -- --help
  assert_output ''
  assert_stderr 'mmvcreate: --help: cannot open: No such file or directory'
  POSIXLY_CORRECT=1 run_create 2 -o x spec --help
  assert_equal "${stderr_lines[0]}" 'mmvcreate: one SPEC at a time'
  LC_ALL=no_SUCH.locale run_create 0 --force -o out spec
  assert_stderr
  run_create 3 -o $'caf\xc3\xa9' --force /dev/null
  assert_stderr "mmvcreate: /dev/null: 1:1: '[' or '{' expected near end of file"
}

@test "-: standard input; and one that is closed" {
  run_create 0 -o out - <spec
  assert_stderr
  dd status=none if=spec | create -o piped -
  cmp out piped
  run -1 --separate-stderr sh -c '"$MMVCREATE" -o x - <&-'
  assert_output ''
  assert_stderr 'mmvcreate: -: cannot read: Bad file descriptor'
  run_create 3 -o x - </dev/null
  assert_stderr "mmvcreate: -: 1:1: '[' or '{' expected near end of file"
  assert_file_not_exist x
}

@test "a description that cannot be read" {
  run_create 1 -o out none
  assert_output ''
  assert_stderr 'mmvcreate: none: cannot open: No such file or directory'
  run_create 1 -o out tmp
  assert_stderr 'mmvcreate: tmp: cannot read: Is a directory'
  outside=$(mktemp -d)
  chmod 755 "$outside"
  cp spec "$outside/spec"
  chmod 600 "$outside/spec"
  [ "$(id -u)" -eq 0 ] || chmod 000 "$outside/spec"
  run -1 --separate-stderr as_nobody "$MMVCREATE" -o out "$outside/spec"
  assert_output ''
  assert_stderr "mmvcreate: $outside/spec: cannot open: Permission denied"
  assert_file_not_exist out
}

# --- what can go wrong ------------------------------------------------------------------------

@test "a folder that may not be written" {
  # The way to bats' own folders is barred to others.
  outside=$(mktemp -d)
  echo old >"$outside/out"
  chmod 555 "$outside"
  run -1 --separate-stderr as_nobody "$MMVCREATE" -o "$outside/new" - <spec
  assert_output ''
  assert_stderr "mmvcreate: $outside/new: cannot write beside it: Permission denied"
  run -1 --separate-stderr as_nobody "$MMVCREATE" --force -o "$outside/out" - <spec
  assert_stderr "mmvcreate: $outside/out: cannot write beside it: Permission denied"
  assert_equal "$(cat "$outside/out")" old
  only "$outside" out
}

@test "no room for the file: the old one stays, and nothing beside it" {
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}"} for i in range(1000)]}))' >big
  create -o out spec
  cp out old
  run -1 --separate-stderr sh -c 'trap "" XFSZ; ulimit -f 64; "$MMVCREATE" --force -o out big'
  assert_output ''
  assert_stderr 'mmvcreate: out: cannot write: File too large'
  run -1 --separate-stderr sh -c 'trap "" XFSZ; ulimit -f 64; "$MMVCREATE" -o new big'
  assert_stderr 'mmvcreate: new: cannot write: File too large'
  cmp old out
  only . big old out spec tmp
}

@test "a full disk: the old file stays, and nothing beside it" {
  mkdir disk
  cat >full.sh <<'EOF'
mount -t tmpfs -o size=64k none disk || exit 77
"$MMVCREATE" -o disk/out spec || exit
"$MMVCREATE" --force -o disk/out big
echo $?
cmp <("$MMVCREATE" -o - spec) disk/out
ls -A disk
EOF
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}"} for i in range(1000)]}))' >big
  run --separate-stderr unshare --map-root-user --mount bash full.sh
  # Not everyone may mount; what happens then, the test above shows too.
  if [[ $status == 77 || $stderr == unshare:* ]]; then
    return
  fi
  assert_output '1
out'
  assert_stderr 'mmvcreate: disk/out: cannot write: No space left on device'
}

@test "killed at any moment: the old file or the new one, whole" {
  local value
  for value in 1 2; do
    "$PYTHON" -c 'import json, sys; print(json.dumps({"header": {"generation1": 1}, "indoms": [{"name": "x",
      "instances": [f"i{i}" for i in range(1000)]}], "metrics": [{"name": f"m{i}", "indom": "x", "value": int(sys.argv[1])}
      for i in range(20)]}))' $value >spec$value
  done
  mkdir kill
  count=$(rounds 200)
  run -0 --separate-stderr specs kills "$count" kill/out spec1 spec2
  assert_output "$count kills"
  assert_stderr
  only kill out
}

@test "two at once: one of them makes it" {
  local time
  for time in {1..20}; do
    echo "# $time"
    rm -f out
    create -o out spec 2>one &
    run --separate-stderr create -o out spec
    wait $! || [ -s one ]
    [[ $status == 0 && -s one || $status == 1 && ! -s one ]] || fail "$status $stderr $(cat one)"
    [[ $(cat one; echo "$stderr") == *'mmvcreate: out: it is there already: --force replaces it'* ]]
  done
  only . one out spec tmp
}
