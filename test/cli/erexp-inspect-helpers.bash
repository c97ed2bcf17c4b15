# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of erexp-inspect share, beside helpers.bash.
# shellcheck shell=bash

: "${EREXP_INSPECT:?run the tests through meson}"

# inspect ARGUMENT...: for no longer than $PATIENCE seconds, if that is set.
inspect() {
  ${PATIENCE:+timeout "$PATIENCE"} "$EREXP_INSPECT" "$@"
}

# run_inspect STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_inspect() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr inspect "$@"
}

# make_experiment WORD...: as test/fixture/experiment.py says.
make_experiment() {
  "$PYTHON" "$SRCDIR/test/fixture/experiment.py" "$@"
}
