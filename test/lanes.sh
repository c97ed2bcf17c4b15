#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The slow checks, one lane each; ends with "N passed, N failed", one a lane.
# usage: sh test/lanes.sh [LANE...]
# Builds, logs and inputs that crashed a fuzz target stay in build-lanes/. FUZZ_SECONDS (20) is
# the time a fuzz target gets.
set -u
export LC_ALL=C

all_lanes="lint tree sanitize fuzz valgrind options install dist"

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(dirname "$here")
work=$top/build-lanes
cd "$top" || exit 1

# --- helpers ----------------------------------------------------------------------------------

# The project's files, without what git ignores; a folder unpacked from a tarball has no git.
files() {
  if [ -e .git ]; then
    git -c safe.directory="$top" ls-files --cached --others --exclude-standard |
      while IFS= read -r file; do
        [ ! -f "$file" ] || echo "$file"
      done
  else
    find . -type f ! -path './build*' | sed 's,^\./,,'
  fi
}

# The names of this project hold no blanks. meson.build files lie between the others everywhere.
files_like() {
  files | grep -E "$1" | grep -v '/meson\.build$'
}

setup() {
  dir=$1
  shift
  rm -rf "$dir"
  meson setup --fatal-meson-warnings -Dwerror=true "$@" "$dir" "$top"
}

build() {
  setup "$@"
  meson compile -C "$1"
}

# As it is installed; several lanes look at it.
plain_build() {
  [ -e "$work/plain/build.ninja" ] || setup "$work/plain" --prefix=/usr \
    -Dbash_completion_dir=share/bash-completion/completions -Dfish_completion_dir=share/fish/vendor_completions.d
  meson compile -C "$work/plain"
}

# check LABEL COMMAND...: goes on after a failure, so that one run shows them all.
check() {
  label=$1
  shift
  "$@" || {
    echo "FAILED: $label"
    bad=1
  }
}

cores() {
  nproc 2>/dev/null || echo 1
}

# --- lanes: each runs under set -e in a shell of its own, its output in a log -----------------

# All suites, by clang; run.sh alone takes the system's compiler. A report ends the program by a signal: no test can take
# that for one of our statuses. To look for leaks takes a process as long again as everything else it does, so that is done
# here for what tests functions, and for a case or more of each tool by valgrind.
lane_sanitize() {
  export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
  export LSAN_OPTIONS=exitcode=99
  export CC=clang
  asan=abort_on_error=1:detect_stack_use_after_return=1
  set -- -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all
  build "$work/sanitize" "$@"
  ASAN_OPTIONS=$asan:detect_leaks=1 meson test -C "$work/sanitize" --no-rebuild --print-errorlogs --suite unit
  ASAN_OPTIONS=$asan:detect_leaks=0 sh test/run.sh "$work/sanitize" "$@"
}

lane_fuzz() {
  export CC=clang
  build "$work/fuzz" -Dfuzz=enabled
  rm -rf "$work/fuzz-crash"
  mkdir "$work/fuzz-crash"
  found=0
  running=
  bad=0
  for target in "$work"/fuzz/test/fuzz/fuzz-*; do
    if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
    found=$((found + 1))
    fuzz_one "$target" >"$target.log" 2>&1 &
    running="$running $!:$target"
    [ $((found % $(cores))) -ne 0 ] || fuzz_wait
  done
  fuzz_wait
  [ $found -gt 0 ] || {
    echo "no fuzz target"
    bad=1
  }
  return $bad
}

