# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
theirs=$bench/event-fill-pcp
need "$theirs" libpcp-pmda3-dev
need pmevent pcp
event() {
  /usr/bin/python3 "$here/../fixture/event.py" "$@"
}
event large 1000 1000 "$work/events"
event large 1000 100 "$work/events.tenth"
"$ours" dump -l -a "$work/events" | head -n 200000 >"$work/lines"

# figures TEXT MILLIONS: of A in the last row, records per second of CPU time, and its peak of memory beside that of B.
figures() {
  awk -F '\t' -v text="$1" -v millions="$2" '{
    printf "\n%s: %.1f M records/s, peak %.2f of B'"'"'s\n", text, millions / ($4 > 0 ? $4 : 0.001), $7 / $8 }' "$work/measured"
}

head_of_table "event/pmda.h (A) against libpcp_pmda (B), 10,000,000 records with 3 parameters"
row "builder" 2.00 "$bench/event-fill-own 10000" "$theirs 10000"
figures "builder" 10
head_of_table "evarray (A) against pmevent (B), an archive of 1,000,000 records with 3 parameters"
row "dump --json-lines" 0.33 "$ours dump -l -a $work/events" "pmevent -a $work/events my.event.single"
head_of_table "evarray pack (A) against jansson parsing the same lines (B), 200,000 records"
row "pack" 1.50 "$ours pack -m 80000 $work/lines" "$bench/json-parse --lines $work/lines"
head_of_table "evarray, 1,000,000 records (A) against 100,000 (B)"
row "dump --json-lines" 11 "$ours dump -l -a $work/events" "$ours dump -l -a $work/events.tenth"
dump=$(figures "dump (peak: at most 1.10)" 1)
row "dump, text" 11 "$ours dump -a $work/events" "$ours dump -a $work/events.tenth"
row "verify" 11 "$ours verify -a $work/events" "$ours verify -a $work/events.tenth"
figures "verify (at least 5 M records/s; peak: at most 1.10)" 1
echo "$dump"
