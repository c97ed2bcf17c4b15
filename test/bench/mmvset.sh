# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
# lines METRICS INSTANCES COUNT REST: assignments, one metric after the other.
lines() {
  awk -v metrics="$1" -v instances="$2" -v count="$3" -v rest="$4" 'BEGIN {
    for (i = 0; i < count; i++)
      printf "bench.metric%d[instance-%d]%s\n", i % metrics, int(i / metrics) % instances, rest }'
}

set=$bench/libpcp-set
need "$set" libpcp-mmv1-dev
big_files
million=1000000
big set 1 10 10
lines 10 10 $million =42 >"$work/set.lines"
lines 10 10 $million +=1 >"$work/add.lines"
lines 10 10 100000 +=1 >"$work/add.tenth"
lines 1000 1000 $million =42 >"$work/each.lines"
lines 100 1000 100000 =42 >"$work/each.tenth"
script set-few "exec $ours $work/set - <$work/set.lines"
script add-few "exec $ours $work/set - <$work/add.lines"
script add-tenth "exec $ours $work/set - <$work/add.tenth"
script print-few "exec $ours --print $work/set - <$work/set.lines"
script set-each "exec $ours $work/v1 - <$work/each.lines"
script set-each-tenth "exec $ours $work/v1.tenth - <$work/each.tenth"
head_of_table "mmvset (A) against libpcp_mmv, by names (B), 1,000,000 updates of 100 values"
row "=, from standard input" 1.00 "$work/set-few" "$set $work/made 10 10 $million"
row "+=, from standard input" 1.00 "$work/add-few" "$set $work/made 10 10 $million"
row "=, printed" - "$work/print-few" "$set $work/made 10 10 $million"
printf '\nA second here is a microsecond an update. B has the names at hand, and reads nothing.\n'
head_of_table "mmvset, 1,000,000 updates (A) against 100,000 (B)"
row "+=, 100 values" 11 "$work/add-few" "$work/add-tenth"
row "=, each value once" 12 "$work/set-each" "$work/set-each-tenth"
head_of_table "mmvset, one call (A) against mmvdump --values (B)"
row "100 values" - "$ours $work/set bench.metric7[instance-3]+=1" "$build/cmd/mmvdump -v $work/set"
row "1,000,000 values" - "$ours $work/v1 bench.metric7[instance-3]+=1" "$build/cmd/mmvdump -v $work/v1"
