#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures against the peers, in one run, as ratios; writes a table to standard output.
# usage: sh test/bench/run.sh [BUILDDIR]     (RUNS=9 for more than 5 runs of each)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build-bench}
runs=${RUNS:-5}

[ -f "$build/build.ninja" ] || meson setup "$build" "$here/../.." >/dev/null
ninja -C "$build" >/dev/null
build=$(cd "$build" && pwd)
mmvdump=$build/cmd/mmvdump
mmvcheck=$build/cmd/mmvcheck
mmvlabel=$build/cmd/mmvlabel
big=$build/test/bench/mmv-big

# In a shell of its own: what it sources does not bear "set -u".
stock=$(sh -c '. "$PCP_DIR/etc/pcp.env"; echo "$PCP_PMDAS_DIR/mmv/mmvdump"')
[ -x "$stock" ] || { echo "bench: $stock is missing: install pcp" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row LABEL LIMIT "A..." "B...": LIMIT is what the ratio of wall times should not exceed.
row() {
  label=$1 limit=$2 a=$3 b=$4
  # shellcheck disable=SC2086  # commands are lists of words without blanks in them
  /usr/bin/python3 "$here/compare.py" "$runs" "$work/out" $a --- $b |
    awk -F '\t' -v label="$label" -v limit="$limit" '{
      printf "| %s | %s s | %s s | %s | %s | %s | %.1f MiB | %.1f MiB |\n",
        label, $1, $2, $3, $6, limit, $7 / 1024, $8 / 1024 }'
}

head_of_table() {
  printf '\n%s\n\n' "$1"
  echo "| case | A | B | A/B wall | A/B cpu | at most | A peak | B peak |"
  echo "|---|---|---|---|---|---|---|---|"
}

for version in 1 2; do
  "$big" "$version" 1000 1000 >"$work/v$version"
  "$big" "$version" 100 1000 >"$work/v$version.tenth"
done
"$big" 2 1000 1000 shuffled >"$work/shuffled"
"$big" 2 100 1000 shuffled >"$work/shuffled.tenth"
"$big" 1 100 10000 >"$work/wide"
"$big" 1 10 10000 >"$work/wide.tenth"

head_of_table "mmvdump (A) against PCP's mmvdump (B), 1,000,000 values, output to a file"
for version in 1 2; do
  row "text, v$version" 0.50 "$mmvdump $work/v$version" "$stock $work/v$version"
  row "--json, v$version (B: text)" 1.00 "$mmvdump -j $work/v$version" "$stock $work/v$version"
done
row "text, values in hash order" - "$mmvdump $work/shuffled" "$stock $work/shuffled"
row "text, 10,000 instances a metric" - "$mmvdump $work/wide" "$stock $work/wide"
row "--values (B: text)" - "$mmvdump -v $work/v1" "$stock $work/v1"
row "--openmetrics (B: text)" - "$mmvdump -o $work/v1" "$stock $work/v1"
printf '\nThe files are %s bytes (v1) and %s bytes (v2).\n' \
  "$(wc -c <"$work/v1")" "$(wc -c <"$work/v2")"

head_of_table "mmvcheck (A) against PCP's mmvdump (B: it prints), 1,000,000 values"
for version in 1 2; do
  row "v$version" 1.00 "$mmvcheck $work/v$version" "$stock $work/v$version"
done
row "values in hash order" - "$mmvcheck $work/shuffled" "$stock $work/shuffled"

mkdir "$work/many" "$work/few"
for i in $(seq 1000); do
  "$big" 1 20 50 >"$work/many/f$i"
done
for i in $(seq 100); do
  cp "$work/many/f$i" "$work/few"
done

head_of_table "mmvcheck, larger (A) against a tenth of it (B)"
row "1,000,000 values" 11 "$mmvcheck $work/v1" "$mmvcheck $work/v1.tenth"
row "values in hash order" 11 "$mmvcheck $work/shuffled" "$mmvcheck $work/shuffled.tenth"
row "a directory of 1,000 files, all at odds" 11 "$mmvcheck $work/many" "$mmvcheck $work/few"

