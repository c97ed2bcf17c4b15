#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# mmvlabel on files that nobody uses.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers
load mmvlabel-helpers

setup() {
  mkdir "$BATS_TEST_TMPDIR/work"
  cd "$BATS_TEST_TMPDIR/work" || return
  "$DEMO" good
}

# --- list -------------------------------------------------------------------------------------

@test "list: every label, by level" {
  run_label 0 list good
  assert_stderr
  assert_output 'registry site="north"
metric http.requests team="web"
instance 1/POST cached=false [optional]'
  quiet list --indom 1 good
  run_label 0 list --metric 'http.*' good
  assert_output 'metric http.requests team="web"'
  run_label 0 list -i '1/*' good
  assert_output 'instance 1/POST cached=false [optional]'
  run_label 0 list --registry good
  assert_output 'registry site="north"'
  run_label 1 list --metric none good
  assert_stderr "mmvlabel: good: none: there is no metric 'none'"
}

@test "list: several files, and one that cannot be read" {
  cp good other
  run_label 1 list --registry good missing other
  assert_output 'good: registry site="north"
other: registry site="north"'
  assert_stderr 'mmvlabel: missing: cannot open: No such file or directory'
  label list - <good >stdin
  assert_equal "$(cat stdin)" "$(label list good)"
  usage 'FILE is missing' list
  # After a bad one the next is done, and the worst status wins.
  : >empty
  run_label 3 list -r good empty other
  assert_output 'good: registry site="north"
other: registry site="north"'
  run_label 1 list -r empty missing good
  assert_output 'good: registry site="north"'
  run -1 --separate-stderr sh -c '"$MMVLABEL" list - <&-'
  assert_stderr 'mmvlabel: -: cannot read: Bad file descriptor'
  run -1 --separate-stderr sh -c '"$MMVLABEL" list good missing 2>&-'
  assert_line 'good: registry site="north"'
  run -0 --separate-stderr sh -c '"$MMVLABEL" set good a=1 <&- >&- 2>&-'
  run_label 0 list -r good
  assert_line 'registry a=1'
}

@test "list: labels of all kinds, and none that are any" {
  fixture labels-payload >payload
  run_label 0 list payload
  assert_stderr
  assert_output --regexp '^metric x '
  # Nothing in it drives the terminal.
  [[ $output != *$'\e'* ]]
  fixture labels-levels >levels
  run_label 0 list levels
  assert_stderr
  label set good 'x="a\"b"' $'y=\e[31m'
  run_label 0 list -r good
  assert_line 'registry x="a\"b"'
  assert_line 'registry y="\x1b[31m"'
}

@test "list --effective: what each metric and instance ends up with" {
  label set --indom 1 good kind=verb site=south
  label set -m http.requests good site=west
  run_label 0 list --effective -m 'http.*' good
  assert_output 'metric http.requests team="web"
metric http.requests site="west"
http.requests[GET] kind="verb" site="west" team="web"
http.requests[POST] kind="verb" site="west" team="web" cached=false
http.sent[GET] kind="verb" site="north"
http.sent[POST] kind="verb" site="north" cached=false'
  run_label 0 list --effective -m build good
  assert_output 'build site="north"'
  run_label 0 list -e -i 1/GET good
  assert_output 'http.requests[GET] kind="verb" site="west" team="web"
http.sent[GET] kind="verb" site="north"'
}

@test "list --effective: which labels are never shown, and why" {
  "$PYTHON" - <<'END' >bad
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ['SRCDIR'], 'test', 'fixture'))
from mmv import *
mmv = Mmv(3)
mmv.value(mmv.metric('m', item=1), 1)
mmv.label('registry', 5, '{"a":1}')
mmv.label('registry', 6, '{"b":1}')
mmv.label('item', 9, '{"c":1}')
mmv.label('indom', 9, '{"d":1}')
mmv.label('instance', 9, '{"e":1}', internal=3)
mmv.label('item', 1, 'x')
mmv.label('item', 1, '{"\xe9":1}')
mmv.label('item', 1, '{"a":2}')
mmv.label('item', 1, '{"a":3}')
mmv.label(0x01, 1, '{"f":1}')
sys.stdout.buffer.write(mmv.build())
END
  run_label 0 list --effective bad
  assert_stderr
  assert_output "registry a=1
