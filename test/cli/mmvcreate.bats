#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What mmvcreate makes of each member of a description, and of what is left out.

# shellcheck disable=SC2016 # jq and Python have a $ too
load helpers
load mmvcreate-helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

little_endian() {
  [[ $(printf '\1\0' | od -An -t u2) == *' 1' ]] || skip "the bytes are those of the other order"
}

# --- bytes ------------------------------------------------------------------------------------

@test "files of versions 1, 2 and 3, byte by byte" {
  little_endian
  local version golden=$SRCDIR/test/golden/mmvcreate
  for version in 1 2 3; do
    run_create 0 --allow all --output "v$version" "$golden/v$version.json"
    assert_output ''
    assert_stderr
    specs bytes "$golden/v$version.hex" >expected
    cmp expected "v$version"
    specs valid "$SPEC_SCHEMA" "$golden/v$version.json"
  done
}

@test "the same description makes the same bytes" {
  made "$SHOP"
  mv made once
  made "$SHOP"
  cmp once made
  run_create 0 --output - spec
  create --output - spec | cmp once -
}

@test "no byte is set that belongs to no field" {
  made "$SHOP"
  run -0 specs zeros made
  assert_output --regexp '^[0-9]+ bytes unused$'
  create --allow all --output v1 "$SRCDIR/test/golden/mmvcreate/v1.json"
  create --allow all --output v2 "$SRCDIR/test/golden/mmvcreate/v2.json"
  specs zeros v1 v2
}

@test "a checker finds nothing in what a good description makes" {
  made "$SHOP"
  mv made shop
  finds_nothing shop
}

# --- the smallest -----------------------------------------------------------------------------

@test "a name is enough: everything else has a default" {
  made '{"metrics":[{"name":"m"}]}'
  assert_field '.header | [.version, .flags, .flags_raw, .pid, .cluster]' '[1,[],"0x0",0,0]'
  assert_field '.metrics[0] | [.item, .type, .sem, .units, .units_raw, .indom_raw, .shorttext, .helptext]' \
    '[1,"u64","instant","","0x0",4294967295,null,null]'
  assert_field '.values' '[{"metric":0,"name":"m","value":0,"raw":"0x0","offset":176}]'
  assert_field '[.indoms, .other_instances, .strings, .labels]' '[[],[],[],[]]'
  assert_field '.toc | map(.type)' '["metrics","values"]'
  assert_field .size 208
}

@test "the generation is the time, as PCP's library has it" {
  local before after seconds microseconds
  before=$(date +%s)
  made "$(metric)"
  after=$(date +%s)
  seconds=$(($(word 8 u8) >> 32))
  microseconds=$(($(word 8 u8) & 0xffffffff))
  ((before <= seconds && seconds <= after && microseconds < 1000000))
  assert_equal "$(word 16 u8)" "$(word 8 u8)"
  made "$(metric '' '"header":{"generation1":"now"}')"
  ((seconds <= $(word 8 u8) >> 32))
}

@test "there may be no metrics, if that is said" {
  made '{"metrics":[]}'
  assert_field '.toc | map([.type, .count])' '[["metrics",0],["values",0]]'
}

# --- header -----------------------------------------------------------------------------------

@test "generation: any number but 0" {
  for number in 1 4294967296 9223372036854775807 '"18446744073709551615"' '"7"'; do
    made "$(metric '' '"header":{"generation1":'"$number"'}')"
    assert_equal "$(word 8 u8) $(word 16 u8)" "${number//\"/} ${number//\"/}"
  done
}

