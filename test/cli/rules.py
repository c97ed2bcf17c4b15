#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs mmvcheck over the files that mmv-rules.py has made in the current folder.

usage: rules.py bad TABLE           each bad file breaks its rule, and no other that TABLE does not name
       rules.py good TABLE          each good file keeps its rule; counts those that are good in every way
       rules.py transcript TABLE    prints what is said of each file
       rules.py any TABLE FOLDER    the files of the current folder, whatever they are, are judged; as JSON
       rules.py json TABLE FOLDER   JSON says the same as the text; the documents are left in the folder

TABLE is what mmv-rules.py --table printed. The tool is $MMVCHECK.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
LINE = re.compile(r'(?P<file>.*?):(?:(?P<offset>\d+):)? (?P<severity>error|warning|note): (?P<text>.*; .*)'
                  r' \[(?P<rule>[a-z-]+)\]')


def fail(*words):
  sys.exit(' '.join(str(word) for word in words))


def judge(*arguments):
  done = subprocess.run([os.environ['MMVCHECK'], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        timeout=60, encoding='utf-8')
  if done.stderr:
    fail(arguments, 'stderr:', done.stderr)
  return done.returncode, done.stdout


def findings(text):
  """What is found in a text, as JSON would have it, but for the place, which is part of the message."""
  for line in text.split('\n')[:-1]:
    match = LINE.fullmatch(line)
    if not match:
      fail('not the form of a finding:', line)
    found = {key: value for key, value in match.groupdict().items() if value is not None}
    if 'offset' in found:
      found['offset'] = int(found['offset'])
    yield found


def look(name, options):
  """The findings in a file; their worst severity decides the status."""
  status, text = judge(*options, name)
  found = list(findings(text))
  check_status(name, status, found)
  return found


def check_status(name, status, found):
  if status != (3 if any(one['severity'] == 'error' for one in found) else 0):
    fail(name, 'status', status, found)


def document_of(name, options, folder):
  status, text = judge('--json', *options, name)
  with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
    out.write(text)
  document = json.loads(text)
  check_status(name, status, document['findings'])
  return document


def severities():
  document = json.loads(judge('--rules', '--json')[1])
  return {rule['rule']: rule['severity'] for rule in document['rules']}


def bad(table):
  severity = severities()
  for rule, options, also in table:
    found = look(rule + '-bad', options)
    if {one['rule'] for one in found} != {rule, *also}:
      fail(rule, 'finds', found)
    if any(one['severity'] != severity[one['rule']] for one in found):
      fail(rule, 'not the severity of --rules:', found)


def good(table):
  flawless = 0
  for rule, options, _ in table:
    found = look(rule + '-good', options)
    if any(one['rule'] == rule for one in found):
      fail(rule, 'finds', found)
    flawless += not found
  print(len(table) - flawless, 'files are odd in another way')


def transcript(table):
  for rule, options, _ in table:
    for name in (rule + '-bad', rule + '-good'):
      status, text = judge(*options, name)
      print('$ mmvcheck', *options, name)
      print(text + ('status: %d\n' % status if status else ''), end='')


def same(one, text):
  place = one['place'] + ': ' if 'place' in one else ''
  return text == {key: one[key] for key in ('file', 'offset', 'severity', 'rule') if key in one} | {
    'text': place + one['message'] + '; ' + one['effect']}


def check_any(_, folder):
  for name in sorted(os.listdir()):
    document_of(name, [], folder)


def check_json(table, folder):
  for rule, options, _ in table:
    for name in (rule + '-bad', rule + '-good'):
      found = look(name, options)
      document = document_of(name, options, folder)
      if len(found) != len(document['findings']) or not all(map(same, document['findings'], found)):
        fail(name, 'text', found, 'JSON', document)
      counts = {word + 's': sum(one['severity'] == word for one in found) for word in ('error', 'warning', 'note')}
      if document['summary'] != counts:
        fail(name, document['summary'], 'but', counts)


def main(name='', table='', *arguments):
  commands = {'bad': bad, 'good': good, 'transcript': transcript, 'any': check_any, 'json': check_json}
  if name not in commands or not table:
    fail(__doc__.strip())
  with open(table, encoding='utf-8') as file:
    lines = [line.rstrip('\n').split('|') for line in file]
  commands[name]([(rule, options.split(), also.split()) for rule, options, also in lines], *arguments)


main(*sys.argv[1:])
