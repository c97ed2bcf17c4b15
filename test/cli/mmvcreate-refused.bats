#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What mmvcreate does not take: where it stands, and what is wrong with it.

# shellcheck disable=SC2154 # run sets stderr
load helpers
load mmvcreate-helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

X256=$(printf 'x%.0s' {1..256})
INDOM='"indoms":[{"name":"x","instances":["a"]}],'

# --- text that is no JSON ---------------------------------------------------------------------

@test "not JSON" {
  refused '' "1:1: '[' or '{' expected near end of file"
  refused $' \n\t' "2:1: '[' or '{' expected near end of file"
  refused 'hello' "1:5: '[' or '{' expected near 'hello'"
  refused '{"metrics":[]' "1:13: '}' expected near end of file"
  refused '{"metrics":[]} x' "1:16: end of file expected near 'x'"
  refused $'{\n  "metrics": [\n    {"name" "m"}]}' "3:15: ':' expected near '\"m\"'"
  refused '{"metrics":[{"name":"m","value":01}]}' "1:33: invalid token near '0'"
  refused $'{"metrics":[{"name":"\xff"}]}' '1:21: unable to decode byte 0xff near '\''"'\'
  refused '{"metrics":[{"name":"a\u0000b"}]}' '1:30: a NUL would end the text'
}

@test "not JSON among the values" {
  refused '{"metrics":[{"name":"m"}],"values":[{"metric":0},]}' "1:50: unexpected token near ']'"
  # What the text is comes before what it says.
  refused $'{"metrics":[7],"values":[{"val":1},\n {"metric" 0}]}' "2:12: ':' expected near '0'"
  refused $'{"files":[{"metrics":[],"values":[1,\n {"metric":0,"metric":0}]}]}' \
    $'2:21: duplicate object key near \'"metric"\''
}

@test "a member that is there twice" {
  refused '{"metrics":[{"name":"m",
   "name":"n"}]}' '2:9: duplicate object key near '\''"name"'\'
}

@test "numbers that are too large" {
  refused "$(metric '"value":99999999999999999999')" "1:52: too big integer near '99999999999999999999'"
  refused "$(metric '"type":"double","value":1e999')" "1:53: real number overflow near '1e999'"
}

@test "deep nesting" {
  { printf '{"metrics":[],"x":' && printf '[%.0s' {1..100000}; } >deep
  run_create 3 --output made deep
  assert_output ''
  assert_stderr "mmvcreate: deep: 1:2066: maximum parsing depth reached near '['"
  # As deep as that is allowed, and does no harm.
  # shellcheck disable=SC2016 # Python's
  "$PYTHON" -c 'print("{\"metrics\":[{\"name\":\"m\",\"$x\":" + "[" * 2000 + "]" * 2000 + "}]}")' >deep
  run_create 0 --output made deep
  assert_stderr
}

@test "garbage" {
  head -c 100000 "$MMVCREATE" >garbage
  run_create 3 --output made garbage
  assert_output ''
  assert_regex "$stderr" '^mmvcreate: garbage: 1:1: '
  head -c 100000 /dev/zero >garbage
  run_create 3 --output made garbage
  assert_regex "$stderr" '^mmvcreate: garbage: 1:1: '
}

# --- members that there are not ---------------------------------------------------------------

@test "slips of the pen do not pass for defaults" {
  refused '{"metrics":[],"label":{}}' '1:23: label: there is no such member'
  refused '{"metrics":[],"header":{"flag":[]}}' '1:32: header.flag: there is no such member'
  refused "$(metric '"unit":"count"')" '1:32: metrics[0].unit: there is no such member'
  refused "$(metric '"item_b64":"YQ=="')" '1:36: metrics[0].item_b64: there is no such member'
  refused "$(metric '' '"indoms":[{"instances":[{"name":"a","id":1}]}]')" \
    '1:43: indoms[0].instances[0].id: there is no such member'
  refused "$(metric '' '"indoms":[{"help":"x"}]')" '1:20: indoms[0].help: there is no such member'
  refused "$(metric '' '"values":[{"metric":0,"val":1}]')" '1:30: values[0].val: there is no such member'
  refused "$(metric '' '"labels":[{"level":"registry","label":{}}]')" '1:40: labels[0].label: there is no such member'
  refused '{"files":[{"metrics":[]}],"x\u001b":1}' '1:1: x\x1b: there is no such member'
}

