#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What mmvcheck finds in one file, how it tells, and what it never does.

load helpers
load mmvcheck-helpers

setup_file() {
  export RULES=$BATS_FILE_TMPDIR/rules
  mkdir "$RULES"
  rules --all "$RULES"
  rules --table >"$RULES.table"
}

setup() {
  cd "$RULES" || return
}

# all_rules COMMAND [ARGUMENT...]: over the files of all rules.
all_rules() {
  local command=$1
  shift
  "$PYTHON" "$SRCDIR/test/cli/rules.py" "$command" "$RULES.table" "$@"
}

# --- rules ------------------------------------------------------------------------------------

@test "there are files for every rule but those about what else is in a folder" {
  judge --rules | sed -n 's/^rule: //p' | sort >"$BATS_TEST_TMPDIR/all"
  cut -d"|" -f1 "$RULES.table" | sort >"$BATS_TEST_TMPDIR/files"
  run -0 comm -3 "$BATS_TEST_TMPDIR/all" "$BATS_TEST_TMPDIR/files"
  assert_output 'dangling-link
directory-closed
dot-file
double-link
not-a-file
unreadable
vanished'
}

@test "the bad file of each rule breaks just that one" {
  run -0 all_rules bad
  assert_output ''
}

@test "the good file of each rule keeps it" {
  run -0 all_rules good
  # What they are is in the golden file.
  assert_output '6 files are odd in another way'
}

@test "every finding reads as it always did" {
  local expected=$SRCDIR/test/golden/mmvcheck/rules.txt
  all_rules transcript >"$BATS_TEST_TMPDIR/transcript"
  if [[ -n ${UPDATE_GOLDEN-} ]]; then
    mkdir -p "${expected%/*}"
    cp "$BATS_TEST_TMPDIR/transcript" "$expected"
  fi
  run diff -u "$expected" "$BATS_TEST_TMPDIR/transcript"
  assert_output ''
}

@test "what stock PCP and we write ourselves has no errors" {
  cd "$BATS_TEST_TMPDIR"
  "$DEMO" demo
  run_judge 0 --strict demo
  assert_output ''
  need "$PEERDIR/mmv-write"
  mkdir -p mmv
  for version in 1 2 3; do
    PCP_TMP_DIR=$PWD "$PEERDIR/mmv-write" $version v$version
    run --separate-stderr judge mmv/v$version
    assert_stderr
    [[ $output != *': error: '* ]] || fail "$output"
  done
}

# --- ways to tell -----------------------------------------------------------------------------

