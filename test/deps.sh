#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what a command of this folder needs and leaves the machine's services as they were.
# usage: sh test/deps.sh demo|run|lanes
set -u
export LC_ALL=C

services='pmcd|pmie|pmlogger|pmproxy'
policy=/usr/sbin/policy-rc.d
own_policy=

# --- what each command needs ------------------------------------------------------------------

demo_packages() {
  echo gcc libc6-dev meson ninja-build pkg-config "$(libpcp_dev)" libjansson-dev libexpat1-dev liblzma-dev libzstd-dev
}

run_packages() {
  demo_packages
  echo pcp libpcp-mmv1-dev libpcp-pmda3-dev bats bats-support bats-assert bats-file
  echo binutils libelf-dev
  echo python3 python3-jsonschema python3-prometheus-client python3-pcp
  echo bash zsh fish bash-completion mandoc jq xz-utils zstd
}

lanes_packages() {
  run_packages
  echo clang "libclang-rt-$(clang_version)-dev" llvm clang-format
  echo codespell git shellcheck universal-ctags valgrind
}

# The same needs on systems without Debian's packages: commands, pkg-config and Python modules.
demo_needs() {
  echo cc meson ninja pkg-config pc:libpcp pc:jansson pc:expat pc:liblzma pc:libzstd
}

run_needs() {
  demo_needs
  echo gprofng pc:libelf
  echo pminfo pmlogger pmlc bats lib:pcp_mmv lib:pcp_pmda xz zstd py:jsonschema py:prometheus_client py:pcp
  echo bash zsh fish pc:bash-completion mandoc jq
}

lanes_needs() {
  run_needs
  echo clang llvm-symbolizer clang-format nm codespell git shellcheck ctags valgrind
}

# PCP 7 renamed the package; a machine has one or the other.
libpcp_dev() {
  if installed libpcp3-dev || ! known libpcp4-dev; then
    echo libpcp3-dev
  else
    echo libpcp4-dev
  fi
}

# The sanitizers' run time is packaged under the version that "clang" stands for.
clang_version() {
  version=$(apt-cache depends clang 2>/dev/null | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p')
  echo "${version:-14}"
}

# --- asking -----------------------------------------------------------------------------------

installed() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

known() {
  installed "$1" || apt-cache show "$1" >/dev/null 2>&1
}

missing_packages() {
  for package in $("$1"_packages); do
    installed "$package" || printf ' %s' "$package"
  done
}

present() {
  case $1 in
  pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
  py:*) "$(python)" -c "import ${1#py:}" 2>/dev/null ;;
  lib:*) echo 'int main(void){return 0;}' | cc -x c -o /dev/null - "-l${1#lib:}" 2>/dev/null ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# The system's Python has the system's modules; one found earlier in PATH may not.
python() {
  if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else echo python3; fi
}

missing_needs() {
  for need in $("$1"_needs); do
    present "$need" || printf ' %s' "$need"
  done
}

# --- installing -------------------------------------------------------------------------------

lists_missing() {
  ! find /var/lib/apt/lists -name '*_Packages*' 2>/dev/null | grep -q .
}

update() {
  echo "deps: apt-get update"
  quietly apt-get -q update
}

# SYSTEMD_OFFLINE: where systemd is installed and not running, PCP's installation fails without it.
install() {
  quietly env SYSTEMD_OFFLINE=1 DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

repair() {
  [ -n "$(dpkg --audit)" ] || return 0
  echo "deps: dpkg --configure -a"
  quietly env SYSTEMD_OFFLINE=1 DEBIAN_FRONTEND=noninteractive dpkg --configure -a
}

# Hundreds of lines that matter only when something went wrong.
quietly() {
  "$@" </dev/null >"$log" 2>&1 || {
    status=$?
    tail -n 40 "$log" >&2
    return $status
  }
}

service_links() {
  find /etc/systemd/system /etc/rc?.d -type l 2>/dev/null |
    grep -E "\.(wants|requires)/($services)|/rc.\.d/[SK][0-9]+($services)" | sort
}

keep_services_still() {
  service_links >"$links_before" || exit 1
  if [ ! -e "$policy" ]; then
    own_policy=$policy
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" || exit 1
  fi
}

# What was enabled before, by the machine's owner, stays so.
leave_services() {
  [ -e "$links_before" ] || return
  [ -z "$own_policy" ] || rm -f "$own_policy"
  service_links | comm -13 "$links_before" - | while IFS= read -r link; do
    rm -f "$link"
  done
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
}

# install_missing COMMAND. The names are asked for anew, as new lists may know others.
install_missing() {
  missing=$(missing_packages "$1")
  [ -n "$missing" ] || return 0
  echo "deps: installing:$missing"
  # shellcheck disable=SC2086 # a list of words
  install $missing
}

as_root() {
  scratch=$(mktemp -d) || exit 1
  log=$scratch/log
  links_before=$scratch/links
  trap 'leave_services; rm -rf "$scratch"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  keep_services_still
  if lists_missing; then update || exit 1; fi
  install_missing "$1" && exit 0
  # Lists older than the mirror name files that are gone from it; an interrupted dpkg refuses all.
  repair && update && install_missing "$1" && exit 0
  echo "deps: cannot install:$(missing_packages "$1")" >&2
  exit 1
}

debian() {
  missing=$(missing_packages "$1")
  [ -n "$missing" ] || exit 0
  if [ "$(id -u)" -eq 0 ]; then
    as_root "$1"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo -n sh "$0" "$1"
  else
    echo "deps: missing packages:$missing" >&2
    echo "deps: install them, or run as root: sh test/deps.sh $1" >&2
    exit 1
  fi
}

other() {
  missing=$(missing_needs "$1")
  [ -n "$missing" ] || exit 0
  echo "deps: missing (pc: pkg-config module, py: Python module, lib: library):$missing" >&2
  exit 1
}

case ${1-} in
demo | run | lanes) ;;
*)
  echo "usage: sh test/deps.sh demo|run|lanes" >&2
  exit 2
  ;;
esac
if command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; then
  debian "$1"
else
  other "$1"
fi
