# SPDX-License-Identifier: LGPL-2.1-or-later
# bats and its libraries, with fewer processes: these are what the suites take their time for.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
# This is done again for each test: what the libraries' load.bash files would start (a process for each line) takes longer
# than most tests.
for one in "${BATS_LIB_PATH:-/usr/lib/bats}"/bats-{support,assert,file}/src/*.bash; do
  # shellcheck disable=SC1090 # wherever they are installed
  source "$one"
done
unset one

# bats notes the place before each command, to tell it should the command fail: half of what bash does in a test, and
# in every subshell. bash knows the place when it has happened as well.
bats_debug_trap() {
  [[ ${BATS_TRACE_LEVEL:-0} -gt 0 ]] || trap - DEBUG
}

# shellcheck disable=SC2034 # bats prints the place
bats_error_trap() {
  bats_check_status_from_trap
  [[ -n ${BATS_DEBUG_LAST_STACK_TRACE_IS_VALID-} ]] || bats_capture_stack_trace
  BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
}

# run [-STATUS|!] [--separate-stderr] COMMAND...: as that of bats, which starts three processes more. Only a function
# is called in a shell of its own.
# shellcheck disable=SC2034,SC2206 # for the tests, and for the message of bats; lines are words here
run() {
  local - run_expected='' run_merged=yes run_files=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}.run-$BASHPID
  while [[ $1 == [-!]* ]]; do
    case $1 in
    --separate-stderr) run_merged= ;;
    -[0-9]* | !) run_expected=${1#-} ;;
    *) fail "run: $1 is not understood" || return ;;
    esac
    shift
  done
  status=0
  if [[ -n $run_merged ]]; then
    in_place "$@" >"$run_files.out" 2>&1 || status=$?
  else
    in_place "$@" >"$run_files.out" 2>"$run_files.err" || status=$?
    stderr=$(<"$run_files.err")
  fi
  output=$(<"$run_files.out")
  local IFS=$'\n'
  set -f
  lines=($output)
  [[ -n $run_merged ]] || stderr_lines=($stderr)
  IFS=' '
  case $run_expected in
  '') [[ $status != 127 ]] || fail "no such command: $*" ;;
  !) [[ $status != 0 ]] || fail "$* ended with 0" ;;
  *) [[ $status == "$run_expected" ]] || fail "$* ended with $status, not $run_expected: $output ${stderr-}" ;;
  esac
}

in_place() {
  if declare -F -- "$1" &>/dev/null; then
    (set +eET && "$@")
  else
    "$@"
  fi
}
