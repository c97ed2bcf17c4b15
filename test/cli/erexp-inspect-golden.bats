#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What erexp-inspect prints of every fixture, byte by byte: UPDATE_GOLDEN=1 writes it anew. And that its JSON is as
# test/schema says. A run takes all experiments that there are.

load helpers
load erexp-inspect-helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  make_experiment --all good
  make_experiment --damages bad >list
  # Cuts and flipped bits are many, and alike.
  rm -r bad/cut-* bad/flip-* bad/origin
  mkdir text json lines
}

setup() {
  cd "$BATS_FILE_TMPDIR" || return
}

files=(log.xml map.xml labels.xml warnings.xml notes overview data.frameinfo dyntext jclasses profile heaptrace iotrace
  synctrace hwcounters dataraces)
# Those that are not long and alike.
cases=(good/{plain,java,counters,linked,truncated,race,solaris,small,family,mpi}.er)

# say NAME STATUS ARGUMENT...: what is said, with both streams; what a file takes on a disk is the disk's affair.
say() {
  local name=$1 expected=$2 status=0
  shift 2
  inspect "$@" >out 2>err || status=$?
  [[ $status -eq $expected ]] || fail "status $status of: $*"
  {
    echo "\$ erexp-inspect $*"
    sed -E 's/( disk=|^  on disk: )[0-9]+/\1N/' out
    sed 's/^/stderr: /' err
  } >>"text/$name.txt"
}

# put NAME ARGUMENT...: its JSON.
put() {
  local name=$1 status=0
  shift
  inspect "$@" >"$name" 2>/dev/null || status=$?
  [[ $status == [013] ]] || fail "status $status of: $*"
}

@test "experiments look as they did" {
  local one file has
  say summary 0 good
  say summary 3 bad/{log-cut-in-tag,log-missing,nothing,tsize-3,version-missing}.er
  say tree 0 tree good
  say tree 0 tree --dot good/family.er good/mpi.er
  say tree 3 tree bad/{log-missing,log-cut-before-run,nested}.er
  say check 0 check good
  say check 3 check bad
  say archives 3 archives good
  say archives 3 archives --missing good/plain.er good/java.er
  for file in "${files[@]}"; do
    # Not each has each.
    has=()
    for one in "${cases[@]}"; do
      [[ ! -e $one/$file ]] || has+=("$one")
    done
    say dump 0 dump --file "$file" "${has[@]}"
  done
  say rules 0 check --rules
  same_as_golden erexp-inspect text
}

@test "JSON of all verbs is as the schema says" {
  local verb file
  put json/rules check --rules --json
  for verb in summary tree check archives; do
    put "json/$verb" $verb --json good
    put "json/$verb-bad" $verb --json bad
  done
  for file in "${files[@]}"; do
    put "json/dump-$file" dump --json --file "$file" "${cases[@]}" bad good/family.er/_f1.er
    put "lines/$file" dump --json-lines --file "$file" "${cases[@]}"
  done
  check json "$SRCDIR/test/schema/erexp-inspect.json" json/*
  check lines "$SRCDIR/test/schema/erexp-inspect.json" lines/*
  # Each has something in it.
  run -0 find json lines -size 0
  assert_output ''
}
