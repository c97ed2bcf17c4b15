#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Program, manual page, completions and README tell the same story, and their examples work. Taken
# from the environment, paths absolute:
#   TOOLS   the names of all tools, separated by blanks
#   BINDIR  the folder with their programs
#   SRCDIR  the top of the source tree
#   DEMO    the program test/demo/mmv-demo, which makes a good MMV file
#
# A lab with a pmcd, its MMV agent, and a primary pmlogger (test/lab/lab.sh) is there as well; the agent
# looks at the folder that stands for /var/lib/pcp/tmp/mmv.
#
# How examples are found: in a manual page every .Dl line of EXAMPLES; in --help every line under
# "Examples:"; in README.md every line that begins with "$ " in a block marked "console". They are
# run by bash in a folder that holds the MMV files "myapp" and "old", the description shop.json, the
# script ci-job.sh, the event array "array" made of events.jsonl, the archive "log", and the
# experiments "test.1.er" and "job.1.er"; /var/lib/pcp/tmp stands for a folder with
# the same file in its mmv/. An endless --follow ends after two looks.
#
# In README.md the output follows its command. A line "..." stands for the rest of the output. With
# --follow the application runs meanwhile, and numbers are not compared.

# shellcheck disable=SC2030,SC2031 # every test is a subshell of its own, and is meant to be
load base

setup_file() {
  : "${TOOLS:?}" "${BINDIR:?}" "${SRCDIR:?}" "${DEMO:?}"
  export PATH=$BINDIR:$PATH LC_ALL=C.UTF-8
  make_folder
  for tool in $TOOLS; do
    "$tool" --help >"$BATS_FILE_TMPDIR/$tool.help"
    find_options "$tool" >"$BATS_FILE_TMPDIR/$tool.options"
    find_verbs "$tool" >"$BATS_FILE_TMPDIR/$tool.verbs"
  done
  command -v pmlogger >/dev/null || return 0
  LAB=$(mktemp -d /tmp/lab.XXXXXX)
  export LAB
  sh "$SRCDIR/test/lab/lab.sh" start -d "$LAB" -o $$ -M
  rmdir "$LAB/tmp/mmv"
  sh "$SRCDIR/test/lab/lab.sh" logger -d "$LAB" -P >/dev/null
  eval "$(sh "$SRCDIR/test/lab/lab.sh" env -d "$LAB")"
}

teardown_file() {
  [[ -z ${LAB-} ]] || sh "$SRCDIR/test/lab/lab.sh" clean -d "$LAB"
}

# What the examples find around them, made once and copied for each test.
make_folder() (
  local python=/usr/bin/python3
  [[ -x $python ]] || python=python3
  mkdir "$BATS_FILE_TMPDIR/folder"
  cd "$BATS_FILE_TMPDIR/folder" || return
  # home: what shells and others like to leave there.
  mkdir -p pcp/mmv home work experiments
  "$DEMO" pcp/mmv/myapp
  cp "$SRCDIR"/test/demo/{shop.json,ci-job.sh,events.jsonl} work
  cd work || return
  "$DEMO" myapp
  "$DEMO" old
  evarray pack events.jsonl >array
  "$python" "$SRCDIR/test/fixture/event.py" archive 3 log
  cd ../experiments || return
  "$python" -B "$SRCDIR/test/fixture/experiment.py" plain test.1.er
  "$python" -B "$SRCDIR/test/fixture/experiment.py" family job.1.er
)

setup() {
  export PATH=$BINDIR:$PATH PCP_TMP_DIR=$BATS_TEST_TMPDIR/pcp PCP_SAMPLES=2 LC_ALL=C.UTF-8
  export HOME=$BATS_TEST_TMPDIR/home XDG_CONFIG_HOME='' XDG_DATA_HOME='' XDG_CACHE_HOME=''
  cp -a "$BATS_FILE_TMPDIR/folder/." "$BATS_TEST_TMPDIR"
  if [[ -n ${LAB-} ]]; then
    ln -s "$LAB/tmp/pmlogger" "$PCP_TMP_DIR"
    ln -sfn "$PCP_TMP_DIR/mmv" "$LAB/tmp/mmv"
  fi
  cd "$BATS_TEST_TMPDIR/work" || return
}

