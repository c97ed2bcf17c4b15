#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which values mmvset takes for which types, which metrics it finds, and what it prints.

# shellcheck disable=SC2154 # run sets stderr
load helpers
load mmvset-helpers

setup() {
  mkdir "$BATS_TEST_TMPDIR/work" # bats has files of its own beside it
  cd "$BATS_TEST_TMPDIR/work" || return
  make_file file
}

# --- integers ---------------------------------------------------------------------------------

# range METRIC WORD MIN MAX BELOW ABOVE: everything from MIN to MAX can be set and added, and nothing beyond.
range() {
  local beyond="$1: the sum is out of the range of type $2, $3 to $4"
  table <<END
$1=$4 => $1 $4
$1+=1 !> $beyond
$1+=18446744073709551615 !> $beyond
$1+=18446744073709551616 !> ${beyond/the sum/18446744073709551616}
$1+=0 => $1 $4
$1=$3 => $1 $3
$1+=-1 !> $beyond
$1+=-18446744073709551615 !> $beyond
$1=$5 !> ${beyond/the sum/$5}
$1=$6 !> ${beyond/the sum/$6}
$1=18446744073709551616 !> ${beyond/the sum/18446744073709551616}
$1=-99999999999999999999999 !> ${beyond/the sum/-99999999999999999999999}
$1+=0 => $1 $3
$1=41 => $1 41
$1+=1 => $1 42
$1+=-40 => $1 2
$1=007 => $1 7
$1=-0 => $1 0
END
}

@test "32" {
  range i32 32 -2147483648 2147483647 -2147483649 2147483648
  table <<'END'
i32=-3 => i32 -3
i32+=-1 => i32 -4
i32+=5 => i32 1
i32+=4294967296 !> i32: the sum is out of the range of type 32, -2147483648 to 2147483647
i32=-3 => i32 -3
END
  assert_equal "$(field i32 .raw)" '["0xfffffffd"]'
}

@test "u32" {
  range u32 u32 0 4294967295 -1 4294967296
}

@test "64" {
  range i64 64 -9223372036854775808 9223372036854775807 -9223372036854775809 9223372036854775808
  table <<'END'
i64=-9223372036854775808 => i64 -9223372036854775808
i64+=18446744073709551615 => i64 9223372036854775807
END
}

@test "u64" {
  range u64 u64 0 18446744073709551615 -1 18446744073709551616
}

@test "what is no integer" {
  for text in '' - + +1 ' 1' '1 ' 1.0 1e3 0x10 1,000 --1 nan inf start stop one '1=2'; do
    echo "u64=$text !> u64: '$text' is not an integer"
    echo "i32+=$text !> i32: '$text' is not an integer"
  done >cases
  table <cases
  table <<END
u64=null !> u64: null needs the flag "sentinel", which the file does not have
u64=$(printf 'x%.0s' {1..100}) !> u64: '$(printf 'x%.0s' {1..40})' is not an integer
END
  refuses $'u64=1\n' "u64: '1\\n' is not an integer"
}

# --- floating point ---------------------------------------------------------------------------

@test "float" {
  table <<'END'
float=0.1 => float 0.1
float=-0 => float -0.0
float=16777217 => float 16777216.0
float=3.4028235e38 => float 3.4028235e+38
float=1e-45 => float 1e-45
float=1e-60 => float 0.0
float=3e38 => float 3e+38
float=3.5e38 !> float: 3.5e38 is out of the range of type float
float+=1e38 !> float: the sum is no finite number
float+=0 => float 3e+38
float=2 => float 2.0
float+=.25 => float 2.25
float=1.5 => float 1.5
END
  assert_equal "$(field float .raw)" '["0x3fc00000"]'
}

@test "double" {
  table <<'END'
double=0.1 => double 0.1
double+=0.2 => double 0.30000000000000004
double=-1e308 => double -1e+308
double+=-1e308 !> double: the sum is no finite number
double=1e309 !> double: 1e309 is out of the range of type double
double=-1e999 !> double: -1e999 is out of the range of type double
double+=0 => double -1e+308
double=1e-400 => double 0.0
double=-2. => double -2.0
double=1.5 => double 1.5
END
  assert_equal "$(field double .raw)" '["0x3ff8000000000000"]'
}

