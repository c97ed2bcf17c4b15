#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What experiments of all kinds look like: made by test/fixture/experiment.py, among them kinds that
# cannot be recorded here. erexp-inspect-gprofng.bats has recorded ones.

load helpers
load erexp-inspect-helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  make_experiment --all good
}

setup() {
  cd "$BATS_FILE_TMPDIR" || return
}

# json FILTER ARGUMENT...: the tool's JSON, filtered; nothing is wrong.
json() {
  local filter=$1
  shift
  run_inspect 0 "$@"
  assert_stderr
  run -0 jq -rc "$filter" <<<"$output"
}

# --- good ones ---------------------------------------------------------------------------------

@test "nothing is wrong with sound experiments of any kind" {
  run_inspect 0 check --json good
  assert_stderr
  run -0 jq -r '.findings[] | select(.severity != "note") | [.file, .rule] | join(" ")' <<<"$output"
  assert_output 'good/family.er/_zz.er name
good/family.er/log.xml member-missing'
}

@test "a summary has every figure of every file" {
  json '.experiments[0].files[] | select(.name == "heaptrace")
    | [.packets, .used, .tails, .threads, .allocations, .allocated, .frees, .bytes]' --json good/plain.er
  assert_output '[12,960,0,1,7,915,5,65536]'
  json '.experiments[0].files[] | select(.name == "profile") | [.ticks, .tick_us, .time, .first, .last]' --json good/plain.er
  assert_output '[20,10007,0.20014,0.01,0.2]'
  json '.experiments[0].files[] | select(.name == "iotrace") | [.packets, .reads, .read_bytes, .writes]' --json good/plain.er
  assert_output '[2,1,512,0]'
  json '.experiments[0].files[] | select(.name == "synctrace") | [.waits, .wait_time]' --json good/plain.er
  assert_output '[1,0.005]'
  json '.experiments[0] | [.notes, .ended, .version, .collector, .host, .cpus, .clock_mhz, .clock_low_mhz, .pid,
    .log_duration, .overview_duration, .packet_duration, .user_time, .start, (.last_written | startswith("20"))]' --json good/plain.er
  assert_output '["nightly run 7\n","closed","12.4","2.40.00","host1",2,2400,2000,4711,0.3005,0.3005,0.2,0.2,"2023-11-14T22:13:20Z",true]'
}

@test "byte order and word size are the recording machine's" {
  local figures='[.experiments[0].files[] | select(.packets) | .packets] | add'
  json "$figures" --json good/plain.er
  local expected=$output
  for case in plain-big plain-declared-big; do
    json "$figures" --json good/$case.er
    assert_output "$expected"
    json '.experiments[0].big_endian' --json good/$case.er
    assert_output true
  done
  for case in small small-big; do
    json '.experiments[0] | .word_size, (.files[] | select(.name == "profile") | .ticks)' --json good/$case.er
    assert_output $'32\n20'
  done
  json '.stacks[0].frames' dump -l -f profile good/small.er
  assert_line --index 0 '["0x8048000","0xfffffffff7e00000"]'
}

@test "the layouts of 12.3: blocks of 16 KiB, one process element, the older clock packet" {
  json '.experiments[0].files[] | select(.name == "profile") | [.packets, .threads, .bytes]' --json good/studio-12-3.er
  assert_output '[600,2,49152]'
  json '.thread' dump -l -f profile good/studio-12-3.er
  assert_line --index 0 139711564956672
}

@test "ranks stand in numeric order, and files without decoder are listed" {
  json '[.experiments[].name] | join(" ")' --json good/mpi.er
  assert_output "mpi.er $(printf 'M_r%d.er ' {0..10} | sed 's/ $//')"
  # Half of them were on another host, with the same ids and a clock of its own.
  json '.experiments[0].processes[1:][] | [.relation, .parent, has("start")] | @csv' tree --json good/mpi.er
  run -0 sort -u <<<"$output"
  assert_output '"name","mpi.er",false
"ppid","mpi.er",true'
  json '.experiments[0].files[] | select(.kind == "mpi" or .kind == "counts") | [.name, .bytes] | join(" ")' --json good/mpi.er
  assert_output 'a.0.def.z 9
a.otf 4
ifreq 7
mpview.dat3 100'
}

