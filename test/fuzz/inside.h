/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For readers that hand out parts of a file's bytes: they lie inside, whatever the byte order. */
#ifndef INSIDE_H
#define INSIDE_H

#include <stdlib.h>
#include <string.h>

#include "base/span.h"
#include "fuzz.h"

static inline void fuzz_check_inside(const struct pu_span *all, struct pu_span part)
{
    if (part.size > 0 &&
        (part.data < all->data || part.size > (size_t)(all->data + all->size - part.data)))
        abort();
}

/* Reads a copy that ends where the input does, so that a step too far is noticed. Returns 0. */
static inline int fuzz_both_orders(const uint8_t *data, size_t size,
                                   void (*read)(struct pu_span *all, enum pu_order order))
{
    unsigned char *copy = malloc(size);
    struct pu_span all = {copy, size};

    if (size > 0)
        memcpy(copy, data, size);
    read(&all, PU_LITTLE);
    read(&all, PU_BIG);
    free(copy);
    return 0;
}

#endif
