/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a selector to the places of values that may be changed. Look-ups by exact names take about
 * the same time however many metrics and instances there are.
 */
#ifndef PU_MMV_TARGET_H
#define PU_MMV_TARGET_H

#include "base/buf.h"
#include "base/selector.h"
#include "mmv/fence.h"

/* A value that may be changed: its bytes are its own. */
struct pu_mmv_target {
    uint64_t offset; /* of its record */
    uint64_t slot;   /* of its text, if it is one */
    int32_t type;
};

/* What a metric, or an instance, is called. */
struct pu_mmv_called {
    struct pu_span name;
    int32_t id;    /* of an instance */
    uint64_t what; /* index of the metric, or offset of the value */
};

/* The instances of one metric, sorted; made when it is first asked for one of many. */
struct pu_mmv_called_list {
    struct pu_mmv_called *by_name, *by_id; /* owned */
};

struct pu_mmv_targets {
    const struct pu_mmv *mmv; /* borrowed */
    struct pu_mmv_grouped grouped;
    struct pu_mmv_fence fence;
    struct pu_buf prefix;                 /* of the names under which the agent exports metrics */
    struct pu_mmv_called *metrics;        /* owned; by name */
    struct pu_mmv_called_list *instances; /* owned; by metric */
};

/* What a look-up finds; grows. Start from zeros; free(items). */
struct pu_mmv_found {
    struct pu_mmv_target *items; /* owned */
    size_t count, capacity;
};

/*
 * `path` is where the file stands, for the names that the agent makes of it. Damage to values is
 * added to `damage`. Errors: PU_E_SYSTEM (ENOMEM). Release with pu_mmv_targets_free() in any case.
 */
int pu_mmv_targets_build(struct pu_mmv *mmv, const char *path, struct pu_mmv_targets *targets,
                         struct pu_errors *damage, struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_targets_free(struct pu_mmv_targets *targets);

/*
 * Adds the values that `selector` picks, in the order of metrics and, in them, of the file; what is
 * there already stays when it fails. Errors: PU_E_REFUSED when it picks none; PU_E_DAMAGED when a
 * value shares bytes with something else; PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_targets_find(struct pu_mmv_targets *targets, const struct pu_selector *selector,
                        struct pu_mmv_found *found, struct pu_err *err) PU_MUST_CHECK;

/* NAME[INSTANCE] of a value, cut if need be. */
#define PU_MMV_TARGET_NAME_MAX 128
const char *pu_mmv_target_name(const struct pu_mmv *mmv, uint64_t offset,
                               char to[PU_MMV_TARGET_NAME_MAX]);

#endif