@test "processes of a kernel experiment keep their hard names" {
  json '.experiments[0].processes[1:][] | .kind + " " + .name' tree --json good/kernel.er
  assert_output 'process _sshd_PID_1264.1.er
process _a_PID_9_PID_1265.1.er
process _kworker_0.1_PID_1266.1.er
process _x.er_PID_1267.1.er
process __f1_PID_1268.1.er'
}

@test "a tree from ids, records and names, with who is missing" {
  run_inspect 0 tree good/family.er
  assert_stderr
  assert_output 'good/family.er [root] pid=4711 ppid=4700 start=0.0 duration=0.200001 exec "./prog"
  _f1.er [fork] pid=4712 ppid=4711 start=0.012 duration=0.3005 closed "(fork)"
    _f1_x1.er [exec] pid=4712 ppid=4711 start=0.02 duration=0.3005 closed "./leaf"
  _f10.er [ppid] pid=4790 ppid=4711 start=0.03 duration=0.3005 closed "(fork)"
  _x1.er [exec] pid=4711 ppid=4700 start=0.21 duration=0.3005 closed "./next"
    _c1.er [ppid] pid=4801 ppid=4711 start=0.23 duration=0.3005 closed "./prog" name says="family.er"
    _zz.er [ppid] pid=4802 ppid=4711 start=0.24 duration=0.3005 closed "./prog"
  _x0_f1.er [name] pid=4800 ppid=4799 start=0.22 duration=0.3005 closed "./prog"
missing: _f2 [fork] pid=4713 parent="family.er"'
  run_inspect 0 tree --dot good/family.er good/kernel.er
  assert_stderr
  assert_line --index 0 'digraph processes {'
  assert_line '    n1_0 -> n1_2 [label="fork"];'
  # Seven members, one that is missing, one that goes by another name.
  run -0 grep -c ' -> ' <<<"$output"
  assert_output 9
}

@test "an exec is an end, and tells where it goes on" {
  json '.experiments[0] | [.ended, .goes_on_in, .exec_followed]' --json good/family.er
  assert_output '["exec","_x1.er",true]'
}

@test "Java: classes, methods, compiled code, frames, events" {
  run_inspect 0 dump -f jclasses good/java.er
  assert_stderr
  # shellcheck disable=SC2016 # a dollar is part of names in Java
  assert_output '0: class class=0x100 time=0.0005 "LMain;" "Main.java"
44: method class=0x100 method=0xa1 "main" "([Ljava/lang/String;)V"
100: method class=0x100 method=0xa2 "work" "(I)D"
140: location class=0x100 "LMain;" "file:/home/demo/"
184: class class=0x101 time=0.0006 "Lcom/x/Y$1;" "Y.java"
228: location class=0x101 "Lcom/x/Y$1;" "jar:file:///home/demo/a%20b.jar!/"
292: location class=0x102 "Ljava/lang/String;" "jrt:/java.base"'
  json '[.address, .loaded, .size, .method, .mapped_size, .lines, (.code_b64 | @base64d | length)]' dump -l -f dyntext good/java.er
  assert_output '["0x7f0000001000",0.01,256,"0xa2",256,[{"offset":0,"line":3},{"offset":64,"line":9}],256]'
  json '.stacks' dump -l -f profile good/java.er
  assert_line --index 0 '[{"kind":"java","frames":[{"method":"0xa2","index":7},{"method":"0xa1","index":3}]},{"kind":"native","frames":["0x7f0000001010","0x401000"]}]'
  json '.experiments[0] | .java, (.events[] | select(.kind == "gc_end") | .count)' --json good/java.er
  assert_output $'17.0.1\n1'
}

@test "counters, states, compressed stacks, cut stacks" {
  json '.experiments[0].counters | map([.tag, .name, .interval])' --json good/counters.er
  assert_output '[[0,"cycles",1000003],[1,"insts",2000006]]'
  json '[.counter, .count]' dump -l -f hwcounters good/counters.er
  assert_line --index 1 '[1,2000006]'
  json .state dump -l -f profile good/solaris.er
  assert_line --index 4 data-fault
  json '.stacks[0].frames' dump -l -f profile good/linked.er
  assert_line --index 0 '["0x401200","0x401100","0x402000"]'
  assert_line --index 1 '["0x401300","0x401250","0x401200","0x401100","0x402000"]'
  json '.stacks[0].frames' dump -l -f data.frameinfo good/linked.er
  assert_line --index 2 '["0x401200","0x401100","0x402000"]'
  json '.stacks[0].end' dump -l -f profile good/truncated.er
  assert_line --index 0 truncated
  assert_line --index 1 failed
}

