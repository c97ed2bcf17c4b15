#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What pmlcctl says and does to real pmloggers when nothing is amiss, and how it takes its options.

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell; `run` sets stderr

load helpers
load pmlcctl-helpers

setup_file() {
  start_lab
  start_logger one -P
  start_logger two
}

teardown_file() {
  stop_lab
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

# Whatever a test did, no logger may have come to harm by it.
teardown() {
  assert_up one
  assert_up two
}

# reset METRIC...: as at the start.
reset() {
  ctl mandatory-off "$@" >/dev/null
  ctl mandatory-maybe "$@" >/dev/null
}

# items FILTER: of the last JSON.
items() {
  jq -c ".items[] | $1" <<<"$output"
}

# valid: it has to be as the schema says; the last test looks at all of them at once.
valid() {
  documents=$((${documents:-0} + 1))
  printf '%s\n' "$output" >"$BATS_FILE_TMPDIR/json.$BATS_TEST_NUMBER.$documents.$BASHPID"
}

# --- which loggers ----------------------------------------------------------------------------

@test "list: each logger, and that it can be reached" {
  run_ctl 0 list
  assert_stderr
  assert_equal "${#lines[@]}" 2
  assert_line --regexp "^$(pid one) yes \[primary\] port=[0-9]+ socket=\"$(socket one)\" host=\".+\" archive=\"$LAB/one/archive-[0-9]+\" note=\"lab one\"\$"
  assert_line --regexp "^$(pid two) yes port=[0-9]+ socket=\"$(socket two)\" host=\".+\" archive=\"$LAB/two/archive-[0-9]+\" note=\"lab two\"\$"
  run_ctl 0 list --json
  valid
  assert_equal "$(jq -c '[.schema, .version, .verb, (.loggers | length)]' <<<"$output")" \
    '["pcputils/pmlcctl",1,"list",2]'
  assert_equal "$(jq -c ".loggers[] | select(.primary) | [.pid, .reached, .note]" <<<"$output")" \
    "[$(pid one),\"yes\",\"lab one\"]"
}

@test "list -h: what pmcd knows, over TCP" {
  run_ctl 0 list -h localhost --json
  assert_stderr
  valid
  assert_equal "$(jq -c '[.loggers[] | [.pid, .primary, .reached, .socket]] | sort' <<<"$output")" \
    "$(jq -nc "[[$(pid one),true,\"yes\",null],[$(pid two),false,\"yes\",null]] | sort")"
}

@test "list: no logger, and no folder of theirs" {
  mkdir -p empty/pmlogger
  PCP_TMP_DIR=$PWD/empty run_ctl 0 list
  assert_output ''
  assert_stderr
  PCP_TMP_DIR=$PWD/nowhere run_ctl 0 list --json
  assert_equal "$(jq -c .loggers <<<"$output")" '[]'
}

# logger_of ARGUMENT...: as it says itself.
logger_of() {
  run_ctl 0 status --json "$@"
  valid
  jq -c '.logger | [.pid, .transport]' <<<"$output"
}

@test "the logger is the primary one, or that of a process, a port, a socket, a host" {
  local port
  port=$(head -n 1 "$LAB/tmp/pmlogger/$(pid two)")
  assert_equal "$(logger_of)" "[$(pid one),\"unix\"]"
  assert_equal "$(logger_of --primary)" "[$(pid one),\"unix\"]"
  assert_equal "$(logger_of --pid "$(pid two)")" "[$(pid two),\"unix\"]"
  assert_equal "$(logger_of --port "$port")" "[$(pid two),\"tcp\"]"
  assert_equal "$(logger_of -p "$port" --pid "$(pid two)")" "[$(pid two),\"tcp\"]"
  assert_equal "$(logger_of --socket "$(socket two)")" "[$(pid two),\"unix\"]"
  assert_equal "$(logger_of -h localhost)" "[$(pid one),\"tcp\"]"
  assert_equal "$(logger_of -h localhost --pid "$(pid two)")" "[$(pid two),\"tcp\"]"
  assert_equal "$(logger_of -h localhost -p "$port")" "[$(pid two),\"tcp\"]"
  assert_equal "$(logger_of -h "localhost:$PMCD_PORT")" "[$(pid one),\"tcp\"]"
  assert_equal "$(logger_of -h "[::1]:$PMCD_PORT" -p "$port")" "[$(pid two),\"tcp\"]"
  assert_equal "$(logger_of -h local:)" "[$(pid one),\"tcp\"]"
  assert_equal "$(PCP_HOST=localhost logger_of)" "[$(pid one),\"tcp\"]"
  assert_equal "$(PCP_HOST=localhost logger_of --socket "$(socket two)")" "[$(pid two),\"unix\"]"
}

# Its "localhost" is the host that it was found on.
@test "a logger of another pmcd of its host: metrics are looked up there" {
  local there=127.0.0.1:$PMCD_PORT
  start_logger third -x "-h localhost:$PMCD_PORT"
  PMCD_PORT=1 run_ctl 0 query -h "$there" --pid "$(pid third)" sample.long.one
  assert_output 'sample.long.one advisory off'
  assert_stderr
  kill "$(pid third)"
  wait_until is_gone third
}

@test "another logger than the one that is meant is sent nothing: status 1" {
  local port
  port=$(head -n 1 "$LAB/tmp/pmlogger/$(pid two)")
  run_ctl 1 mandatory-on -t 30s --primary --port "$port" sample.long.one
  assert_output ''
  assert_stderr "pmlcctl: localhost port $port: another logger answers there: its process is $(pid two), not $(pid one)"
  run_ctl 1 status --pid "$(pid one)" --socket "$(socket two)"
  assert_output ''
  [[ $stderr == *"its process is $(pid two), not $(pid one)" ]] || fail "$stderr"
  run_ctl 0 query --pid "$(pid two)" sample.long.one
  assert_output 'sample.long.one advisory off'
}

@test "no such logger: status 1" {
  run_ctl 1 status --pid 1
  assert_output ''
  assert_stderr 'pmlcctl: no logger has the process id 1'
  PCP_TMP_DIR=$PWD run_ctl 1 query sample.colour
  assert_output ''
  assert_stderr 'pmlcctl: there is no primary logger'
  run_ctl 1 status --socket "$PWD/none"
  assert_output ''
  assert_stderr "pmlcctl: $PWD/none: cannot connect: No such file or directory"
  run_ctl 1 status --port 1
  assert_stderr 'pmlcctl: localhost port 1: cannot connect: Connection refused'
  run_ctl 1 status --socket "/$(printf '%0150d' 1)"
  [[ $stderr == *'cannot connect: File name too long' ]] || fail "$stderr"
}

# --- status, new-volume, flush ----------------------------------------------------------------

@test "status: times, volume, hosts" {
  run_ctl 0 status
  assert_stderr
  assert_line --index 0 "pid: $(pid one)"
  assert_line 'primary: yes'
  assert_line "socket: $(socket one)"
  assert_line --regexp '^volume: [0-9]+$'
  assert_line 'connected to: local:'
  run_ctl 0 status -j
  valid
  now=$(jq -r '.status.now | sub("\\.[0-9]+Z$"; "Z") | fromdate' <<<"$output")
  ((now > $(date +%s) - 300 && now <= $(date +%s)))
  assert_equal "$(jq -r .status.pmcd_host <<<"$output")" "$(sed -n 2p "$LAB/tmp/pmlogger/$(pid one)")"
}

@test "new-volume: a new one each time" {
  local first
  run_ctl 0 mandatory-on -t 60s --pid "$(pid two)" sample.seconds
  run_ctl 0 new-volume --pid "$(pid two)"
  assert_stderr
  assert_output --regexp '^volume: [0-9]+$'
  first=${output#volume: }
  run_ctl 0 new-volume --pid "$(pid two)" --json
  valid
  assert_equal "$(jq .archive.volume <<<"$output")" $((first + 1))
  compgen -G "$LAB/two/archive-*.$((first + 1))*"
  reset --pid "$(pid two)" sample.seconds
}

@test "flush: taken, and no more than a sign of life" {
  run_ctl 0 flush
  assert_output ''
  assert_stderr
  run_ctl 0 flush --json
  valid
  assert_equal "$(jq -c '[.verb, .logger.pid]' <<<"$output")" "[\"flush\",$(pid one)]"
}

# --- changes ----------------------------------------------------------------------------------

@test "a change tells what each value was and is, and nothing is done twice" {
  run_ctl 0 mandatory-on -t 10sec sample.long.one 'sample.colour[red,green]'
  assert_stderr
  assert_output 'sample.long.one changed advisory off -> mandatory on 10s
sample.colour[red] changed advisory off -> mandatory on 10s
sample.colour[green] changed advisory off -> mandatory on 10s'
  run_ctl 0 mandatory-on -t 10sec sample.long.one 'sample.colour[red,green]'
  assert_output 'sample.long.one already mandatory on 10s
sample.colour[red] already mandatory on 10s
sample.colour[green] already mandatory on 10s'
  run_ctl 4 advisory-on -t 30s sample.long.one 'sample.colour[blue]'
  assert_stderr
  assert_output 'sample.long.one refused mandatory on 10s [mandatory logging is in force]
sample.colour[blue] changed advisory off -> advisory on 30s'
  run_ctl 0 query sample.long.one sample.colour
  assert_line --index 0 --regexp '^sample.long.one mandatory on 10s'
  assert_line --index 1 --regexp '^sample.colour\[red\] mandatory on 10s'
  assert_line --index 3 --regexp '^sample.colour\[blue\] advisory on 30s'
  reset sample.long.one sample.colour
}

@test "an entry for all instances stands in the way of single ones" {
  run_ctl 0 mandatory-on -t once sample.colour
  run_ctl 4 mandatory-on -t once 'sample.colour[red]'
  assert_output 'sample.colour[red] refused mandatory on once [an entry for all instances is in force]'
  assert_stderr
  run_ctl 4 mandatory-off 'sample.colour[0]'
  assert_output 'sample.colour[red] refused mandatory on once [an entry for all instances is in force]'
  reset sample.colour
}

@test "once is done every time that it is asked for" {
  run_ctl 0 mandatory-on -t once sample.long.ten
  assert_output 'sample.long.ten changed advisory off -> mandatory on once'
  run_ctl 0 mandatory-on -t once sample.long.ten
  assert_output 'sample.long.ten changed mandatory on once'
  reset sample.long.ten
}

@test "JSON: before, asked and after of each value, as the schema has it" {
  run_ctl 4 advisory-on -t 15500ms --json sample.long.hundred 'sample.colour[red]' nosuch.metric
  assert_stderr
  valid
  assert_equal "$(items '[.name, .pmid, .instance, .instance_name, .verdict, .before.state, .asked.interval_ms, .after.interval_ms]')" \
    '["sample.long.hundred","29.0.12",null,null,"changed","off",15500,15500]
["sample.colour","29.0.5",0,"red","changed","off",15500,15500]
["nosuch.metric",null,null,null,"unknown-metric",null,15500,null]'
  assert_equal "$(jq -c .summary <<<"$output")" '{"changed":2,"unknown_metric":1}'
  run_ctl 0 query --json sample.long.hundred sample.colour
  valid
  assert_equal "$(items '[.name, .instance_name, .state.control, .state.state, .state.interval_ms]')" \
    '["sample.long.hundred",null,"advisory","on",15500]
["sample.colour","red","advisory","on",15500]
["sample.colour","green","advisory","off",null]
["sample.colour","blue","advisory","off",null]'
  reset sample.long.hundred sample.colour
}

@test "--dry-run tells what would become of it, and does nothing" {
  run_ctl 0 mandatory-on -t 20s -n sample.long.one
  assert_output 'sample.long.one planned advisory off -> mandatory on 20s'
  assert_stderr
  run_ctl 0 query sample.long.one
  assert_output --partial 'sample.long.one advisory off'
  ctl mandatory-off sample.long.one
  run_ctl 4 advisory-off --dry-run --json sample.long.one
  valid
  assert_equal "$(items '[.verdict, .reason, .after.control]')" \
    '["refused","mandatory logging is in force","mandatory"]'
  reset sample.long.one
}

@test "pmlc sees the change, and no difference in anything else" {
  run_ctl 0 advisory-on -t 20s sample.ulong.ten 'sample.bin[bin-100,bin-900]'
  run pmlc_says -P '{ sample.ulong.ten, sample.bin["bin-100", "bin-200", "bin-900"] }'
  assert_equal "$(grep -c 'adv  on .* 20 sec' <<<"$output")" 3
  assert_equal "$(grep -c 'adv  off' <<<"$output")" 1
  reset sample.ulong.ten sample.bin
}

# --- intervals --------------------------------------------------------------------------------

# On a logger of its own: its timers stay, and one that goes off while a request is at work on pmcd
# can cost the logger its connection.
@test "intervals are exact to the millisecond, up to the largest" {
  local given fast
  start_logger fast
  fast=$(pid fast)
  for given in '10sec 10s' '24h 86400s' '1.5h 5400s' '100001ms 100001ms' '500ms 500ms' \
    '268435455ms 268435455ms' '1min1s 61s' '1e3ms 1s' '60.001 60001ms' '10ms 10ms'; do
    run_ctl 0 mandatory-on --pid "$fast" -t "${given% *}" sample.magnitude
    assert_output --partial "mandatory on ${given#* }"
    run_ctl 0 query --pid "$fast" sample.magnitude
    assert_output --regexp "^sample.magnitude mandatory on ${given#* }( in-log.*)?\$"
  done
  assert_up fast
}

@test "intervals that no logger can keep to are usage errors" {
  local given
  for given in 0 0s -1s 1194h 268435456ms 1e9ms 0.5ms 1.0001s 1us nonsense '' inf 99999999999999999999s; do
    run_ctl 2 mandatory-on "--interval=$given" sample.magnitude
    assert_output ''
    [[ ${stderr_lines[0]} == 'pmlcctl: -t/--interval: '* ]] || fail "$given: $stderr"
  done
  run_ctl 2 mandatory-on -t 9ms sample.magnitude
  assert_equal "${stderr_lines[0]}" "pmlcctl: -t/--interval: '9ms' is less than 10ms: --force takes it"
  run_ctl 0 advisory-on -t 9ms --force -n sample.magnitude
  assert_output 'sample.magnitude planned advisory off -> advisory on 9ms'
  run_ctl 0 query sample.magnitude
  assert_output --partial 'advisory off'
}

@test "on needs an interval, and nothing else takes one" {
  run_ctl 2 mandatory-on sample.colour
  assert_output ''
  assert_equal "${stderr_lines[0]}" "pmlcctl: 'mandatory-on' needs -t/--interval: INTERVAL, or once"
  run_ctl 2 mandatory-off -t 30s sample.colour
  assert_equal "${stderr_lines[0]}" "pmlcctl: -t/--interval has no use with 'mandatory-off'"
  run_ctl 2 query --dry-run sample.colour
  assert_equal "${stderr_lines[0]}" "pmlcctl: -n/--dry-run has no use with 'query'"
}

# --- metrics ----------------------------------------------------------------------------------

@test "subtrees, patterns and names, each metric once, in order" {
  run_ctl 0 query sample.long.ten sample.ulong.count 'sample.l*.one' sample.long.ten
  assert_stderr
  assert_equal "$(cut -d' ' -f1 <<<"$output")" 'sample.long.ten
sample.ulong.count.base
sample.ulong.count.deca
sample.ulong.count.hecto
sample.ulong.count.kilo
sample.ulong.count.mega
sample.long.one
sample.longlong.one'
}

@test "instances by name, id, pattern, in quotes" {
  run_ctl 0 query 'sample.bin[bin-3*]' 'sample.bin["bin-100",400]' 'sample.bin[ bin-500 , 100]'
  assert_stderr
  assert_equal "$(cut -d' ' -f1 <<<"$output")" 'sample.bin[bin-300]
sample.bin[bin-100]
sample.bin[bin-400]
sample.bin[bin-500]'
  run_ctl 0 query 'kernel.all.load[1 minute]' 'sample.colour[*]'
  assert_equal "$(wc -l <<<"$output")" 4
}

@test "what there is not is told, one by one, and the rest is done: status 4" {
  run_ctl 4 mandatory-on -t 50s nosuch 'sample.nosuch.*' 'sample.colour[RED,red,7,"x\u000ay"]' 'sample.long.one[0]' \
    'sample.bin[no*]' sample.bad.unknown sample.bad.nosupport sample.ulong
  assert_stderr
  assert_line 'nosuch unknown-metric'
  assert_line '"sample.nosuch.*" unknown-metric'
  assert_line 'sample.bad.unknown unknown-metric [Unknown or illegal metric identifier]'
  assert_line 'sample.bad.nosupport unsupported'
  assert_line --regexp '^sample.colour\[red\] changed'
  assert_line 'sample.colour[RED] no-such-instance'
  assert_line 'sample.colour[7] no-such-instance'
  assert_line 'sample.colour["x\ny"] no-such-instance'
  assert_line 'sample.long.one[0] no-such-instance [the metric has no instances]'
  assert_line 'sample.bin["no*"] no-such-instance'
  assert_line --regexp '^sample.ulong.one changed'
  reset sample.ulong sample.long.one sample.colour
}

@test "a derived metric is never sent: to the logger it is another one" {
  echo 'my.double = 2 * sample.long.ten' >derived
  PCP_DERIVED_CONFIG=$PWD/derived run_ctl 4 mandatory-on -t 50s my.double sample.long.ten
  assert_output 'my.double derived
sample.long.ten changed advisory off -> mandatory on 50s'
  assert_stderr
  reset sample.long.ten
}

@test "@FILE and @-: a name a line" {
  printf '# comment\n\n  sample.long.one \r\nsample.colour[red,blue]\n' >names
  run_ctl 0 query @names
  assert_stderr
  assert_equal "$(cut -d' ' -f1 <<<"$output")" 'sample.long.one
sample.colour[red]
sample.colour[blue]'
  run_ctl 0 query @- <names
  assert_equal "${#lines[@]}" 3
  run_ctl 1 query @none
  assert_output ''
  assert_stderr 'pmlcctl: none: cannot open: No such file or directory'
  printf 'sample.long.one\nsample.bin[\n' >names
  run_ctl 3 query @names
  assert_output ''
  assert_stderr "pmlcctl: names: 2:12: an instance is missing"
  printf 'sample\0long\n' >names
  run_ctl 3 query @names
  assert_stderr 'pmlcctl: names: a NUL among the names (offset 0x6)'
  : >names
  run_ctl 0 query @names
  assert_output ''
}

@test "the command line: metrics and where the logger is" {
  run_ctl 2 query
  assert_equal "${stderr_lines[0]}" "pmlcctl: 'query' needs a METRIC"
  run_ctl 2 query 'sample.bin[bin-1'
  assert_output ''
  assert_equal "${stderr_lines[0]}" "pmlcctl: 'sample.bin[bin-1': the closing ']' is missing (at column 11)"
  run_ctl 2 status --socket x --port 1
  assert_equal "${stderr_lines[0]}" 'pmlcctl: --socket and -p/--port exclude each other'
  run_ctl 2 status --pid 1 --primary
  assert_equal "${stderr_lines[0]}" 'pmlcctl: --pid and -P/--primary exclude each other'
  run_ctl 2 status --socket x -h y
  run_ctl 2 status -h :44321
  assert_equal "${stderr_lines[0]}" "pmlcctl: -h/--host: ':44321' names no host"
  run_ctl 2 status --port 65536
  run_ctl 2 status --busy-wait x
  run_ctl 2 status extra
  run_ctl 2 list --pid 1
  assert_equal "${stderr_lines[0]}" "pmlcctl: --pid has no use with 'list'"
}

# --- standard streams -------------------------------------------------------------------------

# shellcheck disable=SC2016 # expanded by the inner shell
@test "a full device, a closed standard output, a reader that has gone" {
  run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$PMLCCTL" list
  assert_stderr 'pmlcctl: standard output: cannot write: No space left on device'
  run -1 --separate-stderr sh -c '"$@" >&-' sh "$PMLCCTL" status
  assert_stderr 'pmlcctl: standard output: cannot write: Bad file descriptor'
  run -141 --separate-stderr bash -c 'exec 5> >(:); wait $!; "$@" >&5' bash "$PMLCCTL" query sample.colour
  assert_stderr
}

@test "options may stand behind operands, and -- ends them" {
  run_ctl 0 query sample.long.one --json
  valid
  run_ctl 4 query sample.long.one -- --json
  assert_line --regexp '^sample.long.one advisory off'
  assert_line '--json unknown-metric'
  POSIXLY_CORRECT=1 run_ctl 4 query sample.long.one --json
  assert_line '--json unknown-metric'
}

# --- the page ---------------------------------------------------------------------------------

@test "every member of the JSON is in the page, and every verdict and answer of list" {
  local page members words
  page=$(<"$SRCDIR/man/pmlcctl.1")
  members=$(jq -r '.. | objects | .properties? // empty | keys[]' "$SRCDIR/test/schema/pmlcctl.json")
  words=$(jq -r '.definitions.item.properties.verdict.enum[], .definitions.port.properties.reached.enum[]' \
    "$SRCDIR/test/schema/pmlcctl.json")
  ((${#members} > 300 && ${#words} > 150))
  for member in $members; do
    [[ $member == *_b64 || $page =~ Va\ ${member}[^a-z_] ]] || fail "no member $member in the page"
  done
  for word in $words; do
    [[ $page =~ Li\ ${word}[^a-z-] ]] || fail "no word $word in the page"
  done
}

# --- hostile text -----------------------------------------------------------------------------

@test "a port file cannot drive the terminal or forge a line" {
  mkdir -p tmp/pmlogger
  printf '4330\nh\e[31m\n/a\rb\nn\xff\n' >"tmp/pmlogger/$$"
  PCP_TMP_DIR=$PWD/tmp run_ctl 0 list
  assert_equal "${#lines[@]}" 1
  assert_output --partial 'host="h\x1b[31m" archive="/a\rb" note="n\xff"'
  PCP_TMP_DIR=$PWD/tmp run_ctl 0 list --json
  valid
  assert_equal "$(jq -r '.loggers[0].note_b64 | @base64d | length' <<<"$output")" 2
}

@test "every JSON document of all these tests is as the schema says" {
  compgen -G "$BATS_FILE_TMPDIR/json.*" >/dev/null || skip 'none was made'
  run -0 check json "$SRCDIR/test/schema/pmlcctl.json" "$BATS_FILE_TMPDIR"/json.*
}
