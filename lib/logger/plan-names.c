/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From selectors to metrics: names and descriptions, looked up in batches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "logger/plan-private.h"
#include "pcp/compat.h"

/* pmcd takes 64 KiB from a client at once. */
#define NAMES_BYTES 32768
#define NAMES_MAX   2048
#define DESCS_MAX   4096

/* Their numbers are of the process that defines them: to a logger they mean something else. */
#define DERIVED_DOMAIN 511

/* Round trips that all of the name space takes, about: one for each of its inner nodes. What would
 * take more is found in all of it, which is fetched once. */
#define ALL_TRIPS 400

/* `order` counts among those of the selector. */
static int add_entry(struct pu_plan *plan, const char *name, size_t selector, size_t order)
{
    struct pu_plan_entry *grown = plan->entries;

    if ((plan->entry_count & (plan->entry_count - 1)) == 0)
        grown = reallocarray(grown, plan->entry_count ? 2 * plan->entry_count : 1, sizeof(*grown));
    if (!grown)
        return -1;
    plan->entries = grown;
    grown[plan->entry_count] = (struct pu_plan_entry){
        .name = strdup(name),
        .selector = selector,
        .order = order,
        .pmid = PM_ID_NULL,
    };
    return grown[plan->entry_count++].name ? 0 : -1;
}

/* --- subtrees and patterns -------------------------------------------------------------------- */

struct traversal {
    struct pu_plan *plan;
    size_t selector;
    bool failed; /* memory ran out */
    size_t found;
};

static void take_in_order(struct traversal *in, const char *name, size_t order)
{
    const struct pu_selector *selector = &in->plan->selectors[in->selector];

    if (in->failed || (selector->glob && !pu_selector_has_metric(selector, pu_span_text(name))))
        return;
    in->failed = add_entry(in->plan, name, in->selector, order) < 0;
    in->found++;
}

static void take_name(const char *name, void *context)
{
    struct traversal *in = context;

    take_in_order(in, name, in->found);
}

static void take_part(struct traversal *in, const struct pu_plan_tree *tree, const char *root)
{
    size_t first;
    size_t end;

    pu_plan_tree_find(tree, root, &first, &end);
    for (; first < end; first++)
        take_in_order(in, tree->names[first].text, tree->names[first].order);
}

/* Adds what is below `root`; how many there were in `found`. */
static int traverse(struct pu_plan *plan, const struct pu_plan_tree *tree, size_t selector,
                    const char *root, size_t *found, struct pu_err *err)
{
    struct traversal in = {plan, selector, false, 0};
    int code = 0;

    if (tree->loaded)
        take_part(&in, tree, root);
    else
        code = pmTraversePMNS_r(root, take_name, &in);
    if (in.failed)
        return pu_plan_no_memory(err);
    if (pu_plan_is_fatal(code))
        return pu_plan_pmapi(err, code, "cannot look up metrics");
    *found = in.found;
    return 0;
}

/* Where to begin for a pattern: what stands before the last dot in front of its first wildcard. */
static int traverse_pattern(struct pu_plan *plan, const struct pu_plan_tree *tree, size_t selector,
                            size_t *found, struct pu_err *err)
{
    const char *pattern = plan->selectors[selector].metric;
    size_t size = strcspn(pattern, "*?");

    while (size > 0 && pattern[size - 1] != '.')
        size--;
    char *root = strndup(pattern, size > 0 ? size - 1 : 0);
    if (!root)
        return pu_plan_no_memory(err);
    int result = traverse(plan, tree, selector, root, found, err);
    free(root);
    return result;
}

/* --- look-ups --------------------------------------------------------------------------------- */

static int look_up_batch(struct pu_plan *plan, const size_t *places, int count, struct pu_err *err)
{
    const char *names[NAMES_MAX];
    pmID ids[NAMES_MAX];

    for (int i = 0; i < count; i++) {
        names[i] = plan->entries[places[i]].name;
        ids[i] = PM_ID_NULL;
    }
    int code = count ? pmLookupName(count, names, ids) : 0;
    if (pu_plan_is_fatal(code))
        return pu_plan_pmapi(err, code, "cannot look up metrics");
    for (int i = 0; i < count; i++) {
        plan->entries[places[i]].pmid = ids[i];
        plan->entries[places[i]].looked_up = true;
    }
    return 0;
}