head_of_table "mmvdump, 1,000,000 values (A) against 100,000 (B)"
row "text" 11 "$mmvdump $work/v1" "$mmvdump $work/v1.tenth"
row "--json" 11 "$mmvdump -j $work/v1" "$mmvdump -j $work/v1.tenth"
row "text, values in hash order" 11 "$mmvdump $work/shuffled" "$mmvdump $work/shuffled.tenth"
row "text, 10,000 instances a metric" 11 "$mmvdump $work/wide" "$mmvdump $work/wide.tenth"
row "text, --metric bench.metric*7" 11 "$mmvdump -m bench.metric*7 $work/v1" \
  "$mmvdump -m bench.metric*7 $work/v1.tenth"
row "--openmetrics" 11 "$mmvdump -o $work/v1" "$mmvdump -o $work/v1.tenth"

# A fresh copy each time: a label that is there already would be no change.
cp "$work/v1.tenth" "$work/label.v1"
cp "$work/v2.tenth" "$work/label.v3"
"$mmvlabel" set --metric 1 "$work/label.v3" team=bench
for version in 1 3; do
  printf '%s\n' '#!/bin/sh' "cp $work/label.v$version $work/labelled.v$version" \
    "exec $mmvlabel set --metric 1 $work/labelled.v$version team=web" >"$work/set.v$version"
  chmod +x "$work/set.v$version"
done
head_of_table "mmvlabel (A) against PCP's mmvdump (B: it prints), 100,000 values"
row "set the first label, v1 (A: and cp)" - "$work/set.v1" "$stock $work/label.v1"
row "set a label, v3 (A: and cp)" - "$work/set.v3" "$stock $work/label.v3"
row "list" - "$mmvlabel list $work/label.v3" "$stock $work/label.v3"
row "list --effective" - "$mmvlabel list --effective $work/label.v3" "$stock $work/label.v3"

# The goal: at most twice what the library takes to make the file, and once what jansson takes to parse.
fill=$build/test/bench/libpcp-fill
parse=$build/test/bench/json-parse
mmvcreate=$build/cmd/mmvcreate
if [ -x "$fill" ]; then
  "$fill" "$work/filled" 100 1000
  "$mmvdump" --json "$work/filled" >"$work/filled.json"
  printf '%s\n' '#!/bin/sh' "$fill $work/filled 100 1000" "$fill $work/filled 100 1000" \
    "$parse $work/filled.json" >"$work/goal"
  chmod +x "$work/goal"
  # shellcheck disable=SC2016  # Python's
  /usr/bin/python3 -c 'import json, sys; print(json.dumps({"header": {"cluster": 5}, "indoms": [
    {"name": "x", "instances": [f"instance-{i}" for i in range(1000)]}], "metrics": [
    {"name": f"bench.metric{i}", "indom": "x", "values": {f"instance-{n}": 1000 * i + n for n in range(1000)}}
    for i in range(100)]}))' >"$work/short.json"
  head_of_table "mmvcreate (A) against libpcp_mmv and jansson (B), 100,000 values"
  row "a dump (B: libpcp_mmv twice, jansson once)" 1.00 \
    "$mmvcreate -f -o $work/created $work/filled.json" "$work/goal"
  row "a dump (B: libpcp_mmv)" - "$mmvcreate -f -o $work/created $work/filled.json" "$fill $work/filled 100 1000"
  row "a dump (B: jansson)" - "$mmvcreate -f -o $work/created $work/filled.json" "$parse $work/filled.json"
  row "values with the metrics (B: jansson)" - "$mmvcreate -f -o $work/created $work/short.json" \
    "$parse $work/short.json"
  printf '\nThe dump is %s bytes, the file %s bytes. libpcp-fill finds the values by their order.\n' \
    "$(wc -c <"$work/filled.json")" "$(wc -c <"$work/filled")"
fi

# Experiments are recorded here: a million heap packets, a tenth of that, 400 sub-experiments.
inspect=$build/cmd/erexp-inspect
work_load=$build/test/peer/exp-work
if command -v gprofng >/dev/null 2>&1; then
  record() {
    gprofng collect app -a off -p off -S off -H on -o "$work/$1" "$work_load" "$2" "$3" >/dev/null 2>&1
  }
  record million.er heap 1000000
  record tenth.er heap 100000
  record forks.er forks 400
  overview='gprofng display text -overview'
  head_of_table "erexp-inspect (A) against gprofng display text -overview (B), 1,000,000 heap packets"
  row "summary" 0.15 "$inspect $work/million.er" "$overview $work/million.er"
  row "check" 0.30 "$inspect check $work/million.er" "$overview $work/million.er"
  row "dump" - "$inspect dump -f heaptrace $work/million.er" "$overview $work/million.er"
  head_of_table "erexp-inspect (A) against gprofng display text -overview (B), 400 sub-experiments"
  row "summary" 0.25 "$inspect $work/forks.er" "$overview $work/forks.er"
  row "tree" - "$inspect tree $work/forks.er" "$overview $work/forks.er"
  row "check" - "$inspect check $work/forks.er" "$overview $work/forks.er"
  head_of_table "erexp-inspect, 1,000,000 packets (A) against 100,000 (B)"
  row "summary" 11 "$inspect $work/million.er" "$inspect $work/tenth.er"
  row "check" 11 "$inspect check $work/million.er" "$inspect check $work/tenth.er"
