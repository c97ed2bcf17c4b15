#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Experiments that gprofng records here and now, against what gprofng itself says of them.

load helpers
load erexp-inspect-helpers

setup_file() {
  need gprofng
  cd "$BATS_FILE_TMPDIR" || return
  collect -o spin.er -C 'one note' -C '<two> & "three"' work spin 250
  collect -o trace.er -H on -s all -i on work trace
  collect -o tree.er work tree "$PEERDIR/exp-work"
  collect -o paused.er -y USR1 work pause
  collect -o odd.er work spin 1 $'a\tb' 'q"<&>' $'caf\xc3\xa9' '%41%'
  collect -o nodata.er -p off -S off work spin 1
  # Killed once all is written that there is to be; a copy is taken before.
  gprofng collect app -a off -o killed.er "$PEERDIR/exp-work" wait ready >/dev/null 2>&1 3>&- &
  wait_until test -e ready
  cp -r killed.er running.er
  pkill -KILL -P $! exp-work || kill -KILL $!
  wait || true
}

collect() {
  local words=()
  while [[ $1 != work ]]; do
    words+=("$1")
    shift
  done
  shift
  gprofng collect app -a off "${words[@]}" "$PEERDIR/exp-work" "$@" >/dev/null
}

setup() {
  need gprofng
  cd "$BATS_FILE_TMPDIR" || return
}

totals() {
  run -0 "$PYTHON" "$SRCDIR/test/cli/erexp.py" totals "$EREXP_INSPECT" "$1"
}

@test "totals of a plain run are gprofng's" {
  totals spin.er
  assert_output --partial totalcpu=
}

@test "totals of all kinds of tracing are gprofng's" {
  totals trace.er
  for metric in heapalloccnt heapallocbytes syncn sync ioreadbytes ioreadcnt iowritebytes iowritecnt; do
    assert_output --partial "$metric="
  done
  run_inspect 0 --json trace.er
  assert_stderr
  run -0 jq -c '[.experiments[0].files[] | select(.name == "iotrace") | .writes, .written_bytes, .reads, .read_bytes]' \
    <<<"$output"
  assert_output '[4,48,3,48]'
}

@test "totals of a tree of processes are gprofng's" {
  totals tree.er
  assert_output --partial totalcpu=
}

@test "what was recorded is sound, as far as the check can tell" {
  for experiment in spin trace tree paused odd nodata; do
    run_inspect 0 check --json "$experiment.er"
    assert_stderr
    run -0 jq -r '.findings[] | select(.severity == "error")' <<<"$output"
    assert_output ''
  done
}

@test "every form of a dump tells the same" {
  run -0 "$PYTHON" "$SRCDIR/test/cli/erexp.py" forms "$EREXP_INSPECT" spin.er profile
  for file in heaptrace iotrace synctrace data.frameinfo log.xml map.xml overview dyntext; do
    run -0 "$PYTHON" "$SRCDIR/test/cli/erexp.py" forms "$EREXP_INSPECT" trace.er $file
  done
}

@test "a dump shows as many allocations as the program made" {
  run_inspect 0 dump --file heaptrace --json-lines trace.er
  assert_stderr
  run -0 jq -rs 'map(select(.operation == "malloc" and .bytes >= 100 and .bytes < 110)) | length' <<<"$output"
  assert_output 10
}

@test "the calls in stacks are where the objects are mapped" {
  run_inspect 0 dump --file profile --json-lines spin.er
  assert_stderr
  printf '%s\n' "$output" | jq -r '.stacks[0].frames[0]' | sort -u >leaves
  inspect dump --file map.xml --json-lines spin.er >maps
  run -0 "$PYTHON" - leaves maps <<'EOF'
import json, sys
segments = []
for line in open(sys.argv[2]):
    record = {a['name']: a['value'] for a in json.loads(line)['attributes']}
    if record.get('object') in ('segment', 'function'):
        segments.append((int(record['vaddr'], 16), int(record['size'])))
leaves = [int(line, 16) for line in open(sys.argv[1])]
assert leaves
for leaf in leaves:
    assert any(start <= leaf < start + size for start, size in segments), hex(leaf)
EOF
}

