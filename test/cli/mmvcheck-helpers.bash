# SPDX-License-Identifier: LGPL-2.1-or-later
# What the tests of mmvcheck share, beside helpers.bash.
# shellcheck shell=bash

: "${MMVCHECK:?run the tests through meson}"

rules() {
  "$PYTHON" "$SRCDIR/test/fixture/mmv-rules.py" "$@"
}

# judge ARGUMENT...
judge() {
  "$MMVCHECK" "$@"
}

# run_judge STATUS ARGUMENT...: as `run`, the two streams kept apart, and nothing on the second one.
run_judge() {
  local expected=$1
  shift
  run "-$expected" --separate-stderr "$MMVCHECK" "$@"
  assert_stderr
}

# rules_found: the names of the rules in what was printed last, sorted, one for each finding.
rules_found() {
  local line
  # shellcheck disable=SC2154 # run sets it
  for line in "${lines[@]}"; do
    line=${line##*\[}
    echo "${line%\]}"
  done | sort
}

assert_rules() {
  assert_equal "$(rules_found | tr '\n' ' ')" "${*:+$* }"
}

# file NAME FLAGS CLUSTER METRIC:ITEM:VALUE[:TYPE]...: a file in the current folder, made of singular metrics.
file() {
  "$PYTHON" - "$@" <<'EOF'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ['SRCDIR'], 'test', 'fixture'))
from mmv import *
name, flags, cluster, *metrics = sys.argv[1:]
mmv = Mmv(flags=int(flags), cluster=int(cluster), pid=2**31 - 1 if int(flags) & PROCESS else 0)
for one in metrics:
  metric, item, value, type = (one + ':I64').split(':')[:4]
  type = globals()[type]
  mmv.value(mmv.metric(metric, item=int(item), type=type), value if type == STRING else int(value))
with open(name, 'wb') as out:
  out.write(mmv.build())
EOF
}
