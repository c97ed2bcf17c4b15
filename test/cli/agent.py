#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks PCP's MMV agent, by test/peer/agent.sh, about one file or folder after the other.

usage: agent.py RULES ANSWERS NAME...

For each NAME-bad and NAME-good in the folder RULES, ANSWERS gets a file of one line: NAME-bad.values has
METRIC=VALUE, METRIC[ID "NAME"]=VALUE, METRIC=- without values, METRIC! with an error, sorted, with blanks between
them. Where NAME begins with "label", it is NAME-bad.labels instead: those labels of all metrics that are called
a, b, a1 or b1.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
AGENT = os.path.join(os.environ['SRCDIR'], 'test', 'peer', 'agent.sh')
INSTANCE = re.compile(r'    inst (\[.*?)(?: or (.*))?\] value (.*)')


def ask(folder, *arguments):
  done = subprocess.run(['sh', AGENT, folder, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        timeout=60, encoding='utf-8', errors='surrogateescape')
  return done.stdout.split('\n')


def values(lines):
  name = ''
  for line in lines:
    if line.startswith('mmv.control'):
      name = ''
    elif line.startswith('mmv'):
      name = line.split()[0]
    elif line.startswith('Error: mmv: Unknown metric name'):
      yield 'hidden!'
    elif not name:
      continue
    elif line.startswith('Error:'):
      yield name + '!'
    elif line.startswith('No value'):
      yield name + '=-'
    elif line.startswith('    value '):
      yield name + '=' + line[10:]
    elif match := INSTANCE.fullmatch(line):
      yield '%s%s %s]=%s' % (name, match[1], match[2], match[3])


def labels(lines):
  for line in lines:
    if line.startswith('mmv.control'):
      break
    if 'labels {' in line:
      yield from re.findall(r'"[ab]1?":[^,}]*', line[line.rindex('labels {'):])


def lay(source, folder):
  """The one that the agent finds."""
  shutil.rmtree(folder, ignore_errors=True)
  if os.path.isdir(source):
    shutil.copytree(source, folder, symlinks=True)
  else:
    os.mkdir(folder)
    shutil.copy(source, folder)


def main(rules, answers, *names):
  os.mkdir(answers)
  agent = os.path.join(answers, 'agent')
  os.mkdir(agent)
  for name in [name + end for name in names for end in ('-bad', '-good')]:
    lay(os.path.join(rules, name), os.path.join(agent, 'mmv'))
    if name.startswith('label'):
      kind, found = 'labels', sorted(set(labels(ask(agent, '-l', 'mmv'))))
    else:
      kind, found = 'values', sorted(values(ask(agent, '-f', 'mmv')))
    with open(os.path.join(answers, name + '.' + kind), 'w', encoding='utf-8', errors='surrogateescape') as out:
      out.write(' '.join(found))


if len(sys.argv) < 4:
  sys.exit(__doc__.strip())
main(*sys.argv[1:])
