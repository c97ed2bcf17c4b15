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

/* The instances of each indom */

/* An indom's instances, to tell which of them a value is for. */
struct slots {
    uint32_t serial;
    bool doubled;    /* another indom has the same serial: there is no telling them apart */
    uint64_t offset; /* of its run */
    size_t count;
    int32_t *ids; /* owned: by slot */
    size_t *seen; /* owned: by slot; the number of the metric that had a value for it last */
};

struct table {
    struct slots *slots; /* owned; sorted by serial */
    size_t count;
    size_t stride;         /* of an instance */
    unsigned char *starts; /* owned: a bit for each byte of the file, set where one begins */
};

static void free_table(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->slots[i].ids);
        free(table->slots[i].seen);
    }
    free(table->slots);
    free(table->starts);
}

static int by_serial(const void *a, const void *b)
{
    const struct slots *left = a;
    const struct slots *right = b;

    return left->serial < right->serial ? -1 : left->serial > right->serial;
}

/* An indom whose instances are not all there has been reported. */
static int add_slots(const struct pu_mmv *mmv, struct table *table,
                     const struct pu_mmv_indom *indom, size_t *room)
{
    size_t count = pu_mmv_run_length(mmv, indom);
    struct slots *slots = &table->slots[table->count];

    if ((indom->count != 0 && count == 0) || count > *room)
        return 0;
    *room -= count;
    *slots =
        (struct slots){.serial = indom->serial, .offset = indom->instance_offset, .count = count};
    slots->ids = calloc(count + 1, sizeof(*slots->ids));
    slots->seen = calloc(count + 1, sizeof(*slots->seen));
    table->count++;
    if (!slots->ids || !slots->seen)
        return -1;
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = indom->instance_offset + i * table->stride;
        slots->ids[i] = pu_mmv_instance(mmv, offset).id;
        table->starts[offset / 8] |= (unsigned char)(1 << offset % 8);
    }
    return 0;
}

static int make_table(const struct pu_mmv *mmv, struct table *table)
{
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_INDOMS);
    size_t room;

    table->stride = pu_mmv_stride(mmv, PU_MMV_INSTANCES);
    room = PU_MMV_CLAIM_LIMIT * (mmv->span.size / table->stride);
    table->slots = calloc(mmv->counts[PU_MMV_INDOMS] + 1, sizeof(*table->slots));
    table->starts = calloc(mmv->span.size / 8 + 1, 1);
    if (!table->slots || !table->starts)
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

/* The slot of the instance at `offset`, or PU_MMV_NONE when it is not of this indom. */
static size_t find_slot(const struct table *table, const struct slots *slots, uint64_t offset)
{
    uint64_t distance = offset - slots->offset;

    if (offset < slots->offset || distance % table->stride != 0 ||
        distance / table->stride >= slots->count)
        return PU_MMV_NONE;
    return (size_t)(distance / table->stride);
}

/* An instance that is in no section is as good as others, if an indom leads to it. */
static bool has_instance(const struct pu_mmv *mmv, const struct table *table, uint64_t offset)
{
    return offset < mmv->span.size && (table->starts[offset / 8] >> offset % 8 & 1);
}

/* Each value for itself */

static const char *what_value(char to[PU_MMV_WHAT_MAX], const struct pu_mmv_reading *reading)
{
    int used = snprintf(to, PU_MMV_WHAT_MAX, "value[%zu]", reading->index);

    if (reading->metric && used > 0)
        snprintf(to + used, PU_MMV_WHAT_MAX - (size_t)used, " of \"%.*s\"",
                 (int)reading->metric->name.size, (const char *)reading->metric->name.data);
    return to;
}

static void check_instance(const struct pu_mmv_subject *subject, const struct table *table,
                           const struct pu_mmv_reading *reading)
{
    const struct pu_mmv_value *value = &reading->value;
    bool singular = !reading->metric || pu_mmv_is_singular(reading->metric);
    char what[PU_MMV_WHAT_MAX];

    if (singular ? value->instance_offset == 0 : reading->instance_index != PU_MMV_NONE)
        return;
    what_value(what, reading);
    if (!singular && !pu_mmv_has_serial(subject, reading->metric->serial))
        return; /* none is any good, and that has been said */
    if (singular)
        pu_mmv_say(subject, R_VALUE_EXTRA_INSTANCE, value->offset + 24, what,
                   "it names an instance at offset %" PRIu64 ", its metric has no indom",
                   value->instance_offset);
    else if (value->instance_offset == 0)
        pu_mmv_say(subject, R_VALUE_NO_INSTANCE, value->offset + 24, what,
                   "it names no instance, its metric has indom %" PRIu32, reading->metric->serial);
    else if (!has_instance(subject->mmv, table, value->instance_offset))
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
    else if (reading->atom.kind == PU_MMV_ATOM_LOST)
        pu_mmv_say(subject, R_STRING_TAIL, reading->value.offset + 8, what,
                   "its text at offset %" PRIu64 " has no NUL in the %" PRIu64
                   " bytes to the end of the file",
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

static void check_each(struct pu_mmv_subject *subject, const struct pu_mmv_view *view,
                       const struct table *table, size_t toc)
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
        check_instance(subject, table, &reading);
        check_content(subject, &reading);
        check_upper_half(subject, &reading);
    }
}

