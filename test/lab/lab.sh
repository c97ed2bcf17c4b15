#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A PCP of its own for tests: one pmcd and any number of pmloggers, on loopback and unix sockets
# only, without systemd, beside whatever runs on the machine. As root or as any other user.
#
#   lab.sh start  -d DIR [-o OWNER] [-M]
#                                       make DIR a lab and start its pmcd; -M: with the MMV agent
#   lab.sh logger -d DIR [-n NAME] [-P] [-c CONFIG] [-p PORT] [-a ARCHIVE] [-x 'ARGUMENT...']
#                                       start a pmlogger; prints its pid
#   lab.sh pmcd   -d DIR                start the pmcd again
#   lab.sh env    -d DIR                print what to eval to be in the lab
#   lab.sh stop   -d DIR                stop all daemons; DIR stays
#   lab.sh clean  -d DIR                stop all daemons and remove DIR
#
# With -o the lab cleans itself away when the process OWNER has gone, however it ended.
# DIR/NAME.pid holds a daemon's process id, DIR/NAME.log its log, DIR/NAME/ the archives.
# Status: 0 done; 1 it cannot be done; 2 wrong usage; 3 a daemon did not come up.
set -u
export LC_ALL=C

fail() {
  status=$1
  shift
  echo "lab: $*" >&2
  exit "$status"
}

[ $# -gt 0 ] || fail 2 'usage: lab.sh start|logger|pmcd|env|stop|clean -d DIR [...]'
action=$1
shift
dir='' owner='' name=logger primary='' config='' port='' archive='' extra='' mmv=''
while getopts a:c:d:Mn:o:p:Px: option; do
  case $option in
  a) archive=$OPTARG ;;
  c) config=$OPTARG ;;
  d) dir=$OPTARG ;;
  M) mmv=yes ;;
  n) name=$OPTARG ;;
  o) owner=$OPTARG ;;
  p) port=$OPTARG ;;
  P) primary=-P ;;
  x) extra=$OPTARG ;;
  *) exit 2 ;;
  esac
