# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
big_files

# A fresh copy each time: a label that is there already would be no change.
cp "$work/v1.tenth" "$work/label.v1"
cp "$work/v2.tenth" "$work/label.v3"
"$ours" set --metric 1 "$work/label.v3" team=bench
for version in 1 3; do
  script "set.v$version" "cp $work/label.v$version $work/labelled.v$version" \
    "exec $ours set --metric 1 $work/labelled.v$version team=web"
done
head_of_table "mmvlabel (A) against PCP's mmvdump (B: it prints), 100,000 values"
row "set the first label, v1 (A: and cp)" - "$work/set.v1" "$stock $work/label.v1"
row "set a label, v3 (A: and cp)" - "$work/set.v3" "$stock $work/label.v3"
row "list" - "$ours list $work/label.v3" "$stock $work/label.v3"
row "list --effective" - "$ours list --effective $work/label.v3" "$stock $work/label.v3"
