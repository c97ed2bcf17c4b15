/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/family.h"

#include <errno.h>
#include <stdlib.h>

#include "mmv/names.h"
#include "mmv/openmetrics-name.h"

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold the exposition");
}

/* The pairs of a label, with names as OpenMetrics spells them. */
static int parse_label(const struct pu_mmv_label *label, struct pu_mmv_label_pairs *pairs,
                       struct pu_err *err)
{
    if (pu_mmv_label_merge(pairs, label->payload, err) < 0)
        return -1;
    for (size_t i = 0; i < pairs->count; i++) {
        struct pu_buf spelled = {0};
        pu_openmetrics_label_name(&spelled, pu_span_text(pairs->items[i].name));
        (void)pu_buf_text(&spelled);
        if (spelled.failed) {
            pu_buf_free(&spelled);
            return no_memory(err);
        }
        free(pairs->items[i].name);
        pairs->items[i].name = spelled.data;
    }
    return 0;
}

static void report_label(const struct pu_family_source *source, uint64_t offset,
                         const char *message)
{
    struct pu_err damage;

    pu_err_damage(&damage, offset, "%s", message);
    pu_err_where(&damage, "labels");
    pu_errors_add(source->view->damage, &damage);
}

static int collect_labels(struct pu_family_source *source, struct pu_err *err)
{
    const struct pu_mmv *mmv = source->view->mmv;
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_LABELS);

    if (mmv->counts[PU_MMV_LABELS] > PU_MMV_LABELS_MAX) {
        report_label(source, 24, "more than 255: the agent drops them all");
        return 0;
    }
    source->labels = calloc(PU_MMV_LABELS_MAX, sizeof(*source->labels));
    source->pairs = calloc(PU_MMV_LABELS_MAX, sizeof(*source->pairs));
    if (!source->labels || !source->pairs)
        return no_memory(err);
    while (pu_mmv_next(&record)) {
        size_t i = source->label_count++;
        source->labels[i] = pu_mmv_label(mmv, record.offset);
        if (parse_label(&source->labels[i], &source->pairs[i], err) < 0)
            return -1;
    }
    return 0;
}

static bool is_negative(const struct pu_mmv_atom *atom)
{
    switch (atom->kind) {
    case PU_MMV_ATOM_I64:
    case PU_MMV_ATOM_ELAPSED:
        return atom->i64 < 0;
    case PU_MMV_ATOM_FLOAT:
        return !(atom->number32 >= 0);
    case PU_MMV_ATOM_DOUBLE:
        return !(atom->number64 >= 0);
    default:
        return false;
    }
}

/* A counter of OpenMetrics is never negative, nor NaN. */
static bool counts_up(const struct pu_family_member *member)
{
    struct pu_mmv_reading reading;

    for (size_t i = 0; i < pu_family_size(member); i++) {
        pu_mmv_read(member->source->view, &member->metric, pu_family_value(member, i), &reading);
        if (is_negative(&reading.atom))
            return false;
    }
    return true;
}

static enum pu_family_type member_type(const struct pu_family_member *member)
{
    const struct pu_mmv_metric *metric = &member->metric;

    if (metric->type == PU_MMV_STRING)
        return PU_FAMILY_INFO;
    if (!pu_mmv_is_counter(metric))
        return PU_FAMILY_GAUGE;
    return counts_up(member) ? PU_FAMILY_COUNTER : PU_FAMILY_UNKNOWN;
}

static bool ends_with(const struct pu_buf *name, const char *suffix)
{
    size_t size = strlen(suffix);

    return name->size >= size && memcmp(name->data + name->size - size, suffix, size) == 0;
}

/* "_total" and its like belong to the samples of a family: a family's own name must not end so. */
static void mend_suffix(struct pu_buf *name, enum pu_family_type type)
{
    if (type == PU_FAMILY_COUNTER && ends_with(name, "_total"))
        name->size -= strlen("_total");
    if (ends_with(name, "_total") || ends_with(name, "_created") || ends_with(name, "_info"))
        pu_buf_add_text(name, "_value");
}

