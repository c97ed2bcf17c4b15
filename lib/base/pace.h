/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing something again and again, at even intervals. */
#ifndef PU_BASE_PACE_H
#define PU_BASE_PACE_H

#include <stdint.h>
#include <time.h>

/* From now on. */
struct timespec pu_pace_start(void);

/*
 * Sleeps until `interval` nanoseconds after the last time. What takes longer than an interval does
 * not make the next ones come in a burst.
 */
void pu_pace_wait(struct timespec *next, int64_t interval);

#endif
