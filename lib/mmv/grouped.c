/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/grouped.h"

#include <errno.h>
#include <stdlib.h>

/* A value and its metric, before they are sorted. */
struct pair {
    size_t metric;
    uint64_t offset;
};

static size_t collect(const struct pu_mmv_view *view, struct pair *pairs)
{
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;
    size_t count = 0;

    for (size_t toc = 0; toc < view->mmv->section_count; toc++) {
        if (view->mmv->sections[toc].kind != PU_MMV_VALUES)
            continue;
        pu_mmv_walk_section(&walk, view, toc);
        while (pu_mmv_walk_next(&walk, &reading)) {
            if (reading.metric_index != PU_MMV_NONE)
                pairs[count++] = (struct pair){reading.metric_index, reading.value.offset};
        }
    }
    return count;
}

/* Counting sort. `starts` runs one ahead while it counts, and is in place when all are placed. */
static void sort(const struct pair *pairs, size_t count, size_t metrics,
                 struct pu_mmv_grouped *grouped)
{
    size_t *next = grouped->starts + 1;

    for (size_t i = 0; i < count; i++)
        next[pairs[i].metric + 1]++;
    for (size_t i = 1; i <= metrics; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < count; i++)
        grouped->offsets[next[pairs[i].metric]++] = pairs[i].offset;
}

int pu_mmv_group(const struct pu_mmv_view *view, struct pu_mmv_grouped *grouped, struct pu_err *err)
{
    size_t metrics = view->mmv->counts[PU_MMV_METRICS];
    size_t values = view->mmv->counts[PU_MMV_VALUES];
    struct pair *pairs = calloc(values + 1, sizeof(*pairs));

    grouped->offsets = calloc(values + 1, sizeof(*grouped->offsets));
    grouped->starts = calloc(metrics + 2, sizeof(*grouped->starts));
    bool enough = pairs && grouped->offsets && grouped->starts;
    if (enough)
        sort(pairs, collect(view, pairs), metrics, grouped);
    free(pairs);
    return enough ? 0 : pu_err_system(err, ENOMEM, "cannot sort %zu values", values);
}

void pu_mmv_grouped_free(struct pu_mmv_grouped *grouped)
{
    free(grouped->offsets);
    free(grouped->starts);
    memset(grouped, 0, sizeof(*grouped));
}
