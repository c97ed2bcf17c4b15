#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A CI job whose steps can be watched with PCP.
# usage: sh ci-job.sh FILE
set -eu
file=$1

mmvcreate --force --output "$file" - <<'END'
{"header": {"cluster": 300},
 "labels": {"branch": "main"},
 "indoms": [{"name": "steps", "instances": ["build", "test", "package"]}],
 "metrics": [
   {"name": "runs", "sem": "counter", "units": "count", "indom": "steps"},
   {"name": "failures", "sem": "counter", "units": "count", "indom": "steps"},
   {"name": "time", "type": "elapsed", "indom": "steps"},
   {"name": "current", "type": "string", "sem": "discrete"}
 ]}
END

step() {
  name=$1
  shift
  mmvset "$file" current="$name" "runs[$name]+=1" "time[$name]=start"
  "$@" || mmvset "$file" "failures[$name]+=1"
  mmvset "$file" "time[$name]=stop"
}

step build echo 'compiling ...'
step test false
step package echo 'packing ...'