# The corpus itself is not written to: what a run finds goes to the first, temporary folder.
fuzz_one() {
  name=${1##*/fuzz-}
  mkdir -p "$1.found"
  set -- "$1" "$1.found"
  [ ! -d "test/fuzz/corpus/fuzz-$name" ] || set -- "$@" "test/fuzz/corpus/fuzz-$name"
  [ ! -f "test/fuzz/$name.dict" ] || set -- "$@" "-dict=test/fuzz/$name.dict"
  "$@" -max_total_time="${FUZZ_SECONDS:-20}" -max_len=65536 -timeout=5 -rss_limit_mb=512 \
    -artifact_prefix="$work/fuzz-crash/$name-" -print_final_stats=1
}

fuzz_wait() {
  for one in $running; do
    if wait "${one%%:*}"; then
      echo "${one##*/}: $(sed -n 's/^stat::number_of_executed_units: *//p' "${one#*:}.log") runs"
    else
      bad=1
      tail -n 40 "${one#*:}.log"
      echo "FAILED: ${one##*/}; the input: $(ls -d "$work/fuzz-crash/${one##*/fuzz-}"-*)"
    fi
  done
  running=
}

lane_valgrind() {
  plain_build
  valgrind="valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
  # A program that goes on behind a fault needs all of its registers.
  valgrind="$valgrind --vex-iropt-register-updates=allregs-at-mem-access"
  meson test -C "$work/plain" --no-rebuild --print-errorlogs --suite unit \
    --timeout-multiplier 20 --wrap "$valgrind"
  valgrind_cases | while read -r expected tool arguments; do
    status=0
    # shellcheck disable=SC2086 # words, and patterns that may match several files
    $valgrind "$work/plain/cmd/$tool" $arguments >/dev/null || status=$?
    [ $status -eq "$expected" ] || {
      echo "FAILED: $tool $arguments: status $status, not $expected"
      exit 1
    }
  done
}

# Status, tool and arguments; good and bad inputs for each tool.
valgrind_cases() {
  head -c 700 test/fuzz/corpus/fuzz-mmv/seed-v3 >"$work/cut"
  /usr/bin/python3 test/fixture/event.py archive 3 "$work/log"
  rm -rf "$work/experiments"
  python3 -B test/fixture/experiment.py --all "$work/experiments"
  cp -r "$work/experiments/plain.er" "$work/experiments/cut.er"
  truncate -s 3000 "$work/experiments/cut.er/log.xml" "$work/experiments/cut.er/heaptrace"
  cp test/fuzz/corpus/fuzz-mmv/seed-v1 "$work/labelled"
  cp test/fuzz/corpus/fuzz-mmv/seed-types "$work/types"
  cat <<EOF
0 erexp-inspect $work/experiments/family.er
0 erexp-inspect --json $work/experiments/java.er
0 erexp-inspect tree --dot $work/experiments/kernel.er
0 erexp-inspect check $work/experiments/linked.er
0 erexp-inspect dump --file dyntext $work/experiments/java.er
0 erexp-inspect dump --file iotrace --json $work/experiments/plain.er
3 erexp-inspect archives $work/experiments/plain.er
3 erexp-inspect check --json $work/experiments
3 erexp-inspect dump --file log.xml --json-lines $work/experiments/cut.er
0 mmvdump --help
0 mmvdump test/fuzz/corpus/fuzz-mmv/seed-v1
0 mmvdump --json test/fuzz/corpus/fuzz-mmv/seed-v3
0 mmvdump --openmetrics test/fuzz/corpus/fuzz-mmv/seed-texts
0 mmvdump --follow --samples 2 --interval 10ms test/fuzz/corpus/fuzz-mmv/seed-types
3 mmvdump $work/cut
0 mmvcheck --rules
0 evarray verify --rules
0 evarray dump --csv test/fuzz/corpus/fuzz-event/seed-alltypes-us test/fuzz/corpus/fuzz-event/seed-big-endian-strings-ns
0 evarray dump --json-lines -a $work/log --param *=n*
0 evarray verify --all --hostzone -a $work/log
0 evarray pack -a $work/log test/demo/events.jsonl
3 evarray verify test/fuzz/corpus/fuzz-event/nested-us
3 evarray dump test/fuzz/corpus/fuzz-event/records-2-of-1-us
0 evarray pack test/demo/events.jsonl
3 evarray pack README.md
3 mmvcheck test/fuzz/corpus/fuzz-mmv
3 mmvcheck --json $work/cut
0 mmvlabel list --effective test/fuzz/corpus/fuzz-mmv/seed-v3
3 mmvlabel list --json $work/cut
0 mmvlabel set --metric 1 $work/labelled a=[1,{"b":2}] c=x
0 mmvlabel unset --metric 1 $work/labelled c
0 mmvlabel clear --all $work/labelled
3 mmvlabel clear --all $work/cut
0 mmvcreate --force --output $work/created test/demo/shop.json
3 mmvcreate --output $work/refused test/fuzz/corpus/fuzz-mmv/seed-v1
0 mmvset --print $work/types t2=1 t4+=2.5 t9=start
0 mmvset --dry-run $work/types t2+=1 t9=stop
1 mmvset $work/types nothing=1
3 mmvset $work/cut m=1
0 pmlcctl --help
2 pmlcctl mandatory-on kernel.all.load
1 pmlcctl --socket $work/no-socket status
1 pmlcctl query @$work/no-file
EOF
}

lane_lint() {
  bad=0
  check clang-format each '^(cmd|lib|test)/.*\.[ch]$' clang-format --dry-run -Werror
  check shellcheck each '\.sh$|^\.ci/run$' shellcheck
  check 'shellcheck bats' each '^test/.*\.(bats|bash)$' shellcheck -s bats
  check 'shellcheck completions' each '^completions/bash/' shellcheck -s bash
  check 'bash -n' each '^completions/bash/' bash -n
  check 'zsh -n' each '^completions/zsh/' zsh -n
  check 'fish -n' each '^completions/fish/' fish -n
  check codespell each "$prose" codespell -L nd,thrid
  check mandoc each '^man/.*\.[157]$' mandoc -T lint -W warning
  check 'SPDX lines' spdx
  return $bad
}

# Where people wrote the words.
prose='^(lib|cmd|man|completions|\.ci)/|^test/[^/]*$|^test/(cli|unit|fuzz|lab|bench)/[^/]*$|\.md$'

# each REGEX COMMAND...: one file at a time, since not every one of these commands takes more.
each() {
  regex=$1
  result=0
  shift
  for file in $(files_like "$regex"); do
    "$@" "$file" || {
      echo "in $file"
      result=1
    }
  done
  return $result
}

# Data, expected output and JSON have no place for a comment.
spdx() {
  result=0
  for file in $(files | grep -vE '^LICENSE$|^test/(data|golden|fuzz/corpus)/|\.jsonl?$'); do
    head -n 5 "$file" | grep -q 'SPDX-License-Identifier: ' || {
      echo "$file"
      result=1
    }
  done
  return $result
}

lane_tree() {
  plain_build
  sh test/layers.sh "$work/plain"
  sh test/sizes.sh
}

# With every feature off it builds (the tests, three quarters of the work, are built elsewhere), and what cannot be had is
# refused rather than left out.
lane_options() {
  build "$work/options" -Dtests=disabled -Dlibelf=disabled -Dlzma=disabled -Dzstd=disabled -Dman=disabled \
    -Dbash_completion_dir=no -Dzsh_completion_dir=no -Dfish_completion_dir=no
  build "$work/options" -Dtests=disabled -Dpcp_wrapper=enabled
  echo "== -Dfuzz=enabled with gcc"
  export CC=gcc
  if setup "$work/options" -Dfuzz=enabled; then
    echo "FAILED: -Dfuzz=enabled with gcc must be refused"
    return 1
  fi
}

lane_install() {
  root=$work/root
  rm -rf "$root"
  plain_build
  DESTDIR=$root meson install -C "$work/plain" --no-rebuild
  expected_files | sort >"$work/install-expected"
  (cd "$root" && find . ! -type d | sed 's,^\./,,' | sort) >"$work/install-found"
  diff -u "$work/install-expected" "$work/install-found"
  version=$(sed -n "s/^  version: '\(.*\)',\$/\1/p" meson.build)
  for tool in $(tools); do
    "$root/usr/bin/$tool" --version | grep -F "$version"
  done
}

# A tool is a file under cmd/, or a folder there where it has verbs.
tools() {
  for tool in cmd/*; do
    case $tool in
    *.c) basename "$tool" .c ;;
    *) [ ! -d "$tool" ] || basename "$tool" ;;
    esac
  done
}

expected_files() {
  for tool in $(tools); do
    echo "usr/bin/$tool"
    echo "usr/share/man/man1/$tool.1"
    echo "usr/share/bash-completion/completions/$tool"
    echo "usr/share/zsh/site-functions/_$tool"
    echo "usr/share/fish/vendor_completions.d/$tool.fish"
  done
  echo usr/share/pcputils/mmvspec.schema.json
  for page in man/*.[57]; do
    [ ! -f "$page" ] || echo "usr/share/man/man${page##*.}/${page#man/}"
  done
}

# The tarball has to hold all that the tree does, and to build. The commit is made in a copy, so that uncommitted work is
# tried as well.
lane_dist() {
  clone=$work/dist/clone
  rm -rf "$work/dist"
  mkdir -p "$clone"
  files >"$work/dist/files"
  tar -cf - -T "$work/dist/files" | tar -xf - -C "$clone"
  cd "$clone"
  git init -q
  git add -A
  git -c user.name=dist -c user.email=dist@localhost commit -q -m dist
  meson setup --fatal-meson-warnings build
  meson dist -C build --no-tests --formats gztar
  cd "$work/dist"
  tar -xf "$clone"/build/meson-dist/*.tar.gz
  cd pcputils-*/
  find . -type f | sed 's,^\./,,' | sort >"$work/dist/found"
  sort "$work/dist/files" | diff -u - "$work/dist/found"
  build "$PWD/build"
  meson test -C build --no-rebuild --print-errorlogs --suite unit
}

# --- running them -----------------------------------------------------------------------------

passed=0
failed=0

# A lane is a process of its own: set -e has no effect in a function whose status is asked for.
run_lane() {
  log=$work/$1.log
  sh "$here/lanes.sh" --inside "$1" >"$log" 2>&1 </dev/null
  status=$?
  if [ $status -eq 0 ]; then
    passed=$((passed + 1))
    echo "ok - $1$(sed -n '$s/^\([0-9]* passed, 0 failed\)$/ (\1)/p' "$log")"
  else
    failed=$((failed + 1))
    echo "not ok - $1 (status $status; the whole log: $log)"
    tail -n 60 "$log" | sed 's/^/  /'
  fi
}

known_lane() {
  case " $all_lanes " in
  *" $1 "*) ;;
  *)
    echo "lanes: no lane '$1'; there are: $all_lanes" >&2
    exit 2
    ;;
  esac
}

if [ "${1-}" = --inside ]; then
  set -e
  "lane_$2"
  exit
fi
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $all_lanes
for lane in "$@"; do
  known_lane "$lane"
done
mkdir -p "$work" || exit 1
if sh "$here/deps.sh" lanes; then
  for lane in "$@"; do
    run_lane "$lane"
  done
else
  failed=1
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
