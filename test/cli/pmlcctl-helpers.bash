# SPDX-License-Identifier: LGPL-2.1-or-later
# A lab with real pmloggers (test/lab/lab.sh) around the tests of pmlcctl; one for each file.
# shellcheck shell=bash

# lab ACTION [ARGUMENT...]: as the user that the lab belongs to.
lab() {
  local action=$1
  shift
  as_owner sh "$LAB/lab.sh" "$action" -d "$LAB" "$@"
}

as_owner() {
  if [[ -n ${LAB_USER-} ]]; then
    setpriv --reuid="$LAB_USER" --regid="$(id -g "$LAB_USER")" --clear-groups env HOME=/nonexistent "$@"
  else
    "$@"
  fi
}

# start_lab [ARGUMENT...]: with its pmcd, and enters it. The lab goes with this process, whatever ends it.
start_lab() {
  need pmlogger pmlc "$(pcp_config PCP_BINADM_DIR)/pmcd"
  LAB=$(mktemp -d /tmp/lab.XXXXXX)
  export LAB
  cp "$SRCDIR/test/lab/lab.sh" "$LAB"
  chmod 755 "$LAB"
  if [[ -n ${LAB_USER-} ]]; then
    chown -R "$LAB_USER" "$LAB"
  fi
  lab start -o $$ "$@"
  eval "$(lab env)"
  # A machine with other things to do is slow, not broken.
  export PMLOGGER_REQUEST_TIMEOUT=60
}

stop_lab() {
  if [[ -n ${LAB-} ]]; then
    lab clean
  fi
}

# start_logger NAME [ARGUMENT...]: see lab.sh. pid NAME is its process id then.
start_logger() {
  local name=$1
  shift
  lab logger -n "$name" "$@" >/dev/null
}

# The starts of processes are what these tests take their time for: what bash can do itself, it does.
pid() {
  printf %s "$(<"$LAB/$1.pid")"
}

socket() {
  printf '%s/run/pmlogger.%s.socket' "$LAB" "$(pid "$1")"
}

# is_up NAME: a zombie is not.
is_up() {
  local stat
  read -r stat 2>/dev/null <"/proc/$(pid "$1")/stat" && [[ ${stat##*) } != [ZX]* ]]
}

assert_up() {
  is_up "$1" || fail "logger $1 has ended: $(tail -n 3 "$LAB/$1.log")"
}

is_gone() {
  ! is_up "$1"
}

# ctl ARGUMENT...: with patience for a slow machine.
ctl() {
  "$PMLCCTL" --timeout 40s "$@"
}

# shellcheck disable=SC2034 # tests look at lines and stderr_lines
# captured STATUS COMMAND...: as `run --separate-stderr`, which starts some processes of its own.
captured() {
  local expected=$1 file=$BATS_TEST_TMPDIR/captured
  shift
  status=0
  output=$("$@" 2>"$file") || status=$?
  stderr=$(<"$file")
  IFS=$'\n' read -r -d '' -a lines <<<"$output" || true
  IFS=$'\n' read -r -d '' -a stderr_lines <<<"$stderr" || true
  [[ $status == "$expected" ]] || fail "$* ended with $status, not $expected: $output $stderr"
}

# run_ctl STATUS ARGUMENT...: what it says is in output, stderr and their lines, as with `run`.
run_ctl() {
  local expected=$1
  shift
  captured "$expected" ctl "$@"
}

# run_fast STATUS ARGUMENT...: where a time-out is due.
run_fast() {
  local expected=$1
  shift
  captured "$expected" timeout 100 "$PMLCCTL" --timeout 300ms "$@"
}

# hold_connection SOCKET: keeps a logger busy until release_connection.
hold_connection() {
  "$PYTHON" "$SRCDIR/test/cli/pmlcctl.py" hold "$1" >"$BATS_TEST_TMPDIR/held" 3>&- &
  holder=$!
  wait_until test -s "$BATS_TEST_TMPDIR/held"
}

release_connection() {
  kill "$holder"
  wait "$holder" || true
}

pmlc_says() {
  printf 'query %s\n' "$2" | pmlc "$1"
}