done
case $dir in
/*) ;;
*) fail 2 '-d DIR is needed, an absolute path' ;;
esac
# A unix socket's path has room for 107 bytes; /run/pmlogger.4194304.socket takes 28.
[ ${#dir} -le 75 ] || fail 2 "the path is too long for sockets in it: $dir"

# --- the machine's PCP ------------------------------------------------------------------------

stock=${PCP_DIR-}/etc/pcp.conf
stock() {
  sed -n "s/^$1=//p" "$stock" | tail -n 1
}

# A variable that is set outranks the file; these have to be the lab's.
unset PCP_RUN_DIR PCP_TMP_DIR PCP_TMPFILE_DIR PCP_LOG_DIR PCP_ARCHIVE_DIR PCP_PMCDCONF_PATH \
  PCP_USER PCP_GROUP PCP_DERIVED_CONFIG PCP_HOST PMNS_DEFAULT PMCD_HOST

write_config() {
  sed -e "s|^PCP_RUN_DIR=.*|PCP_RUN_DIR=$dir/run|" \
    -e "s|^PCP_TMP_DIR=.*|PCP_TMP_DIR=$dir/tmp|" \
    -e "s|^PCP_TMPFILE_DIR=.*|PCP_TMPFILE_DIR=$dir/tmp|" \
    -e "s|^PCP_LOG_DIR=.*|PCP_LOG_DIR=$dir/log|" \
    -e "s|^PCP_ARCHIVE_DIR=.*|PCP_ARCHIVE_DIR=$dir/log|" \
    -e "s|^PCP_PMCDCONF_PATH=.*|PCP_PMCDCONF_PATH=$dir/pmcd.conf|" \
    -e "s|^PCP_USER=.*|PCP_USER=$(id -un)|" \
    -e "s|^PCP_GROUP=.*|PCP_GROUP=$(id -gn)|" "$stock" >"$dir/pcp.conf"
}

# The sample agent stands in twice. Not as a library both times: there the second would take over
# the first one's number, and all look-ups of its metrics would fail.
write_agents() {
  cat >"$dir/pmcd.conf" <<END
pmcd 2 dso pmcd_init $agents/pmcd/pmda_pmcd.so
linux 60 dso linux_init $agents/linux/pmda_linux.so
sample 29 pipe binary $agents/sample/pmdasample -d 29 -l $dir/log/sample.log
sampledso 30 dso sample_init $agents/sample/pmda_sample.so
END
  [ -z "$mmv" ] || echo "mmv 70 dso mmv_init $agents/mmv/pmda_mmv.so" >>"$dir/pmcd.conf"
}

fragment() {
  for folder in "$(stock PCP_VAR_DIR)/pmns" /usr/lib/pcp/pmns /usr/libexec/pcp/pmns; do
    if [ -r "$folder/root_$1" ]; then
      echo "$folder/root_$1"
      return
    fi
  done
  fail 1 "no name space of the agent $1"
}

# The installed name space exists only where PCP's services have been started once.
write_names() {
  {
    echo '#define SAMPLE 29'
    echo '#define SAMPLEDSO 30'
    printf 'root {\n    sample\n    sampledso\n%s}\n' "${mmv:+mmv 70:*:* }"
    cat "$agents/sample/pmns"
    sed -e 's/^sample/sampledso/' -e 's/SAMPLE:/SAMPLEDSO:/' "$agents/sample/pmns"
  } >"$dir/pmns/sample"
  linux=$(fragment linux) && pmcd=$(fragment pmcd) || exit 1
  "$binaries/pmnsmerge" -a "$linux" "$pmcd" "$dir/pmns/sample" "$dir/pmns/root" \
    >"$dir/pmns/log" 2>&1 || fail 1 "pmnsmerge: $(cat "$dir/pmns/log")"
}

# --- processes --------------------------------------------------------------------------------

# A zombie has gone: PID 1 of a container may never ask for it.
is_alive() {
  [ -r "/proc/$1/stat" ] && ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status" 2>/dev/null
}

# The number may have passed to another process by now.
is_ours() {
  is_alive "$1" && tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -qF "$dir/"
}

stop_one() {
  tries=0
  while is_ours "$1" && [ $tries -lt 100 ]; do
    signal=TERM
    [ $tries -lt 50 ] || signal=KILL
    kill -s $signal "$1" 2>/dev/null
    kill -s CONT "$1" 2>/dev/null
    sleep 0.05
    tries=$((tries + 1))
  done
}

stop_all() {
  for file in "$dir"/*.pid; do
    [ -e "$file" ] || continue
    [ "$file" = "$dir/pmcd.pid" ] || stop_one "$(cat "$file")"
  done
  [ ! -e "$dir/pmcd.pid" ] || stop_one "$(cat "$dir/pmcd.pid")"
  rm -f "$dir"/*.pid
  # Whatever has been forgotten: a name that was used twice, a start that was interrupted.
  for pid in $(pgrep -f "^[^ ]*(pmcd|pmlogger|pmdasample) .*$dir/"); do
    stop_one "$pid"
  done
}

# wait_for PID LOG COMMAND...: until it succeeds, at most half a minute.
wait_for() {
  pid=$1 log=$2
  shift 2
  tries=0
  while ! "$@" >/dev/null 2>&1; do
    if ! is_alive "$pid" || [ $tries -ge 600 ]; then
      cat "$log" >&2
      stop_one "$pid"
      return 3
    fi
    sleep 0.05
    tries=$((tries + 1))
  done
}

# Asks the kernel; nobody else may take it meanwhile, so each lab looks in a range of its own.
free_port() {
  candidate=$1
  while :; do
    hex=$(printf ':%04X' "$candidate")
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
      awk -v hex="$hex" '$4 == "0A" && substr($2, length($2) - 4) == hex { found = 1 }
        END { exit found }' && break
    candidate=$((candidate + 1))
  done
  echo "$candidate"
}

# --- the lab ----------------------------------------------------------------------------------

enter() {
  [ -r "$dir/env" ] || fail 1 "no lab in $dir"
  # shellcheck disable=SC1091 # written below
  . "$dir/env"
  export PCP_CONF PMCD_PORT PMCD_SOCKET PMCD_LOCAL PMLOGGER_PORT PMLOGGER_LOCAL
}

make() {
  agents=$(stock PCP_PMDAS_DIR) binaries=$(stock PCP_BINADM_DIR)
  [ -x "$binaries/pmcd" ] || fail 1 "no pmcd in $binaries"
  mkdir -p "$dir/run" "$dir/tmp/mmv" "$dir/tmp/pmlogger" "$dir/log" "$dir/pmns" || exit 1
  chmod 755 "$dir" || exit 1
  write_config && write_agents && write_names || exit 1
  base=$((20000 + $$ % 1000 * 10))
  pmcd_port=$(free_port $base)
  cat >"$dir/env" <<END
PCP_CONF=$dir/pcp.conf
PMCD_PORT=$pmcd_port
PMCD_SOCKET=$dir/run/pmcd.socket
PMCD_LOCAL=1
PMLOGGER_PORT=$((pmcd_port + 1))
PMLOGGER_LOCAL=1
END
}

# -f: a pmcd that stays in the foreground; -U: else root's would become another user.
start_pmcd() {
  "$(stock PCP_BINADM_DIR)/pmcd" -f -A -n "$dir/pmns/root" -c "$dir/pmcd.conf" -l "$dir/pmcd.log" \
    -s "$PMCD_SOCKET" -U "$(id -un)" >"$dir/pmcd.out" 2>&1 </dev/null 3>&- &
  echo $! >"$dir/pmcd.pid"
  wait_for $! "$dir/pmcd.log" pminfo -h "unix:$PMCD_SOCKET" -f pmcd.version ||
    fail 3 'pmcd did not come up'
}

is_there() {
  [ -S "$dir/run/pmlogger.$1.socket" ] && [ "$(wc -l <"$dir/tmp/pmlogger/$1")" -ge 4 ]
}

# After SIGKILL port file, socket and links stay behind; then no other can be the primary one.
drop_stale() {
  for file in "$dir"/tmp/pmlogger/[0-9]*; do
    is_alive "${file##*/}" || rm -f "$file" "$dir/run/pmlogger.${file##*/}.socket"
  done
  for file in "$dir/tmp/pmlogger/primary" "$dir/run/pmlogger.primary.socket"; do
    [ -e "$file" ] || rm -f "$file"
  done
}

