#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What mmvcheck finds between files, and in a folder beside files.

load helpers
load mmvcheck-helpers

NOPREFIX=1
PROCESS=2

setup() {
  mkdir "$BATS_TEST_TMPDIR/dir"
  cd "$BATS_TEST_TMPDIR/dir" || return
}

# Root may read everything, unless it gives that up.
as_another() {
  if [ "$(id -u)" -eq 0 ]; then
    need setpriv
    setpriv --bounding-set=-dac_override,-dac_read_search "$@"
  else
    "$@"
  fi
}

# clusters_of: the file and the number of each cluster that the agent would choose.
clusters_of() {
  judge . | sed -n 's/^\(.*\):36: note: header: the cluster is 0: it would be \([0-9]*\);.*/\1 \2/p'
}

# --- numbers ----------------------------------------------------------------------------------

@test "different metrics with one number: both files are named, and whose values win" {
  file one 0 5 a:1:1
  file two 0 5 b:1:2
  run_judge 3 .
  assert_rules item-clash
  assert_output --partial './two:72: error: metric[0] "mmv.two.b": cluster 5, item 1 is "mmv.one.a" of ./one already;'
  assert_output --partial "the agent shows the first metric's values"
  run_judge 0 one two
  assert_output ''
}

@test "... and with different types" {
  file one 0 5 a:1:1:U32
  file two 0 5 b:1:text:STRING
  run_judge 3 .
  assert_rules item-type-clash
  assert_output --partial './two:'
  assert_output --partial 'cluster 5, item 1 has type 6 here and 1 in ./one, as "mmv.one.a";'
  assert_output --partial 'may crash'
}

@test "the same items in different clusters, and the same cluster with different items" {
  file one 0 5 a:1:1 b:2:2
  file two 0 6 a:1:1 b:2:2
  file three 0 5 a:3:1
  run_judge 0 .
  assert_output ''
}

@test "clusters that the agent chooses: which, and that they move" {
  file b 0 0 m:1:1
  file d 0 0 m:1:1
  file c 0 1 m:2:1
  run_judge 0 .
  assert_rules cluster-auto cluster-auto
  assert_equal "$(clusters_of)" $'./b 1\n./d 2'
  file a 0 0 m:1:1
  assert_equal "$(clusters_of)" $'./a 1\n./b 2\n./d 3'
  file a 0 3 m:1:1
  file e 0 0 m:1:1
  assert_equal "$(clusters_of)" $'./b 1\n./d 2\n./e 3'
}

@test "a cluster that the agent chose, hit by a later file's own" {
  file a 0 0 m:1:1
  file b 0 1 n:1:1
  run_judge 3 .
  assert_rules cluster-auto item-clash
  assert_output --partial './b:72: error: metric[0] "mmv.b.n": cluster 1, item 1 is "mmv.a.m" of ./a already;'
}

# Measured; see mmvcheck-agent.bats.
@test "a cluster that the agent chooses although the first file has it" {
  file a 0 2 m:1:1
  file b 0 1 m:1:1
  file c 0 0 m:1:1
  run_judge 3 .
  assert_equal "$(clusters_of)" './c 2'
  assert_rules cluster-auto item-clash
}

@test "files that the agent ignores take nothing away from others" {
  file a $PROCESS 0 m:1:1
  file b 0 0 m:1:1
  file c $((NOPREFIX | PROCESS)) 7 x:1:1
  file d $NOPREFIX 7 x.y:1:1
  run_judge 3 .
  assert_rules cluster-auto cluster-auto process-gone process-gone
  assert_equal "$(clusters_of)" './b 1'
}

@test "instance domains that become one, with the number" {
  "$PYTHON" - <<'EOF'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ['SRCDIR'], 'test', 'fixture'))
from mmv import *
for item, (name, cluster, serial) in enumerate((('one', 1, 1), ('two', 0x801, 1), ('three', 2, 1), ('four', 1, 1))):
  mmv = Mmv(cluster=cluster)
  indom = mmv.indom(serial, {1: name})
  mmv.value(mmv.metric('m', item=item, indom=indom), 1, name)
  with open(name, 'wb') as out:
    out.write(mmv.build())
EOF
  run_judge 3 .
  assert_output --partial './two:104: error: indom 1: cluster 2049, serial 1 and cluster 1, serial 1 are both indom 70.2049;'
  assert_rules cluster-spill indom-collision
}

# --- names ------------------------------------------------------------------------------------

@test "a metric above others in one file" {
  file one 0 5 a:1:1 a.b:2:2 a.c:3:3 b.a:4:4
  run_judge 3 .
  assert_rules leaf-and-branch leaf-and-branch
  assert_output --partial 'metric[1] "mmv.one.a.b": its name is below that of the metric "mmv.one.a" of ./one;'
}

