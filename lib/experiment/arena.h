/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings that live as long as the model they belong to, and arrays that grow. */
#ifndef PU_EXPERIMENT_ARENA_H
#define PU_EXPERIMENT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/span.h"

struct pu_chunk;

/* Start from zeros; release with pu_arena_free(). */
struct pu_arena {
    struct pu_chunk *chunks; /* owned */
    size_t used;             /* bytes of the first one */
    bool failed;             /* memory ran out: some strings are "" */
};

/* A copy with a NUL behind it. "" when memory runs out. NULs inside are kept; `size` tells. */
const char *pu_arena_text(struct pu_arena *arena, struct pu_span text);
void pu_arena_free(struct pu_arena *arena);

/* Room for one more item of `size` bytes, or false when memory runs out. */
bool pu_exp_grow(void *items, size_t *room, size_t count, size_t size) PU_MUST_CHECK;

#endif
