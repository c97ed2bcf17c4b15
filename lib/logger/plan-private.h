/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the plan share. */
#ifndef PU_LOGGER_PLAN_PRIVATE_H
#define PU_LOGGER_PLAN_PRIVATE_H

#include "logger/plan.h"

/* A name that a selector stands for. Entries are sorted by name, so that those of a metric are
 * beside each other. */
struct pu_plan_entry {
    char *name; /* owned */
    size_t selector;
    size_t order; /* as the user gave them */
    bool looked_up;
    uint32_t pmid; /* PM_ID_NULL: there is none */
};

struct pu_plan_instance {
    int32_t id;
    const char *name; /* borrowed from the names of the domain */
    bool wanted;      /* the logger would fetch it one by one */
};

/* No agent has an instance of this id. */
#define PU_PLAN_NOBODY 2147483646

struct pu_plan_indom {
    uint32_t indom;
    int code; /* PMAPI: it could not be looked up */
    size_t count;
    int *ids;                           /* owned, as libpcp gave them */
    char **names;                       /* owned, likewise */
    struct pu_plan_instance *instances; /* owned; by id */
    struct pu_plan_instance **by_name;  /* owned */
    struct pu_log_value *values;        /* owned: `count`, and nobody, as a request names them */
};

/* An error of PCP's. Returns -1. */
int pu_plan_pmapi(struct pu_err *err, int code, const char *what);
int pu_plan_no_memory(struct pu_err *err);

/* It cannot be looked up by us. */
void pu_plan_set_fault(struct pu_plan_metric *metric, int code);
/* Nor by the logger, which would exit if asked to change it. */
void pu_plan_set_logger_fault(struct pu_plan *plan, struct pu_plan_metric *metric, int code);

/* Has PCP failed as a whole, and not for one of the things that it was asked for? */
bool pu_plan_is_fatal(int code);

/* plan-tree.c: all names that there are, sorted; start from zeros. A part of them is [first, end).
 */
struct pu_plan_name {
    char *text;   /* owned */
    size_t order; /* as PCP tells them */
};

struct pu_plan_tree {
    struct pu_plan_name *names; /* owned */
    size_t count;
    bool loaded;
};

int pu_plan_tree_load(struct pu_plan_tree *tree, struct pu_err *err) PU_MUST_CHECK;
void pu_plan_tree_free(struct pu_plan_tree *tree);
/* Those below `root`; "" has all. */
void pu_plan_tree_find(const struct pu_plan_tree *tree, const char *root, size_t *first,
                       size_t *end);

/* plan-instances.c: the domains of all metrics without a fault. */
int pu_plan_look_up_indoms(struct pu_plan *plan, struct pu_err *err) PU_MUST_CHECK;
void pu_plan_indom_free(struct pu_plan_indom *indom);
struct pu_plan_instance *pu_plan_instance_by_id(const struct pu_plan_indom *indom, int32_t id);
struct pu_plan_instance *pu_plan_instance_by_name(const struct pu_plan_indom *indom,
                                                  struct pu_span name);

/* plan-items.c: the items of one metric, from how the logger says that it is logged. */
int pu_plan_make_items(struct pu_plan *plan, size_t metric, struct pu_log_set *set,
                       struct pu_err *err) PU_MUST_CHECK;

/* plan-enquire.c: the entries for all instances of the metrics for which `pick` is true. */
int pu_plan_probe(struct pu_plan *plan, struct pu_client *client,
                  bool (*pick)(const struct pu_plan *plan, const struct pu_plan_metric *metric),
                  struct pu_err *err) PU_MUST_CHECK;

/* The value of an instance in a set that has been sorted, or NULL. */
void pu_plan_sort_values(struct pu_log_set *set);
const struct pu_log_value *pu_plan_find_value(const struct pu_log_set *set, int32_t inst);

/* Is there an entry for all instances? */
static inline bool pu_plan_has_all_entry(const struct pu_plan_metric *metric)
{
    return PU_LOG_STATE(metric->all_word) != 0;
}

#endif