@test "version: the lowest that fits, or as asked for" {
  local long
  long=$(printf 'x%.0s' {1..64})
  made "$(metric)"
  assert_field .header.version 1
  made "{\"metrics\":[{\"name\":\"${long:1}\"}]}"
  assert_field .header.version 1
  made "{\"metrics\":[{\"name\":\"$long\"}]}"
  assert_field .header.version 2
  made '{"indoms":[{"instances":["'"$long"'"]}],"metrics":[]}'
  assert_field .header.version 2
  made '{"other_instances":["'"$long"'"],"metrics":[]}'
  assert_field .header.version 2
  made "{\"header\":{\"cluster\":5},\"labels\":{\"a\":1},\"metrics\":[{\"name\":\"$long\"}]}"
  assert_field .header.version 3
  for version in 1 2 3 '"2"'; do
    made "$(metric '' '"header":{"version":'"$version"'}')"
    assert_field .header.version "${version//\"/}"
  done
  made "$(metric '' '"header":{"version":"auto"}')"
  assert_field .header.version 1
  # Agents look at the labels of all versions.
  made "$(metric '"labels":{"a":1}' '"header":{"version":1}')"
  assert_field '[.header.version, .labels[0].payload]' '[1,"{\"a\":1}"]'
}

@test "flags: words, or all bits" {
  made "$(metric '' '"header":{"flags":["sentinel","noprefix","noprefix"]}')"
  assert_field .header.flags_raw '"0x5"'
  made "$(metric '' '"header":{"flags":["process"],"pid":"parent"}')"
  assert_field .header.flags_raw '"0x2"'
  made "$(metric '' '"header":{"flags_raw":"0xFFFFFF05"}')"
  assert_field .header.flags_raw '"0xffffff05"'
  # The words count where there are some.
  made "$(metric '' '"header":{"flags":["noprefix"],"flags_raw":"0x84"}')"
  assert_field .header.flags_raw '"0x81"'
  made "$(metric '' '"header":{"flags":[],"flags_raw":"0x7"}')"
  assert_field .header.flags_raw '"0x0"'
}

@test "pid: a number, self, parent, none" {
  for pid in 0 1 2147483647 -2147483648; do
    made "$(metric '' '"header":{"pid":'$pid'}')"
    assert_field .header.pid $pid
  done
  made "$(metric '' '"header":{"pid":"none"}')"
  assert_field .header.pid 0
  # What a command substitution starts is the child of a shell that waits for it.
  spec "$(metric '' '"header":{"pid":"parent"}')"
  run -0 bash -c 'echo $$; "$MMVCREATE" --output parent spec; :'
  assert_equal "$("$MMVDUMP" --json parent | jq '.files[0].header.pid')" "$output"
  spec "$(metric '' '"header":{"pid":"self"}')"
  "$MMVCREATE" --output self spec &
  wait $!
  assert_equal "$("$MMVDUMP" --json self | jq '.files[0].header.pid')" $!
}

@test "cluster: a number, or the agent chooses" {
  for cluster in 1 4095 0; do
    made "$(metric '' '"header":{"cluster":'$cluster'}')"
    assert_field .header.cluster $cluster
  done
  made "$(metric '' '"header":{"cluster":"auto"}')"
  assert_field .header.cluster 0
  create --force --allow cluster-range --output made - <<<"$(metric '' '"header":{"cluster":-1}')"
  assert_field .header.cluster -1
}

# --- instance domains -------------------------------------------------------------------------

@test "instances: names, or objects; ids are places" {
  made '{"indoms":[{"serial":5,"instances":["a",{"name":"b"},{"name":"c","instance":-7},"d",""]}],"metrics":[]}'
  assert_field '.indoms[0].instances | map([.instance, .name])' '[[0,"a"],[1,"b"],[-7,"c"],[3,"d"],[4,""]]'
  assert_field '.indoms[0] | [.serial, .count, .shorttext, .helptext]' '[5,5,null,null]'
  made '{"indoms":[{"instances":[{"name":"a","instance":2147483647},{"name":"b","instance":-2147483648}]}],"metrics":[]}'
  assert_field '.indoms[0].instances | map(.instance)' '[2147483647,-2147483648]'
}

@test "serials: the free ones from 1 up" {
  made '{"indoms":[{},{"serial":1},{"serial":0},{"serial":3},{}],"metrics":[]}'
  assert_field '.indoms | map(.serial)' '[2,1,4,3,5]'
  made '{"indoms":[{"serial":2047}],"metrics":[]}'
  assert_field '.indoms[0].serial' 2047
}

