/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a metric, the instances named with it and the logger's answer to items. */
#include <stdlib.h>
#include <string.h>

#include "logger/plan-private.h"
#include "pcp/compat.h"

static struct pu_plan_item *add_item(struct pu_plan *plan, size_t metric)
{
    if (plan->item_count == plan->item_capacity) {
        size_t more = plan->item_capacity ? 2 * plan->item_capacity : 64;
        void *grown = reallocarray(plan->items, more, sizeof(*plan->items));
        if (!grown)
            return NULL;
        plan->items = grown;
        plan->item_capacity = more;
    }
    struct pu_plan_item *item = &plan->items[plan->item_count++];
    *item = (struct pu_plan_item){.metric = metric, .inst = PM_IN_NULL};
    return item;
}

static int by_inst(const void *a, const void *b)
{
    const struct pu_log_value *left = a;
    const struct pu_log_value *right = b;

    return (left->inst > right->inst) - (left->inst < right->inst);
}

void pu_plan_sort_values(struct pu_log_set *set)
{
    if (set->numval > 1)
        qsort(set->vlist, (size_t)set->numval, sizeof(*set->vlist), by_inst);
}

const struct pu_log_value *pu_plan_find_value(const struct pu_log_set *set, int32_t inst)
{
    struct pu_log_value key = {.inst = inst};

    if (set->numval <= 0)
        return NULL;
    return bsearch(&key, set->vlist, (size_t)set->numval, sizeof(key), by_inst);
}

/* One without instance: of a singular metric, of a faulty one, or of one that has none now. */
static int add_whole(struct pu_plan *plan, size_t metric, const struct pu_log_set *set)
{
    struct pu_plan_item *item = add_item(plan, metric);

    if (!item)
        return -1;
    item->verdict = plan->metrics[metric].fault;
    if (set && set->numval > 0) {
        item->before = set->vlist[0].value;
        item->has_before = true;
    }
    return 0;
}

static int add_instance(struct pu_plan *plan, size_t metric, const struct pu_log_set *set,
                        int32_t inst)
{
    const struct pu_plan_instance *known =
        pu_plan_instance_by_id(plan->metrics[metric].indom, inst);
    const struct pu_log_value *value = pu_plan_find_value(set, inst);
    struct pu_plan_item *item = add_item(plan, metric);

    if (!item)
        return -1;
    item->has_inst = true;
    item->inst = inst;
    if (known)
        item->name = pu_span_text(known->name);
    /* One that the logger has never heard of is in the state that all begin with. */
    item->has_before = true;
    item->before = value ? value->value : 0;
    return 0;
}

/* --- instances that were named ---------------------------------------------------------------- */

/* What has been picked of a metric, so that it is picked once. */
struct picking {
    struct pu_plan *plan;
    size_t metric;
    const struct pu_log_set *set;
    bool *taken; /* by place in the domain */
};

static bool looks_only(const struct pu_plan *plan)
{
    return plan->wish.control == PU_LOG_ENQUIRE;
}

static int take(struct picking *in, const struct pu_plan_instance *instance)
{
    bool *taken = &in->taken[instance - in->plan->metrics[in->metric].indom->instances];

    if (*taken)
        return 0;
    *taken = true;
    return add_instance(in->plan, in->metric, in->set, instance->id);
}

/* How many a pattern picks, or -1. */
static int64_t take_pattern(struct picking *in, struct pu_span pattern)
{
    const struct pu_plan_indom *indom = in->plan->metrics[in->metric].indom;
    int64_t count = 0;

    for (size_t i = 0; i < indom->count; i++) {
        if (!pu_glob_match(pattern, pu_span_text(indom->instances[i].name)))
            continue;
        if (take(in, &indom->instances[i]) < 0)
            return -1;
        count++;
    }
    return count;
}

/* One that has gone has no name any more, but a logger that logged it once still knows its id. */
static int take_id(struct picking *in, int32_t id)
{
    const struct pu_plan_instance *instance =
        pu_plan_instance_by_id(in->plan->metrics[in->metric].indom, id);

    if (instance)
        return take(in, instance) < 0 ? -1 : 1;
    if (!looks_only(in->plan) || !pu_plan_find_value(in->set, id))
        return 0;
    if (in->plan->metrics[in->metric].all)
        return 1;
    return add_instance(in->plan, in->metric, in->set, id) < 0 ? -1 : 1;
}