@test "JSON has the same findings, and is as the schema says" {
  need jq
  mkdir "$BATS_TEST_TMPDIR/json"
  run -0 all_rules json "$BATS_TEST_TMPDIR/json"
  assert_output ''
  run -0 check json "$SRCDIR/test/schema/mmvcheck.json" "$BATS_TEST_TMPDIR"/json/*
  judge --json item-clash-bad >"$BATS_TEST_TMPDIR/clash" || true
  run -0 jq -r '.findings[].related[] | .file, .place' "$BATS_TEST_TMPDIR/clash"
  assert_output 'item-clash-bad/one
metric[0] "mmv.a"'
}

@test "JSON keeps bytes that are not UTF-8" {
  need jq
  cd "$BATS_TEST_TMPDIR"
  cp "$RULES/metric-name-bad" $'x\xff'
  judge --json $'x\xff' >json || true
  run -0 check json "$SRCDIR/test/schema/mmvcheck.json" json
  run -0 jq -r '.findings[0].file_b64 | @base64d | @json' json
  run_judge 3 $'x\xff'
  assert_output --partial 'x\xff:'
}

@test "--rules: text and JSON say the same" {
  need jq
  run_judge 0 --rules
  local text=$output
  run_judge 0 --rules --json
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/json"
  run -0 check json "$SRCDIR/test/schema/mmvcheck.json" "$BATS_TEST_TMPDIR/json"
  run -0 jq -r '.rules[] | "rule: " + .rule, "  severity: " + .severity, "  effect: " + .effect, "  advice: " + .advice' \
    "$BATS_TEST_TMPDIR/json"
  assert_output "$text"
}

@test "--rules: names are names, and each says something" {
  need jq
  run -0 jq -r '.rules[] | select((.rule | test("^[a-z]+(-[a-z]+)*$") | not)
    or (.severity | IN("error", "warning", "note") | not)
    or ([.effect, .advice] | any(length < 6 or test("[.\n]$|^[A-Z](?!CP)|  "))))' <(judge --rules --json)
  assert_output ''
  run -0 jq -r '.rules | group_by(.rule)[] | select(length > 1) | .[0].rule' <(judge --rules --json)
  assert_output ''
}

# The page's table: .It Li RULE Pq SEVERITY, then the sentences.
table_of_page() {
  sed -n '/^\.Sh RULES/,/^\.Sh [^R]/p' "$SRCDIR/man/mmvcheck.1" | awk '
    /^\.It Li / { if (item) print item; item = $3 ": " $5 ":"; next }
    /^\.El/ && item { print item; item = "" }
    item && !/^\./ { item = item " " $0 }' | sed 's/\\(dq/"/g'
}

table_of_rules() {
  judge --rules --json | jq -r 'def sentence: (.[:1] | ascii_upcase) + .[1:] + ".";
    .rules[] | "\(.rule): \(.severity): \(.effect | sentence) \(.advice | sentence)"'
}

@test "the manual page has the rules as --rules has them" {
  need jq
  diff -u <(table_of_rules | sort) <(table_of_page | sort)
}

@test "every member of the JSON is in the manual page" {
  need jq
  { judge --json item-clash-bad no-such-file 2>/dev/null || true; judge --json --rules; } | jq -r '.. | objects | keys[]' | sort -u \
    >"$BATS_TEST_TMPDIR/members"
  sed -nE 's/^\.It (Bq )?Va //p' "$SRCDIR/man/mmvcheck.1" | sed 's/ , /\n/g' | sort -u >"$BATS_TEST_TMPDIR/documented"
  run -0 diff "$BATS_TEST_TMPDIR/members" "$BATS_TEST_TMPDIR/documented"
}

# --- options ----------------------------------------------------------------------------------

@test "--ignore: one rule, a list, several times" {
  run_judge 3 item-range-bad duplicate-item-bad semantics-unset-bad
  assert_rules duplicate-item item-range semantics-unset
  run_judge 3 --ignore item-range item-range-bad duplicate-item-bad semantics-unset-bad
  assert_rules duplicate-item semantics-unset
  run_judge 0 --ignore=item-range,duplicate-item item-range-bad duplicate-item-bad semantics-unset-bad
  assert_rules semantics-unset
  run_judge 0 -i item-range -i duplicate-item,semantics-unset item-range-bad duplicate-item-bad semantics-unset-bad
  assert_output ''
  run_judge 0 --json -i item-range item-range-bad
  assert_output --partial '"findings":[],"summary":{"errors":0,"warnings":0,"notes":0}'
}

@test "--ignore: a rule that there is not is a usage error" {
  local name
  for name in no-such-rule item-range,no-such-rule Item-range item-rang "$(printf '%0100d' 0)"; do
    run -2 --separate-stderr judge --ignore "$name" item-range-good
    assert_output ''
    # shellcheck disable=SC2154 # run sets it
    assert_equal "${#stderr_lines[@]}" 2
    [[ ${stderr_lines[0]} == 'mmvcheck: -i/--ignore: there is no rule '*': see --rules' ]]
  done
}

@test "--strict: warnings count, notes do not" {
  run_judge 0 semantics-unset-bad
  run_judge 3 --strict semantics-unset-bad
  assert_rules semantics-unset
  run_judge 0 --strict trailing-bytes-bad
  assert_rules trailing-bytes
  run_judge 0 --strict --ignore semantics-unset semantics-unset-bad
  run_judge 0 --strict semantics-unset-good
  assert_output ''
}

@test "--reader: what the agents make of it differs" {
  run_judge 0 --strict --reader 7 extra-units-bad sentinel-nan-bad
  assert_rules extra-units sentinel-nan
  run_judge 3 --strict --reader 6.0 extra-units-bad sentinel-nan-bad
  assert_rules extra-units-lost sentinel-nan-shown
  run_judge 0 extra-units-bad
  assert_rules extra-units
  run -2 --separate-stderr judge --reader 5 extra-units-bad
  assert_output ''
  cd "$BATS_TEST_TMPDIR"
  file control 0 9 metrics:1:1
  run_judge 3 control
  assert_rules duplicate-name
  run_judge 0 --reader 6.0 control
  assert_output ''
}

# --- operands ---------------------------------------------------------------------------------

@test "several files, each for itself" {
  run_judge 0 item-range-good duplicate-item-good item-range-good
  assert_output ''
  run_judge 3 item-range-good item-range-bad magic-bad duplicate-item-good
  assert_rules item-range magic
}

@test "after one that cannot be read the next is done" {
  run -1 --separate-stderr judge item-range-bad no-such-file magic-bad
  assert_rules item-range magic
  assert_stderr 'mmvcheck: no-such-file: cannot open: No such file or directory'
  run -1 --separate-stderr judge no-such-file item-range-good
  assert_output ''
  assert_stderr 'mmvcheck: no-such-file: cannot open: No such file or directory'
}

@test "JSON has what cannot be read too" {
  need jq
  run -1 --separate-stderr judge --json item-range-good no-such-file $'not\xff' none/.
  assert_stderr "$(printf 'mmvcheck: %s: cannot open: No such file or directory\n' no-such-file 'not\xff' none/.)"
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/json"
  run -0 check json "$SRCDIR/test/schema/mmvcheck.json" "$BATS_TEST_TMPDIR/json"
  run -0 jq -ac '.findings, .unread' "$BATS_TEST_TMPDIR/json"
  assert_output "[]
[{\"file\":\"no-such-file\",\"errors\":[{\"message\":\"cannot open: No such file or directory\"}]},\
{\"file\":\"not\ufffd\",\"file_b64\":\"bm90/w==\",\"errors\":[{\"message\":\"cannot open: No such file or directory\"}]},\
{\"file\":\"none/.\",\"errors\":[{\"message\":\"cannot open: No such file or directory\"}]}]"
}

@test "standard input has no name that could be wrong" {
  run_judge 0 - <item-range-good
  assert_output ''
  run_judge 0 - <file-name-bad
  assert_output ''
  run_judge 3 - <item-range-bad
  assert_line --partial -- '-:'
  assert_rules item-range
}

@test "without operands: the folder where the agent looks" {
  cd "$BATS_TEST_TMPDIR"
  mkdir -p tmp/mmv
  PCP_TMP_DIR=$PWD/tmp run_judge 0
  assert_output ''
  cp "$RULES/metric-name-bad" tmp/mmv
  PCP_TMP_DIR=$PWD/tmp run_judge 3
  assert_output --partial "$PWD/tmp/mmv/metric-name-bad:"
  PCP_TMP_DIR=$PWD/none run -1 --separate-stderr judge
  assert_output ''
  assert_stderr "mmvcheck: $PWD/none/mmv: cannot open: No such file or directory"
}

# --- anything at all --------------------------------------------------------------------------

@test "a file of the other byte order is judged like its twin" {
  cd "$BATS_TEST_TMPDIR"
  fixture big-endian-v3 >big
  run_judge 3 big
  assert_line --partial '[byte-order]'
  refute_line --partial '[magic]'
  refute_line --partial '-range]'
}

@test "every other fixture: no signal, no message, and JSON that is one" {
  mkdir "$BATS_TEST_TMPDIR/cases" "$BATS_TEST_TMPDIR/json"
  cd "$BATS_TEST_TMPDIR/cases"
  fixture --all . good bad bomb order seed
  run -0 all_rules any ../json
  assert_output ''
  run -0 check json "$SRCDIR/test/schema/mmvcheck.json" ../json/*
}

@test "garbage is no MMV file, and that is all" {
  cd "$BATS_TEST_TMPDIR"
  : >empty
  head -c 5000 /dev/zero >zeros
  printf 'MMV' >short
  head -c 300 "$MMVCHECK" >program
  run_judge 3 empty zeros short program
  assert_rules magic magic too-small too-small
  { printf 'MMV\0\1\0\0\0'; head -c 400 "$MMVCHECK"; } >header
  run_judge 3 header
}

# The texts stand at the very end, without room behind them. Many at once: what one process survives they all survive.
# Those without all of their generations are waited for, a fifth of a second each: the parts wait beside each other.
@test "good files, cut at every byte: never a signal, and never taken for whole" {
  local seed part parts=()
  cd "$BATS_TEST_TMPDIR"
  for seed in v1 v2 v3; do
    mkdir "$seed"
    fixture "plain-$seed" >"whole-$seed"
  done
  "$PYTHON" -c '
import sys
for seed in sys.argv[1:]:
  with open("whole-" + seed, "rb") as file:
    data = file.read()
  for size in range(len(data)):
    with open(seed + "/%05d" % size, "wb") as out:
      out.write(data[:size])' v1 v2 v3
  for seed in v1 v2 v3; do
    for part in '0000?' '0001?' '0002?' '0003?' '000[4-9]?' '00[1-9]??' '0[1-9]???'; do
      # shellcheck disable=SC2086 # a pattern
      (cd "$seed" && judge --ignore cluster-auto,process-gone $part >"../$seed-$part.out" 2>"../$seed-$part.err") 3>&- &
      parts+=($!)
    done
  done
  for part in "${parts[@]}"; do
    status=0
    wait "$part" || status=$?
    assert_equal "$status" 3
  done
  for seed in v1 v2 v3; do
    ls "$seed" >names
    cat "$seed"-*.err >err
    cat "$seed"-*.out >out
    assert_file_empty err
    # Behind "running" and its NUL there is room at the end of the first two.
    [[ $seed == v3 ]] || head -n -248 names >names.error
    [[ $seed != v3 ]] || cp names names.error
    sed -n 's/^\([0-9]*\):[0-9]*: error: .*/\1/p' out | sort -u | diff - names.error
    sed -n 's/^\([0-9]*\):[0-9]*: .*/\1/p' out | sort -u | diff - names
  done
}

@test "a file that claims to be far larger than it is takes no time" {
  cd "$BATS_TEST_TMPDIR"
  for name in bomb-toc bomb-indoms bomb-counts; do
    fixture "$name" >bomb
    run --separate-stderr timeout 10 "$MMVCHECK" bomb
    [[ $status == 3 || $status == 0 ]]
    [[ $(wc -c <<<"$output") -lt 4000000 ]]
  done
}

@test "text that would drive the terminal is escaped" {
  cd "$BATS_TEST_TMPDIR"
  fixture text-hostile-v2 >hostile
  run --separate-stderr judge hostile
  [[ ${output//$'\n'/} != *[[:cntrl:]]* ]]
  LC_ALL=C run --separate-stderr judge hostile
  [[ ${output//$'\n'/} != *[![:print:]]* ]]
}
