/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Test Anything Protocol: one line a check, the plan at the end. One includer a program. */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned int tap_count;
static unsigned int tap_failures;

static inline bool tap_report(bool good, int line, const char *what)
{
    tap_failures += !good;
    printf("%sok %u - line %d: %s\n", good ? "" : "not ", ++tap_count, line, what);
    return good;
}

static inline void tap_i64(int64_t got, int64_t wanted, int line, const char *what)
{
    if (!tap_report(got == wanted, line, what))
        printf("# got %" PRId64 ", wanted %" PRId64 "\n", got, wanted);
}

static inline void tap_u64(uint64_t got, uint64_t wanted, int line, const char *what)
{
    if (!tap_report(got == wanted, line, what))
        printf("# got %" PRIu64 ", wanted %" PRIu64 "\n", got, wanted);
}

/* A '#' would begin a directive, a line break would end the comment. */
static inline void tap_show(const char *name, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    printf("# %s [", name);
    for (size_t i = 0; i < size; i++)
        printf(at[i] >= ' ' && at[i] < 0x7f ? "%c" : "\\x%02x", at[i]);
    printf("]\n");
}

static inline void tap_bytes(const void *got, size_t got_size, const void *wanted,
                             size_t wanted_size, int line, const char *what)
{
    bool same = got_size == wanted_size && (!got_size || !memcmp(got, wanted, got_size));

    if (tap_report(same, line, what))
        return;
    tap_show("got   ", got, got_size);
    tap_show("wanted", wanted, wanted_size);
}

#define CHECK(expr)             tap_report((expr), __LINE__, #expr)
#define CHECK_EQ_I64(got, want) tap_i64((got), (want), __LINE__, #got " == " #want)
#define CHECK_EQ_U64(got, want) tap_u64((got), (want), __LINE__, #got " == " #want)
#define CHECK_EQ_STR(got, want) tap_string((got), (want), __LINE__, #got " == " #want)
#define CHECK_EQ_BYTES(got, got_size, want, want_size)                                             \
    tap_bytes((got), (got_size), (want), (want_size), __LINE__, #got " == " #want)

static inline void tap_string(const char *got, const char *wanted, int line, const char *what)
{
    tap_bytes(got, strlen(got), wanted, strlen(wanted), line, what);
}

static inline int tap_done(void)
{
    printf("1..%u\n", tap_count);
    return tap_failures == 0 && fflush(stdout) == 0 ? 0 : 1;
}

#endif