registry 6 b=1
indom 9 d=1
metric 9 c=1
metric m x
metric m {\"é\":1}
metric m a=2
metric m a=3
instance 9/3 e=1
unknown 1 f=1
m a=3
never shown: label[1] \"{\"b\":1}\": it is for cluster 6, the file's is 5; the label is never seen [label-cluster]
never shown: label[2] \"{\"c\":1}\": no metric with item 9; the label is never seen [label-target]
never shown: label[3] \"{\"d\":1}\": no indom 9; the label is never seen [label-target]
never shown: label[4] \"{\"e\":1}\": no instance 3 in an indom 9; the label is never seen [label-target]
never shown: label[5] \"x\": not a JSON object; the label is lost [label-json]
never shown: label[6] \"{\"é\":1}\": its name is \"é\"; the label is lost [label-name]
never shown: label[9] \"{\"f\":1}\": its flags are 0x1; the label is never looked at [label-level]
doubled: label[8] \"{\"a\":3}\": label[7] sets \"a\" too; the last one wins [label-duplicate]"
  run_label 0 list -e -m 9 bad
  assert_output 'metric 9 c=1
never shown: label[2] "{"c":1}": no metric with item 9; the label is never seen [label-target]'
  # And they can be taken away.
  for target in '-m 9' '-d 9' '-i 9/3'; do
    # shellcheck disable=SC2086 # two words
    quiet clear $target bad
  done
  quiet clear -r bad
  listed bad 'metric m x' 'metric m {"é":1}' 'metric m a=2' 'metric m a=3' 'unknown 1 f=1'
  quiet clear -A bad
  quiet list bad
}

@test "list --json" {
  need jq
  label set good 'deep={"a":{"b":[1,2.5]}}'
  run_label 0 list --json --effective good
  assert_stderr
  echo "$output" >json
  assert_equal "$(jq -c '[.schema, .version, (.files[0] | .file, (.labels | length), (.effective | length), .never_shown)]' json)" \
    '["pcputils/mmvlabel",1,"good",4,8,[]]'
  assert_equal "$(jq -c '.files[0].labels[] | del(.offset)' json)" \
    '{"level":"registry","identity":321,"name":"site","value":"north","optional":false}
{"level":"registry","identity":321,"name":"deep.a.b","value":[1,2.5],"optional":false}
{"level":"item","identity":1,"metric":"http.requests","name":"team","value":"web","optional":false}
{"level":"instance","identity":1,"instance":1,"instance_name":"POST","name":"cached","value":false,"optional":true}'
  assert_equal "$(jq -c '.files[0].effective[1]' json)" \
    '{"name":"http.requests","instance":1,"instance_name":"POST","labels":{"site":"north","deep.a.b":[1,2.5],"team":"web","cached":false}}'
  head -c 4000 good >./cut
  run_label 1 list --json cut missing
  echo "$output" >json
  assert_equal "$(jq -c '[.files[] | .file, (.errors | length)]' json)" '["cut",4,"missing",1]'
  for name in labels-payload labels-levels labels-255 labels-v1 everything; do
    fixture "$name" >bad
    label list --json --effective bad >json 2>/dev/null || [[ $? -eq 3 ]]
    run -0 --separate-stderr check json "$SRCDIR/test/schema/mmvlabel.json" json
  done
}

# --- set --------------------------------------------------------------------------------------

@test "set: a label of each level, seen by mmvdump" {
  quiet set good env=prod
  quiet set --metric queue.length good 'unit="jobs"' limit=10
  quiet set --indom 1 good kind=verb
  quiet set --instance 1/GET good --optional safe=true
  listed good 'registry site="north"' 'registry env="prod"' 'indom 1 kind="verb"' \
    'metric http.requests team="web"' 'metric queue.length unit="jobs"' 'metric queue.length limit=10' \
    'instance 1/POST cached=false [optional]' 'instance 1/GET safe=true [optional]'
  dump --json good >json
  assert_equal "$(jq -c '[.files[0].labels[-1] | .flags_raw, .identity, .instance, .payload]' json)" \
    '["0xa0",1,0,"{\"safe\":true}"]'
  run -0 --separate-stderr "$MMVCHECK" --strict good
  assert_output ''
}

@test "set: replaces, and never doubles" {
  quiet set good site=south
  quiet set -i 1/POST good cached=true
  listed good 'registry site="south"' 'metric http.requests team="web"' 'instance 1/POST cached=true'
  size=$(stat -c %s good)
  quiet set good site=north site=east
  listed good 'registry site="east"' 'metric http.requests team="web"' 'instance 1/POST cached=true'
  assert_equal "$(stat -c %s good)" "$size"
}

