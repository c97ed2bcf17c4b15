#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# evarray on archives: good ones, packed ones, damaged ones, growing ones.

# shellcheck disable=SC2030,SC2031,SC2154 # every test is a subshell of its own, and is meant to be
load helpers
load evarray-helpers

setup_file() {
  export MADE=$BATS_FILE_TMPDIR/made
  mkdir "$MADE"
  event archive 2 "$MADE/v2"
  event archive 3 "$MADE/v3"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  cp "$MADE"/* .
}

teardown() {
  [[ -z ${follower-} ]] || kill "$follower" 2>/dev/null || true
}

records='2023-11-14 22:13:20.000001 my.event.records[red] point my.param.number: 1 my.param.text: "n 1"
2023-11-14 22:13:21.000001 my.event.records[red] point my.param.number: 2 my.param.text: "n 2"
2023-11-14 22:13:20.000000001 my.event.highres[green light] point my.param.number: 3 my.param.text: "n 3"
2023-11-14 22:13:21.000000001 my.event.highres[green light] missed=7
2023-11-14 22:13:20.000001 my.event.single point my.param.number: 4 my.param.text: "n 4"
2023-11-14 22:13:20.000001 my.event.records[blue] point my.param.number: 5 my.param.text: "n 5"
2023-11-14 22:13:20.000001 my.event.records[green light] point my.param.number: 6 my.param.text: "n 6"
2023-11-14 22:13:20.000001 my.event.records[9] point my.param.number: 7 my.param.text: "n 7"
2023-11-14 22:13:20.000001 245.0.99 point my.param.number: 8 my.param.text: "n 8"'

@test "both versions, several volumes, by any of their names" {
  local name
  for name in v2 v3 v2.meta v3.1 v2.index ./v3; do
    run_evarray 0 dump --archive "$name"
    assert_stderr
    assert_output "$records"
  done
}

@test "JSON lines have the instance and the time of the sample" {
  run_evarray 0 dump -l -a v3 'my.event.highres'
  assert_line --index 0 '{"timestamp":"2023-11-14T22:13:20.000000001Z","metric":"my.event.highres","pmid":"245.0.2","instance":1,"instance_name":"green light","sampled":"2023-11-14T22:13:20Z","type":"highres_event","record":0,"flags":["point"],"params":[{"name":"my.param.number","pmid":"245.0.10","type":"u32","value":3},{"name":"my.param.text","pmid":"245.0.11","type":"string","value":"n 3"}]}'
  run_evarray 0 dump -l -e -a v2 -s 1
  assert_line '{"metric":"my.event.records","pmid":"245.0.1","instance":1,"instance_name":"green light","sampled":"2023-11-14T22:13:20Z","type":"event","records":0}'
}

@test "metrics and instances are chosen" {
  run_evarray 0 dump -a v2 my.event.single
  assert_output "$(sed -n 5p <<<"$records")"
  run_evarray 0 dump -a v2 other.name 245.0.99
  assert_output "$(sed -n '5p;9p' <<<"$records")"
  run_evarray 0 dump -a v2 'my.event[blue,9]'
  assert_output "$(sed -n '6p;8p' <<<"$records")"
  run_evarray 0 dump -a v2 'my.*.r*[green light]'
  assert_output "$(sed -n 7p <<<"$records")"
  run_evarray 0 dump -a v2 --param 'my.param.text=n [5-6]' --param my.param.number=6 my
  assert_output ''
  run_evarray 0 dump -a v2 --param 'my.param.text=n ?' --param my.param.number=6 my
  assert_output "$(sed -n 7p <<<"$records")"
  run_evarray 1 dump -a v2 my.colour no.such my.event.single
  assert_output "$(sed -n 5p <<<"$records")"
  assert_stderr 'evarray: v2: my.colour has no event arrays
evarray: v2: no metric no.such'
  run_evarray 2 dump -a v2 'my[1'
  assert_output ''
}

@test "time windows and numbers of samples" {
  run_evarray 0 dump -a v3 --samples 2
  assert_output "$(sed -n 1,5p <<<"$records")"
  run_evarray 0 dump -a v3 -S @22:13:23
  assert_output "$(sed -n '6,$p' <<<"$records")"
  run_evarray 0 dump -a v3 -S +1s -T +2.9s
  assert_output "$(sed -n 5,8p <<<"$records")"
  run_evarray 0 dump -a v2 -T +500msec
  assert_output "$(sed -n 1,4p <<<"$records")"
  run_evarray 0 dump -a v2 -S -0s
  assert_output "$(sed -n 9p <<<"$records")"
  run_evarray 2 dump -a v3 -S yesterweek
  assert_output ''
  [[ $stderr == 'evarray: -S/--start, -T/--finish: '* ]] || fail "$stderr"
  run_evarray 2 dump -S +1s v3
}

@test "packed files" {
  need xz zstd
  mkdir xz zst
  xz -c v2.0 >xz/v2.0.xz && xz -c v2.1 >xz/v2.1.xz && xz -c v2.meta >xz/v2.meta.xz
  zstd -qc v3.0 >zst/v3.0.zst && cp v3.1 zst && zstd -qc v3.meta >zst/v3.meta.zst
  local name
  for name in xz/v2 xz/v2.0.xz zst/v3 zst/v3.meta.zst; do
    run_evarray 0 dump -a $name
    assert_stderr
    assert_output "$records"
  done
  # Plain and packed at once: one of the two is read.
  cp v2.* xz
  run_evarray 0 dump -a xz/v2
  assert_output "$records"
  head -c 200 zst/v3.0.zst >short && mv short zst/v3.0.zst
  run_evarray 3 dump -a zst/v3
  assert_stderr 'evarray: zst/v3.0.zst: cannot be unpacked: cut short'
  assert_output "$(sed -n '6,$p' <<<"$records")"
  rm xz/v2.? && head -c 100 xz/v2.1.xz >short && mv short xz/v2.1.xz
  run_evarray 3 dump -a xz/v2
  assert_stderr 'evarray: xz/v2.1.xz: cannot be unpacked: cut short'
}

@test "each bad array in an archive breaks its rule, and the next one is read" {
  mkdir bad
  event bad-archives bad >table
  local name rules
  while read -r name rules; do
    # Of files, not arrays; and what the value's own length is taken for.
    case $name in cut-header | other-kind | string-cut | extra* | two | bad-and-good) continue ;; esac
    run --separate-stderr evarray verify --ignore W09,W10 -a "bad/$name" my.event.single
    assert_stderr
    assert_equal "$name $(sed -E 's/.*\[(...)\]$/\1/' <<<"$output" | tr '\n' ' ' | sed 's/ *$//')" \
      "$name $rules"
    run --separate-stderr evarray dump -a "bad/$name"
    assert_line --partial 'my.param.number: 1 my.param.text: "n 1"'
  done <table
  [[ $(wc -l <table) -gt 90 ]]
}

@test "damaged archives are read as far as they go" {
  head -c -10 v2.0 >short && mv short v2.0
  run_evarray 3 dump -a v2
  assert_stderr 'evarray: v2.0: the last record is cut short: there are 10 bytes (offset 0x1e0)'
  assert_output "$records"
  printf '\0\0\0\100' | dd of=v3.0 bs=1 seek=808 conv=notrunc status=none
  run_evarray 3 dump -a v3
  [[ $stderr == 'evarray: v3.0: a record of '*' (offset 0x328)' || $stderr == *' cut short'* ]] || fail "$stderr"
  assert_output "$(sed -n '6,$p' <<<"$records")"
}

@test "without metadata values are found by their type, without names" {
  rm v2.meta
  run_evarray 3 dump -a v2 245.0.1
  assert_stderr 'evarray: v2: v2.meta: cannot open: No such file or directory'
  assert_line --index 0 '2023-11-14 22:13:20.000001 245.0.1[0] point 245.0.10: 1 245.0.11: "n 1"'
  assert_equal "${#lines[@]}" 5
  head -c 300 v3.meta >short && mv short v3.meta
  run_evarray 3 dump -a v3
  [[ $stderr == 'evarray: v3: v3.meta: the last record is cut short'* ]] || fail "$stderr"
  assert_equal "${#lines[@]}" 9
}

@test "what is no archive" {
  run_evarray 1 dump -a missing
  assert_output ''
  assert_stderr 'evarray: missing: cannot open: No such file or directory'
  run_evarray 1 dump -a no/folder
  echo 'just text, nothing else' >text.0
  run_evarray 3 dump -a text
  assert_output ''
  run_evarray 1 verify -a missing
  run_evarray 2 dump -a v2 -h local:
  assert_output ''
}

@test "what can be verified of good archives is good, and W09 and W10 are told once" {
  run_evarray 0 verify --strict -a v2
  assert_stderr
  assert_output ''
  sed -i 's/my.param.number/my.param.NUMBER/' v2.meta
  run_evarray 0 verify --json -a v2
  run -0 jq '.arrays, .records' <<<"$output"
  assert_output $'8\n9'
  rm v3.meta
  run --separate-stderr evarray verify -a v3
  assert_equal "$(grep -c 'W10' <<<"$output")" 2
}

@test "pmdumplog reads the same records" {
  need pmdumplog
  local version
  for version in 2 3; do
    pmdumplog "v$version" | grep -cE 'event record \[[0-9]+\] timestamp' >theirs
    run_evarray 0 dump --stats -a "v$version"
    # It has no descriptor for one of them.
    assert_line "records: $(($(cat theirs) + 1))"
  done
}

# grow FILE FROM TO: appends that part of the finished file to the one that is read.
grow() {
  dd if="$MADE/$1" of="$1" bs=1 skip="$2" seek="$2" count=$(($3 - $2)) conv=notrunc status=none
}

has_lines() {
  [[ $(wc -l <shown) -eq $1 ]]
}

@test "--follow: as the archive grows, nothing twice, nothing lost" {
  local size first
  size=$(stat -c %s v3.0)
  first=$(od -An -tx1 -j808 -N4 v3.0 | tr -d ' \n')
  first=$((808 + 16#$first))
  rm v3.1
  head -c "$((first + 30))" "$MADE/v3.0" >v3.0
  "$EVARRAY" dump --follow --interval 10ms -a v3 >shown 2>errors 3>&- &
  follower=$!
  wait_until has_lines 4
  grow v3.0 "$((first + 30))" "$((first + 31))"
  grow v3.0 "$((first + 31))" "$size"
  wait_until has_lines 5
  head -c 100 "$MADE/v3.1" >v3.1
  grow v3.1 100 808
  grow v3.1 808 "$(stat -c %s "$MADE/v3.1")"
  wait_until has_lines 9
  kill $follower
  wait $follower || true
  assert_equal "$(cat shown)" "$records"
  assert_equal "$(cat errors)" ''
}

@test "--follow ends after --samples" {
  run_evarray 0 dump --follow --interval 10ms --samples 4 -a v2
  assert_output "$records"
}