/* The values of each metric together */

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

/* What goes over the values of each metric. */
struct groups {
    struct pu_mmv_subject *subject;
    const struct pu_mmv_view *view;
    const struct pu_mmv_grouped *grouped;
    struct table *table;
};

static size_t check_instances(const struct groups *groups, const struct pu_mmv_metric *metric,
                              size_t index, struct slots *slots)
{
    size_t found = 0;
    char instance[32];

    for (size_t i = 0; i < pu_mmv_grouped_count(groups->grouped, index); i++) {
        struct pu_mmv_reading reading;
        uint64_t offset = pu_mmv_grouped_at(groups->grouped, index, i);
        uint64_t named = pu_mmv_value(groups->subject->mmv, offset).instance_offset;
        size_t slot = find_slot(groups->table, slots, named);
        if (slot == PU_MMV_NONE) {
            pu_mmv_read(groups->view, metric, offset, &reading);
            if (reading.instance_index != PU_MMV_NONE)
                check_foreign(groups->subject, &reading, offset);
        } else if (slots->seen[slot] == index + 1) {
            snprintf(instance, sizeof(instance), "instance %" PRId32, slots->ids[slot]);
            say_duplicate(groups->subject, metric, offset, instance);
        } else {
            slots->seen[slot] = index + 1;
            found++;
        }
    }
    if (found < slots->count)
        say_missing(groups->subject, metric, index, slots, slots->count - found);
    return found;
}

/* For the files that come after this one. */
static int add_instances(const struct groups *groups, size_t index, const struct slots *slots,
                         size_t found, struct pu_err *err)
{
    int32_t *ids = calloc(found + 1, sizeof(*ids));
    size_t count = 0;

    if (!ids)
        return pu_err_system(err, ENOMEM, "cannot hold the instances");
    for (size_t i = 0; i < slots->count; i++) {
        if (slots->seen[i] == index + 1)
            ids[count++] = slots->ids[i];
    }
    return pu_mmv_world_add_values(groups->subject, index, false, ids, count, err);
}

static int check_singular(const struct groups *groups, const struct pu_mmv_metric *metric,
                          size_t index, struct pu_err *err)
{
    int32_t *ids = calloc(1, sizeof(*ids));

    if (!ids)
        return pu_err_system(err, ENOMEM, "cannot hold the values");
    for (size_t i = 1; i < pu_mmv_grouped_count(groups->grouped, index); i++)
        say_duplicate(groups->subject, metric, pu_mmv_grouped_at(groups->grouped, index, i), "it");
    return pu_mmv_world_add_values(groups->subject, index, true, ids, 1, err);
}

static int check_group(const struct groups *groups, const struct pu_mmv_metric *metric,
                       size_t index, struct pu_err *err)
{
    const struct slots key = {.serial = metric->serial};
    size_t count = pu_mmv_grouped_count(groups->grouped, index);
    bool singular = pu_mmv_is_singular(metric);
    struct slots *slots = singular ? NULL
                                   : bsearch(&key, groups->table->slots, groups->table->count,
                                             sizeof(key), by_serial);
    char what[PU_MMV_WHAT_MAX];

    if (count == 0 && (singular || (slots && slots->count > 0))) {
        pu_mmv_say(groups->subject, R_NO_VALUES, metric->offset,
                   pu_mmv_what(what, "metric", index, metric->name), "no value in the file");
        return 0;
    }
    if (singular)
        return check_singular(groups, metric, index, err);
    if (!slots || slots->doubled)
        return 0;
    size_t found = check_instances(groups, metric, index, slots);
    return add_instances(groups, index, slots, found, err);
}

static int check_groups(const struct groups *groups, struct pu_err *err)
{
    struct pu_mmv *mmv = groups->subject->mmv;
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_METRICS);

    while (pu_mmv_next(&record)) {
        struct pu_mmv_metric metric = pu_mmv_metric(mmv, record.offset);
        if (mmv->sections[record.toc].count > PU_MMV_ITEM_MAX)
            continue; /* all dropped, and said so */
        if (check_group(groups, &metric, record.index, err) < 0)
            return -1;
    }
    return 0;
}

int pu_mmv_check_values(struct pu_mmv_subject *subject, struct pu_err *err)
{
    PU_CLEANUP(pu_errors_free) struct pu_errors damage = {0};
    PU_CLEANUP(pu_mmv_grouped_free) struct pu_mmv_grouped grouped = {0};
    PU_CLEANUP(free_table) struct table table = {0};
    struct pu_mmv *mmv = subject->mmv;
    struct pu_mmv_view view = {
        .path = subject->path, .mmv = mmv, .now = subject->now, .damage = &damage};

    if (make_table(mmv, &table) < 0)
        return pu_err_system(err, ENOMEM, "cannot hold the instances");
    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        if (mmv->sections[toc].kind == PU_MMV_VALUES)
            check_each(subject, &view, &table, toc);
    }
    if (pu_mmv_group(&view, &grouped, err) < 0)
        return -1;
    return check_groups(&(struct groups){subject, &view, &grouped, &table}, err);
}
