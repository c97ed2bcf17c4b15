#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What mmvdump prints of every fixture, byte by byte: UPDATE_GOLDEN=1 writes it anew. And that programs
# which are not ours can read it.

load helpers

setup_file() {
  export CASES=$BATS_FILE_TMPDIR/cases
  mkdir "$CASES"
  fixture --all "$CASES"
  fixture --list good >"$BATS_FILE_TMPDIR/good"
  fixture --list bad >"$BATS_FILE_TMPDIR/bad"
}

setup() {
  cd "$CASES" || return
  readarray -t good <"$BATS_FILE_TMPDIR/good"
  readarray -t bad <"$BATS_FILE_TMPDIR/bad"
}

# transcripts MODES NAME...
transcripts() {
  "$PYTHON" "$SRCDIR/test/cli/transcript.py" "$BATS_TEST_TMPDIR/found" "$NOW" "$@"
}

@test "files look as they did" {
  mkdir "$BATS_TEST_TMPDIR/found"
  transcripts ,--json,--values,--json-lines,--openmetrics "${good[@]}"
  transcripts '' "${bad[@]}"
  same_as_golden mmvdump "$BATS_TEST_TMPDIR/found"
}

@test "good files end with status 0 and say nothing on stderr" {
  local mode
  for mode in --metric=* --json --values --json-lines; do
    dump "$mode" "${good[@]}" >/dev/null 2>"$BATS_TEST_TMPDIR/stderr"
    assert_file_empty "$BATS_TEST_TMPDIR/stderr"
  done
}

@test "damaged files end with status 3 and say where, in every mode" {
  local name mode status
  for mode in --metric=* --json --values --json-lines --openmetrics; do
    status=0
    dump "$mode" "${bad[@]}" >/dev/null 2>"$BATS_TEST_TMPDIR/stderr" || status=$?
    assert_equal "$mode $status" "$mode 3"
    run -1 --separate-stderr grep -vE \
      "^mmvdump: [a-z0-9-]+: (and [0-9]+ more of the kind|.+ \(offset 0x[0-9a-f]+\))$" "$BATS_TEST_TMPDIR/stderr"
    assert_equal "$(cut -d: -f2 "$BATS_TEST_TMPDIR/stderr" | sort -u)" "$(printf ' %s\n' "${bad[@]}" | sort)"
  done
}

@test "the order of the table of contents does not matter" {
  dump --values order-12345 | cat - <(echo) >"$BATS_TEST_TMPDIR/expected"
  assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/expected")" 5
  dump --values order-* >"$BATS_TEST_TMPDIR/all"
  assert_equal "$(sed 's/^order-[1-5]*: //' "$BATS_TEST_TMPDIR/all" | sort -u)" \
    "$(sort "$BATS_TEST_TMPDIR/expected" | tail -n 4)"
  assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/all")" 480
  assert_equal "$(dump order-* | grep -c '^TOC\[')" 600
}

@test "a document about many files is one document" {
  dump --json -- * >"$BATS_TEST_TMPDIR/json" 2>/dev/null || [ $? -eq 3 ]
  check json "$SRCDIR/test/schema/mmvdump.json" "$BATS_TEST_TMPDIR/json"
}

@test "every line of --json-lines is a record of its own" {
  dump --json-lines -- * >"$BATS_TEST_TMPDIR/lines" 2>/dev/null || [ $? -eq 3 ]
  check lines "$SRCDIR/test/schema/mmvdump.json" "$BATS_TEST_TMPDIR/lines"
}

@test "Prometheus reads the expositions, and finds the values in them" {
  local name pairs=()
  mkdir "$BATS_TEST_TMPDIR"/{text,json}
  for name in "${good[@]}"; do
    # Two values of one name are one sample, and that is told.
    case $name in
    values-shuffled | names-odd | instance-names) continue ;;
    esac
    dump --openmetrics "$name" >"$BATS_TEST_TMPDIR/text/$name"
    dump --json "$name" >"$BATS_TEST_TMPDIR/json/$name"
    pairs+=("$BATS_TEST_TMPDIR/text/$name" "$BATS_TEST_TMPDIR/json/$name")
  done
  check openmetrics "${pairs[@]}"
}

@test "an exposition about many files is one exposition" {
  local name
  run_dump 0 --openmetrics plain-v1 plain-v2 plain-v3
  assert_equal "$(grep -c '^# EOF$' <<<"$output")" 1
  assert_equal "${lines[-1]}" '# EOF'
  assert_stderr
}

@test "without UTF-8 all that is not ASCII is escaped" {
  local mode
  for mode in '' --values; do
    LC_ALL=C dump $mode text-utf8 text-hostile-v1 >"$BATS_TEST_TMPDIR/text"
    run -1 --separate-stderr env LC_ALL=C grep -n '[^ -~]' "$BATS_TEST_TMPDIR/text"
    assert_output ''
    assert_file_contains "$BATS_TEST_TMPDIR/text" 'Gr\\xc3\\xb6\\xc3\\x9fe'
  done
}

@test "no text from a file makes a line of its own" {
  local name
  for name in text-forged-v1 text-forged-v2; do
    run_dump 0 "$name"
    refute_line --regexp '^TOC\[9\]'
    refute_line --regexp '^  \[1/2\]'
    run_dump 0 --values "$name"
    assert_equal "${#lines[@]}" 2
  done
}

@test "running intervals run up to --now" {
  run -0 --separate-stderr "$MMVDUMP" --values --metric running --now @1700000001 elapsed
  assert_output 'running 1250000'
  run -0 --separate-stderr "$MMVDUMP" --values --metric running --now 2023-11-14T22:13:22Z elapsed
  assert_output 'running 2250000'
  run -0 --separate-stderr "$MMVDUMP" --values --metric idle elapsed
  assert_output 'idle 5000000'
}