@test "nan and the infinities" {
  for metric in float double; do
    table <<END
$metric=nan => $metric nan
$metric+=1 !> $metric: the sum is no finite number
$metric=inf => $metric inf
$metric+=-inf !> $metric: the sum is no finite number
$metric=-inf => $metric -inf
$metric=1 => $metric 1.0
$metric+=inf !> $metric: the sum is no finite number
$metric+=nan !> $metric: the sum is no finite number
$metric+=0 => $metric 1.0
END
  done
}

@test "what is no number" {
  for text in '' - + +1 ' 1' '1 ' 0x10 1e e5 . 1,5 NaN INF infinity 'nan(1)' 1e5.0 start one; do
    echo "double=$text !> double: '$text' is not a number"
    echo "float+=$text !> float: '$text' is not a number"
  done >cases
  table <cases
  refuses double=null 'double: null needs the flag "sentinel", which the file does not have'
}

# --- texts ------------------------------------------------------------------------------------

# slot NAME: all bytes of the string slot of a text, in hexadecimal.
slot() {
  od -An -v -t x1 -j "$(field "$1" .extra | tr -d '[]')" -N 256 file | tr -d ' \n'
}

@test "a text is literal, and the rest of its slot is cleared" {
  table <<'END'
text=a = b += "c" [d]  => text "a = b += \"c\" [d] "
text=null => text "null"
text=é => text "é"
other=x => other "x"
text+=x !> text: nothing can be added to a text
text=ab => text "ab"
END
  assert_equal "$(slot text)" "6162$(printf '00%.0s' {1..254})"
  assert_equal "$(field text .raw)" '["0x2"]'
  run_set 0 --print file text= $'text=two\nlines' $'other=\e[31m\xff'
  assert_output 'text ""
text "two\nlines"
other "\x1b[31m\xff"'
  run_set 0 file text=
  assert_equal "$(slot text)" "$(printf '00%.0s' {1..256})"
}

@test "a text has at most 255 bytes" {
  local long
  long=$(printf 'y%.0s' {1..255})
  table <<END
text=$long => text "$long"
END
  assert_equal "$(slot text)" "$(printf '79%.0s' {1..255})00"
  refuses "text=${long}y" 'text: a text of 256 bytes: there is room for 255'
  run_set 0 file text=short
  assert_equal "$(slot text)" "73686f7274$(printf '00%.0s' {1..251})"
}

# --- intervals --------------------------------------------------------------------------------

