/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/index.h"

#include <errno.h>
#include <stdlib.h>

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
    for (size_t i = 1; i < index->count; i++) {
        if (index->places[i - 1].offset > index->places[i].offset) {
            qsort(index->places, index->count, sizeof(*index->places), by_offset);
            return;
        }
    }
}

/* Values mostly mean the same metric as the one before, and the next instance. */
static bool is_near(struct pu_mmv_index *index, uint64_t offset)
{
    size_t last = index->last;

    if (last < index->count && index->places[last].offset == offset)
        return true;
    if (last + 1 < index->count && index->places[last + 1].offset == offset) {
        index->last++;
        return true;
    }
    return false;
}

size_t pu_mmv_find(struct pu_mmv_index *index, uint64_t offset)
{
    size_t low = 0;
    size_t high = index->count;

    if (is_near(index, offset))
        return index->places[index->last].index;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->places[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->count || index->places[low].offset != offset)
        return PU_MMV_NONE;
    index->last = low;
    return index->places[low].index;
}
