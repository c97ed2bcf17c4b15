# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of evarray share, beside helpers.bash.
# shellcheck shell=bash

: "${EVARRAY:?run the tests through meson}"

event() {
  "$PYTHON" "$SRCDIR/test/fixture/event.py" "$@"
}

# evarray ARGUMENT...
evarray() {
  "$EVARRAY" "$@"
}

# run_evarray STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_evarray() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr "$EVARRAY" "$@"
}

# own ARGUMENT..., pcp ARGUMENT...: an agent's calls, answered by our builder and by libpcp_pmda.
own() {
  "$PEERDIR/event-own" "$@"
}

pcp() {
  "$PEERDIR/event-pcp" "$@"
}
