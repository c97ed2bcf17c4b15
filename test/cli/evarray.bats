#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# evarray on files of packed event arrays: what it shows, finds and makes.

# shellcheck disable=SC2030,SC2031 # every test is a subshell of its own, and is meant to be
load helpers
load evarray-helpers

setup_file() {
  export ARRAYS=$BATS_FILE_TMPDIR/arrays BAD=$BATS_FILE_TMPDIR/bad
  mkdir "$ARRAYS" "$BAD"
  own arrays "$ARRAYS" 1 20
  event bad "$BAD" >"$BAD.table"
}

setup() {
  cd "$ARRAYS" || return
}

# --- the builder, and PCP's -------------------------------------------------------------------

@test "arrays are those of libpcp_pmda, but for padding, which is zero" {
  need "$PEERDIR/event-pcp"
  mkdir "$BATS_TEST_TMPDIR"/{own,pcp}
  own arrays "$BATS_TEST_TMPDIR/own" 7 100
  # What malloc gives is not zero.
  MALLOC_PERTURB_=165 pcp arrays "$BATS_TEST_TMPDIR/pcp" 7 100
  run -0 event same "$BATS_TEST_TMPDIR/pcp" "$BATS_TEST_TMPDIR/own"
  assert_output '228 arrays are the same'
}

@test "calls have the status that they have with libpcp_pmda" {
  need "$PEERDIR/event-pcp"
  run -0 diff <(pcp calls) <(own calls)
  assert_output ''
  [[ $(own calls | wc -l) -gt 80 ]]
}

@test "calls that libpcp_pmda has no answer to change nothing" {
  run -0 own undefined
  assert_output "$(for kind in us ns; do
    other=ns
    [[ $kind == us ]] || other=us
    printf "$kind %s: -22\n" 'param before any record' 'no string' 'no block' 'no atom' \
      'block without room for its header' 'param behind missed events' 'param after reset' \
      'no time' 'no time, missed'
    printf "$other %s: -22\n" 'record in an array of the other kind' \
      'missed in an array of the other kind'
    echo "$other address of an array of the other kind: 0"
    echo "$kind 16777171 bytes: 0"
    echo "$kind 1 byte too many: -12444"
  done)"
}

# --- dump -------------------------------------------------------------------------------------

@test "records as text, with the types that the array has" {
  run_evarray 0 dump alltypes0-us missed0-ns
  assert_stderr
  assert_output 'alltypes0-us: 2023-11-14 22:13:20.999999 point 29.0.130: -2147483648 29.0.130: 4294967295 29.0.130: -9223372036854775808 29.0.130: 18446744073709551615 29.0.130: 0.1 29.0.130: -1e+300 29.0.130: "abcdefg" 29.0.130: 0x0001020304
missed0-ns: 2023-11-14 22:13:20.000123456 missed=7
missed0-ns: 2023-11-14 22:13:21.000123456 point 29.0.130: 5
missed0-ns: 2023-11-14 22:13:22.000123456 missed=0
missed0-ns: 2023-11-14 22:13:23.000999999 missed=2147483647'
  run_evarray 0 dump allflags0-us
  assert_line --index 0 '2023-11-14 22:13:20.000001 start,id 29.0.130: "defgh"'
  assert_line --index 2 '2023-11-14 22:13:20.000003 5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30'
  run_evarray 0 dump flags00-us
  assert_output '2023-11-14 22:13:20.000000 - 29.0.130: 7'
}

@test "records as JSON lines" {
  run_evarray 0 dump --json-lines alltypes0-ns missed0-us
  assert_stderr
  assert_line --index 0 '{"file":"alltypes0-ns","timestamp":"2023-11-14T22:13:20.000999999Z","type":"highres_event","record":0,"flags":["point"],"params":[{"pmid":"29.0.130","type":"32","value":-2147483648},{"pmid":"29.0.130","type":"u32","value":4294967295},{"pmid":"29.0.130","type":"64","value":-9223372036854775808},{"pmid":"29.0.130","type":"u64","value":"18446744073709551615"},{"pmid":"29.0.130","type":"float","value":0.1},{"pmid":"29.0.130","type":"double","value":-1e+300},{"pmid":"29.0.130","type":"string","value":"abcdefg"},{"pmid":"29.0.130","type":"aggregate","value_b64":"AAECAwQ="}]}'
  assert_line --index 1 '{"file":"missed0-us","timestamp":"2023-11-14T22:13:20.123456Z","type":"event","record":0,"missed":7}'
  run_evarray 0 dump -l oddtime0-us
  assert_line --index 0 '{"timestamp_raw":[1700000000,1000000000],"type":"event","record":0,"flags":["point"],"params":[]}'
}

