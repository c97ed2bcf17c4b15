/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Going through the values of a file with their metrics and instances found, what was not asked for
 * left out, and damage reported. All views and the follower see values through this.
 */
#ifndef PU_MMV_WALK_H
#define PU_MMV_WALK_H

#include "base/selector.h"
#include "mmv/decode.h"
#include "mmv/value.h"

/* What is to be shown of one file, and how. */
struct pu_mmv_view {
    const char *path; /* as the user gave it */
    struct pu_mmv *mmv;
    int64_t now;                         /* nanoseconds since 1970; for running intervals */
    const struct pu_selector *selectors; /* any of them picks; none = everything */
    size_t selector_count;
    bool *matched;            /* by selector: becomes true where it names a metric; or NULL */
    unsigned char *picked;    /* by metric, of pu_mmv_view_pick(); NULL = everything */
    struct pu_errors *damage; /* grows while values, strings and labels are shown */
};

/*
 * Fills `picked` from the selectors, which name a metric as the file does or as the agent exports
 * it, and `matched` with them. Errors: PU_E_SYSTEM (ENOMEM). Free `picked` with free().
 */
int pu_mmv_view_pick(struct pu_mmv_view *view, struct pu_err *err) PU_MUST_CHECK;
bool pu_mmv_view_has_metric(const struct pu_mmv_view *view, size_t metric);

/* A value with all that belongs to it. */
struct pu_mmv_reading {
    size_t index; /* of the value, among all of the file */
    struct pu_mmv_value value;
    size_t metric_index;                /* PU_MMV_NONE: it names no metric of the file */
    const struct pu_mmv_metric *metric; /* NULL likewise; valid until the next call */
    size_t instance_index;              /* PU_MMV_NONE: singular, or see has_instance */
    struct pu_mmv_instance instance;
    bool has_instance; /* the value should have an instance; it was found if instance_index says so
                        */
    struct pu_mmv_atom atom; /* PU_MMV_ATOM_UNKNOWN without a metric */
};

struct pu_mmv_walk {
    const struct pu_mmv_view *view;
    size_t toc;           /* the section that is walked */
    size_t next;          /* its record that comes next */
    size_t instance_hint; /* of pu_mmv_find_near() */
    size_t metric_index;  /* which one `metric` holds */
    struct pu_mmv_metric metric;
};

/*
 * The value at `offset`, of `metric`, which may be NULL: fills all but the index of the reading and
 * of its metric. Reports nothing.
 */
void pu_mmv_read(const struct pu_mmv_view *view, const struct pu_mmv_metric *metric,
                 uint64_t offset, struct pu_mmv_reading *reading);

/* Over the values of section `toc`, which must be of kind PU_MMV_VALUES. */
void pu_mmv_walk_section(struct pu_mmv_walk *walk, const struct pu_mmv_view *view, size_t toc);
/* The next value that was asked for; false at the end. */
bool pu_mmv_walk_next(struct pu_mmv_walk *walk, struct pu_mmv_reading *reading);

#endif