fi

# script NAME COMMAND: a program that runs it, for commands that need more than words.
script() {
  printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
}

# lines METRICS INSTANCES COUNT REST: assignments, one metric after the other.
lines() {
  awk -v metrics="$1" -v instances="$2" -v count="$3" -v rest="$4" 'BEGIN {
    for (i = 0; i < count; i++)
      printf "bench.metric%d[instance-%d]%s\n", i % metrics, int(i / metrics) % instances, rest }'
}

mmvset=$build/cmd/mmvset
set=$build/test/bench/libpcp-set
if [ -x "$set" ]; then
  million=1000000
  "$big" 1 10 10 >"$work/set"
  lines 10 10 $million =42 >"$work/set.lines"
  lines 10 10 $million +=1 >"$work/add.lines"
  lines 10 10 100000 +=1 >"$work/add.tenth"
  lines 1000 1000 $million =42 >"$work/each.lines"
  lines 100 1000 100000 =42 >"$work/each.tenth"
  script set-few "exec $mmvset $work/set - <$work/set.lines"
  script add-few "exec $mmvset $work/set - <$work/add.lines"
  script add-tenth "exec $mmvset $work/set - <$work/add.tenth"
  script print-few "exec $mmvset --print $work/set - <$work/set.lines"
  script set-each "exec $mmvset $work/v1 - <$work/each.lines"
  script set-each-tenth "exec $mmvset $work/v1.tenth - <$work/each.tenth"
  head_of_table "mmvset (A) against libpcp_mmv, by names (B), 1,000,000 updates of 100 values"
  row "=, from standard input" 1.00 "$work/set-few" "$set $work/made 10 10 $million"
  row "+=, from standard input" 1.00 "$work/add-few" "$set $work/made 10 10 $million"
  row "=, printed" - "$work/print-few" "$set $work/made 10 10 $million"
  printf '\nA second here is a microsecond an update. B has the names at hand, and reads nothing.\n'
  head_of_table "mmvset, 1,000,000 updates (A) against 100,000 (B)"
  row "+=, 100 values" 11 "$work/add-few" "$work/add-tenth"
  row "=, each value once" 12 "$work/set-each" "$work/set-each-tenth"
  head_of_table "mmvset, one call (A) against mmvdump --values (B)"
  row "100 values" - "$mmvset $work/set bench.metric7[instance-3]+=1" "$mmvdump -v $work/set"
  row "1,000,000 values" - "$mmvset $work/v1 bench.metric7[instance-3]+=1" "$mmvdump -v $work/v1"
fi

