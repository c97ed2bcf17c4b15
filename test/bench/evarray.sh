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

head_of_table "event/pmda.h (A) against libpcp_pmda (B), 10,000,000 records with 3 parameters"
row "builder" 2.00 "$bench/event-fill-own 10000" "$theirs 10000"
head_of_table "evarray (A) against pmevent (B), an archive of 1,000,000 records with 3 parameters"
row "dump --json-lines" 0.33 "$ours dump -l -a $work/events" "pmevent -a $work/events my.event.single"
row "dump, text" - "$ours dump -a $work/events" "pmevent -a $work/events my.event.single"
row "verify (5 M records/s are 0.2 s)" - "$ours verify -i W09 -a $work/events" \
  "pmevent -a $work/events my.event.single"
head_of_table "evarray pack (A) against jansson parsing the same lines (B), 200,000 records"
row "pack" 1.50 "$ours pack -m 80000 $work/lines" "$bench/json-parse --lines $work/lines"
head_of_table "evarray, 1,000,000 records (A) against 100,000 (B)"
row "dump --json-lines" 11 "$ours dump -l -a $work/events" "$ours dump -l -a $work/events.tenth"
row "verify" 11 "$ours verify -i W09 -a $work/events" "$ours verify -i W09 -a $work/events.tenth"
