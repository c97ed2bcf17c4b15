#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# That tests can fail: base.bash takes the place of parts of bats.

# shellcheck disable=SC2016,SC2154 # for the tests inside; run sets it
load base

# fails LINE...: a test of these lines fails, at the last of them, and nothing after it is done.
fails() {
  local line=$((3 + $#))
  printf '%s\n' 'load base' '@test "it" {' 'true' "$@" 'echo reached >&3' '}' >"$BATS_TEST_TMPDIR/it.bats"
  cp "$BATS_TEST_DIRNAME/base.bash" "$BATS_TEST_TMPDIR"
  run -1 bats --tap "$BATS_TEST_TMPDIR/it.bats"
  assert_line 'not ok 1 it'
  assert_output --partial "it.bats, line $line)"
  refute_line reached
}

@test "a command, a condition, an assertion that fails ends its test, and is named" {
  fails false
  fails '[[ a == b ]]'
  fails '((0))'
  fails 'assert_equal a b'
  fails 'both() { false; true; }' both
  fails '(exit 3)'
  fails 'true | false'
  fails 'x=$(exit 3)'
}

@test "run: another status than was expected ends the test" {
  fails 'run -0 false'
  fails 'run -1 true'
  fails 'run ! true'
  fails 'run -2 --separate-stderr sh -c "exit 3"'
  fails 'run no-such-command'
  fails 'both() { return 4; }' 'run -0 both'
}

@test "run: status, output and messages, of commands and of functions" {
  both() {
    false
    echo out
    echo message >&2
    printf ' a \n\nb'
    return 5
  }
  run -5 --separate-stderr both
  assert_equal "$output" $'out\n a \n\nb'
  assert_equal "$stderr" message
  assert_equal "${#lines[@]} ${lines[2]} ${stderr_lines[0]}" '3 b message'
  run both
  assert_equal "$status ${lines[1]}" '5 message'
  run sh -c 'echo "*"; exit 127' || true
  assert_equal "$output" '*'
}
