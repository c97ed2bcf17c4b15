/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing two files, record by record. */
#include "mmv/upgrade.h"

struct pair {
    struct pu_mmv *a, *b;
};

/* Texts at both offsets, or none. */
static bool same_text(const struct pair *pair, uint64_t a, uint64_t b)
{
    struct pu_span left, right;

    if (a == 0 || b == 0)
        return a == b;
    return pu_mmv_text(pair->a, a, &left) && pu_mmv_text(pair->b, b, &right) &&
           pu_span_equal(left, right);
}

/* The whole run must be in a section: else it is not known to have come along. */
static bool same_run(const struct pair *pair, const struct pu_mmv_indom *a,
                     const struct pu_mmv_indom *b)
{
    size_t first = pu_mmv_find(&pair->a->instances, a->instance_offset);

    if (a->count != b->count || a->count < 0)
        return false;
    if (a->count == 0)
        return true;
    uint64_t end =
        a->instance_offset + (uint64_t)(a->count - 1) * pu_mmv_stride(pair->a, PU_MMV_INSTANCES);
    return first != PU_MMV_NONE &&
           pu_mmv_find(&pair->a->instances, end) == first + (size_t)a->count - 1 &&
           pu_mmv_find(&pair->b->instances, b->instance_offset) == first;
}

static bool same_indom(const struct pair *pair, uint64_t at, uint64_t now)
{
    struct pu_mmv_indom a = pu_mmv_indom(pair->a, at);
    struct pu_mmv_indom b = pu_mmv_indom(pair->b, now);

    return a.serial == b.serial && same_run(pair, &a, &b) &&
           same_text(pair, a.shorttext_offset, b.shorttext_offset) &&
           same_text(pair, a.helptext_offset, b.helptext_offset);
}

/* A name that nothing ends inside its record is none that another record could hold. */
static bool same_name(const struct pair *pair, struct pu_span a, struct pu_span b)
{
    bool renewed =
        pair->a->header.version != pair->b->header.version && pair->a->header.version == 1;

    return pu_span_equal(a, b) && !(renewed && a.size == PU_MMV_NAME_SIZE);
}

static bool same_instance(const struct pair *pair, uint64_t at, uint64_t now)
{
    struct pu_mmv_instance a = pu_mmv_instance(pair->a, at);
    struct pu_mmv_instance b = pu_mmv_instance(pair->b, now);

    return a.id == b.id && same_name(pair, a.name, b.name);
}

static bool same_metric(const struct pair *pair, uint64_t at, uint64_t now)
{
    struct pu_mmv_metric a = pu_mmv_metric(pair->a, at);
    struct pu_mmv_metric b = pu_mmv_metric(pair->b, now);

    return same_name(pair, a.name, b.name) && a.item == b.item && a.type == b.type &&
           a.semantics == b.semantics && a.units == b.units && a.serial == b.serial &&
           a.padding == b.padding && same_text(pair, a.shorttext_offset, b.shorttext_offset) &&
           same_text(pair, a.helptext_offset, b.helptext_offset);
}

static bool same_value(const struct pair *pair, uint64_t at, uint64_t now)
{
    struct pu_mmv_value a = pu_mmv_value(pair->a, at);
    struct pu_mmv_value b = pu_mmv_value(pair->b, now);
    size_t metric = pu_mmv_find(&pair->a->metrics, a.metric_offset);

    if (a.raw != b.raw || metric == PU_MMV_NONE ||
        metric != pu_mmv_find(&pair->b->metrics, b.metric_offset))
        return false;
    if (a.instance_offset == 0 || b.instance_offset == 0) {
        if (a.instance_offset != b.instance_offset)
            return false;
    } else if (pu_mmv_find(&pair->a->instances, a.instance_offset) !=
               pu_mmv_find(&pair->b->instances, b.instance_offset)) {
        return false;
    }
    if (pu_mmv_metric(pair->a, a.metric_offset).type == PU_MMV_STRING)
        return same_text(pair, (uint64_t)a.extra, (uint64_t)b.extra);
    return a.extra == b.extra;
}

static bool same_string(const struct pair *pair, uint64_t at, uint64_t now)
{
    return same_text(pair, at, now);
}

/* Records may be added behind those of `a` when they are strings: names of version 1. */
static bool same_records(const struct pair *pair, int32_t kind,
                         bool (*same)(const struct pair *pair, uint64_t at, uint64_t now))
{
    struct pu_mmv_records a = pu_mmv_records(pair->a, kind);
    struct pu_mmv_records b = pu_mmv_records(pair->b, kind);

    while (pu_mmv_next(&a)) {
        if (!pu_mmv_next(&b) || !same(pair, a.offset, b.offset))
            return false;
    }
    return kind == PU_MMV_STRINGS || !pu_mmv_next(&b);
}

/* Neither generations nor the cluster: these an edit may change. */
static bool same_header(const struct pair *pair)
{
    return pair->a->header.flags == pair->b->header.flags &&
           pair->a->header.pid == pair->b->header.pid;
}

/* Which record is one of which section: of those that both have. */
static bool same_sections(const struct pair *pair)
{
    if (pair->b->section_count < pair->a->section_count)
        return false;
    for (size_t i = 0; i < pair->a->section_count; i++) {
        const struct pu_mmv_section *a = &pair->a->sections[i];
        const struct pu_mmv_section *b = &pair->b->sections[i];
        bool grows = a->kind == PU_MMV_LABELS || a->kind == PU_MMV_STRINGS;
        if (a->kind != b->kind || (!grows && a->count != b->count))
            return false;
    }
    return true;
}

bool pu_mmv_same(struct pu_mmv *a, struct pu_mmv *b)
{
    const struct pair pair = {a, b};

    return same_header(&pair) && same_sections(&pair) &&
           same_records(&pair, PU_MMV_INDOMS, same_indom) &&
           same_records(&pair, PU_MMV_INSTANCES, same_instance) &&
           same_records(&pair, PU_MMV_METRICS, same_metric) &&
           same_records(&pair, PU_MMV_VALUES, same_value) &&
           same_records(&pair, PU_MMV_STRINGS, same_string);
}
