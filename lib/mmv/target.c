/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/search.h"
#include "mmv/names.h"

/* Below this many, a look at each is as fast as a search. */
#define FEW 16

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold what is in the file");
}

static int by_name(const void *a, const void *b)
{
    const struct pu_mmv_called *left = a;
    const struct pu_mmv_called *right = b;
    int order = pu_span_compare(left->name, right->name);

    return order ? order : (left->what > right->what) - (left->what < right->what);
}

static int by_id(const void *a, const void *b)
{
    const struct pu_mmv_called *left = a;
    const struct pu_mmv_called *right = b;
    int order = (left->id > right->id) - (left->id < right->id);

    return order ? order : (left->what > right->what) - (left->what < right->what);
}

int pu_mmv_targets_build(struct pu_mmv *mmv, const char *path, struct pu_mmv_targets *targets,
                         struct pu_errors *damage, struct pu_err *err)
{
    const struct pu_mmv_view view = {.path = path, .mmv = mmv, .damage = damage};
    const struct pu_span nothing = {0};
    size_t count = mmv->counts[PU_MMV_METRICS];

    memset(targets, 0, sizeof(*targets));
    targets->mmv = mmv;
    if (pu_mmv_group(&view, &targets->grouped, err) < 0 ||
        pu_mmv_fence_build(mmv, &targets->grouped, &targets->fence, err) < 0)
        return -1;
    pu_mmv_full_name(&targets->prefix, path, &mmv->header, nothing);
    targets->metrics = calloc(count + 1, sizeof(*targets->metrics));
    targets->instances = calloc(count + 1, sizeof(*targets->instances));
    if (targets->prefix.failed || !targets->metrics || !targets->instances)
        return no_memory(err);
    for (struct pu_mmv_records metric = pu_mmv_records(mmv, PU_MMV_METRICS); pu_mmv_next(&metric);)
        targets->metrics[metric.index] = (struct pu_mmv_called){
            .name = pu_mmv_metric(mmv, metric.offset).name, .what = metric.index};
    qsort(targets->metrics, count, sizeof(*targets->metrics), by_name);
    return 0;
}

void pu_mmv_targets_free(struct pu_mmv_targets *targets)
{
    for (size_t i = 0; targets->instances && i < targets->mmv->counts[PU_MMV_METRICS]; i++) {
        free(targets->instances[i].by_name);
        free(targets->instances[i].by_id);
    }
    free(targets->instances);
    free(targets->metrics);
    pu_buf_free(&targets->prefix);
    pu_mmv_fence_free(&targets->fence);
    pu_mmv_grouped_free(&targets->grouped);
    memset(targets, 0, sizeof(*targets));
}

/* What a value is called, if it has an instance. */
static bool read_instance(const struct pu_mmv *mmv, uint64_t offset, struct pu_mmv_called *called)
{
    uint64_t at = pu_mmv_value(mmv, offset).instance_offset;
    struct pu_mmv_instance instance = {0};

    if (at != 0)
        instance = pu_mmv_instance(mmv, at);
    *called = (struct pu_mmv_called){instance.name, instance.id, offset};
    return at != 0;
}

/* One look-up. */
struct search {
    struct pu_mmv_targets *targets;
    const struct pu_selector *selector;
    struct pu_mmv_found *found;
    struct pu_err *err;
    bool has_metric; /* some metric is called that */
};

static int add(struct search *search, uint64_t offset)
{
    const struct pu_mmv *mmv = search->targets->mmv;
    const struct pu_mmv_fence *fence = &search->targets->fence;
    struct pu_mmv_found *found = search->found;
    struct pu_mmv_value value = pu_mmv_value(mmv, offset);
    struct pu_mmv_target target = {.offset = offset,
                                   .type = pu_mmv_metric(mmv, value.metric_offset).type};

    if (target.type == PU_MMV_STRING)
        target.slot = (uint64_t)value.extra;
    if (pu_mmv_fence_touches(fence, offset, 16))
        return pu_err_damage(search->err, offset,
                             "the file has something else in the same place as this value");
    if (target.type == PU_MMV_STRING &&
        (!pu_span_has(mmv->span, target.slot, PU_MMV_STRING_SIZE) ||
         pu_mmv_fence_touches(fence, target.slot, PU_MMV_STRING_SIZE)))
        return pu_err_damage(search->err, offset + 8,
                             "its text has no %d bytes for itself at offset %llu",
                             PU_MMV_STRING_SIZE, (unsigned long long)target.slot);
    if (found->count == found->capacity) {
        size_t capacity = found->capacity ? 2 * found->capacity : 64;
        void *items = reallocarray(found->items, capacity, sizeof(*found->items));
        if (!items)
            return no_memory(search->err);
        found->items = items;
        found->capacity = capacity;
    }
    found->items[found->count++] = target;
    return 0;
}

/* A look at each value of the metric. */
static int scan(struct search *search, size_t metric)
{
    const struct pu_mmv_grouped *grouped = &search->targets->grouped;
    struct pu_mmv_called called;

    for (size_t i = 0; i < pu_mmv_grouped_count(grouped, metric); i++) {
        uint64_t offset = pu_mmv_grouped_at(grouped, metric, i);
        bool wanted = read_instance(search->targets->mmv, offset, &called)
                          ? pu_selector_has_instance(search->selector, called.id, called.name)
                          : pu_selector_has_singular(search->selector);
        if (wanted && add(search, offset) < 0)
            return -1;
    }
    return 0;
}

