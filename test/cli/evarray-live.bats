#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# evarray on running agents: a pmcd of our own, agents in this process, and archives that a real
# pmlogger has made of them.

# shellcheck disable=SC2154 # `run` sets stderr
load helpers
load evarray-helpers

lab() {
  sh "$SRCDIR/test/lab/event-lab.sh" "$@"
}

setup_file() {
  export LAB=$BATS_FILE_TMPDIR/lab
  command -v pmlogger >/dev/null || return 0
  lab start "$LAB" >&2
}

teardown_file() {
  lab stop "$LAB"
}

setup() {
  need pmlogger "$LAB/env"
  # shellcheck disable=SC1091
  source "$LAB/env"
  AGENT=$(lab agent)
}

# store METRIC VALUE
store() {
  pmstore -h local: "sample.event.$1" "$2" >/dev/null
}

# live ARGUMENT...: from our pmcd, without times, which are other ones each time.
live() {
  evarray "$@" -h local: | sed -E 's/^[0-9-]+ [0-9:.]+ //'
}

# local_agent ARGUMENT...: from PCP's sample agent in this process. It wants a file of help texts, and
# says so.
local_agent() {
  local status=0
  evarray "$@" -L --namespace "$LAB/root" -K clear -K "add,29,$AGENT,sample_init" \
    2>"$BATS_TEST_TMPDIR/local" || status=$?
  grep -v 'help text file' "$BATS_TEST_TMPDIR/local" >&2 || true
  return $status
}

@test "the four states of the sample agent, both resolutions" {
  local kind digits
  for kind in '' highres_; do
    store "reset${kind:+_highres}" 1
    run -0 live dump "sample.event.${kind}records[fungus]"
    assert_output "sample.event.${kind}records[fungus] point"
    run -0 live dump "sample.event.${kind}records[fungus]"
    assert_output "sample.event.${kind}records[fungus] point sample.event.type: 1
sample.event.${kind}records[fungus] point sample.event.type: 2 sample.event.param_64: -3"
    digits=7
    [[ -z $kind ]] || digits=0 # PCP loses it on the way
    run -0 live dump "sample.event.${kind}records[fungus]"
    assert_output "sample.event.${kind}records[fungus] start,id,parent sample.event.type: 4 sample.event.param_u64: 5 sample.event.param_string: \"6\"
sample.event.${kind}records[fungus] point sample.event.type: 7 sample.event.param_double: 8.0 sample.event.param_double: -9.0
sample.event.${kind}records[fungus] end sample.event.type: 10 sample.event.param_u64: 11 sample.event.param_string: \"twelve\" sample.event.param_string: \"thirteen\" sample.event.param_32: -14 sample.event.param_u32: 15
sample.event.${kind}records[fungus] missed=$digits
sample.event.${kind}records[fungus] point sample.event.type: 16 sample.event.param_float: -17.0 sample.event.param_aggregate: 0x0103070f1f3f7fff"
    run -0 live dump "sample.event.${kind}records[fungus]"
    assert_output ''
  done
}

@test "a parameter that nobody knows keeps its value" {
  store reset -1
  run -0 live dump --param 0.100.200 sample.event.records
  assert_output --regexp '^sample.event.records\[fungus\] point .*0\.100\.200: '
  store reset 0
}

@test "samples, and --follow until they are there" {
  store reset 0
  run -0 live dump --samples 4 --interval 10ms 'sample.event.records[fungus]'
  assert_equal "${#lines[@]}" 8
  run -0 live dump --follow --samples 8 --interval 10ms 'sample.event.records[fungus]'
  assert_equal "${#lines[@]}" 16
  run -0 live dump --stats -s 4 -t 10ms 'sample.event.*'
  assert_line 'arrays: 20'
  assert_line 'bad arrays: 0'
}

