# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
# Experiments are recorded here: a million heap packets, a tenth of that, 400 sub-experiments. Five million are
# those of the first five times over, which are no other to read.
need gprofng binutils
work_load=$build/test/peer/exp-work

record() {
  gprofng collect app -a off -p off -S off -H on -o "$work/$1" "$work_load" "$2" "$3" >/dev/null 2>&1
}
record million.er heap 1000000
record tenth.er heap 100000
record forks.er forks 400
cp -r "$work/million.er" "$work/five.er"
for _ in 1 2 3 4; do
  cat "$work/million.er/heaptrace" >>"$work/five.er/heaptrace"
done
overview='gprofng display text -overview'
head_of_table "erexp-inspect (A) against gprofng display text -overview (B), 1,000,000 heap packets; A within 32 MiB"
row "summary" 0.15 "$ours $work/million.er" "$overview $work/million.er"
row "check" 0.30 "$ours check $work/million.er" "$overview $work/million.er"
head_of_table "erexp-inspect (A) against gprofng display text -overview (B), 400 sub-experiments; A within 64 MiB"
row "summary" 0.25 "$ours $work/forks.er" "$overview $work/forks.er"
head_of_table "erexp-inspect (A) against its own summary (B)"
row "dump, 1,000,000 heap packets" - "$ours dump -f heaptrace $work/million.er" "$ours $work/million.er"
row "tree, 400 sub-experiments" - "$ours tree $work/forks.er" "$ours $work/forks.er"
row "check, 400 sub-experiments" - "$ours check $work/forks.er" "$ours $work/forks.er"
head_of_table "erexp-inspect, 1,000,000 packets (A) against 100,000 (B)"
row "summary" 11 "$ours $work/million.er" "$ours $work/tenth.er"
row "check" 11 "$ours check $work/million.er" "$ours check $work/tenth.er"
head_of_table "erexp-inspect, 5,000,000 packets (A) against 1,000,000 (B); the same memory"
row "summary" 5.5 "$ours $work/five.er" "$ours $work/million.er"
row "check" 5.5 "$ours check $work/five.er" "$ours check $work/million.er"
rm -r "$work/five.er"
