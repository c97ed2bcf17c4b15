#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# From files to descriptions and back, and what PCP's agent makes of files that mmvcreate has made.

# shellcheck disable=SC2154 # run sets stderr
load helpers
load mmvcreate-helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir there back
}

# come_back FILE...: dumped and made again they are the same, and the second time in every byte.
come_back() {
  run -0 --separate-stderr specs trips back "$@"
  assert_output "$# files"
  assert_stderr
}

@test "files of all kinds come back from their dump" {
  local name names=()
  fixture --all there good order
  for name in there/*; do
    # Texts that nothing ends are longer than a text can be.
    [[ $name == */unterminated-* ]] || names+=("$name")
  done
  ((${#names[@]} > 100))
  come_back "${names[@]}"
}

@test "what cannot be described as it is is refused" {
  fixture unterminated-v1 >v1
  fixture unterminated-v2 >v2
  for name in v1 v2; do
    dump --json $name >spec
    run_create 3 --allow all --output made spec
    assert_output ''
    assert_regex "$stderr" '^mmvcreate: spec: [0-9]+:[0-9]+: files\[0\]\..*: 256 bytes are too long: at most 255$'
  done
  fixture plain-v1 >bad
  printf '\377' | dd of=bad bs=1 seek=1000 conv=notrunc status=none
  dump --json-lines bad >spec
  run_create 3 --output made spec
  assert_output ''
  assert_stderr "mmvcreate: spec: 2:1: end of file expected near '{'"
}

@test "what PCP's library and Python module write comes back" {
  need "$PEERDIR/mmv-write"
  mkdir -p tmp/mmv
  for version in 1 2 3; do
    PCP_TMP_DIR=$PWD/tmp "$PEERDIR/mmv-write" $version v$version
  done
  PCP_TMP_DIR=$PWD/tmp "$PYTHON" "$SRCDIR/test/peer/mmv-python.py" py
  come_back tmp/mmv/*
  # No rule is in the way of these.
  for name in v1 v2 v3 py; do
    dump --json tmp/mmv/$name >spec
    specs valid "$SPEC_SCHEMA" spec
    run_create 0 --force --output back/$name spec
    assert_stderr
  done
}

@test "files with random content come back" {
  "$PYTHON" "$SRCDIR/test/fixture/mmv-random.py" "${SEED:-1}" "$(rounds 100)" there
  come_back there/*
}

@test "all dumps are descriptions, to the schema as well" {
  local name dumps=()
  fixture --all there good
  "$PYTHON" "$SRCDIR/test/fixture/mmv-random.py" 2 20 there
  rm there/unterminated-*
  for name in there/*; do
    dump --json "$name" >"back/${name#*/}.json"
    dumps+=("back/${name#*/}.json")
  done
  specs valid "$SPEC_SCHEMA" "${dumps[@]}"
  # A file out of the document is one too.
  fixture plain-v3 >there/plain-v3
  dump --json there/plain-v3 | jq '.files[0]' >one
  specs valid "$SPEC_SCHEMA" one
  create --allow process-gone --output made one
  come_back made
}

@test "what a description made comes back, in every byte" {
  made "$SHOP"
  come_back made
  cmp made back/made
}

@test "no byte is set that belongs to no field, after a trip either" {
  "$PYTHON" "$SRCDIR/test/fixture/mmv-random.py" 3 "$(rounds 40)" there
  come_back there/*
  run -0 specs zeros back/*
}

# --- the agent --------------------------------------------------------------------------------

agent() {
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
  sh "$SRCDIR/test/peer/agent.sh" "$PWD/tmp" "$@"
}

# ask NAME OPTION: what pminfo says of mmv.shop.NAME, blanks in a row as one.
ask() {
  agent "$2" "mmv.shop.$1" | sed -E 's/[[:blank:]]+/ /g; s/^ //; s/ $//; /^$/d'
}

shop() {
  mkdir -p tmp/mmv
  spec "$SHOP"
  PCP_TMP_DIR=$PWD/tmp run_create 0 spec
}

@test "the agent sees what a dump of it says" {
  shop
  finds_nothing tmp/mmv/shop
  agent -dmf mmv >answers
  dump --json tmp/mmv/shop >json
  run -0 --separate-stderr check agent answers json
  assert_output '6 metrics'
  assert_stderr
}

@test "the agent shows metrics, units and values as described" {
  shop
  run -0 ask http.requests -d
  assert_output 'mmv.shop.http.requests
Data Type: 64-bit unsigned int InDom: 70.657409 0x118a0801
Semantics: counter Units: count'
  run -0 ask http.requests -f
  assert_output 'mmv.shop.http.requests
inst [0 or "GET"] value 1841
inst [7 or "POST"] value 97'
  run -0 ask http.sent -d
  assert_line 'Semantics: counter Units: byte'
  run -0 ask queue.length -df
  assert_output 'mmv.shop.queue.length
Data Type: 32-bit int InDom: PM_INDOM_NULL 0xffffffff
Semantics: instant Units: none
value -3'
  run -0 ask cache.ratio -f
  assert_line 'value 0.9375'
  run -0 ask build -df
  assert_output 'mmv.shop.build
Data Type: string InDom: PM_INDOM_NULL 0xffffffff
Semantics: discrete Units: none
value "shop 2.1"'
  run -0 ask queue.busy -df
  assert_output 'mmv.shop.queue.busy
Data Type: 64-bit int InDom: PM_INDOM_NULL 0xffffffff
Semantics: counter Units: microsec
value 5'
}

@test "the agent shows help as described" {
  shop
  run -0 ask http.requests -t
  assert_output 'mmv.shop.http.requests [requests answered]'
  run -0 ask queue.length -tT
  assert_output 'mmv.shop.queue.length [jobs]
Help:
Jobs that wait'
}

@test "the agent shows labels of all levels as described" {
  shop
  run -0 ask http.requests -l
  assert_output --regexp 'inst \[0 or "GET"\] labels \{.*"kind":"verb".*"site":"north".*"team":"web"'
  assert_output --regexp 'inst \[7 or "POST"\] labels \{.*"cached":false.*"kind":"verb".*"site":"north".*"team":"web"'
  [[ $(grep GET <<<"$output") != *cached* ]]
  run -0 ask queue.length -l
  assert_output --regexp 'labels \{.*"site":"north"'
  refute_output --partial '"team"'
}

@test "an interval that runs goes on in the agent" {
  local first second
  mkdir -p tmp/mmv
  spec '{"file":"shop","header":{"cluster":5},"metrics":[{"name":"m","type":"elapsed","started":"now"}]}'
  PCP_TMP_DIR=$PWD/tmp run_create 0 spec
  first=$(ask m -f | sed -n 's/^value //p')
  second=$(ask m -f | sed -n 's/^value //p')
  ((0 < first && first < second))
}

@test "no value in the agent" {
  mkdir -p tmp/mmv
  spec '{"file":"shop","header":{"cluster":5,"flags":["sentinel"]},"metrics":[{"name":"m","value":null},
    {"name":"n","type":"32","value":null},{"name":"o","type":"elapsed","value":null},{"name":"p","value":"18446744073709551614"}]}'
  PCP_TMP_DIR=$PWD/tmp run_create 0 spec
  for name in m n o; do
    run -0 ask $name -f
    assert_line --regexp '^No value'
  done
  run -0 ask p -f
  assert_line 'value 18446744073709551614'
}

@test "a process that is gone takes its metrics along" {
  mkdir -p tmp/mmv
  spec '{"file":"shop","header":{"cluster":5,"flags":["process"],"pid":"parent"},"metrics":[{"name":"m","value":1}]}'
  export PCP_TMP_DIR=$PWD/tmp
  bash -c '"$MMVCREATE" spec; :'
  run -0 agent -f mmv
  refute_output --partial mmv.shop
  "$MMVCREATE" --force spec
  run -0 ask m -f
  assert_output 'mmv.shop.m
value 1'
}

@test "the schema allows all that was made here" {
  schema_allows_all
}