@test "instances that no domain leads to" {
  made '{"other_instances":["a",{"name":"b","instance":9}],"indoms":[{"instances":["c"]}],"metrics":[]}'
  assert_field '[.indoms[0].instances[0].name, (.other_instances | map([.instance, .name]))]' \
    '["c",[[0,"a"],[9,"b"]]]'
}

@test "a metric finds its domain by name or serial" {
  made '{"indoms":[{"name":"x","instances":["a"]},{"name":"y","serial":9,"instances":["b"]}],
    "metrics":[{"name":"m","indom":"x"},{"name":"n","indom":"y"},{"name":"o","serial":9},
      {"name":"p","serial":9,"indom":"nobody"},{"name":"q"},{"name":"r","serial":4294967295},{"name":"s","indom_raw":0}]}'
  assert_field '.metrics | map([.serial, .indom_raw])' \
    '[[1,1],[9,9],[9,9],[9,9],[null,4294967295],[null,4294967295],[null,0]]'
  assert_field '.values | map(.instance_name)' '["a","b","b","b",null,null,null]'
}

@test "help texts, empty ones too" {
  made '{"indoms":[{"shorttext":"s","helptext":""}],"metrics":[{"name":"m","shorttext":"","helptext":"h\n\"h\""}]}'
  assert_field '[.indoms[0], .metrics[0] | .shorttext, .helptext]' '["s","","","h\n\"h\""]'
  made "$(metric '"shorttext_b64":"/wpB"')"
  assert_field '.metrics[0].shorttext_b64' '"/wpB"'
}

# --- metrics ----------------------------------------------------------------------------------

@test "items: the free ones from 1 up" {
  made '{"metrics":[{"name":"a"},{"name":"b","item":1},{"name":"c","item":3},{"name":"d"},{"name":"e","item":0}]}'
  assert_field '.metrics | map(.item)' '[2,1,3,4,0]'
  made '{"metrics":[{"name":"a","item":1023},{"name":"b","item":"7"}]}'
  assert_field '.metrics | map(.item)' '[1023,7]'
}

@test "items: all of them, and one more" {
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}"} for i in range(1023)]}))' >spec
  run_create 0 --output made spec
  assert_field '[.metrics[0, 1022].item]' '[1,1023]'
  sed -i 's/{"name": "m0"}/{"name": "x"}, &/' spec
  run_create 3 --force --output made spec
  assert_stderr 'mmvcreate: spec: 1:13: metrics: 1024 metrics; the agent drops all metrics of the section [metrics-count]'
}

@test "types: words and numbers" {
  local code members=() types=(32 u32 64 u64 float double string '' '' elapsed)
  for code in 0 1 2 3 4 5 6 9; do
    members+=('"type":"'"${types[code]}"'"' "\"type_raw\":$code")
  done
  made "$(metrics "${members[@]}" '"type":"nosupport"' '"type":"double","type_raw":3')"
  assert_field '.metrics[] | [.name, .type, .type_raw]' '["m0","32",0]
["m1","32",0]
["m2","u32",1]
["m3","u32",1]
["m4","64",2]
["m5","64",2]
["m6","u64",3]
["m7","u64",3]
["m8","float",4]
["m9","float",4]
["m10","double",5]
["m11","double",5]
["m12","string",6]
["m13","string",6]
["m14","elapsed",9]
["m15","elapsed",9]
["m16","nosupport",-1]
["m17","double",5]'
  create --force --allow all --output made - <<<"$(metric '"type":"unknown","type_raw":77,"raw":"0xfedcba9876543210"')"
  assert_field '[.metrics[0].type, .metrics[0].type_raw, .values[0].raw]' '["unknown",77,"0xfedcba9876543210"]'
}