@test "data that only its field list explains is shown by it" {
  json '.fields' dump -l -f dataraces good/race.er
  assert_output '[{"name":"RTYPE","value":-1,"state":"WRITE"},{"name":"RID","value":7},{"name":"RVADDR","value":6295552},{"name":"RRATE","value":0.25},{"name":"RNAME","value":"x\u001b[31m"}]'
  run_inspect 0 dump -f dataraces good/race.er
  assert_output --partial 'RNAME "x\x1b[31m"'
}

@test "a converted experiment has no blocks and no end, and that is right" {
  json '.experiments[0] | .ended, (.files[] | select(.name == "profile") | [.packets, .ticks])' --json good/converted.er
  assert_output $'converted\n[3000,3000]'
  run_inspect 0 check --strict good/converted.er
  assert_output --partial 'note: neither collector nor process is named'
}

@test "every packet is shown once, of one thread or one stretch if asked for" {
  run_inspect 0 dump --file heaptrace good/blocks.er
  assert_stderr
  assert_equal "${#lines[@]}" 3000
  assert_equal "$(printf '%s\n' "${lines[@]%%:*}" | sort -un | wc -l)" 3000
  run_inspect 0 dump --file heaptrace --from 100ms --to 199.9ms good/blocks.er
  assert_equal "${#lines[@]}" 1000
  run_inspect 0 dump --file profile --thread 0x7f1122334401 good/studio-12-3.er
  assert_equal "${#lines[@]}" 300
  run_inspect 0 dump --file profile --thread 12 good/studio-12-3.er
  assert_output ''
}

@test "threads and times are chosen where there are any" {
  run_inspect 0 dump --file heaptrace --from 0 --to 0.1ms good/blocks.er
  assert_stderr
  assert_equal "${#lines[@]}" 2
  run_inspect 1 dump --file overview --thread 1 good/blocks.er
  assert_output ''
  assert_stderr 'erexp-inspect: good/blocks.er: overview: threads and times can be chosen in files of packets only'
  run_inspect 2 dump --file heaptrace --to soon good/blocks.er
  # shellcheck disable=SC2154 # run sets it
  [[ $stderr == 'erexp-inspect: --to: '* ]]
}

@test "what only Solaris and the starter of the collector tell" {
  json '.experiments[0] | [.frequency_scaling, .turbo_mode]' --json good/solaris.er
  assert_output '["enabled","disabled"]'
  json '[.system_time, .trap_time, .text_fault_time, .lock_time, .swaps, .calls]' dump -l -f overview good/solaris.er
  assert_line --index 0 '[0.07,0.001,null,0.004,1,99]'
  json '[.attributes[] | select(.name == "comment").value]' dump -l -f labels.xml good/solaris.er
  assert_output '["café"]'
}

@test "an exec that was followed, and led nowhere, is told" {
  cp -r good/family.er lonely.er
  rm -r lonely.er/_*
  run_inspect 0 check lonely.er
  assert_line --partial 'lonely.er/log.xml:'
  assert_line --partial 'process 4711 went on by exec, and nothing here has its id'
  json '.experiments[0].missing | map([.lineage, .relation, .pid])' tree --json lonely.er
  assert_output '[["_f1","fork",4712],["_f2","fork",4713],[null,"exec",4711]]'
  run_inspect 0 tree --dot lonely.er
  assert_line '    n1_0 -> e1_0 [label="exec", style=dashed];'
  # Alone, a sub-experiment does not know.
  mkdir -p whole.er
  cp -r lonely.er whole.er/_x1.er
  run_inspect 0 check whole.er/_x1.er
  assert_output ''
}

