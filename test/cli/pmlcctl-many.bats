#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Many instances, instances that come and go, and many metrics.

load helpers
load pmlcctl-helpers

setup_file() {
  start_lab
  start_logger one -P
}

teardown_file() {
  stop_lab
}

# instances COUNT: so many has the metric.
instances() {
  pmstore -h local: sample.many.count "$1" >/dev/null
}

# The sample agent takes a time for each name that grows with their number, so that the change itself
# is of fewer.
@test "many instances: shown, and logged as a whole" {
  instances 20000
  run_ctl 0 query sample.many.int
  assert_stderr
  assert_equal "$(wc -l <<<"$output")" 20000
  run_ctl 0 mandatory-on -t 10min sample.many.int --dry-run
  assert_equal "$(grep -c ' planned advisory off -> mandatory on 600s$' <<<"$output")" 20000
  instances 1200
  run_ctl 0 mandatory-on -t 10min sample.many.int
  assert_stderr
  assert_equal "$(grep -c ' changed advisory off -> mandatory on 600s$' <<<"$output")" 1200
  run_ctl 0 mandatory-on -t 10min sample.many.int --json
  assert_equal "$(jq -c .summary <<<"$output")" '{"already":1200}'
  assert_up one
  ctl mandatory-off sample.many.int >/dev/null
  run_ctl 0 mandatory-maybe sample.many.int
  assert_equal "$(grep -c ' changed mandatory off -> advisory off$' <<<"$output")" 1200
}

# pmcd would drop the logger: its requests would be too long.
@test "20,000 instances by name are refused, and the logger goes on logging" {
  instances 20000
  run_ctl 4 mandatory-on -t 10min 'sample.many.int[*]'
  assert_stderr
  assert_equal "$(grep -c ' refused advisory off \[too many instances one by one; name the metric as a whole\]$' <<<"$output")" 20000
  run_ctl 0 advisory-on -t 10min 'sample.many.int[*99]' --json
  assert_equal "$(jq -c .summary <<<"$output")" '{"changed":200}'
  run_ctl 4 advisory-on -t 10min 'sample.many.int[*]' --dry-run --json
  assert_equal "$(jq -c .summary <<<"$output")" '{"already":200,"refused":19800}'
  instances 300 # the logger and the agent take a while for each that there is
  run_ctl 0 advisory-off sample.many.int
  assert_up one
}

@test "instances that come and go" {
  instances 3
  run_ctl 0 mandatory-on -t 10min sample.many.int
  assert_equal "$(wc -l <<<"$output")" 3
  instances 5
  run_ctl 0 query --json sample.many.int
  assert_equal "$(jq -c '[.items[] | .state.state] | unique' <<<"$output")" '["on"]'
  assert_equal "$(jq '.items | length' <<<"$output")" "$(jq '[.items[] | .instance] | unique | length' <<<"$output")"
  instances 1
  # Those that have been logged are remembered, by their number.
  wait_until gone_are_remembered
  run_ctl 4 mandatory-off 'sample.many.int[2]'
  assert_output 'sample.many.int[2] no-such-instance'
  ctl mandatory-off sample.many.int >/dev/null
  ctl mandatory-maybe sample.many.int >/dev/null
  instances 0
  run_ctl 0 query sample.many.int --json
  run_ctl 0 mandatory-on -t 10min sample.many.int
  assert_output 'sample.many.int changed advisory off -> mandatory on 600s'
  run_ctl 0 mandatory-on -t 10min sample.many.int
  assert_output 'sample.many.int already mandatory on 600s'
  assert_up one
}

# The logger keeps them, and takes them up again with the instance.
@test "entries of instances that have gone stand in the way, and go with the rest" {
  instances 5
  ctl mandatory-off sample.many.int >/dev/null
  ctl mandatory-maybe sample.many.int >/dev/null
  # An interval that is new, or the logger would log it with the others of it, in a while.
  run_ctl 0 mandatory-on -t 41min 'sample.many.int[3]'
  run_ctl 0 advisory-on -t 10min 'sample.many.int[1]'
  wait_until is_logged 3
  instances 3
  for option in --dry-run --json; do
    run_ctl 4 advisory-on -t 20min "$option" sample.many.int --json
    assert_equal "$(jq -c '[.summary, (.items | map(.reason) | unique)]' <<<"$output")" \
      '[{"refused":3},["mandatory logging is in force for an instance that has gone"]]'
  done
  run_ctl 0 mandatory-maybe -n sample.many.int
  assert_line --regexp '^sample.many.int\[i-1\] planned advisory on 600s -> advisory off$'
  run_ctl 0 mandatory-maybe sample.many.int --json
  assert_equal "$(jq -c .summary <<<"$output")" '{"changed":1,"already":2}'
  instances 5
  run_ctl 0 query --json sample.many.int
  assert_equal "$(jq -c '[.items[] | .state.state] | unique' <<<"$output")" '["off"]'
  # Of instances that are there now there is nothing to change.
  run_ctl 0 advisory-on -t 10min 'sample.many.int[3]'
  instances 3
  run_ctl 0 advisory-off sample.many.int --json
  assert_equal "$(jq -c .summary <<<"$output")" '{"already":3}'
  instances 5
  run_ctl 0 query --json sample.many.int
  assert_equal "$(jq -c '[.items[] | .state.state] | unique' <<<"$output")" '["off"]'
  assert_up one
}

# is_logged ID
is_logged() {
  [[ $(ctl query "sample.many.int[$1]") == *' in-log'* ]]
}

gone_are_remembered() {
  [[ $(ctl query 'sample.many.int[2]') == 'sample.many.int[2] '* ]]
}

# Derived ones, and those without an agent's help, are told and not sent.
@test "all metrics there are: looked at, and changed a part at a time" {
  run_ctl 4 query '*' --json
  assert_stderr
  jq -e '[.items[] | .verdict // "shown"] | group_by(.) | map({(.[0]): length}) | add
    | .shown > 1000 and .unsupported >= 2 and ."unknown-metric" >= 2' <<<"$output"
  local log=$LAB/one.log
  lines_before=$(grep -c 'mandatory on' "$log" || true)
  run_ctl 4 mandatory-on -t 30min kernel hinv network nosuch --json
  assert_stderr
  assert_equal "$(jq '.summary | keys - ["changed", "derived", "unknown_metric", "unsupported"]' <<<"$output")" '[]'
  (($(grep -c 'mandatory on' "$log") > lines_before + 2))
  assert_up one
}

@test "many names in a file, each once" {
  for ((i = 0; i < 3000; i++)); do
    printf 'sample.long.one\nnosuch.number%d\n' $i
  done >"$BATS_TEST_TMPDIR/names"
  run_ctl 4 query "@$BATS_TEST_TMPDIR/names"
  assert_equal "$(wc -l <<<"$output")" 3001
  assert_line --index 0 --regexp '^sample.long.one '
  assert_line --index 3000 'nosuch.number2999 unknown-metric'
}
