# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
# The goal: at most twice what the library takes to make the file, and once what jansson takes to parse.
fill=$bench/libpcp-fill
parse=$bench/json-parse
need "$fill" libpcp-mmv1-dev

"$fill" "$work/filled" 100 1000
"$build/cmd/mmvdump" --json "$work/filled" >"$work/filled.json"
script goal "$fill $work/filled 100 1000" "$fill $work/filled 100 1000" "$parse $work/filled.json"
# shellcheck disable=SC2016  # Python's
/usr/bin/python3 -c 'import json, sys; print(json.dumps({"header": {"cluster": 5}, "indoms": [
  {"name": "x", "instances": [f"instance-{i}" for i in range(1000)]}], "metrics": [
  {"name": f"bench.metric{i}", "indom": "x", "values": {f"instance-{n}": 1000 * i + n for n in range(1000)}}
  for i in range(100)]}))' >"$work/short.json"
head_of_table "mmvcreate (A) against libpcp_mmv and jansson (B), 100,000 values"
row "a dump (B: libpcp_mmv twice, jansson once)" 1.00 \
  "$ours -f -o $work/created $work/filled.json" "$work/goal"
row "a dump (B: libpcp_mmv)" - "$ours -f -o $work/created $work/filled.json" "$fill $work/filled 100 1000"
row "a dump (B: jansson)" - "$ours -f -o $work/created $work/filled.json" "$parse $work/filled.json"
row "values with the metrics (B: jansson)" - "$ours -f -o $work/created $work/short.json" \
  "$parse $work/short.json"
printf '\nThe dump is %s bytes, the file %s bytes. libpcp-fill finds the values by their order.\n' \
  "$(wc -c <"$work/filled.json")" "$(wc -c <"$work/filled")"
