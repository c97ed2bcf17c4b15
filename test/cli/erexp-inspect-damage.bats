#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# More than a thousand damaged experiments: every kind of damage that was seen to crash, hang or
# silence other readers, every cut, every bit of the first packets. One run takes them all.

load helpers
load erexp-inspect-helpers

setup_file() {
  export EXPERIMENTS=$BATS_FILE_TMPDIR/experiments
  # For more than a thousand experiments; two seconds for each would be far more.
  export PATIENCE=120
  make_experiment --damages "$EXPERIMENTS" >"$BATS_FILE_TMPDIR/list"
}

@test "the check tells of every damage by its rule" {
  run_inspect 3 check --json "$EXPERIMENTS"
  assert_stderr
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/findings"
  run -0 "$PYTHON" "$SRCDIR/test/cli/erexp.py" damages "$EXPERIMENTS" "$BATS_FILE_TMPDIR/list" \
    "$BATS_TEST_TMPDIR/findings"
}

# Every sixth, for they were all judged above; and all that are mild.
@test "a damage alone ends with status 3, a mild one with --strict" {
  local count=0 seen=0
  while read -r name rule kind; do
    [[ $rule != - ]] || break
    seen=$((seen + 1))
    [[ $kind == any || $((seen % 6)) -eq 0 ]] || continue
    strict=
    [[ $kind == error ]] || strict=--strict
    [[ $name != log-stray-end ]] || continue # nothing is lost there
    run_inspect 3 check $strict "$EXPERIMENTS/$name.er"
    assert_stderr
    [[ $output == *"[$rule]"* ]] || fail "$name: no $rule in: $output"
    count=$((count + 1))
  done <"$BATS_FILE_TMPDIR/list"
  [[ $count -gt 12 && $seen -gt 60 ]]
}

@test "every other verb gets through all of them, and its JSON is whole" {
  for verb in summary tree archives; do
    run_inspect 3 $verb --json "$EXPERIMENTS" || true
    [[ $verb == tree || $status -eq 3 ]] || fail "$verb: status $status"
    jq -e '.experiments | length > 1000' <<<"$output" >/dev/null
  done
}

@test "what is lost makes a summary end with 3, and names the place" {
  run_inspect 3 "$EXPERIMENTS/tsize-3.er"
  assert_stderr "erexp-inspect: $EXPERIMENTS/tsize-3.er/profile: packet of size 3: too small (offset 0x0)"
  assert_output --partial 'profile [packets] bytes=65536'
  run_inspect 3 --json "$EXPERIMENTS/tsize-3.er"
  run -0 jq -c .errors <<<"$output"
  assert_output "[{\"where\":\"$EXPERIMENTS/tsize-3.er/profile\",\"message\":\"packet of size 3: too small\",\"offset\":0}]"
}
