#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What every tool does the same way, whatever its job. Taken from the environment,
# paths absolute:
#   TOOLS   the names of all tools, separated by blanks
#   BINDIR  the folder with their programs
#   DEMO    the program test/demo/mmv-demo, which makes a good MMV file

# shellcheck disable=SC2030,SC2031 # every test is a subshell of its own, and is meant to be
load base

# What the tests below need to know of a tool; a new one has to be added here.
traits() {
  program=$BINDIR/$1
  exclusive=() dependent=() verb=() # of its verbs, one that takes files
  more=()                           # operands that have to follow a file
  not_for= # tests of what it does not do
  case $1 in
  evarray)
    verb=(dump)
    needs_argument=--archive
    needs_none=--json-lines
    exclusive=(--json-lines --csv)
    dependent=(--spec-local --local)
    directory_status=1
    output_arguments=(good)
    judges=
    not_for=' worst_status closed_others ' # names stand in front of lines of several files
    ;;
  erexp-inspect) # it takes directories of its own kind: erexp-inspect.bats has what is not here
    verb=(check)
    needs_argument=--ignore
    needs_none=--json
    directory_status=1
    output_arguments=(--rules)
    judges=yes
    not_for=' options_anywhere dashes posixly_correct directory empty_file worst_status locales '
    not_for+=' closed_others wrong_verb ' # a word that is no verb is an operand
    ;;
  mmvcheck)
    needs_argument=--reader
    needs_none=--json
    directory_status=0
    output_arguments=(--rules) # it has nothing to say of a good file
    judges=yes                 # what is wrong with a file is data, not a message
    ;;
  mmvcreate) # its output is a file: mmvcreate-file.bats has what is not here
    needs_argument=--output
    needs_none=--force
    directory_status=1
    output_arguments=()
    judges=
    not_for=' options_anywhere dashes posixly_correct empty_file worst_status locales '
    not_for+=' closed_others gone_reader '
    ;;
  mmvdump)
    needs_argument=--metric # an option with an argument, and one without
    needs_none=--json
    exclusive=(--json --values)
    dependent=(--rate --follow) # the first is of no use without the second
    directory_status=0          # it takes directories too
    output_arguments=(good)     # with these it prints something
    judges=
    ;;
  mmvlabel)
    verb=(list)
    needs_argument=--metric
    needs_none=--json
    exclusive=(--registry --all)
    directory_status=1
    output_arguments=(good)
    judges=
    not_for=' worst_status closed_others ' # names stand in front of lines of several files: mmvlabel.bats
    ;;
  mmvset) # mmvset.bats and mmvset-input.bats have what is not here
    needs_none=--print
    exclusive=(--print --json-lines)
    more=(queue.length=4)
    directory_status=1
    output_arguments=()
    judges=
    not_for=' missing_argument options_anywhere dashes posixly_correct directory worst_status locales '
    not_for+=' closed_others gone_reader '
    ;;
  pmlcctl) # it takes metrics, not files; pmlcctl.bats has what is not here
    needs_argument=--pid
    needs_none=--json
    output_arguments=()
    verb=(query)
    not_for=' options_anywhere dashes posixly_correct missing_file directory empty_file unreadable_file '
    not_for+=' worst_status hostile_name locales closed_others gone_reader '
    ;;
  *) fail "traits(): what is special about $1?" ;;
  esac
}

setup_file() {
  : "${TOOLS:?}" "${BINDIR:?}" "${DEMO:?}"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  "$DEMO" good
  : >empty
  mkdir directory
  unset POSIXLY_CORRECT
  export LC_ALL=C
}

# The file "good", of the kind that the tool takes.
make_good() {
  if [[ $tool == evarray ]]; then
    echo '{"timestamp":"2026-11-30T12:00:00Z"}' | "$program" pack >good
  else
    "$DEMO" good
  fi
}

# each FUNCTION: calls it for every tool, with the tool's name and its traits set.
each() {
  local tool
  for tool in $TOOLS; do
    traits "$tool"
    echo "# $tool"
    make_good
    [[ $not_for == *" $1 "* ]] || "$1"
  done
}