experiments() {
  mv ../experiments/* .
}

teardown() {
  [[ -z ${player-} ]] || kill "$player" 2>/dev/null || true
}

need() {
  command -v "$1" >/dev/null || skip "$1 is not installed"
}

# --- where options are told: "LETTER LONG ARGUMENT", with - for what there is none of ----------

options_of_help() {
  printf '%s\n' "$(<"$BATS_FILE_TMPDIR/$1.options")"
}

find_options() {
  sed -n '/^Options:/,/^$/p' "$BATS_FILE_TMPDIR/$1.help" | sed -nE \
    -e 's/^  -(.), --([a-z-]+)( ([A-Z.,\/]+))?  .*/\1 \2 \4/p' \
    -e 's/^      --([a-z-]+)( ([A-Z.,]+))?  .*/- \1 \3/p' | sed 's/ $/ -/' | sort
}

# .It Fl j , -json    .It Fl m Ar GLOB , Fl -metric Ar GLOB    .It Fl -now Ar TIME
options_of_page() {
  sed -n '/^\.Sh OPTIONS/,/^\.Sh [^O]/p' "$SRCDIR/man/$1.1" | sed -n 's/^\.It Fl //p' | sed -E \
    -e 's/\\&//g; s/ Ar [A-Z.,\/]+ ,/ ,/; s/, Fl /, /' \
    -e 's/^-/- , -/; s/^(.) , -([a-z-]+)( Ar ([A-Z.,\/]+))?$/\1 \2 \4/; s/ $/ -/' | sort
}

long_options_of_help() {
  options_of_help "$1" | awk '{ print "--" $2 }' | sort
}

letters_of_help() {
  options_of_help "$1" | awk '$1 != "-" { print "-" $1 }' | sort
}

@test "the manual page of each tool has all its options, and no others" {
  for tool in $TOOLS; do
    assert_equal "$(options_of_page "$tool")" "$(options_of_help "$tool")"
    [[ $(options_of_help "$tool") == *'? help -'* ]] || fail "--help is not understood here"
  done
}

# Lines "VERB OPERANDS", in the order of the usage text. A tool without verbs has none.
verbs_of_help() {
  printf '%s' "$(<"$BATS_FILE_TMPDIR/$1.verbs")"
}

find_verbs() {
  sed -n '/^Verbs:/,/^$/s/^  \([^ ].*[^ ]\)  .*/\1/p' "$BATS_FILE_TMPDIR/$1.help" | sed 's/  .*//'
}

# .It Ic set Ar FILE NAME=JSON ...
verbs_of_page() {
  sed -n '/^\.Sh VERBS/,/^\.Sh [^V]/s/^\.It Ic //p' "$SRCDIR/man/$1.1" | sed 's/ Ar / /g'
}

names_of_verbs() {
  verbs_of_help "$1" | sed 's/ .*//' | sort
}

@test "the manual page of each tool has all its verbs, and no others" {
  for tool in $TOOLS; do
    assert_equal "$(verbs_of_page "$tool")" "$(verbs_of_help "$tool")"
  done
}

# --- completions ------------------------------------------------------------------------------

# pmlcctl takes metrics, and files of them behind @.
takes_files() {
  [[ $1 != pmlcctl ]]
}

# bash_completes WORD...: what bash offers for the last word. ^ in front of a word: that is the one.
bash_completes() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  bash --norc -c '
    source "$SRCDIR/completions/bash/$1"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    for i in "${!COMP_WORDS[@]}"; do
      if [[ ${COMP_WORDS[i]} == ^* ]]; then
        COMP_CWORD=$i COMP_WORDS[i]=${COMP_WORDS[i]#^}
      fi
    done
    read -ra spec < <(complete -p "$1")
    for i in "${!spec[@]}"; do
      if [[ ${spec[i]} == -F ]]; then
        "${spec[i + 1]}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      fi
    done
    printf "%s\n" "${COMPREPLY[@]}"
  ' bash "$@" | sort
}

@test "bash completes all options, and no others" {
  for tool in $TOOLS; do
    assert_equal "$(bash_completes "$tool" --)" "$(long_options_of_help "$tool")"
    assert_equal "$(bash_completes "$tool" --vers)" --version
    verbs=$(names_of_verbs "$tool")
    if [[ -n $verbs ]]; then
      assert_equal "$(bash_completes "$tool" '' | grep -Fx "$verbs")" "$verbs"
    fi
    takes_files "$tool" || continue
    assert_equal "$(bash_completes "$tool" ${verbs:+"${verbs%%$'\n'*}"} my)" myapp
    assert_equal "$(bash_completes "$tool" -- --)" ''
  done
}