/* The instances of a metric in one order. NULL: no memory. */
static struct pu_mmv_called *sorted(const struct pu_mmv_targets *targets, size_t metric,
                                    struct pu_mmv_called **list,
                                    int (*compare)(const void *, const void *))
{
    const struct pu_mmv_grouped *grouped = &targets->grouped;
    size_t count = pu_mmv_grouped_count(grouped, metric);

    if (*list)
        return *list;
    *list = calloc(count + 1, sizeof(**list));
    for (size_t i = 0; *list && i < count; i++)
        (void)read_instance(targets->mmv, pu_mmv_grouped_at(grouped, metric, i), &(*list)[i]);
    if (*list)
        qsort(*list, count, sizeof(**list), compare);
    return *list;
}

/* One instance of many, by its exact name or its id. */
static int search_one(struct search *search, size_t metric)
{
    struct pu_mmv_targets *targets = search->targets;
    const struct pu_selector_instance *pick = &search->selector->instances[0];
    size_t count = pu_mmv_grouped_count(&targets->grouped, metric);
    bool id = pick->pick == PU_PICK_ID;
    struct pu_mmv_called_list *lists = &targets->instances[metric];
    int (*compare)(const void *, const void *) = id ? by_id : by_name;
    struct pu_mmv_called *list =
        sorted(targets, metric, id ? &lists->by_id : &lists->by_name, compare);
    struct pu_mmv_called key = {.id = pick->id};

    if (!list)
        return no_memory(search->err);
    if (!id)
        key.name = (struct pu_span){(const unsigned char *)pick->name, pick->name_size};
    for (size_t at = pu_lower_bound(&key, list, count, sizeof(*list), compare); at < count; at++) {
        if (id ? list[at].id != key.id : !pu_span_equal(list[at].name, key.name))
            break;
        if (pu_mmv_value(targets->mmv, list[at].what).instance_offset != 0 &&
            add(search, list[at].what) < 0)
            return -1;
    }
    return 0;
}

static int search_metric(struct search *search, size_t metric)
{
    const struct pu_selector *selector = search->selector;

    search->has_metric = true;
    if (selector->instances && selector->count == 1 &&
        selector->instances[0].pick != PU_PICK_GLOB &&
        pu_mmv_grouped_count(&search->targets->grouped, metric) > FEW)
        return search_one(search, metric);
    return scan(search, metric);
}

/* All metrics of exactly that name. */
static int search_name(struct search *search, struct pu_span name)
{
    const struct pu_mmv_targets *targets = search->targets;
    size_t count = targets->mmv->counts[PU_MMV_METRICS];
    struct pu_mmv_called key = {.name = name};
    size_t at = pu_lower_bound(&key, targets->metrics, count, sizeof(*targets->metrics), by_name);

    for (; at < count && pu_span_equal(targets->metrics[at].name, name); at++) {
        if (search_metric(search, (size_t)targets->metrics[at].what) < 0)
            return -1;
    }
    return 0;
}

/* The name as the file has it, and as the agent exports it. */
static int search_exactly(struct search *search)
{
    struct pu_span name = pu_span_text(search->selector->metric);
    struct pu_span prefix = pu_buf_span(&search->targets->prefix);

    if (search_name(search, name) < 0)
        return -1;
    if (!pu_span_equal(pu_span_clip(name, 0, prefix.size), prefix))
        return 0;
    return search_name(search, pu_span_clip(name, prefix.size, name.size));
}

static int search_pattern(struct search *search)
{
    const struct pu_mmv *mmv = search->targets->mmv;
    struct pu_buf *full = &search->targets->prefix;
    size_t prefix = full->size;

    for (struct pu_mmv_records metric = pu_mmv_records(mmv, PU_MMV_METRICS);
         pu_mmv_next(&metric);) {
        struct pu_span name = pu_mmv_metric(mmv, metric.offset).name;
        pu_buf_add(full, name.data, name.size);
        bool wanted = pu_selector_has_metric(search->selector, name) ||
                      pu_selector_has_metric(search->selector, pu_buf_span(full));
        full->size = prefix;
        if (full->failed)
            return no_memory(search->err);
        if (wanted && search_metric(search, metric.index) < 0)
            return -1;
    }
    return 0;
}

int pu_mmv_targets_find(struct pu_mmv_targets *targets, const struct pu_selector *selector,
                        struct pu_mmv_found *found, struct pu_err *err)
{
    struct search search = {targets, selector, found, err, false};
    size_t before = found->count;

    if ((selector->glob ? search_pattern(&search) : search_exactly(&search)) < 0) {
        found->count = before;
        return -1;
    }
    if (found->count > before)
        return 0;
    if (!search.has_metric)
        return pu_err_set(err, PU_E_REFUSED, "there is no such metric");
    return pu_err_set(err, PU_E_REFUSED,
                      selector->instances ? "there is no such instance" : "it has no values");
}

const char *pu_mmv_target_name(const struct pu_mmv *mmv, uint64_t offset,
                               char to[PU_MMV_TARGET_NAME_MAX])
{
    struct pu_span metric = pu_mmv_metric(mmv, pu_mmv_value(mmv, offset).metric_offset).name;
    struct pu_mmv_called called;

    if (read_instance(mmv, offset, &called))
        snprintf(to, PU_MMV_TARGET_NAME_MAX, "%.*s[%.*s]", (int)metric.size,
                 (const char *)metric.data, (int)called.name.size, (const char *)called.name.data);
    else
        snprintf(to, PU_MMV_TARGET_NAME_MAX, "%.*s", (int)metric.size, (const char *)metric.data);
    return to;
}
