#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Looks at what the tools print with other people's eyes.

usage: check.py json SCHEMA FILE...             a document each: JSON, and as the schema says
       check.py lines SCHEMA FILE...            a record a line, likewise
       check.py openmetrics FILE JSON...        in pairs: an exposition has the values of the document
       check.py agent FILE JSON                 the answers of pminfo -dmf and the document agree
       check.py rate COUNT FILE                 two records, the second with the rate of so much between
       check.py memory KIB COMMAND [ARG...]     the command takes no more memory than that
"""
import base64
import codecs
import datetime
import json
import math
import os
import re
import sys

FFFD = '\ufffd'
# What an exposition does not hold as it is: control characters, and what breaks lines or turns text.
UNSAFE = '[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]'
codecs.register_error('each', lambda error: (FFFD * (error.end - error.start), error.end))


def fail(*words):
  sys.exit(' '.join(str(word) for word in words))


def unique(pairs):
  members = dict(pairs)
  if len(members) != len(pairs):
    fail('doubled keys:', [key for key, _ in pairs])
  return members


def parse(text):
  return json.loads(text, object_pairs_hook=unique,
                    parse_constant=lambda word: fail('not JSON:', word))


def check_bytes(node):
  """X_b64 is there where X has lost bytes, and is what X was made of."""
  if isinstance(node, list):
    for one in node:
      check_bytes(one)
  elif isinstance(node, dict):
    for key, value in node.items():
      check_bytes(value)
      if key.endswith('_b64'):
        raw = base64.b64decode(value, validate=True)
        # Alone, it holds what is no text.
        if key[:-4] in node and (raw.decode('utf-8', 'each') != node[key[:-4]] or FFFD not in node[key[:-4]]):
          fail(key, 'does not fit', node[key[:-4]])


def validator(schema, part=None):
  import jsonschema
  with open(schema, encoding='utf-8') as file:
    whole = json.load(file)
  jsonschema.Draft202012Validator.check_schema(whole)
  if part:
    whole = {'$ref': '#/$defs/' + part, '$defs': whole['$defs']}
  return jsonschema.Draft202012Validator(whole)


def check_document(valid, name, text):
  from jsonschema.exceptions import best_match
  document = parse(text)
  error = best_match(valid.iter_errors(document))
  if error:
    fail(name, '/'.join(str(step) for step in error.absolute_path), error.message[:300])
  check_bytes(document)


def read(name):
  with open(name, encoding='utf-8', newline='\n') as file:
    return file.read()


def check_json(schema, *names):
  valid = validator(schema)
  for name in names:
    check_document(valid, name, read(name))


def check_lines(schema, *names):
  valid = validator(schema, 'record')
  for name in names:
    for line in read(name).split('\n')[:-1]:
      check_document(valid, name, line)


def exact(node, key):
  """The bytes of a member."""
  return base64.b64decode(node[key + '_b64']) if key + '_b64' in node else node[key].encode()


def shown_values(document):
  """(full name, type, instance id or None, value) of what an exposition can hold."""
  for file in document['files']:
    for value in file['values']:
      if 'metric' not in value or value.get('value') is None or 'instance_offset' in value:
        continue
      metric = file['metrics'][value['metric']]
      number = value['value'] if metric['type'] == 'string' else float(value['value'])
      yield exact(metric, 'full_name'), metric['type'], value.get('instance'), number


def family_start(name):
  return re.sub(b'(_total|_info)$', b'', re.sub(b'[^A-Za-z0-9_]', b'_', name)).decode()


def same_number(a, b):
  return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-7)


def matches(sample, value):
  name, type, instance, number = value
  if sample.labels.get('instid') != (None if instance is None else str(instance)):
    return False
  if not sample.name.startswith(family_start(name)):
    return False
  if type == 'string':
    return sample.name.endswith('_info') and re.sub(UNSAFE, FFFD, number) \
      == sample.labels['value']
  return same_number(sample.value, number)


def check_openmetrics(*names):
  for exposition, document in zip(names[::2], names[1::2]):
    check_exposition(exposition, document)


def check_exposition(exposition, document):
  from prometheus_client.openmetrics.parser import text_string_to_metric_families
  families = list(text_string_to_metric_families(read(exposition)))
  samples = [sample for family in families for sample in family.samples]
  for value in shown_values(parse(read(document))):
    found = next((sample for sample in samples if matches(sample, value)), None)
    if found is None:
      fail(exposition, 'lacks', value)
    samples.remove(found)
  if samples:
    fail(exposition, 'has too many:', samples[:3])


PCP_TYPES = {'32-bit int': '32', '32-bit unsigned int': 'u32', '64-bit int': '64',
             '64-bit unsigned int': 'u64'}
METRIC = re.compile(r'(mmv\.\S+) PMID: (\S+)(?: .*)?')
TYPE = re.compile(r'    Data Type: (.*?)  InDom: (\S+) .*')
SEM = re.compile(r'    Semantics: (\S+)  Units: (.*)')
VALUE = re.compile(r'    (?:inst \[(-?\d+) or "(.*)"\] )?value (.*)')


def agent_metrics(text):
  metrics, metric = {}, None
  for line in text.split('\n'):
    if match := METRIC.fullmatch(line):
      metric = metrics[match[1]] = {'pmid': match[2], 'values': {}}
    elif match := TYPE.fullmatch(line):
      metric['type'] = PCP_TYPES.get(match[1], match[1])
      metric['indom'] = None if match[2] == 'PM_INDOM_NULL' else match[2]
    elif match := SEM.fullmatch(line):
      metric['sem'], metric['units'] = match[1], match[2].replace('none', '')
    elif match := VALUE.fullmatch(line):
      metric['values'][match[1] and int(match[1]), match[2]] = match[3]
    elif line.strip():
      fail('the agent says:', line)
  return metrics


def our_metrics(document):
  """The same of the document, as the agent has it: elapsed is a counter of microseconds."""
  metrics = {}
  for file in document['files']:
    for metric in file['metrics']:
      elapsed = metric['type'] == 'elapsed'
      metrics[metric['full_name']] = {
        'pmid': metric['pmid'],
        'values': {},
        'type': '64' if elapsed else metric['type'],
        'indom': metric.get('indom'),
        'sem': 'counter' if elapsed or metric['sem'] == 'unset' else metric['sem'],
        'units': 'microsec' if elapsed else metric['units'],
      }
    for value in file['values']:
      key = value.get('instance'), value.get('instance_name')
      metrics[file['metrics'][value['metric']]['full_name']]['values'][key] = value['value']
  return metrics


def same_value(agent, ours):
  if isinstance(ours, str) and agent.startswith('"'):
    return agent == '"%s"' % ours
  if isinstance(ours, float) or ours in ('nan', 'inf', '-inf'):
    ours = float(ours)
    return same_number(float(agent), ours)
  return int(agent) == int(ours)


def check_agent(answers, document):
  agent, ours = agent_metrics(read(answers)), our_metrics(parse(read(document)))
  agent = {name: metric for name, metric in agent.items() if not name.startswith('mmv.control.')}
  if agent.keys() != ours.keys():
    fail('names differ:', agent.keys() ^ ours.keys())
  for name, metric in agent.items():
    values, own = metric.pop('values'), ours[name].pop('values')
    if metric != ours[name]:
      fail(name, 'agent', metric, 'ours', ours[name])
    if values.keys() != own.keys() or not all(same_value(values[key], own[key]) for key in own):
      fail(name, 'agent', values, 'ours', own)
  print(len(agent), 'metrics')


def moment(record):
  return datetime.datetime.fromisoformat(record['time'][:23].rstrip('Z'))


def check_rate(count, name):
  first, second = [parse(line) for line in read(name).split('\n')[:-1]]
  expected = int(count) / (moment(second) - moment(first)).total_seconds()
  # A little passes between the time that is shown and reading the file.
  if not math.isclose(second['rate'], expected, rel_tol=0.3):
    fail(second['rate'], 'is not', expected)


def check_memory(limit, *command):
  child = os.posix_spawnp(command[0], command, os.environ,
                          file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
  _, status, usage = os.wait4(child, 0)
  if status or usage.ru_maxrss > int(limit):
    fail('status', status, 'and', usage.ru_maxrss, 'KiB, of', limit)


def main(name='', *arguments):
  commands = {'json': check_json, 'lines': check_lines, 'openmetrics': check_openmetrics,
              'agent': check_agent, 'rate': check_rate, 'memory': check_memory}
  if name not in commands or len(arguments) < 2:
    fail(__doc__.strip())
  commands[name](*arguments)


main(*sys.argv[1:])