@test "records of the log, decoded" {
  run_inspect 0 dump --file log.xml good/plain.er
  assert_stderr
  assert_line --index 0 '0: experiment version "12.4"'
  assert_line --index 1 '28:   collector "2.40.00"'
  assert_line --regexp '^[0-9]+: event kind "comment" id "400" "No archive command run" \[archiving\]$'
  run_inspect 0 dump --file map.xml good/plain.er
  assert_line --index 1 --regexp ' modes "0x005" .* \[r-xp\]$'
  run_inspect 0 dump --file notes good/plain.er
  assert_output '0: nightly run 7'
}

# --- operands ----------------------------------------------------------------------------------

@test "a sub-experiment alone, a group, a directory, slashes" {
  json '[.experiments[].path] | join(" ")' --json good/family.er/_f1.er/
  assert_output good/family.er/_f1.er
  printf '#analyzer experiment group\n\n# comment\nplain.er\njava.er\n' >good/two.erg
  json '[.experiments[].path] | join(" ")' --json good/two.erg
  assert_output 'good/plain.er good/java.er'
  json '[.experiments[] | select(.kind == "founder") | .path] | length' --json good//
  assert_output 18
  mkdir -p renamed && cp -r good/plain.er renamed/plain
  run_inspect 3 check --strict renamed/plain
  assert_output --partial '[name]'
}

@test "what is no experiment is said to be none" {
  run_inspect 1 missing.er
  assert_output ''
  assert_stderr 'erexp-inspect: missing.er: cannot open: No such file or directory'
  mkdir -p void && echo text >plain-file
  run_inspect 1 void
  assert_output ''
  assert_stderr 'erexp-inspect: void: no experiment in this directory'
  run_inspect 3 plain-file
  assert_output ''
  assert_stderr 'erexp-inspect: plain-file: neither an experiment nor a group file: it does not begin with the line "#analyzer experiment group" (offset 0x0)'
  printf '#analyzer experiment group\ngone.er\nplain.er\n' >good/broken.erg
  run_inspect 1 check good/broken.erg
  assert_output ''
  assert_stderr 'erexp-inspect: good/gone.er: cannot open: No such file or directory'
}

@test "a link does not lead out of an experiment" {
  cp -r good/plain.er linked.er
  echo '<secret a="1"/>' >secret
  rm linked.er/map.xml linked.er/profile
  ln -s "$PWD/secret" linked.er/map.xml
  ln -s /dev/zero linked.er/profile
  ln -s "$PWD/good/java.er" linked.er/_f1.er
  run_inspect 3 check linked.er
  assert_stderr
  assert_output --partial 'linked.er/map.xml: error: a symbolic link in place of a file'
  assert_output --partial 'linked.er/profile: error: a symbolic link in place of a file'
  assert_output --partial 'linked.er/_f1.er: error: a symbolic link in place of a directory'
  run_inspect 3 dump --file map.xml linked.er
  assert_output ''
  run_inspect 1 dump --file ../secret linked.er
  assert_output ''
}

@test "a log that names files elsewhere is not believed" {
  cp -r good/plain.er escape.er
  sed -i 's,fname="heaptrace",fname="../secret",' escape.er/log.xml
  run_inspect 3 check escape.er
  assert_stderr
  assert_output --partial 'escape.er/../secret: error: heaptrace data is declared, there is no file'
}

@test "files that are special, and never end, do no harm" {
  cp -r good/plain.er special.er
  rm special.er/{heaptrace,overview,iotrace}
  mkfifo special.er/heaptrace
  mkdir special.er/overview
  truncate -s 5G special.er/iotrace
  run_inspect 3 check special.er
  assert_output --partial 'special.er/heaptrace: error: not a regular file'
  assert_output --partial 'special.er/overview: error: not a regular file'
}

# --- plausibility ------------------------------------------------------------------------------

# vary SED-EXPRESSION: a variant of the plain one, its log changed, blocks kept whole.
vary() {
  rm -rf varied.er
  cp -r good/plain.er varied.er
  tr -d '\0' <good/plain.er/log.xml | sed "$1" >varied.er/log.xml
  truncate -s 65536 varied.er/log.xml
}

# shellcheck disable=SC2016 # $ is sed's
without_end='/<event kind="exit"/,$d'

@test "a wrong tick is told with both figures" {
  vary 's/ptimer="10007"/ptimer="1001"/'
  run_inspect 0 check varied.er
  assert_line --partial 'varied.er/profile: warning: a tick is declared as 1.001 ms and was 10.'
  assert_line --partial '[tick-short]'
  run_inspect 3 check --strict varied.er
}