@test "start and stop" {
  local began extra after total
  run_set 0 file busy=1000000
  began=$(date +%s%6N)
  run_set 0 file busy=start
  assert_output ''
  assert_stderr
  extra=$(field busy .extra | tr -d '[]')
  ((-extra >= began && -extra <= $(date +%s%6N))) || fail "extra is $extra"
  refuses busy=start 'busy: an interval runs already'
  assert_equal "$(field busy .raw)" '["0xf4240"]'
  run_set 0 --print file busy=stop
  after=$(date +%s%6N)
  assert_stderr
  total=${output#busy }
  ((total > 1000000 && total <= 1000000 + after + extra)) || fail "$total"
  assert_equal "$(field busy '.value, .extra')" "[$total,null]"
  refuses busy=stop 'busy: no interval runs'
}

@test "a number ends an interval, += lets it run" {
  run_set 0 file busy=start
  local extra
  extra=$(field busy .extra)
  run_set 0 file busy+=500
  assert_equal "$(field busy '.extra, .raw')" "${extra%]},\"0x1f4\"]"
  table <<'END'
busy=7 => busy 7
busy+=start !> busy: 'start' is not an integer
busy=never !> busy: 'never' is not an integer
busy=9223372036854775808 !> busy: 9223372036854775808 is out of the range of type elapsed, -9223372036854775808 to 9223372036854775807
busy=9223372036854775807 => busy 9223372036854775807
busy+=1 !> busy: the sum is out of the range of type elapsed, -9223372036854775808 to 9223372036854775807
END
  assert_equal "$(field busy .extra)" '[null]'
  run_set 0 file busy=start
  refuses busy=stop 'busy: the sum is out of the range of type elapsed, -9223372036854775808 to 9223372036854775807'
}

@test "an interval that starts in the future" {
  "$MMVCREATE" --force -o file - <<<'{"metrics":[{"name":"busy","type":"elapsed","started":"2200-01-01"}]}'
  table <<'END'
busy=start !> busy: an interval runs already
busy=stop !> busy: the interval starts in the future: set a number to end it
busy=3 => busy 3
END
}

# --- "no value", and types that have none -----------------------------------------------------

@test "null, in a file with the flag" {
  make_file file '"flags": ["sentinel"]'
  for metric in i32 u32 i64 u64 busy; do
    cat <<END
$metric=3 => $metric 3
$metric=null => $metric -
$metric+=1 !> $metric: it has no value: set one first
$metric=3 => $metric 3
$metric+=1 => $metric 4
$metric=null => $metric -
END
  done >cases
  table <cases
  assert_equal "$(field i32 '.value, .raw')$(field busy '.value, .raw')" \
    '[null,"0xffffffffffffffff"][null,"0xffffffffffffffff"]'
  table <<'END'
float=null => float -
float+=1 !> float: it has no value: set one first
float=1 => float 1.0
float=nan => float -
double=null => double -
double+=1 !> double: it has no value: set one first
text=null => text "null"
text= => text -
END
  assert_equal "$(field float .raw)$(field double .raw)" '["0x7fc00000"]["0x7ff8000000000000"]'
}

@test "null ends an interval, and none starts in it" {
  make_file file '"flags": ["sentinel"]'
  run_set 0 file busy=start
  table <<'END'
busy=null => busy -
busy=start !> busy: it has no value: set one first
busy=stop !> busy: no interval runs
END
  assert_equal "$(field busy .extra)" '[null]'
}

@test "the integer that stands for \"no value\" is refused; of 32 bits it is a value like any other" {
  make_file file '"flags": ["sentinel"]'
  local what='stands for "no value" in a file with the flag "sentinel"'
  table <<END
i64=-1 !> i64: -1 $what
busy=-1 !> busy: -1 $what
u64=18446744073709551615 !> u64: 18446744073709551615 $what
i64+=-1 !> i64: -1 $what
u64=18446744073709551614 => u64 18446744073709551614
u64+=1 !> u64: 18446744073709551615 $what
i64+=-2 => i64 -2
i32=null => i32 -
i32=-1 => i32 -1
u32=null => u32 -
u32=4294967295 => u32 4294967295
END
}

@test "types that cannot be set" {
  table <<'END'
none=1 !> none: values of type nosupport, -1 cannot be set
none=null !> none: values of type nosupport, -1 cannot be set
none+=1 !> none: values of type nosupport, -1 cannot be set
END
  "$MMVDUMP" --json file | jq '.files[0].metrics[9] += {"type": "unknown", "type_raw": 12}' |
    "$MMVCREATE" --allow all --force -o file -
  refuses none=1 'none: values of type 12 cannot be set'
}

# --- which metrics ----------------------------------------------------------------------------

@test "a metric with instances: all, some, by name, id and pattern" {
  table <<'END'
many=1 => many[a] 1 | many[b] 1 | many[c d] 1 | many["5"] 1
many[*]=2 => many[a] 2 | many[b] 2 | many[c d] 2 | many["5"] 2
many[b]+=1 => many[b] 3
many[ c d , a ]=4 => many[a] 4 | many[c d] 4
many[17]=5 => many["5"] 5
many["5"]=6 => many["5"] 6
many["\u0063 d"]=7 => many[c d] 7
many[?]=8 => many[a] 8 | many[b] 8 | many["5"] 8
m?ny[a]+=1 => many[a] 9
"many"[a]=10 => many[a] 10
*xts[a]==[x]= => texts[a] "=[x]="
mmv.file.many[b]=11 => many[b] 11
mmv.file.u*=12 => u32 12 | u64 12
END
}

@test "what picks nothing" {
  table <<'END'
nothing=1 !> nothing: there is no such metric
No*=1 !> No*: there is no such metric
Many=1 !> Many: there is no such metric
many =1 !> many : there is no such metric
mmv.other.many=1 !> mmv.other.many: there is no such metric
many[z]=1 !> many[z]: there is no such instance
many[5]=1 !> many[5]: there is no such instance
many[c]=1 !> many[c]: there is no such instance
u32[*]=1 !> u32[*]: there is no such instance
END
  refuses $'\e[x]=1' '\x1b[x]: there is no such metric'
  "$MMVCREATE" --force -o file - <<<'{"indoms":[{"name":"x"}],"metrics":[{"name":"m","indom":"x"}]}'
  refuses m=1 'm: it has no values'
}

@test "one of many instances is found as well" {
  "$PYTHON" -c 'import json; print(json.dumps({"indoms": [{"name": "x", "instances":
    [f"i{n}" for n in range(100)] + [{"name": "same", "instance": 500}, {"name": "same", "instance": -7}]}],
    "metrics": [{"name": name, "indom": "x"} for name in ("m", "n")] + [{"name": "single"}]}))' |
    "$MMVCREATE" --force --allow all -o file -
  table <<'END'
