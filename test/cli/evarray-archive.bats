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
  [[ $stderr == 'evarray: -S/--start, -T/--finish, -A/--align, -O/--origin: '* ]] || fail "$stderr"
  run_evarray 2 dump -S +1s v3
  assert_stderr "evarray: -S, -T, -A, -O: arrays in files have neither a zone nor samples
Try 'evarray --help' for more information."
}

@test "alignment and origin" {
  run_evarray 0 dump -a v3 -A 3sec # 22:13:21
  assert_output "$(sed -n '5,$p' <<<"$records")"
  run_evarray 0 dump -a v2 -S +1s -O +1.5s
  assert_output "$(sed -n '6,$p' <<<"$records")"
  run_evarray 0 dump -a v2 --origin -0
  assert_output "$(sed -n 9p <<<"$records")"
  run_evarray 2 dump -a v3 --align nonsense
  assert_output ''
}

@test "time zones: the archive's, and any" {
  run_evarray 0 dump -a v2 -s 1 -Z EST5 my.event.highres
  assert_output "$(sed -n 3,4p <<<"${records//-14 22:/-14 17:}")"
  run_evarray 0 dump -a v2 --timezone EST5 -S @17:13:24
  assert_output "$(sed -n 9p <<<"${records//-14 22:/-14 17:}")"
  local version
  for version in 2 3; do
    sed -i 's/UTC\x00\x00/JST-9\x00/; s/\(JST-9\x00\)\x00/\1/' "v$version.0"
    run_evarray 0 dump -z -S @07:13:24 -a "v$version"
    assert_output "$(sed -n 9p <<<"${records//-14 22:/-15 07:}")"
  done
  sed -i 's,JST-9,/etc/,' v2.0
  run_evarray 3 dump --hostzone -a v2
  assert_output ''
  assert_stderr "evarray: v2.0: no time zone in the label: '/etc/' (offset 0x0)"
  run_evarray 2 dump -z -Z UTC -a v2
  run_evarray 2 dump -z "$MADE/v2.0"
}

@test "names from a file of them, where the metadata has none; and what pcp(1) was given" {
  printf 'root {\n  other\n}\nother {\n  single 245:0:3\n  text 245:0:11\n  late 245:0:99\n}\n' >pmns
  rm v2.meta
  run_evarray 3 dump -n pmns -a v2 other.single 245.0.99
  assert_output '2023-11-14 22:13:20.000001 other.single point 245.0.10: 4 other.text: "n 4"
2023-11-14 22:13:20.000001 other.late point 245.0.10: 8 other.text: "n 8"'
  run_evarray 0 dump --namespace pmns -a v3 other.late
  assert_output '2023-11-14 22:13:20.000001 other.late point my.param.number: 8 my.param.text: "n 8"'
  run_evarray 1 dump --namespace missing -a v3
  assert_output ''
  PCP_HOST=nowhere run_evarray 0 dump -a v3 other.name # what is given here counts
  assert_output "$(sed -n 5p <<<"$records")"
  PCP_ARCHIVE=v3 PCP_SAMPLES=1 PCP_TIMEZONE=EST5 PCP_START_TIME=+1s run_evarray 0 dump
  assert_output "$(sed -n 5p <<<"${records//-14 22:/-14 17:}")"
}

@test "pack finds PMIDs of names: in an archive, in a file of names" {
  printf 'root {\n  other\n}\nother {\n  text 245:0:11\n}\n' >pmns
  echo '{"timestamp":"2026-11-30T12:00:00Z","params":[{"name":"my.param.text","type":"string","value":"x"}]}' >lines
  run_evarray 0 dump <(evarray pack -a v2 lines)
  assert_output '2026-11-30 12:00:00.000000 point 245.0.11: "x"'
  run_evarray 3 pack lines
  assert_output ''
  assert_stderr "evarray: lines: 1:47: params[0]: \"pmid\" is missing, and there is nobody to ask for the name's"
  run_evarray 3 pack -n pmns lines
  assert_stderr 'evarray: lines: 1:55: params[0].name: nobody knows this metric'
  sed -i 's/my.param/other/' lines
  run_evarray 0 dump --namespace pmns <(evarray pack --namespace pmns lines)
  assert_output '2026-11-30 12:00:00.000000 point other.text: "x"'
  sed -i 's/"name"/"pmid":"245.0.12","name"/' lines
  run_evarray 0 dump <(evarray pack lines)
  assert_output '2026-11-30 12:00:00.000000 point 245.0.12: "x"'
  run_evarray 3 pack -n pmns lines
  assert_stderr 'evarray: lines: 1:73: params[0].name: this metric has another PMID'
  run_evarray 1 pack -a missing lines
  assert_output ''
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

@test "each bad array in an archive breaks its rule at its place, and the next one is read" {
  event bad-archive bad >expected
  run --separate-stderr evarray verify --all --ignore W09,W10 -a bad my.event.single
  assert_equal "$status" 3
  assert_stderr
  sed -E 's/^bad\.0:([0-9]+):.*\[(...)\]$/\1 \2/' <<<"$output" | diff -u expected -
  [[ $(wc -l <expected) -gt 70 ]]
  evarray dump -a bad 2>/dev/null | sed -n 's/.*my.param.number: \([0-9]*\) my.param.text: "n \1"$/\1/p' >good
  seq 0 "$(tail -n 1 good)" | diff -u - good
  [[ $(wc -l <good) -gt 80 ]]
}

@test "damaged archives are read as far as they go" {
  head -c -10 v2.0 >short && mv short v2.0
  run_evarray 3 dump -a v2
  assert_stderr 'evarray: v2.0: a record is cut short: there are 10 bytes (offset 0x1e0)'
  assert_output "$records"
  printf '\0\0\0\100' | dd of=v3.0 bs=1 seek=808 conv=notrunc status=none
  run_evarray 3 dump -a v3
  [[ $stderr == 'evarray: v3.0: a record of '*' (offset 0x328)' || $stderr == *' cut short'* ]] || fail "$stderr"
  assert_output "$(sed -n '5,$p' <<<"$records")"
}

@test "where the framing is lost: reading goes on behind the gap, and nothing is invented" {
  event gaps . >expected
  local name
  while read -r name _; do
    run --separate-stderr evarray dump -a "$name"
    # shellcheck disable=SC2154
    assert_equal "$name $status" "$name 3"
    [[ $stderr == "evarray: $name.0: "* ]] || fail "$stderr"
    { echo "$name" && grep -o 'number: [0-9]*' <<<"$output" | cut -d' ' -f2; } | paste -sd ' '
  done <expected >found
  diff -u expected found
  [[ $(wc -l <expected) -eq 22 ]]
  run_evarray 3 dump --stats -a length-zero-2
  assert_stderr 'evarray: length-zero-2.0: a record cannot have 0 bytes; reading goes on at 0x23c, 88 bytes on (offset 0x1e4)'
  run_evarray 3 dump --stats -a tail-2
  assert_stderr 'evarray: tail-2.0: a record cannot have 0 bytes; no record is found behind it (offset 0x344)'
  # The same for the metadata: a descriptor is lost.
  dd if=/dev/zero of=v2.meta bs=1 seek=132 count=4 conv=notrunc status=none
  run_evarray 3 dump -a v2
  assert_output "$(sed -E 's/my\.event\.records/245.0.1/; s/(245\.0\.1\[)(red|blue)/\10/; s/(245\.0\.1\[)green light/\11/' <<<"$records")"
}

@test "without metadata values are found by their type, without names" {
  rm v2.meta
  run_evarray 3 dump -a v2 245.0.1
  assert_stderr 'evarray: v2: v2.meta: cannot open: No such file or directory'
  assert_line --index 0 '2023-11-14 22:13:20.000001 245.0.1[0] point 245.0.10: 1 245.0.11: "n 1"'
  assert_equal "${#lines[@]}" 5
  head -c 300 v3.meta >short && mv short v3.meta
  run_evarray 3 dump -a v3
  [[ $stderr == 'evarray: v3: v3.meta: a record is cut short'* ]] || fail "$stderr"
  assert_equal "${#lines[@]}" 9
}

@test "what is no archive" {
  run_evarray 1 dump -a missing
  assert_output ''
  assert_stderr 'evarray: missing: cannot open: No such file or directory'
  run_evarray 1 dump -a no/folder
  run_evarray 1 dump -a .
  assert_stderr 'evarray: .: cannot open; name an archive in it: Is a directory'
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
  run -0 jq -c '.arrays, .records, .errors' <<<"$output"
  assert_output $'8\n9\nnull'
  rm v3.meta
  run_evarray 3 verify -a v3
  assert_equal "$(grep -c 'W10' <<<"$output")" 2
  assert_line --index 0 --regexp '^v3\.0:[0-9]+: warning: 245\.0\.1\[0\] record\[0\]\.param\[0\]: no descriptor of metric 245\.0\.10; '
  run_evarray 3 verify --json -a v3
  run -0 jq -c '.errors' <<<"$output"
  assert_output '[{"where":"v3: v3.meta","message":"cannot open: No such file or directory"}]'
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
