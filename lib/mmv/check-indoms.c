/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Indoms and their instances. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mmv/check-private.h"

#define SERIAL_MAX      0x3fffff /* of 22 bits */
#define SERIAL_SAFE_MAX 0x7ff    /* 11 bits: the rest is the cluster's */

/* Instances of one indom */

struct named {
    struct pu_span name;
    uint64_t offset;
    int32_t id;
    size_t index;
};

static int by_id(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;

    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static int by_name(const void *a, const void *b)
{
    const struct named *left = a;
    const struct named *right = b;
    size_t size = left->name.size < right->name.size ? left->name.size : right->name.size;
    int order = size ? memcmp(left->name.data, right->name.data, size) : 0;

    if (order)
        return order;
    if (left->name.size != right->name.size)
        return left->name.size < right->name.size ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static const char *what_instance(char to[PU_MMV_WHAT_MAX], uint32_t serial,
                                 const struct named *instance)
{
    snprintf(to, PU_MMV_WHAT_MAX, "indom %" PRIu32 " instance[%zu] %" PRId32 " \"%.*s\"", serial,
             instance->index, instance->id, (int)instance->name.size,
             (const char *)instance->name.data);
    return to;
}

static void check_instance_name(struct pu_mmv_subject *subject, const struct named *instance,
                                const char *what)
{
    struct pu_cursor cursor =
        pu_cursor(subject->mmv->span, instance->offset + 16, subject->mmv->order);
    uint64_t slot = instance->offset + 16;
    size_t size = PU_MMV_NAME_SIZE;

    if (subject->mmv->header.version > 1) {
        slot = pu_cursor_u64(&cursor);
        size = PU_MMV_STRING_SIZE;
        if (slot == 0 || !pu_span_has(subject->mmv->span, slot, PU_MMV_STRING_SIZE)) {
            pu_mmv_say(subject, R_INSTANCE_NAME_OFFSET, instance->offset + 16, what,
                       "its name is at offset %" PRIu64 ", the file ends at %zu", slot,
                       subject->mmv->span.size);
            return;
        }
    }
    pu_mmv_check_slot(subject, slot, size, what);
    if (instance->name.size == 0)
        pu_mmv_say(subject, R_INSTANCE_NAME_EMPTY, instance->offset, what, "its name is empty");
}

static size_t first_word(struct pu_span name)
{
    const void *blank = name.size ? memchr(name.data, ' ', name.size) : NULL;

    return blank ? (size_t)((const unsigned char *)blank - name.data) : name.size;
}

static void compare_ids(const struct pu_mmv_subject *subject, uint32_t serial,
                        struct named *instances, size_t count)
{
    char what[PU_MMV_WHAT_MAX];

    qsort(instances, count, sizeof(*instances), by_id);
    for (size_t i = 0; i < count; i++) {
        what_instance(what, serial, &instances[i]);
        if (instances[i].id < 0)
            pu_mmv_say(subject, R_NEGATIVE_INSTANCE_ID, instances[i].offset, what,
                       "its internal id is %" PRId32, instances[i].id);
        if (i > 0 && instances[i].id == instances[i - 1].id)
            pu_mmv_say(subject, R_DUPLICATE_INSTANCE_ID, instances[i].offset, what,
                       "instance[%zu] has internal id %" PRId32 " too", instances[i - 1].index,
                       instances[i].id);
    }
}

/* Equal names stand side by side once sorted, and so do those with an equal first word. */
static void compare_names(const struct pu_mmv_subject *subject, uint32_t serial,
                          struct named *instances, size_t count)
{
    char what[PU_MMV_WHAT_MAX];

    qsort(instances, count, sizeof(*instances), by_name);
    for (size_t i = 1; i < count; i++) {
        const struct named *before = &instances[i - 1];
        size_t word = first_word(instances[i].name);
        if (instances[i].name.size == 0)
            continue;
        what_instance(what, serial, &instances[i]);
        if (pu_span_equal(before->name, instances[i].name))
            pu_mmv_say(subject, R_DUPLICATE_INSTANCE_NAME, instances[i].offset, what,
                       "instance[%zu] has the same name", before->index);
        else if (word > 0 && word == first_word(before->name) &&
                 memcmp(before->name.data, instances[i].name.data, word) == 0)
            pu_mmv_say(subject, R_INSTANCE_NAME_PREFIX, instances[i].offset, what,
                       "the name of instance[%zu] begins with the same word", before->index);
    }
}

/* At most `room` of the instances that the indom claims, and the file holds. */
static int check_instances(struct pu_mmv_subject *subject, const struct pu_mmv_indom *indom,
                           size_t room, struct pu_err *err)
{
    size_t stride = pu_mmv_stride(subject->mmv, PU_MMV_INSTANCES);
    size_t count = indom->count < 0 ? 0 : (size_t)indom->count;
    char what[PU_MMV_WHAT_MAX];

    count = count < room ? count : room;
    struct named *instances = calloc(count + 1, sizeof(*instances));
    if (!instances)
        return pu_err_system(err, ENOMEM, "cannot hold %zu instances", count);
    for (size_t i = 0; i < count; i++) {
        struct pu_mmv_instance instance =
            pu_mmv_instance(subject->mmv, indom->instance_offset + i * stride);
        instances[i] = (struct named){instance.name, instance.offset, instance.id, i};
        what_instance(what, indom->serial, &instances[i]);
        check_instance_name(subject, &instances[i], what);
    }
    compare_ids(subject, indom->serial, instances, count);
    compare_names(subject, indom->serial, instances, count);
    free(instances);
    return 0;
}

/* Indoms */

static void check_serial(const struct pu_mmv_subject *subject, const struct pu_mmv_indom *indom,
                         const char *what)
{
    if (indom->serial == 0 || indom->serial == UINT32_MAX)
        pu_mmv_say(subject, R_SERIAL_ZERO, indom->offset, what, "its serial is %" PRIu32,
                   indom->serial);
    else if (indom->serial > SERIAL_MAX)
        pu_mmv_say(subject, R_SERIAL_RANGE, indom->offset, what, "its serial is %" PRIu32,
                   indom->serial);
    else if (indom->serial > SERIAL_SAFE_MAX)
        pu_mmv_say(subject, R_SERIAL_SPILL, indom->offset, what,
                   "with serial %" PRIu32 " and cluster %" PRIu32 " it becomes %d.%" PRIu32,
                   indom->serial, subject->cluster, PU_MMV_DOMAIN,
                   (subject->cluster << 11 | indom->serial) & SERIAL_MAX);
}

size_t pu_mmv_run_length(const struct pu_mmv *mmv, const struct pu_mmv_indom *indom)
{
    uint64_t size = (uint64_t)(uint32_t)indom->count * pu_mmv_stride(mmv, PU_MMV_INSTANCES);

    if (indom->count < 0 || !pu_span_has(mmv->span, indom->instance_offset, size))
        return 0;
    return (size_t)indom->count;
}

/* Returns whether the agent keeps the indom. */
static bool check_run(const struct pu_mmv_subject *subject, const struct pu_mmv_indom *indom,
                      const char *what)
{
    uint64_t size =
        (uint64_t)(uint32_t)indom->count * pu_mmv_stride(subject->mmv, PU_MMV_INSTANCES);

    if (indom->count == 0) {
        pu_mmv_say(subject, R_INDOM_EMPTY, indom->offset + 4, what, "0 instances");
        return true;
    }
    if (indom->count > 0 && pu_span_has(subject->mmv->span, indom->instance_offset, size))
        return true;
    if (indom->count > 0 && pu_mmv_wraps(indom->instance_offset, size))
        pu_mmv_say(subject, R_OFFSET_WRAP, indom->offset + 8, what,
                   "%" PRId32 " instances at offset %" PRIu64, indom->count,
                   indom->instance_offset);
    else
        pu_mmv_say(subject, R_INDOM_RUN, indom->offset, what,
                   "%" PRId32 " instances at offset %" PRIu64 ", the file ends at %zu",
                   indom->count, indom->instance_offset, subject->mmv->span.size);
    return false;
}

/* Takes what the indom claims from `room`, which says how many instances may still be looked at. */
static int check_indom(struct pu_mmv_subject *subject, const struct pu_mmv_indom *indom,
                       size_t *room, struct pu_err *err)
{
    size_t claimed = (size_t)(indom->count < 0 ? 0 : indom->count);
    char what[PU_MMV_WHAT_MAX];

    snprintf(what, sizeof(what), "indom %" PRIu32, indom->serial);
    check_serial(subject, indom, what);
    pu_mmv_check_help(subject, indom->offset + 16, indom->shorttext_offset, "short", what);
    pu_mmv_check_help(subject, indom->offset + 24, indom->helptext_offset, "long", what);
    if (!check_run(subject, indom, what))
        return 0;
    if (indom->serial != 0 && indom->serial <= SERIAL_MAX &&
        pu_mmv_world_add_indom(subject, indom->serial, indom->offset, err) < 0)
        return -1;
    if (check_instances(subject, indom, *room, err) < 0)
        return -1;
    if (claimed > *room && !subject->overclaimed)
        pu_mmv_say(subject, R_OVERCLAIM, indom->offset, what,
                   "indoms up to here claim more than %d times the instances that fit",
                   PU_MMV_CLAIM_LIMIT);
    subject->overclaimed |= claimed > *room;
    *room -= claimed < *room ? claimed : *room;
    return 0;
}

struct numbered {
    uint32_t serial;
    uint64_t offset;
};

static int by_serial(const void *a, const void *b)
{
    const struct numbered *left = a;
    const struct numbered *right = b;

    if (left->serial != right->serial)
        return left->serial < right->serial ? -1 : 1;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static void compare_serials(const struct pu_mmv_subject *subject, struct numbered *indoms,
                            size_t count)
{
    char what[PU_MMV_WHAT_MAX];

    qsort(indoms, count, sizeof(*indoms), by_serial);
    for (size_t i = 1; i < count; i++) {
        if (indoms[i].serial != indoms[i - 1].serial)
            continue;
        snprintf(what, sizeof(what), "indom %" PRIu32, indoms[i].serial);
        pu_mmv_say(subject, R_DUPLICATE_SERIAL, indoms[i].offset, what,
                   "the indom at offset %" PRIu64 " has this serial too", indoms[i - 1].offset);
    }
}

/* Once a file: it is the same for all indoms. */
static void check_cluster(const struct pu_mmv_subject *subject, const struct pu_mmv_indom *indom)
{
    uint32_t number = (subject->cluster << 11 | indom->serial) & SERIAL_MAX;

    if (subject->cluster > SERIAL_SAFE_MAX)
        pu_mmv_say(subject, R_CLUSTER_SPILL, 36, "header",
                   "with cluster %" PRIu32 " indom %" PRIu32 " becomes %d.%" PRIu32,
                   subject->cluster, indom->serial, PU_MMV_DOMAIN, number);
}

static int check_all(struct pu_mmv_subject *subject, struct numbered *indoms, struct pu_err *err)
{
    struct pu_mmv *mmv = subject->mmv;
    size_t room = PU_MMV_CLAIM_LIMIT * (mmv->span.size / pu_mmv_stride(mmv, PU_MMV_INSTANCES));
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_INDOMS);

    while (pu_mmv_next(&record)) {
        struct pu_mmv_indom indom = pu_mmv_indom(mmv, record.offset);
        indoms[record.index] = (struct numbered){indom.serial, indom.offset};
        if (record.index == 0)
            check_cluster(subject, &indom);
        if (check_indom(subject, &indom, &room, err) < 0)
            return -1;
    }
    return 0;
}

int pu_mmv_check_indoms(struct pu_mmv_subject *subject, struct pu_err *err)
{
    size_t count = subject->mmv->counts[PU_MMV_INDOMS];
    struct numbered *indoms = calloc(count + 1, sizeof(*indoms));
    int result = indoms ? check_all(subject, indoms, err)
                        : pu_err_system(err, ENOMEM, "cannot hold the indoms");

    if (result == 0)
        compare_serials(subject, indoms, count);
    free(indoms);
    return result;
}
