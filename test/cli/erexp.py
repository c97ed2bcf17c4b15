#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what erexp-inspect says with what is known otherwise.

usage: erexp.py damages DIRECTORY LIST FINDINGS   each damage of LIST was told of
       erexp.py totals TOOL EXPERIMENT            sums against gprofng display text
       erexp.py forms TOOL EXPERIMENT FILE        dump's three forms tell the same
"""
import collections
import json
import os
import re
import subprocess
import sys

problems = []


def complain(*words):
    problems.append(' '.join(map(str, words)))


def damages(directory, listed, findings):
    found = collections.defaultdict(list)
    for finding in json.load(open(findings))['findings']:
        name = finding['file'][len(directory):].lstrip('/').split('.er')[0]
        found[name].append(finding)
        if not finding['message'] or finding.get('offset', 0) < 0:
            complain('an empty finding', finding)
    count = 0
    for line in open(listed):
        name, rule, kind = line.split()
        errors = {f['rule'] for f in found[name] if f['severity'] == 'error'}
        rules = {f['rule'] for f in found[name]}
        count += 1
        if rule != '-' and rule not in (errors if kind == 'error' else rules):
            complain(name, 'is not', rule, 'but', sorted(rules))
        if rule == '-' and kind == 'seen' and not errors:
            complain(name, 'is not seen')
    if count < 1000:
        complain('only', count, 'damages')


# What gprofng prints, and where ours is; units of one in the last printed digit may differ.
METRICS = {
    'totalcpu': ('profile', 'time', 0.0011), 'heapalloccnt': ('heaptrace', 'allocations', 0),
    'heapallocbytes': ('heaptrace', 'allocated', 0), 'syncn': ('synctrace', 'waits', 0),
    'sync': ('synctrace', 'wait_time', 0.0011), 'ioreadbytes': ('iotrace', 'read_bytes', 0),
    'ioreadcnt': ('iotrace', 'reads', 0), 'iowritebytes': ('iotrace', 'written_bytes', 0),
    'iowritecnt': ('iotrace', 'writes', 0),
}


def totals(tool, path):
    ours = collections.Counter()
    shown = json.loads(subprocess.run([tool, '--json', path], check=True, capture_output=True).stdout)
    for experiment in shown['experiments']:
        for file in experiment['files']:
            for metric, (name, key, _) in METRICS.items():
                if file['name'] == name and key in file:
                    ours[metric] += file[key]
    # gprofng leaves out what has no data, which adds nothing.
    theirs = subprocess.run(['gprofng', 'display', 'text', '-overview', path], check=True, capture_output=True,
                            text=True, env={**os.environ, 'SP_ANALYZER_DISCARD_TINY_EXPERIMENTS': '0'}).stdout
    found = dict(re.findall(r'- (\w+)(?: \(Seconds\))?: \[\*?([0-9.]+)\]', theirs))
    compared = 0
    for metric, (_, _, slack) in METRICS.items():
        if metric in found:
            compared += 1
            if abs(float(found[metric]) - ours[metric]) > slack:
                complain(metric, 'is', found[metric], 'for gprofng and', ours[metric], 'for us')
    if compared == 0:
        complain('gprofng printed nothing that can be compared:', theirs)
    print(' '.join('%s=%s' % (metric, found[metric]) for metric in METRICS if metric in found))


def forms(tool, path, file):
    def run(*options):
        return subprocess.run([tool, 'dump', '--file', file, *options, path], capture_output=True, text=True).stdout
    document = json.loads(run('--json'))['experiments'][0]['records']
    lines = [json.loads(line) for line in run('--json-lines').splitlines()]
    for line in lines:
        line.pop('experiment')
    if lines != document:
        complain(file, 'lines and document differ')
    text = run().splitlines()
    if [line.split(':')[0] for line in text] != [str(record['offset']) for record in document]:
        complain(file, 'text and document differ')
    if not document:
        complain(file, 'no record')


if __name__ == '__main__':
    {'damages': damages, 'totals': totals, 'forms': forms}[sys.argv[1]](*sys.argv[2:])
    for problem in problems[:40]:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)
