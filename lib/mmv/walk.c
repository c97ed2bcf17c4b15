/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "mmv/names.h"

enum { PICK_NONE, PICK_ALL, PICK_SOME };

static unsigned char pick_metric(const struct pu_mmv_view *view, struct pu_span name,
                                 struct pu_span full)
{
    unsigned char pick = PICK_NONE;

    for (size_t i = 0; i < view->selector_count; i++) {
        const struct pu_selector *selector = &view->selectors[i];
        if (!pu_selector_has_metric(selector, name) && !pu_selector_has_metric(selector, full))
            continue;
        if (view->matched)
            view->matched[i] = true;
        pick = !selector->instances || pick == PICK_ALL ? PICK_ALL : PICK_SOME;
    }
    return pick;
}

int pu_mmv_view_pick(struct pu_mmv_view *view, struct pu_err *err)
{
    const struct pu_mmv *mmv = view->mmv;
    PU_CLEANUP(pu_buf_free) struct pu_buf full = {0};

    if (view->selector_count == 0)
        return 0;
    view->picked = calloc(mmv->counts[PU_MMV_METRICS] + 1, 1);
    if (!view->picked)
        return pu_err_system(err, ENOMEM, "cannot pick metrics");
    for (struct pu_mmv_records metric = pu_mmv_records(mmv, PU_MMV_METRICS);
         pu_mmv_next(&metric);) {
        struct pu_span name = pu_mmv_metric(mmv, metric.offset).name;
        full.size = 0;
        pu_mmv_full_name(&full, view->path, &mmv->header, name);
        view->picked[metric.index] = pick_metric(view, name, pu_buf_span(&full));
    }
    return full.failed ? pu_err_system(err, ENOMEM, "cannot pick metrics") : 0;
}

bool pu_mmv_view_has_metric(const struct pu_mmv_view *view, size_t metric)
{
    return !view->picked || view->picked[metric] != PICK_NONE;
}

/* For the metrics of which only some instances were asked for. */
static bool picks_instance(const struct pu_mmv_view *view, const struct pu_mmv_reading *reading)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf full = {0};

    pu_mmv_full_name(&full, view->path, &view->mmv->header, reading->metric->name);
    for (size_t i = 0; i < view->selector_count; i++) {
        const struct pu_selector *selector = &view->selectors[i];
        if (!pu_selector_has_metric(selector, reading->metric->name) &&
            !pu_selector_has_metric(selector, pu_buf_span(&full)))
            continue;
        if (reading->instance_index == PU_MMV_NONE
                ? pu_selector_has_singular(selector)
                : pu_selector_has_instance(selector, reading->instance.id, reading->instance.name))
            return true;
    }
    return false;
}

static bool wanted(const struct pu_mmv_view *view, const struct pu_mmv_reading *reading)
{
    if (!view->picked)
        return true;
    if (reading->metric_index == PU_MMV_NONE || view->picked[reading->metric_index] == PICK_NONE)
        return false;
    return view->picked[reading->metric_index] == PICK_ALL || picks_instance(view, reading);
}

void pu_mmv_walk_section(struct pu_mmv_walk *walk, const struct pu_mmv_view *view, size_t toc)
{
    walk->view = view;
    walk->toc = toc;
    walk->next = 0;
    walk->instance_hint = 0;
    walk->metric_index = PU_MMV_NONE;
}

static const struct pu_mmv_metric *find_metric(struct pu_mmv_walk *walk, uint64_t offset)
{
    struct pu_mmv *mmv = walk->view->mmv;

    if (walk->metric_index != PU_MMV_NONE && walk->metric.offset == offset)
        return &walk->metric; /* mostly it is the one of the value before */
    size_t index = pu_mmv_find(&mmv->metrics, offset);
    if (index != walk->metric_index && index != PU_MMV_NONE)
        walk->metric = pu_mmv_metric(mmv, offset);
    walk->metric_index = index;
    return index == PU_MMV_NONE ? NULL : &walk->metric;
}

/* What belongs to the value that the reading holds. */
static void complete(const struct pu_mmv_view *view, const struct pu_mmv_metric *metric,
                     size_t *instance_hint, struct pu_mmv_reading *reading)
{
    struct pu_mmv *mmv = view->mmv;
    uint64_t instance = reading->value.instance_offset;

    reading->metric = metric;
    reading->has_instance = instance != 0 || (metric && !pu_mmv_is_singular(metric));
    reading->instance_index =
        instance ? pu_mmv_find_near(&mmv->instances, instance, instance_hint) : PU_MMV_NONE;
    if (reading->instance_index != PU_MMV_NONE)
        reading->instance = pu_mmv_instance(mmv, instance);
    if (metric)
        reading->atom = pu_mmv_atom(mmv, &reading->value, metric->type, view->now);
    else
        reading->atom.kind = PU_MMV_ATOM_UNKNOWN;
}

void pu_mmv_read(const struct pu_mmv_view *view, const struct pu_mmv_metric *metric,
                 uint64_t offset, struct pu_mmv_reading *reading)
{
    size_t hint = 0;

    reading->value = pu_mmv_value(view->mmv, offset);
    complete(view, metric, &hint, reading);
}

static void report(const struct pu_mmv_walk *walk, struct pu_err *err, const char *part)
{
    pu_err_where(err, "toc[%zu].value[%zu].%s", walk->toc, walk->next - 1, part);
    pu_errors_add(walk->view->damage, err);
}

static void report_damage(const struct pu_mmv_walk *walk, const struct pu_mmv_reading *reading)
{
    const struct pu_mmv_value *value = &reading->value;
    struct pu_err err;

    if (!reading->metric) {
        pu_err_damage(&err, value->offset + 16, "no metric at offset %" PRIu64,
                      value->metric_offset);
        report(walk, &err, "metric");
    }
    if (reading->has_instance && reading->instance_index == PU_MMV_NONE) {
        pu_err_damage(&err, value->offset + 24, "no instance at offset %" PRIu64,
                      value->instance_offset);
        report(walk, &err, "instance");
    }
    if (reading->atom.kind == PU_MMV_ATOM_LOST) {
        pu_err_damage(&err, value->offset + 8,
                      "text at offset %" PRIu64 " is outside of the file, which ends at %zu",
                      (uint64_t)value->extra, walk->view->mmv->span.size);
        report(walk, &err, "extra");
    }
}

static bool is_damaged(const struct pu_mmv_reading *reading)
{
    return !reading->metric || reading->atom.kind == PU_MMV_ATOM_LOST ||
           (reading->has_instance && reading->instance_index == PU_MMV_NONE);
}

bool pu_mmv_walk_next(struct pu_mmv_walk *walk, struct pu_mmv_reading *reading)
{
    const struct pu_mmv_view *view = walk->view;
    const struct pu_mmv_section *section = &view->mmv->sections[walk->toc];

    while (walk->next < section->usable) {
        reading->value = pu_mmv_value(view->mmv, pu_mmv_record(view->mmv, section, walk->next));
        reading->index = section->first + walk->next++;
        complete(view, find_metric(walk, reading->value.metric_offset), &walk->instance_hint,
                 reading);
        reading->metric_index = walk->metric_index;
        if (is_damaged(reading))
            report_damage(walk, reading);
        if (wanted(view, reading))
            return true;
    }
    return false;
}
