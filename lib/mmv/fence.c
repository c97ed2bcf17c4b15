/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/fence.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"

/* A claim on bytes begins or ends here. */
struct edge {
    uint64_t offset;
    int weight; /* below 0 at the end */
};

/* Bytes that are claimed with this weight in all belong to more than one value alone. */
enum { OF_A_VALUE = 1, NOT_OF_A_VALUE = 2, FENCED = 2 };

struct edges {
    struct edge *items; /* owned */
    size_t count, capacity;
    bool failed;
};

static void claim(struct edges *edges, uint64_t offset, uint64_t size, int weight)
{
    if (size == 0 || offset > UINT64_MAX - size)
        return;
    if (edges->capacity - edges->count < 2) {
        size_t capacity = edges->capacity ? 2 * edges->capacity : 256;
        struct edge *items = reallocarray(edges->items, capacity, sizeof(*items));
        if (!items) {
            edges->failed = true;
            return;
        }
        edges->items = items;
        edges->capacity = capacity;
    }
    edges->items[edges->count++] = (struct edge){offset, weight};
    edges->items[edges->count++] = (struct edge){offset + size, -weight};
}

/* A text and its NUL; what stands behind that is nobody's. */
static void claim_text(struct edges *edges, const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_span text;

    if (offset != 0 && pu_mmv_text(mmv, offset, &text))
        claim(edges, offset, text.size + 1, NOT_OF_A_VALUE);
}

/* The name behind the offset that a record begins with, or has at `field`. */
static void claim_name(struct edges *edges, const struct pu_mmv *mmv, uint64_t field)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, field, mmv->order);

    if (mmv->header.version > 1)
        claim_text(edges, mmv, pu_cursor_u64(&cursor));
}

static void claim_indom(struct edges *edges, const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_mmv_indom indom = pu_mmv_indom(mmv, offset);

    if (indom.count > 0)
        claim(edges, indom.instance_offset,
              (uint64_t)indom.count * pu_mmv_stride(mmv, PU_MMV_INSTANCES), NOT_OF_A_VALUE);
    claim_text(edges, mmv, indom.shorttext_offset);
    claim_text(edges, mmv, indom.helptext_offset);
}

static void claim_metric(struct edges *edges, const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_mmv_metric metric = pu_mmv_metric(mmv, offset);

    claim_name(edges, mmv, offset);
    claim_text(edges, mmv, metric.shorttext_offset);
    claim_text(edges, mmv, metric.helptext_offset);
}

static void claim_records(struct edges *edges, const struct pu_mmv *mmv)
{
    struct pu_mmv_records records = pu_mmv_records(mmv, PU_MMV_INDOMS);

    while (pu_mmv_next(&records))
        claim_indom(edges, mmv, records.offset);
    records = pu_mmv_records(mmv, PU_MMV_INSTANCES);
    while (pu_mmv_next(&records))
        claim_name(edges, mmv, records.offset + 16);
    records = pu_mmv_records(mmv, PU_MMV_METRICS);
    while (pu_mmv_next(&records))
        claim_metric(edges, mmv, records.offset);
}

/* Where texts stand is said by those who use them: sections of strings are not looked at. */
static void claim_sections(struct edges *edges, const struct pu_mmv *mmv)
{
    claim(edges, 0, PU_MMV_HEADER_SIZE + (uint64_t)mmv->section_count * PU_MMV_TOC_SIZE,
          NOT_OF_A_VALUE);
    for (size_t i = 0; i < mmv->section_count; i++) {
        const struct pu_mmv_section *section = &mmv->sections[i];
        if (section->kind != PU_MMV_STRINGS)
            claim(edges, section->offset, section->usable * pu_mmv_stride(mmv, section->kind),
                  section->kind == PU_MMV_VALUES ? OF_A_VALUE : NOT_OF_A_VALUE);
    }
}

static void claim_slots(struct edges *edges, const struct pu_mmv *mmv,
                        const struct pu_mmv_grouped *grouped)
{
    struct pu_mmv_records metric = pu_mmv_records(mmv, PU_MMV_METRICS);

    while (pu_mmv_next(&metric)) {
        if (pu_mmv_metric(mmv, metric.offset).type != PU_MMV_STRING)
            continue;
        for (size_t i = 0; i < pu_mmv_grouped_count(grouped, metric.index); i++) {
            uint64_t value = pu_mmv_grouped_at(grouped, metric.index, i);
            claim(edges, (uint64_t)pu_mmv_value(mmv, value).extra, PU_MMV_STRING_SIZE, OF_A_VALUE);
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct edge *left = a;
    const struct edge *right = b;

    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* Goes along the file, and keeps the parts that weigh too much. */
static int sweep(struct edges *edges, struct pu_mmv_fence *fence)
{
    int64_t weight = 0;

    fence->ranges = calloc(edges->count / 2 + 1, sizeof(*fence->ranges));
    if (edges->failed || !fence->ranges)
        return -1;
    if (edges->count > 0)
        qsort(edges->items, edges->count, sizeof(*edges->items), by_offset);
    for (size_t i = 0; i < edges->count;) {
        uint64_t offset = edges->items[i].offset;
        bool was_fenced = weight >= FENCED;
        while (i < edges->count && edges->items[i].offset == offset)
            weight += edges->items[i++].weight;
        if (!was_fenced && weight >= FENCED)
            fence->ranges[fence->count].start = offset;
        if (was_fenced && weight < FENCED)
            fence->ranges[fence->count++].end = offset;
    }
    return 0;
}

int pu_mmv_fence_build(const struct pu_mmv *mmv, const struct pu_mmv_grouped *grouped,
                       struct pu_mmv_fence *fence, struct pu_err *err)
{
    struct edges edges = {0};

    memset(fence, 0, sizeof(*fence));
    claim_sections(&edges, mmv);
    claim_records(&edges, mmv);
    claim_slots(&edges, mmv, grouped);
    int result = sweep(&edges, fence);
    free(edges.items);
    return result < 0 ? pu_err_system(err, ENOMEM, "cannot look for values that overlap") : 0;
}

void pu_mmv_fence_free(struct pu_mmv_fence *fence)
{
    free(fence->ranges);
    memset(fence, 0, sizeof(*fence));
}

static int ends_behind(const void *element, const void *key)
{
    const struct pu_mmv_range *range = element;
    const uint64_t *offset = key;

    return range->end <= *offset ? -1 : 1;
}

bool pu_mmv_fence_touches(const struct pu_mmv_fence *fence, uint64_t offset, uint64_t size)
{
    size_t at =
        pu_lower_bound(&offset, fence->ranges, fence->count, sizeof(*fence->ranges), ends_behind);

    return at < fence->count && fence->ranges[at].start < offset + size;
}
