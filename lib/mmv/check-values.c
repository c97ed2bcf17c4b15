/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "mmv/check-private.h"
#include "mmv/grouped.h"
#include "mmv/walk.h"

/* A start that lies further ahead than clocks differ. */
#define FUTURE (60 * PU_NANOSECONDS)

/* Each value for itself */

static const char *what_value(char to[PU_MMV_WHAT_MAX], const struct pu_mmv_reading *reading)
{
    int used = snprintf(to, PU_MMV_WHAT_MAX, "value[%zu]", reading->index);

    if (reading->metric && used > 0)
        snprintf(to + used, PU_MMV_WHAT_MAX - (size_t)used, " of \"%.*s\"",
                 (int)reading->metric->name.size, (const char *)reading->metric->name.data);
    return to;
}

static void check_instance(const struct pu_mmv_subject *subject,
                           const struct pu_mmv_reading *reading)
{
    const struct pu_mmv_value *value = &reading->value;
    bool singular = !reading->metric || pu_mmv_is_singular(reading->metric);
    char what[PU_MMV_WHAT_MAX];

    if (singular ? value->instance_offset == 0 : reading->instance_index != PU_MMV_NONE)
        return;
    what_value(what, reading);
    if (singular)
        pu_mmv_say(subject, R_VALUE_EXTRA_INSTANCE, value->offset + 24, what,
                   "it names an instance at offset %" PRIu64 ", its metric has no indom",
                   value->instance_offset);
    else if (value->instance_offset == 0)
        pu_mmv_say(subject, R_VALUE_NO_INSTANCE, value->offset + 24, what,
                   "it names no instance, its metric has indom %" PRIu32, reading->metric->serial);
    else
        pu_mmv_say(subject, R_VALUE_INSTANCE, value->offset + 24, what,
                   "no instance begins at offset %" PRIu64, value->instance_offset);
}

static void check_string(struct pu_mmv_subject *subject, const struct pu_mmv_reading *reading)
{
    uint64_t slot = (uint64_t)reading->value.extra;
    size_t size = subject->mmv->span.size;
    char what[PU_MMV_WHAT_MAX];

    what_value(what, reading);
    if (slot == 0)
        pu_mmv_say(subject, R_STRING_ZERO, reading->value.offset + 8, what,
                   "the offset of its text is 0");
    else if (pu_mmv_wraps(slot, 4))
        pu_mmv_say(subject, R_OFFSET_WRAP, reading->value.offset + 8, what,
                   "its text is at offset %" PRIu64, slot);
    else if (!pu_span_has(subject->mmv->span, slot, 4))
        pu_mmv_say(subject, R_STRING_OFFSET, reading->value.offset + 8, what,
                   "its text is at offset %" PRIu64 ", the file ends at %zu", slot, size);
    else if (!pu_span_has(subject->mmv->span, slot, PU_MMV_STRING_SIZE))
        pu_mmv_say(subject, R_STRING_TAIL, reading->value.offset + 8, what,
                   "its text at offset %" PRIu64 " has %" PRIu64 " bytes to the end of the file",
                   slot, size - slot);
    else
        pu_mmv_check_slot(subject, slot, PU_MMV_STRING_SIZE, what);
}

static void check_elapsed(const struct pu_mmv_subject *subject,
                          const struct pu_mmv_reading *reading)
{
    int64_t extra = reading->value.extra;
    uint64_t start = 0 - (uint64_t)extra;
    char what[PU_MMV_WHAT_MAX];

    if (extra > 0)
        pu_mmv_say(subject, R_ELAPSED_EXTRA, reading->value.offset + 8, what_value(what, reading),
                   "its second field is %" PRId64, extra);
    else if (extra < 0 && start > (uint64_t)(subject->now + FUTURE) / 1000)
        pu_mmv_say(subject, R_ELAPSED_FUTURE, reading->value.offset + 8, what_value(what, reading),
                   "its interval starts in the future, at %" PRIu64, start);
}

static bool is_nan(const struct pu_mmv_subject *subject, const struct pu_mmv_reading *reading)
{
    int32_t type = reading->metric->type;

    return (subject->mmv->header.flags & PU_MMV_SENTINEL) &&
           (type == PU_MMV_FLOAT || type == PU_MMV_DOUBLE) &&
           reading->atom.kind == PU_MMV_ATOM_NONE;
}

static void check_content(struct pu_mmv_subject *subject, const struct pu_mmv_reading *reading)
{
    bool shown = subject->check->reader == PU_MMV_READER_6_0;
    char what[PU_MMV_WHAT_MAX];

    switch (reading->metric->type) {
    case PU_MMV_STRING:
        check_string(subject, reading);
        return;
    case PU_MMV_ELAPSED:
        check_elapsed(subject, reading);
        return;
    case PU_MMV_FLOAT:
    case PU_MMV_DOUBLE:
        if (is_nan(subject, reading))
            pu_mmv_say(subject, shown ? R_SENTINEL_NAN_SHOWN : R_SENTINEL_NAN,
                       reading->value.offset, what_value(what, reading), "NaN stands for no value");
        return;
    default:
        return;
    }
}

