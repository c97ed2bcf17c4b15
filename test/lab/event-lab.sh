#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A pmcd of our own with PCP's sample agent, whose event metrics are the same on every machine. On the
# loopback interface and a socket in DIRECTORY only; no systemd, no root, no installed configuration.
# usage: event-lab.sh pmns DIRECTORY     names alone, for local contexts: DIRECTORY/root
#        event-lab.sh start DIRECTORY    starts pmcd; DIRECTORY/env is to be sourced by clients
#        event-lab.sh log DIRECTORY NAME SAMPLES [PMLOGGER-OPTION...]   an archive, DIRECTORY/NAME
#        event-lab.sh stop DIRECTORY     ends the pmcd that start has started
#        event-lab.sh agent              prints the path of the sample agent's library
set -eu

get() {
  sed -n "s/^$1=//p" "${PCP_CONF:-${PCP_DIR-}/etc/pcp.conf}" | head -n 1
}

sample=$(get PCP_PMDASADM_DIR)/sample
pmcd_agent=$(get PCP_PMDAS_DIR)/pmcd/pmda_pmcd.so
binadm=$(get PCP_BINADM_DIR)

make_pmns() {
  mkdir -p "$lab"
  printf '#define SAMPLE 29\nroot {\n  sample\n}\n#include "%s/pmns"\n' "$sample" >"$lab/sample.pmns"
  rm -f "$lab/root"
  "$binadm/pmnsmerge" -f "$@" "$lab/sample.pmns" "$lab/root"
}

make_config() {
  mkdir -p "$lab/run" "$lab/log" "$lab/tmp" "$lab/pmdas/sample" "$lab/pmdas/pmcd"
  sed -e "s|^PCP_RUN_DIR=.*|PCP_RUN_DIR=$lab/run|" -e "s|^PCP_LOG_DIR=.*|PCP_LOG_DIR=$lab/log|" \
    -e "s|^PCP_TMP_DIR=.*|PCP_TMP_DIR=$lab/tmp|" -e "s|^PCP_TMPFILE_DIR=.*|PCP_TMPFILE_DIR=$lab/tmp|" \
    -e "s|^PCP_PMDAS_DIR=.*|PCP_PMDAS_DIR=$lab/pmdas|" "$(get_conf)" >"$lab/pcp.conf"
  printf 'pmcd\t2\tdso\tpmcd_init\t%s\nsample\t29\tdso\tsample_init\t%s/pmda_sample.so\n' \
    "$pmcd_agent" "$sample" >"$lab/pmcd.conf"
  printf '\n[access]\nallow "local:*" : all;\nallow "127.0.0.1" : all;\ndisallow ".*" : all;\ndisallow ":*" : all;\n' \
    >>"$lab/pmcd.conf"
  cat >"$lab/env" <<END
export PCP_CONF=$lab/pcp.conf PMCD_PORT=$port PMCD_SOCKET=$lab/run/pmcd.socket
END
}

get_conf() {
  echo "${PCP_CONF:-${PCP_DIR-}/etc/pcp.conf}"
}

# A pmcd that cannot have its port goes on without it, and its clients would reach another one.
free_port() {
  /usr/bin/python3 -c 'import socket
one = socket.socket()
one.bind(("127.0.0.1", 0))
print(one.getsockname()[1])'
}

start() {
  port=$(free_port)
  make_pmns "$(dirname "$(get PCP_PMDASADM_DIR)")/pmns/root_pmcd"
  make_config
  # shellcheck disable=SC1091
  . "$lab/env"
  "$binadm/pmcd" -f -A -U "$(id -un)" -n "$lab/root" -c "$lab/pmcd.conf" -H localhost -i 127.0.0.1 \
    -s "$PMCD_SOCKET" -l "$lab/log/pmcd.log" -x "$lab/log/pmcd.fatal" </dev/null >"$lab/log/out" 2>&1 3>&- &
  echo $! >"$lab/pmcd.pid"
  tries=0
  until pminfo -h local: -f pmcd.numagents >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -gt 200 ] || ! kill -0 "$(cat "$lab/pmcd.pid")" 2>/dev/null; then
      cat "$lab/log/pmcd.log" "$lab/log/out" >&2
      exit 1
    fi
    sleep 0.1
  done
}

# Each sample moves the agent's cycle of four states on, beginning with nothing.
log() {
  # shellcheck disable=SC1091
  . "$lab/env"
  name=$1 samples=$2
  shift 2
  pmstore -h local: sample.event.reset 0 >/dev/null
  pmstore -h local: sample.event.reset_highres 0 >/dev/null
  cat >"$lab/pmlogger.conf" <<END
log mandatory on 100 msec {
  sample.event.records
  sample.event.highres_records
  sample.event.no_indom_records
  sample.colour
}
END
  pmlogger -h local: -c "$lab/pmlogger.conf" -s "$samples" -l "$lab/log/pmlogger.log" "$@" "$lab/$name"
}

stop() {
  if [ -s "$lab/pmcd.pid" ]; then
    kill "$(cat "$lab/pmcd.pid")" 2>/dev/null || true
    rm -f "$lab/pmcd.pid"
  fi
}

command=${1-} lab=${2-}
case $command in
agent)
  echo "$sample/pmda_sample.so"
  exit
  ;;
pmns | start | log | stop)
  [ -n "$lab" ] || exit 2
  shift 2
  ;;
*)
  sed -n 's/^# usage: //p' "$0" >&2
  exit 2
  ;;
esac
mkdir -p "$lab"
lab=$(cd "$lab" && pwd)
case $command in
pmns) make_pmns ;;
*) "$command" "$@" ;;
esac