@test "notes come first, as they were given" {
  run_inspect 0 spin.er
  assert_stderr
  assert_line --index 0 'experiment: spin.er'
  assert_output --partial $'\n  note: one note\n  note: <two> & "three"\n'
  assert_output --partial $'\n  ended: closed\n'
}

@test "arguments are shown as they were given" {
  run_inspect 0 --json odd.er
  assert_stderr
  run -0 jq -r '.experiments[0].command' <<<"$output"
  # The format cannot tell a literal "%41%" from an "A".
  assert_output --partial $'spin 1 a\tb q"<&> caf\xc3\xa9 A'
}

@test "processes are found by their ids" {
  run_inspect 0 tree --json tree.er
  assert_stderr
  local json=$output
  run -0 jq -r '.experiments[0].processes[] | [.name, .relation, .parent, .ended] | join(" ")' <<<"$json"
  assert_line 'tree.er root  exec'
  assert_line '_f1.er fork tree.er closed'
  assert_line '_f1_f1.er fork _f1.er closed'
  assert_line '_f2.er fork tree.er exec'
  assert_line '_f2_x1.er exec _f2.er closed'
  run -0 jq -r '.experiments[0].missing | length' <<<"$json"
  assert_output 0
  run -0 jq -r '.experiments[0].processes[] | select(.command | endswith("spin 30")) | .pid' <<<"$json"
  [[ ${#lines[@]} -ge 3 ]]
}

@test "an exec tells where it goes on" {
  run_inspect 0 --json tree.er
  assert_stderr
  run -0 jq -r '.experiments[0] | .ended, .exec_followed, .goes_on_in' <<<"$output"
  assert_line --index 0 exec
  assert_line --index 1 true
  assert_line --index 2 --regexp '^_x[0-9]+\.er$'
}

@test "a run that was killed, and a copy of one that runs, were not closed" {
  for experiment in killed running; do
    run_inspect 3 check "$experiment.er"
    assert_stderr
    assert_output --partial 'error: the last record is not that of an end'
    assert_output --partial '[not-closed]'
    run -0 grep -c ': error: ' <<<"$output"
    assert_output 1
    run_inspect 0 "$experiment.er"
    assert_stderr
    assert_output --partial 'ended: killed-or-running'
  done
}

@test "a pause is told, and the measurement is not judged by it" {
  run_inspect 0 check paused.er
  assert_stderr
  assert_output --partial '[paused]'
  refute_output --partial '[tick]'
  refute_output --partial '[cpu-coverage]'
}

@test "a profile that misses most of the CPU time is told" {
  run_inspect 0 --json spin.er
  local ticks
  ticks=$(jq '.experiments[0].files[] | select(.name == "profile") | .ticks' <<<"$output")
  run_inspect 0 check --ignore collector-warning spin.er
  assert_stderr
  if ((ticks < 12)); then # the collector of Debian 12 ticks every 100 ms; 25 ticks were due
    assert_output --regexp '\[(tick|cpu-coverage)\]'
  else
    assert_output ''
  fi
}

@test "archives are found by the names that gprofng gives them" {
  rm -rf archived.er
  cp -r spin.er archived.er
  gprofng archive -a on archived.er >/dev/null 2>&1
  run_inspect 0 archives --json archived.er
  assert_stderr
  run -0 jq -r '.experiments[0].objects[].status' <<<"$output"
  refute_line missing
  refute_line not-needed
  assert_line --regexp '^(present|newer)$'
  local copy
  copy=$(basename archived.er/archives/exp-work_*)
  head -c 3000 "archived.er/archives/$copy" >part
  chmod u+w archived.er/archives && mv part "archived.er/archives/$copy"
  run_inspect 3 archives archived.er
  assert_stderr
  assert_output --regexp "(truncated|present|newer): [^ ]*/exp-work archive=\"$copy\""
  rm "archived.er/archives/$copy"
  run_inspect 3 archives --missing archived.er
  assert_stderr
  assert_output "$PEERDIR/exp-work"
}
