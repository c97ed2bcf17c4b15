#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# pmlcctl and real pmloggers when something is amiss: busy, stopped, killed, without pmcd, started
# anew, closed to us; port files that lie. What can be told apart has a status of its own, nothing
# waits for ever, and no logger ends because of us.

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell; `run` sets stderr

load helpers
load pmlcctl-helpers

setup_file() {
  start_lab
  start_logger one -P
}

teardown_file() {
  stop_lab
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  stopped=()
}

teardown() {
  [[ ${#stopped[@]} -eq 0 ]] || kill -CONT "${stopped[@]}" || true
  [[ -z ${holder-} ]] || release_connection
}

# halt PID: until the end of the test, at most.
halt() {
  kill -STOP "$1"
  stopped+=("$1")
}

resume() {
  kill -CONT "${stopped[@]}"
  stopped=()
}

# access RULE...: writes a configuration with these rules.
access() {
  printf '[access]\ndisallow * : all;\n' >config
  printf '%s\n' "$@" >>config
  chmod 644 config
  chmod 755 .
}

# port NAME: as its port file says.
port() {
  local number
  read -r number <"$LAB/tmp/pmlogger/$(pid "$1")"
  printf %s "$number"
}

# --- busy -------------------------------------------------------------------------------------

@test "busy: status 5, after as long as was asked for" {
  hold_connection "$(socket one)"
  run_ctl 5 status --busy-wait 0
  assert_output ''
  assert_stderr "pmlcctl: primary logger $(pid one): the logger is busy: another client is connected"
  run_ctl 5 mandatory-on -t 60s sample.long.one --busy-wait 50ms
  assert_output ''
  run_ctl 0 list
  assert_output --regexp "^$(pid one) busy \[primary\] "
}

@test "busy: it waits, and then does it" {
  hold_connection "$(socket one)"
  ctl status --busy-wait 60s >out 2>err 3>&- &
  waiter=$!
  # It has been turned away at least once when the logger has a client in its queue no more.
  run_ctl 5 status --busy-wait 0
  release_connection
  holder=
  wait $waiter
  assert_equal "$(head -n 1 out)" "pid: $(pid one)"
  assert_equal "$(cat err)" ''
}

@test "two at a time, again and again: all succeed" {
  local loop i
  for loop in 1 2; do
    (
      for ((i = 0; i < 25; i++)); do
        ctl flush --busy-wait 60s || echo failed
      done
    ) >"loop.$loop" 2>&1 3>&- &
  done
  wait
  assert_equal "$(cat loop.*)" ''
}

# --- stopped, killed --------------------------------------------------------------------------

@test "stopped: status 6 for whatever is asked, and nothing changed" {
  halt "$(pid one)"
  run_fast 6 status
  assert_output ''
  assert_stderr "pmlcctl: primary logger $(pid one): no answer from the logger in time"
  run_fast 6 mandatory-on -t 60s sample.long.ten
  assert_output ''
  run_fast 0 list
  assert_output --partial "$(pid one) no-answer [primary]"
  resume
  run_ctl 0 query sample.long.ten
  assert_output 'sample.long.ten advisory off'
}

@test "stopped with a full queue: status 6 as well" {
  halt "$(pid one)"
  "$PYTHON" "$SRCDIR/test/cli/pmlcctl.py" crowd "$(socket one)" >queue 3>&- &
  holder=$!
  wait_until test -s queue
  run_fast 6 status
  assert_output ''
  release_connection
  holder=
  resume
}

# while_slow COMMAND...: the logger begins to answer after more than a second.
while_slow() {
  halt "$(pid slow)"
  "$@" &
  sleep 1.2
  resume
  wait $!
}

@test "progress is shown on a terminal, and only there, when it takes more than a second" {
  start_logger slow
  local arguments=(mandatory-on --timeout 40s -t 10min --pid "$(pid slow)" sample pmcd)
  while_slow "$PYTHON" "$SRCDIR/test/cli/pmlcctl.py" terminal "${arguments[@]}" >shown || (($? == 4))
  run cat shown
  assert_output --regexp $'^(\r[0-9]+ of [0-9]+ metrics)*\r([0-9]+) of \\2 metrics\r$'
  while_slow "$PMLCCTL" "${arguments[@]}" >out 2>shown || (($? == 4))
  [[ -s out && ! -s shown ]]
  lab_stop_logger slow
}

@test "its pmcd is stopped: status 6, and the logger lives" {
  halt "$(cat "$LAB/pmcd.pid")"
  run_fast 6 mandatory-on -t 60s sample.long.ten
  assert_output ''
  assert_stderr 'pmlcctl: no answer from pmcd in time; nothing was changed'
  resume
  run_ctl 0 query sample.long.ten
  assert_up one
}

# has_begun: the logger is at work on our change.
has_begun() {
  grep -q 'mandatory on' "$LAB/victim.log"
}

@test "killed in the middle of a change: status 8, and lost" {
  start_logger victim
  ctl mandatory-on -t 60s --pid "$(pid victim)" kernel network mem hinv sampledso >out 2>err 3>&- &
  waiter=$!
  wait_until has_begun
  kill -KILL "$(pid victim)"
  status=0
  wait $waiter || status=$?
  rm -f "$LAB/tmp/pmlogger/$(pid victim)" "$(socket victim)"
  assert_equal "$status" 8
  assert_equal "$(cat err)" "pmlcctl: logger $(pid victim): the logger has ended the connection; its process has ended"
  grep -q ' lost advisory off$' out
}

@test "a dead logger's port file, and a zombie's: status 1, and list tells" {
  start_logger victim
  cp -a "$LAB/tmp/pmlogger/$(pid victim)" kept
  kill -KILL "$(pid victim)"
  wait_until is_gone victim
  cp -a kept "$LAB/tmp/pmlogger/$(pid victim)"
  run_ctl 1 status --pid "$(pid victim)"
  assert_output ''
  assert_stderr "pmlcctl: logger $(pid victim): its process has ended, and left its port file behind"
  run_ctl 0 list
  assert_line --regexp "^$(pid victim) (stale|zombie) "
  rm -f "$LAB/tmp/pmlogger/$(pid victim)" "$(socket victim)"
  # A child of one that never asks for it.
  "$PYTHON" -c 'import os, time
child = os.fork()
if child == 0: os._exit(0)
print(child, flush=True); time.sleep(100)' >zombie 3>&- &
  parent=$!
  wait_until test -s zombie
  zombie=$(cat zombie)
  wait_until grep -q '^State:.*Z' "/proc/$zombie/status"
  cp kept "$LAB/tmp/pmlogger/$zombie"
  run_ctl 0 list
  assert_line --regexp "^$zombie zombie "
  run_ctl 1 status --pid "$zombie"
  rm "$LAB/tmp/pmlogger/$zombie"
  kill $parent
}

# --- port files -------------------------------------------------------------------------------

@test "port files that make no sense are listed as damaged, and are no obstacle" {
  local folder=$LAB/tmp/pmlogger
  : >"$folder/$$"
  run_ctl 0 list
  assert_line "$$ damaged"
  run_ctl 1 status --pid $$
  assert_stderr "pmlcctl: logger $$: it has no unix socket, and no port in its port file"
  for text in 'bad port' '4330' '0\nhost\n/archive\nnote\n' '99999999999\nh\n/a\n' '-1\nh\n/a\n\n'; do
    printf '%b' "$text" >"$folder/$$"
    run_ctl 0 list
    assert_line --regexp "^$(pid one) yes "
    assert_equal "${#lines[@]}" 2
  done
  head -c 100000 /dev/urandom >"$folder/$$"
  run_ctl 0 list
  assert_line --regexp "^$$ damaged"
  rm "$folder/$$"
  mkfifo "$folder/$$"
  run_ctl 0 list
  assert_line --regexp "^$$ damaged"
  rm "$folder/$$"
  mkdir "$folder/$$"
  run_ctl 0 list
  assert_line --regexp "^$$ damaged"
  rmdir "$folder/$$"
  ln -s loop "$folder/loop"
  run_ctl 0 list
  assert_equal "${#lines[@]}" 1
  rm "$folder/loop"
}

@test "a process that is no logger, whatever its port file says: status 1" {
  printf '%s\nhost\n/archive\nnote\n' "$(port one)" >"$LAB/tmp/pmlogger/$$"
  run_ctl 0 list
  assert_line --regexp "^$$ other "
  run_ctl 1 mandatory-on -t 60s sample.long.one --pid $$
  assert_output ''
  assert_equal "${stderr_lines[0]}" "pmlcctl: logger $$: no unix socket: trying TCP port $(port one) of localhost"
  assert_equal "${stderr_lines[1]}" "pmlcctl: logger $$: another logger answers there: its process is $(pid one), not $$"
  rm "$LAB/tmp/pmlogger/$$"
}

@test "without its unix socket it is TCP, and that is said" {
  mv "$(socket one)" saved
  run_ctl 0 status --json
  assert_stderr "pmlcctl: primary logger $(pid one): no unix socket: trying TCP port $(port one) of localhost"
  assert_equal "$(jq -c '.logger | [.pid, .transport]' <<<"$output")" "[$(pid one),\"tcp\"]"
  mv saved "$(socket one)"
}

# The second gets no port of its own, and writes down the first one's (PMLOGGER_LOCAL).
@test "two loggers with one port: the one that is meant, or none" {
  start_logger twin -p "$(port one)"
  assert_equal "$(port twin)" "$(port one)"
  run_ctl 0 status --pid "$(pid twin)"
  assert_line "pid: $(pid twin)"
  run_ctl 1 mandatory-on -t 60s -h localhost --pid "$(pid twin)" sample.long.one
  assert_output ''
  assert_stderr "pmlcctl: logger $(pid twin) of localhost: another logger answers there: its process is $(pid one), not $(pid twin)"
  run_ctl 0 list -h localhost
  assert_line --regexp "^$(pid twin) other "
  run_ctl 0 query sample.long.one --pid "$(pid twin)"
  assert_output 'sample.long.one advisory off'
  lab_stop_logger twin
}

# lab_stop_logger NAME
lab_stop_logger() {
  kill "$(pid "$1")"
  wait_until is_gone "$1"
}

# --- access -----------------------------------------------------------------------------------

# From nothing, "maybe" has nothing to ask for. The loggers come up side by side, so each is told its port.
@test "access rules and operations: status 7 for what is not granted" {
  local rights expected wanted='' i=0 starting=() ports
  read -r -a ports < <("$PYTHON" "$SRCDIR/test/cli/pmlcctl.py" ports 6)
  while read -r rights expected; do
    access "allow localhost : ${rights//+/, };"
    mv config "config.$i"
    start_logger "guarded$i" -c "$PWD/config.$i" -p "${ports[i]}" 3>&- &
    starting+=($!)
    wanted+="${ports[i]} $expected"$'\n'
    i=$((i + 1))
  done <<'END'
enquire 000707707
advisory 000007707
mandatory 000700000
enquire+mandatory 000700000
advisory+mandatory 000000000
all 000000000
END
  for one in "${starting[@]}"; do
    wait "$one"
  done
  run -0 "$PYTHON" "$SRCDIR/test/cli/pmlcctl.py" access "${ports[@]}"
  assert_output "${wanted%$'\n'}"
  for ((i = 0; i < 6; i++)); do
    assert_up "guarded$i"
    kill "$(pid "guarded$i")"
  done
  for ((i = 0; i < 6; i++)); do
    wait_until is_gone "guarded$i"
  done
}

# After each refusal it sleeps for a second.
@test "closed to us: status 7, whatever is asked" {
  access
  start_logger closed -c "$PWD/config"
  for operation in new-volume 'mandatory-on -t 60s sample.long.one'; do
    # shellcheck disable=SC2086 # words
    run_ctl 7 $operation --pid "$(pid closed)"
    assert_output ''
    assert_stderr "pmlcctl: logger $(pid closed): the logger denies it: permission denied"
  done
  run_ctl 0 list
  assert_line --regexp "^$(pid closed) denied "
  assert_up closed
  lab_stop_logger closed
}

@test "a denied change: the right that is missing, and a verdict for each" {
  access 'allow localhost : enquire;'
  start_logger guarded -c "$PWD/config"
  run_ctl 7 mandatory-on -t 60s --port "$(port guarded)" sample.long.one nosuch sample.long.ten
  assert_output 'sample.long.one denied advisory off
nosuch unknown-metric
sample.long.ten denied advisory off'
  assert_equal "${stderr_lines[0]}" "pmlcctl: localhost port $(port guarded): the logger denies it: permission denied"
  assert_equal "${stderr_lines[1]}" "pmlcctl: localhost port $(port guarded): its access rules do not grant \"mandatory\" here"
  run_ctl 0 mandatory-on --dry-run -t 60s --port "$(port guarded)" sample.long.one
  assert_up guarded
  lab_stop_logger guarded
}

@test "another user's logger: status 7, and no change of the way to it" {
  [[ $EUID == 0 ]] || skip 'only root can be another user'
  cp "$PMLCCTL" "$LAB/pmlcctl" # the way to it may be barred
  run -7 --separate-stderr setpriv --reuid=nobody --regid=nogroup --clear-groups \
    timeout 100 "$LAB/pmlcctl" mandatory-on -t 60s sample.long.one
  assert_output ''
  assert_stderr "pmlcctl: primary logger $(pid one): the logger denies it: permission denied"
  run -0 --separate-stderr setpriv --reuid=nobody --regid=nogroup --clear-groups \
    timeout 100 "$LAB/pmlcctl" query --port "$(port one)" sample.long.one
  assert_output 'sample.long.one advisory off'
}

# --- without pmcd -----------------------------------------------------------------------------

# Nothing is sent to a logger that has lost its pmcd: it would end.
@test "pmcd gone: no change is asked for, status 1, and the logger lives" {
  run_ctl 0 mandatory-on -t 60s sample.long.million
  lab_stop_logger pmcd
  for operation in 'mandatory-on -t 50s' mandatory-off mandatory-maybe 'advisory-on -t 60s' advisory-off query; do
    # shellcheck disable=SC2086 # words
    run_ctl 1 $operation sample.long.million sample.long.one
    assert_output ''
    [[ $stderr == 'pmlcctl: pmcd of local:: cannot connect: '* ]] || fail "$stderr"
    assert_up one
  done
  run_ctl 0 status
  lab pmcd
}

# We reach a pmcd, and the logger does not: it has not tried again yet.
@test "pmcd new, and the logger without: unavailable, status 4, and the logger lives" {
  start_logger orphan
  run_ctl 0 mandatory-on -t 100s --pid "$(pid orphan)" sample.long.one
  lab_stop_logger pmcd
  lab pmcd
  for option in --dry-run --force; do
    run_ctl 4 mandatory-on -t 50s --pid "$(pid orphan)" "$option" sample.long.one sample.long.ten
    assert_stderr
    assert_equal "$(grep -c unavailable <<<"$output")" 2
    assert_up orphan
  done
  lab_stop_logger orphan
}

@test "an agent that has ended: unavailable, and the logger lives" {
  local agent
  agent=$(pgrep -P "$(cat "$LAB/pmcd.pid")" pmdasample)
  kill -KILL "$agent"
  # pmcd may notice only now; then it fails whatever is asked.
  run timeout 100 "$PMLCCTL" mandatory-on -t 60s sample.bin sampledso.long.one
  [[ $status == 1 || $status == 4 || $status == 0 ]] || fail "status $status: $output"
  assert_up one
  lab_stop_logger pmcd
  lab pmcd
}

@test "an agent that is stopped: told, and the logger lives" {
  local agent
  agent=$(pgrep -P "$(cat "$LAB/pmcd.pid")" pmdasample)
  halt "$agent"
  # pmcd gives up on it after five seconds; we do before that.
  run_fast 6 mandatory-on -t 60s sample.bin
  assert_output ''
  resume
  wait_until logger_answers
  assert_up one
  lab_stop_logger pmcd
  lab pmcd
}

logger_answers() {
  ctl status >/dev/null 2>&1
}

# --- a new program in the process -------------------------------------------------------------

@test "SIGUSR2: it begins anew, and answers" {
  start_logger phoenix -a 'archive-%Y%m%d.%H%M%S'
  run_ctl 0 mandatory-on -t 60s --pid "$(pid phoenix)" sample.long.one
  # The new archive must have another name, and that has the second in it.
  second=$(date +%S)
  wait_until another_second "$second"
  kill -USR2 "$(pid phoenix)"
  wait_until is_anew
  run_ctl 0 query --pid "$(pid phoenix)" sample.long.one
  assert_output 'sample.long.one advisory off'
  assert_up phoenix
  lab_stop_logger phoenix
}

another_second() {
  [[ $(date +%S) != "$1" ]]
}

is_anew() {
  [[ $(ctl query --pid "$(pid phoenix)" sample.long.one 2>/dev/null) == 'sample.long.one advisory off' ]]
}


# The new program inherits our connection and knows nothing of it: there is neither an answer nor an end. Or the signal
# interrupts the old one while it waits for pmcd; then it takes pmcd for broken, and ends ("IPC protocol failure"), or if
# that was in a question between two changes, says so, and is asked for no more changes.
@test "SIGUSR2 in the middle of a change: status 6, 8 if the logger ends, or 4 if it has lost its pmcd" {
  start_logger ember -a 'archive-%Y%m%d.%H%M%S'
  second=$(date +%S)
  wait_until another_second "$second"
  timeout 100 "$PMLCCTL" --timeout 3s mandatory-on -t 10min --pid "$(pid ember)" \
    kernel network mem hinv sampledso >out 2>err 3>&- &
  waiter=$!
  wait_until grep -q 'mandatory on' "$LAB/ember.log"
  kill -USR2 "$(pid ember)"
  status=0
  wait $waiter || status=$?
  case $status in
    6 | 8) grep -qE ' (unknown|unsent|lost) ' out ;;
    4) grep -q ' unavailable ' out ;;
    *) fail "status $status: $(cat err)" ;;
  esac
  wait_until ember_answers "$status"
  is_gone ember || lab_stop_logger ember
}

# ember_answers STATUS: or it has ended, if that is what we were told.
ember_answers() {
  ctl status --pid "$(pid ember)" >/dev/null 2>&1 || { [[ $1 == 8 ]] && is_gone ember; }
}
