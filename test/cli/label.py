#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Helps to test mmvlabel; the programs are $MMVLABEL, $MMVDUMP and $MMVCHECK.

usage: label.py trips FILE...          labels come and go in a copy of each file, and nothing else changes
       label.py edits SEED COUNT FILE...  random changes, against a list that Python keeps
       label.py kills COUNT FILE       mmvlabel is killed while it changes FILE, which is in use: see kills()
       label.py many COUNT FILE        so many processes set a label each, at once
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

LEVELS = {0x04: 'indom', 0x08: 'registry', 0x10: 'item', 0x20: 'instance'}


def fail(*words):
  sys.exit(' '.join(str(word) for word in words))


def run(*command, status=0):
  done = subprocess.run(command, capture_output=True)
  if done.returncode != status or (done.stderr and status == 0):
    fail(command, 'status', done.returncode, done.stderr.decode(errors='replace')[:300])
  return done.stdout


def label(*arguments):
  return run(os.environ['MMVLABEL'], *arguments)


def dump(path):
  return json.loads(run(os.environ['MMVDUMP'], '--json', '--now', '@1700000060', path))['files'][0]


def rules(path):
  """What mmvcheck says, but for where."""
  done = subprocess.run([os.environ['MMVCHECK'], path], capture_output=True)
  return set(re.findall(rb'\[([a-z0-9-]+)\]$', done.stdout, re.M))


def plain(value, types=()):
  """Without places; `extra` of a text is one too."""
  if isinstance(value, list):
    return [plain(one, types) for one in value]
  if not isinstance(value, dict):
    return value
  value = {key: plain(one, types) for key, one in value.items()
           if key not in ('offset', 'instance_offset', 'size', 'file')}
  if 'metric' in value and types and types[value['metric']] == 'string':
    value.pop('extra', None)
  return value


def rest(file):
  """Everything but labels, the version, and places."""
  types = [metric['type'] for metric in file['metrics']]
  header = {key: value for key, value in file['header'].items() if key not in ('version', 'toc_count', 'cluster')}
  named = {key: plain(file[key], types) for key in ('byte_order', 'indoms', 'other_instances', 'metrics', 'values')}
  # The identifiers that the agent forms follow from the cluster, which may have been given.
  for record in named['indoms'] + named['metrics']:
    for key in ('pmid', 'indom_id', 'indom'):
      if isinstance(record.get(key), str):
        del record[key]
  return {'header': header, **named}


def labels(file):
  return [(int(one['flags_raw'], 16), one['identity'], one['instance'], one['payload'])
          for one in file['labels']]


def check(name, before, after, old_rules, path):
  for key, value in rest(before).items():
    if rest(after)[key] != value:
      fail(name, key, value, 'became', rest(after)[key])
  strings = plain(after['strings'])
  if strings[:len(before['strings'])] != plain(before['strings']):
    fail(name, 'strings', before['strings'], 'became', strings)
  if after['header']['version'] == before['header']['version'] and len(strings) != len(before['strings']):
    fail(name, 'has strings that it had not')
  more = rules(path) - old_rules
  if more:
    fail(name, 'breaks', more)


def targets(file):
  """Options, and what is in the records."""
  cluster = file['header']['cluster'] or 7
  yield ['--registry'] + ([] if file['header']['cluster'] else ['--cluster', '7']), (0x08, cluster, -1)
  for metric in file['metrics']:
    if metric['item'] <= 1023:
      yield ['--metric', str(metric['item'])], (0x10, metric['item'], -1)
  for indom in file['indoms']:
    yield ['--indom', str(indom['serial'])], (0x04, indom['serial'], -1)
    for instance in indom['instances']:
      yield (['--instance', '%d/%d' % (indom['serial'], instance['instance'])],
             (0x20, indom['serial'], instance['instance']))


def copy_of(name, folder):
  """Of process 1 it would be in use."""
  path = os.path.join(folder, os.path.basename(name))
  data = bytearray(read(name))
  if data[32:36] == struct.pack('=I', 1):
    data[32:36] = struct.pack('=i', 2**31 - 1)
  with open(path, 'wb') as file:
    file.write(data)
  return path


def trip(name, path):
  before, old_rules = dump(path), rules(path)
  chosen = list(targets(before))
  random.shuffle(chosen)
  chosen = chosen[:2]
  for options, _ in chosen:
    label('set', *options, path, 'zz_added=["x",0.1]')
  after = dump(path)
  check(name, before, after, old_rules, path)
  for options, target in chosen:
    if target + ('{"zz_added":["x",0.1]}',) not in labels(after):
      fail(name, options, 'is not in', labels(after))
  if after['header']['version'] != 3:
    fail(name, 'is of version', after['header']['version'])
  for options, _ in chosen:
    options = [one for one in options if one not in ('--cluster', '7')] if '--cluster' in options else options
    label('unset', *options, path, 'zz_added')
  after = dump(path)
  check(name, before, after, old_rules, path)
  was = labels(before)
  if after['header']['cluster'] != before['header']['cluster']:
    was = [(flags, 7 if flags & ~0x80 == 0x08 and identity == 0 else identity, internal, payload)
           for flags, identity, internal, payload in was]
  if labels(after) != was:
    fail(name, 'had', was, 'and has', labels(after))


def trips(*names):
  random.seed(1)
  with tempfile.TemporaryDirectory() as folder:
    for name in names:
      trip(name, copy_of(name, folder))
  print(len(names), 'files')


# --- random changes --------------------------------------------------------------------------------

def mean(target, record):
  flags, identity, internal, _ = record
  return (flags & ~0x80, identity) == target[:2] and (target[0] != 0x20 or internal == target[2])


