/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metrics of several files sorted into OpenMetrics families, each with its values at hand.
 */
#ifndef PU_MMV_FAMILY_H
#define PU_MMV_FAMILY_H

#include "mmv/grouped.h"
#include "mmv/label.h"

/* What a metric is in OpenMetrics. */
enum pu_family_type { PU_FAMILY_COUNTER, PU_FAMILY_GAUGE, PU_FAMILY_UNKNOWN, PU_FAMILY_INFO };

/* A file, with its values by metric and its labels. */
struct pu_family_source {
    const struct pu_mmv_view *view;
    struct pu_mmv_grouped values;
    struct pu_mmv_label *labels;      /* owned */
    struct pu_mmv_label_pairs *pairs; /* owned: by label; names as OpenMetrics spells them */
    size_t label_count;
};

/* A metric of a file: its share of a family. */
struct pu_family_member {
    const struct pu_family_source *source;
    struct pu_mmv_metric metric;
    size_t metric_index;
    enum pu_family_type type;
    char *family; /* owned: name of the family */
    char *unit;   /* owned: may be empty */
    size_t order; /* in which it was met */
};

struct pu_families {
    struct pu_family_source *sources; /* owned */
    size_t source_count;
    struct pu_family_member *members; /* owned; sorted by family, then as they were met */
    size_t member_count;
};

/* Metrics without values are left out. Damage goes to the views. Errors: PU_E_SYSTEM (ENOMEM).
 * Release with pu_families_free() in any case. */
int pu_families_collect(struct pu_families *families, const struct pu_mmv_view *views, size_t count,
                        struct pu_err *err) PU_MUST_CHECK;
void pu_families_free(struct pu_families *families);

/* How many values a member has, and where the i-th stands. */
static inline size_t pu_family_size(const struct pu_family_member *member)
{
    return pu_mmv_grouped_count(&member->source->values, member->metric_index);
}

static inline uint64_t pu_family_value(const struct pu_family_member *member, size_t i)
{
    return pu_mmv_grouped_at(&member->source->values, member->metric_index, i);
}

#endif