@test "records as CSV, one row a parameter" {
  run_evarray 0 dump --csv allflags0-us missed0-us
  assert_stderr
  assert_output "$(printf '%s\r\n' \
    'file,timestamp,metric,pmid,instance,instance_name,sampled,type,record,flags,missed,param,param_name,param_pmid,param_type,value' \
    'allflags0-us,2023-11-14T22:13:20.000001Z,,,,,,event,0,"start,id",,0,,29.0.130,string,defgh' \
    'allflags0-us,2023-11-14T22:13:20.000002Z,,,,,,event,1,"end,id,parent",,0,,29.0.130,u64,1' \
    'allflags0-us,2023-11-14T22:13:20.000002Z,,,,,,event,1,"end,id,parent",,1,,29.0.130,u64,2' \
    'allflags0-us,2023-11-14T22:13:20.000003Z,,,,,,event,2,"5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",,,,,,' \
    'missed0-us,2023-11-14T22:13:20.123456Z,,,,,,event,0,,7,,,,,' \
    'missed0-us,2023-11-14T22:13:21.123456Z,,,,,,event,1,point,,0,,29.0.130,u32,5' \
    'missed0-us,2023-11-14T22:13:22.123456Z,,,,,,event,2,,0,,,,,' \
    'missed0-us,2023-11-14T22:13:23.999999Z,,,,,,event,3,,2147483647,,,,,')"
}

