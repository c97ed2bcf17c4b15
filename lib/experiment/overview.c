/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/overview.h"

#include "base/time.h"

/* Where fields lie in a record of 64 bits; with 32 bits numbers are half as wide. */
enum { TIME = 8, TIMES = 72, TIME_SIZE = 16, COUNTS = 328, COUNT_SIZE = 8 };

size_t pu_overview_size(bool is_64)
{
    return is_64 ? 504 : 256;
}

/* In a record of 32 bits: pid and count, then the rest half as wide. */
static uint64_t place(unsigned int offset, bool is_64)
{
    return is_64 ? offset : 8 + (offset - 8) / 2;
}

static int64_t word_at(struct pu_span bytes, uint64_t offset, bool is_64, enum pu_order order)
{
    struct pu_cursor cursor = pu_cursor(bytes, offset, order);

    return is_64 ? pu_cursor_i64(&cursor) : pu_cursor_i32(&cursor);
}

/* Seconds and nanoseconds; 0 for what cannot be. */
static int64_t time_at(struct pu_span bytes, unsigned int offset, bool is_64, enum pu_order order)
{
    uint64_t at = place(offset, is_64);
    int64_t seconds = word_at(bytes, at, is_64, order);
    int64_t rest = word_at(bytes, at + (is_64 ? 8 : 4), is_64, order);

    if (seconds < 0 || seconds > INT64_MAX / PU_NANOSECONDS - 1 || rest < 0 ||
        rest >= PU_NANOSECONDS)
        return 0;
    return seconds * PU_NANOSECONDS + rest;
}

static uint64_t count_at(struct pu_span bytes, unsigned int index, bool is_64, enum pu_order order)
{
    return (uint64_t)word_at(bytes, place(COUNTS + index * COUNT_SIZE, is_64), is_64, order);
}

struct pu_overview_record pu_overview_at(struct pu_span bytes, uint64_t offset, bool is_64,
                                         enum pu_order order)
{
    struct pu_span record = pu_span_clip(bytes, offset, pu_overview_size(is_64));
    struct pu_cursor cursor = pu_cursor(record, 0, order);
    struct pu_overview_record to = {.pid = pu_cursor_i32(&cursor),
                                    .lwps = pu_cursor_i32(&cursor),
                                    .time = time_at(record, TIME, is_64, order)};

    for (unsigned int i = 0; i < PU_OVERVIEW_TIMES; i++)
        to.times[i] = time_at(record, TIMES + i * TIME_SIZE, is_64, order);
    for (unsigned int i = 0; i < PU_OVERVIEW_COUNTS; i++)
        to.counts[i] = count_at(record, i, is_64, order);
    return to;
}
