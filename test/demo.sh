#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, and shows every tool at work.
# usage: sh test/demo.sh [BUILDDIR]
# Nothing is left behind but the build folder, build-demo/ unless another one is named.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
build=${1:-$top/build-demo}
tools='erexp-inspect evarray mmvcheck mmvcreate mmvdump mmvlabel mmvset pmlcctl'

sh "$here/deps.sh" demo

echo "demo: building in $build"
log=$(mktemp "${TMPDIR:-/tmp}/pcputils-demo.XXXXXX")
player=
lab=
finish() {
  [ -z "$lab" ] || sh "$here/lab/lab.sh" clean -d "$lab" || :
  [ -z "$player" ] || kill "$player" 2>/dev/null || :
  rm -f "$log"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

{
  # A folder of an earlier release does not know the tools that have come since.
  again=
  [ ! -e "$build/meson-private/coredata.dat" ] || again=--reconfigure
  # shellcheck disable=SC2086 # words, and an empty one must vanish
  meson setup $again -Dtests=auto "$build" "$top"
  # shellcheck disable=SC2086
  meson compile -C "$build" $tools mmv-demo
} >"$log" 2>&1 || {
  cat "$log" >&2
  echo "demo: cannot build" >&2
  exit 1
}

build=$(cd "$build" && pwd)
PATH=$build/cmd:$build/test/demo:$PATH
mkdir -p "$build/demo"
cd "$build/demo"

say() {
  printf '\n--- %s\n' "$*"
}

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say "An application makes an MMV file (here it is a small program, test/demo/mmv-demo.c)."
show mmv-demo myapp

say "What is in it, section by section."
show mmvdump myapp

say "Only the values; then only some of them."
show mmvdump --values myapp
show mmvdump --values --metric 'http.*[GET]' myapp

say "For programs: the whole file as one JSON document, or one object for each value."
show mmvdump --json myapp
show mmvdump --json-lines myapp

say "For Prometheus and its kin."
show mmvdump --openmetrics myapp

say "While the application runs: what changes, and counters as rates."
mmv-demo myapp 50 &
player=$!
show mmvdump --follow --rate --interval 500ms --samples 4 myapp
kill "$player" 2>/dev/null || :
player=

say "A script has metrics too: it describes them in JSON, and what is left out is worked out."
show cat "$here/demo/shop.json"
show mmvcreate --force --output shop "$here/demo/shop.json"
show mmvdump --values shop
show mmvcheck shop

say "Values are changed where they stand."
show mmvset --print myapp queue.length=0 'http.requests[GET]+=1' build='shop 2.2'

say "So a shell script is an instrumented application: this is a CI job, test/demo/ci-job.sh."
show tail -n +8 "$here/demo/ci-job.sh"
show sh "$here/demo/ci-job.sh" ci
show mmvdump --values ci
show mmvdump --openmetrics --metric runs --metric failures ci
if command -v pminfo >/dev/null 2>&1; then
  say "The same in PCP, whose agent is loaded into pminfo here; with a pmcd it is just pminfo -f mmv.ci."
  mkdir -p mmv
  cp ci mmv/ci
  show sh "$here/peer/agent.sh" . -f mmv.ci.runs mmv.ci.failures
fi

say "What PCP's agent will make of it: nothing to say. Then with two mistakes in it."
show mmvcheck myapp
cp myapp mistaken
# The item of the first metric becomes 2000, the semantics of the second 0.
printf '\320\007' | dd of=mistaken bs=1 seek=224 conv=notrunc 2>/dev/null
printf '\000' | dd of=mistaken bs=1 seek=280 conv=notrunc 2>/dev/null
printf '\n$ %s\n' "mmvcheck mistaken"
status=0
mmvcheck mistaken || status=$?
echo "(status $status)"
[ "$status" -eq 3 ]

say "Labels come, and nothing else in the file changes; what every metric ends up with."
show mmvlabel set myapp env=demo
show mmvlabel set --metric 'queue.*' myapp team=orders
show mmvlabel list --effective myapp

say "A file that was cut: what is left is shown, the damage is reported, the status is 3."
head -c 4900 myapp >half
printf '\n$ %s\n' "mmvdump --values half"
status=0
mmvdump --values half || status=$?
echo "(status $status)"
[ "$status" -eq 3 ]

say "Event records, packed as PCP's agents pack them; shown, judged, filtered."
show cat "$here/demo/events.jsonl"
printf '\n$ %s\n' "evarray pack $here/demo/events.jsonl > array"
evarray pack "$here/demo/events.jsonl" >array
show evarray dump array
show evarray dump --json-lines --flag missed array
show evarray verify array

say "An experiment, as a performance collector records it: what is in it, and can it be trusted?"
rm -rf test.1.er
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" -B "$here/fixture/experiment.py" plain test.1.er
show erexp-inspect test.1.er
show erexp-inspect check test.1.er
: >test.1.er/log.xml
printf '\n$ %s\n' ": > test.1.er/log.xml; erexp-inspect check test.1.er"
status=0
erexp-inspect check test.1.er || status=$?
echo "(status $status)"
[ "$status" -eq 3 ]

if command -v pmlogger >/dev/null 2>&1; then
  say "A pmlogger that runs (one of our own, on loopback): what it logs changes, and it says so."
  lab=$(mktemp -d "${TMPDIR:-/tmp}/lab.XXXXXX")
  sh "$here/lab/lab.sh" start -d "$lab" -o $$
  sh "$here/lab/lab.sh" logger -d "$lab" -P >/dev/null
  eval "$(sh "$here/lab/lab.sh" env -d "$lab")"
  show pmlcctl status
  show pmlcctl mandatory-on -t 10sec kernel.all.load
  show pmlcctl query kernel.all.load
else
  say "Without PCP's daemons there is no pmlogger to control: install the package pcp to see pmlcctl."
fi

printf '\n%s\n' "demo: done; the programs are in $build/cmd, their manual pages in $top/man"
