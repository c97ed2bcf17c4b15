/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/pace.h"

#include <errno.h>

#include "base/time.h"

struct timespec pu_pace_start(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now;
}

void pu_pace_wait(struct timespec *next, int64_t interval)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - next->tv_sec > interval / PU_NANOSECONDS + 1)
        *next = now;
    next->tv_sec += interval / PU_NANOSECONDS;
    next->tv_nsec += interval % PU_NANOSECONDS;
    if (next->tv_nsec >= PU_NANOSECONDS) {
        next->tv_sec++;
        next->tv_nsec -= PU_NANOSECONDS;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
        continue;
}
