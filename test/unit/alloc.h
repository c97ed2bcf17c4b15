/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that runs out: every piece of work is done again and again, with the first allocation
 * failing, then the second, and so on, until one run needs no failing one. Linked with --wrap, so
 * that each allocation of the library comes by here. Leaks are for valgrind, and are counted too.
 */
#ifndef PU_TEST_ALLOC_H
#define PU_TEST_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tap.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void __wrap_free(void *old);

static unsigned int allocations_until_failure; /* 0: none fails */
static bool failed;
static int blocks; /* allocated and not yet freed */

static bool fails(void)
{
    if (allocations_until_failure == 0 || --allocations_until_failure > 0)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    if (fails())
        return NULL;
    blocks++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (fails())
        return NULL;
    blocks++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    blocks += !old;
    return __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    if (fails())
        return NULL;
    blocks += !old;
    return __real_reallocarray(old, count, size);
}

void __wrap_free(void *old)
{
    blocks -= old != NULL;
    __real_free(old);
}

/* Does its work and gives everything back. Returns whether it said that memory had run out. */
typedef bool work(void);

static void sweep(work *do_work, unsigned int fewest_allocations)
{
    unsigned int nth = 0;
    unsigned int silent = 0;

    do {
        allocations_until_failure = ++nth;
        failed = false;
        silent += do_work() != failed;
        allocations_until_failure = 0;
    } while (failed && nth < 10000);
    CHECK_EQ_U64(silent, 0);
    CHECK_EQ_I64(blocks, 0);
    CHECK(nth > fewest_allocations);
    CHECK(nth < 10000);
}

#endif