/* All entries that have not been looked up. */
static int look_up_names(struct pu_plan *plan, struct pu_err *err)
{
    size_t places[NAMES_MAX];
    size_t bytes = 0;
    int count = 0;

    for (size_t i = 0; i < plan->entry_count; i++) {
        if (plan->entries[i].looked_up)
            continue;
        size_t size = strlen(plan->entries[i].name) + 8;
        if (count > 0 && (count == NAMES_MAX || bytes + size > NAMES_BYTES)) {
            if (look_up_batch(plan, places, count, err) < 0)
                return -1;
            count = 0;
            bytes = 0;
        }
        places[count++] = i;
        bytes += size;
    }
    return look_up_batch(plan, places, count, err);
}

/* Names that are no metric's may be those of subtrees. */
static bool may_be_subtree(const struct pu_plan *plan, const struct pu_plan_entry *entry)
{
    return entry->pmid == PM_ID_NULL && !plan->selectors[entry->selector].glob;
}

/* What subtrees have been replaced by is there; they themselves have no name any more. */
static void drop_subtrees(struct pu_plan *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->entry_count; i++) {
        if (plan->entries[i].name)
            plan->entries[kept++] = plan->entries[i];
    }
    plan->entry_count = kept;
}

static int expand_subtrees(struct pu_plan *plan, const struct pu_plan_tree *tree,
                           struct pu_err *err)
{
    size_t named = plan->entry_count;

    for (size_t i = 0; i < named; i++) {
        size_t found = 0;
        struct pu_plan_entry *entry = &plan->entries[i];
        if (may_be_subtree(plan, entry) &&
            traverse(plan, tree, entry->selector, entry->name, &found, err) < 0)
            return -1;
        if (found > 0) {
            free(plan->entries[i].name);
            plan->entries[i].name = NULL;
        }
    }
    drop_subtrees(plan);
    return 0;
}

static int load_for(struct pu_plan_tree *tree, size_t trips, struct pu_err *err)
{
    return trips > ALL_TRIPS && !tree->loaded ? pu_plan_tree_load(tree, err) : 0;
}

/* At least so many. */
static size_t trips_for(const char *pattern)
{
    size_t size = strcspn(pattern, "*?");

    return memchr(pattern, '.', size) ? 1 : ALL_TRIPS;
}

