/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes from outside, and the only way to read them. Every access is checked against the size by
 * subtraction, so no sum can wrap, and copied with memcpy, so no alignment is assumed.
 */
#ifndef PU_BASE_SPAN_H
#define PU_BASE_SPAN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"

/* Borrowed bytes: never freed through the span. `data` may be NULL when `size` is 0. */
struct pu_span {
    const unsigned char *data;
    size_t size;
};

enum pu_order {
    PU_LITTLE,
    PU_BIG,
    PU_HOST = __BYTE_ORDER == __LITTLE_ENDIAN ? PU_LITTLE : PU_BIG,
    PU_FOREIGN = __BYTE_ORDER == __LITTLE_ENDIAN ? PU_BIG : PU_LITTLE,
};

/* A string as a span without its NUL. */
static inline struct pu_span pu_span_text(const char *text)
{
    return (struct pu_span){(const unsigned char *)text, strlen(text)};
}

/* Do `length` bytes at `offset` lie inside? */
static inline bool pu_span_has(struct pu_span span, uint64_t offset, uint64_t length)
{
    return offset <= span.size && length <= span.size - offset;
}

/* At most `length` bytes at `offset`: shorter at the end of the span, empty outside of it. */
static inline struct pu_span pu_span_clip(struct pu_span span, uint64_t offset, uint64_t length)
{
    if (offset >= span.size)
        return (struct pu_span){span.data, 0};
    size_t rest = span.size - offset;
    return (struct pu_span){span.data + offset, length < rest ? length : rest};
}

/* The bytes before the first NUL, or all of them when there is none. */
static inline struct pu_span pu_span_until_nul(struct pu_span span)
{
    if (span.size > 0)
        span.size = strnlen((const char *)span.data, span.size);
    return span;
}

bool pu_span_equal(struct pu_span a, struct pu_span b) PU_MUST_CHECK;

/* Below, equal to or above 0, as memcmp(); of two that begin alike the shorter one is below. */
int pu_span_compare(struct pu_span a, struct pu_span b) PU_MUST_CHECK;

/*
 * Reads numbers one after another. A read that does not fit yields 0 and makes the cursor `bad`
 * for good, so a whole record can be read before the one test.
 */
struct pu_cursor {
    struct pu_span span;
    uint64_t at;
    enum pu_order order;
    bool bad;
};

static inline struct pu_cursor pu_cursor(struct pu_span span, uint64_t offset, enum pu_order order)
{
    return (struct pu_cursor){.span = span, .at = offset, .order = order};
}

static inline void pu_cursor_copy(struct pu_cursor *cursor, void *to, size_t size)
{
    if (cursor->bad || !pu_span_has(cursor->span, cursor->at, size)) {
        cursor->bad = true;
        memset(to, 0, size);
        return;
    }
    memcpy(to, cursor->span.data + cursor->at, size);
    cursor->at += size;
}

static inline uint32_t pu_cursor_u32(struct pu_cursor *cursor)
{
    uint32_t word;

    pu_cursor_copy(cursor, &word, sizeof(word));
    return cursor->order == PU_HOST ? word : __builtin_bswap32(word);
}

static inline uint64_t pu_cursor_u64(struct pu_cursor *cursor)
{
    uint64_t word;

    pu_cursor_copy(cursor, &word, sizeof(word));
    return cursor->order == PU_HOST ? word : __builtin_bswap64(word);
}

static inline int32_t pu_cursor_i32(struct pu_cursor *cursor)
{
    return (int32_t)pu_cursor_u32(cursor);
}

static inline int64_t pu_cursor_i64(struct pu_cursor *cursor)
{
    return (int64_t)pu_cursor_u64(cursor);
}

/* The next `size` bytes as a span; empty, and the cursor bad, when they do not fit. */
static inline struct pu_span pu_cursor_bytes(struct pu_cursor *cursor, uint64_t size)
{
    if (cursor->bad || !pu_span_has(cursor->span, cursor->at, size)) {
        cursor->bad = true;
        return (struct pu_span){cursor->span.data, 0};
    }
    struct pu_span bytes = {cursor->span.data + cursor->at, size};
    cursor->at += size;
    return bytes;
}

#endif
