/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label-index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"

/* How often the instances that fit into the file may be claimed, before the rest is left out. */
#define CLAIM_LIMIT 4

static int by_key(const void *a, const void *b)
{
    const struct pu_mmv_label_thing *left = a;
    const struct pu_mmv_label_thing *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

static int by_serial(const void *a, const void *b)
{
    const struct pu_mmv_label_run *left = a;
    const struct pu_mmv_label_run *right = b;

    if (left->serial != right->serial)
        return left->serial < right->serial ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

static uint64_t instance_key(uint32_t serial, int32_t id)
{
    return (uint64_t)serial << 32 | (uint32_t)id;
}

static void list_metrics(const struct pu_mmv *mmv, struct pu_mmv_label_index *index)
{
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_METRICS);

    while (pu_mmv_next(&record)) {
        struct pu_mmv_metric metric = pu_mmv_metric(mmv, record.offset);
        index->metrics[index->metric_count] =
            (struct pu_mmv_label_thing){metric.item, index->metric_count, metric.name};
        index->metric_count++;
    }
}

static void list_run(const struct pu_mmv *mmv, struct pu_mmv_label_index *index,
                     const struct pu_mmv_label_run *run)
{
    size_t stride = pu_mmv_stride(mmv, PU_MMV_INSTANCES);

    for (size_t i = 0; i < run->count; i++) {
        struct pu_mmv_instance instance = pu_mmv_instance(mmv, run->offset + i * stride);
        index->instances[index->instance_count] = (struct pu_mmv_label_thing){
            instance_key(run->serial, instance.id), index->instance_count, instance.name};
        index->instance_count++;
    }
}

static void list_runs(const struct pu_mmv *mmv, struct pu_mmv_label_index *index, size_t room)
{
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_INDOMS);
    size_t stride = pu_mmv_stride(mmv, PU_MMV_INSTANCES);

    while (pu_mmv_next(&record)) {
        struct pu_mmv_indom indom = pu_mmv_indom(mmv, record.offset);
        if (indom.count <= 0 ||
            !pu_span_has(mmv->span, indom.instance_offset, (uint64_t)indom.count * stride) ||
            (size_t)indom.count > room - index->instance_count)
            continue;
        struct pu_mmv_label_run *run = &index->runs[index->run_count];
        *run = (struct pu_mmv_label_run){indom.serial, index->run_count, indom.instance_offset,
                                         (size_t)indom.count};
        index->run_count++;
        list_run(mmv, index, run);
    }
}

int pu_mmv_label_index(const struct pu_mmv *mmv, struct pu_mmv_label_index *index,
                       struct pu_err *err)
{
    size_t room = CLAIM_LIMIT * (mmv->span.size / pu_mmv_stride(mmv, PU_MMV_INSTANCES));

    memset(index, 0, sizeof(*index));
    index->metrics = calloc(mmv->counts[PU_MMV_METRICS] + 1, sizeof(*index->metrics));
    index->instances = calloc(room + 1, sizeof(*index->instances));
    index->runs = calloc(mmv->counts[PU_MMV_INDOMS] + 1, sizeof(*index->runs));
    if (!index->metrics || !index->instances || !index->runs)
        return pu_err_system(err, ENOMEM, "cannot hold what labels are for");
    list_metrics(mmv, index);
    list_runs(mmv, index, room);
    qsort(index->metrics, index->metric_count, sizeof(*index->metrics), by_key);
    qsort(index->instances, index->instance_count, sizeof(*index->instances), by_key);
    qsort(index->runs, index->run_count, sizeof(*index->runs), by_serial);
    return 0;
}

void pu_mmv_label_index_free(struct pu_mmv_label_index *index)
{
    free(index->metrics);
    free(index->instances);
    free(index->runs);
    memset(index, 0, sizeof(*index));
}

static bool find(const struct pu_mmv_label_thing *things, size_t count, uint64_t key,
                 struct pu_span *name)
{
    const struct pu_mmv_label_thing wanted = {.key = key};
    size_t at = pu_lower_bound(&wanted, things, count, sizeof(*things), by_key);

    if (at == count || things[at].key != key)
        return false;
    *name = things[at].name;
    return true;
}

bool pu_mmv_label_index_metric(const struct pu_mmv_label_index *index, uint32_t item,
                               struct pu_span *name)
{
    return find(index->metrics, index->metric_count, item, name);
}

bool pu_mmv_label_index_instance(const struct pu_mmv_label_index *index, uint32_t serial,
                                 int32_t id, struct pu_span *name)
{
    return find(index->instances, index->instance_count, instance_key(serial, id), name);
}

const struct pu_mmv_label_run *pu_mmv_label_index_runs(const struct pu_mmv_label_index *index,
                                                       uint32_t serial, size_t *count)
{
    const struct pu_mmv_label_run wanted = {.serial = serial};
    size_t first =
        pu_lower_bound(&wanted, index->runs, index->run_count, sizeof(*index->runs), by_serial);

    for (*count = 0; first + *count < index->run_count;) {
        if (index->runs[first + *count].serial != serial)
            break;
        ++*count;
    }
    return *count > 0 ? &index->runs[first] : NULL;
}