# --- the document -----------------------------------------------------------------------------

@test "not one file" {
  refused '[]' '1:1: an object is due'
  refused '{}' '1:1: "metrics" is missing'
  refused '{"file":"x","errors":[{"message":"cannot open"}]}' \
    '1:22: errors: this is the dump of a damaged file: remove this member to make one of what could be read'
  refused '{"schema":"pcputils/mmvcheck","files":[{"metrics":[]}]}' '1:11: schema: "pcputils/mmvdump" is due'
  refused '{"version":2,"files":[{"metrics":[]}]}' '1:12: version: 2 is not from 1 to 1'
  refused '{"files":[]}' '1:10: files: one file is due, this is a document about 0'
  refused '{"files":{}}' '1:10: files: one file is due, this is a document about 0'
  refused '{"files":[{"metrics":[]},{"metrics":[]}]}' '1:10: files: one file is due, this is a document about 2'
  refused '{"files":[7]}' '1:11: files[0]: an object is due'
  refused '{"files":[{"metrics":[{}]}]}' '1:23: files[0].metrics[0]: a metric without a name'
}

@test "kinds of members" {
  refused '{"metrics":{}}' '1:12: metrics: a list is due, this is an object'
  refused '{"metrics":["m"]}' '1:13: metrics[0]: an object is due'
  refused '{"metrics":[{"name":1}]}' '1:21: metrics[0].name: a string is due, this is a number'
  refused '{"indoms":3,"metrics":[]}' '1:11: indoms: a list is due, this is a number'
  refused '{"indoms":[null],"metrics":[]}' '1:12: indoms[0]: an object is due'
  refused '{"indoms":[{"instances":{}}],"metrics":[]}' '1:25: indoms[0].instances: a list is due, this is an object'
  refused '{"indoms":[{"instances":[5]}],"metrics":[]}' '1:26: indoms[0].instances[0]: the name of an instance is due'
  refused '{"indoms":[{"instances":[{}]}],"metrics":[]}' '1:26: indoms[0].instances[0]: the name of an instance is due'
  refused '{"other_instances":true,"metrics":[]}' '1:20: other_instances: a list is due, this is a boolean'
  refused '{"values":"x","metrics":[]}' '1:11: values: a list is due, this is a string'
  refused '{"values":[[]],"metrics":[]}' '1:12: values[0]: an object is due'
  refused '{"labels":[null],"metrics":[]}' '1:12: labels[0]: an object is due'
  refused '{"labels":7,"metrics":[]}' '1:11: labels: an object of names and values is due'
  refused '{"file":7,"metrics":[]}' '1:9: file: a string is due, this is a number'
}

# --- header -----------------------------------------------------------------------------------

header() {
  refused "{\"header\":$1,\"metrics\":[]}" "1:$2"
}

@test "header" {
  header '[]' '11: header: an object is due'
  header '{"version":4}' '22: header.version: 4 is not from 1 to 3'
  header '{"version":0}' '22: header.version: 0 is not from 1 to 3'
  header '{"version":"new"}' '22: header.version: an integer is due, this is a string'
  header '{"generation1":-1}' '26: header.generation1: -1 is not from 0 to 18446744073709551615'
  header '{"generation1":1.5}' '26: header.generation1: an integer from 0 to 18446744073709551615 is due, this is a number'
  header '{"generation1":"18446744073709551616"}' \
    '26: header.generation1: an integer from 0 to 18446744073709551615 is due, this is a string'
  header '{"flags":"process"}' '20: header.flags: a list is due, this is a string'
  header '{"flags":["process","x"]}' '31: header.flags[1]: "noprefix", "process" or "sentinel" is due'
  header '{"flags":[1]}' '21: header.flags[0]: "noprefix", "process" or "sentinel" is due'
  header '{"flags_raw":"0x100000000"}' '24: header.flags_raw: more than 32 bits'
  header '{"flags_raw":"12"}' '24: header.flags_raw: a hexadecimal number in quotes is due, as in "0x1f"'
  header '{"flags_raw":12}' '24: header.flags_raw: a hexadecimal number in quotes is due, as in "0x1f"'
  header '{"pid":"me"}' '18: header.pid: an integer is due, this is a string'
  header '{"pid":2147483648}' '18: header.pid: 2147483648 is not from -2147483648 to 2147483647'
  header '{"cluster":null}' '22: header.cluster: an integer is due, this is null'
  header '{"cluster":-2147483649}' '22: header.cluster: -2147483649 is not from -2147483648 to 2147483647'
}