static int name_family(struct pu_family_member *member, struct pu_err *err)
{
    const struct pu_mmv_view *view = member->source->view;
    PU_CLEANUP(pu_buf_free) struct pu_buf full = {0};
    PU_CLEANUP(pu_buf_free) struct pu_buf name = {0};
    PU_CLEANUP(pu_buf_free) struct pu_buf unit = {0};

    pu_mmv_full_name(&full, view->path, &view->mmv->header, member->metric.name);
    pu_openmetrics_name(&name, pu_buf_span(&full));
    pu_buf_add_char(&unit, '_');
    if (member->metric.type == PU_MMV_ELAPSED)
        pu_buf_add_text(&unit, "microseconds");
    else if (member->type != PU_FAMILY_INFO)
        pu_openmetrics_unit(&unit, member->metric.units);
    mend_suffix(&name, member->type);
    /* A unit must be the last part of the name: "kilobytes" does not end with "_bytes". */
    if (unit.size > 1 && !ends_with(&name, pu_buf_text(&unit)))
        pu_buf_add_text(&name, pu_buf_text(&unit));
    member->family = strdup(pu_buf_text(&name));
    member->unit = strdup(unit.size > 1 ? pu_buf_text(&unit) + 1 : "");
    if (full.failed || name.failed || unit.failed || !member->family || !member->unit)
        return no_memory(err);
    return 0;
}

static int add_member(struct pu_families *all, struct pu_family_source *source, size_t index,
                      uint64_t offset, struct pu_err *err)
{
    struct pu_family_member *member = &all->members[all->member_count];

    *member = (struct pu_family_member){
        .source = source,
        .metric = pu_mmv_metric(source->view->mmv, offset),
        .metric_index = index,
        .order = all->member_count,
    };
    if (pu_family_size(member) == 0)
        return 0; /* nothing to show */
    all->member_count++;
    member->type = member_type(member);
    return name_family(member, err);
}

static int collect(struct pu_families *all, const struct pu_mmv_view *view, struct pu_err *err)
{
    const struct pu_mmv *mmv = view->mmv;
    struct pu_family_source *source = &all->sources[all->source_count++];

    source->view = view;
    if (pu_mmv_group(view, &source->values, err) < 0 || collect_labels(source, err) < 0)
        return -1;
    size_t room = all->member_count + mmv->counts[PU_MMV_METRICS] + 1;
    struct pu_family_member *members = reallocarray(all->members, room, sizeof(*members));
    if (!members)
        return no_memory(err);
    all->members = members;
    for (struct pu_mmv_records metric = pu_mmv_records(mmv, PU_MMV_METRICS);
         pu_mmv_next(&metric);) {
        if (add_member(all, source, metric.index, metric.offset, err) < 0)
            return -1;
    }
    return 0;
}

static int by_family(const void *a, const void *b)
{
    const struct pu_family_member *left = a;
    const struct pu_family_member *right = b;
    int order = strcmp(left->family, right->family);

    return order ? order : (left->order > right->order) - (left->order < right->order);
}

int pu_families_collect(struct pu_families *families, const struct pu_mmv_view *views, size_t count,
                        struct pu_err *err)
{
    memset(families, 0, sizeof(*families));
    families->sources = calloc(count + 1, sizeof(*families->sources));
    if (!families->sources)
        return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (collect(families, &views[i], err) < 0)
            return -1;
    }
    if (families->member_count > 0)
        qsort(families->members, families->member_count, sizeof(*families->members), by_family);
    return 0;
}

void pu_families_free(struct pu_families *families)
{
    for (size_t i = 0; i < families->source_count; i++) {
        pu_mmv_grouped_free(&families->sources[i].values);
        for (size_t j = 0; j < families->sources[i].label_count; j++)
            pu_mmv_label_pairs_free(&families->sources[i].pairs[j]);
        free(families->sources[i].labels);
        free(families->sources[i].pairs);
    }
    for (size_t i = 0; i < families->member_count; i++) {
        free(families->members[i].family);
        free(families->members[i].unit);
    }
    free(families->sources);
    free(families->members);
    memset(families, 0, sizeof(*families));
}