@test "messages of the collector are decoded" {
  vary 's,<event kind="exit",<event kind="cerror" id="9" ec="12">x</event>\n<event kind="cwarn" id="207">10007 -\&gt; 0</event>\n&,'
  run_inspect 0 check varied.er
  assert_line --partial 'warning: error 9: clock profiling could not be started "x"'
  assert_line --partial 'note: warning 207: the profiling timer was changed during the run "10007 -> 0"'
  json '.experiments[0].messages[0]' --json varied.er
  assert_output '{"kind":"error","id":9,"meaning":"clock profiling could not be started","text":"x","errno":12}'
}

@test "a size limit tells how much of the run has no data" {
  vary 's,<event kind="exit",<event kind="pause" tstamp="0.100500000" name="size-limit"/>\n&,'
  run_inspect 0 check varied.er
  assert_line --partial 'warning: data ends at 0.101 s; the last 0.200 s of the run have none'
}

@test "killed while closing is not closed" {
  vary "$without_end"
  run_inspect 3 check varied.er
  assert_line --partial 'error: it began to close, and did not end'
  json '.experiments[0].ended' --json varied.er
  assert_output killed-closing
}

# --- archives ----------------------------------------------------------------------------------

@test "archives: present, digest, dangling, linked, wrong, not needed, missing" {
  cp -r good/plain.er archived.er
  mkdir archived.er/archives
  # Names by the published rule: CRC-64 of "/home/demo/" and "/usr/lib/".
  run_inspect 3 archives --json archived.er
  run -0 jq -r '.experiments[0].objects[] | .status + " " + .wanted' <<<"$output"
  assert_output "missing prog_$(hash /home/demo/)
missing libc.so.6_$(hash /usr/lib/)"
  cp "$PEERDIR/exp-work" "archived.er/archives/prog_$(hash /home/demo/)"
  touch -d @1600000000 "archived.er/archives/prog_$(hash /home/demo/)"
  ln -s nowhere "archived.er/archives/libc.so.6_$(hash /usr/lib/)"
  touch archived.er/archives/other_01234567890
  run_inspect 3 archives archived.er
  assert_stderr
  assert_line --regexp '^present: /home/demo/prog archive="prog_'
  assert_line --regexp '^dangling: /usr/lib/libc.so.6 '
  assert_line --regexp '^not-needed: archive="other_01234567890" '
  rm archived.er/archives/libc*
  echo records >"archived.er/archives/libc.so.6.$(hash /usr/lib/)"
  run_inspect 0 archives archived.er
  assert_line --regexp '^digest: /usr/lib/libc.so.6 '
  mv "archived.er/archives/libc.so.6.$(hash /usr/lib/)" records
  ln -s nowhere "archived.er/archives/libc.so.6.$(hash /usr/lib/)"
  run_inspect 3 archives archived.er
  assert_line --regexp '^dangling: /usr/lib/libc.so.6 '
  mv records "archived.er/archives/libc.so.6.$(hash /usr/lib/)"
  touch "archived.er/archives/prog_$(hash /home/demo/)"
  run_inspect 0 archives archived.er
  assert_line --regexp '^newer: /home/demo/prog '
  run_inspect 1 archives good/family.er/_f1.er
  assert_stderr 'erexp-inspect: good/family.er/_f1.er: a sub-experiment has no archives: name the experiment it lies in'
}

hash() {
  "$PYTHON" - "$1" <<'EOF'
import sys
crc = 0
for byte in sys.argv[1].encode():
    crc ^= byte << 56
    for _ in range(8):
        crc = (crc << 1 ^ (0x807 if crc >> 63 else 0)) & (1 << 64) - 1
digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_'
print(''.join(digits[crc >> 6 * i & 63] for i in range(11)))
EOF
}

@test "archives: Java classes come from files as well" {
  cp -r good/java.er java.er
  run_inspect 3 archives --missing java.er
  assert_stderr
  assert_output '/home/demo/Main.class
/home/demo/a b.jar
/home/demo/prog
/usr/lib/libc.so.6'
  mkdir java.er/archives
  printf 'PK\3\4' >"java.er/archives/a b.jar_$(hash /home/demo/)"
  printf 'PK\3\4' >"java.er/archives/Main.class_$(hash /home/demo/)"
  run_inspect 3 archives java.er
  assert_line --regexp '^newer: /home/demo/a b.jar '
  assert_line --regexp '^wrong: /home/demo/Main.class '
}

