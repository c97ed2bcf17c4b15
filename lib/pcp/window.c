/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pcp/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "pcp/compat.h"

static struct timespec timespec_of(int64_t point)
{
    struct timespec time = {point / PU_NANOSECONDS, point % PU_NANOSECONDS};

    if (time.tv_nsec < 0) {
        time.tv_sec--;
        time.tv_nsec += PU_NANOSECONDS;
    }
    return time;
}

static int64_t point_of(const struct timespec *time)
{
    int64_t point;

    if (__builtin_mul_overflow((int64_t)time->tv_sec, PU_NANOSECONDS, &point) ||
        __builtin_add_overflow(point, (int64_t)time->tv_nsec, &point))
        return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return point;
}

int pu_pcp_window(const struct pu_pcp_times *times, int64_t first, int64_t last, int64_t *from,
                  int64_t *to, struct pu_err *err)
{
    struct timespec limits[2] = {timespec_of(first), timespec_of(last)};
    struct timespec begin;
    struct timespec end;
    struct timespec origin;
    char *message = NULL;

    int result = pmParseHighResTimeWindow(times->start, times->finish, times->align, times->origin,
                                          &limits[0], &limits[1], &begin, &end, &origin, &message);
    if (result < 0) {
        /* Its last line says what is wrong; those before it show where. */
        const char *line = message ? message : "not a time window";
        while (strchr(line, '\n') && strchr(line, '\n')[1])
            line = strchr(line, '\n') + 1;
        line += strspn(line, " ^-");
        pu_err_set(err, PU_E_SYNTAX, "%.*s", (int)strcspn(line, "\n"), line);
        free(message);
        return -1;
    }
    /* The origin is the beginning if it is not given, and what is aligned in any case. */
    *from = times->start || times->align || times->origin ? point_of(&origin) : INT64_MIN;
    *to = times->finish ? point_of(&end) : INT64_MAX;
    return 0;
}
