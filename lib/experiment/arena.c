/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 16384

struct pu_chunk {
    struct pu_chunk *next;
    size_t size;
    char data[];
};

static bool add_chunk(struct pu_arena *arena, size_t size)
{
    size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct pu_chunk *chunk = malloc(sizeof(*chunk) + room);

    if (!chunk)
        return false;
    *chunk = (struct pu_chunk){.next = arena->chunks, .size = room};
    arena->chunks = chunk;
    arena->used = 0;
    return true;
}

const char *pu_arena_text(struct pu_arena *arena, struct pu_span text)
{
    size_t size = text.size + 1;

    if (text.size == 0)
        return "";
    if ((!arena->chunks || arena->chunks->size - arena->used < size) && !add_chunk(arena, size)) {
        arena->failed = true;
        return "";
    }
    char *copy = arena->chunks->data + arena->used;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    arena->used += size;
    return copy;
}

void pu_arena_free(struct pu_arena *arena)
{
    while (arena->chunks) {
        struct pu_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    memset(arena, 0, sizeof(*arena));
}

bool pu_exp_grow(void *items, size_t *room, size_t count, size_t size)
{
    void *old;

    if (count < *room)
        return true;
    size_t more = *room ? *room * 2 : 8;
    /* `items` is the address of a pointer of any type. */
    memcpy(&old, items, sizeof(old));
    void *grown = reallocarray(old, more, size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof(grown));
    *room = more;
    return true;
}
