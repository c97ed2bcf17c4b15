#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Loggers of an ordinary user, and that user's pmlcctl. (Who is none runs all other files so.)

# shellcheck disable=SC2154 # `run` sets stderr

load helpers
load pmlcctl-helpers

setup_file() {
  [[ $EUID == 0 ]] || return 0
  export LAB_USER=nobody
  start_lab
  start_logger one -P
  cp "$PMLCCTL" "$LAB/pmlcctl" # the way to it may be barred
}

teardown_file() {
  stop_lab
}

setup() {
  [[ $EUID == 0 ]] || skip 'only root can be another user'
}

# run_user STATUS ARGUMENT...
run_user() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr as_owner timeout 100 "$LAB/pmlcctl" --timeout 40s "$@"
}

@test "an ordinary user has full say over loggers of his own" {
  run_user 0 list
  assert_stderr
  assert_output --regexp "^$(pid one) yes \[primary\] .* socket=\"$(socket one)\" "
  run_user 0 mandatory-on -t 60s sample.long.one 'sample.colour[red]'
  assert_stderr
  assert_output 'sample.long.one changed advisory off -> mandatory on 60s
sample.colour[red] changed advisory off -> mandatory on 60s'
  run_user 0 new-volume
  assert_output 'volume: 1'
  assert_up one
}

@test "and so has root" {
  run_ctl 0 mandatory-off sample.long.one
  assert_stderr
  assert_output --regexp '^sample.long.one (changed|already) '
  assert_up one
}

# Where the usual folder is closed to the logger, its socket is in its user's home.
@test "a socket at home" {
  mkdir -p "$BATS_TEST_TMPDIR/home" "$LAB/tmp/pmlogger"
  home=$(getent passwd "$(id -un)" | cut -d: -f6)
  [[ ! -e $home/.pcp/run/pmlogger.$$.socket ]] || skip 'there is one'
  printf '4330\nhost\n/archive\nnote\n' >"$LAB/tmp/pmlogger/$$"
  made=
  [[ -d $home/.pcp/run ]] || { mkdir -p "$home/.pcp/run" && made=yes; }
  "$PYTHON" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$home/.pcp/run/pmlogger.$$.socket"
  run_ctl 0 list
  rm -f "$home/.pcp/run/pmlogger.$$.socket" "$LAB/tmp/pmlogger/$$"
  [[ -z $made ]] || rmdir -p "$home/.pcp/run" 2>/dev/null || true
  assert_line --partial " socket=\"$home/.pcp/run/pmlogger.$$.socket\" "
}
