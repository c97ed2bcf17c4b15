#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The referee: what PCP's agent makes of the files of each rule, where asking it is safe. Rules whose breach
# may crash the agent are left out: offset-wrap, type-crash, item-type-clash, instance-name-offset.

load helpers
load mmvcheck-helpers

setup_file() {
  export RULES=$BATS_FILE_TMPDIR/rules
  mkdir "$RULES"
  rules --all "$RULES"
  command -v pminfo >/dev/null || return 0
  export ANSWERS=$BATS_FILE_TMPDIR/answers
  local asked
  asked=$(rules --list | grep -vxE 'offset-wrap|type-crash|item-type-clash|instance-name-offset')
  # shellcheck disable=SC2086 # names
  "$PYTHON" "$SRCDIR/test/cli/agent.py" "$RULES" "$ANSWERS" $asked
}

setup() {
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
  cd "$BATS_TEST_TMPDIR" || return
}

# ask FILE-OR-FOLDER ARGUMENT...: what the agent says when it has nothing else to read.
ask() {
  rm -rf agent/mmv
  if [ -d "$1" ]; then
    mkdir -p agent
    cp -a "$1" agent/mmv
  else
    mkdir -p agent/mmv
    cp "$1" agent/mmv
  fi
  shift
  timeout 20 sh "$SRCDIR/test/peer/agent.sh" agent "$@" 2>&1
}

# values RULE BAD GOOD: what is shown of both files, as agent.py writes it.
values() {
  assert_equal "$1: $(<"$ANSWERS/$1-bad.values")" "$1: $2"
  assert_equal "$1: $(<"$ANSWERS/$1-good.values")" "$1: $3"
}

# says RULE BAD GOOD ARGUMENT...: a line of the answers matches the regular expression.
says() {
  local rule=$1 bad=$2 good=$3
  shift 3
  run ask "$RULES/$rule-bad" "$@"
  assert_line --regexp "$bad"
  run ask "$RULES/$rule-good" "$@"
  assert_line --regexp "$good"
}

# labels RULE BAD GOOD: the labels of all files are called a, and so on.
labels() {
  assert_equal "$1: $(<"$ANSWERS/$1-bad.labels")" "$1: $2"
  assert_equal "$1: $(<"$ANSWERS/$1-good.labels")" "$1: $3"
}

both='mmv.x[1 "one"]=10 mmv.x[2 "two"]=20'

@test "files that are ignored" {
  for rule in magic version byte-order generation-zero generation-mismatch process-gone cluster-range toc-count file-name; do
    values $rule '' 'mmv.m=7'
  done
  values too-small '' '' # there is no smaller good one
  values toc-size '' ''
  says too-small 'Unknown metric|value 0' 'Unknown metric|value 0' -f mmv.control.files
}

@test "files that are exported all the same" {
  for rule in process-zero unknown-flags toc-type overclaim indoms-range instances-range strings-range section-overlap \
    trailing-bytes stale-bytes; do
    values $rule 'mmv.m=7' 'mmv.m=7'
  done
  values no-metrics '' 'mmv.m=7'
}

@test "sections that are ignored" {
  values metrics-range '' 'mmv.m!'
  values values-range 'mmv.m!' 'mmv.m=7'
  values section-hidden 'mmv.a! mmv.b=2' 'mmv.a=1 mmv.b=2'
  labels labels-range '' '"a":1'
  assert_equal "$(ask "$RULES/metrics-count-bad" mmv | grep -vc control)" 0
  assert_equal "$(ask "$RULES/metrics-count-good" mmv | grep -vc control)" 1023
  assert_equal "$(ask "$RULES/labels-count-bad" -l mmv.m | grep -c '"n')" 0
  assert_equal "$(ask "$RULES/labels-count-good" -l mmv.m | grep -c '"n254":254')" 1
}