@test "... and across files without prefix, whichever comes first" {
  file one $NOPREFIX 5 a:1:1
  file two $NOPREFIX 6 a.b.c:1:1
  run_judge 3 .
  assert_rules leaf-and-branch
  assert_output --partial './two:72: error: metric[0] "mmv.a.b.c": its name is below that of the metric "mmv.a" of ./one;'
  mv one zero
  mv two one
  run_judge 3 .
  assert_rules name-is-branch
  assert_output --partial './zero:72: error: metric[0] "mmv.a": the metric "mmv.a.b.c" of ./one is below it;'
}

@test "... what comes first stays" {
  file one $NOPREFIX 5 a.b:1:1 a:2:2 a.c:3:3 x:4:4 x.y:5:5 x.z:6:6
  run_judge 3 .
  assert_rules leaf-and-branch leaf-and-branch name-is-branch
  file one $NOPREFIX 5 a.b.c:1:1 a.b:2:2 a:3:3
  run_judge 3 .
  assert_rules name-is-branch name-is-branch
}

@test "... also when the one is a file's name" {
  file one 0 5 m:1:1
  file two $NOPREFIX 6 one:1:1
  run_judge 3 .
  assert_rules name-is-branch
  file two $NOPREFIX 6 one.m.x:1:1
  run_judge 3 .
  assert_rules leaf-and-branch
}

@test "one name for two metrics" {
  file one $NOPREFIX 5 a:1:1
  file two $NOPREFIX 6 a:1:2
  run_judge 3 .
  assert_rules duplicate-name
  assert_output --partial './two:72: error: metric[0] "mmv.a": a metric of ./one has this name already;'
}

@test "the agent's own names" {
  file control 0 5 reload:1:1 debug:2:1 files:3:1 metrics:4:1 others:5:1
  run_judge 3 .
  assert_rules duplicate-name duplicate-name duplicate-name duplicate-name
  assert_output --partial 'metric[0] "mmv.control.reload": the agent has a metric of this name itself;'
  run_judge 3 --reader 6.0 .
  assert_rules duplicate-name duplicate-name duplicate-name
  file control 0 5 reload.x:1:1
  run_judge 3 .
  assert_rules leaf-and-branch
  rm control
  file x $NOPREFIX 5 control:1:1
  run_judge 3 .
  assert_rules name-is-branch
  assert_output --partial 'its name is above that of the agent'"'"'s own metric "mmv.control.reload";'
}

# --- values -----------------------------------------------------------------------------------

@test "a metric spread over several files is no finding" {
  "$PYTHON" "$SRCDIR/test/fixture/mmv-rules.py" --all ..
  run_judge 0 ../value-shadowed-good
  assert_output ''
}

@test "... unless they have values for the same instance" {
  "$PYTHON" "$SRCDIR/test/fixture/mmv-rules.py" --all ..
  run_judge 3 ../value-shadowed-bad
  assert_rules value-shadowed
  assert_output --partial 'files from ../value-shadowed-bad/one on have values for 1 of its instances already, the first is 2;'
  file one $NOPREFIX 5 a:1:1
  file two $NOPREFIX 5 a:1:2
  file zero $NOPREFIX 5 b:2:2
  run_judge 3 .
  assert_rules value-shadowed
  assert_output --partial './two:72: error: metric[0] "mmv.a": ./one has a value for it already;'
}

# --- what else is there -----------------------------------------------------------------------

@test "a process that is gone" {
  file one $PROCESS 5 a:1:1
  run_judge 3 .
  assert_rules process-gone
  assert_output --partial './one:32: error: header: there is no process 2147483647;'
}

@test "dot-files, folders, pipes, links" {
  file good 0 5 a:1:1
  cp good .good.tmp
  mkdir sub
  mkfifo pipe
  ln -s nowhere dangling
  ln -s sub folder
  ln -s good double
  file ../outside 0 6 a:1:1
  ln -s ../outside elsewhere
  run_judge 3 --ignore item-clash .
  assert_output './.good.tmp: note: its name begins with a dot; the agent ignores it [dot-file]
./dangling: error: a link that leads nowhere; the agent ignores it [dangling-link]
./double: warning: it leads to good; the agent exports the same file twice [double-link]
./folder: warning: a directory; the agent ignores it [not-a-file]
./pipe: warning: not a regular file; the agent ignores it [not-a-file]
./sub: warning: a directory; the agent ignores it [not-a-file]'
  run_judge 3 --strict --ignore item-clash,dangling-link .
  run_judge 0 --strict --ignore item-clash,dangling-link,double-link,not-a-file .
  cd ..
  run_judge 3 dir/
  assert_line --partial 'dir/sub: '
}

@test "what does not belong there" {
  file good 0 5 a:1:1
  echo 'This is nothing of the kind, and was never meant to be.' >README
  : >empty
  run_judge 3 .
  assert_rules magic too-small
}

