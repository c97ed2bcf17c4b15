#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Values and labels: how mmvcreate takes them, and where they end up.

load helpers
load mmvcreate-helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

# value TYPE JSON VALUE RAW: what becomes of one.
value() {
  made "$(metric '"type":"'"$1"'","value":'"$2")"
  assert_equal "$2: $(value_of)" "$2: [$3,\"$4\"]"
}

# --- types ------------------------------------------------------------------------------------

@test "32-bit integers" {
  value 32 0 0 0x0
  value 32 2147483647 2147483647 0x7fffffff
  value 32 -1 -1 0xffffffff
  value 32 -2147483648 -2147483648 0x80000000
  value 32 '"-12"' -12 0xfffffff4
  value u32 4294967295 4294967295 0xffffffff
  value u32 '"7"' 7 0x7
}

# jq 1.6 keeps 53 bits of an integer, so that the raw word has to do for some.
@test "64-bit integers" {
  value 64 -1 -1 0xffffffffffffffff
  made "$(metric '"type":"64","value":9223372036854775807')"
  assert_equal "$(word 176 d8)" 9223372036854775807
  made "$(metric '"type":"64","value":-9223372036854775808')"
  assert_equal "$(word 176 d8)" -9223372036854775808
  made "$(metric '"type":"64","value":"-9223372036854775808"')"
  assert_equal "$(word 176 d8)" -9223372036854775808
  made "$(metric '"value":9223372036854775807')"
  assert_equal "$(word 176 u8)" 9223372036854775807
  value u64 '"18446744073709551615"' '"18446744073709551615"' 0xffffffffffffffff
  value u64 '"9007199254740993"' 9007199254740992 0x20000000000001
}

@test "floating point numbers" {
  value float 1.5 1.5 0x3fc00000
  value float -0.0 -0 0x80000000
  value float 3 3 0x40400000
  value float 1e-50 0 0x0
  value float '"nan"' '"nan"' 0x7fc00000
  value float '"-inf"' '"-inf"' 0xff800000
  value double 0.1 0.1 0x3fb999999999999a
  value double 1e308 1e+308 0x7fe1ccf385ebc8a0
  value double 5e-324 5e-324 0x1
  value double '"inf"' '"inf"' 0x7ff0000000000000
  value double '"nan"' '"nan"' 0x7ff8000000000000
  value double 9007199254740993 9007199254740992 0x4340000000000000
  made "$(metric '"type":"double","value":"nan","raw":"0xfff8000000000123"')"
  assert_equal "$(value_of)" '["nan","0xfff8000000000123"]'
  made "$(metric '"type":"float","value":"nan","raw":"0xffc00001"')"
  assert_equal "$(value_of)" '["nan","0xffc00001"]'
  # A number counts more than the bits beside it.
  made "$(metric '"type":"double","value":1.0,"raw":"0xfff8000000000123"')"
  assert_equal "$(value_of)" '[1,"0x3ff0000000000000"]'
}

@test "texts" {
  made "$(metric '"type":"string","value":"a \"text\"\n\u00e4"')"
  assert_field '.values[0].value' '"a \"text\"\nä"'
  made "$(metric '"type":"string"')"
  assert_field '.values[0] | [.value, .extra]' '["",224]'
  made "$(metric '"type":"string","value":"ignored","value_b64":"Yf9i"')"
  assert_field '.values[0].value_b64' '"Yf9i"'
}

@test "elapsed: a sum, and perhaps an interval that runs" {
  value elapsed 5 5 0x5
  value elapsed -5 -5 0xfffffffffffffffb
  made "$(metric '"type":"elapsed","value":5,"started":"@1700000000.5"')"
  assert_field '.values[0] | [.value, .raw, .extra]' '[59500005,"0x5",-1700000000500000]'
  made "$(metric '"type":"elapsed","started":"2023-11-14T23:13:20+01:00"')"
  assert_field '.values[0].extra' -1700000000000000
  made "$(metric '"type":"elapsed","started":"now"')"
  (($(field '.values[0].extra') < -1700000000000000))
  made "$(metric '"type":"elapsed","value":5,"extra":-1700000000000000')"
  assert_field '.values[0] | [.raw, .extra]' '["0x5",-1700000000000000]'
  # As in a dump, where the value has the interval in it.
  made "$(metric '"type":"elapsed","value":60000005,"raw":"0x5","extra":-1700000000000000')"
  assert_field '.values[0] | [.raw, .extra]' '["0x5",-1700000000000000]'
  made "$(metric '"type":"elapsed","value":7,"raw":"0x5"')"
  assert_equal "$(value_of)" '[7,"0x7"]'
  made '{"indoms":[{"name":"x","instances":["a","b"]}],
    "metrics":[{"name":"m","type":"elapsed","indom":"x","value":1,"values":{"a":2},"started":"@1700000000"}]}'
  assert_field '.values | map([.raw, .extra])' '[["0x2",-1700000000000000],["0x1",-1700000000000000]]'
}

