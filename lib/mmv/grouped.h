/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of a file by metric, whatever their order in the file. */
#ifndef PU_MMV_GROUPED_H
#define PU_MMV_GROUPED_H

#include "mmv/walk.h"

struct pu_mmv_grouped {
    uint64_t *offsets; /* owned: where values stand, by metric, in file order within one */
    size_t *starts;    /* owned: by metric, and one more: where its part of `offsets` begins */
};

/*
 * Values without a metric, and those that were not asked for, are left out; damage goes to the
 * view. Takes 24 bytes a value while it works. Errors: PU_E_SYSTEM (ENOMEM). Release with
 * pu_mmv_grouped_free() in any case.
 */
int pu_mmv_group(const struct pu_mmv_view *view, struct pu_mmv_grouped *grouped,
                 struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_grouped_free(struct pu_mmv_grouped *grouped);

/* How many values a metric has, and where the i-th stands. */
static inline size_t pu_mmv_grouped_count(const struct pu_mmv_grouped *grouped, size_t metric)
{
    return grouped->starts[metric + 1] - grouped->starts[metric];
}

static inline uint64_t pu_mmv_grouped_at(const struct pu_mmv_grouped *grouped, size_t metric,
                                         size_t i)
{
    return grouped->offsets[grouped->starts[metric] + i];
}

#endif
