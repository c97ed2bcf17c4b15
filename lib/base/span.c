/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/span.h"

bool pu_span_equal(struct pu_span a, struct pu_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

int pu_span_compare(struct pu_span a, struct pu_span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}