m[i0]=1 => m[i0] 1
m[i99]=2 => m[i99] 2
m[57]=3 => m[i57] 3
n[i57]=4 => n[i57] 4
m["i57"]+=1 => m[i57] 4
m[same]=5 => m[same] 5 | m[same] 5
m[-7]=6 => m[same] 6
m[same]+=1 => m[same] 6 | m[same] 7
m[i100]=1 !> m[i100]: there is no such instance
m[501]=1 !> m[501]: there is no such instance
single=8 => single 8
END
}

@test "of several values some can be refused" {
  run_set 0 file 'many[b]=4294967295'
  run_set 1 --print file many+=1
  assert_output 'many[a] 1
many[c d] 1
many["5"] 1'
  assert_stderr 'mmvset: file: many[b]: the sum is out of the range of type u32, 0 to 4294967295'
  run_set 1 file '*32=-1'
  assert_stderr 'mmvset: file: u32: -1 is out of the range of type u32, 0 to 4294967295'
  assert_equal "$("$MMVDUMP" --values -m '*32' file)" 'i32 -1
u32 0'
}

@test "values that are there twice are both set" {
  "$MMVDUMP" --json file | jq '.files[0] | .values += .values[1:2]' | "$MMVCREATE" --allow all --force -o file -
  table <<'END'
u32=3 => u32 3 | u32 3
END
}

# --- several assignments ----------------------------------------------------------------------

@test "assignments are made in their order, each for itself" {
  run_set 0 --print file u32=1 u32+=2 i32=5 u32+=3
  assert_output 'u32 1
u32 3
i32 5
u32 6'
  assert_stderr
  run_set 1 --print file u32=1 nope=1 u64=x i32=-1
  assert_output 'u32 1
i32 -1'
  assert_stderr "mmvset: file: nope: there is no such metric
mmvset: file: u64: 'x' is not an integer"
}

@test "a wrong command line: nothing is set" {
  cp file before
  wrong() {
    run_set 2 file u32=1 "$1"
    assert_output ''
    assert_stderr "mmvset: $2
Try 'mmvset --help' for more information."
    cmp file before
  }
  wrong u64 "'u64' is no METRIC=VALUE and no METRIC+=N"
  wrong '' "'' is no METRIC=VALUE and no METRIC+=N"
  wrong - "'-' is no METRIC=VALUE and no METRIC+=N"
  wrong 'many[a' "'many[a' is no METRIC=VALUE and no METRIC+=N"
  wrong 'many[a=1]' "'many[a=1]' is no METRIC=VALUE and no METRIC+=N"
  wrong '"u64=1' "'\"u64=1' is no METRIC=VALUE and no METRIC+=N"
  wrong "=1" "'=1', column 1: the name of a metric is missing"
  wrong "+=1" "'+=1', column 1: the name of a metric is missing"
  wrong 'many[]=1' "'many[]=1', column 6: an instance is missing"
  wrong 'many[a]x=1' "'many[a]x=1', column 8: nothing can follow the closing ']'"
  wrong $'many["\\q"]=\e' "'many[\"\\\\q\"]=\\x1b', column 7: unknown escape in a quoted name"
}