names=$'build\ncache.ratio\nhttp.requests\nhttp.sent\nqueue.busy\nqueue.length'

@test "bash completes names of metrics from the files on the line" {
  mv myapp there
  assert_equal "$(bash_completes mmvdump there -m '')" "$names"
  assert_equal "$(bash_completes mmvdump -vm ^http there)" $'http.requests\nhttp.sent'
  assert_equal "$(bash_completes mmvdump there --metric = q)" $'queue.busy\nqueue.length'
  assert_equal "$(bash_completes mmvdump --metric ^ no-such-file "$PCP_TMP_DIR/mmv")" "$names"
  assert_equal "$(bash_completes mmvdump -m '')" "$names"
  assert_equal "$(bash_completes mmvdump --now '')" now
  assert_equal "$(bash_completes mmvdump -t '')" ''
}

# Values that look like members, and a label at each level.
label_more() {
  mmvlabel set myapp 'tier={"name":[{"name":"x"}]}'
  mmvlabel set -m http.sent myapp 'size="a,\"name\":\"b\""'
  mmvlabel set -i 1/GET myapp verb=get
}

@test "bash completes what labels are for from the file on the line" {
  assert_equal "$(bash_completes mmvlabel '')" $'clear\nlist\nset\nunset'
  assert_equal "$(bash_completes mmvlabel list myapp -m '')" "$names"
  assert_equal "$(bash_completes mmvlabel list -rm ^http myapp)" $'http.requests\nhttp.sent'
  assert_equal "$(bash_completes mmvlabel list myapp --indom = '')" 1
  assert_equal "$(bash_completes mmvlabel set myapp -i '')" $'1/GET\n1/POST'
  assert_equal "$(bash_completes mmvlabel list -i '')" ''
  label_more
  assert_equal "$(bash_completes mmvlabel unset '')" "$(printf '%s\n' * | LC_ALL=C sort)"
  assert_equal "$(bash_completes mmvlabel -n unset myapp '')" $'site\ntier.name'
  assert_equal "$(bash_completes mmvlabel unset --force myapp site t)" tier.name
  assert_equal "$(bash_completes mmvlabel unset -fm "'http.*'" myapp '')" $'size\nteam'
  assert_equal "$(bash_completes mmvlabel unset --metric = http.sent myapp '')" size
  assert_equal "$(bash_completes mmvlabel unset myapp ^ -i 1/POST)" $'site\ntier.name'
  assert_equal "$(bash_completes mmvlabel unset -i 1/POST -i 1/GET myapp '')" $'cached\nverb'
  cp myapp 'my app'
  assert_equal "$(bash_completes mmvlabel unset 'my\ app' '')" $'site\ntier.name'
  rm 'my app'
  assert_equal "$(bash_completes mmvlabel unset no-such-file '')" ''
  assert_equal "$(bash_completes mmvlabel set myapp my)" myapp
}

targets=$'build=\ncache.ratio=\nhttp.requests[GET]=\nhttp.requests[POST]=\nhttp.sent[GET]=\nhttp.sent[POST]=\nqueue.busy=\nqueue.length='

@test "bash completes what can be assigned to in the file on the line" {
  assert_equal "$(bash_completes mmvset myapp '')" "$targets"
  assert_equal "$(bash_completes mmvset -p myapp build=x 'http.requests[')" $'http.requests[GET]=\nhttp.requests[POST]='
  assert_equal "$(bash_completes mmvset -- myapp "'q")" $'queue.busy=\nqueue.length='
  assert_equal "$(bash_completes mmvset myapp build = '')" ''
  assert_equal "$(bash_completes mmvset no-such-file '')" ''
}

# zsh_runs TOOL COMMANDS: with the completion loaded as compinit does it; what it found is kept.
zsh_runs() {
  zsh -f -c '
    fpath=("$SRCDIR/completions/zsh" $fpath)
    autoload -Uz compinit && compinit -u -C -d "$BATS_FILE_TMPDIR/zcompdump"
    [[ $_comps['"$1"'] == _'"$1"' ]] || exit 1
    '"$2"
}

