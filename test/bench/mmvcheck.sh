# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
big_files

head_of_table "mmvcheck (A) against PCP's mmvdump (B: it prints), 1,000,000 values"
for version in 1 2; do
  row "v$version" 1.00 "$ours $work/v$version" "$stock $work/v$version"
done
row "values in hash order" - "$ours $work/shuffled" "$stock $work/shuffled"

mkdir "$work/many" "$work/few"
for i in $(seq 1000); do
  "$bench/mmv-big" 1 20 50 >"$work/many/f$i"
done
for i in $(seq 100); do
  cp "$work/many/f$i" "$work/few"
done

head_of_table "mmvcheck, larger (A) against a tenth of it (B)"
row "1,000,000 values" 11 "$ours $work/v1" "$ours $work/v1.tenth"
row "values in hash order" 11 "$ours $work/shuffled" "$ours $work/shuffled.tenth"
row "a directory of 1,000 files, all at odds" 11 "$ours $work/many" "$ours $work/few"
