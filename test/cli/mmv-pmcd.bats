#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What mmvcreate, mmvset and mmvlabel make of files, as a real pmcd with PCP's MMV agent hands it on.

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a subshell, run sets stderr
load helpers
load pmlcctl-helpers
load mmvlabel-helpers

setup_file() {
  need pminfo "$(pcp_config PCP_PMDAS_DIR)/mmv/pmda_mmv.so"
  start_lab -M
}

teardown_file() {
  stop_lab
}

# PCP_CONF leads the tools to the folder where this agent looks.
setup() {
  cd "$LAB/tmp/mmv" || return
  unset PCP_TMP_DIR
  app=
}

teardown() {
  [[ -z $app ]] || kill -KILL "$app" 2>/dev/null || true
  rm -f "$LAB"/tmp/mmv/*
}

# ask PMINFO-ARGUMENT...
ask() {
  pminfo -h "unix:$PMCD_SOCKET" "$@"
}

# silent COMMAND...: it is done, without a word.
silent() {
  run -0 --separate-stderr "$@"
  assert_output ''
  assert_stderr
}

@test "a file is made, set and labelled; pmcd shows each step" {
  silent "$MMVCREATE" "$SRCDIR/test/demo/shop.json"
  run -0 ask -fdtl mmv.shop.http.requests
  assert_line --partial 'request'
  assert_line --regexp 'Data Type: 64-bit unsigned int  InDom: 70\.[0-9]+ 0x'
  assert_line --regexp 'Semantics: counter  Units: count'
  assert_line '    inst [0 or "GET"] value 1841'
  assert_line '    inst [1 or "POST"] value 97'
  assert_output --partial '"site":"north","team":"web"'

  silent "$MMVSET" shop 'http.requests[GET]+=1' queue.length=-9 build='shop 2.2'
  silent "$MMVLABEL" set shop site=south env=qa
  run -0 ask -fl mmv.shop.http.requests mmv.shop.queue.length mmv.shop.build
  assert_line '    inst [0 or "GET"] value 1842'
  assert_line '    value -9'
  assert_line '    value "shop 2.2"'
  assert_line --regexp '"env":"qa".*"site":"south","team":"web"'

  silent "$MMVLABEL" unset shop env
  run -0 ask -l mmv.shop.queue.length
  refute_output --partial '"env"'
  assert_output --partial '"site":"south"'

  echo '{"metrics": [{"name": "other", "value": 5}]}' >"$BATS_TEST_TMPDIR/spec"
  silent "$MMVCREATE" --force --output shop "$BATS_TEST_TMPDIR/spec"
  run -0 ask -f mmv.shop
  assert_output $'\nmmv.shop.other\n    value 5'
}

# total: as pmcd has it.
total() {
  ask -f mmv.app.total | sed -n 's/^ *value //p'
}

larger() {
  (($(total) > $1))
}

@test "labels of a program that counts come and go; pmcd shows them and the counts" {
  need "$PEERDIR/mmv-live"
  PCP_TMP_DIR=$LAB/tmp "$PEERDIR/mmv-live" --count --labels 3 app >"$BATS_TEST_TMPDIR/answers" 2>&1 3>&- &
  app=$!
  wait_until has_line "$BATS_TEST_TMPDIR/answers" ok
  local before
  before=$(total)
  silent "$MMVLABEL" set app env=qa
  run -0 ask -l mmv.app.total
  assert_output --regexp '"env":"qa".*"keep0":0'
  wait_until larger "$before"
  silent "$MMVSET" app state='set from outside'
  silent "$MMVLABEL" clear --all app
  before=$(total)
  run -0 ask -fl mmv.app.state
  refute_output --partial keep0
  assert_line '    value "set from outside"'
  wait_until larger "$before"
  kill "$app"
  wait "$app"
  app=
  assert_equal "$(total)" "$(tail -n 1 "$BATS_TEST_TMPDIR/answers")"
}

@test "a shell script as an instrumented application, in pmcd" {
  PATH=${MMVSET%/*}:${MMVCREATE%/*}:$PATH run -0 --separate-stderr sh "$SRCDIR/test/demo/ci-job.sh" ci
  assert_output $'compiling ...\npacking ...'
  assert_stderr
  run -0 ask -fl mmv.ci.failures
  assert_line '    inst [1 or "test"] value 1'
  assert_line '    inst [2 or "package"] value 0'
  assert_output --partial '"branch":"main"'
}
