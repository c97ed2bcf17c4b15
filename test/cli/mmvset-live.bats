#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# mmvset beside others: itself, programs that use PCP's own library, and PCP's agent.

# shellcheck disable=SC2016,SC2154 # another shell expands what is in single quotes, run sets stderr
load helpers
load mmvset-helpers

setup() {
  mkdir -p "$BATS_TEST_TMPDIR/work/mmv" # bats has files of its own beside it
  cd "$BATS_TEST_TMPDIR/work" || return
}

teardown() {
  exec 7>&- 8>&-
  local pid
  for pid in ${live-} ${setter-}; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

# --- several of mmvset ------------------------------------------------------------------------

@test "eight at once add a hundred thousand times each: nothing is lost" {
  make_file file
  "$PYTHON" -c 'print(("u64+=1\n" * 10 + "i32+=-1\ndouble+=1\nfloat+=.5\nbusy+=3\nmany[b]+=2\n") * 10000, end="")' >in
  local pids=() pid
  for _ in {1..8}; do
    poke file - <in &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid"
  done
  assert_equal "$("$MMVDUMP" --values -m u64 -m i32 -m double -m float -m busy -m 'many[b]' file)" 'i32 -80000
u64 800000
float 40000.0
double 80000.0
busy 240000
many[b] 160000'
}

@test "of several that start, or stop, an interval at once, one does" {
  make_file file
  "$PYTHON" -c 'print("busy=start\nbusy=stop\n" * 20000, end="")' >in
  local pids=() pid began ended runs starts stops
  began=$(date +%s%6N)
  for _ in {1..8}; do
    poke file - <in 2>>err &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || true
  done
  ended=$(date +%s%6N)
  runs=$(field busy '(.extra // 0) < 0' | grep -c true || true)
  starts=$((160000 - $(grep -c 'busy: an interval runs already$' err || true)))
  stops=$((160000 - $(grep -c 'busy: no interval runs$' err || true)))
  assert_equal "$((starts - stops))" "$runs"
  refute grep -vE 'busy: (an interval runs already|no interval runs)$' err
  poke file busy=stop 2>/dev/null || true
  (($(field busy .value | tr -d '[]') <= ended - began + 10000000))
}

@test "killed at any moment it leaves a whole file" {
  make_file file
  "$MMVCHECK" file >findings
  local long
  long=$(printf 'z%.0s' {1..255})
  for _ in {1..10}; do
    yes "text=$long
text=short
many[*]+=1
busy=start
busy=stop" | "$MMVSET" file - 2>/dev/null 3>&- &
    setter=$!
    "$MMVDUMP" --json file | jq '.files[0].values[12].value' >before
    wait_until moved
    kill -KILL "$setter"
    wait "$setter" 2>/dev/null || true
    "$MMVCHECK" file | diff findings -
    run -0 "$MMVDUMP" --values -m text file
    assert_output --regexp '^text "(z*|short)"$|^text "(shortz+|zzzzz+)"$'
  done
  setter=
  run -0 --separate-stderr "$MMVSET" --print file text=short
  assert_output 'text "short"'
}

moved() {
  ! "$MMVDUMP" --json file | jq '.files[0].values[12].value' | cmp -s before -
}

@test "a file that is cut while values stream into it: no signal, a few messages" {
  local status=0
  "$PYTHON" -c 'import json; print(json.dumps({"metrics": [{"name": f"m{i}"} for i in range(1000)]}))' |
    "$MMVCREATE" -o file -
  mkfifo lines
  "$MMVSET" file - <lines 2>err 3>&- &
  setter=$!
  "$PYTHON" -c 'while True: print("m999+=1\nm1+=1\n" * 1000)' >lines 2>/dev/null 3>&- &
  live=$!
  wait_until streams
  truncate -s 8192 file
  wait_until test -s err
  kill "$live"
  wait "$live" || true
  live=
  wait "$setter" || status=$?
  setter=
  [[ $status == [13] ]] || fail "status $status"
  # What writes the lines may have been killed in the middle of one.
  [[ $(grep -vc ': no METRIC=VALUE' err) -le 3 ]] || fail "$(head err)"
}

streams() {
  [ "$("$MMVDUMP" --values -m m999 file)" != 'm999 0' ]
}

# --- a program that uses PCP's library --------------------------------------------------------

agent() {
  timeout 20 sh "$SRCDIR/test/peer/agent.sh" . "$@"
}

need_agent() {
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
}

# total: as the agent has it.
total() {
  agent -f mmv.live.total | sed -n 's/^    value //p'
}

@test "a program counts on while other values are set, and the agent shows both" {
  need "$PEERDIR/mmv-live"
  need_agent
  PCP_TMP_DIR=$PWD "$PEERDIR/mmv-live" --count live >answers 3>&- &
  live=$!
  wait_until test -s answers
  local before i
  before=$(total)
  for i in {1..20}; do
    run_set 0 mmv/live "state=step $i, with a longer text than the one before"
    assert_stderr
  done
  run_set 0 mmv/live 'state=step 20'
  run -0 agent -f mmv.live.state
  assert_line '    value "step 20"'
  wait_until counts_on "$before"
  kill -0 "$live"
}

counts_on() {
  [ "$(total)" -gt "$1" ]
}

# tell ORDER...: done when it returns.
tell() {
  echo "$*" >&8
  told=$((told + 1))
  wait_until answered
}

answered() {
  [ "$(grep -c . answers)" -ge "$told" ]
}

@test "a program that starts again: the values go to its new file" {
  need "$PEERDIR/mmv-live"
  mkfifo orders lines
  PCP_TMP_DIR=$PWD "$PEERDIR/mmv-live" live <orders >answers 2>&1 3>&- &
  live=$!
  exec 8>orders
  told=1
  wait_until answered
  "$MMVSET" --print mmv/live - <lines >out 2>err 3>&- 8>&- &
  setter=$!
  exec 7>lines
  echo total+=5 >&7
  wait_until grep -qx 'total 5' out
  tell add 2
  echo total+=5 >&7
  wait_until grep -qx 'total 12' out
  # Its library deletes the old file and makes another one, which has a metric more.
  tell restart
  echo extra0=4 >&7
  wait_until grep -qx 'extra0 4' out
  tell restart
  printf 'extra1=5\ntotal+=1\nbusy+=1\n' >&7
  wait_until grep -qx 'busy\[cpu0\] 1' out
  exec 7>&-
  wait "$setter"
  setter=
  assert_equal "$(cat err)" ''
  assert_equal "$("$MMVDUMP" --values mmv/live | grep -v state)" 'total 1
busy[cpu0] 1
extra0 0
extra1 5'
  # It still holds its file, and ends as it should.
  exec 8>&-
  wait "$live"
  live=
}

@test "what PCP's writers make can be set, and the agent shows all of it" {
  need "$PEERDIR/mmv-write"
  need_agent
  local version
  for version in 1 2 3; do
    PCP_TMP_DIR=$PWD "$PEERDIR/mmv-write" $version v$version
    run_set 0 mmv/v$version one.i32=-2147483648 one.u32=4294967295 one.i64=-9223372036854775808 \
      one.u64=18446744073709551615 one.float=-0.1 one.double=1e-300 one.string="$(printf 'q%.0s' {1..255})" \
      'many.u64[lo]+=7' 'many.string[eth1 (second)]=second' 'many.elapsed=12'
    assert_output ''
    assert_stderr
  done
  PCP_TMP_DIR=$PWD "$PYTHON" "$SRCDIR/test/peer/mmv-python.py" py
  run_set 0 mmv/py one.i64=-5 'many[rockets]=44' text='other text'
  assert_stderr
  local name
  for name in v1 v2 v3 py; do
    # By itself: files that share a cluster are mixed up.
    mkdir -p "$name/mmv"
    mv "mmv/$name" "$name/mmv/$name"
    timeout 20 sh "$SRCDIR/test/peer/agent.sh" "$name" -dmf mmv >answers
    dump --json "$name/mmv/$name" >json
    run -0 --separate-stderr check agent answers json
    assert_stderr
    refute_output '0 metrics'
  done
  run -0 grep -c 'value "q\{255\}"' <(sh "$SRCDIR/test/peer/agent.sh" v1 -f mmv.v1.one.string)
  assert_output 1
}

@test "no value, and time that runs, as the agent has them" {
  need_agent
  make_file mmv/file '"flags": ["sentinel"]'
  run_set 0 mmv/file u64=null i32=null text= busy=null
  run -0 agent -f mmv.file.u64 mmv.file.i32 mmv.file.text mmv.file.busy
  assert_equal "$(grep -c 'No value(s) available!' <<<"$output")" 4
  run_set 0 mmv/file u64=4 busy=5000000
  run_set 0 mmv/file busy=start
  sleep 0.01
  run -0 agent -f mmv.file.u64 mmv.file.busy
  assert_line '    value 4'
  (($(sed -n 's/^    value //p' <<<"$output" | tail -n 1) > 5000000))
  run_set 0 --print mmv/file busy=stop
  assert_equal "$(agent -f mmv.file.busy | sed -n 's/^    value /busy /p')" "$output"
}

@test "a shell script as an instrumented application" {
  need_agent
  PATH=${MMVSET%/*}:${MMVCREATE%/*}:$PATH run -0 --separate-stderr sh "$SRCDIR/test/demo/ci-job.sh" mmv/ci
  assert_output 'compiling ...
packing ...'
  assert_stderr
  run -0 agent -f mmv.ci.runs mmv.ci.failures mmv.ci.current
  assert_output '
mmv.ci.runs
    inst [0 or "build"] value 1
    inst [1 or "test"] value 1
    inst [2 or "package"] value 1

mmv.ci.failures
    inst [0 or "build"] value 0
    inst [1 or "test"] value 1
    inst [2 or "package"] value 0

mmv.ci.current
    value "package"'
  run -0 agent -l mmv.ci.runs
  assert_output --partial '"branch":"main"'
  run -0 agent -f mmv.ci.time
  assert_equal "$(grep -cE 'inst \[[0-2] or "[a-z]+"\] value [1-9][0-9]*$' <<<"$output")" 3
  run -0 --separate-stderr "$MMVCHECK" mmv/ci
  assert_output ''
}