# A lab of its own, with all that the agents at hand have. pmlc takes its commands from a file.
pmlcctl=$build/cmd/pmlcctl
if command -v pmlogger >/dev/null; then
  lab=$(mktemp -d /tmp/lab.XXXXXX)
  trap 'sh "$here/../lab/lab.sh" clean -d "$lab"; rm -rf "$work"' EXIT
  sh "$here/../lab/lab.sh" start -d "$lab" -o $$
  sh "$here/../lab/lab.sh" logger -d "$lab" -P >/dev/null
  eval "$(sh "$here/../lab/lab.sh" env -d "$lab")"
  # Those that can be logged, each once: pmlc warns of numbers that have two names.
  "$pmlcctl" --timeout 60s query '*' >"$work/metrics" || [ $? = 4 ]
  sed -nE 's/^([a-zA-Z0-9_.]+)(\[.*\])? advisory off.*/\1/p' "$work/metrics" | uniq |
    grep -v -e '^sample\.dupnames\.' -e '^sampledso\.' -e '^pmcd\.agent\.' >"$work/names.all"
  head -n 100 "$work/names.all" >"$work/names.100"
  head -n 1 "$work/names.all" >"$work/names.1"
  for many in 1 100 all; do
    list=$(paste -sd, "$work/names.$many")
    for verb in 'query' 'mandatory on 10 min' 'mandatory off' 'mandatory maybe'; do
      echo "$verb { $list }" >"$work/$(echo "$verb" | tr -d ' ').$many"
    done
    for verb in query mandatoryon10min; do
      printf '%s\n' '#!/bin/sh' "pmlc -P <$work/$verb.$many" >"$work/pmlc.$verb.$many"
      chmod +x "$work/pmlc.$verb.$many"
    done
  done
  head_of_table "pmlcctl (A) against pmlc (B), $(wc -l <"$work/names.all") metrics"
  row "query of 1" 1.0 "$pmlcctl query @$work/names.1" "$work/pmlc.query.1"
  row "query of 100" 0.6 "$pmlcctl query @$work/names.100" "$work/pmlc.query.100"
  row "query of all" 0.6 "$pmlcctl --timeout 60s query @$work/names.all" "$work/pmlc.query.all"
  # A change is one only from another state: each run takes back what it did.
  for many in 100 all; do
    printf '%s\n' '#!/bin/sh' "$pmlcctl --timeout 60s mandatory-on -t 10min @$work/names.$many" \
      "pmlc -P <$work/mandatorymaybe.$many" >"$work/ours.$many"
    printf '%s\n' '#!/bin/sh' "pmlc -P <$work/mandatoryon10min.$many" \
      "pmlc -P <$work/mandatorymaybe.$many" >"$work/theirs.$many"
    chmod +x "$work/ours.$many" "$work/theirs.$many"
  done
  row "mandatory-on of 100, and pmlc's maybe in both" 0.7 "$work/ours.100" "$work/theirs.100"
  row "mandatory-on of all, and pmlc's maybe in both" 1.3 "$work/ours.all" "$work/theirs.all"

  loop() {
    good=0
    for _ in $(seq 200); do
      if [ "$1" = pmlc ]; then
        # It ends with 0 whatever happens.
        echo flush | pmlc -P 2>&1 | grep -q '^Connected to' && good=$((good + 1))
      else
        "$1" flush && good=$((good + 1))
      fi
    done
    echo $good
  }
  for tool in "$pmlcctl" pmlc; do
    loop "$tool" >"$work/loop.1" &
    loop "$tool" >"$work/loop.2"
    wait $!
    printf '\nTwo loops of 200 commands, %s: %s of 400 succeed.\n' "${tool##*/}" \
      $(($(cat "$work/loop.1") + $(cat "$work/loop.2")))
  done
fi

evarray=$build/cmd/evarray
own=$build/test/bench/event-fill-own
theirs=$build/test/bench/event-fill-pcp
event() {
  /usr/bin/python3 "$here/../fixture/event.py" "$@"
}
event large 1000 1000 "$work/events"
event large 1000 100 "$work/events.tenth"
"$evarray" dump -l -a "$work/events" | head -n 200000 >"$work/lines"

if [ -x "$theirs" ]; then
  head_of_table "event/pmda.h (A) against libpcp_pmda (B), 10,000,000 records with 3 parameters"
  row "builder" 2.00 "$own 10000" "$theirs 10000"
fi
head_of_table "evarray (A) against pmevent (B), an archive of 1,000,000 records with 3 parameters"
row "dump --json-lines" 0.33 "$evarray dump -l -a $work/events" "pmevent -a $work/events my.event.single"
row "dump, text" - "$evarray dump -a $work/events" "pmevent -a $work/events my.event.single"
row "verify (5 M records/s are 0.2 s)" - "$evarray verify -i W09 -a $work/events" \
  "pmevent -a $work/events my.event.single"
head_of_table "evarray pack (A) against jansson parsing the same lines (B), 200,000 records"
row "pack" 1.50 "$evarray pack -m 80000 $work/lines" "$parse --lines $work/lines"
head_of_table "evarray, 1,000,000 records (A) against 100,000 (B)"
row "dump --json-lines" 11 "$evarray dump -l -a $work/events" "$evarray dump -l -a $work/events.tenth"
row "verify" 11 "$evarray verify -i W09 -a $work/events" "$evarray verify -i W09 -a $work/events.tenth"