/* A 32-bit value leaves the other half of its field alone, whatever stood there. */
static void check_upper_half(struct pu_mmv_subject *subject, const struct pu_mmv_reading *reading)
{
    int32_t type = reading->metric->type;
    bool half = type == PU_MMV_I32 || type == PU_MMV_U32 || type == PU_MMV_FLOAT;

    if (!half || reading->atom.kind == PU_MMV_ATOM_NONE)
        return;
    struct pu_cursor cursor =
        pu_cursor(subject->mmv->span, reading->value.offset + 4, subject->mmv->order);
    uint32_t rest = pu_cursor_u32(&cursor);
    /* A negative number may have been stored in full. */
    if (rest != 0 && rest != UINT32_MAX && subject->stale_count++ == 0)
        subject->stale_first = reading->value.offset + 4;
}

static void check_each(struct pu_mmv_subject *subject, const struct pu_mmv_view *view, size_t toc)
{
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;
    char what[PU_MMV_WHAT_MAX];

    pu_mmv_walk_section(&walk, view, toc);
    while (pu_mmv_walk_next(&walk, &reading)) {
        if (!reading.metric) {
            pu_mmv_say(subject, R_VALUE_METRIC, reading.value.offset + 16,
                       what_value(what, &reading), "no metric begins at offset %" PRIu64,
                       reading.value.metric_offset);
            continue;
        }
        check_instance(subject, &reading);
        check_content(subject, &reading);
        check_upper_half(subject, &reading);
    }
}

/* The values of each metric together */

/* An indom's instances, to tell which of them a value is for. */
struct slots {
    uint32_t serial;
    bool doubled;        /* another indom has the same serial: there is no telling them apart */
    size_t first, count; /* of its run, as indexes of the file's instances */
    int32_t *ids;        /* owned: by slot */
    size_t *seen;        /* owned: by slot; the number of the metric that had a value for it last */
};

struct table {
    struct slots *slots; /* owned; sorted by serial */
    size_t count;
};

static void free_table(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->slots[i].ids);
        free(table->slots[i].seen);
    }
    free(table->slots);
}

static int by_serial(const void *a, const void *b)
{
    const struct slots *left = a;
    const struct slots *right = b;

    return left->serial < right->serial ? -1 : left->serial > right->serial;
}

/* Indoms that are there, with instances that are in a section: the rest has been reported. */
static int add_slots(const struct pu_mmv *mmv, struct table *table,
                     const struct pu_mmv_indom *indom, size_t *room)
{
    size_t first = pu_mmv_find(&mmv->instances, indom->instance_offset);
    size_t count = indom->count < 0 ? 0 : (size_t)indom->count;
    size_t stride = pu_mmv_stride(mmv, PU_MMV_INSTANCES);
    struct slots *slots = &table->slots[table->count];

    if (first == PU_MMV_NONE || count > *room || count > mmv->instances.count - first)
        return 0;
    *room -= count;
    *slots = (struct slots){.serial = indom->serial, .first = first, .count = count};
    slots->ids = calloc(count + 1, sizeof(*slots->ids));
    slots->seen = calloc(count + 1, sizeof(*slots->seen));
    table->count++;
    if (!slots->ids || !slots->seen)
        return -1;
    for (size_t i = 0; i < count; i++)
        slots->ids[i] = pu_mmv_instance(mmv, indom->instance_offset + i * stride).id;
    return 0;
}

static int make_table(const struct pu_mmv *mmv, struct table *table)
{
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_INDOMS);
    size_t room = 4 * mmv->instances.count;

    table->slots = calloc(mmv->counts[PU_MMV_INDOMS] + 1, sizeof(*table->slots));
    if (!table->slots)
        return -1;
    while (pu_mmv_next(&record)) {
        struct pu_mmv_indom indom = pu_mmv_indom(mmv, record.offset);
        if (add_slots(mmv, table, &indom, &room) < 0)
            return -1;
    }
    qsort(table->slots, table->count, sizeof(*table->slots), by_serial);
    for (size_t i = 1; i < table->count; i++) {
        if (table->slots[i].serial == table->slots[i - 1].serial)
            table->slots[i].doubled = table->slots[i - 1].doubled = true;
    }
    return 0;
}

/* The slot of the instance that a value names, or PU_MMV_NONE when it is of another indom. */
static size_t find_slot(const struct slots *slots, const struct pu_mmv_reading *reading)
{
    if (reading->instance_index == PU_MMV_NONE || reading->instance_index < slots->first ||
        reading->instance_index - slots->first >= slots->count)
        return PU_MMV_NONE;
    return reading->instance_index - slots->first;
}

