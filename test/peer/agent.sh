#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Asks PCP's MMV agent, loaded into pminfo, about the files in DIRECTORY/mmv; no daemon is needed.
# Its name space stays in DIRECTORY/pmns.
# usage: sh agent.sh DIRECTORY PMINFO-ARGUMENT...
set -eu

if [ $# -lt 1 ]; then
  echo "usage: agent.sh DIRECTORY PMINFO-ARGUMENT..." >&2
  exit 2
fi
# PCP says where things are, at some length, and looks at variables that may not be there.
if [ -z "${PCP_PMDAS_DIR-}" ]; then
  set +u
  # shellcheck disable=SC1091
  . "$PCP_DIR/etc/pcp.env"
  set -u
fi

export PCP_TMP_DIR="$1" PMNS_DEFAULT="$1/pmns"
shift
[ -e "$PMNS_DEFAULT" ] || echo 'root { mmv 70:*:* }' >"$PMNS_DEFAULT"
exec pminfo -L -K clear -K "add,70,$PCP_PMDAS_DIR/mmv/pmda_mmv.so,mmv_init" "$@"
