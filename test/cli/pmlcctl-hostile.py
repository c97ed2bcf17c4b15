#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A logger that lies: answers of every kind that make no sense, one to a run of pmlcctl.

usage: pmlcctl-hostile.py FOLDER    where there is room for a socket

Each case says how it answers to the hello, status and the questions, what verb it is tried with, and
which status that has to end with. Real pmcd answers for the metrics: the environment is a lab's.
Prints what is not as it should be.
"""

import os
import socket
import struct
import subprocess
import sys
import threading

TOOL = os.environ.get('PMLCCTL', 'pmlcctl')
ERROR, RESULT, CREDS, CONTROL, STATUS_2, REQUEST, STATUS_3 = (
    0x7000, 0x7001, 0x700c, 0x8000, 0x8001, 0x8002, 0x8003)
LONG_ONE = 29 << 22 | 10  # sample.long.one
COLOUR = 29 << 22 | 5  # sample.colour
PID = 4242


def pdu(kind, body, length=None, sender=PID):
  return struct.pack('>IIi', len(body) + 12 if length is None else length, kind, sender) + body


def words(*numbers):
  return b''.join(struct.pack('>I', number & 0xffffffff) for number in numbers)


def hello(code=3, sender=PID):
  return pdu(ERROR, words(code), sender=sender)


def status_3(texts=(b'host\0', b'local:\0', b'UTC\0', b'', b'UTC\0', b''), lengths=None, nsec=5,
             length=None):
  """Seconds have their lower half first."""
  times = words(1700000000, 0, nsec) * 3
  lengths = [len(text) for text in texts] if lengths is None else lengths
  body = times + words(1, 0) + struct.pack('>q', 132) + words(*lengths) + b''.join(texts)
  return pdu(STATUS_3, body + b'~' * (-len(body) % 4), length)


def status_2(size=252):
  body = words(0, 1700000000, 5, 1700000000, 5, 1700000000, 5, 1, 0) + struct.pack('>q', 132)
  body = body + b'host'.ljust(64, b'\0') + b'local:'.ljust(64, b'\0')
  return pdu(STATUS_2, (body + b'UTC'.ljust(40, b'\0') * 2)[:size])


def result(*sets, count=None):
  body = words(0, 0, len(sets) if count is None else count)
  return pdu(RESULT, body + b''.join(sets))


def values(pmid, *pairs, numval=None, form=0):
  count = len(pairs) if numval is None else numval
  head = words(pmid, count) + (words(form) if count > 0 or pairs else b'')
  return head + b''.join(words(inst, word) for inst, word in pairs)


GOOD = result(values(LONG_ONE, (-1, 0)))
WORD = 60000 << 4 | 3
DONE = result(values(LONG_ONE, (-1, WORD)))
COLOURS = result(values(COLOUR, (0, 0), (1, 0), (2, 0), (2**31 - 2, 0)))
SOME_ON = result(values(COLOUR, (0, WORD), (2, WORD)))
NOBODY_ON = result(values(COLOUR, (2**31 - 2, WORD)))
NOBODY = result(values(COLOUR, (2**31 - 2, 0)))
HANG, END = 'hang', 'end'

# What is said: hello, then an answer to each message but CREDS; the last one again and again.
# HANG: nothing more; END: the connection is closed. Then the arguments and the status.
STATUS = ['status']
QUERY = ['query', 'sample.long.one']
ALL = ['query', 'sample.colour']
ON = ['mandatory-on', '-t', '60s', 'sample.long.one']
TRY = ON + ['--dry-run']
ALL_ON = ['mandatory-on', '-t', '60s', 'sample.colour']
CASES = {
  # The first words.
  'good': ([hello(), status_3()], STATUS, 0),
  'good, old': ([hello(2), status_2()], STATUS, 0),
  'good query': ([hello(), status_3(), GOOD], QUERY, 0),
  'good change': ([hello(), status_3(), GOOD, GOOD, DONE], ON, 0),
  'newer': ([hello(99), status_3()], STATUS, 0),
  'no hello': ([HANG], STATUS, 6),
  'end before hello': ([END], STATUS, 1),
  'half a header': ([hello()[:6], HANG], STATUS, 6),
  'half a hello, and the end': ([hello()[:13], END], STATUS, 1),
  'version 0': ([hello(0), status_3()], STATUS, 3),
  'version 1': ([hello(1), status_3()], STATUS, 3),
  'busy': ([hello(-98, 0)], STATUS, 5),
  'denied': ([hello(-12387, 0)], STATUS, 7),
  'denied, with the pid of another': ([hello(-12387, 1)], STATUS, 7),
  'odd refusal': ([hello(-12345678)], STATUS, 1),
  'worst refusal': ([hello(-2**31)], STATUS, 1),
  'another process': ([hello(3, 1), status_3()], STATUS + ['--pid', str(PID)], 1),
  'hello of no length': ([pdu(ERROR, words(3), 0)], STATUS, 3),
  'hello shorter than a header': ([pdu(ERROR, words(3), 11)], STATUS, 3),
  'hello without a body': ([pdu(ERROR, b'')], STATUS, 3),
  'hello of 2 GiB': ([pdu(ERROR, words(3), 2**31 - 1)], STATUS, 3),
  'hello of less than nothing': ([pdu(ERROR, words(3), 2**31)], STATUS, 3),
  'hello of 64 KiB': ([pdu(ERROR, words(3), 65536)], STATUS, 3),
  'hello of another type': ([pdu(RESULT, words(3, 0, 0))], STATUS, 3),
  'not our protocol': ([b'HTTP/1.1 400 Bad Request\r\n\r\n'], STATUS, 3),
  # Status.
  'no status': ([hello(), HANG], STATUS, 6),
  'end in place of status': ([hello(), END], STATUS, 8),
  'half a status': ([hello(), status_3()[:50], HANG], STATUS, 6),
  'half a status, and the end': ([hello(), status_3()[:50], END], STATUS, 8),
  'status denied': ([hello(), hello(-12387)], STATUS, 7),
  'status of the other version': ([hello(), status_2()], STATUS, 3),
  'status of the other version, old': ([hello(2), status_3()], STATUS, 3),
  'status 2, short': ([hello(2), status_2(248)], STATUS, 3),
  'status 2, empty': ([hello(2), status_2(0)], STATUS, 3),
  'status 3, short': ([hello(), pdu(STATUS_3, words(*[0] * 18))], STATUS, 3),
  'status 3, empty': ([hello(), pdu(STATUS_3, b'')], STATUS, 3),
  'a result for a status': ([hello(), GOOD], STATUS, 3),
  'a number for a status': ([hello(), hello(0)], STATUS, 3),
  'text of 2^31 bytes': ([hello(), status_3(lengths=[2**31] + [0] * 5)], STATUS, 3),
  'text of 2^31-1 bytes': ([hello(), status_3(lengths=[2**31 - 1] + [0] * 5)], STATUS, 3),
  'text of -1 bytes': ([hello(), status_3(lengths=[-1] + [0] * 5)], STATUS, 3),
  'texts beyond the end': ([hello(), status_3(lengths=[5, 7, 4, 0, 4, 9])], STATUS, 3),
  'texts that wrap': ([hello(), status_3(lengths=[2**31, 2**31, 5, 0, 0, 0])], STATUS, 3),
  'text without NUL': ([hello(), status_3(texts=(b'hostx', b'', b'', b'', b'', b''))], STATUS, 3),
  'text of 257 bytes': ([hello(), status_3(texts=(b'h' * 256 + b'\0', *[b''] * 5))], STATUS, 3),
  'text of 256 bytes': ([hello(), status_3(texts=(b'h' * 255 + b'\0', *[b''] * 5))], STATUS, 0),
  'text of 3000 bytes': ([hello(), status_3(texts=(b'h' * 3000 + b'\0', *[b''] * 5))], STATUS, 3),
  'a time that there is not': ([hello(), status_3(nsec=10**9)], STATUS, 3),
  'texts that drive terminals': ([hello(), status_3(texts=(b'\x1b[31mh\n\0', *[b''] * 5))], STATUS, 0),
  # Results.
  'no answer to a question': ([hello(), status_3(), HANG], QUERY, 6),
  'end in place of an answer': ([hello(), status_3(), END], QUERY, 8),
  'half an answer': ([hello(), status_3(), GOOD[:30], HANG], QUERY, 6),
  'an error for an answer': ([hello(), status_3(), hello(-12366)], QUERY, 1),
  'a number for an answer': ([hello(), status_3(), hello(7)], QUERY, 3),
  'no metrics': ([hello(), status_3(), result()], QUERY, 3),
  'more metrics than asked': ([hello(), status_3(), result(*[values(LONG_ONE, (-1, 0))] * 2)], QUERY, 3),
  'another metric': ([hello(), status_3(), result(values(COLOUR, (0, 0)))], QUERY, 3),
  'a million metrics': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0)), count=10**6)], QUERY, 3),
  '2^32-1 metrics': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0)), count=-1)], QUERY, 3),
  'a million values': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0), numval=10**6))], QUERY, 3),
  '2^31-1 values': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0), numval=2**31 - 1))], QUERY, 3),
  '2^29 values, which wrap': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0), numval=2**29))], QUERY, 3),
  'values elsewhere': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0), form=1))], QUERY, 3),
  'no form': ([hello(), status_3(), pdu(RESULT, words(0, 0, 1, LONG_ONE, 1))], QUERY, 3),
  'no values': ([hello(), status_3(), result(values(LONG_ONE, numval=0))], QUERY, 3),
  'no instances': ([hello(), status_3(), result(values(COLOUR, numval=0)), NOBODY], ALL, 0),
  'instances that nobody knows': ([hello(), status_3(), result(values(COLOUR, (7, 0), (-1, 9), (-1, 1)))], ALL, 0),
  'less than no values': ([hello(), status_3(), result(values(LONG_ONE, numval=-1))], QUERY, 4),
  'a metric that it does not know': ([hello(), status_3(), result(values(LONG_ONE, numval=-12358))], QUERY, 4),
  'three values of one': ([hello(), status_3(), result(values(LONG_ONE, (-1, 0), (5, 1), (-1, 2)))], QUERY, 3),
  'an answer of 65 MiB': ([hello(), status_3(), pdu(RESULT, b'', 65 << 20)], QUERY, 3),
  'an answer of 60 MiB that does not come': ([hello(), status_3(), pdu(RESULT, b'', 60 << 20), HANG], QUERY, 6),
  # Changes.
  'no answer to a change': ([hello(), status_3(), GOOD, GOOD, HANG], ON, 6),
  'end in a change': ([hello(), status_3(), GOOD, GOOD, END], ON, 8),
  'nonsense in a change': ([hello(), status_3(), GOOD, GOOD, result()], ON, 6),
  'change denied': ([hello(), status_3(), GOOD, GOOD, hello(-12387)], ON, 7),
  'refused without a word': ([hello(), status_3(), GOOD, GOOD, GOOD], ON, 4),
  'another interval': ([hello(), status_3(), GOOD, GOOD, result(values(LONG_ONE, (-1, 3)))], ON, 4),
  'an error in a change': ([hello(), status_3(), GOOD, GOOD, result(values(LONG_ONE, numval=-12366))], ON, 4),
  'another instance': ([hello(), status_3(), GOOD, GOOD, result(values(LONG_ONE, (7, 960003)))], ON, 6),
  'lost to it in between': ([hello(), status_3(), GOOD, result(values(LONG_ONE, numval=-12366))], ON, 4),
  'lost to it, not to be changed': ([hello(), status_3(), GOOD, result(values(LONG_ONE, numval=-12366))], TRY, 4),
  'no answer to a check': ([hello(), status_3(), GOOD, HANG], TRY, 6),
  'end in a check': ([hello(), status_3(), GOOD, END], TRY, 8),
  'an instance that goes meanwhile': ([hello(), status_3(), COLOURS, COLOURS, SOME_ON, NOBODY_ON], ALL_ON, 0),
  'an instance that goes, and the state stays': ([hello(), status_3(), COLOURS, COLOURS, SOME_ON, NOBODY], ALL_ON, 4),
  'instances that were not asked for': ([hello(), status_3(), result(values(COLOUR, (0, 0), (1, 0)))], ALL_ON, 3),
}
# Only where there was an answer at all is a document due.
SILENT = {1, 3, 5, 6, 7, 8}


def take(peer, size):
  data = b''
  while len(data) < size:
    more = peer.recv(size - len(data))
    if not more:
      raise EOFError
    data += more
  return data


def message(peer):
  """The type of the next one that is not CREDS."""
  while True:
    length, kind, _ = struct.unpack('>IIi', take(peer, 12))
    take(peer, length - 12)
    if kind != CREDS:
      return kind


def serve(listener, script, finished):
  """Hello at once; then an answer to a message. Raw bytes that are not a whole answer are followed
  at once by what comes next."""
  while not finished.is_set():
    try:
      peer, _ = listener.accept()
    except socket.timeout:
      continue
    steps = list(script)
    try:
      first = True
      while steps:
        step = steps.pop(0)
        if step in (HANG, END):
          if step == HANG:
            finished.wait(30)
          break
        if not first:
          message(peer)
        first = False
        peer.sendall(step)
        if steps and steps[0] in (HANG, END) and is_cut(step):
          continue
        if steps and steps[0] in (HANG, END):
          message(peer)
      else:
        finished.wait(30)
    except (EOFError, OSError):
      pass
    peer.close()


def refuse(listener, finished):
  """As a busy pmlogger does over TCP: it says so, and resets the connection at once."""
  while not finished.is_set():
    try:
      peer, _ = listener.accept()
    except socket.timeout:
      continue
    peer.sendall(hello(-98, 0))
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    peer.close()


def run_refusals(count):
  """Whether it is seen before the connection is known to stand or after: busy."""
  listener = socket.create_server(('127.0.0.1', 0))
  listener.settimeout(0.2)
  finished = threading.Event()
  thread = threading.Thread(target=refuse, args=(listener, finished))
  thread.start()
  command = [TOOL, 'status', '-h', '127.0.0.1', '--port', str(listener.getsockname()[1]), '--busy-wait', '0']
  try:
    done = [subprocess.run(command, capture_output=True, timeout=100) for _ in range(count)]
  finally:
    finished.set()
    thread.join()
    listener.close()
  return all([judge('busy, and reset', one, 5) for one in done])


def is_cut(step):
  return len(step) < 12 or struct.unpack('>I', step[:4])[0] > len(step)


def run_case(folder, name, script, arguments, expected):
  path = os.path.join(folder, 'socket')
  listener = socket.socket(socket.AF_UNIX)
  listener.bind(path)
  listener.listen(5)
  listener.settimeout(0.2)
  finished = threading.Event()
  thread = threading.Thread(target=serve, args=(listener, script, finished))
  thread.start()
  patience = '300ms' if expected == 6 else '40s'
  command = [TOOL, *arguments, '--socket', path, '--timeout', patience, '--busy-wait', '0']
  try:
    done = subprocess.run(command, capture_output=True, timeout=100)
  finally:
    finished.set()
    thread.join()
    listener.close()
    os.unlink(path)
  return judge(name, done, expected)


def judge(name, done, expected):
  wrong = []
  if done.returncode != expected:
    wrong.append(f'status {done.returncode}, not {expected}')
  if (expected in SILENT) != bool(done.stderr):
    wrong.append('a message' if done.stderr else 'no message')
  if any(byte < 32 and byte != 10 for byte in done.stdout + done.stderr):
    wrong.append('control characters')
  if wrong:
    print(f'{name}: {", ".join(wrong)}\n  {done.stdout!r}\n  {done.stderr!r}')
  return not wrong


if __name__ == '__main__':
  good = [run_case(sys.argv[1], name, *case) for name, case in CASES.items()]
  good.append(run_refusals(50))
  print(f'{len(good)} cases, {good.count(False)} failed')
  raise SystemExit(0 if all(good) else 1)
