# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of mmvcreate share, beside helpers.bash.
# shellcheck shell=bash

: "${MMVCREATE:?run the tests through meson}" "${MMVCHECK:?}"

SPEC_SCHEMA=$SRCDIR/man/mmvspec.schema.json

# create ARGUMENT...
create() {
  "$MMVCREATE" "$@"
}

# run_create STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_create() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr "$MMVCREATE" "$@"
}

specs() {
  "$PYTHON" "$SRCDIR/test/cli/spec.py" "$@"
}

# spec TEXT: what `made` and `refused` read, in the file "spec".
spec() {
  printf '%s' "$1" >spec
}

# made TEXT [ARGUMENT...]: the file "made" from a description, without a word. The description is
# kept for the last test of the file.
made() {
  spec "$1"
  shift
  [[ ! -e made ]] || rm made
  run_create 0 --output made "$@" spec
  assert_output ''
  assert_stderr
  printf '%s' "$(<spec)" >"$BATS_FILE_TMPDIR/spec.$SRANDOM"
}

schema_allows_all() {
  local made=("$BATS_FILE_TMPDIR"/spec.*)
  [[ ! -e ${made[0]} ]] || specs valid "$SPEC_SCHEMA" "${made[@]}"
}

# refused TEXT MESSAGE [ARGUMENT...]: status 3, just that message, and no file.
refused() {
  local message=$2
  spec "$1"
  shift 2
  [[ ! -e made ]] || rm made
  run_create 3 --output made "$@" spec
  assert_output ''
  assert_stderr "mmvcreate: spec: $message"
  assert_file_not_exist made
}

# metric MEMBERS [MORE]: a description with one metric "m"; MORE stands before "metrics".
metric() {
  printf '{%s"metrics":[{"name":"m"%s}]}' "${2:+$2,}" "${1:+,$1}"
}

# metrics MEMBERS...: a description with metrics m0, m1 and so on.
metrics() {
  local members list='' number=0
  for members; do
    list+="${list:+,}{\"name\":\"m$((number++))\",$members}"
  done
  printf '{"metrics":[%s]}' "$list"
}

# field FILTER: of the dump of "made", by jq.
field() {
  dump --json made | jq -c ".files[0] | $1"
}

# assert_field FILTER EXPECTED
assert_field() {
  assert_equal "$(field "$1")" "$2"
}

# value_of: the one value of "made", as mmvdump shows it, and its eight bytes.
value_of() {
  field '.values[0] | [.value, .raw]'
}

# word OFFSET FORMAT: as od shows the bytes of "made" there, such as "word 32 u4".
word() {
  od -An -v -j "$1" -N "${2: -1}" -t "$2" made | tr -d ' '
}

# finds_nothing FILE: a checker has nothing to say.
finds_nothing() {
  run -0 --separate-stderr "$MMVCHECK" "$1"
  assert_output ''
  assert_stderr
}

# The base of many: short, and with a bit of everything.
# shellcheck disable=SC2034 # for the tests
SHOP='{
  "file": "shop",
  "header": {"cluster": 321, "generation1": 1700000000},
  "labels": {"site": "north"},
  "indoms": [
    {"name": "methods", "shorttext": "request methods", "helptext": "As in RFC 9110",
     "instances": ["GET", {"name": "POST", "instance": 7, "labels": {"cached": false}}],
     "labels": {"kind": "verb"}}
  ],
  "metrics": [
    {"name": "http.requests", "sem": "counter", "units": "count", "indom": "methods",
     "shorttext": "requests answered", "values": {"GET": 1841, "POST": 97}, "labels": {"team": "web"}},
    {"name": "http.sent", "sem": "counter", "units": "byte", "indom": "methods", "value": 4096},
    {"name": "queue.length", "type": "32", "value": -3, "shorttext": "jobs", "helptext": "Jobs that wait"},
    {"name": "queue.busy", "type": "elapsed", "sem": "counter", "units": "microsec", "value": 5},
    {"name": "cache.ratio", "type": "double", "value": 0.9375},
    {"name": "build", "type": "string", "sem": "discrete", "value": "shop 2.1"}
  ]
}'
