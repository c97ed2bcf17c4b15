/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instances that there are. */
#include <stdlib.h>
#include <string.h>

#include "logger/plan-private.h"
#include "pcp/compat.h"

static int compare_ids(int32_t left, int32_t right)
{
    return (left > right) - (left < right);
}

static int by_id(const void *a, const void *b)
{
    const struct pu_plan_instance *left = a;
    const struct pu_plan_instance *right = b;

    return compare_ids(left->id, right->id);
}

static int by_name(const void *a, const void *b)
{
    const struct pu_plan_instance *const *left = a;
    const struct pu_plan_instance *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

struct pu_plan_instance *pu_plan_instance_by_id(const struct pu_plan_indom *indom, int32_t id)
{
    struct pu_plan_instance key = {.id = id};

    if (!indom || indom->count == 0)
        return NULL;
    return bsearch(&key, indom->instances, indom->count, sizeof(key), by_id);
}

static int compare_name(const void *key, const void *item)
{
    const struct pu_span *name = key;
    const struct pu_plan_instance *const *instance = item;
    struct pu_span other = pu_span_text((*instance)->name);
    size_t size = name->size < other.size ? name->size : other.size;
    int order = memcmp(name->data, other.data, size);

    return order ? order : (name->size > other.size) - (name->size < other.size);
}

struct pu_plan_instance *pu_plan_instance_by_name(const struct pu_plan_indom *indom,
                                                  struct pu_span name)
{
    if (!indom || indom->count == 0)
        return NULL;
    struct pu_plan_instance **found = bsearch(&name, indom->by_name, indom->count,
                                              sizeof(struct pu_plan_instance *), compare_name);
    return found ? *found : NULL;
}

void pu_plan_indom_free(struct pu_plan_indom *indom)
{
    free(indom->ids);
    free(indom->names);
    free(indom->instances);
    free(indom->by_name);
    free(indom->values);
}

static void name_values(struct pu_plan_indom *indom)
{
    for (size_t i = 0; i < indom->count; i++)
        indom->values[i].inst = indom->ids[i];
    indom->values[indom->count].inst = PU_PLAN_NOBODY;
}

static int look_up(struct pu_plan_indom *indom, struct pu_err *err)
{
    int count = pmGetInDom(indom->indom, &indom->ids, &indom->names);

    if (count < 0) {
        indom->code = count;
        return pu_plan_is_fatal(count) ? pu_plan_pmapi(err, count, "cannot look up instances") : 0;
    }
    indom->count = (size_t)count;
    indom->instances = calloc(indom->count + 1, sizeof(*indom->instances));
    indom->by_name = calloc(indom->count + 1, sizeof(struct pu_plan_instance *));
    indom->values = calloc(indom->count + 1, sizeof(*indom->values));
    if (!indom->instances || !indom->by_name || !indom->values)
        return pu_plan_no_memory(err);
    name_values(indom);
    for (size_t i = 0; i < indom->count; i++)
        indom->instances[i] = (struct pu_plan_instance){indom->ids[i], indom->names[i], false};
    qsort(indom->instances, indom->count, sizeof(*indom->instances), by_id);
    for (size_t i = 0; i < indom->count; i++)
        indom->by_name[i] = &indom->instances[i];
    qsort(indom->by_name, indom->count, sizeof(struct pu_plan_instance *), by_name);
    return 0;
}

static int by_indom(const void *a, const void *b)
{
    const struct pu_plan_indom *left = a;
    const struct pu_plan_indom *right = b;

    return (left->indom > right->indom) - (left->indom < right->indom);
}

/* Each domain once. */
static void collect(struct pu_plan *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->metric_count; i++) {
        if (!plan->metrics[i].fault && plan->metrics[i].pmindom != PM_INDOM_NULL)
            plan->indoms[plan->indom_count++].indom = plan->metrics[i].pmindom;
    }
    if (plan->indom_count > 0)
        qsort(plan->indoms, plan->indom_count, sizeof(*plan->indoms), by_indom);
    for (size_t i = 0; i < plan->indom_count; i++) {
        if (kept == 0 || plan->indoms[kept - 1].indom != plan->indoms[i].indom)
            plan->indoms[kept++].indom = plan->indoms[i].indom;
    }
    plan->indom_count = kept;
}

int pu_plan_look_up_indoms(struct pu_plan *plan, struct pu_err *err)
{
    plan->indoms = calloc(plan->metric_count + 1, sizeof(*plan->indoms));
    if (!plan->indoms)
        return pu_plan_no_memory(err);
    collect(plan);
    for (size_t i = 0; i < plan->indom_count; i++) {
        if (look_up(&plan->indoms[i], err) < 0)
            return -1;
    }
    for (size_t i = 0; i < plan->metric_count; i++) {
        struct pu_plan_metric *metric = &plan->metrics[i];
        struct pu_plan_indom key = {.indom = metric->pmindom};
        if (!metric->fault && metric->pmindom != PM_INDOM_NULL)
            metric->indom = bsearch(&key, plan->indoms, plan->indom_count, sizeof(key), by_indom);
    }
    return 0;
}
