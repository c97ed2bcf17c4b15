# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of the tools share. Meson sets SRCDIR, BUILDDIR, PEERDIR and one variable a tool.
# shellcheck shell=bash

load base

# Whatever the user's surroundings are, output is compared byte by byte.
export LC_ALL=C.UTF-8 TZ=UTC
unset PCP_INTERVAL PCP_SAMPLES POSIXLY_CORRECT

: "${SRCDIR:?run the tests through meson}" "${BUILDDIR:?}" "${PEERDIR:?}" "${MMVDUMP:?}"

# The one with the system's modules; another that stands first in PATH may lack them.
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3

# The time at which running intervals are looked at in all fixed output.
NOW=@1700000060

fixture() {
  "$PYTHON" "$SRCDIR/test/fixture/mmv-cases.py" "$@"
}

check() {
  "$PYTHON" "$SRCDIR/test/cli/check.py" "$@"
}

# dump ARGUMENT...: with a fixed time. A test that never ends, meson ends.
dump() {
  "$MMVDUMP" --now "$NOW" "$@"
}

# run_dump STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_dump() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr "$MMVDUMP" --now "$NOW" "$@"
}

assert_stderr() {
  # shellcheck disable=SC2154 # run sets it
  assert_equal "$stderr" "${1-}"
}

# A sanitizer's own memory is not the tool's.
is_sanitized() {
  grep -q __asan_init "$MMVDUMP"
}

# rounds COUNT: of what is random; a quarter of it with a sanitized tool, each run of which takes four times as long.
rounds() {
  if is_sanitized; then echo $(($1 / 4)); else echo "$1"; fi
}

# need COMMAND-OR-FILE...: without it a test cannot run; where everything is installed that is an error.
need() {
  local one
  for one; do
    if ! command -v "$one" >/dev/null && [ ! -e "$one" ]; then
      [ -z "${CI-}" ] || fail "$one is missing"
      skip "$one is missing"
    fi
  done
}

# pcp_config NAME: a value of PCP's configuration.
pcp_config() (
  [[ -z ${!1-} ]] || { printf %s "${!1}"; exit; }
  set +u
  # shellcheck disable=SC1091 # PCP says where things are
  . "${PCP_DIR-}/etc/pcp.env"
  printf %s "${!1}"
)

# wait_until COMMAND...: until it succeeds, at most 20 seconds.
wait_until() {
  local i
  for ((i = 0; i < 1000; i++)); do
    if "$@"; then return 0; fi
    sleep 0.02
  done
  fail "waited in vain for: $*"
}

# has_line FILE PATTERN: an extended regular expression for a whole line.
has_line() {
  grep -qxE -- "$2" "$1"
}

# same_as_golden NAME FOLDER: the folder holds what test/golden/NAME does; UPDATE_GOLDEN makes it so.
same_as_golden() {
  local expected=$SRCDIR/test/golden/$1
  if [ -n "${UPDATE_GOLDEN-}" ]; then
    rm -rf "$expected"
    cp -r "$2" "$expected"
  fi
  diff -ru "$expected" "$2" >"$BATS_TEST_TMPDIR/differences" && return 0
  head -n 100 "$BATS_TEST_TMPDIR/differences"
  return 1
}