@test "set: values of all kinds; what is not JSON is a string" {
  quiet set good a=1.50 b=true c=null 'd=[1, 2]' 'e={"x": "y z"}' f='two words' g= 'h="7"' i=7x j=-0
  run_label 0 list -r good
  assert_output 'registry site="north"
registry a=1.5
registry b=true
registry c=null
registry d=[1,2]
registry e.x="y z"
registry f="two words"
registry g=""
registry h="7"
registry i="7x"
registry j=0'
  # As short in lists as elsewhere, in the exposition too.
  quiet set -m build good 'n=[0.1,{"x":1e22}]'
  run_dump 0 --openmetrics -m build good
  assert_output --partial 'n="[0.1,{\"x\":1e+22}]"'
}

@test "set: targets by pattern, by item, by full name; several of them" {
  quiet set -m 'http.*' good a=1
  quiet set -m 3 -m mmv.good.build good b=2
  quiet set -i '1/P*' good c=3
  quiet set -i '1/GET,1' good d=4
  run_label 0 list good
  assert_output 'registry site="north"
metric http.requests team="web"
metric http.requests a=1
metric http.sent a=1
metric queue.length b=2
metric build b=2
instance 1/POST cached=false [optional]
instance 1/POST c=3
instance 1/GET d=4
instance 1/POST d=4'
}

@test "set: what is not there, and what is no label" {
  refused 1 good "good: none: there is no metric 'none'" set -m none good a=1
  refused 1 good "good: 99: there is no metric with item '99'" set -m 99 good a=1
  refused 1 good "good: 9: there is no indom '9'" set -d 9 good a=1
  refused 1 good "good: 1/PUT: there is no instance '1/PUT'" set -i 1/PUT good a=1
  refused 1 good "good: 2/*: there is no instance '2/*'" set -i '2/*' good a=1
  usage "'x': the serial of an indom is due, a number" set -d x good a=1
  usage "'GET': SERIAL/SELECTOR is due, as in 1/eth0" set -i GET good a=1
  usage "'build[x]': an instance has one label for all metrics: --instance SERIAL/SELECTOR" \
    set -m 'build[x]' good a=1
  usage "'x': the serial of an indom is due, a number" list -d x good
  usage "'a': NAME=VALUE is due" set good a
  usage "'1a=1': '1a' is not the name of a label: a letter, then letters, digits and '_'" set good b=1 1a=1
  usage "'a={}': an empty object is no label" set good 'a={}'
  usage 'NAME=VALUE is missing' set good
  usage 'FILE is missing' set
  usage "-e/--effective has no use with 'set'" set -e good a=1
  usage '-r/--registry and -d/--indom exclude each other' set -r -d 1 good a=1
  long=$(printf '%0236d' 1)
  usage "'a=x${long::57}...': its text, with name and braces, is 245 bytes long: there is room for 243" set good "a=x$long"
}

@test "set: 255 labels are all there can be" {
  for i in $(seq 252); do
    words+=("l$i=$i")
  done
  quiet set good "${words[@]}"
  refused 1 good "good: more=1: no room for 'more': PCP's agent takes no labels at all of a file with more than 255" \
    set good more=1
  quiet set good l7=8
  run -0 --separate-stderr "$MMVCHECK" --strict good
  assert_output ''
}

@test "set: a file whose cluster PCP's agent chooses" {
  fixture cluster-0 >zero
  refused 1 zero "zero: its cluster is 0, so that PCP's agent chooses one, and never shows labels of the registry: --cluster gives it one" \
    set zero a=1
  quiet set -m 1 zero b=2
  quiet set --cluster 77 zero a=1
  assert_equal "$(dump --json zero | jq .files[0].header.cluster)" 77
  run_label 0 list -r zero
  assert_output 'registry a=1'
  quiet set --cluster 77 zero c=1
  refused 1 zero 'zero: its cluster is 77 already: another one would make other metrics of its metrics' \
    set --cluster 78 zero d=1
  usage "-c/--cluster: '4096' is not a number from 1 to 4095" set --cluster 4096 zero d=1
}

# --- unset and clear ----------------------------------------------------------------------------

@test "unset: by name; nothing happens unless all are there" {
  quiet set good a=1 b=2 'c={"d":1,"e":2}'
  quiet unset good a c.d
  run_label 0 list -r good
  assert_output 'registry site="north"
registry b=2
registry c.e=2'
  refused 1 good 'good: none: there is no such label' unset good b none
  refused 1 good 'good: team: there is no such label' unset good team
  quiet unset -m 'http.*' good team
  listed good 'registry site="north"' 'registry b=2' 'registry c.e=2' 'instance 1/POST cached=false [optional]'
  usage 'NAME is missing' unset good
}