@test "semantics: words and numbers" {
  made "$(metrics '"sem":"unset"' '"sem_raw":0' '"sem":"counter"' '"sem_raw":1' '"sem":"instant"' '"sem_raw":3' \
    '"sem":"discrete"' '"sem_raw":4' '"sem":"unknown","sem_raw":-5' '"sem":"counter","sem_raw":4')"
  assert_field '.metrics[] | [.name, .sem, .sem_raw]' '["m0","unset",0]
["m1","unset",0]
["m2","counter",1]
["m3","counter",1]
["m4","instant",3]
["m5","instant",3]
["m6","discrete",4]
["m7","discrete",4]
["m8","unknown",-5]
["m9","counter",1]'
}

# units MEMBERS [UNITS_RAW,UNITS] ...: in pairs, a metric each.
units() {
  local members=() expected=()
  while [[ $# -gt 0 ]]; do
    members+=("$1")
    expected+=("$2")
    shift 2
  done
  made "$(metrics "${members[@]}")"
  assert_field '.metrics[] | [.units_raw, .units]' "$(printf '%s\n' "${expected[@]}")"
}

@test "units: as PCP spells them" {
  units '"units":""' '["0x0",""]' \
    '"units":"none"' '["0x0",""]' \
    '"units":"count"' '["0x100000","count"]' \
    '"units":"byte"' '["0x10000000","byte"]' \
    '"units":"Mbyte / sec"' '["0x1f023000","Mbyte / sec"]' \
    '"units":"KB"' '["0x10010000","Kbyte"]' \
    '"units":"sec^2"' '["0x2003000","sec^2"]' \
    '"units":"count / sec"' '["0xf103000","count / sec"]' \
    '"units":"count x 10^6"' '["0x100600","count x 10^6"]'
}

@test "units: as numbers" {
  units '"units":[0,0,0,0,0,0]' '["0x0",""]' '"units":[1,-1,0,2,3,0]' '["0x1f023000","Mbyte / sec"]'
  made "$(metrics '"units":[-8,7,-1,15,15,-8,-16,7]' '"units":[7,-8,7,0,0,7,15,0]')"
  assert_field '.metrics[].units_raw' $'"0x87fff887"\n"0x78700778"'
}

@test "units: raw, and the extra ones" {
  local unit units=('degrees C' 'degrees F' K V mV uV A mA uA kW W mW uW) members=()
  # The text counts, unless both say the same: then the number says more.
  units '"units_raw":"0x100000"' '["0x100000","count"]' \
    '"units":"byte","units_raw":"0x100000"' '["0x10000000","byte"]' \
    '"units":"count","units_raw":"0x10000b"' '["0x10000b","count"]'
  made "$(metric '"units":"/ sec","extra_units":"degrees C"')"
  assert_field '.metrics[0] | [.extra_units, .units, .units_raw]' '["degrees C","/ sec","0xf003009"]'
  for unit in "${units[@]}"; do
    members+=("\"extra_units\":\"$unit\"")
  done
  made "$(metrics "${members[@]}")"
  assert_field '.metrics[].extra_units' "$(printf '"%s"\n' "${units[@]}")"
}

@test "names, up to their limits" {
  local text
  text=$(printf 'x%.0s' {1..255})
  made "{\"indoms\":[{\"shorttext\":\"$text\",\"helptext\":\"$text\",\"instances\":[\"$text\"]}],
    \"metrics\":[{\"name\":\"$text\",\"shorttext\":\"$text\",\"helptext\":\"$text\",\"type\":\"string\",\"value\":\"$text\"}]}"
  assert_field '[.indoms[0], .metrics[0], .indoms[0].instances[0], .values[0] | .name, .shorttext, .helptext, .value
    | select(. != null) | length] | unique' '[255]'
  # A character may take several bytes: 127 of two are 254.
  text=$(printf '\u00e4%.0s' {1..127})
  made "$(metric "\"type\":\"string\",\"value\":\"$text\"")"
  assert_field '.values[0].value' "\"$text\""
  # What is no metric name to the agent can stand in a file that it is meant for nothing.
  create --force --allow all --output made - <<<'{"metrics":[{"name":""},{"name":"a b"},{"name_b64":"/w=="}]}'
  assert_field '.metrics | map(.name_b64 // .name)' '["","a b","/w=="]'
}

