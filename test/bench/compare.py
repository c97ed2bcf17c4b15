#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times commands side by side: compare.py RUNS OUTPUT A... --- B...

Runs A and B in turn, RUNS times after one warm-up, standard output to the file OUTPUT; prints the
median of A's and B's wall and CPU seconds, of their ratio pair by pair, and the peak memory of A
and B in KiB (where it is more than that of this process, 10 MiB), tab-separated:
wall_a wall_b wall_ratio cpu_a cpu_b cpu_ratio rss_a rss_b.
"""

import os
import statistics
import sys
import time


def run(command, output):
    """Returns wall seconds, CPU seconds and peak KiB of one run."""
    if os.path.exists(output):
        os.unlink(output)  # giving its pages back is not the command's work
    stdout = (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    start = time.monotonic()
    # Not a fork: the copy of this process would be part of what is measured.
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[stdout])
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) not in (0, 3):  # 3: a checker found something
        sys.exit(f"compare.py: {' '.join(command)}: wait status {status}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    runs, output, rest = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    split = rest.index("---")
    a, b = rest[:split], rest[split + 1:]
    run(a, output)
    run(b, output)
    pairs = [(run(a, output), run(b, output)) for _ in range(runs)]

    def median(value):
        return statistics.median(value(x, y) for x, y in pairs)

    print("%.3f\t%.3f\t%.2f\t%.3f\t%.3f\t%.2f\t%d\t%d" % (
        median(lambda x, y: x[0]), median(lambda x, y: y[0]), median(lambda x, y: x[0] / y[0]),
        median(lambda x, y: x[1]), median(lambda x, y: y[1]), median(lambda x, y: x[1] / y[1]),
        max(x[2] for x, _ in pairs), max(y[2] for _, y in pairs)))


main()