@test "an empty folder, and none" {
  run_judge 0 .
  assert_output ''
  run -1 --separate-stderr judge none
  assert_output ''
  assert_stderr 'mmvcheck: none: cannot open: No such file or directory'
}

@test "files and folders that the agent may not read" {
  id "$(pcp_config PCP_USER)" >/dev/null 2>&1 || skip 'there is no such user'
  [ "$(id -un)" != "$(pcp_config PCP_USER)" ] || skip 'this is that user'
  file good 0 5 a:1:1
  file barred 0 6 a:1:1
  chmod 600 barred
  run_judge 3 .
  assert_output "./barred: error: its mode is 0600, its owner $(id -u); the agent cannot read the file and ignores it [unreadable]"
  chmod 700 .
  run_judge 3 --ignore unreadable .
  assert_output ".: error: its mode is 0700, its owner $(id -u); the agent cannot read the directory and exports nothing [directory-closed]"
  chmod 711 .
  run_judge 3 --ignore unreadable .
  assert_rules directory-closed
}

@test "without that user nothing is said of it" {
  file barred 0 6 a:1:1
  chmod 600 barred
  chmod 700 .
  PCP_USER=no_such_user run_judge 0 .
  assert_output ''
}

@test "files and folders that we may not read: status 1" {
  file good 0 5 a:1:1
  file barred 0 0 a:1:1
  chmod 0 barred
  cp "$MMVCHECK" ../mmvcheck # the way to it may be barred too
  run -1 --separate-stderr as_another ../mmvcheck --ignore unreadable .
  assert_output ''
  assert_stderr 'mmvcheck: ./barred: cannot open: Permission denied'
  run -1 --separate-stderr as_another ../mmvcheck --ignore unreadable --json .
  assert_line --partial '"unread":['
  assert_line --partial '{"file":"./barred","errors":['
  assert_line --partial '{"message":"cannot open: Permission denied"}]}]}'
  cd ..
  chmod 0 dir
  run -1 --separate-stderr as_another ./mmvcheck --ignore directory-closed dir
  chmod 755 dir
  assert_output ''
  assert_stderr 'mmvcheck: dir: cannot read: Permission denied'
}

# --- while it changes -------------------------------------------------------------------------

# The first file makes mmvcheck wait for its writer; meanwhile the others go.
@test "a file that vanishes, itself or behind its link" {
  local try seen=
  fixture header-half-written >a
  file ../outside 0 6 a:1:1
  for ((try = 0; try < 200 && ${#seen} < 2; try++)); do
    file z 0 5 a:1:1
    cp ../outside ../target
    ln -sf ../target y
    judge --ignore cluster-auto,file-name . >../out 2>../err &
    local child=$!
    sleep "0.$(printf %02d $((try % 20)))"
    rm z ../target
    wait $child || [[ $? == 3 ]]
    assert_file_empty ../err
    if grep -qF './z: note: it was there when the directory was read; the file went away during the check [vanished]' ../out \
      && grep -q '^\./y: .*\[vanished\]$' ../out; then
      seen=xx
    fi
  done
  assert_equal "$seen" xx
}

@test "files that come and go all the time" {
  local i
  file good 0 5 a:1:1
  file ../one 0 6 a:1:1
  (
    trap 'exit 0' TERM
    while :; do
      cp ../one .tmp && mv .tmp x
      ln -sf x y
      rm x
      mkdir x
      rmdir x
    done
  ) >/dev/null 2>&1 3>&- &
  local writer=$!
  for ((i = 0; i < 20; i++)); do
    status=0
    judge . >../out 2>../err || status=$?
    echo "# $status $(cat ../out ../err)"
    [[ $status == 0 || $status == 3 ]]
    assert_file_empty ../err
    refute [ "$(sed 's/.*\[//' ../out | grep -cvE '^(vanished|dangling-link|double-link|dot-file|not-a-file|item-clash)\]$')" -gt 0 ]
  done
  kill $writer
  wait $writer || true
}

# --- many -------------------------------------------------------------------------------------

@test "a thousand files" {
  "$PYTHON" - <<'EOF'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ['SRCDIR'], 'test', 'fixture'))
from mmv import *
for i in range(1000):
  mmv = Mmv(cluster=i + 1)
  indom = mmv.indom(1, {n: 'i%d' % n for n in range(10)})
  for item in range(10):
    metric = mmv.metric('group.m%d' % item, item=item, indom=indom)
    for instance in indom.instances:
      mmv.value(metric, 1, instance)
  with open('f%d' % i, 'wb') as out:
    out.write(mmv.build())
EOF
  run_judge 0 .
  refute_output --partial ': error: '
  cp f0 f1000
  run_judge 3 .
  assert_equal "$(grep -c ': error: .*\[item-clash\]$' <<<"$output")" 10
}