# --- reading ----------------------------------------------------------------------------------

@test "standard input, blanks, a document with one file, members for others" {
  made "$(metric '"value":7')"
  mv made once
  create --output made - <spec
  cmp -s <(tail -c +25 once) <(tail -c +25 made)
  made ' {
    "$comment": [], "schema": "pcputils/mmvdump", "version": 1, "files": [ {"file": "y", "$own": {"a": []}, "metrics": [
      {"name" : "m", "offset": 12, "pmid": "1.2.3", "value" :7 } ] } ] }
  '
  cmp -s <(tail -c +25 once) <(tail -c +25 made)
}

@test "the schema refuses what mmvcreate refuses" {
  local number=0 text
  mkdir bad
  for text in '[]' '{}' '{"files":[]}' '{"files":[{"metrics":[]},{"metrics":[]}]}' '{"metrics":{}}' "$(metric '"type":"int"')" \
    "$(metric '"item":-1')" "$(metric '"item":4294967296')" "$(metric '"units":[1,2,3]')" "$(metric '"units":[8,0,0,0,0,0]')" \
    "$(metric '"value":true')" "$(metric '"sem":3')" "$(metric '"labels":[]')" '{"metrics":[{}]}' '{"metrics":["m"]}' \
    "$(metric '' '"header":{"version":4}')" "$(metric '' '"header":{"flags":["x"]}')" "$(metric '' '"header":{"pid":"x"}')" \
    "$(metric '' '"labels":[{"level":"item","identity":1}]')" "$(metric '' '"indoms":[{"instances":[1]}]')" \
    "$(metric '"unit":"count"')" "$(metric '' '"label":{}')" "$(metric '' '"errors":[]')" "$(metric '' '"header":{"flag":[]}')" \
    "$(metric '' '"indoms":[{"help":""}]')" "$(metric '' '"indoms":[{"instances":[{"name":"a","id":1}]}]')" \
    "$(metric '' '"values":[{"metric":0,"val":1}]')" "$(metric '' '"labels":[{"level":"registry","label":{}}]')" \
    '{"files":[{"metrics":[]}],"x":1}' '{"files":[{"metrics":[]}],"schema":"x"}' '{"files":[{"metrics":[]}],"version":2}' \
    "$(metric '' '"values":[{"value":1}]')" "$(metric '"shorttext":"'"$(printf 'x%.0s' {1..256})"'"')" \
    "$(metric '"units_raw":"16"')" "$(metric '"units":[0,0,0,0,0,0,0]')" "$(metric '"name_b64":"A"')"; do
    printf '%s' "$text" >bad/$number
    run_create 3 --dry-run --output made bad/$number
    number=$((number + 1))
  done
  specs invalid "$SPEC_SCHEMA" bad/*
}

# --- documentation ----------------------------------------------------------------------------

@test "the examples of mmvspec(5) are descriptions, and good ones" {
  sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./!p}' "$SRCDIR/man/mmvspec.5" | jq -c . >examples
  assert_equal "$(wc -l <examples)" 2
  while IFS= read -r line; do
    made "$line"
    # What made it is gone; and two notes.
    run -0 "$MMVCHECK" --ignore process-gone,extra-units,cluster-auto made
    assert_output ''
  done <examples
}

@test "mmvspec(5) and the schema have the same members" {
  jq -r '.. | .properties? // empty | keys[]' "$SPEC_SCHEMA" | sort -u >schema
  # shellcheck disable=SC1003 # a backslash it is
  sed -nE 's/^\.(It )?Va //p' "$SRCDIR/man/mmvspec.5" | tr -d '\\' | sed 's/ No .*//; s/[(),.;]/ /g' |
    tr -s ' ' '\n' | sed '/^$/d' | sort -u >page
  run -0 comm -23 schema page
  assert_output ''
}

@test "the schema allows all that was made here" {
  schema_allows_all
}
