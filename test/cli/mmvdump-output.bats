#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What happens when standard output takes no more.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers

MODES=('--metric *' --json --values --json-lines --openmetrics)

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  fixture plain-v1 >good
  fixture hundred-thousand >large
}

@test "a full disk is an error" {
  for mode in "${MODES[@]}"; do
    for file in good large; do
      # shellcheck disable=SC2086 # an option and its argument
      run -1 --separate-stderr bash -c 'set -f; timeout 20 "$MMVDUMP" '"$mode $file"' >/dev/full'
      assert_output ''
      assert_stderr 'mmvdump: standard output: cannot write: No space left on device'
    done
  done
}

@test "a full disk is an error when following, too" {
  run -1 --separate-stderr bash -c 'timeout 20 "$MMVDUMP" --follow --interval 10ms good >/dev/full'
  assert_stderr 'mmvdump: standard output: cannot write: No space left on device'
}

@test "closed standard output is an error" {
  for mode in "${MODES[@]}"; do
    run -1 --separate-stderr bash -c 'set -f; timeout 20 "$MMVDUMP" '"$mode"' good >&-'
    assert_output ''
    assert_stderr 'mmvdump: standard output: cannot write: Bad file descriptor'
  done
}

@test "closed standard error is none" {
  run -0 --separate-stderr bash -c '"$MMVDUMP" --values good 2>&-'
  assert_line 'req.total 42'
  run -1 --separate-stderr bash -c '"$MMVDUMP" --values none good 2>&-'
  assert_line 'good: req.total 42'
}

@test "a reader that has had enough ends us quietly" {
  for mode in "${MODES[@]}"; do
    run -0 --separate-stderr bash -c 'set -f
      timeout 20 "$MMVDUMP" '"$mode"' large | head -n 1 >/dev/null
      echo "${PIPESTATUS[0]}"'
    assert_output 141
    assert_stderr
  done
}

@test "... even if SIGPIPE was ignored by whoever started us" {
  run -0 --separate-stderr bash -c 'trap "" PIPE
    timeout 20 "$MMVDUMP" --values large | head -n 1 >/dev/null
    echo "${PIPESTATUS[0]}"'
  assert_output 141
  assert_stderr
}

@test "damage and a full disk: the latter is worse" {
  fixture cut-values >bad
  run -1 --separate-stderr bash -c 'timeout 20 "$MMVDUMP" --values bad >/dev/full'
  assert_equal "${stderr_lines[-1]}" 'mmvdump: standard output: cannot write: No space left on device'
}
