/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the numbers in labels mean: the names of metrics and instances, found fast in any file. */
#ifndef PU_MMV_LABEL_INDEX_H
#define PU_MMV_LABEL_INDEX_H

#include "mmv/decode.h"

struct pu_mmv_label_thing {
    uint64_t key; /* item; or serial and internal id */
    size_t order; /* in the file */
    struct pu_span name;
};

/* The instances of an indom, all inside the file. */
struct pu_mmv_label_run {
    uint32_t serial;
    size_t order;
    uint64_t offset; /* of the first one */
    size_t count;
};

struct pu_mmv_label_index {
    struct pu_mmv_label_thing *metrics; /* owned; all sorted */
    size_t metric_count;
    struct pu_mmv_label_thing *instances; /* owned */
    size_t instance_count;
    struct pu_mmv_label_run *runs; /* owned */
    size_t run_count;
};

/*
 * `mmv` must stay. Runs that claim the same instances again and again are left out after a while.
 * Errors: PU_E_SYSTEM (ENOMEM). Release with pu_mmv_label_index_free() in any case.
 */
int pu_mmv_label_index(const struct pu_mmv *mmv, struct pu_mmv_label_index *index,
                       struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_label_index_free(struct pu_mmv_label_index *index);

/* The first in the file; false when there is none. */
bool pu_mmv_label_index_metric(const struct pu_mmv_label_index *index, uint32_t item,
                               struct pu_span *name);
bool pu_mmv_label_index_instance(const struct pu_mmv_label_index *index, uint32_t serial,
                                 int32_t id, struct pu_span *name);

/* The first run of that serial, which the others follow, or NULL; there are `count`. */
const struct pu_mmv_label_run *pu_mmv_label_index_runs(const struct pu_mmv_label_index *index,
                                                       uint32_t serial, size_t *count);

#endif
