#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A logger that lies, of which pmlcctl must neither crash, nor hang, nor believe a word.

load helpers
load pmlcctl-helpers

setup_file() {
  start_lab
}

teardown_file() {
  stop_lab
}

@test "answers that make no sense, of every kind, end in the right status" {
  run -0 "$PYTHON" "$SRCDIR/test/cli/pmlcctl-hostile.py" "$LAB"
  assert_output --regexp '^[0-9]+ cases, 0 failed$'
  ((${output%% *} > 70)) || fail "$output"
}
