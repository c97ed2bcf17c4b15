# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of mmvset share, beside helpers.bash.
# shellcheck shell=bash

: "${MMVSET:?run the tests through meson}" "${MMVCREATE:?}" "${MMVCHECK:?}"

# poke ARGUMENT...
poke() {
  "$MMVSET" "$@"
}

# run_set STATUS ARGUMENT...: as `run`, the two streams kept apart.
run_set() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr "$MMVSET" "$@"
}

# make_file NAME [HEADER-MEMBERS]: a value of each type, and a metric with instances.
make_file() {
  "$MMVCREATE" --force --output "$1" - <<END
{"header": {"generation1": 1700000000, "cluster": 5${2:+, $2}},
 "indoms": [{"name": "x", "instances": ["a", "b", "c d", {"name": "5", "instance": 17}]}],
 "metrics": [
   {"name": "i32", "type": "32", "shorttext": "an integer"}, {"name": "u32", "type": "u32"},
   {"name": "i64", "type": "64"}, {"name": "u64", "type": "u64"},
   {"name": "float", "type": "float"}, {"name": "double", "type": "double"},
   {"name": "text", "type": "string", "value": "old text"}, {"name": "other", "type": "string", "value": "kept"},
   {"name": "busy", "type": "elapsed", "sem": "counter"}, {"name": "none", "type": "nosupport"},
   {"name": "many", "type": "u32", "indom": "x", "helptext": "many of them"},
   {"name": "texts", "type": "string", "indom": "x", "value": "t"}
 ]}
END
}

# field NAME MEMBERS: of the (first) value of a metric of "file", as jq has them.
field() {
  "$MMVDUMP" --now "$NOW" --json file | jq -c --arg name "$1" ".files[0].values | map(select(.name == \$name))[0] | [$2]"
}

# table: assignments to "file" from standard input, all made by one process, one a line:
#   ASSIGNMENT => NAME VALUE | NAME VALUE ...    these values are printed
#   ASSIGNMENT !> NAME: MESSAGE                  it is refused
# Of each name that was printed, the last value is what is in the file.
table() {
  local line printed wanted=0
  : >in
  : >wanted.out
  : >wanted.err
  while IFS= read -r line; do
    if [[ $line == *' !> '* ]]; then
      printf '%s\n' "${line%% !> *}" >>in
      printf '%s\n' "${line#* !> }" >>wanted.err
      wanted=1
    else
      printed=${line#* => }
      printf '%s\n' "${line%% => *}" >>in
      printf '%s\n' "${printed// | /$'\n'}" >>wanted.out
    fi
  done
  local status=0
  poke --print file - <in >out 2>err || status=$?
  assert_equal "$status" "$wanted"
  sed -E 's/^mmvset: -: [0-9]+:[0-9]+: //' err | diff -u wanted.err -
  diff -u wanted.out out
  "$MMVDUMP" --values file >now
  tac out | awk '!seen[$1]++' | { ! grep -vxFf now; }
}

# refuses ASSIGNMENT MESSAGE: on the command line; nothing in "file" changes.
refuses() {
  cp file before
  run_set 1 --print file "$1"
  assert_output ''
  assert_stderr "mmvset: file: $2"
  cmp file before
}