@test "a window from now on, in the zone of the host; PMIDs of names that a host has" {
  run -0 --separate-stderr evarray dump -h local: -z -S +0.02sec -T +60sec -s 2 -t 10ms 'sample.event.records[bogus]'
  assert_stderr
  [[ ${#lines[@]} -ge 2 ]]
  run -0 --separate-stderr evarray dump -h local: -T +0.1sec -t 10ms sample.event.records # ends by itself
  assert_stderr
  run -0 --separate-stderr evarray dump -h local: -T 2001-01-01 sample.event
  assert_output ''
  run -2 --separate-stderr evarray dump -h local: -T nonsense sample.event
  assert_output ''
  echo '{"timestamp":"2026-11-30T12:00:00Z","params":[{"name":"sample.event.type","type":"u32","value":7}]}' \
    >"$BATS_TEST_TMPDIR/lines"
  evarray pack -h local: "$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/array"
  run -0 evarray dump "$BATS_TEST_TMPDIR/array"
  assert_output '2026-11-30 12:00:00.000000 point 29.0.127: 7'
}

@test "missed events of high resolution are seen locally only" {
  need "$AGENT"
  run -0 --separate-stderr local_agent dump -s 4 -t 10ms --flag missed sample.event.highres_records
  assert_stderr
  assert_output --regexp ' sample\.event\.highres_records\[fungus\] missed=7000$'
  run -0 --separate-stderr local_agent dump -l 'sample.event.records[bogus]'
  assert_line --index 0 --regexp '"metric":"sample.event.records","pmid":"29.0.136","instance":1,"instance_name":"bogus","sampled":'
}

@test "the sample agent's arrays under judgement" {
  need "$AGENT"
  run -0 --separate-stderr local_agent verify -s 4 -t 10ms --ignore W04 'sample.event.records[fungus]'
  assert_stderr
  assert_output 'local: warning: sample.event.records[fungus] record[0].param[0]: type 1, the descriptor of metric 29.0.127 has 0; PCP shows the value as if it were of the metric'\''s type: large numbers change their sign [W09]'
}

# replay VERB FILE METRIC...: of an agent that answers with the array in a file.
replay() {
  local verb=$1 file=$2
  shift 2
  printf 'root {\n  replay\n}\nreplay {\n  us 245:0:1\n  ns 245:0:2\n}\n' >"$BATS_TEST_TMPDIR/pmns"
  EVENT_REPLAY=$file PMNS_DEFAULT=$BATS_TEST_TMPDIR/pmns evarray "$verb" -L -K clear \
    -K "add,245,$PEERDIR/event-replay.so,replay_init" "$@"
}

@test "whatever an agent hands out: shown as the file is, and judged" {
  need "$PEERDIR/event-replay.so"
  mkdir "$BATS_TEST_TMPDIR/arrays"
  cd "$BATS_TEST_TMPDIR/arrays"
  own arrays . 1 3
  local kind name
  for kind in us ns; do
    for name in {alltypes,missed,random,strings}0-"$kind"; do
      evarray dump "$name" >"$BATS_TEST_TMPDIR/file"
      replay dump "$name" "replay.$kind" | sed -E "s/ replay\.$kind//" >"$BATS_TEST_TMPDIR/agent"
      cmp "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/agent"
    done
  done
  event bad . >"$BATS_TEST_TMPDIR/table"
  for name in params-2-of-1-us string-length-0-us records-million-ns nested-us params--1-ns; do
    run -3 replay verify "$name" --ignore W10 "replay.${name##*-}"
    [[ $output == *"[$(grep "^$name " "$BATS_TEST_TMPDIR/table" | cut -d' ' -f2)]" ]] || fail "$output"
    run -3 --separate-stderr replay dump "$name" "replay.${name##*-}"
  done
}

@test "what is not there" {
  run -1 --separate-stderr evarray dump -h local: no.such sample.colour
  assert_output ''
  assert_stderr 'evarray: local:: no.such: Unknown metric name
evarray: local:: sample.colour has no event arrays'
  run -2 --separate-stderr evarray dump -h local:
  assert_stderr "evarray: METRIC is missing
Try 'evarray --help' for more information."
  PMCD_PORT=1 PMCD_SOCKET=$BATS_TEST_TMPDIR/none run -1 --separate-stderr evarray dump -h local: sample.event
  assert_output ''
  [[ $stderr == 'evarray: local:: cannot connect: '* ]] || fail "$stderr"
  run -2 --separate-stderr evarray dump -L -K nonsense sample.event
  assert_output ''
  run -2 --separate-stderr evarray dump -K clear sample.event
}

# The times of records, as pmdumplog has them.
theirs() {
  pmdumplog "$1" | sed -nE 's/.*--- event record \[[0-9]+\] timestamp ([0-9:.]+) .*/\1/p'
}

# Their parameters with values, but for types that it shows another way.
their_params() {
  pmdumplog "$1" | sed -nE '/param_(float|double|aggregate)/d; s/^ {8}([0-9.]+) \(.*\): value (.*)$/\1 \2/p'
}

our_params() {
  evarray dump -l -a "$1" |
    jq -r '.params[]? | select(.type | test("float|double|aggregate") | not) | .pmid + " " + (.value | tojson)'
}

@test "an archive of a real pmlogger, both versions: the records that pmdumplog sees" {
  need pmdumplog
  local version
  for version in 2 3; do
    lab log "$LAB" "logged$version" 6 -V "$version"
    theirs "$LAB/logged$version" >"$BATS_TEST_TMPDIR/theirs"
    evarray dump -a "$LAB/logged$version" | cut -d' ' -f2 >"$BATS_TEST_TMPDIR/ours"
    diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
    [[ $(wc -l <"$BATS_TEST_TMPDIR/ours") -gt 30 ]]
    their_params "$LAB/logged$version" >"$BATS_TEST_TMPDIR/theirs"
    our_params "$LAB/logged$version" >"$BATS_TEST_TMPDIR/ours"
    diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
    [[ $(wc -l <"$BATS_TEST_TMPDIR/ours") -gt 30 ]]
    run -0 evarray verify -a "$LAB/logged$version" sample.event.records
    assert_output --partial '[W09]'
    assert_equal "${#lines[@]}" 1
  done
}

@test "--follow on an archive that pmlogger is writing" {
  lab log "$LAB" growing 12 -V 3 &
  local logger=$!
  wait_until test -s "$LAB/growing.0"
  run -0 --separate-stderr evarray dump --follow --interval 20ms --samples 10 -a "$LAB/growing"
  assert_stderr
  wait $logger
  local followed=$output
  assert_equal "$(evarray dump --samples 10 -a "$LAB/growing")" "$followed"
}