def without(payload, name):
  """What is left of a label without that pair; None when it has none."""
  try:
    pairs = json.loads(payload)
  except ValueError:
    return None
  if not isinstance(pairs, dict) or name not in pairs:
    return None
  del pairs[name]
  return json.dumps(pairs, separators=(',', ':'), ensure_ascii=False) if pairs else ''


def set_one(model, target, name, value, optional):
  record = (target[0] | (0x80 if optional else 0), target[1], target[2], '{"%s":%s}' % (name, value))
  result, placed = [], False
  for old in model:
    left = without(old[3], name) if mean(target, old) else None
    if left is None:
      result.append(old)
    elif left:
      result.append(old[:3] + (left,))
    elif not placed:
      result.append(record)
      placed = True
  return result if placed else result + [record]


def edit(name, path, model):
  file = dump(path)
  options, target = random.choice(list(targets(file)))
  if target[0] == 0x08 and file['header']['cluster'] == 0:
    return model
  verb = random.choice(['set', 'set', 'set', 'unset', 'clear'])
  key = random.choice('abc')
  if verb == 'set':
    value, optional = random.choice(['1', '"x"', 'null', 'true', '[0.5,{}]', '{"d":1}', '"\u00e9"']), random.random() < 0.3
    label('set', *options, *(['--optional'] if optional else []), path, '%s=%s' % (key, value))
    return set_one(model, target, key, value, optional)
  # These mean every label of the registry.
  meant = [record for record in model if mean(target, record) or
           (target[0] == 0x08 and record[0] & ~0x80 == 0x08)]
  if verb == 'clear':
    label('clear', *options, path)
    return [record for record in model if record not in meant]
  hit = any(without(record[3], key) is not None for record in meant)
  run(os.environ['MMVLABEL'], 'unset', *options, path, key, status=0 if hit else 1)
  result = []
  for record in model:
    left = without(record[3], key) if record in meant else None
    if left != '':
      result.append(record if left is None else record[:3] + (left,))
  return result


def edits(seed, count, *names):
  random.seed(int(seed))
  with tempfile.TemporaryDirectory() as folder:
    for name in names:
      path = copy_of(name, folder)
      before, old_rules, model = dump(path), rules(path), labels(dump(path))
      for _ in range(int(count)):
        model = edit(name, path, model)
        found = labels(dump(path))
        if found != model:
          fail(name, 'has', found, 'and not', model)
      check(name, before, dump(path), old_rules | {b'label-form', b'label-version'}, path)
  print(len(names), 'files')


# --- killed, and many at once ----------------------------------------------------------------------

def read(path):
  with open(path, 'rb') as file:
    return file.read()


def kills(count, path):
  """FILE has the labels keep0, keep1, ... with their number, and is in use. Whenever mmvlabel is killed: all of
  these are there; the generations are equal, or show that it was mmvlabel; and the next one goes on."""
  random.seed(1)
  keep = {record for record in labels(dump(path)) if '"keep' in record[3]}
  inode, size = os.stat(path).st_ino, os.stat(path).st_size
  interrupted, window, settled = 0, 0.004, 0
  for i in range(int(count)):
    command = random.choice([['set', path, 'value=%d' % i], ['set', path, 'value="%s"' % ('x' * (i % 200))],
                             ['unset', path, 'value'], ['set', path, 'other=%d' % i, 'third=1'],
                             ['clear', '--metric', '3', path], ['set', '--metric', '3', path, 'm=1', 'n=2', 'o=3']])
    tool = subprocess.Popen([os.environ['MMVLABEL'], *command], stderr=subprocess.DEVNULL)
    try:
      tool.wait(random.uniform(0, window))
    except subprocess.TimeoutExpired:
      pass
    late = tool.poll() is not None
    tool.kill()
    tool.wait()
    window *= 0.9 if late else 1.1
    settled += late
    data = read(path)
    one, two = struct.unpack_from('=QQ', data, 8)
    if one == 0 or two not in (one, one ^ (1 << 64) - 1):
      fail('generations', one, two, 'after', i)
    if two != one:
      interrupted += 1
      # So that the list can be read; mmvlabel gets the file as it was left.
      other = path + '.look'
      with open(other, 'wb') as file:
        file.write(data[:16] + data[8:16] + data[24:])
    else:
      other = path
    found = labels(dump(other))
    if not keep <= set(found):
      fail('after', i, command, 'lost', keep - set(found))
    if other != path:
      os.unlink(other)
      done = subprocess.run([os.environ['MMVLABEL'], 'set', path, 'value=mended'], capture_output=True)
      if done.returncode or b'an earlier mmvlabel was killed' not in done.stderr:
        fail('after', i, command, 'cannot be mended:', done.stderr)
      found = labels(dump(path))
      if len(found) != len(set(found)) or not keep <= set(found):
        fail('after', i, command, 'mended to', found)
  if os.stat(path).st_ino != inode:
    fail('it was replaced')
  print(count, 'kills,', interrupted, 'in the middle')


def many(count, path):
  tools = [subprocess.Popen([os.environ['MMVLABEL'], 'set', path, 'label%d=%d' % (i, i)]) for i in range(int(count))]
  for tool in tools:
    if tool.wait():
      fail('status', tool.returncode)
  found = labels(dump(path))
  for i in range(int(count)):
    if sum('"label%d":%d}' % (i, i) in record[3] for record in found) != 1:
      fail('label', i, 'is not in', found)
  print(count, 'labels')


def main(name='', *arguments):
  commands = {'trips': trips, 'edits': edits, 'kills': kills, 'many': many}
  if name not in commands or not arguments:
    fail(__doc__.strip())
  commands[name](*arguments)


main(*sys.argv[1:])