# --- metrics and domains ----------------------------------------------------------------------

of_metric() {
  refused "$(metric "$1")" "1:$2"
}

@test "texts that are too long, or hold a NUL" {
  of_metric "\"shorttext\":\"$X256\"" '37: metrics[0].shorttext: 256 bytes are too long: at most 255'
  of_metric "\"helptext\":\"$X256\"" '36: metrics[0].helptext: 256 bytes are too long: at most 255'
  of_metric '"helptext_b64":"AA=="' '13: metrics[0].helptext: a NUL would end the text'
  refused "{\"metrics\":[{\"name\":\"$X256\"}]}" '1:21: metrics[0].name: 256 bytes are too long: at most 255'
  refused "{\"indoms\":[{\"instances\":[\"$X256\"]}],\"metrics\":[]}" \
    '1:26: indoms[0].instances[0]: 256 bytes are too long: at most 255'
  refused "{\"indoms\":[{\"instances\":[{\"name\":\"$X256\"}]}],\"metrics\":[]}" \
    '1:34: indoms[0].instances[0].name: 256 bytes are too long: at most 255'
  refused "{\"other_instances\":[\"$X256\"],\"metrics\":[]}" '1:21: other_instances[0]: 256 bytes are too long: at most 255'
  of_metric "\"type\":\"string\",\"value\":\"$X256\"" '49: metrics[0].value: 256 bytes are too long: at most 255'
  of_metric '"type":"string","value_b64":"QQBB"' '13: metrics[0].value: a NUL would end the text'
}

@test "names that version 1 has no room for" {
  local long=${X256:0:64}
  refused "{\"header\":{\"version\":1},\"metrics\":[{\"name\":\"$long\"}]}" '1:44: metrics[0].name: 64 bytes are too long: at most 63'
  refused "{\"header\":{\"version\":1},\"indoms\":[{\"instances\":[\"$long\"]}],\"metrics\":[]}" \
    '1:49: indoms[0].instances[0]: 64 bytes are too long: at most 63'
}

@test "base 64 that is none" {
  for text in A AAA AA=A A=== ==== '!!!!' 'AA==AA=='; do
    of_metric "\"helptext_b64\":\"$text\"" '13: metrics[0]: helptext_b64 is not base64'
  done
  of_metric '"helptext_b64":5' '13: metrics[0]: helptext_b64 is not a string'
}

@test "items, types, semantics" {
  of_metric '"item":-1' '32: metrics[0].item: -1 is not from 0 to 4294967295'
  of_metric '"item":4294967296' '32: metrics[0].item: 4294967296 is not from 0 to 4294967295'
  of_metric '"item":"x"' '32: metrics[0].item: an integer from 0 to 4294967295 is due, this is a string'
  of_metric '"type":"int"' '32: metrics[0].type: a type is due: 32 u32 64 u64 float double string elapsed nosupport'
  of_metric '"type":32' '32: metrics[0].type: a type is due: 32 u32 64 u64 float double string elapsed nosupport'
  of_metric '"type":"unknown"' '32: metrics[0].type: a type is due: 32 u32 64 u64 float double string elapsed nosupport'
  of_metric '"sem":"gauge"' '31: metrics[0].sem: semantics are due: counter instant discrete unset'
  of_metric '"sem":1' '31: metrics[0].sem: semantics are due: counter instant discrete unset'
  of_metric '"sem_raw":2147483648' '35: metrics[0].sem_raw: 2147483648 is not from -2147483648 to 2147483647'
}

