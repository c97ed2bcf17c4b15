#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what $MMVDUMP says of files of the current folder, both streams and the status, into FOLDER/NAME.txt.

usage: transcript.py FOLDER NOW MODES NAME...

MODES are options with commas between them; one may be empty. Running intervals run up to NOW.
"""
import concurrent.futures
import os
import subprocess
import sys


def ask(name, mode, now):
  options = [mode] if mode else []
  done = subprocess.run([os.environ['MMVDUMP'], '--now', now, *options, name], stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE)
  text = ' '.join(['$ mmvdump', *options, name]).encode() + b'\n' + done.stdout
  for line in done.stderr.split(b'\n')[:-1]:
    text += b'stderr: ' + line + b'\n'
  return text + (b'status: %d\n' % done.returncode if done.returncode else b'')


def main(folder, now, modes, *names):
  def write(name):
    with open(os.path.join(folder, name + '.txt'), 'wb') as out:
      for mode in modes.split(','):
        out.write(ask(name, mode, now))

  # Several at once: some files are waited for, as they might become whole.
  with concurrent.futures.ThreadPoolExecutor(4) as pool:
    list(pool.map(write, names))


if len(sys.argv) < 5:
  sys.exit(__doc__.strip())
main(*sys.argv[1:])
