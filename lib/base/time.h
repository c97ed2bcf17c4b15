/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time in nanoseconds: points since 1970-01-01 00:00:00 UTC (any sign), intervals from 0 up.
 */
#ifndef PU_BASE_TIME_H
#define PU_BASE_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

#define PU_NANOSECONDS INT64_C(1000000000) /* in a second */
#define PU_TIME_MAX    40                  /* bytes the writers below never exceed */

/*
 * An interval in every form PCPIntro(1) documents: NUMBER[UNIT]..., added up, blanks ignored, any
 * case; units s sec secs second seconds, m min mins minute minutes, h hour hours, d day days; a
 * bare number is seconds; numbers may have a fraction and an exponent. Also ms msec msecs
 * millisecond milliseconds, us usec ..., ns nsec ..., which libpcp's own parser mistakes (it takes
 * 500ms for 500 minutes). Exact to the nanosecond for decimal input. Negative, empty, unknown unit,
 * "nan", hexadecimal and overflow of 64 bits are PU_E_SYNTAX errors with the column.
 */
int pu_time_parse_interval(const char *text, int64_t *interval, struct pu_err *err) PU_MUST_CHECK;

/*
 * A point in time: "now"; "@SECONDS" with an optional fraction; or ISO 8601, "2026-11-30",
 * "2026-11-30T12:35", "2026-11-30 12:35:12.5", each with an optional "Z", "+01:00", "-0130" (local
 * time, as TZ says, without one). Errors are PU_E_SYNTAX.
 */
int pu_time_parse_point(const char *text, int64_t *point, struct pu_err *err) PU_MUST_CHECK;

/* "2026-11-30T12:35:12.123456789Z": UTC, the fraction left out when it is 0. Returns bytes written
 * (no NUL). Every int64_t is a valid point. */
size_t pu_time_iso(char *to, int64_t point);

/* "2026-11-30 12:35:12.123": local time, cut to milliseconds. As above. */
size_t pu_time_local(char *to, int64_t point);

/* The same with six digits of fraction, or nine where six do not hold it. As above. */
size_t pu_time_local_exact(char *to, int64_t point);

int64_t pu_time_now(void);

/* Nanoseconds of a clock that nobody sets, to measure how long something takes. */
int64_t pu_time_clock(void);

#endif