@test "units" {
  of_metric '"units":"parsecs"' '33: metrics[0].units: "parsecs" is no unit that PCP knows'
  of_metric '"units":"2 count"' '33: metrics[0].units: "2 count" is 2 times a unit; only the unit itself can be stored'
  of_metric '"units":5' '33: metrics[0].units: a text or a list of numbers is due'
  of_metric '"units":[1,2,3]' '33: metrics[0].units: 6 or 8 numbers are due'
  of_metric '"units":[0,0,0,0,0,0,0]' '33: metrics[0].units: 6 or 8 numbers are due'
  of_metric '"units":[0,0,8,0,0,0]' '38: metrics[0].units[2]: 8 is not from -8 to 7'
  of_metric '"units":[0,0,0,-1,0,0]' '40: metrics[0].units[3]: -1 is not from 0 to 15'
  of_metric '"units":[0,0,0,0,0,"x"]' '44: metrics[0].units[5]: an integer is due, this is a string'
  of_metric '"extra_units":"W/m"' '39: metrics[0].extra_units: such as "degrees C", "mV" or "kW" is due'
  of_metric '"units_raw":"0x"' '37: metrics[0].units_raw: a hexadecimal number in quotes is due, as in "0x1f"'
}

@test "instance domains that are not there" {
  of_metric '"indom":"x"' '33: metrics[0].indom: no indom is called "x"'
  refused "$(metric '"indom":"x"' '"indoms":[{"name":"x"},{"name":"x"}]')" \
    '1:70: metrics[0].indom: more than one indom is called "x"'
  of_metric '"indom":5' '33: metrics[0].indom: the name of an indom is due; "serial" takes its number'
  breaks "$(metric '"serial":5')" '1:13: metrics[0]' unknown-indom
}

# --- values -----------------------------------------------------------------------------------

value() {
  refused "$(metric '"type":"'"$1"'","value":'"$2")" "1:$((43 + ${#1})): metrics[0].value: $3"
}

@test "values out of range, and of another kind" {
  value 32 2147483648 '2147483648 is not from -2147483648 to 2147483647'
  value 32 -2147483649 '-2147483649 is not from -2147483648 to 2147483647'
  value 32 1.0 'an integer is due, this is a number'
  value u32 -1 '-1 is not from 0 to 4294967295'
  value u32 4294967296 '4294967296 is not from 0 to 4294967295'
  value 64 '"9223372036854775808"' 'an integer is due, this is a string'
  value 64 '"-9223372036854775809"' 'an integer is due, this is a string'
  value u64 -1 '-1 is not from 0 to 18446744073709551615'
  value u64 '"18446744073709551616"' 'an integer from 0 to 18446744073709551615 is due, this is a string'
  value u64 '" 1"' 'an integer from 0 to 18446744073709551615 is due, this is a string'
  value float 1e39 '1e+39 is too large for a float'
  value float -3.5e38 '-3.5e+38 is too large for a float'
  value float '"NaN"' 'a number is due, this is a string'
  value double '"1.5"' 'a number is due, this is a string'
  value double true 'a number is due, this is a boolean'
  value string 5 'a string is due'
  value elapsed 0.5 'an integer is due, this is a number'
  value u64 '[1]' 'an integer from 0 to 18446744073709551615 is due, this is a list'
  value u64 null 'null is no value in a file without the flag "sentinel"'
}

@test "intervals" {
  of_metric '"type":"elapsed","started":5' '52: metrics[0].started: a time is due, or "now"'
  of_metric '"type":"elapsed","started":"soon"' \
    '52: metrics[0].started: "soon" does not begin with 4 digits of the year'
  of_metric '"type":"elapsed","started":"1969-12-31T23:59Z"' '52: metrics[0].started: a time after 1970 is due'
  of_metric '"type":"u64","started":"now"' '48: metrics[0].started: only type elapsed knows intervals'
  of_metric '"type":"elapsed","extra":1.5' '50: metrics[0].extra: an integer is due, this is a number'
  of_metric '"raw":7' '31: metrics[0].raw: a hexadecimal number in quotes is due, as in "0x1f"'
}

@test "values for instances" {
  refused "{$INDOM"'"metrics":[{"name":"m","indom":"x","values":{"b":1}}]}' \
    '1:93: metrics[0].values.b: indom 1 has no instance of this name'
  refused "{$INDOM"'"metrics":[{"name":"m","indom":"x","values":[1]}]}' '1:88: metrics[0].values: an object of names and values is due'
  refused "{$INDOM"'"metrics":[{"name":"m","indom":"x","values":{"a":-1}}]}' \
    '1:93: metrics[0].values.a: -1 is not from 0 to 18446744073709551615'
  of_metric '"values":{"a":1}' \
    '39: metrics[0].values.a: the metric has no instances'
}

