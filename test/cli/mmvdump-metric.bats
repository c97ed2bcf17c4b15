#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# mmvdump --metric: what is named is shown, in every mode, and nothing else.

# shellcheck disable=SC2154 # run sets stderr
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  fixture plain-v2 >app
  fixture instance-names >names
  fixture flags-noprefix >flat
}

setup() {
  cd "$BATS_FILE_TMPDIR" || return
}

# picks_none FILE SELECTOR...: which is an error, as most likely somebody mistyped a name.
picks_none() {
  local file=$1 one
  shift
  for one; do
    run_dump 1 --values --metric "$one" "$file"
    assert_output ''
    assert_stderr "mmvdump: no metric is called '$one'"
  done
}

# values FILE SELECTOR...: as --values shows them.
values() {
  local file=$1 one options=()
  shift
  for one; do
    options+=(--metric "$one")
  done
  run_dump 0 --values "${options[@]}" "$file"
  assert_stderr
}

@test "a name" {
  values app req.total
  assert_output 'req.total 42'
  values app disk.read
  assert_output 'disk.read[sda] 1.5
disk.read[sdb] 0.1'
}

@test "a name is compared whole, and case matters" {
  picks_none app req req.tota Req.total req.total. total
}

@test "the name that the agent exports" {
  values app mmv.app.req.total
  assert_output 'req.total 42'
  values app 'mmv.app.disk.*[sda]'
  assert_output 'disk.read[sda] 1.5'
  values flat mmv.x
  assert_output 'x 1'
  picks_none flat mmv.flat.x
  (cd / && dump --values --metric mmv.app.state "$BATS_FILE_TMPDIR/app") >"$BATS_TEST_TMPDIR/out"
  assert_equal "$(<"$BATS_TEST_TMPDIR/out")" 'state "running"'
}

@test "a pattern" {
  values app 're*'
  assert_output 'req.total 42'
  values app '????.read'
  assert_equal "${#lines[@]}" 2
  values app '*'
  assert_equal "${#lines[@]}" 4
}

@test "several, and each value once, in the order of the file" {
  values app state req.total 'r*'
  assert_output 'req.total 42
state "running"'
}

@test "instances by name, by id, and all" {
  values app 'disk.read[sdb]'
  assert_output 'disk.read[sdb] 0.1'
  values app 'disk.read[0]'
  assert_output 'disk.read[sda] 1.5'
  values app 'disk.read[5,sda]'
  assert_equal "${#lines[@]}" 2
  values app 'disk.read[*]'
  assert_equal "${#lines[@]}" 2
  values app 'disk.read[sd?]'
  assert_equal "${#lines[@]}" 2
  values app 'disk.read[SDA]'
  assert_output ''
  values app 'disk.read["0"]'
  assert_output ''
}

@test "a selector with instances picks no value without one" {
  values app '*[*]'
  assert_output 'disk.read[sda] 1.5
disk.read[sdb] 0.1'
}

@test "instances picked by one selector, and all by another" {
  values app 'disk.read[sda]' 'disk.*'
  assert_equal "${#lines[@]}" 2
  values app 'disk.read[sda]' 'disk.read[5]'
  assert_equal "${#lines[@]}" 2
}

@test "an instance as it is shown is a selector for it" {
  run_dump 0 --values names
  for line in "${lines[@]}"; do
    case $line in
    'm[sda]'*) continue ;; # there are two
    esac
    selector=${line% *}
    echo "selector: $selector"
    values names "$selector"
    assert_output "$line"
  done
}

@test "quoted instances are taken as they are" {
  values names 'm["a*"]'
  assert_output 'm["a*"] 9'
  values names 'm["5"]'
  assert_output 'm["5"] 1'
  values names 'm["a\u0022b"]'
  assert_output 'm["a\"b"] 8'
  values names 'm[ "a,b" , "a]b" ]'
  assert_equal "${#lines[@]}" 2
}

@test "--json shows the metrics picked, and their values" {
  run_dump 0 --json --metric 'disk.read[sda]' app
  check json "$SRCDIR/test/schema/mmvdump.json" <(printf '%s\n' "$output")
  assert_equal "$(grep -c '"full_name"' <<<"$output")" 1
  assert_equal "$(grep -c '"raw"' <<<"$output")" 1
  assert_line --partial '"instance":0,"instance_name":"sda","value":1.5'
  # Values go on naming metrics by their place in the file.
  assert_line --partial '{"metric":1,"name":"disk.read","full_name":"mmv.app.disk.read"'
  assert_stderr
}

@test "--json-lines" {
  run_dump 0 --json-lines --metric state app
  assert_output '{"file":"app","name":"state","value":"running"}'
  assert_stderr
}

@test "--openmetrics" {
  run_dump 0 --openmetrics --metric 'disk.*[5]' app
  assert_equal "$(grep -v '^#' <<<"$output")" \
    'mmv_app_disk_read_kibibytes_per_second_total{instname="sdb",instid="5"} 0.1'
  assert_line --index -1 '# EOF'
  assert_stderr
}

@test "text" {
  run_dump 0 --metric 'disk.read[sdb]' app
  assert_line --regexp '^  \[2/[0-9]+\] disk.read$'
  assert_line --regexp '^  \[2/[0-9]+\] disk.read\[5 or "sdb"\] = 0\.100000$'
  refute_line --regexp '^  \[1/[0-9]+\] req.total$'
  refute_line --partial 'req.total ='
  refute_line --partial '"sda"] ='
  assert_stderr
}

@test "a name that picks nothing: status 1 in every mode, and the others are shown" {
  for mode in --metric=req.total --json --values --json-lines --openmetrics; do
    run_dump 1 "$mode" --metric none --metric state app
    assert_output --partial running
    assert_stderr "mmvdump: no metric is called 'none'"
  done
}

@test "it is enough to be in one of many files" {
  run_dump 0 --values --metric x --metric state app flat
  assert_output 'app: state "running"
flat: x 1'
  assert_stderr
}

@test "a metric without the instance that was asked for is there all the same" {
  values app 'disk.read[sdz]'
  assert_output ''
}

@test "mistakes are usage errors" {
  for selector in '' '[a]' 'a[' 'a[]' 'a[b' 'a[b]c' 'a["b]' 'a["\x"]' 'a[99999999999]'; do
    echo "selector: $selector"
    run_dump 2 --metric "$selector" app
    assert_output ''
    assert_equal "${#stderr_lines[@]}" 2
    assert_regex "${stderr_lines[0]}" '^mmvdump: -m/--metric: '
    assert_equal "${stderr_lines[1]}" "Try 'mmvdump --help' for more information."
  done
}
