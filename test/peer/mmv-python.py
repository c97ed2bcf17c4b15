#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has PCP's Python module write the file $PCP_TMP_DIR/mmv/NAME.

usage: mmv-python.py NAME
"""
import sys

import cmmv as api
import cpmapi
from pcp import mmv
from pcp.pmapi import pmUnits

SERIAL = 61
TYPES = {'i32': api.MMV_TYPE_I32, 'u32': api.MMV_TYPE_U32, 'i64': api.MMV_TYPE_I64,
         'u64': api.MMV_TYPE_U64, 'float': api.MMV_TYPE_FLOAT, 'double': api.MMV_TYPE_DOUBLE,
         'elapsed': api.MMV_TYPE_ELAPSED}
NAMES = ['anvils', 'rockets']


def metric(name, item, typeof, **more):
  return mmv.mmv_metric(name=name, item=item, typeof=typeof, semantics=api.MMV_SEM_COUNTER,
                        dimension=pmUnits(0, 0, 1, 0, 0, cpmapi.PM_COUNT_ONE),
                        shorttext='short', helptext='long', **more)


def main(name):
  indom = mmv.mmv_indom(serial=SERIAL, shorttext='products', helptext='All products')
  indom.set_instances([mmv.mmv_instance(i, name) for i, name in enumerate(NAMES)])
  values = mmv.MemoryMappedValues(name, cluster=99)
  values.add_indoms([indom])
  values.add_metrics([metric('one.' + word, i + 1, typeof) for i, (word, typeof) in enumerate(TYPES.items())]
                     + [metric('many', 50, api.MMV_TYPE_U64, indom=SERIAL),
                        metric('text', 51, api.MMV_TYPE_STRING)])
  values.start()
  for i, word in enumerate(TYPES):
    values.set(values.lookup_mapping('one.' + word, None), i * 1.5)
  for i, product in enumerate(NAMES):
    values.set(values.lookup_mapping('many', product), 40 + i)
  values.set_string(values.lookup_mapping('text', None), 'a text')


if len(sys.argv) != 2:
  sys.exit(__doc__)
main(sys.argv[1])