@test "instance domains" {
  values serial-zero 'mmv.x=7' "$both"
  values serial-range 'mmv.x=-' "$both"
  values indom-run 'mmv.x=-' 'mmv.x[1 "one"]=10'
  values indom-empty 'mmv.x=-' "$both"
  values duplicate-serial 'mmv.x[1 "one"]=10 mmv.y[1 "one"]=10 mmv.y[2 "second"]=20' \
    'mmv.x[1 "one"]=10 mmv.y[1 "first"]=10 mmv.y[2 "second"]=20'
  says serial-spill 'InDom: 70\.10240 ' 'InDom: 70\.12287 ' -d mmv.x
  says cluster-spill 'InDom: 70\.1 ' 'InDom: 70\.4192257 ' -d mmv.x
  says indom-collision 'InDom: 70\.2049 ' 'InDom: 70\.2050 ' -d mmv.y
  says indom-collision 'InDom: 70\.2049 ' 'InDom: 70\.2049 ' -d mmv.x
}

@test "instances" {
  values duplicate-instance-id 'mmv.x[1 "one"]=10 mmv.x[1 "one"]=10' "$both"
  values negative-instance-id 'mmv.x[-2 "below"]=-20' 'mmv.x[0 "zero"]=0'
  values instance-name-empty 'mmv.x[1 ""]=10' 'mmv.x[1 "x"]=10'
  values duplicate-instance-name 'mmv.x[1 "one"]=10 mmv.x[2 "one"]=20' 'mmv.x[1 "one"]=10 mmv.x[2 "One"]=20'
}

@test "metrics that are dropped, or not as meant" {
  values metric-name 'mmv.other=2' 'mmv.a_b=1 mmv.other=2'
  values metric-name-odd 'mmv.a.9=7' 'mmv.a.b9=7'
  values name-offset 'mmv.a=1' 'mmv.a=1 mmv.b=2'
  values name-missing 'mmv.MMV=7' 'mmv.m=7'
  values text-unterminated 'mmv.other=2' "mmv.$(printf 'n%.0s' {1..63})=1 mmv.other=2"
  values duplicate-name 'mmv.a=1' 'mmv.A=2 mmv.a=1'
  values item-range 'mmv.other=2' 'mmv.a=1023 mmv.other=2'
  values duplicate-item 'mmv.a=1' 'mmv.a=1 mmv.b=0'
  values item-clash 'mmv.a=1 mmv.b=1' 'mmv.a=1 mmv.b=2'
}

@test "a metric above others hides the whole name space" {
  run ask "$RULES/leaf-and-branch-bad" -f mmv
  assert_output --partial 'Error: mmv: Unknown metric name'
  refute_output --partial 'mmv.control'
  values leaf-and-branch 'hidden!' 'mmv.a=1 mmv.aa.b=2'
}

@test "... but if the others come first it is dropped" {
  values name-is-branch 'mmv.a.b=1' 'mmv.a.b=1 mmv.aa=2'
}

@test "types, semantics and units" {
  values type-nosupport 'mmv.m!' 'mmv.m=7'
  says type-nosupport 'not supported by this version' 'value 7' -f mmv.m
  values type-unknown 'mmv.m!' 'mmv.m=7'
  says semantics-unset 'Semantics: counter ' 'Semantics: counter ' -d mmv.m
  says semantics-unknown 'Semantics: \?\?\? \(2\)' 'Semantics: discrete ' -d mmv.m
  says help-offset 'One-line Help: Error' '^mmv.m \[help\]$' -t mmv.m
  case $(pminfo --version 2>&1) in
  *' version 6.0.'*) says extra-units-lost 'Units: none' 'Units: count' -d mmv.m ;;
  esac
}

@test "values that are lost, or shown for something else" {
  values unknown-indom 'mmv.a=1 mmv.x=-' "$both"
  values no-values 'mmv.a=1 mmv.b!' 'mmv.a=1 mmv.b=2'
  # The extra value, 99, comes first.
  for rule in value-metric value-instance value-no-instance; do
    values $rule "$both" "$both"
  done
  values value-extra-instance "mmv.m=7 $both" "$both"
  values value-foreign-instance 'mmv.x[1 "one"]=99 mmv.x[2 "two"]=20' "$both"
  values value-missing 'mmv.x[2 "two"]=20' "$both"
  values value-duplicate 'mmv.a=1' 'mmv.a=1'
  values value-shadowed "$both mmv.x[3 \"three\"]=30" "$both mmv.x[3 \"three\"]=30"
}

