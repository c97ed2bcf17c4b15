#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# mmvlabel on files that an application, written with PCP's own library, has mapped.

# shellcheck disable=SC2030,SC2031,SC2086,SC2154 # each test is a subshell, $file has no blanks, run sets stderr
load helpers
load mmvlabel-helpers

setup() {
  need "$PEERDIR/mmv-live"
  cd "$BATS_TEST_TMPDIR" || return
  mkdir -p tmp/mmv
  export PCP_TMP_DIR=$PWD/tmp
  file=tmp/mmv/app
  app=
}

teardown() {
  [[ -z $app ]] || kill -KILL "$app" 2>/dev/null || true
}

# start ARGUMENT...: the application, which counts from now on.
start() {
  "$PEERDIR/mmv-live" --count "$@" app >answers 2>&1 3>&- &
  app=$!
  wait_until has_line answers ok
}

# total: as the agent sees it.
total() {
  agent -f mmv.app.total | sed -n 's/^ *value //p'
}

# stop: it ends well, and what it has counted is in the file (or was, if it takes that along).
stop() {
  kill "$app"
  wait "$app"
  app=
  [[ ! -e $file || $(dump --values -m total $file) == "total $(tail -n 1 answers)" ]]
}

counts_on() {
  local first
  first=$(total)
  wait_until larger "$first"
}

larger() {
  (($(total) > $1))
}

@test "labels come and go while the application counts; the agent sees both" {
  start --labels 3
  inode=$(stat -c %i $file)
  quiet set $file env=qa
  run -0 agent -l mmv.app.total
  assert_output --regexp '"env":"qa".*"keep0":0.*"keep1":1.*"keep2":2'
  quiet set $file env=production keep1=one
  quiet set -m total $file team=web
  quiet set -i 1/cpu0 $file -o socket=0
  quiet set -d 1 $file kind=cpu
  run -0 agent -l mmv.app.total
  assert_output --regexp '"env":"production".*"keep0":0.*"keep1":"one".*"keep2":2.*"team":"web"'
  run -0 agent -l mmv.app.busy
  assert_output --regexp 'inst \[0 or "cpu0"\] labels \{.*"kind":"cpu".*"socket":0'
  counts_on
  quiet unset $file keep0
  quiet clear -d 1 $file
  run -0 agent -l mmv.app.busy
  refute_output --partial kind
  refute_output --partial keep0
  assert_output --regexp '"keep2":2.*"socket":0'
  quiet clear --all $file
  run -0 agent -l mmv.app.busy
  refute_output --partial keep
  quiet set $file back=1
  run -0 agent -l mmv.app.busy
  assert_output --partial '"back":1'
  counts_on
  assert_equal "$(stat -c %i $file)" "$inode"
  listed $file 'registry back=1'
  stop
}

@test "up to the end of the page, and not over it" {
  start --labels 3
  names=(a b c d e)
  quiet set $file "${names[@]/%/=1}"
  assert_equal $((($(stat -c %s $file) + 4095) / 4096)) 1
  run_label 1 set $file f=1
  assert_output ''
  assert_stderr "mmvlabel: $file: process $app is using it, and no room for more labels in the last page of $(getconf PAGESIZE) bytes, and the application may crash if the file grows: stop it first, or see --force"
  quiet unset $file a
  quiet set $file f=1
  counts_on
  run_label 0 set --dry-run $file f=2
  assert_output --partial "would change $file in place: 8 labels (now 8)"
  stop
}

@test "a file of the process, as long as it lives" {
  start --labels 1 --process
  quiet set $file env=qa
  run -0 agent -l mmv.app.total
  assert_output --partial '"env":"qa"'
  counts_on
  stop
  assert_file_not_exist $file
}

