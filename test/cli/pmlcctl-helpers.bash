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

# start_lab: with its pmcd, and enters it. The lab goes with this process, whatever ends it.
start_lab() {
  need pmlogger pmlc "$(pcp_config PCP_BINADM_DIR)/pmcd"
  LAB=$(mktemp -d /tmp/lab.XXXXXX)
  export LAB
  cp "$SRCDIR/test/lab/lab.sh" "$LAB"
  chmod 755 "$LAB"
  if [[ -n ${LAB_USER-} ]]; then
    chown -R "$LAB_USER" "$LAB"
  fi
  lab start -o $$
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

pid() {
  cat "$LAB/$1.pid"
}

socket() {
  printf '%s/run/pmlogger.%s.socket' "$LAB" "$(pid "$1")"
}

# is_up NAME: a zombie is not.
is_up() {
  grep -q '^State:[[:space:]]*[^ZX]' "/proc/$(pid "$1")/status" 2>/dev/null
}

assert_up() {
  is_up "$1" || fail "logger $1 has ended: $(tail -n 3 "$LAB/$1.log")"
}

is_gone() {
  ! is_up "$1"
}

# ctl ARGUMENT...: never for ever, and with patience for a slow machine.
ctl() {
  timeout 100 "$PMLCCTL" --timeout 40s "$@"
}

# run_ctl STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_ctl() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr ctl "$@"
}

# run_fast STATUS ARGUMENT...: where a time-out is due.
run_fast() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr timeout 100 "$PMLCCTL" --timeout 300ms "$@"
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