@test "texts, intervals and no value" {
  values string-offset 'mmv.other=1 mmv.s!' 'mmv.other=1 mmv.s="abc"'
  # What lies behind the file's end is zeros in the same page.
  values string-tail 'mmv.other=1 mmv.s="abcdef"' 'mmv.other=1 mmv.s="abcde"'
  values string-zero 'mmv.m="MMV"' 'mmv.m="text"'
  values elapsed-extra 'mmv.m=7' 'mmv.m=7'
  says elapsed-future 'value -[0-9]+' 'value [0-9]+' -f mmv.m
  case $(pminfo --version 2>&1) in
  *' version 6.0.'*) values sentinel-nan-shown 'mmv.m=nan' 'mmv.m=-' ;;
  *) values sentinel-nan 'mmv.m=-' 'mmv.m=nan' ;;
  esac
}

@test "labels" {
  labels label-json '' '"a":1'
  labels label-cut '"a":"b"' '"a":"b"'
  labels label-empty '' '"a":""'
  labels label-name '' '"a1":1'
  labels label-form '"a":1 "b":2' '"a":[1'
  labels label-duplicate '"a":2' '"a":1'
  labels label-level '' '"a":1'
  labels label-cluster '' '"a":1'
  labels label-auto-cluster '' '"a":1'
  labels label-target '' '"a":1'
  labels label-version '"a":1' '"a":1'
}

# --- between files ----------------------------------------------------------------------------

# agree: the number that we say each file would get is the one that the agent gives it.
agree() {
  judge dir | sed -n 's,^dir/\(.*\):36: note: header: the cluster is 0: it would be \([0-9]*\);.*,\1 \2,p' >ours
  ask dir -m mmv | sed -n 's/^mmv\.\(.*\)\.auto PMID: 70\.\([0-9]*\)\.1$/\1 \2/p' | sort >agents
  diff agents ours
  assert_file_not_empty ours
}

@test "the clusters that the agent chooses" {
  mkdir dir
  (cd dir && for name in b d f; do file $name 0 0 auto:1:1; done)
  agree
  (cd dir && file a 0 0 auto:1:1)
  agree
  (cd dir && file c 0 2 m:1:1)
  agree
  # The first file's own number is taken into account if it is 1, and not otherwise.
  (cd dir && file a 0 1 m:1:1)
  agree
  (cd dir && file a 0 3 m:1:1)
  agree
  (cd dir && file a 2 0 m:1:1 && file b 0 4097 m:1:1)
  agree
}

@test "another file's values, names and instances" {
  mkdir dir
  (cd dir && file control 0 5 reload:1:1 other:2:2 && file one 1 6 a:1:1 && file two 1 7 a:1:2)
  assert_equal "$(ask dir -f mmv.control.reload mmv.control.other mmv.a | grep -E 'control|mmv.a|value' | paste -sd ' ' | tr -s ' ')" \
    'mmv.control.reload value 0 mmv.control.other value 2 mmv.a value 1'
  run --separate-stderr judge dir
  assert_rules duplicate-name duplicate-name
  (cd dir && file two 1 7 a.b:1:2)
  run ask dir -f mmv
  assert_output --partial 'Error: mmv: Unknown metric name'
  run --separate-stderr judge dir
  assert_rules duplicate-name leaf-and-branch
}

@test "a metric above the agent's own, or below" {
  mkdir dir
  (cd dir && file x 1 5 control:1:1)
  assert_equal "$(ask dir -f mmv | grep -E '^mmv|^Error: mmv: Unknown' | grep -v '^mmv\.control')" ''
  assert_equal "$(ask dir mmv.control.reload)" mmv.control.reload
  (cd dir && file x 1 5 control.reload.x:1:1)
  run ask dir mmv
  assert_output --partial 'Error: mmv: Unknown metric name'
}