static int find_patterns(struct pu_plan *plan, struct pu_plan_tree *tree, struct pu_err *err)
{
    size_t trips = 0;

    for (size_t i = 0; i < plan->selector_count; i++)
        trips += plan->selectors[i].glob ? trips_for(plan->selectors[i].metric) : 0;
    if (load_for(tree, trips, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->selector_count; i++) {
        const struct pu_selector *selector = &plan->selectors[i];
        size_t found = 0;
        if (selector->glob && traverse_pattern(plan, tree, i, &found, err) < 0)
            return -1;
        if (found == 0 && add_entry(plan, selector->metric, i, 0) < 0)
            return pu_plan_no_memory(err);
    }
    return 0;
}

static int find_names(struct pu_plan *plan, struct pu_err *err)
{
    PU_CLEANUP(pu_plan_tree_free) struct pu_plan_tree tree = {0};
    size_t unknown = 0;

    if (find_patterns(plan, &tree, err) < 0 || look_up_names(plan, err) < 0)
        return -1;
    for (size_t i = 0; i < plan->entry_count; i++)
        unknown += may_be_subtree(plan, &plan->entries[i]);
    if (load_for(&tree, unknown, err) < 0 || expand_subtrees(plan, &tree, err) < 0)
        return -1;
    return look_up_names(plan, err);
}

/* --- metrics ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct pu_plan_entry *left = a;
    const struct pu_plan_entry *right = b;
    int order = strcmp(left->name, right->name);

    return order ? order : (left->selector > right->selector) - (left->selector < right->selector);
}

/* Subtrees were expanded after all names had been looked up. */
static int by_selector(const void *a, const void *b)
{
    const struct pu_plan_entry *left = a;
    const struct pu_plan_entry *right = b;

    if (left->selector != right->selector)
        return left->selector > right->selector ? 1 : -1;
    return (left->order > right->order) - (left->order < right->order);
}

static void sort_entries(struct pu_plan *plan)
{
    if (plan->entry_count == 0)
        return;
    qsort(plan->entries, plan->entry_count, sizeof(*plan->entries), by_selector);
    for (size_t i = 0; i < plan->entry_count; i++)
        plan->entries[i].order = i;
    qsort(plan->entries, plan->entry_count, sizeof(*plan->entries), by_name);
}

/* Metrics keep the order in which they were named first. */
static int by_order(const void *a, const void *b)
{
    const struct pu_plan_metric *left = a;
    const struct pu_plan_metric *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

static struct pu_plan_metric make_metric(const struct pu_plan *plan, size_t first)
{
    const struct pu_plan_entry *entry = &plan->entries[first];
    struct pu_plan_metric metric = {
        .name = pu_span_text(entry->name),
        .first_entry = first,
        .pmid = entry->pmid,
        .pmindom = PM_INDOM_NULL,
        .first = entry->order,
    };

    for (; first < plan->entry_count && strcmp(entry->name, plan->entries[first].name) == 0;
         first++) {
        const struct pu_plan_entry *one = &plan->entries[first];
        if (one->order < metric.first)
            metric.first = one->order;
        metric.all = metric.all || !plan->selectors[one->selector].instances;
    }
    metric.end_entry = first;
    if (metric.pmid == PM_ID_NULL)
        metric.fault = PU_VERDICT_NO_METRIC;
    else if (pmID_domain(metric.pmid) == DERIVED_DOMAIN)
        metric.fault = PU_VERDICT_DERIVED;
    return metric;
}

static int make_metrics(struct pu_plan *plan, struct pu_err *err)
{
    sort_entries(plan);
    plan->metrics = calloc(plan->entry_count + 1, sizeof(*plan->metrics));
    if (!plan->metrics)
        return pu_plan_no_memory(err);
    for (size_t i = 0; i < plan->entry_count; i = plan->metrics[plan->metric_count - 1].end_entry)
        plan->metrics[plan->metric_count++] = make_metric(plan, i);
    qsort(plan->metrics, plan->metric_count, sizeof(*plan->metrics), by_order);
    return 0;
}

/* One that the batch had no description of: why not? */
static void set_fault(struct pu_plan_metric *metric, const pmDesc *batch)
{
    pmDesc desc = *batch;

    if (desc.pmid == PM_ID_NULL)
        metric->code = pmLookupDesc(metric->pmid, &desc);
    if (metric->code < 0) {
        pu_plan_set_fault(metric, metric->code);
        return;
    }
    metric->pmindom = desc.indom;
    if (desc.type == PM_TYPE_NOSUPPORT)
        metric->fault = PU_VERDICT_UNSUPPORTED;
}

static int describe_batch(struct pu_plan *plan, const size_t *places, int count, pmID *ids,
                          pmDesc *descs, struct pu_err *err)
{
    for (int i = 0; i < count; i++)
        descs[i].pmid = PM_ID_NULL;
    int code = count ? pmLookupDescs(count, ids, descs) : 0;
    if (pu_plan_is_fatal(code))
        return pu_plan_pmapi(err, code, "cannot look up metrics");
    for (int i = 0; i < count; i++)
        set_fault(&plan->metrics[places[i]], &descs[i]);
    return 0;
}

static int describe(struct pu_plan *plan, struct pu_err *err)
{
    size_t room = plan->metric_count < DESCS_MAX ? plan->metric_count + 1 : DESCS_MAX;
    size_t *places = calloc(room, sizeof(*places));
    pmID *ids = calloc(room, sizeof(*ids));
    pmDesc *descs = calloc(room, sizeof(*descs));
    int result = places && ids && descs ? 0 : pu_plan_no_memory(err);
    int count = 0;

    for (size_t i = 0; i < plan->metric_count && result == 0; i++) {
        if (plan->metrics[i].fault)
            continue;
        places[count] = i;
        ids[count++] = plan->metrics[i].pmid;
        if (count < DESCS_MAX)
            continue;
        result = describe_batch(plan, places, count, ids, descs, err);
        count = 0;
    }
    if (result == 0)
        result = describe_batch(plan, places, count, ids, descs, err);
    free(places);
    free(ids);
    free(descs);
    return result;
}

int pu_plan_resolve(struct pu_plan *plan, struct pu_err *err)
{
    if (find_names(plan, err) < 0 || make_metrics(plan, err) < 0)
        return -1;
    return describe(plan, err);
}
