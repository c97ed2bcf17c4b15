#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a real pmlogger makes of every request in every state is as the tables in pmlcctl.py have it;
# pmlcctl foretells it, tells it, and pmlc agrees.

load helpers
load pmlcctl-helpers

setup_file() {
  start_lab
  start_logger one
  start_logger old -x '-I 2'
}

teardown_file() {
  stop_lab
}

# holds TABLE LOGGER
holds() {
  run -0 "$PYTHON" "$SRCDIR/test/cli/pmlcctl.py" "$1" "$(pid "$2")"
  assert_output ''
  assert_up "$2"
}

@test "one value: each request in each state" {
  holds singular one
}

@test "instances: each request, for all and for some, in each state" {
  holds instances one
}

@test "a logger of the old protocol does the same" {
  holds singular old
  run_ctl 0 status --pid "$(pid old)"
  assert_stderr
  assert_line 'connected to: local:'
}
