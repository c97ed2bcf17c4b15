# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154 # run.sh sets what is not set here
# A lab of its own, with all that the agents at hand have. pmlc takes its commands from a file.
need pmlogger pcp

lab=$(mktemp -d /tmp/lab.XXXXXX)
trap 'sh "$here/../lab/lab.sh" clean -d "$lab"; rm -rf "$work"' EXIT
sh "$here/../lab/lab.sh" start -d "$lab" -o $$
pid=$(sh "$here/../lab/lab.sh" logger -d "$lab" -P)
eval "$(sh "$here/../lab/lab.sh" env -d "$lab")"
# Those that can be logged, each once: pmlc warns of numbers that have two names. And those that have values now: of others
# pmlc says nothing, while we ask what became of them, and the logger answers only when it has logged the rest.
"$ours" --timeout 60s query '*' >"$work/metrics" || [ $? = 4 ]
sed -nE 's/^([a-zA-Z0-9_.]+)(\[.*\])? advisory off.*/\1/p' "$work/metrics" | uniq |
  grep -v -e '^sample\.dupnames\.' -e '^sampledso\.' -e '^pmcd\.agent\.' -e '^pmcd\.client\.' |
  xargs pmprobe | awk '$2 > 0 { print $1 }' >"$work/names.all"
head -n 100 "$work/names.all" >"$work/names.100"
head -n 1 "$work/names.all" >"$work/names.1"
socket=$lab/run/pmlogger.$pid.socket

# A change is one only from another state, so each run asks for another interval than the one before.
flip="if rm $work/flip 2>/dev/null; then every=10; else every=20; : >$work/flip; fi"
for many in 1 100 all; do
  list=$(paste -sd, "$work/names.$many")
  echo "query { $list }" >"$work/query.$many"
  for minutes in 10 20; do
    echo "mandatory on $minutes min { $list }" >"$work/on.$many.$minutes"
  done
  script "pmlc.query.$many" "pmlc -P <$work/query.$many"
  script "pmlc.on.$many" "$flip" "pmlc -P <$work/on.$many.\$every"
  script "ours.on.$many" "$flip" "exec $ours --timeout 60s mandatory-on -t \${every}min @$work/names.$many"
  script "raw.on.$many" "$flip" "exec $bench/logger-raw $socket $pid \$every $work/names.$many"
done

head_of_table "pmlcctl (A) against pmlc (B), $(wc -l <"$work/names.all") metrics"
row "query of 1" 1.00 "$ours query @$work/names.1" "$work/pmlc.query.1"
row "query of 100" 0.60 "$ours query @$work/names.100" "$work/pmlc.query.100"
row "query of all" 0.60 "$ours --timeout 60s query @$work/names.all" "$work/pmlc.query.all"
# A goal that is missed: most of a change is the logger's own work, whoever asks. To ask for it without a look at anything
# takes 0.7 to 0.8 of what pmlc takes, which is the least that any client can. That the logger lives on is worth the rest.
row "mandatory-on of 100" 0.70 "$work/ours.on.100" "$work/pmlc.on.100"
row "mandatory-on of 100 (A: one request, unchecked)" - "$work/raw.on.100" "$work/pmlc.on.100"
row "mandatory-on of 100 (B: one request, unchecked)" 1.30 "$work/ours.on.100" "$work/raw.on.100"
row "mandatory-on of all" - "$work/ours.on.all" "$work/pmlc.on.all"
row "mandatory-on of all (B: one request, unchecked)" 1.30 "$work/ours.on.all" "$work/raw.on.all"

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
for tool in "$ours" pmlc; do
  loop "$tool" >"$work/loop.1" &
  loop "$tool" >"$work/loop.2"
  wait $!
  printf '\nTwo loops of 200 commands, %s: %s of 400 succeed.\n' "${tool##*/}" \
    $(($(cat "$work/loop.1") + $(cat "$work/loop.2")))
done