static int64_t take_selected(struct picking *in, const struct pu_selector_instance *wanted)
{
    struct pu_span name = {(const unsigned char *)wanted->name, wanted->name_size};
    const struct pu_plan_indom *indom = in->plan->metrics[in->metric].indom;

    if (!indom)
        return 0;
    switch (wanted->pick) {
    case PU_PICK_ID:
        return take_id(in, wanted->id);
    case PU_PICK_GLOB:
        return take_pattern(in, name);
    case PU_PICK_NAME:
        break;
    }
    const struct pu_plan_instance *instance = pu_plan_instance_by_name(indom, name);
    if (!instance)
        return 0;
    return take(in, instance) < 0 ? -1 : 1;
}

/* What was named and is not there. */
static int add_missing(struct picking *in, const struct pu_selector_instance *wanted)
{
    struct pu_plan_item *item = add_item(in->plan, in->metric);

    if (!item)
        return -1;
    item->verdict = PU_VERDICT_NO_INSTANCE;
    item->has_inst = wanted->pick == PU_PICK_ID;
    item->inst = wanted->id;
    if (wanted->pick != PU_PICK_ID)
        item->name = (struct pu_span){(const unsigned char *)wanted->name, wanted->name_size};
    if (!in->plan->metrics[in->metric].indom)
        item->reason = "the metric has no instances";
    return 0;
}

static int take_all_selected(struct picking *in)
{
    const struct pu_plan_metric *metric = &in->plan->metrics[in->metric];

    for (size_t i = metric->first_entry; i < metric->end_entry; i++) {
        const struct pu_selector *selector = &in->plan->selectors[in->plan->entries[i].selector];
        for (size_t k = 0; k < selector->count; k++) {
            int64_t count = take_selected(in, &selector->instances[k]);
            if (count < 0 || (count == 0 && add_missing(in, &selector->instances[k]) < 0))
                return -1;
        }
    }
    return 0;
}

/* If the metric was named as a whole too, what is missing is all that is left to tell. */
static int pick(struct pu_plan *plan, size_t metric, const struct pu_log_set *set)
{
    const struct pu_plan_indom *indom = plan->metrics[metric].indom;
    struct picking in = {plan, metric, set, NULL};
    size_t count = indom ? indom->count : 0;

    in.taken = calloc(count + 1, sizeof(*in.taken));
    if (!in.taken)
        return -1;
    memset(in.taken, plan->metrics[metric].all, count * sizeof(*in.taken));
    int result = take_all_selected(&in);
    free(in.taken);
    return result;
}

/* --- all instances ---------------------------------------------------------------------------- */

/* A change is answered for those that are there now; a question also for those that have gone. */
static int add_all(struct pu_plan *plan, size_t metric, const struct pu_log_set *set)
{
    const struct pu_plan_indom *indom = plan->metrics[metric].indom;
    size_t before = plan->item_count;

    for (int32_t i = 0; i < set->numval; i++) {
        int32_t inst = set->vlist[i].inst;
        if (!looks_only(plan) && indom->code == 0 && !pu_plan_instance_by_id(indom, inst))
            continue;
        if (add_instance(plan, metric, set, inst) < 0)
            return -1;
    }
    return plan->item_count == before ? add_whole(plan, metric, NULL) : 0;
}

/* Those that are fetched one by one make the logger's requests to pmcd longer, and pmcd drops a
 * client whose requests are too long. */
static void count_profile(struct pu_plan *plan, const struct pu_plan_metric *metric,
                          const struct pu_log_set *set)
{
    for (int32_t i = 0; metric->indom && i < set->numval; i++) {
        struct pu_plan_instance *instance =
            pu_plan_instance_by_id(metric->indom, set->vlist[i].inst);
        if (!PU_PMLC_GET_ON(set->vlist[i].value) || !instance || instance->wanted)
            continue;
        instance->wanted = true;
        plan->profile++;
    }
}

static int make_items(struct pu_plan *plan, size_t place, const struct pu_log_set *set)
{
    struct pu_plan_metric *metric = &plan->metrics[place];

    if (!metric->fault && !metric->all && metric->indom && metric->indom->code < 0) {
        metric->fault = PU_VERDICT_UNAVAILABLE;
        metric->code = metric->indom->code;
    }
    if (!set || metric->fault)
        return add_whole(plan, place, NULL);
    if (!metric->all)
        count_profile(plan, metric, set);
    else if ((metric->indom ? add_all(plan, place, set) : add_whole(plan, place, set)) < 0)
        return -1;
    return pick(plan, place, set);
}

int pu_plan_make_items(struct pu_plan *plan, size_t metric, struct pu_log_set *set,
                       struct pu_err *err)
{
    plan->metrics[metric].first = plan->item_count;
    if (set)
        pu_plan_sort_values(set);
    if (make_items(plan, metric, set) < 0)
        return pu_plan_no_memory(err);
    plan->metrics[metric].count = plan->item_count - plan->metrics[metric].first;
    return 0;
}