@test "what is missing on the command line" {
  run_set 2
  assert_stderr "mmvset: FILE is missing
Try 'mmvset --help' for more information."
  run_set 2 file
  assert_stderr "mmvset: METRIC=VALUE is missing
Try 'mmvset --help' for more information."
  run_set 2 - u32=1
  assert_stderr "mmvset: FILE cannot be standard input
Try 'mmvset --help' for more information."
  run_set 2 - -
  assert_stderr "mmvset: FILE cannot be standard input
Try 'mmvset --help' for more information."
  run_set 2 -p -l file u32=1
  assert_stderr "mmvset: -p/--print and -l/--json-lines exclude each other
Try 'mmvset --help' for more information."
}

@test "options behind operands; -- and POSIXLY_CORRECT end them" {
  run_set 0 file u32=1 --print
  assert_output 'u32 1'
  run_set 2 -- file u32=1 --print
  assert_equal "${stderr_lines[0]}" "mmvset: '--print' is no METRIC=VALUE and no METRIC+=N"
  POSIXLY_CORRECT=1 run_set 2 file u32=1 --print
  assert_equal "${stderr_lines[0]}" "mmvset: '--print' is no METRIC=VALUE and no METRIC+=N"
  cp file ./-file
  run_set 0 -p -- -file u32=2
  assert_output 'u32 2'
}

# --- what is printed --------------------------------------------------------------------------

@test "--json-lines: an object for each value, as mmvdump has it" {
  run_set 0 --json-lines file u64=18446744073709551615 double=nan text=$'\xff' 'many[a,b]=3'
  assert_stderr
  assert_equal "$output" "$("$MMVDUMP" --json-lines -m u64 -m double -m text -m 'many[a,b]' file)"
  assert_line '{"file":"file","name":"many","instance":0,"instance_name":"a","value":3}'
  assert_line '{"file":"file","name":"u64","value":"18446744073709551615"}'
  assert_equal "${#lines[@]}" 5
}

@test "--dry-run prints what would be there, and changes nothing" {
  poke file u32=5 busy=start
  cp file before
  for options in -n --dry-run '-n --print' -np; do
    # shellcheck disable=SC2086 # words
    run_set 1 $options file u32+=1 u32+=1 text=new 'many=7' i32=x busy+=1 double+=.5
    assert_equal "${lines[*]:0:7}" 'u32 6 u32 7 text "new" many[a] 7 many[b] 7 many[c d] 7 many["5"] 7'
    assert_line 'double 0.5'
    assert_stderr "mmvset: file: i32: 'x' is not an integer"
    cmp file before
  done
  run_set 0 -nl file u32=9
  assert_output '{"file":"file","name":"u32","value":9}'
  run_set 0 -n file - <<<'u32+=1'
  assert_output 'u32 6'
  cmp file before
}

@test "a full device, a closed standard output: the values are set all the same" {
  # shellcheck disable=SC2016 # expanded by the inner shell
  run -1 --separate-stderr sh -c '"$MMVSET" -p file u32=3 >/dev/full'
  assert_stderr 'mmvset: standard output: cannot write: No space left on device'
  # shellcheck disable=SC2016
  run -1 --separate-stderr sh -c '"$MMVSET" -p file i32=4 >&-'
  assert_stderr 'mmvset: standard output: cannot write: Bad file descriptor'
  # shellcheck disable=SC2016
  run -0 --separate-stderr sh -c '"$MMVSET" file u64=5 >/dev/full'
  assert_equal "$("$MMVDUMP" --values -m i32 -m 'u*' file)" 'i32 4
u32 3
u64 5'
}
