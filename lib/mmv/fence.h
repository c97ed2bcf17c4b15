/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which bytes of a file are one value's and nobody else's. A value has sixteen bytes of its record
 * and, if it is a text, the whole of its string slot. A file may claim that these are something
 * else too: part of the header, of a record, of a name, of another value. Such bytes are behind the
 * fence, and must not be changed for the sake of a value.
 */
#ifndef PU_MMV_FENCE_H
#define PU_MMV_FENCE_H

#include "mmv/decode.h"
#include "mmv/grouped.h"

struct pu_mmv_range {
    uint64_t start, end; /* [start, end) */
};

struct pu_mmv_fence {
    struct pu_mmv_range *ranges; /* owned; sorted, and apart from each other */
    size_t count;
};

/* `grouped`: all values. Errors: PU_E_SYSTEM (ENOMEM). Release with pu_mmv_fence_free(). */
int pu_mmv_fence_build(const struct pu_mmv *mmv, const struct pu_mmv_grouped *grouped,
                       struct pu_mmv_fence *fence, struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_fence_free(struct pu_mmv_fence *fence);

/* Are any of `size` bytes at `offset` behind the fence? */
bool pu_mmv_fence_touches(const struct pu_mmv_fence *fence, uint64_t offset, uint64_t size);

#endif
