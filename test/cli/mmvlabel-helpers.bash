# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of mmvlabel share, beside helpers.bash.
# shellcheck shell=bash

: "${MMVLABEL:?run the tests through meson}" "${MMVCHECK:?}" "${DEMO:?}"

# label ARGUMENT...
label() {
  "$MMVLABEL" "$@"
}

# run_label STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_label() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr "$MMVLABEL" "$@"
}

# quiet ARGUMENT...: it is done, without a word.
quiet() {
  run_label 0 "$@"
  assert_output ''
  assert_stderr
}

# refused STATUS FILE MESSAGE ARGUMENT...: just that message, and the file is as it was.
refused() {
  local file=$2 message=$3 before
  before=$(cksum <"$file")
  run_label "$1" "${@:4}"
  assert_output ''
  assert_stderr "mmvlabel: $message"
  assert_equal "$(cksum <"$file")" "$before"
}

# usage MESSAGE ARGUMENT...: a usage error.
usage() {
  local message=$1
  shift
  run_label 2 "$@"
  assert_output ''
  # shellcheck disable=SC2154 # run sets it
  assert_equal "${stderr_lines[0]}" "mmvlabel: $message"
  assert_equal "${stderr_lines[1]}" "Try 'mmvlabel --help' for more information."
}

# listed FILE LINE...: what there is.
listed() {
  run_label 0 list "$1"
  assert_stderr
  shift
  # shellcheck disable=SC2154 # run sets it
  assert_equal "$output" "$(printf '%s\n' "$@")"
}

trips() {
  "$PYTHON" "$SRCDIR/test/cli/label.py" "$@"
}

# agent ARGUMENT...: what pminfo says of the files in tmp/mmv.
agent() {
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
  sh "$SRCDIR/test/peer/agent.sh" "$PWD/tmp" "$@"
}