@test "values in the list" {
  local metrics="$INDOM"'"metrics":[{"name":"m","indom":"x"}]'
  refused "{$metrics"',"values":[{"value":1}]}' '1:91: values[0]: a value without a metric'
  refused "{$metrics"',"values":[{"name":"n"}]}' '1:91: values[0]: there is no metric "n"'
  refused "{$metrics"',"values":[{"metric":1}]}' '1:91: values[0]: there is no metric 1'
  refused "{$metrics"',"values":[{"metric":-1}]}' '1:101: values[0].metric: -1 is not from 0 to 18446744073709551615'
  refused "{$metrics"',"values":[{"name":"m","instance":7}]}' '1:91: values[0]: indom 1 has no instance 7'
  refused "{$metrics"',"values":[{"name":"m","instance_name":"b"}]}' '1:91: values[0]: indom 1 has no instance "b"'
  refused "{$metrics"',"values":[{"name":"m","instance":0,"value":-1}]}' \
    '1:124: values[0].value: -1 is not from 0 to 18446744073709551615'
}

# --- labels -----------------------------------------------------------------------------------

@test "labels" {
  local x236=${X256:0:236}
  of_metric '"labels":[]' '34: metrics[0].labels: an object of names and values is due'
  of_metric "\"labels\":{\"a\":\"$x236\"}" '39: metrics[0].labels.a: 244 bytes are too long: at most 243'
  refused "{$INDOM"'"metrics":[],"labels":[{"labels":{"a":1}}]}' \
    '1:67: labels[0].level: "registry", "indom", "item" or "instance" is due'
  refused '{"metrics":[],"labels":[{"level":"metric","labels":{"a":1}}]}' \
    '1:34: labels[0].level: "registry", "indom", "item" or "instance" is due'
  refused '{"metrics":[],"labels":[{"level":"item","labels":{"a":1}}]}' \
    '1:25: labels[0]: "identity" is missing: a serial, or the item of a metric'
  refused '{"metrics":[],"labels":[{"level":"registry"}]}' '1:25: labels[0]: a label without "labels"'
  refused '{"metrics":[],"labels":[{"level":"registry","labels":[1]}]}' '1:25: labels[0]: "labels" is not an object'
  refused '{"metrics":[],"labels":[{"level":"registry","optional":1,"labels":{"a":1}}]}' \
    '1:56: labels[0].optional: true or false is due, this is a number'
}

# --- rules ------------------------------------------------------------------------------------

effect() {
  "$MMVCHECK" --rules --json | jq -r --arg rule "$1" '.rules[] | select(.rule == $rule) | .effect'
}

# breaks TEXT PLACE RULE: just that rule, there. What the number is, is told by the rule.
breaks() {
  spec "$1"
  run_create 3 --output made spec
  assert_output ''
  assert_equal "${#stderr_lines[@]}" 1
  [[ $stderr == "mmvcreate: spec: $2: "?*"; $(effect "$3") [$3]" ]] || fail "$stderr"
  assert_file_not_exist made
}