@test "clear: a level, a target, or with --all everything" {
  usage 'clear needs --registry, --metric, --indom, --instance or --all' clear good
  usage "too many operands: 'x'" clear --all good x
  quiet clear -r good
  listed good 'metric http.requests team="web"' 'instance 1/POST cached=false [optional]'
  quiet clear -i '1/*' good
  quiet clear -d 1 good
  listed good 'metric http.requests team="web"'
  quiet clear --all good
  quiet list good
  quiet clear --all good
  run -0 --separate-stderr "$MMVCHECK" --strict good
  assert_output ''
  quiet set good again=1
  listed good 'registry again=1'
}

# --- the file ---------------------------------------------------------------------------------

# One of each kind: the others differ in what is written in the same places.
@test "nothing else changes: good files of all kinds" {
  mkdir there
  for name in plain-v1 plain-v2 plain-v3 cluster-0 indom-shared labels-v1 labels-v2 labels-levels labels-payload \
    names-odd names-long sections-backwards strings-packed-v1 strings-packed-v3 trailing-1 trailing-1792 types \
    text-hostile-v1 values-shuffled instance-names sentinel elapsed items; do
    fixture $name >there/$name
  done
  cp "$SRCDIR"/test/fuzz/corpus/fuzz-mmv/seed-slots there
  run -0 --separate-stderr trips trips there/*
  assert_output '24 files'
}

@test "nothing else changes: files with random content, and random changes" {
  mkdir there
  "$PYTHON" "$SRCDIR/test/fixture/mmv-random.py" "${SEED:-1}" "$(rounds 20)" there
  run -0 --separate-stderr trips trips there/*
  assert_output "$(rounds 20) files"
  run -0 --separate-stderr trips edits "${SEED:-1}" "$(rounds 12)" there/r[0-4]
  assert_output '5 files'
}

@test "nothing else changes: what PCP's library and Python module write" {
  need "$PEERDIR/mmv-write"
  mkdir -p tmp/mmv
  for version in 1 2 3; do
    PCP_TMP_DIR=$PWD/tmp "$PEERDIR/mmv-write" $version v$version
  done
  PCP_TMP_DIR=$PWD/tmp "$PYTHON" "$SRCDIR/test/peer/mmv-python.py" py
  run -0 --separate-stderr trips trips tmp/mmv/*
  assert_output '4 files'
}

@test "the agent sees labels as they were set, in files that were of each version" {
  mkdir -p tmp/mmv
  for version in 1 2 3; do
    fixture plain-v$version | "$PYTHON" -c 'import sys; d = bytearray(sys.stdin.buffer.read()); d[28:32] = bytes(4); d[36] = int(sys.argv[1]); sys.stdout.buffer.write(d)' $((version + 20)) >tmp/mmv/v$version
    [[ $version != 3 ]] || quiet clear --all tmp/mmv/v3
    agent -f mmv.v$version | sort >before
    quiet set tmp/mmv/v$version env=qa 'deep={"a":1}'
    quiet set -m 'disk.*' tmp/mmv/v$version env=disk
    quiet set -d 7 tmp/mmv/v$version bus=pci
    quiet set -i 7/sdb tmp/mmv/v$version slot=3
    agent -f mmv.v$version | sort | diff before -
    run -0 agent -l mmv.v$version.req.total
    assert_output --regexp '"deep.a":1.*"env":"qa"'
    refute_output --partial bus
    run -0 agent -l mmv.v$version.disk.read
    assert_output --regexp 'inst \[0 or "sda"\] labels \{.*"bus":"pci".*"env":"disk"'
    assert_output --regexp 'inst \[5 or "sdb"\] labels \{.*"bus":"pci".*"env":"disk".*"slot":3'
    [[ $(grep sda <<<"$output") != *slot* ]]
    quiet clear --all tmp/mmv/v$version
    run -0 agent -l mmv.v$version.disk.read
    refute_output --partial bus
    refute_output --partial '"env"'
  done
}

@test "files that are refused" {
  fixture big-endian-v3 >file
  refused 1 file 'file: it is in the byte order of another machine: label it there, or make it anew with mmvcreate' \
    set file a=1
  fixture sections-doubled >file
  refused 1 file "file: it has 2 sections of labels, of which PCP's agent reads the last one alone: make it anew with mmvcreate" \
    set file a=1
  fixture unterminated-v1 >file
  refused 1 file 'file: one of its names fills all of its field and has no end: it cannot become version 3' set file a=1
  fixture value-metric-far >file
  before=$(cksum <file)
  run_label 3 set file a=1
  assert_output ''
  assert_equal "${#stderr_lines[@]}" 2
  assert_equal "${stderr_lines[1]}" 'mmvlabel: file: the labels of a damaged file are not changed'
  assert_equal "$(cksum <file)" "$before"
  fixture header-flux >file
  run_label 3 set file a=1
  assert_equal "${stderr_lines[1]}" 'mmvlabel: file: labels can be changed once its application has finished, or starts anew'
  : >file
  run_label 3 set file a=1
  assert_stderr 'mmvlabel: file: too small for an MMV file: 0 bytes, of 40 (offset 0x0)'
  run_label 1 set missing a=1
  assert_stderr 'mmvlabel: missing: cannot open: No such file or directory'
  run_label 1 set . a=1
  assert_stderr 'mmvlabel: .: cannot open for writing: Is a directory'
  mkfifo pipe
  run_label 1 set pipe a=1
  assert_stderr 'mmvlabel: pipe: it is not a regular file'
  run_label 1 set - a=1
  assert_stderr 'mmvlabel: -: standard input cannot be changed'
}

@test "a damaged file stays as it is, whatever one tries" {
  local name status count=0
  mkdir there
  fixture --all there bad bomb
  for name in there/*; do
    ((++count % 3 == 0)) || continue
    cksum <"$name" >before
    status=0
    label set -f -m '*' "$name" a=1 >out 2>&1 || status=$?
    [[ $status -eq 3 || $status -eq 1 ]] || fail "$name: status $status: $(cat out)"
    cksum <"$name" | cmp - before
  done
}

@test "mode and owner stay; a link leads to the file that changes" {
  chmod 0640 good
  [[ $EUID != 0 ]] || chown 1:2 good
  ln -s good link
  before=$(stat -c '%a %u %g' good)
  inode=$(stat -c %i good)
  quiet set link a=1
  [[ -L link ]]
  assert_equal "$(stat -c '%a %u %g' good)" "$before"
  run ! [ "$(stat -c %i good)" = "$inode" ]
  run -0 ls -A
  assert_output 'good
link'
}

@test "a file or folder that may not be written" {
  mkdir closed
  mv good closed
  chmod 0444 closed/good
  as_nobody=()
  [[ $EUID != 0 ]] || as_nobody=(setpriv '--bounding-set=-dac_override,-dac_read_search')
  cp "$MMVLABEL" . # the way to it may be barred
  run -1 --separate-stderr "${as_nobody[@]}" ./mmvlabel set closed/good a=1
  assert_stderr 'mmvlabel: closed/good: cannot open for writing: Permission denied'
  chmod 0644 closed/good
  chmod 0555 closed
  run -1 --separate-stderr "${as_nobody[@]}" ./mmvlabel set closed/good a=1
  assert_stderr 'mmvlabel: closed/good: cannot write beside it: Permission denied'
  chmod 0755 closed
}

@test "--dry-run" {
  cksum <good >before
  run_label 0 set --dry-run good a=1
  assert_stderr
  assert_output "would replace good: 4 labels (now 3), $(($(stat -c %s good) + 256)) bytes (now $(stat -c %s good)), version 3 (now 3), cluster 321 (now 321)"
  run_label 0 set -n good site=north
  assert_output 'would leave good as it is'
  run_label 1 unset -n good none
  cksum <good | cmp - before
  run -1 --separate-stderr sh -c '"$MMVLABEL" set -n good a=1 >/dev/full'
  assert_stderr 'mmvlabel: standard output: cannot write: No space left on device'
  fixture plain-v1 >v1
  run_label 0 set -n -m '*' v1 a=1
  assert_output --partial 'version 3 (now 1)'
}

@test "many at once: no label is lost" {
  run -0 --separate-stderr trips many 12 good
  assert_output '12 labels'
}

@test "a lock that another keeps" {
  need flock
  exec {fd}<good
  flock -x "$fd"
  label set good a=1 3>&- {fd}<&- &
  listed good 'registry site="north"' 'metric http.requests team="web"' 'instance 1/POST cached=false [optional]'
  flock -u "$fd"
  wait $!
  run_label 0 list -r good
  assert_line 'registry a=1'
}