@test "the second field of other types" {
  made "$(metric '"extra":-3')"
  assert_field '.values[0].extra' -3
}

@test "null is no value, in files with the flag" {
  local type
  for type in 32 u32 64 u64 elapsed; do
    made "$(metric '"type":"'$type'","value":null' '"header":{"flags":["sentinel"]}')"
    assert_equal "$(value_of)" '[null,"0xffffffffffffffff"]'
  done
  made "$(metric '"type":"float","value":null' '"header":{"flags":["sentinel"]}')"
  assert_equal "$(value_of)" '[null,"0x7fc00000"]'
  made "$(metric '"type":"double","value":null' '"header":{"flags":["sentinel"]}')"
  assert_equal "$(value_of)" '[null,"0x7ff8000000000000"]'
  made "$(metric '"type":"float","value":null,"raw":"0xffc00009"' '"header":{"flags":["sentinel"]}')"
  assert_equal "$(value_of)" '[null,"0xffc00009"]'
  made "$(metric '"type":"string","value":null' '"header":{"flags":["sentinel"]}')"
  assert_field '.values[0].value' null
  made "$(metric '"type":"u32","value":4294967295' '"header":{"flags":["sentinel"]}')"
  assert_equal "$(value_of)" '[4294967295,"0xffffffff"]'
}

# --- with the metrics, and in a list ----------------------------------------------------------

INDOM='"indoms":[{"name":"x","instances":["a",{"name":"b","instance":7},"c"]}]'

@test "values with a metric: for all instances, and by name" {
  made "{$INDOM"',"metrics":[{"name":"m","indom":"x","value":9,"values":{"b":3}},{"name":"n","indom":"x"},{"name":"o","value":1}]}'
  assert_field '.values | map([.name, .instance, .value])' \
    '[["m",0,9],["m",7,3],["m",2,9],["n",0,0],["n",7,0],["n",2,0],["o",null,1]]'
  made "{$INDOM"',"metrics":[{"name":"m","indom":"x","type":"string","value":"y","values":{"b":"z"}}]}'
  assert_field '.values | map(.value)' '["y","z","y"]'
}

@test "a list of values: in its order, and nothing else" {
  made "{$INDOM"',"metrics":[{"name":"m","indom":"x","value":5},{"name":"n"},{"name":"n2"}],
    "values":[{"name":"n","value":1},{"metric":0,"instance":7,"value":2},{"name":"m","instance_name":"a","value":3},
      {"metric":2,"name":"m","value":4},{"name":"m","instance_name":"c"}]}'
  assert_field '.values | map([.metric, .instance, .value])' '[[1,null,1],[0,7,2],[0,0,3],[2,null,4],[0,2,0]]'
}

@test "a list of values: the id counts, and the name tells those of the same id apart" {
  create --force --allow all --output made - <<<'{"indoms":[{"serial":1,"instances":[{"name":"a","instance":1},{"name":"b","instance":1}]}],
    "metrics":[{"name":"m","serial":1}],
    "values":[{"name":"m","instance":1,"instance_name":"b"},{"name":"m","instance":1},{"name":"m","instance":1,"instance_name":"x"}]}'
  assert_field '.values | map(.instance_name)' '["b","a","a"]'
}

@test "a list of values: of several metrics with one name the first" {
  create --force --allow all --output made - <<<'{"metrics":[{"name":"m"},{"name":"m"}],"values":[{"name":"m"},{"metric":1}]}'
  assert_field '.values | map(.metric)' '[0,1]'
}