# Its options as _arguments is given them: (EXCLUDED)*OPTION+=[HELP]:...
zsh_options() {
  zsh_runs "$1" '_arguments() { print -rl -- "$@" }; _'"$1" |
    sed -nE 's/^(\([^)]*\))?\*?(-[-?a-zA-Z]+)[+=]*\[.*/\2/p' | sort
}

# Its verbs, as _describe is given them: NAME:HELP. Their function is _TOOL_verbs.
zsh_verbs() {
  [[ -n $(names_of_verbs "$1") ]] || return 0
  # shellcheck disable=SC2016 # expanded by zsh
  zsh_runs "$1" '_arguments() { }; _describe() { print -rl -- "${(P@)2}" }; _'"$1"'; _'"$1"_verbs |
    sed 's/:.*//' | sort
}

@test "bash completes rules, one after the other, and versions" {
  assert_equal "$(bash_completes mmvcheck -i item)" $'item-clash\nitem-range\nitem-type-clash'
  assert_equal "$(bash_completes mmvcheck --ignore item-range,semantics-unk)" item-range,semantics-unknown
  assert_equal "$(bash_completes mmvcheck --ignore = label-lev)" label-level
  assert_equal "$(bash_completes mmvcheck -r '')" $'6.0\n7'
  assert_equal "$(bash_completes mmvcreate -a item)" $'item-clash\nitem-range\nitem-type-clash'
  assert_equal "$(bash_completes mmvcreate -fa item-range,semantics-unk)" item-range,semantics-unknown
  assert_equal "$(bash_completes mmvcreate --allow = al)" all
  assert_equal "$(PATH=/bin:/usr/bin bash_completes mmvcreate --allow '')" all
  assert_equal "$(bash_completes mmvcreate --output = my)" myapp
  assert_equal "$(bash_completes mmvcreate -m '')" $'0600\n0640\n0644'
}

@test "bash completes verbs, files and rules of erexp-inspect" {
  assert_equal "$(bash_completes erexp-inspect t)" tree
  assert_equal "$(bash_completes erexp-inspect my)" myapp
  assert_equal "$(bash_completes erexp-inspect check -i tick)" $'tick\ntick-short'
  assert_equal "$(bash_completes erexp-inspect check --ignore = tick-short,fie)" tick-short,field
  assert_equal "$(bash_completes erexp-inspect dump --file heap)" heaptrace
  assert_equal "$(bash_completes erexp-inspect dump --from '')" ''
}

@test "zsh completes all options, and no others" {
  need zsh
  for tool in $TOOLS; do
    zsh -n "$SRCDIR/completions/zsh/_$tool"
    assert_equal "$(zsh_options "$tool")" \
      "$({ letters_of_help "$tool" && long_options_of_help "$tool"; } | sort)"
    assert_equal "$(zsh_verbs "$tool")" "$(names_of_verbs "$tool")"
  done
}

@test "metrics, files of them, loggers and intervals of pmlcctl are completed" {
  [[ -n ${LAB-} ]] || skip 'pmlogger is not installed'
  assert_equal "$(bash_completes pmlcctl query kernel.all.nproc)" kernel.all.nprocs
  assert_equal "$(bash_completes pmlcctl -n advisory-off @my)" @myapp
  assert_equal "$(bash_completes pmlcctl --pid '')" "$(cat "$LAB/logger.pid")"
  assert_equal "$(bash_completes pmlcctl mandatory-on -t on)" once
  need fish
  assert_equal "$(fish_completes pmlcctl 'pmlcctl query kernel.all.nproc')" kernel.all.nprocs
  assert_equal "$(fish_completes pmlcctl 'pmlcctl --pid ')" "$(cat "$LAB/logger.pid")"
  need zsh
  # shellcheck disable=SC2016 # expanded by zsh
  metrics='compadd() { print -rl -- "${(P@)2}" }; _arguments() { }; compset() { return 1 }; _pmlcctl; _pmlcctl_metrics'
  assert_equal "$(zsh_runs pmlcctl "words=(pmlcctl query ''); $metrics" | grep -Fx kernel.all.runnable)" kernel.all.runnable
}