@test "a file without room for labels, in use: refused, or with --force at a price" {
  start
  before=$(dump --json $file | jq .files[0].header.version)
  run_label 1 set $file a=1
  assert_output ''
  assert_stderr "mmvlabel: $file: process $app is using it, and it is of version $before, and becomes version 3 with labels: stop it first, or see --force"
  run_label 0 set --force $file a=1
  assert_output ''
  assert_stderr "mmvlabel: $file: process $app is using it: the values that it writes from now on are lost"
  listed $file 'registry a=1'
  first=$(total)
  # Nobody writes to it any more, and so nothing stands in the way of labels.
  quiet set $file b=1
  assert_equal "$(total)" "$first"
  kill "$app"
  wait "$app"
  app=
}

@test "--force: a warning when the application may crash" {
  start --labels 3
  for i in $(seq 20); do words+=("l$i=$i"); done
  run_label 0 set --force --dry-run $file "${words[@]}"
  assert_stderr "mmvlabel: $file: process $app is using it: the values that it writes from now on are lost, and it may crash when it stops"
  quiet unset $file keep0
  stop
}

@test "a reader that has the file mapped is none that loses anything" {
  "$DEMO" good
  mkfifo hold
  "$PYTHON" -c 'import mmap, sys
with open("good", "rb") as file:
  map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
print("ok", flush=True)
sys.stdin.read()' <hold >answers 2>&1 3>&- &
  app=$!
  exec {in}>hold
  wait_until has_line answers ok
  quiet set good a=1
  run_label 0 list -r good
  assert_line 'registry a=1'
  exec {in}>&-
  wait "$app"
  app=
}

@test "several at once" {
  start --labels 2
  names=(a b c d e)
  for name in "${names[@]}"; do
    label set $file $name=1 3>&- &
    tools+=($!)
  done
  for tool in "${tools[@]}"; do
    wait "$tool"
  done
  listed $file 'registry keep0=0' 'registry keep1=1' "$(label list $file | grep -v keep)"
  assert_equal "$(label list $file | grep -vc keep)" 5
  stop
}

test_count() {
  [ "$(grep -c ok answers)" = "$1" ]
}

@test "an application that is rewriting its file is not disturbed" {
  mkfifo orders
  "$PEERDIR/mmv-live" --labels 3 app <orders >answers 2>&1 3>&- &
  app=$!
  exec {in}>orders
  wait_until has_line answers ok
  echo flux >&"$in"
  wait_until test_count 2
  run_label 3 set $file a=1
  assert_equal "${stderr_lines[1]}" "mmvlabel: $file: labels can be changed once its application has finished, or starts anew"
  echo settle >&"$in"
  wait_until test_count 3
  quiet set $file a=1
  exec {in}>&-
  wait "$app"
  app=
}

@test "killed at any moment: labels that were there stay, and the next one goes on" {
  start --labels 3 --process
  count=$(rounds 60)
  run -0 --separate-stderr trips kills "$count" $file
  assert_output --regexp "^$count kills"
  counts_on
  stop
}

@test "a change that was interrupted: the next one mends it, and says so" {
  start --labels 3
  # As it is when mmvlabel has hidden the file and comes no further.
  "$PYTHON" - $file <<'END'
import struct, sys
with open(sys.argv[1], 'r+b') as file:
  one = struct.unpack_from('=Q', file.read(16), 8)[0]
  file.seek(16)
  file.write(struct.pack('=Q', one ^ (1 << 64) - 1))
END
  run -0 agent -f mmv
  refute_output --partial mmv.app
  run_label 3 list $file
  assert_output --partial 'registry keep0=0'
  [[ $stderr == *'half written'* ]]
  run_label 0 set $file a=1
  assert_output ''
  assert_stderr "mmvlabel: $file: an earlier mmvlabel was killed while it changed the labels: see with 'mmvlabel list' whether they are as wanted"
  listed $file 'registry keep0=0' 'registry keep1=1' 'registry keep2=2' 'registry a=1'
  run -0 agent -l mmv.app.total
  assert_output --partial '"a":1'
  counts_on
  stop
}