@test "an empty list of values" {
  create --force --allow no-values --output made - <<<'{"metrics":[{"name":"m","value":7}],"values":[]}'
  assert_field .values '[]'
}

# --- labels -----------------------------------------------------------------------------------

@test "labels beside what they are of" {
  made '{"header":{"cluster":5},"labels":{"a":1,"b":2},
    "indoms":[{"name":"x","serial":3,"labels":{"c":3},"instances":["y",{"name":"z","instance":9,"labels":{"d":4}}]}],
    "metrics":[{"name":"m","item":8,"labels":{"e":5}},{"name":"n","indom":"x"}]}'
  assert_field '.labels | map([.level, .optional, .identity, .instance, .payload])' \
    '[["registry",false,5,-1,"{\"a\":1}"],["registry",false,5,-1,"{\"b\":2}"],["indom",false,3,-1,"{\"c\":3}"],'\
'["instance",false,3,9,"{\"d\":4}"],["item",false,8,-1,"{\"e\":5}"]]'
  assert_field .header.version 3
}

@test "labels: all kinds of values, without blanks" {
  made "$(metric '"labels": { "s" : "a b\u00e4\"" , "i" : -12, "r" : 1.50e3, "t" : true, "f" : false, "n" : null,
    "l" : [ 1 , [ ] , { } ], "o" : { "x" : { "y" : [ 2.0 ] } }, "big": 9223372036854775807, "exact": 0.1 }')"
  assert_field '.labels | map(.payload)' '["{\"s\":\"a bä\\\"\"}","{\"i\":-12}","{\"r\":1500.0}","{\"t\":true}","{\"f\":false}",'\
'"{\"n\":null}","{\"l\":[1,[],{}]}","{\"o\":{\"x\":{\"y\":[2.0]}}}","{\"big\":9223372036854775807}","{\"exact\":0.1}"]'
}

@test "labels: 243 bytes" {
  local text
  text=$(printf 'x%.0s' {1..235})
  made "$(metric '"labels":{"a":"'"$text"'"}')"
  assert_field '.labels[0].payload | length' 243
}

@test "a list of labels" {
  made '{"header":{"cluster":5},"indoms":[{"serial":3,"instances":["y"]}],"metrics":[{"name":"m"}],"labels":[
    {"level":"registry","labels":{"a":1}},
    {"level":"item","identity":1,"optional":true,"labels":{"b":2}},
    {"level":"instance","identity":3,"instance":0,"labels":{"c":3}},
    {"level":"indom","identity":3,"labels":{"d":4},"payload":"{ \"d\": 4}"},
    {"level":"indom","identity":3,"labels":{"e":5},"payload":"{\"e\":4}"},
    {"level":"indom","identity":3,"payload":"{\"f\":6}"},
    {"level":"unknown","flags_raw":"0x90","identity":1,"labels":{"g":7}}]}'
  assert_field '.labels | map([.level, .flags_raw, .identity, .instance, .payload])' \
    '[["registry","0x8",5,-1,"{\"a\":1}"],["item","0x90",1,-1,"{\"b\":2}"],["instance","0x20",3,0,"{\"c\":3}"],'\
'["indom","0x4",3,-1,"{ \"d\": 4}"],["indom","0x4",3,-1,"{\"e\":5}"],["indom","0x4",3,-1,"{\"f\":6}"],'\
'["item","0x90",1,-1,"{\"g\":7}"]]'
}

@test "a list of labels, and labels beside what they are of" {
  made '{"indoms":[],"metrics":[{"name":"m","labels":{"b":2}}],"labels":[{"level":"item","identity":1,"labels":{"a":1}}]}'
  assert_field '.labels | map(.payload)' '["{\"a\":1}","{\"b\":2}"]'
}

@test "labels: 255 of them" {
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": "m", "labels": {f"l{i}": i for i in range(255)}}]}))' >spec
  run_create 0 --output made spec
  assert_field '.labels | length' 255
  sed -i 's/"l0"/"x": 1, &/' spec
  run_create 3 --force --output made spec
  assert_stderr 'mmvcreate: spec: 1:1: labels: 256 labels; the agent drops all labels of the section [labels-count]'
}

@test "the schema allows all that was made here" {
  schema_allows_all
}