@test "JSON lines and CSV say the same, and readers of theirs agree" {
  evarray dump --json-lines ./*-us ./*-ns >"$BATS_TEST_TMPDIR/lines"
  evarray dump --csv ./*-us ./*-ns >"$BATS_TEST_TMPDIR/rows"
  run -0 "$PYTHON" - "$BATS_TEST_TMPDIR/lines" "$BATS_TEST_TMPDIR/rows" <<'PYTHON'
import base64, csv, json, sys
expected = []
for line in open(sys.argv[1], encoding='utf-8'):
  record = json.loads(line)
  raw = record.get('timestamp_raw')
  unit = 'us' if record['type'] == 'event' else 'ns'
  time = record.get('timestamp') or f'{raw[0]}s{raw[1]:+}{unit}'
  head = [record['file'], time, '', '', '', '', '', record['type'], str(record['record']),
          ','.join(map(str, record.get('flags', []))), str(record.get('missed', ''))]
  rows = [[str(n), '', one['pmid'], one['type'], str(one.get('value'))] for n, one in enumerate(record.get('params', []))]
  for row, one in zip(rows, record.get('params', [])):
    if 'value_b64' in one:
      row[4] = '0x' + base64.b64decode(one['value_b64']).hex()
    elif isinstance(one['value'], float):
      row[4] = float(one['value'])
  expected += [head + row for row in rows or [[''] * 5]]
found = list(csv.reader(open(sys.argv[2], newline='', encoding='utf-8')))[1:]
for row in found:
  if row[14] in ('float', 'double') and row[15] not in ('nan', 'inf', '-inf'):
    row[15] = float(row[15])
assert len(found) > 1000, len(found)
for ours, theirs in zip(expected, found):
  assert ours == theirs, (ours, theirs)
assert len(expected) == len(found)
PYTHON
}

@test "filters: flags, parameters, their values" {
  run_evarray 0 dump --flag start,missed allflags0-us missed0-us
  assert_equal "${#lines[@]}" 4
  run_evarray 0 dump --flag none flags00-us allflags0-us
  assert_equal "${#lines[@]}" 1
  run_evarray 0 dump --param '29.0.*=de*' allflags0-us
  assert_output '2023-11-14 22:13:20.000001 start,id 29.0.130: "defgh"'
  run_evarray 0 dump --param '29.0.130=1' --param '29.0.130=2' allflags0-us
  assert_equal "${#lines[@]}" 1
  run_evarray 0 dump --param 29.0.131 allflags0-us
  assert_output ''
  run_evarray 2 dump --flag begin allflags0-us
  assert_output ''
  assert_stderr "evarray: -F/--flag: 'begin' is none of point, start, end, id, parent, missed, none
Try 'evarray --help' for more information."
  run_evarray 2 dump --flag '' allflags0-us
  run_evarray 2 dump --param '=x' allflags0-us
  assert_stderr "evarray: -p/--param: '=x' has no name
Try 'evarray --help' for more information."
}

@test "arrays without records are shown when asked for" {
  run_evarray 0 dump empty0-us
  assert_output ''
  run_evarray 0 dump --empty empty0-us
  assert_output 'records=0'
  run_evarray 0 dump --empty -l empty0-ns
  assert_output '{"type":"highres_event","records":0}'
}

@test "statistics" {
  run_evarray 0 dump --stats empty0-us missed0-us allflags0-ns
  assert_stderr
  assert_output 'arrays: 3
empty arrays: 1
bad arrays: 0
records: 7
records of missed events: 3
missed events: 2147483654
parameters: 4
parameters without name: 4'
  run_evarray 0 dump --stats -l missed0-us
  assert_output '{"arrays":1,"empty_arrays":0,"bad_arrays":0,"records":4,"missed_records":3,"missed_events":2147483654,"params":1,"unknown_params":1}'
}

@test "of a bad array the records before the damage are shown, and the next array is" {
  cd "$BAD"
  run_evarray 3 dump two-us records-2-of-1-us bad-and-good-us
  assert_output $'two-us: 2023-11-14 22:13:20.000001 point
two-us: 2023-11-14 22:13:20.000001 point 29.0.130: 1
records-2-of-1-us: 2023-11-14 22:13:20.000001 point
bad-and-good-us: 2023-11-14 22:13:20.000001 point 29.0.130: "\\xff"'
  assert_stderr 'evarray: records-2-of-1-us: record[1]: runs past the array, which has 24 bytes and says 2 records (offset 0x18)
evarray: bad-and-good-us: record[0]: -1 parameters (offset 0x14)'
  run_evarray 3 dump extra-us
  assert_stderr 'evarray: extra-us: 8 bytes behind the last array (offset 0x18)'
}

@test "standard input is a file too" {
  run -0 --separate-stderr evarray dump - <missed0-us
  assert_output "$(evarray dump missed0-us)"
}

# --- verify -----------------------------------------------------------------------------------

@test "each bad array breaks its rules, at their places" {
  cd "$BAD"
  local names
  mapfile -t names < <(cut -d' ' -f1 "$BAD.table")
  run -3 --separate-stderr evarray verify "${names[@]}"
  assert_stderr
  sed -E 's/^([^:]*):([0-9]+):.*\[(...)\]$/\1 \3 \2/' <<<"$output" |
    awk -v table="$BAD.table" '{ found[$1] = found[$1] " " $2 " " $3 }
      END { while ((getline line <table) > 0) { split(line, part, " "); print part[1] found[part[1]] } }' \
      >"$BATS_TEST_TMPDIR/found"
  diff -u "$BAD.table" "$BATS_TEST_TMPDIR/found"
  [[ ${#names[@]} -gt 200 ]]
}

@test "findings as text and as JSON; warnings end with 0" {
  cd "$BAD"
  run_evarray 0 verify padding-us start-end-us
  assert_stderr
  assert_output 'padding-us:37: warning: record[0].param[0]: padding is not zero; nobody looks at them, but they may be memory of the agent that anyone can read [W04]
start-end-us:16: warning: record[0]: flags start and end together; readers cannot tell which of the two it is [W08]'
  run_evarray 3 verify --strict padding-us
  run_evarray 3 verify --strict start-end-us
  run_evarray 0 verify --strict --ignore W08 start-end-us
  assert_output ''
  run_evarray 3 verify --json params--1-us two-us
  assert_stderr
  [[ $output == '{"schema":"pcputils/evarray-verify","version":1,"findings":['* ]] || fail "$output"
  run -0 jq -c '[.findings[] | .file, .offset, .severity, .rule, .place], .summary, .arrays, .records' <<<"$output"
  assert_output '["params--1-us",20,"error","E08","record[0]"]
{"errors":1,"warnings":0,"notes":0}
3
2'
}

@test "good arrays are good" {
  run_evarray 0 verify --ignore E07,W02,W03,W12 ./*s
  assert_stderr
  refute_output --partial error
  run_evarray 0 verify --strict alltypes0-us alltypes0-ns large0-us
  assert_output ''
}

@test "all rules are listed, and unknown ones refused" {
  run_evarray 0 verify --rules
  assert_stderr
  run -0 sed -n 's/^rule: //p' <<<"$output"
  assert_output "$(printf 'E%02d\n' {1..13}; printf 'W%02d\n' {1..13})"
  run_evarray 2 verify --ignore E99 alltypes0-us
  assert_output ''
  assert_stderr "evarray: -i/--ignore: there is no rule 'E99'
Try 'evarray --help' for more information."
}

# --- pack -------------------------------------------------------------------------------------

@test "a dump is packed into the same bytes" {
  local name
  for name in *0-{us,ns}; do # the rest is for the fuzz target
    evarray dump --empty --json-lines "$name" >"$BATS_TEST_TMPDIR/lines"
    evarray pack --compat "$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/packed"
    cmp "$name" "$BATS_TEST_TMPDIR/packed"
  done
}

@test "lines of two kinds are not packed into one array, unless that is asked for" {
  evarray dump -l missed0-us missed0-ns >"$BATS_TEST_TMPDIR/lines"
  run_evarray 3 pack "$BATS_TEST_TMPDIR/lines"
  assert_output ''
  assert_stderr "evarray: $BATS_TEST_TMPDIR/lines: 5:74: type: another one than that of the records before"
  run_evarray 0 dump --stats <(evarray pack --resolution ns "$BATS_TEST_TMPDIR/lines")
  assert_line 'records: 8'
}

@test "in the other byte order, both ways" {
  local name
  for name in alltypes0-us strings0-ns missed0-ns numbers0-us; do
    event big-endian "$name" "$BATS_TEST_TMPDIR/wire"
    evarray dump -l "$name" | evarray pack --big-endian >"$BATS_TEST_TMPDIR/packed"
    cmp "$BATS_TEST_TMPDIR/wire" "$BATS_TEST_TMPDIR/packed"
    run -0 evarray dump "$BATS_TEST_TMPDIR/wire"
    assert_output "$(evarray dump "$name")"
  done
}

pack() {
  printf '%s\n' "$1" >"$BATS_TEST_TMPDIR/lines"
  shift
  run --separate-stderr evarray pack "$@" "$BATS_TEST_TMPDIR/lines"
}

# refused LINES MESSAGE [OPTION...]
refused() {
  local text=$1 message=$2
  shift 2
  pack "$text" "$@"
  # shellcheck disable=SC2154
  assert_equal "$status" 3
  assert_output ''
  assert_stderr "evarray: $BATS_TEST_TMPDIR/lines: $message"
}

@test "what cannot be packed is refused, with its place" {
  local good='{"timestamp":"2026-11-30T12:00:00Z"}'
  refused '[]' '1:1: an object is due'
  refused "$good"$'\n{' "2:1: string or '}' expected near end of file"
  refused '{}' '1:1: "timestamp" is missing'
  refused '{"timestamp":7}' '1:14: timestamp: a string is due, this is a number'
  refused '{"timestamp":"2026-11-30T12:00:00.1234567Z","type":"event"}' \
    '1:14: timestamp: more digits than the six of an event array'
  refused '{"timestamp":"2100-01-01T00:00:00Z"}' \
    '1:1: a time that an event array cannot hold: its seconds have 32 bits'
  refused '{"timestamp":"2026-11-30T12:00:00Z","missed":-1}' '1:1: less than 0 events missed'
  refused '{"timestamp":"2026-11-30T12:00:00Z","flags":["missed"]}' \
    '1:46: flags[0]: no flag of a record: give "missed" and how many'
  refused '{"timestamp":"2026-11-30T12:00:00Z","flags":[31]}' '1:46: flags[0]: 31 is not from 0 to 30'
  refused '{"timestamp":"2026-11-30T12:00:00Z","params":[{"type":"u32","value":1}]}' \
    '1:47: params[0]: "pmid" is missing'
  refused '{"timestamp":"2026-11-30T12:00:00Z","params":[{"pmid":"1.2.3","type":"aggregate_static","value":""}]}' \
    '1:70: params[0].type: none of 32, u32, 64, u64, float, double, string, aggregate'
  refused '{"timestamp":"2026-11-30T12:00:00Z","params":[{"pmid":"1.2.3","type":"u32","value":-1}]}' \
    '1:84: params[0].value: -1 is not from 0 to 4294967295'
  refused '{"timestamp":"2026-11-30T12:00:00Z","params":[{"pmid":"1.2","type":"u32","value":1}]}' \
    '1:55: params[0].pmid: not a PMID, as in "29.0.130"'
  refused '{"timestamp":"2026-11-30T12:00:00Z","params":[{"pmid":"1.2.3","type":"string","value_b64":"YQBi"}]}' \
    '1:47: params[0].value: a NUL would end the string'
}

@test "what is left out: flags, params, type, zone, digits" {
  pack '{"timestamp":"2026-11-30T12:00:00.5Z"}'
  assert_equal "$status" 0
  run -0 evarray dump -l <(evarray pack "$BATS_TEST_TMPDIR/lines")
  assert_output '{"timestamp":"2026-11-30T12:00:00.5Z","type":"event","record":0,"flags":["point"],"params":[]}'
  echo '{"timestamp":"2026-11-30T12:00:00.123456789Z","type":"event"}' >"$BATS_TEST_TMPDIR/lines"
  run -0 evarray dump -l <(evarray pack --truncate "$BATS_TEST_TMPDIR/lines")
  assert_output --partial '"2026-11-30T12:00:00.123456Z","type":"event"'
  run -0 evarray dump -l <(evarray pack -r ns "$BATS_TEST_TMPDIR/lines")
  assert_output --partial '"2026-11-30T12:00:00.123456789Z","type":"highres_event"'
  echo '{"timestamp":"2100-01-01T00:00:00Z","missed":-5}' >"$BATS_TEST_TMPDIR/lines"
  run -0 evarray dump <(evarray pack --compat "$BATS_TEST_TMPDIR/lines")
  assert_output '1963-11-25 17:31:44.000000 missed=-5'
  run -0 evarray dump --empty -l <(evarray pack /dev/null)
  assert_output '{"type":"event","records":0}'
}

@test "arrays of a size at most, none of them without records" {
  evarray dump -l growing0-us strings0-us >"$BATS_TEST_TMPDIR/lines"
  run -0 evarray dump --stats <(evarray pack --max-bytes 200 "$BATS_TEST_TMPDIR/lines")
  assert_line 'arrays: 17'
  assert_line 'empty arrays: 0'
  assert_line 'records: 70'
  run -0 evarray verify <(evarray pack --max-bytes 200 "$BATS_TEST_TMPDIR/lines")
  assert_output ''
  run -1 --separate-stderr evarray pack --max-bytes 30 "$BATS_TEST_TMPDIR/lines"
  assert_output ''
  assert_stderr "evarray: $BATS_TEST_TMPDIR/lines: 1:1: one record is larger than 30 bytes"
}

@test "usage of verbs and their options" {
  run_evarray 2 dump
  assert_stderr "evarray: FILE is missing
Try 'evarray --help' for more information."
  run_evarray 2 verify
  run_evarray 2 pack one two
  assert_stderr "evarray: one FILE at a time
Try 'evarray --help' for more information."
  run_evarray 2 pack --stats one
  assert_output ''
  run_evarray 2 dump --csv --json-lines one
  run_evarray 2 pack --max-bytes 16777216 one
}
