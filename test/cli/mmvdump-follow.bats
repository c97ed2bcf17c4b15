#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# mmvdump --follow, on a program that uses PCP's own library. Nothing here depends on how fast anything
# is: each step waits for what it must lead to.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers

STAMP='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?'

setup() {
  need "$PEERDIR/mmv-live"
  cd "$BATS_TEST_TMPDIR" || return
  mkdir mmv
}

teardown() {
  exec 7>&-
  local pid
  for pid in ${live-} ${follower-}; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

# Starts the program; its file is mmv/app.
start_live() {
  mkfifo orders
  PCP_TMP_DIR=$PWD "$PEERDIR/mmv-live" app <orders >answers 2>&1 3>&- &
  live=$!
  exec 7>orders
  told=1
  wait_until answered
}

answered() {
  [ "$(grep -c . answers)" -ge "$told" ]
}

# tell ORDER...: done when it returns.
tell() {
  echo "$*" >&7
  told=$((told + 1))
  wait_until answered
  run -0 --separate-stderr tail -n 1 answers
  assert_output ok
}

# follow ARGUMENT...: into the files out and err.
follow() {
  "$MMVDUMP" --follow --interval 20ms "$@" >out 2>err 3>&- 7>&- &
  follower=$!
}

# shown PATTERN: waits for a line that is, behind the time, as the pattern says.
shown() {
  wait_until has_line out "$STAMP $1"
}

# end_follow STATUS: stops it by taking its output away, or waits for its own end.
end_follow() {
  local status=0
  wait "$follower" || status=$?
  follower=
  assert_equal "$status" "$1"
}

lines_of() {
  grep -cE -- "$1" out || true
}

@test "all values first, then those that change" {
  start_live
  follow mmv/app
  shown 'total 0'
  shown 'busy\[cpu0\] 0'
  shown 'state "started"'
  tell add 5
  shown 'total 5'
  shown 'busy\[cpu0\] 5'
  tell text 'done\now'
  shown 'state "done\\\\now"'
  assert_equal "$(lines_of ' total ')" 2
  assert_equal "$(lines_of ' state ')" 2
  assert_file_empty err
}

@test "--samples ends it, with status 0" {
  start_live
  follow --samples 3 mmv/app
  end_follow 0
  assert_equal "$(grep -c . out)" 3
  assert_file_empty err
}

@test "PCP_SAMPLES and PCP_INTERVAL stand in for --samples and --interval" {
  start_live
  PCP_SAMPLES=2 PCP_INTERVAL=10ms run -0 --separate-stderr timeout 20 "$MMVDUMP" --follow mmv/app
  assert_equal "${#lines[@]}" 3
  assert_stderr
}

@test "-s and -t are the short forms" {
  start_live
  run -0 --separate-stderr timeout 20 "$MMVDUMP" -f -s 2 -t 0.01 mmv/app
  assert_equal "${#lines[@]}" 3
  assert_stderr
}

@test "--rate shows counters as change per second, and others as they are" {
  start_live
  follow --rate mmv/app
  shown 'total 0'
  tell add 5
  shown 'total [0-9.e+]+ /s'
  shown 'busy\[cpu0\] 5'
  refute grep -E ' busy.* /s$' out
  assert_file_empty err
}

@test "a rate is what was counted over the time between two looks" {
  start_live
  follow --rate --json-lines --samples 2 --interval 1sec --metric total mmv/app
  wait_until grep -q '"name":"total","value":0' out
  tell add 1000
  end_follow 0
  check rate 1000 out
}

@test "a counter that is set back is shown as a value" {
  start_live
  tell add 100
  follow --rate --metric total mmv/app
  shown 'total 100'
  tell add -60
  shown 'total 40'
}

@test "--metric picks" {
  start_live
  follow --metric 'b*[cpu0]' mmv/app
  shown 'busy\[cpu0\] 0'
  tell add 3
  shown 'busy\[cpu0\] 3'
  assert_equal "$(grep -c . out)" 2
}

@test "a new generation is an event, and all values follow" {
  start_live
  follow mmv/app
  shown 'state "started"'
  tell bump
  shown 'mmv/app: rewritten'
  wait_until eval '[ "$(lines_of " state ")" -eq 2 ]'
  assert_file_empty err
}

@test "a program that starts anew with other metrics" {
  start_live
  follow mmv/app
  shown 'state "started"'
  tell add 4
  shown 'total 4'
  tell restart
  shown 'mmv/app: (replaced|rewritten|appeared)'
  shown 'extra0 0'
  tell add 2
  shown 'total 2'
}

@test "a file that another takes the place of" {
  start_live
  cp mmv/app new
  follow mmv/app
  shown 'total 0'
  mv new mmv/app
  shown 'mmv/app: replaced'
  wait_until eval '[ "$(lines_of " total 0$")" -eq 2 ]'
}

@test "a file that goes and comes back" {
  start_live
  follow mmv/app
  shown 'total 0'
  mv mmv/app away
  shown 'mmv/app: gone'
  mv away mmv/app
  shown 'mmv/app: appeared'
  tell add 1
  shown 'total 1'
  # The event said it all.
  assert_equal "$(grep -c . err)" 0
}

@test "a file that comes later" {
  follow mmv/app
  wait_until grep -qx 'mmvdump: mmv/app: cannot open: No such file or directory' err
  start_live
  shown 'mmv/app: appeared'
  shown 'total 0'
}

@test "a file that never comes: status 1" {
  follow --samples 2 mmv/app
  end_follow 1
  assert_file_empty out
  run -0 cat err
  assert_output 'mmvdump: mmv/app: cannot open: No such file or directory'
}

@test "a directory in which files appear" {
  follow mmv
  start_live
  shown 'mmv/app: appeared'
  shown 'mmv/app: total 0'
  fixture plain-v1 >new
  mv new mmv/other
  shown 'mmv/other: appeared'
  shown 'mmv/other: req.total 42'
  tell add 9
  shown 'mmv/app: total 9'
}

@test "records of --json-lines" {
  start_live
  cp mmv/app new
  follow --json-lines mmv/app
  wait_until grep -q '"name":"state"' out
  tell add 7
  wait_until grep -q '"name":"total","value":7}$' out
  tell bump
  wait_until grep -q '"event":"rewritten"}$' out
  rm mmv/app
  wait_until grep -q '"event":"gone"}$' out
  mv new mmv/app
  wait_until grep -q '"event":"appeared"}$' out
  check lines "$SRCDIR/test/schema/mmvdump.json" out
}

@test "a file left half rewritten is shown, and the end is status 3" {
  start_live
  tell flux
  follow --samples 2 mmv/app
  end_follow 3
  assert_equal "$(grep -c . out)" 3
  run -0 cat err
  assert_output --regexp \
    '^mmvdump: mmv/app: header: being rewritten, or left half written: its generations are [0-9]+ and 0 \(offset 0x8\)$'
}

# settles_while_read: settles the file while a dump waits for that; sets status.
settles_while_read() {
  tell flux
  "$MMVDUMP" --values mmv/app >out 2>err 3>&- 7>&- &
  follower=$!
  # It sleeps for nothing else.
  wait_until eval '! [ -e /proc/$follower/stat ] || [ "$(cut -d" " -f3 /proc/$follower/stat)" = S ]'
  tell settle
  status=0
  wait "$follower" || status=$?
  follower=
}

@test "a file that is being rewritten is waited for" {
  start_live
  # A machine that is very busy may let the moment pass.
  for _ in {1..20}; do
    settles_while_read
    [ $status -ne 0 ] || break
  done
  assert_equal "$status" 0
  assert_file_empty err
  assert_equal "$(grep -c . out)" 3
}

@test "it goes on while the program counts, until its reader has had enough" {
  PCP_TMP_DIR=$PWD "$PEERDIR/mmv-live" --count app >answers 3>&- &
  live=$!
  wait_until [ -s answers ]
  mkfifo pipe
  "$MMVDUMP" --follow --interval 10ms --metric total mmv/app >pipe 2>err 3>&- &
  follower=$!
  head -n 5 <pipe >first
  # SIGPIPE, 141 to the shell.
  end_follow 141
  assert_file_empty err
  assert_equal "$(grep -c ' total ' first)" 5
  # They only go up.
  assert sort -c -n -k 4 first
}

@test "--follow does not go with whole documents" {
  for mode in --json --openmetrics; do
    run -2 --separate-stderr "$MMVDUMP" --follow "$mode" mmv/app
    assert_output ''
    assert_stderr "mmvdump: -f/--follow cannot be used with -j/--json or -o/--openmetrics
Try 'mmvdump --help' for more information."
  done
}

@test "--rate, --interval and --samples need --follow" {
  for option in --rate '--interval 1' '--samples 1'; do
    # shellcheck disable=SC2086 # an option and its argument
    run -2 --separate-stderr "$MMVDUMP" $option mmv/app
    assert_output ''
    assert_regex "${stderr_lines[0]}" '^mmvdump: .* needs --follow$'
  done
}
