/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding a place in a sorted list. */
#ifndef PU_BASE_SEARCH_H
#define PU_BASE_SEARCH_H

#include <stddef.h>

/*
 * The index of the first of `count` elements of `size` bytes for which `compare(element, key)` is
 * not below 0; `count` if there is none. The list is sorted in that sense. Where bsearch(3) finds
 * any of several that are equal, this finds the first, and where there is none, its place.
 */
static inline size_t pu_lower_bound(const void *key, const void *list, size_t count, size_t size,
                                    int (*compare)(const void *element, const void *key))
{
    size_t low = 0;

    while (count > 0) {
        size_t half = count / 2;
        if (compare((const char *)list + (low + half) * size, key) < 0) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

#endif