@test "zsh completes names of metrics from the files on the line" {
  need zsh
  mv myapp there
  # shellcheck disable=SC2016 # expanded by zsh
  metrics='compadd() { print -rl -- "${(P@)2}" }; _arguments() { }; _mmvdump; _mmvdump_metrics'
  assert_equal "$(zsh_runs mmvdump "words=(mmvdump there -m ''); $metrics")" "$names"
  assert_equal "$(zsh_runs mmvdump "words=(mmvdump -m ''); $metrics")" "$names"
}

@test "zsh completes what labels are for from the file on the line" {
  need zsh
  # shellcheck disable=SC2016 # expanded by zsh
  things='compadd() { print -rl -- "${(P@)2}" }; _arguments() { }; _mmvlabel; words=(mmvlabel list myapp)'
  assert_equal "$(zsh_runs mmvlabel "$things; _mmvlabel_metrics")" "$names"
  assert_equal "$(zsh_runs mmvlabel "$things; _mmvlabel_indoms")" 1
  assert_equal "$(zsh_runs mmvlabel "$things; _mmvlabel_instances")" $'1/GET\n1/POST'
  label_more
  # shellcheck disable=SC2016 # expanded by zsh
  labels='; CURRENT=$#words; _files() { echo files }; _mmvlabel_operands'
  assert_equal "$(zsh_runs mmvlabel "$things ''$labels")" files
  assert_equal "$(zsh_runs mmvlabel "${things/list/-n unset}$labels")" files
  things=${things%(*}
  assert_equal "$(zsh_runs mmvlabel "$things(mmvlabel -n unset myapp '')$labels")" $'site\ntier.name'
  assert_equal "$(zsh_runs mmvlabel "$things(mmvlabel unset -fm 'http.*' myapp '')$labels")" $'size\nteam'
  assert_equal "$(zsh_runs mmvlabel "$things(mmvlabel unset --metric=http.sent myapp '')$labels")" size
  assert_equal "$(zsh_runs mmvlabel "$things(mmvlabel unset --instance 1/POST -i 1/GET myapp '')$labels")" \
    $'cached\nverb'
}

@test "zsh completes what can be assigned to in the file on the line" {
  need zsh
  # shellcheck disable=SC2016 # expanded by zsh
  lists='compadd() { print -rl -- "${(P@)4}" }; _arguments() { }; _mmvset; _mmvset_targets'
  assert_equal "$(zsh_runs mmvset "words=(mmvset -p myapp ''); $lists" | sort)" "$targets"
}

@test "zsh completes rules" {
  need zsh
  # shellcheck disable=SC2016 # expanded by zsh
  rules='_values() { shift 3; print -rl -- "$@" }; _arguments() { }; _mmvcheck; _mmvcheck_rules'
  assert_equal "$(zsh_runs mmvcheck "words=(mmvcheck -i ''); $rules")" "$(mmvcheck --rules | sed -n 's/^rule: //p')"
  assert_equal "$(zsh_runs mmvcreate "words=(mmvcreate -a ''); ${rules//mmvcheck/mmvcreate}")" \
    "$(echo all; mmvcheck --rules | sed -n 's/^rule: //p')"
}

fish_completes() {
  # shellcheck disable=SC2016 # expanded by fish
  fish --no-config -c '
    source $SRCDIR/completions/fish/'"$1"'.fish
    complete -C $argv[1]' "$2" | cut -f 1 | sort
}

@test "fish completes all options, and no others" {
  need fish
  for tool in $TOOLS; do
    fish --no-execute "$SRCDIR/completions/fish/$tool.fish"
    assert_equal "$(fish_completes "$tool" "$tool --")" "$(long_options_of_help "$tool")"
    assert_equal "$(fish_completes "$tool" "$tool -" | grep -v '^--')" "$(letters_of_help "$tool")"
    verbs=$(names_of_verbs "$tool")
    if [[ -n $verbs ]]; then
      assert_equal "$(fish_completes "$tool" "$tool " | grep -Fx "$verbs")" "$verbs"
    fi
    takes_files "$tool" || continue
    assert_equal "$(fish_completes "$tool" "$tool ${verbs%%$'\n'*} my")" myapp
  done
}

@test "fish completes files and rules of erexp-inspect" {
  need fish
  assert_equal "$(fish_completes erexp-inspect 'erexp-inspect check -i tick')" $'tick\ntick-short'
  assert_equal "$(fish_completes erexp-inspect 'erexp-inspect dump --file heap')" heaptrace
}

@test "fish completes names of metrics from the files on the line" {
  need fish
  mv myapp there
  assert_equal "$(fish_completes mmvdump 'mmvdump there -m ')" "$names"
  assert_equal "$(fish_completes mmvdump 'mmvdump there --metric=q')" \
    $'--metric=queue.busy\n--metric=queue.length'
  assert_equal "$(fish_completes mmvdump 'mmvdump -m ')" "$names"
  assert_equal "$(fish_completes mmvdump 'mmvdump --now ')" now
}

@test "fish completes what labels are for from the file on the line" {
  need fish
  assert_equal "$(fish_completes mmvlabel 'mmvlabel list myapp -m ')" "$names"
  assert_equal "$(fish_completes mmvlabel 'mmvlabel list myapp -d ')" 1
  assert_equal "$(fish_completes mmvlabel 'mmvlabel set myapp -i ')" $'1/GET\n1/POST'
  label_more
  assert_equal "$(fish_completes mmvlabel 'mmvlabel -n unset myapp ')" $'site\ntier.name'
  assert_equal "$(fish_completes mmvlabel "mmvlabel unset -fm 'http.*' myapp ")" $'size\nteam'
  assert_equal "$(fish_completes mmvlabel 'mmvlabel unset --metric=http.sent myapp ')" size
  assert_equal "$(fish_completes mmvlabel 'mmvlabel unset --instance 1/POST -i 1/GET myapp ')" $'cached\nverb'
  assert_equal "$(fish_completes mmvlabel 'mmvlabel unset my')" myapp
}

@test "fish completes what can be assigned to in the file on the line" {
  need fish
  assert_equal "$(fish_completes mmvset 'mmvset myapp ')" "$targets"
  assert_equal "$(fish_completes mmvset 'mmvset -p myapp build=x queue.')" $'queue.busy=\nqueue.length='
}

@test "fish completes rules, one after the other, and versions" {
  need fish
  assert_equal "$(fish_completes mmvcheck 'mmvcheck -i item-')" $'item-clash\nitem-range\nitem-type-clash'
  assert_equal "$(fish_completes mmvcheck 'mmvcheck -i item-range,label-lev')" item-range,label-level
  assert_equal "$(fish_completes mmvcheck 'mmvcheck -r ')" $'6.0\n7'
  assert_equal "$(fish_completes mmvcreate 'mmvcreate -a item-')" $'item-clash\nitem-range\nitem-type-clash'
  assert_equal "$(fish_completes mmvcreate 'mmvcreate --allow=item-range,label-lev')" --allow=item-range,label-level
}

# --- manual pages -----------------------------------------------------------------------------

@test "every page has its sections, and every tool its page" {
  for page in "$SRCDIR"/man/*.[157]; do
    run -0 cat "$page"
    assert_line '.Sh NAME'
    [[ $page == *.5 ]] || assert_line '.Sh EXIT STATUS'
    assert_line '.Sh SEE ALSO'
    [[ $page != *.1 ]] || assert_line '.Sh EXAMPLES'
  done
  for tool in $TOOLS; do
    [[ -e $SRCDIR/man/$tool.1 ]] || fail "no page for $tool"
  done
}

@test "mandoc finds nothing to complain about" {
  need mandoc
  for page in "$SRCDIR"/man/*.[157]; do
    run -0 mandoc -T lint -W warning "$page"
    assert_output ''
  done
}

@test "pcputils(7) and README.md list all tools, and no others" {
  tools=$(tr ' ' '\n' <<<"$TOOLS" | sort)
  assert_equal "$(sed -n 's/^\.It Xr \([a-z-]*\) 1$/\1/p' "$SRCDIR/man/pcputils.7" | sort)" "$tools"
  assert_equal "$(sed -nE 's/^\| \x60([a-z-]+)\x60 \|.*/\1/p' "$SRCDIR/README.md" | sort)" "$tools"
}

@test "every member of mmvdump's JSON is in its page" {
  need jq
  mmvdump --json myapp | jq -r '.files[].labels[].labels |= null | .. | objects | keys[]' |
    sort -u >members
  mmvdump --json-lines --follow --samples 1 myapp | jq -r 'keys[]' | sort -u >>members
  mmvdump --json no-such-file 2>/dev/null | jq -r '.files[] | keys[], (.errors[] | keys[])' \
    >>members || true
  sed -nE 's/^\.It (Bq )?Va //p' "$SRCDIR/man/mmvdump.1" | sed 's/ , /\n/g' | sort -u >documented
  assert_equal "$(sort -u members | comm -23 - documented)" ''
  [[ $(wc -l <members) -gt 40 ]]
}

# --- examples ---------------------------------------------------------------------------------

section() {
  sed -n "/^\.Sh $2\$/,/^\.Sh /p" "$1"
}

# What mdoc needs spelled otherwise.
plain() {
  sed -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\-/-/g' -e 's/\\&//g' -e 's/\\e/\\/g'
}

examples_of_page() {
  section "$1" EXAMPLES | sed -n 's/^\.Dl //p' | plain
}

examples_of_help() {
  sed -n '/^Examples:/,/^$/s/^  //p' "$BATS_FILE_TMPDIR/$1.help"
}

# Leaves its output and status in `output`, `stderr` and `status`.
try() {
  local command=${1//\/var\/lib\/pcp\/tmp/$PCP_TMP_DIR}
  echo "# $command"
  run --separate-stderr timeout 30 bash -o pipefail -c "$command"
}

succeed() {
  try "$1"
  # shellcheck disable=SC2154 # `run` sets it
  assert_equal "$stderr" ''
  assert_success
}

@test "every example of every page works" {
  experiments
  need jq
  local count=0
  for page in "$SRCDIR"/man/*.1; do
    while IFS= read -r example; do
      succeed "$example"
      count=$((count + 1))
    done < <(examples_of_page "$page")
  done
  assert_equal "$count" "$(grep -c '^\.Dl ' "$SRCDIR"/man/*.1 | awk -F: '{ n += $NF } END { print n }')"
  [[ $count -gt 5 ]]
}

@test "every example of every --help works" {
  experiments
  for tool in $TOOLS; do
    run -0 examples_of_help "$tool"
    [[ ${#lines[@]} -gt 0 ]] || fail "no examples"
    for example in "${lines[@]}"; do
      succeed "$example"
    done
  done
}

# .It STATUS ... Example: / .Ql COMMAND
statuses_of_page() {
  section "$1" 'EXIT STATUS' | plain |
    awk '/^\.It/ { status = $2 } example { sub(/^\.Ql /, ""); print status, $0 }
      { example = /^Example:$/ }'
}

@test "every example of an exit status leads to it" {
  experiments
  for page in "$SRCDIR"/man/*.1; do
    run -0 statuses_of_page "$page"
    [[ ${#lines[@]} -gt 0 ]] || fail "no examples in $page"
    for line in "${lines[@]}"; do
      try "${line#* }"
      # shellcheck disable=SC2154
      assert_equal "$status" "${line%% *}"
    done
  done
}

masked() {
  sed -E 's/[0-9][0-9:. e+-]*/N/g'
}

# compare COMMAND EXPECTED
compare() {
  [[ -n $1 ]] || return 0
  player=
  if [[ $1 == *--follow* ]]; then
    "$DEMO" myapp 300 3>&- &
    player=$!
  fi
  try "$1"
  if [[ -n $player ]]; then
    kill "$player"
    wait "$player" || true
    output=$(masked <<<"$output")
    set -- "$1" "$(masked <<<"$2")"
  fi
  # shellcheck disable=SC2154
  if [[ $1 == *check* && $2 == *': error: '* ]]; then
    assert_equal "$status $stderr" '3 '
  else
    assert_equal "$status $stderr" '0 '
  fi
  if [[ $2 == *$'\n...' ]]; then
    [[ $output == "${2%...}"* ]] || assert_equal "$output" "$2"
  else
    assert_equal "$output" "$2"
  fi
}

@test "README.md shows what its commands print" {
  experiments
  need jq
  local command='' expected='' inside='' count=0
  while IFS= read -r line; do
    if [[ $line == '```console' ]]; then
      inside=yes
    elif [[ -z $inside ]]; then
      continue
    elif [[ $line == '```' || $line == '$ '* ]]; then
      compare "$command" "${expected%$'\n'}"
      command='' expected=''
      if [[ $line == '```' ]]; then
        inside=
      else
        command=${line#'$ '}
        count=$((count + 1))
      fi
    else
      expected+=$line$'\n'
    fi
  done <"$SRCDIR/README.md"
  [[ $count -gt 5 ]]
}
