#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, runs every test suite, and ends with "N passed, N failed".
# usage: sh test/run.sh [BUILDDIR [MESON-SETUP-OPTION...]]
# With CI set in the environment a skipped test counts as failed.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(dirname "$here")
build=${1:-$top/build}
[ $# -eq 0 ] || shift

log=$(mktemp "${TMPDIR:-/tmp}/pcputils-run.XXXXXX") || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing ran: that is a failure too, and the closing line says so.
give_up() {
  echo "run: $1"
  tail -n 60 "$log"
  echo "0 passed, 1 failed"
  exit 1
}

configure() {
  again=
  [ ! -e "$build/meson-private/coredata.dat" ] || again=--reconfigure
  # shellcheck disable=SC2086 # an empty word must vanish
  meson setup $again --fatal-meson-warnings -Dwerror=true -Dtests=enabled "$@" "$build" "$top"
}

# Any Python will do: only its own library is used, and meson needs one as well.
python() {
  if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

# tally LOG STATUS-OF-MESON. Meson counts programs; people count cases. A program that dies or times out without a failed
# point is one failed case more, and so is one whose points are fewer than its plan (an ERROR).
tally() {
  python - "$@" <<'EOF'
import json, os, re, sys

POINT = re.compile(r'(not )?ok\b(.*?)(?:\s# *(skip|todo)\S*\s*(.*))?$', re.I)
BAD = {'FAIL', 'ERROR', 'TIMEOUT', 'INTERRUPT', 'UNEXPECTEDPASS'}
passed, failed, skipped = 0, [], []

def excerpt(lines, limit=30):
    dropped = len(lines) - limit
    return ['  ... %d lines' % dropped] * (dropped > 0) + ['  ' + line for line in lines[-limit:]]

def points(lines):
    for i, line in enumerate(lines):
        point = POINT.match(line)
        if point:
            end = i + 1
            while end < len(lines) and lines[end].startswith('#'):
                end += 1
            yield point, lines[i + 1:end]

def read(test):
    global passed
    name, bad = test['name'], False
    lines = test.get('stdout', '').splitlines()
    found = list(points(lines)) if re.search(r'^1\.\.\d', test.get('stdout', ''), re.M) else []
    for point, why in found:
        text = '%s: %s' % (name, point[2].strip())
        if point[3]:
            skipped.append('%s (%s)' % (text, (point[3] + ' ' + point[4]).strip()))
        elif point[1]:
            bad = True
            failed.append([text] + excerpt(why))
        else:
            passed += 1
    result = test['result']
    if result in BAD and not bad:
        both = lines + test.get('stderr', '').splitlines()
        failed.append(['%s: %s, status %s' % (name, result, test['returncode'])] + excerpt(both))
    elif result == 'SKIP' and not found:
        skipped.append(name)
    elif result in ('OK', 'EXPECTEDFAIL') and not found:
        passed += 1

try:
    with open(sys.argv[1], encoding='utf-8', errors='replace') as log:
        for line in log:
            read(json.loads(line))
except OSError as err:
    failed.append(['no test has run (%s)' % err])
if sys.argv[2] != '0' and not failed:
    failed.append(['meson test: status ' + sys.argv[2]])
for lines in failed:
    print('\n'.join(['not ok - ' + lines[0]] + lines[1:]))
for text in skipped:
    print('skipped - ' + text)
if os.environ.get('CI'):
    failed += skipped
if not passed and not failed:
    failed.append(['no test has run'])
print('%d passed, %d failed' % (passed, len(failed)))
sys.exit(bool(failed))
EOF
}

sh "$here/deps.sh" run || give_up "cannot go on without the packages above"
echo "run: building in $build"
configure "$@" >"$log" 2>&1 || give_up "cannot configure"
meson compile -C "$build" >"$log" 2>&1 || give_up "cannot build"

echo "run: testing; the full log will be $build/meson-logs/testlog.txt"
rm -f "$build/meson-logs/testlog.json"
# One more for two cores: many suites wait, for daemons, disks, and files that might become whole.
cores=$(getconf _NPROCESSORS_ONLN) || cores=2
meson test -C "$build" --no-rebuild --print-errorlogs --num-processes "$(((cores * 3 + 1) / 2))" >"$log" 2>&1
# Whatever meson is unhappy about beyond its tests' results must not be lost.
tally "$build/meson-logs/testlog.json" $?
