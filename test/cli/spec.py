#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Helps to test mmvcreate; the programs are $MMVCREATE and $MMVDUMP.

usage: spec.py valid SCHEMA FILE...       the descriptions are as the schema says
       spec.py invalid SCHEMA FILE...     none of them is
       spec.py bytes FILE >BYTES          from hexadecimal digits; "00*12" is twelve of them; # comments
       spec.py trips DIRECTORY FILE...    each file comes back the same from its dump, written to the
                                          directory; a dump of that gives the same bytes again
       spec.py zeros FILE...              no byte outside of the fields that are in use is set
       spec.py kills COUNT TARGET A B     mmvcreate is killed while it makes TARGET of A and B in turn
"""
import json
import os
import random
import re
import struct
import subprocess
import sys


def fail(*words):
  sys.exit(' '.join(str(word) for word in words))


# --- the schema ------------------------------------------------------------------------------------

def errors(schema, name):
  import jsonschema
  with open(schema, encoding='utf-8') as file:
    schema = json.load(file)
  jsonschema.Draft202012Validator.check_schema(schema)
  with open(name, encoding='utf-8', errors='surrogateescape') as file:
    return list(jsonschema.Draft202012Validator(schema).iter_errors(json.load(file)))


def valid(schema, *names):
  for name in names:
    for error in errors(schema, name):
      fail(name, '/'.join(map(str, error.absolute_path)), error.message[:300])


def invalid(schema, *names):
  for name in names:
    if not errors(schema, name):
      fail(name, 'is valid')


# --- bytes -----------------------------------------------------------------------------------------

def from_digits(name):
  with open(name, encoding='utf-8') as file:
    text = re.sub(r'#.*', '', file.read())
  text = re.sub(r'(\S\S)\*(\d+)', lambda match: match[1] * int(match[2]), text)
  sys.stdout.buffer.write(bytes.fromhex(text))


# Where fields stand in records: (offset, size), by kind and version.
def fields(kind, version):
  if kind == 'indoms':
    return [(0, 32)], 32
  if kind == 'instances':
    return ([(0, 8), (12, 68)], 80) if version == 1 else ([(0, 8), (12, 12)], 24)
  if kind == 'metrics':
    return ([(0, 84), (88, 16)], 104) if version == 1 else ([(0, 28), (32, 16)], 48)
  return {'values': ([(0, 32)], 32), 'strings': ([(0, 256)], 256), 'labels': ([(0, 256)], 256)}[kind]


def unused(data):
  """Ranges of bytes that belong to no field, or are behind the end of a text."""
  kinds = [None, 'indoms', 'instances', 'metrics', 'values', 'strings', 'labels']
  version, count = struct.unpack_from('=I', data, 4)[0], struct.unpack_from('=I', data, 24)[0]
  covered = bytearray(len(data))

  def use(start, size):
    covered[start:start + size] = b'\1' * size

  def use_text(start, size):
    use(start, data[start:start + size].index(0))

  use(0, 40 + 16 * count)
  for i in range(count):
    kind, entries, offset = struct.unpack_from('=IIQ', data, 40 + 16 * i)
    places, size = fields(kinds[kind], version)
    for at in range(offset, offset + entries * size, size):
      if kinds[kind] == 'strings':
        use_text(at, 256)
      elif kinds[kind] == 'labels':
        use(at, 12)
        use_text(at + 12, 244)
      elif version == 1 and kinds[kind] == 'instances':
        use(at, 8), use(at + 12, 4), use_text(at + 16, 64)
      elif version == 1 and kinds[kind] == 'metrics':
        use_text(at, 64), use(at + 64, 20), use(at + 88, 16)
      else:
        for place, width in places:
          use(at + place, width)
  return [i for i in range(len(data)) if not covered[i]]


def zeros(*names):
  for name in names:
    with open(name, 'rb') as file:
      data = file.read()
    bad = [i for i in unused(data) if data[i]]
    if bad:
      fail(name, 'has bytes at', bad[:10])
    print(len(unused(data)), 'bytes unused')


# --- round trips -----------------------------------------------------------------------------------

def run(*command, text=None):
  done = subprocess.run(command, input=text, capture_output=True)
  if done.returncode or done.stderr:
    fail(command, 'status', done.returncode, done.stderr.decode(errors='replace')[:300])
  return done.stdout


def dumps(paths):
  """What is said of each, by one process; names of files stand in it."""
  return json.loads(run(os.environ['MMVDUMP'], '--json', '--now', '@1700000060', *paths))['files']


def without(record, *keys):
  return {key: value for key, value in record.items() if key not in keys}


def model(file):
  """Everything but where it stands, and bytes that nobody looks at."""
  types = [metric['type'] for metric in file['metrics']]
  values = []
  for value in file['values']:
    value = without(value, 'offset')
    type = types[value['metric']]
    if type == 'string':
      value = without(value, 'raw', 'extra')
    elif type in ('32', 'u32', 'float') and value['value'] is not None:
      value = without(value, 'raw')
    values.append(value)
  return {
    'header': without(file['header'], 'toc_count'),
    'indoms': [{**without(indom, 'offset', 'instance_offset'),
                'instances': [without(instance, 'offset') for instance in indom['instances']]}
               for indom in file['indoms']],
    'other_instances': [without(instance, 'offset') for instance in file['other_instances']],
    'metrics': [without(metric, 'offset') for metric in file['metrics']],
    'values': values,
    'labels': [without(label, 'offset') for label in file['labels']],
  }


def differ(name, a, b):
  for key in a:
    if a[key] == b[key]:
      continue
    if isinstance(a[key], list):
      for one, other in zip(a[key], b[key]):
        if one != other:
          fail(name, key, one, 'became', other)
      fail(name, len(a[key]), key, 'became', len(b[key]))
    fail(name, key, a[key], 'became', b[key])


def create(dump, path):
  run(os.environ['MMVCREATE'], '--force', '--allow', 'all', '--output', path, '-', text=json.dumps(dump).encode())
  with open(path, 'rb') as file:
    return file.read()


def trips(directory, *names):
  paths = [os.path.join(directory, os.path.basename(name)) for name in names]
  before = dumps(names)
  made = [create(dump, path) for dump, path in zip(before, paths, strict=True)]
  after = dumps(paths)
  for i, name in enumerate(names):
    differ(name, model(before[i]), model(after[i]))
    if create(after[i], paths[i]) != made[i]:
      fail(name, 'has other bytes the second time')
  print(len(names), 'files')


# --- killed ----------------------------------------------------------------------------------------

def kills(count, target, *sources):
  random.seed(1)
  folder = os.path.dirname(target) or '.'
  contents = []
  for source in sources:
    run(os.environ['MMVCREATE'], '--force', '--output', target, source)
    with open(target, 'rb') as file:
      contents.append(file.read())
  old, window, outcomes = contents[1], 0.01, {'old': 0, 'new': 0}
  for i in range(int(count)):
    new = contents[i % 2]
    tool = subprocess.Popen([os.environ['MMVCREATE'], '--force', '--output', target, sources[i % 2]])
    try:
      tool.wait(random.uniform(0, window))
    except subprocess.TimeoutExpired:
      pass
    tool.kill()
    tool.wait()
    with open(target, 'rb') as file:
      found = file.read()
    if found not in (old, new):
      fail('neither the old file nor the new one after', i, 'kills:', len(found), 'bytes')
    # Half of them are to come too late, wherever that is on this machine.
    window *= 0.9 if found == new else 1.1
    outcomes['new' if found == new else 'old'] += 1
    # What is to be replaced next has to be another one.
    run(os.environ['MMVCREATE'], '--force', '--output', target, sources[i % 2])
    old = new
  left = [name for name in os.listdir(folder) if name.startswith('.' + os.path.basename(target) + '.')]
  for name in left:
    os.unlink(os.path.join(folder, name))
  if min(outcomes.values()) < int(count) / 10:
    fail('all kills came at one side of it:', outcomes)
  print(sum(outcomes.values()), 'kills')


def main(name='', *arguments):
  commands = {'valid': valid, 'invalid': invalid, 'bytes': from_digits, 'trips': trips, 'zeros': zeros,
              'kills': kills}
  if name not in commands or not arguments:
    fail(__doc__.strip())
  commands[name](*arguments)


main(*sys.argv[1:])