@test "what the agent would drop, at its place" {
  breaks '{"header":{"cluster":4096},"metrics":[{"name":"m"}]}' '1:11: header' cluster-range
  breaks '{"header":{"generation1":0},"metrics":[{"name":"m"}]}' '1:11: header' generation-zero
  breaks '{"header":{"flags":["process"],"pid":2147483647},"metrics":[{"name":"m"}]}' '1:11: header' process-gone
  breaks "$(metric '"item":1024')" '1:13: metrics[0]' item-range
  breaks '{"metrics":[{"name":"a b"}]}' '1:13: metrics[0]' metric-name
  breaks $'{"metrics":[\n  {"name":"a"},\n  {"name":"a.b"}\n]}' '3:3: metrics[1]' leaf-and-branch
  breaks '{"metrics":[{"name":"a"},{"name":"a"}]}' '1:26: metrics[1]' duplicate-name
  breaks '{"metrics":[{"name":"a","item":1},{"name":"b","item":1}]}' '1:35: metrics[1]' duplicate-item
  breaks '{"files":[{"metrics":[{"name":"m","type":"unknown","type_raw":8}]}]}' '1:23: files[0].metrics[0]' type-crash
  breaks '{"indoms":[{"serial":4194304,"instances":["a"]}],"metrics":[{"name":"m"}]}' '1:12: indoms[0]' serial-range
  breaks '{"indoms":[{"instances":[{"name":"a","instance":1},"b"]}],"metrics":[{"name":"m"}]}' \
    '1:52: indoms[0].instances[1]' duplicate-instance-id
  breaks '{"metrics":[{"name":"m"}],"values":[{"name":"m"},{"name":"m"}]}' '1:50: values[1]' value-duplicate
  breaks "$(metric '"labels":{"1a":1}')" '1:40: metrics[0].labels.1a' label-name
  breaks '{"metrics":[{"name":"m"}],"labels":[{"level":"item","identity":1,"payload":"[]"}]}' '1:37: labels[0]' label-json
  breaks '{"metrics":[{"name":"m"}],"labels":{"b":1}}' '1:41: labels.b' label-auto-cluster
  breaks '{"header":{"cluster":5},"metrics":[{"name":"m"}],"labels":[{"level":"registry","identity":6,"labels":{"a":1}}]}' \
    '1:60: labels[0]' label-cluster
  breaks '{"metrics":[{"name":"m"}],"labels":[{"level":"item","identity":9,"labels":{"a":1}}]}' '1:37: labels[0]' label-target
  breaks '{"metrics":[{"name":"m"}],"labels":[{"level":"unknown","flags_raw":"0x1","identity":1,"labels":{"a":1}}]}' \
    '1:37: labels[0]' label-level
}

@test "a name of the file that would be part of no metric's name" {
  spec "$(metric)"
  run_create 3 --output a-b spec
  assert_output ''
  [[ $stderr == 'mmvcreate: spec: '*'; the file'\''s name is part of every metric'\''s name, '*' [file-name]' ]] || fail "$stderr"
  run_create 0 --output a-b --allow file-name spec
  spec "$(metric '' '"header":{"flags":["noprefix"]}')"
  run_create 0 --force --output a-b spec
}

@test "what is odd and yet shown is written" {
  made '{"metrics":[{"name":"m","sem":"unset","labels":{"a":1}}]}'
}

@test "--allow: a rule, several, all" {
  local text='{"header":{"cluster":4096},"metrics":[{"name":"a b","item":1024},{"name":"c","item":1024}]}'
  spec "$text"
  run_create 3 --output made spec
  assert_output ''
  assert_equal "${#stderr_lines[@]}" 4
  run_create 3 --output made --allow cluster-range spec
  assert_equal "${#stderr_lines[@]}" 3
  made "$text" --allow cluster-range,item-range,metric-name
  made "$text" -a cluster-range,item-range -a metric-name
  made "$text" --allow all
  made "$text" --allow=all
}

@test "--allow: rules that are none" {
  spec "$(metric)"
  run_create 2 --output made --allow nonsense spec
  assert_output ''
  assert_stderr "mmvcreate: -a/--allow: there is no rule 'nonsense': see 'mmvcheck --rules'
Try 'mmvcreate --help' for more information."
  run_create 2 --output made --allow item-range,x spec
  assert_equal "${stderr_lines[0]}" "mmvcreate: -a/--allow: there is no rule 'x': see 'mmvcheck --rules'"
  assert_file_not_exist made
}

@test "many complaints: the first twenty, and how many more" {
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}", "item": 1024 + i} for i in range(1000)]}))' >spec
  run_create 3 --output made spec
  assert_output ''
  assert_equal "${#stderr_lines[@]}" 21
  assert_equal "${stderr_lines[20]}" 'mmvcreate: spec: and 980 more of the kind'
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}", "item": 1024 + i} for i in range(20)]}))' >spec
  run_create 3 --output made spec
  assert_equal "${#stderr_lines[@]}" 20
}

@test "names that would drive the terminal are escaped in messages" {
  refused '{"metrics":[{"name":"m","indom":"\u001b[31m\n"}]}' '1:33: metrics[0].indom: no indom is called "\x1b[31m\n"'
  breaks "$(metric '"labels":{"\u001b\n":1}')" '1:34: metrics[0].labels.\x1b\n' label-name
}

@test "the schema allows all that was made here" {
  schema_allows_all
}
