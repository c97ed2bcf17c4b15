/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"

int pu_mmv_index_reserve(struct pu_mmv_index *index, size_t more, struct pu_err *err)
{
    if (more == 0)
        return 0;
    struct pu_mmv_place *places = reallocarray(index->places, index->count + more, sizeof(*places));
    if (!places)
        return pu_err_system(err, ENOMEM, "cannot hold %zu records", index->count + more);
    index->places = places;
    return 0;
}

void pu_mmv_index_add(struct pu_mmv_index *index, uint64_t offset)
{
    index->places[index->count] = (struct pu_mmv_place){offset, index->count};
    index->count++;
}

static int by_offset(const void *a, const void *b)
{
    const struct pu_mmv_place *left = a;
    const struct pu_mmv_place *right = b;

    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

void pu_mmv_index_sort(struct pu_mmv_index *index)
{
    bool sorted = true;

    for (size_t i = 1; i < index->count; i++)
        sorted &= index->places[i - 1].offset <= index->places[i].offset;
    if (!sorted)
        qsort(index->places, index->count, sizeof(*index->places), by_offset);
    for (size_t i = 1; i < index->count; i++)
        index->doubles |= index->places[i - 1].offset == index->places[i].offset;
}

/* Records of one section are evenly spaced, so that most look-ups need no search. */
static size_t guess(const struct pu_mmv_index *index, uint64_t offset)
{
    const struct pu_mmv_place *places = index->places;

    if (index->count < 2 || offset < places[0].offset || places[1].offset == places[0].offset)
        return 0;
    return (size_t)((offset - places[0].offset) / (places[1].offset - places[0].offset));
}

size_t pu_mmv_find(const struct pu_mmv_index *index, uint64_t offset)
{
    const struct pu_mmv_place key = {.offset = offset};
    size_t at = guess(index, offset);

    if (at < index->count && index->places[at].offset == offset && !index->doubles)
        return index->places[at].index;
    at = pu_lower_bound(&key, index->places, index->count, sizeof(*index->places), by_offset);
    if (at == index->count || index->places[at].offset != offset)
        return PU_MMV_NONE;
    return index->places[at].index;
}

size_t pu_mmv_find_near(const struct pu_mmv_index *index, uint64_t offset, size_t *hint)
{
    for (size_t at = *hint; at < index->count && at <= *hint + 1; at++) {
        if (index->places[at].offset == offset && !index->doubles) {
            *hint = at;
            return index->places[at].index;
        }
    }
    size_t found = pu_mmv_find(index, offset);
    if (found != PU_MMV_NONE)
        *hint = found; /* its place too, if the file is in order */
    return found;
}
