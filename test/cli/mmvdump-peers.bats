#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# mmvdump beside what PCP has: its dumper, its library, its Python module, its agent.

load helpers

setup_file() {
  export CASES=$BATS_FILE_TMPDIR/cases WRITTEN=$BATS_FILE_TMPDIR/written
  mkdir -p "$CASES" "$WRITTEN/mmv"
  fixture --all "$CASES" good order
  STOCK=$(pcp_config PCP_PMDAS_DIR)/mmv/mmvdump
  export STOCK
}

# written NAME...: files of PCP's own writers: v1, v2, v3 of the library, py of the Python module.
written() {
  local name
  cd "$WRITTEN/mmv" || return
  for name; do
    if [ -e "$name" ]; then
      continue
    fi
    case $name in
    v?)
      need "$PEERDIR/mmv-write"
      PCP_TMP_DIR=$WRITTEN "$PEERDIR/mmv-write" "${name#v}" "$name"
      ;;
    py) PCP_TMP_DIR=$WRITTEN "$PYTHON" "$SRCDIR/test/peer/mmv-python.py" "$name" ;;
    esac
  done
}

# same_as_stock NAME [FILTER...]: byte by byte, after the filter has gone over both.
same_as_stock() {
  local name=$1
  shift
  "$STOCK" "$name" >"$BATS_TEST_TMPDIR/stock" 2>"$BATS_TEST_TMPDIR/stock.stderr"
  "$MMVDUMP" "$name" >"$BATS_TEST_TMPDIR/ours" 2>"$BATS_TEST_TMPDIR/ours.stderr"
  assert_file_empty "$BATS_TEST_TMPDIR/ours.stderr"
  if [ $# -eq 0 ]; then
    diff -u "$BATS_TEST_TMPDIR/stock" "$BATS_TEST_TMPDIR/ours"
    return
  fi
  diff -u <("$@" <"$BATS_TEST_TMPDIR/stock") <("$@" <"$BATS_TEST_TMPDIR/ours")
}

# PCP's dumper counts instances of version 2 and 3 by the size of those of version 1.
without_instance_offsets() {
  sed -E 's,^  \[([0-9]+)/[0-9]+\] instance = ,  [\1/?] instance = ,'
}

# Levels of labels are ours.
without_levels() {
  without_instance_offsets | grep -v '^        level='
}

@test "text is what PCP's dumper prints, for version 1" {
  need "$STOCK"
  cd "$CASES"
  for name in plain-v1 strings-packed-v1 trailing-1 generation-* cluster-0 cluster-1 cluster-2047 cluster-2048 \
    cluster-4095 flags-* items semantics units counters upper-bytes values-shuffled names-odd no-values \
    indom-singular indom-shared order-1* order-5*; do
    echo "$name"
    same_as_stock "$name"
  done
}

@test "... and for versions 2 and 3 but for the offsets of instances" {
  need "$STOCK"
  cd "$CASES"
  same_as_stock plain-v2 without_instance_offsets
  same_as_stock plain-v3 without_levels
  same_as_stock names-long without_instance_offsets
  same_as_stock text-utf8 without_levels
  same_as_stock trailing-1792 without_instance_offsets
  same_as_stock sections-doubled without_levels
  same_as_stock labels-v3 without_levels
  same_as_stock labels-255 without_levels
}

@test "... and for what PCP's library and Python module write" {
  need "$STOCK"
  written py v1 v2 v3
  same_as_stock v1
  same_as_stock py
  same_as_stock v2 without_instance_offsets
  same_as_stock v3 without_levels
}

@test "instances stand where we say they do" {
  written v2
  "$MMVDUMP" v2 | sed -nE 's,^  \[12/([0-9]+)\] instance = \[(-?[0-9]+) .*,\1 \2,p' >"$BATS_TEST_TMPDIR/places"
  assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/places")" 4
  while read -r place id; do
    assert_equal "$(od -An -t d4 -j $((place + 12)) -N 4 v2 | tr -d ' ')" "$id"
  done <"$BATS_TEST_TMPDIR/places"
}

# agrees NAME...: names, numbers, types, units, semantics, instances and values, as the agent has them.
agrees() {
  local name dir=$BATS_TEST_TMPDIR/agent
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
  for name; do
    # By itself: files that share a cluster are mixed up.
    rm -rf "$dir"
    mkdir -p "$dir/mmv"
    cp "$name" "$dir/mmv/$name"
    sh "$SRCDIR/test/peer/agent.sh" "$dir" -dmf mmv >"$dir/answers"
    dump --json "$name" >"$dir/json"
    run -0 --separate-stderr check agent "$dir/answers" "$dir/json"
    assert_stderr
    refute_output '0 metrics'
  done
}

@test "the agent sees the same in what the library and Python write" {
  written py v1 v2 v3
  agrees py v1 v2 v3
}

@test "the agent sees the same in our fixtures" {
  local name names=()
  cd "$CASES"
  for name in strings-packed-v1 strings-packed-v3 sections-backwards order-34125 labels-v2 trailing-1792 units \
    counters indom-singular upper-bytes names-long; do
    # File names have to be metric names.
    [ -e "${name//-/_}" ] || cp "$name" "${name//-/_}"
    names+=("${name//-/_}")
  done
  agrees "${names[@]}"
}

@test "the labels of a sample are those that the agent merges" {
  written v3
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
  mkdir -p "$BATS_TEST_TMPDIR/mmv"
  cp v3 "$BATS_TEST_TMPDIR/mmv"
  sh "$SRCDIR/test/peer/agent.sh" "$BATS_TEST_TMPDIR" -l mmv.v3.many.i32 >"$BATS_TEST_TMPDIR/labels"
  run_dump 0 --openmetrics --metric 'many.i32[10]' v3
  for label in 'env="qa"' 'speed="1000"' 'map_a="1"' 'none="null"' 'list="[1,2]"'; do
    assert_output --partial "$label"
  done
  for label in '"env":"qa"' '"speed":1000' '"map.a":1' '"none":null' '"list":[1,2]'; do
    assert_file_contains "$BATS_TEST_TMPDIR/labels" "inst \[10 .*${label//[/\\[}"
  done
}