static void check_foreign(const struct pu_mmv_subject *subject,
                          const struct pu_mmv_reading *reading, uint64_t offset)
{
    char what[PU_MMV_WHAT_MAX];

    snprintf(what, sizeof(what), "value of \"%.*s\"", (int)reading->metric->name.size,
             (const char *)reading->metric->name.data);
    pu_mmv_say(subject, R_VALUE_FOREIGN_INSTANCE, offset + 24, what,
               "instance %" PRId32 " \"%.*s\" is not of indom %" PRIu32, reading->instance.id,
               (int)reading->instance.name.size, (const char *)reading->instance.name.data,
               reading->metric->serial);
}

static void say_duplicate(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                          uint64_t offset, const char *instance)
{
    char what[PU_MMV_WHAT_MAX];

    snprintf(what, sizeof(what), "value of \"%.*s\"", (int)metric->name.size,
             (const char *)metric->name.data);
    pu_mmv_say(subject, R_VALUE_DUPLICATE, offset, what, "another value for %s comes before it",
               instance);
}

static void say_missing(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                        size_t index, const struct slots *slots, size_t missing)
{
    char what[PU_MMV_WHAT_MAX];
    size_t first = 0;

    while (slots->seen[first] == index + 1)
        first++;
    pu_mmv_what(what, "metric", index, metric->name);
    pu_mmv_say(subject, R_VALUE_MISSING, metric->offset, what,
               "%zu of %zu instances have no value, the first is %" PRId32, missing, slots->count,
               slots->ids[first]);
}

static void check_instances(const struct pu_mmv_subject *subject, const struct pu_mmv_view *view,
                            const struct pu_mmv_grouped *grouped,
                            const struct pu_mmv_metric *metric, size_t index, struct slots *slots)
{
    size_t missing = slots->count;
    char instance[32];

    for (size_t i = 0; i < pu_mmv_grouped_count(grouped, index); i++) {
        struct pu_mmv_reading reading;
        uint64_t offset = pu_mmv_grouped_at(grouped, index, i);
        pu_mmv_read(view, metric, offset, &reading);
        size_t slot = find_slot(slots, &reading);
        if (slot == PU_MMV_NONE) {
            if (reading.instance_index != PU_MMV_NONE)
                check_foreign(subject, &reading, offset);
        } else if (slots->seen[slot] == index + 1) {
            snprintf(instance, sizeof(instance), "instance %" PRId32, slots->ids[slot]);
            say_duplicate(subject, metric, offset, instance);
        } else {
            slots->seen[slot] = index + 1;
            missing--;
        }
    }
    if (missing > 0)
        say_missing(subject, metric, index, slots, missing);
}

static void check_group(const struct pu_mmv_subject *subject, const struct pu_mmv_view *view,
                        const struct pu_mmv_grouped *grouped, struct table *table,
                        const struct pu_mmv_metric *metric, size_t index)
{
    const struct slots key = {.serial = metric->serial};
    size_t count = pu_mmv_grouped_count(grouped, index);
    bool singular = pu_mmv_is_singular(metric);
    struct slots *slots =
        singular ? NULL : bsearch(&key, table->slots, table->count, sizeof(key), by_serial);
    char what[PU_MMV_WHAT_MAX];

    if (count == 0 && (singular || (slots && slots->count > 0))) {
        pu_mmv_say(subject, R_NO_VALUES, metric->offset,
                   pu_mmv_what(what, "metric", index, metric->name), "no value in the file");
        return;
    }
    for (size_t i = 1; singular && i < count; i++)
        say_duplicate(subject, metric, pu_mmv_grouped_at(grouped, index, i), "it");
    if (slots && !slots->doubled)
        check_instances(subject, view, grouped, metric, index, slots);
}

static void check_groups(const struct pu_mmv_subject *subject, const struct pu_mmv_view *view,
                         const struct pu_mmv_grouped *grouped, struct table *table)
{
    struct pu_mmv_records record = pu_mmv_records(subject->mmv, PU_MMV_METRICS);

    while (pu_mmv_next(&record)) {
        struct pu_mmv_metric metric = pu_mmv_metric(subject->mmv, record.offset);
        check_group(subject, view, grouped, table, &metric, record.index);
    }
}

int pu_mmv_check_values(struct pu_mmv_subject *subject, struct pu_err *err)
{
    PU_CLEANUP(pu_errors_free) struct pu_errors damage = {0};
    PU_CLEANUP(pu_mmv_grouped_free) struct pu_mmv_grouped grouped = {0};
    PU_CLEANUP(free_table) struct table table = {0};
    struct pu_mmv *mmv = subject->mmv;
    struct pu_mmv_view view = {
        .path = subject->path, .mmv = mmv, .now = subject->now, .damage = &damage};

    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        if (mmv->sections[toc].kind == PU_MMV_VALUES)
            check_each(subject, &view, toc);
    }
    if (pu_mmv_group(&view, &grouped, err) < 0)
        return -1;
    if (make_table(mmv, &table) < 0)
        return pu_err_system(err, ENOMEM, "cannot hold the instances");
    check_groups(subject, &view, &grouped, &table);
    return 0;
}
