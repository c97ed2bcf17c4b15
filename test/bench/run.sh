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