@test "archives: what is no ELF, or cut, is damaged" {
  "$EREXP_INSPECT" archives good/plain.er >/dev/null || true
  grep -q gelf_getehdr "$EREXP_INSPECT" || grep -q elf_begin "$EREXP_INSPECT" || skip 'built without libelf'
  cp -r good/plain.er wrong.er
  mkdir wrong.er/archives
  echo 'no program' >"wrong.er/archives/prog_$(hash /home/demo/)"
  head -c 3000 "$PEERDIR/exp-work" >"wrong.er/archives/libc.so.6_$(hash /usr/lib/)"
  run_inspect 3 archives --missing wrong.er
  assert_stderr
  assert_output $'/home/demo/prog\n/usr/lib/libc.so.6'
  run_inspect 3 archives wrong.er
  assert_line --regexp '^wrong: /home/demo/prog '
  assert_line --regexp '^truncated: /usr/lib/libc.so.6 '
}

# --- options, page -----------------------------------------------------------------------------

@test "options that a verb has no use for, and those it needs" {
  run_inspect 2 dump good/plain.er
  assert_output ''
  assert_stderr "erexp-inspect: dump needs -f/--file: which file?
Try 'erexp-inspect --help' for more information."
  run_inspect 2 tree --strict good/plain.er
  # shellcheck disable=SC2154 # run sets it
  [[ $stderr == *--strict*tree* ]]
  run_inspect 2 dump --file profile --thread x good/plain.er
  [[ $stderr == *"--thread: 'x' is no number"* ]]
  run_inspect 2
  [[ $stderr == *'which experiment?'* ]]
  run_inspect 2 check --ignore no-such-rule good/plain.er
  [[ $stderr == *no-such-rule* ]]
}

@test "ignored rules are not shown and not counted" {
  vary "$without_end"
  run_inspect 3 check varied.er
  run_inspect 0 check --ignore not-closed varied.er
  assert_output ''
}

@test "output that cannot be written is an error" {
  local words
  for words in summary tree 'dump -f profile' 'check --rules'; do
    # shellcheck disable=SC2016,SC2086 # expanded by the inner shell; words
    run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$EREXP_INSPECT" $words good/plain.er
    assert_stderr 'erexp-inspect: standard output: cannot write: No space left on device'
  done
}

@test "text from an experiment cannot drive the terminal" {
  vary 's,./prog,%1b%[31m\&lt;x\&gt;%0a%forged: ok,'
  LC_ALL=C run_inspect 0 varied.er
  assert_line '  command: \x1b[31m<x>\nforged: ok'
  run_inspect 0 tree --dot varied.er
  assert_line --partial '\\x1b[31m<x>\\nforged: ok'
}

@test "the page has all rules, and says of them what the tool does" {
  sed -n '/^\.Sh RULES/,/^\.Sh [^R]/p' "$SRCDIR/man/erexp-inspect.1" | awk '
    /^\.It Li/ { if (text) print text; text = $3 " " $5 ":"; next }
    /^\./ { if (text) print text; text = ""; next }
    text { text = text " " $0 }' >page
  inspect check --rules --json | jq -r 'def sentence: if test("^[a-z]+[.]xml") then . else (.[:1] | ascii_upcase) + .[1:] end + ".";
    .rules[] | "\(.rule) \(.severity): \(.effect | sentence) \(.advice | sentence)"' >rules
  diff -u rules page
  [[ $(wc -l <rules) -gt 70 ]]
}

@test "every member of the JSON is in the page" {
  jq -r '.. | .properties? // empty | keys[] | select(IN("schema", "version", "more", "where", "message") | not)' \
    "$SRCDIR/test/schema/erexp-inspect.json" | sort -u >members
  sed -nE 's/^\.(It )?Va //p' "$SRCDIR/man/erexp-inspect.1" | sed 's/ [.,:]$//; s/ , /\n/g' | sort -u >documented
  assert_equal "$(comm -23 members documented)" ''
  [[ $(wc -l <members) -gt 100 ]]
}
