#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a pmlogger makes of each request in each state, as tables, and pmlcctl run against them.

usage: pmlcctl.py singular|instances PID    runs a table against a live logger
       pmlcctl.py access PORT...            the statuses of all operations on each, side by side
       pmlcctl.py ports COUNT               free ports
       pmlcctl.py hold SOCKET               keeps a logger busy, until it is killed
       pmlcctl.py crowd SOCKET              fills the queue of one that does not look at it
       pmlcctl.py terminal ARGUMENT...      runs pmlcctl with a terminal for its messages, and shows those

The intervals are long: a timer of a logger's that goes off while it waits for pmcd can cost it
its connection, and the next change its life. The tables were measured with raw requests, and differ from __pmControlLog(3) in places. After each
change pmlc is asked too. Prints what is not as it should be.
"""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TOOL = os.environ.get('PMLCCTL', 'pmlcctl')
FIRST = 60000  # the interval of what was there before, in milliseconds
SECOND = 45000  # and of what is asked for

OFF, MAND_OFF = 'advisory off', 'mandatory off'
ADV, MAND = 'advisory on', 'mandatory on'
REFUSED = 'refused'

VERBS = ['mandatory-on', 'mandatory-off', 'mandatory-maybe', 'advisory-on', 'advisory-off']

# What is there before: the requests that lead to it.
SINGULAR_STATES = {
    'nothing': [],
    'advisory off': ['advisory-off'],
    'advisory on': ['advisory-on'],
    'mandatory on': ['mandatory-on'],
    'mandatory off': ['mandatory-off'],
}

# One value. Request, then what it leads to in each of the states.
SINGULAR = {
    'mandatory-on': [MAND, MAND, MAND, MAND, MAND],
    'mandatory-off': [MAND_OFF, MAND_OFF, MAND_OFF, MAND_OFF, MAND_OFF],
    'mandatory-maybe': [OFF, OFF, OFF, OFF, OFF],
    'advisory-on': [ADV, ADV, ADV, REFUSED, REFUSED],
    'advisory-off': [OFF, OFF, OFF, REFUSED, REFUSED],
}

# Instances: all of a metric, or bin-100 and bin-200 by name. The states: an entry for all, or for
# bin-100 and bin-300.
INSTANCE_STATES = {
    'nothing': [],
    'all advisory on': [('advisory-on', '')],
    'all mandatory on': [('mandatory-on', '')],
    'all mandatory off': [('mandatory-off', '')],
    'some advisory on': [('advisory-on', '[bin-100,bin-300]')],
    'some mandatory on': [('mandatory-on', '[bin-100]'), ('advisory-on', '[bin-300]')],
    'some mandatory off': [('mandatory-off', '[bin-100]'), ('advisory-on', '[bin-300]')],
}

KEPT = 'kept'  # as it was, and that is as wished
# Of all instances.
ALL = {
    'mandatory-on': [MAND] * 7,
    'mandatory-off': [MAND_OFF] * 7,
    'mandatory-maybe': [KEPT, KEPT, OFF, OFF, KEPT, OFF, OFF],
    'advisory-on': [ADV, ADV, REFUSED, REFUSED, ADV, REFUSED, REFUSED],
    'advisory-off': [OFF, OFF, REFUSED, REFUSED, OFF, REFUSED, REFUSED],
}
# Of bin-100 and bin-200, in this order; others stay as they are.
SOME = {
    'mandatory-on': [MAND, REFUSED, REFUSED, REFUSED, MAND, MAND, MAND],
    'mandatory-off': [MAND_OFF, REFUSED, REFUSED, REFUSED, MAND_OFF, MAND_OFF, MAND_OFF],
    'mandatory-maybe': [OFF, REFUSED, REFUSED, REFUSED, OFF, OFF, OFF],
    'advisory-on': [ADV, REFUSED, REFUSED, REFUSED, ADV, (REFUSED, ADV), (REFUSED, ADV)],
    'advisory-off': [OFF, REFUSED, REFUSED, REFUSED, OFF, (REFUSED, OFF), (REFUSED, OFF)],
}

failures = 0


def fail(text):
  global failures
  failures += 1
  print(text)


def tool(pid, *arguments):
  """The document, and the status."""
  command = [TOOL, '--timeout', '40s', '--json', '--pid', pid, *arguments]
  done = subprocess.run(command, capture_output=True, text=True, timeout=100)
  if done.stderr or not done.stdout:
    raise SystemExit(f'{command}: status {done.returncode}: {done.stderr}')
  return json.loads(done.stdout), done.returncode


def request(pid, verb, metrics, interval, *more):
  if not metrics:
    return {}, 0
  if verb.endswith('-on'):
    more = ('-t', f'{interval}ms') + more
  document, status = tool(pid, verb, *more, *metrics)
  return document['items'], status


def text_of(state):
  """advisory on 1500, mandatory off"""
  words = f"{state['control']} {state['state']}"
  return words + (f" {state['interval_ms']}" if state['state'] == 'on' else '')


def states(pid, metrics):
  """By name and instance."""
  document, status = tool(pid, 'query', *metrics)
  if status != 0:
    fail(f'query of {metrics}: status {status}')
  return {(item['name'], item.get('instance_name')): text_of(item['state'])
          for item in document['items']}


UNITS = {'msec': 1, 'sec': 1000, 'min': 60000}


def pmlc_states(pid, metrics):
  """The same from pmlc, which rounds nothing below a minute."""
  answer = subprocess.run(['pmlc', pid], input='query {' + ','.join(metrics) + '}\n',
                          capture_output=True, text=True, timeout=100).stdout
  result = {}
  name = None
  for line in answer.splitlines():
    if re.fullmatch(r'[a-z_.]+', line):
      name = line
    found = re.match(r' +(mand|adv) +(on|off) +(nl|na)?\s+'
                     r'(?:(once|[0-9.]+ \w+))?\s*(?:\[[0-9]+ or "(.*)"\])?$', line)
    if not found:
      continue
    state = {'mand': 'mandatory', 'adv': 'advisory'}[found[1]] + ' ' + found[2]
    if found[4] == 'once':
      state += ' 0'
    elif found[4]:
      number, unit = found[4].split()
      state += f' {round(float(number) * UNITS[unit])}'
    result[name, found[5]] = state
  return result


def after(outcome, before):
  """The state that an outcome of a table is."""
  if outcome in (REFUSED, KEPT):
    return before
  return outcome + (f' {SECOND}' if outcome.endswith('on') else '')


def judge(items, want, where):
  """Verdict and state of each item: `want` by name and instance, (outcome, state before)."""
  for item in items:
    key = item['name'], item.get('instance_name')
    outcome, before = want[key]
    expected = after(outcome, before)
    if text_of(item['after']) != expected:
      fail(f"{where} {key}: {text_of(item['after'])}, not {expected}")
    if text_of(item['before']) != before:
      fail(f"{where} {key}: was {text_of(item['before'])}, not {before}")
    verdicts = ['refused'] if outcome == REFUSED else ['changed', 'already', 'planned']
    if item['verdict'] not in verdicts:
      fail(f"{where} {key}: {item['verdict']}, not {verdicts}")
    if outcome == REFUSED and not item.get('reason'):
      fail(f'{where} {key}: no reason')


def same(predicted, items, where):
  """What --dry-run foretold is what came."""
  for item in predicted:
    if item['verdict'] == 'planned':
      item['verdict'] = 'changed'
  brief = [[(item['name'], item.get('instance'), item['verdict'], item.get('reason'),
             text_of(item['after'])) for item in part] for part in (predicted, items)]
  if brief[0] != brief[1]:
    fail(f'{where}: foretold {brief[0]}\n  came {brief[1]}')


def referee(pid, metrics, where):
  ours = states(pid, metrics)
  theirs = pmlc_states(pid, metrics)
  if ours != theirs:
    fail(f'{where}: query says {ours}\n  pmlc says {theirs}')
  return ours


def change(pid, verb, operands, metrics, want, where):
  """One request, foretold, done, and looked at by two."""
  before = states(pid, metrics)
  full = {key: (outcome, before[key]) for key, outcome in want.items()}
  predicted, dry = request(pid, verb, operands, SECOND, '--dry-run')
  if states(pid, metrics) != before:
    fail(f'{where}: --dry-run changed something')
  items, status = request(pid, verb, operands, SECOND)
  judge(items, full, where)
  same(predicted, items, where)
  expected = 4 if any(outcome == REFUSED for outcome in want.values()) else 0
  if (status, dry) != (expected, expected):
    fail(f'{where}: statuses {status} and {dry}, not {expected}')
  now = referee(pid, metrics, where)
  for key, state in before.items():
    outcome = want.get(key, KEPT)
    if now[key] != after(outcome, state):
      fail(f'{where} {key}: {now[key]} in the end, not {after(outcome, state)}')


def reset(pid, metrics):
  request(pid, 'mandatory-off', metrics, 0)
  request(pid, 'mandatory-maybe', metrics, 0)
  left = set(states(pid, metrics).values())
  if left != {OFF}:
    fail(f'after a reset: {left}')


def run_singular(pid):
  metrics = [f'sample.{kind}.{name}' for kind in ('long', 'ulong', 'float', 'double', 'longlong')
             for name in ('one',)]
  for verb in VERBS:
    reset(pid, metrics)
    for metric, (state, requests) in zip(metrics, SINGULAR_STATES.items()):
      for one in requests:
        request(pid, one, [metric], FIRST)
    want = {(metric, None): outcome for metric, outcome in zip(metrics, SINGULAR[verb])}
    change(pid, verb, metrics, metrics, want, f'{verb}, one value')


def run_instances(pid):
  bins = [f'bin-{number}00' for number in range(1, 10)]
  metrics = ['sample.bin', 'sample.long.bin', 'sample.ulong.bin', 'sample.float.bin',
             'sample.double.bin', 'sample.longlong.bin', 'sample.ulonglong.bin']
  for verb in VERBS:
    for table, picks in ((ALL, bins), (SOME, bins[:2])):
      reset(pid, metrics)
      for metric, requests in zip(metrics, INSTANCE_STATES.values()):
        for one, suffix in requests:
          request(pid, one, [metric + suffix], FIRST)
      want = {}
      for metric, outcome in zip(metrics, table[verb]):
        both = outcome if isinstance(outcome, tuple) else (outcome, outcome)
        for place, name in enumerate(picks):
          want[metric, name] = both[min(place, 1)]
      suffix = '' if table is ALL else '[bin-100,bin-200]'
      change(pid, verb, [metric + suffix for metric in metrics], metrics, want,
             f"{verb}, {'all' if table is ALL else 'some'}")


OPERATIONS = ['status', 'flush', 'query sample.long.one', 'advisory-on -t 60s sample.long.one',
              'advisory-off sample.long.one', 'mandatory-on -t 60s sample.long.ten',
              'mandatory-off sample.long.ten', 'mandatory-maybe sample.long.ten', 'new-volume']


def statuses(port):
  """One digit an operation."""
  done = [subprocess.run([TOOL, '--timeout', '40s', '--port', port, *operation.split()],
                         capture_output=True, timeout=100) for operation in OPERATIONS]
  return ''.join(str(one.returncode) for one in done)


def access(ports):
  with ThreadPoolExecutor(2) as pool:
    for port, digits in zip(ports, pool.map(statuses, ports)):
      print(port, digits)


def ports(count):
  """Nobody has them now; the kernel gives the same one away again only after all others."""
  sockets = [socket.socket() for _ in range(int(count))]
  for one in sockets:
    one.bind(('127.0.0.1', 0))
  print(*[one.getsockname()[1] for one in sockets])


def hold(path):
  """Until it is connected and has been greeted: someone else may be there still."""
  while True:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    hello = peer.recv(16)
    if len(hello) == 16 and hello[12] < 0x80:
      break
    peer.close()
    time.sleep(0.01)
  print('held', flush=True)
  time.sleep(1000)


def crowd(path):
  """As many as its queue has room for, and more."""
  peers = []
  for _ in range(20):
    peer = socket.socket(socket.AF_UNIX)
    peer.setblocking(False)
    try:
      peer.connect(path)
    except BlockingIOError:
      break
    peers.append(peer)
  print(len(peers), flush=True)
  time.sleep(1000)


def terminal(arguments):
  status = pty.spawn(['sh', '-c', 'exec "$@" >/dev/null', 'sh', TOOL, *arguments])
  raise SystemExit(os.waitstatus_to_exitcode(status))


if __name__ == '__main__':
  if sys.argv[1] == 'access':
    access(sys.argv[2:])
    raise SystemExit
  if sys.argv[1] == 'terminal':
    terminal(sys.argv[2:])
  {'singular': run_singular, 'instances': run_instances, 'ports': ports, 'hold': hold,
   'crowd': crowd}[sys.argv[1]](sys.argv[2])
  raise SystemExit(1 if failures else 0)