# -L: stay though nothing is to be logged; -m: the note; -U: else a primary of root's would become
# another user. A pmlogger never overwrites an archive, so each start has a name of its own.
start_logger() {
  [ -z "$primary" ] || drop_stale
  mkdir -p "$dir/$name"
  if [ -z "$config" ]; then
    config=$dir/$name/config
    : >"$config"
  fi
  # One that may use loopback only does not look for the next free port as it would otherwise.
  PMLOGGER_PORT=${port:-$(free_port "$PMLOGGER_PORT")}
  export PMLOGGER_PORT
  # shellcheck disable=SC2086 # words
  pmlogger $primary -U "$(id -un)" -L -c "$config" -l "$dir/$name.log" -m "lab $name" $extra \
    "$dir/$name/${archive:-archive-$$}" >"$dir/$name.out" 2>&1 </dev/null 3>&- &
  echo $! >"$dir/$name.pid"
  wait_for $! "$dir/$name.log" is_there $! || fail 3 "pmlogger $name did not come up"
  cat "$dir/$name.pid"
}

# In a session of its own, so that what ends the owner's whole group does not end it too.
keep() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  setsid sh -c 'while [ -e "/proc/$1" ] && [ -e "$2/env" ]; do sleep 1; done
    [ ! -e "$2/env" ] || sh "$2/lab.sh" clean -d "$2"' keep "$owner" "$dir" \
    >/dev/null 2>&1 </dev/null 3>&- &
}

case $action in
start)
  [ ! -e "$dir/env" ] || fail 1 "there is a lab in $dir"
  make
  enter
  if [ -n "$owner" ]; then
    # A copy, since the source tree may go meanwhile.
    cmp -s "$0" "$dir/lab.sh" || cp "$0" "$dir/lab.sh" || exit 1
    keep
  fi
  start_pmcd
  ;;
pmcd)
  enter
  start_pmcd
  ;;
logger)
  enter
  start_logger
  ;;
env)
  enter
  sed 's/^/export /' "$dir/env"
  ;;
stop)
  enter
  stop_all
  ;;
clean)
  [ -e "$dir/env" ] || exit 0
  stop_all
  rm -rf "$dir"
  ;;
*) fail 2 "unknown action: $action" ;;
esac