# shellcheck disable=SC2154 # `run` sets stderr and stderr_lines
assert_stderr_is() {
  assert_equal "$stderr" "$1"
}

# shellcheck disable=SC2154
assert_usage_error() {
  assert_output ''
  assert_equal "${#stderr_lines[@]}" 2
  [[ ${stderr_lines[0]} == "$tool: "*"$1"* ]] || fail "no '$1' in: ${stderr_lines[0]}"
  assert_equal "${stderr_lines[1]}" "Try '$tool --help' for more information."
}

# shellcheck disable=SC2154
assert_one_safe_line() {
  assert_equal "${#stderr_lines[@]}" 1
  [[ $stderr != *[[:cntrl:]]* ]] || fail "control characters in: $stderr"
}

# --- help and version -------------------------------------------------------------------------

help() {
  run -0 --separate-stderr "$program" "$1"
  assert_stderr_is ''
  assert_line --index 0 --partial "Usage: $tool "
  assert_line --partial "$tool(1)"
  local line
  for line in "${lines[@]}"; do
    ((${#line} <= 80)) || fail "more than 80 columns: $line"
  done
}

long_help() { help --help; }
short_help() {
  help '-?'
  local short=$output
  help --help
  assert_equal "$short" "$output"
}

@test "--help goes to stdout, fits the screen and names the manual page" {
  each long_help
}

@test "-? is --help" {
  each short_help
}

version() {
  local option
  for option in -V --version; do
    run -0 --separate-stderr "$program" $option
    assert_stderr_is ''
    assert_line --index 0 --regexp "^$tool \(pcputils\) [0-9]+\.[0-9]+\.[0-9]+\$"
    assert_line --index 1 --regexp '^libpcp [0-9]+\.'
    assert_equal "${#lines[@]}" 2
  done
}

@test "-V and --version tell the version, and libpcp's" {
  each version
}

# --- wrong command lines ----------------------------------------------------------------------

unknown_option() {
  run -2 --separate-stderr "$program" "${verb[@]}" --no-such-option good
  assert_usage_error --no-such-option
  run -2 --separate-stderr "$program" "${verb[@]}" good -Q
  assert_usage_error -Q
}

@test "an unknown option is a usage error that names it" {
  each unknown_option
}

missing_argument() {
  run -2 --separate-stderr "$program" "${verb[@]}" good "$needs_argument"
  assert_usage_error "$needs_argument needs an argument"
}

@test "an option without its argument is a usage error" {
  each missing_argument
}

superfluous_argument() {
  run -2 --separate-stderr "$program" "${verb[@]}" "$needs_none=x" good
  assert_usage_error "$needs_none takes no argument"
}

@test "an argument for an option that takes none is a usage error" {
  each superfluous_argument
}

excluding_options() {
  [[ ${#exclusive[@]} -gt 0 ]] || return 0
  run -2 --separate-stderr "$program" "${verb[@]}" "${exclusive[@]}" good
  assert_usage_error 'exclude each other'
  [[ $stderr == *"${exclusive[0]}"*"${exclusive[1]}"* ]] || fail "options not named: $stderr"
}

@test "options that exclude each other are a usage error" {
  each excluding_options
}

dependent_option() {
  [[ ${#dependent[@]} -gt 0 ]] || return 0
  run -2 --separate-stderr "$program" "${verb[@]}" "${dependent[0]}" good
  assert_usage_error "${dependent[0]} needs ${dependent[1]}"
}

@test "an option without the one it needs is a usage error" {
  each dependent_option
}

hostile_option() {
  run -2 --separate-stderr "$program" "${verb[@]}" $'--x\n\e[31m\xff' good
  assert_usage_error '--x\n\x1b[31m\xff'
  [[ ${stderr_lines[0]} != *[[:cntrl:]]* ]] || fail "control characters in: ${stderr_lines[0]}"
}

@test "an option that would drive the terminal is escaped in the message" {
  each hostile_option
}

wrong_verb() {
  [[ ${#verb[@]} -gt 0 ]] || return 0
  run -2 --separate-stderr "$program" $'no\e[31m'
  assert_usage_error "there is no verb 'no\x1b[31m'"
  run -2 --separate-stderr "$program"
  assert_usage_error 'VERB is missing'
}

@test "a verb that there is not, or none, is a usage error" {
  each wrong_verb
}

# --- operands ---------------------------------------------------------------------------------

options_anywhere() {
  run -0 --separate-stderr "$program" "${verb[@]}" good
  local plain=$output
  run -0 --separate-stderr "$program" "${verb[@]}" good "$needs_none"
  assert_stderr_is ''
  refute_output "$plain"
  local after=$output
  run -0 --separate-stderr "$program" "${verb[@]}" "$needs_none" good
  assert_output "$after"
}

@test "options may stand behind operands" {
  each options_anywhere
}

dashes() {
  run -1 --separate-stderr "$program" "${verb[@]}" good -- --help
  assert_stderr_is "$tool: --help: cannot open: No such file or directory"
}

@test "-- ends the options" {
  each dashes
}

posixly_correct() {
  if [[ ${#verb[@]} -gt 0 ]]; then
    POSIXLY_CORRECT=1 run -0 --separate-stderr "$program" "${verb[@]}" "$needs_none" good
    assert_stderr_is ''
  fi
  POSIXLY_CORRECT=1 run -1 --separate-stderr "$program" "${verb[@]}" good --help
  assert_stderr_is "$tool: --help: cannot open: No such file or directory"
}

# A verb is none: options may still follow it.
@test "POSIXLY_CORRECT: the first operand ends the options" {
  each posixly_correct
}

missing_file() {
  run -1 --separate-stderr "$program" "${verb[@]}" missing "${more[@]}"
  assert_output ''
  assert_stderr_is "$tool: missing: cannot open: No such file or directory"
}

@test "a missing file: status 1" {
  each missing_file
}

directory() {
  run "-$directory_status" --separate-stderr "$program" "${verb[@]}" directory
  assert_output ''
  if [[ $directory_status == 0 ]]; then
    assert_stderr_is ''
  else
    assert_stderr_is "$tool: directory: cannot read: Is a directory"
  fi
}

@test "a directory is taken, or refused where a file is due" {
  each directory
}

empty_file() {
  run -3 --separate-stderr "$program" "${verb[@]}" empty "${more[@]}"
  if [[ -n $judges ]]; then
    assert_output --partial 'empty:0: error: header: too small'
    assert_equal "${#lines[@]}" 1
    assert_stderr_is ''
    return
  fi
  assert_output ''
  [[ $stderr == "$tool: empty: too small"* ]] || fail "$stderr"
  assert_one_safe_line
}

@test "an empty file: status 3" {
  each empty_file
}

# Root may read everything, unless it gives that up.
as_another() {
  if [[ $EUID == 0 ]]; then
    setpriv --bounding-set=-dac_override,-dac_read_search "$@"
  else
    "$@"
  fi
}

unreadable_file() {
  cp "$program" . # the way to it may be barred too
  cp good barred
  chmod 0 barred
  run -1 --separate-stderr as_another "./$tool" "${verb[@]}" barred "${more[@]}"
  assert_output ''
  assert_stderr_is "$tool: barred: cannot open: Permission denied"
}

@test "a file that may not be read: status 1" {
  each unreadable_file
}

worst_status() {
  run -0 --separate-stderr "$program" "${verb[@]}" good
  local one=$output
  run -1 --separate-stderr "$program" "${verb[@]}" missing good
  assert_output "$one"
  run -0 --separate-stderr "$program" "${verb[@]}" good good
  local both=$output
  run -3 --separate-stderr "$program" "${verb[@]}" good empty good
  [[ -z $judges ]] || both=$output
  assert_output "$both"
  run -1 --separate-stderr "$program" "${verb[@]}" good missing empty good
  assert_output "$both"
  [[ -n $judges ]] || assert_equal "${#stderr_lines[@]}" 2
  run -1 --separate-stderr "$program" "${verb[@]}" good empty missing good
  assert_output "$both"
}

@test "after a bad operand the next is done, and the worst status wins" {
  each worst_status
}

hostile_name() {
  run -1 --separate-stderr "$program" "${verb[@]}" $'a\nb\r\t\e[31m\x7f\xff\\' "${more[@]}"
  assert_output ''
  assert_stderr_is "$tool: a\\nb\\r\\t\\x1b[31m\\x7f\\xff\\\\: cannot open: No such file or directory"
}

@test "a name that would drive the terminal is escaped in messages" {
  each hostile_name
}

locales() {
  LC_ALL=C run -1 --separate-stderr "$program" "${verb[@]}" $'caf\xc3\xa9'
  assert_stderr_is "$tool: caf\\xc3\\xa9: cannot open: No such file or directory"
  LC_ALL=C.UTF-8 run -1 --separate-stderr "$program" "${verb[@]}" $'caf\xc3\xa9'
  assert_stderr_is "$tool: "$'caf\xc3\xa9'": cannot open: No such file or directory"
  # Right to left override: printable, yet it would reorder what the eye reads.
  LC_ALL=C.UTF-8 run -1 --separate-stderr "$program" "${verb[@]}" $'a\xe2\x80\xaeb'
  assert_stderr_is "$tool: a\\u202eb: cannot open: No such file or directory"
  LC_ALL=no_SUCH.locale run -0 --separate-stderr "$program" "${verb[@]}" good
  assert_stderr_is ''
}

@test "the locale decides what is printable" {
  each locales
}

# --- standard streams -------------------------------------------------------------------------

# shellcheck disable=SC2016 # expanded by the inner shell
full_device() {
  local argument
  for argument in "${output_arguments[@]}" --help --version; do
    run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "$program" "${verb[@]}" "$argument"
    assert_stderr_is "$tool: standard output: cannot write: No space left on device"
  done
}

@test "a full device: status 1 and a message" {
  each full_device
}

# shellcheck disable=SC2016
closed_stdout() {
  local argument
  for argument in "${output_arguments[@]}" --help --version; do
    run -1 --separate-stderr sh -c '"$@" >&-' sh "$program" "${verb[@]}" "$argument"
    assert_stderr_is "$tool: standard output: cannot write: Bad file descriptor"
  done
}

@test "a closed standard output: status 1 and a message" {
  each closed_stdout
}

# shellcheck disable=SC2016
closed_others() {
  run -0 --separate-stderr "$program" "${verb[@]}" good
  local plain=$output
  run -0 --separate-stderr sh -c '"$@" <&-' sh "$program" "${verb[@]}" good
  assert_output "$plain"
  assert_stderr_is ''
  run -1 --separate-stderr sh -c '"$@" <&-' sh "$program" "${verb[@]}" -
  assert_output ''
  assert_stderr_is "$tool: -: cannot read: Bad file descriptor"
  # Messages get lost, and into nothing else.
  run -1 --separate-stderr sh -c '"$@" 2>&-' sh "$program" "${verb[@]}" good missing
  assert_output "$plain"
  assert_stderr_is ''
  run -0 --separate-stderr sh -c '"$@" <&- 2>&-' sh "$program" "${verb[@]}" good
  assert_output "$plain"
  cmp good <("$DEMO" again && cat again)
}

@test "a closed standard input or error stream does no harm" {
  each closed_others
}

# The reader is gone for sure when the tool starts.
# shellcheck disable=SC2016
gone_reader() {
  run -141 --separate-stderr bash -c 'exec 5> >(:); wait $!; "$@" >&5' bash "$program" "${verb[@]}" "${output_arguments[@]}"
  assert_stderr_is ''
}

@test "SIGPIPE ends a tool quietly" {
  each gone_reader
}
