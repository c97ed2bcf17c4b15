# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
big_files
big wide 1 100 10000
big wide.tenth 1 10 10000

head_of_table "mmvdump (A) against PCP's mmvdump (B), 1,000,000 values, output to a file"
for version in 1 2; do
  row "text, v$version" 0.50 "$ours $work/v$version" "$stock $work/v$version"
  row "--json, v$version (B: text)" 1.00 "$ours -j $work/v$version" "$stock $work/v$version"
done
row "text, values in hash order" - "$ours $work/shuffled" "$stock $work/shuffled"
row "text, 10,000 instances a metric" - "$ours $work/wide" "$stock $work/wide"
row "--values (B: text)" - "$ours -v $work/v1" "$stock $work/v1"
row "--openmetrics (B: text)" - "$ours -o $work/v1" "$stock $work/v1"
printf '\nThe files are %s bytes (v1) and %s bytes (v2).\n' \
  "$(wc -c <"$work/v1")" "$(wc -c <"$work/v2")"

head_of_table "mmvdump, 1,000,000 values (A) against 100,000 (B)"
row "text" 11 "$ours $work/v1" "$ours $work/v1.tenth"
row "--json" 11 "$ours -j $work/v1" "$ours -j $work/v1.tenth"
row "text, values in hash order" 11 "$ours $work/shuffled" "$ours $work/shuffled.tenth"
row "text, 10,000 instances a metric" 11 "$ours $work/wide" "$ours $work/wide.tenth"
row "text, --metric bench.metric*7" 11 "$ours -m bench.metric*7 $work/v1" \
  "$ours -m bench.metric*7 $work/v1.tenth"
row "--openmetrics" 11 "$ours -o $work/v1" "$ours -o $work/v1.tenth"
