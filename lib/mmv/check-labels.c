/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mmv/check-private.h"
#include "mmv/label.h"
#include "mmv/names.h"

/* The text of a label */

/* Is there an object inside the object? */
static bool is_nested(struct pu_span payload)
{
    bool quoted = false;
    size_t objects = 0;

    for (size_t i = 0; i < payload.size; i++) {
        if (quoted && payload.data[i] == '\\')
            i++;
        else if (payload.data[i] == '"')
            quoted = !quoted;
        else if (!quoted && payload.data[i] == '{')
            objects++;
    }
    return objects > 1;
}

static int check_pairs(const struct pu_mmv_subject *subject, const struct pu_mmv_label *label,
                       const char *what, struct pu_err *err)
{
    PU_CLEANUP(pu_mmv_label_pairs_free) struct pu_mmv_label_pairs pairs = {0};
    bool nested = is_nested(label->payload);

    if (pu_mmv_label_merge(&pairs, label->payload, err) < 0)
        return -1;
    for (size_t i = 0; i < pairs.count; i++) {
        if (!pu_mmv_label_is_name(pairs.items[i].name, nested))
            pu_mmv_say(subject, R_LABEL_NAME, label->offset + 12, what, "its name is \"%s\"",
                       pairs.items[i].name);
    }
    if (pairs.count == 0)
        pu_mmv_say(subject, R_LABEL_EMPTY, label->offset + 12, what, "an object without pairs");
    if (pairs.count > 1)
        pu_mmv_say(subject, R_LABEL_FORM, label->offset + 12, what, "%zu pairs", pairs.count);
    else if (label->payload.size > 1 && label->payload.data[1] == ' ')
        pu_mmv_say(subject, R_LABEL_FORM, label->offset + 12, what, "blanks around the pair");
    return 0;
}

static int check_text(struct pu_mmv_subject *subject, const struct pu_mmv_label *label,
                      const char *what, struct pu_err *err)
{
    if (label->payload.size == 0) {
        pu_mmv_say(subject, R_LABEL_EMPTY, label->offset + 12, what, "no text");
        return 0;
    }
    pu_mmv_check_slot(subject, label->offset + 12, PU_MMV_PAYLOAD_SIZE, what);
    if (pu_mmv_label_is_object(label->payload))
        return check_pairs(subject, label, what, err);
    if (pu_mmv_label_lacks_brace(label->payload))
        pu_mmv_say(subject, pu_mmv_label_is_tolerated(label->payload) ? R_LABEL_CUT : R_LABEL_JSON,
                   label->offset + 12, what, "the last brace is missing");
    else
        pu_mmv_say(subject, R_LABEL_JSON, label->offset + 12, what, "not a JSON object");
    return 0;
}

/* What a label is for */

/* The things that labels can be for. */
struct targets {
    bool items[PU_MMV_ITEM_MAX + 1];
    uint64_t *instances; /* owned: instance_key() of each, sorted */
    size_t count;
};

static uint64_t instance_key(uint32_t serial, int32_t id)
{
    return (uint64_t)serial << 32 | (uint32_t)id;
}

static int by_key(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* The agent goes by the indoms, and not by what instances say of themselves. */
static int list_instances(struct pu_mmv *mmv, struct targets *targets, struct pu_err *err)
{
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_INDOMS);
    size_t stride = pu_mmv_stride(mmv, PU_MMV_INSTANCES);
    size_t room = PU_MMV_CLAIM_LIMIT * (mmv->span.size / stride);

    targets->instances = calloc(room + 1, sizeof(uint64_t));
    if (!targets->instances)
        return pu_err_system(err, ENOMEM, "cannot hold the instances");
    while (pu_mmv_next(&record)) {
        struct pu_mmv_indom indom = pu_mmv_indom(mmv, record.offset);
        size_t count = pu_mmv_run_length(mmv, &indom);
        for (size_t i = 0; i < count && targets->count < room; i++) {
            int32_t id = pu_mmv_instance(mmv, indom.instance_offset + i * stride).id;
            targets->instances[targets->count++] = instance_key(indom.serial, id);
        }
    }
    qsort(targets->instances, targets->count, sizeof(uint64_t), by_key);
    return 0;
}

static int list_targets(struct pu_mmv *mmv, struct targets *targets, struct pu_err *err)
{
    struct pu_mmv_records metric = pu_mmv_records(mmv, PU_MMV_METRICS);

    while (pu_mmv_next(&metric)) {
        uint32_t item = pu_mmv_metric(mmv, metric.offset).item;
        if (item <= PU_MMV_ITEM_MAX)
            targets->items[item] = true;
    }
    return list_instances(mmv, targets, err);
}

static void free_targets(struct targets *targets)
{
    free(targets->instances);
}

static bool has_item(const struct targets *targets, uint32_t item)
{
    return item <= PU_MMV_ITEM_MAX && targets->items[item];
}

static bool has_instance(const struct targets *targets, uint32_t serial, int32_t id)
{
    uint64_t key = instance_key(serial, id);

    return bsearch(&key, targets->instances, targets->count, sizeof(key), by_key);
}

static void check_registry(const struct pu_mmv_subject *subject, const struct pu_mmv_label *label,
                           const char *what)
{
    int32_t cluster = subject->mmv->header.cluster;

    if (cluster == 0)
        pu_mmv_say(subject, R_LABEL_AUTO_CLUSTER, label->offset + 4, what,
                   "it is for cluster %" PRIu32 ", the file's is chosen by the agent",
                   label->identity);
    else if (label->identity != (uint32_t)cluster)
        pu_mmv_say(subject, R_LABEL_CLUSTER, label->offset + 4, what,
                   "it is for cluster %" PRIu32 ", the file's is %" PRId32, label->identity,
                   cluster);
}

static void check_target(const struct pu_mmv_subject *subject, const struct targets *targets,
                         const struct pu_mmv_label *label, const char *what)
{
    switch (label->flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL) {
    case PU_MMV_LABEL_REGISTRY:
        check_registry(subject, label, what);
        return;
    case PU_MMV_LABEL_INDOM:
        if (!pu_mmv_has_serial(subject, label->identity))
            pu_mmv_say(subject, R_LABEL_TARGET, label->offset + 4, what, "no indom %" PRIu32,
                       label->identity);
        return;
    case PU_MMV_LABEL_ITEM:
        if (!has_item(targets, label->identity))
            pu_mmv_say(subject, R_LABEL_TARGET, label->offset + 4, what,
                       "no metric with item %" PRIu32, label->identity);
        return;
    case PU_MMV_LABEL_INSTANCE:
        if (!has_instance(targets, label->identity, label->internal))
            pu_mmv_say(subject, R_LABEL_TARGET, label->offset + 4, what,
                       "no instance %" PRId32 " in an indom %" PRIu32, label->internal,
                       label->identity);
        return;
    default:
        pu_mmv_say(subject, R_LABEL_LEVEL, label->offset, what, "its flags are 0x%" PRIx32,
                   label->flags);
        return;
    }
}

/* Labels against each other */

static bool same_target(const struct pu_mmv_label *a, const struct pu_mmv_label *b)
{
    uint32_t optional = PU_MMV_LABEL_OPTIONAL;

    return (a->flags | optional) == (b->flags | optional) && a->identity == b->identity &&
           (!(a->flags & PU_MMV_LABEL_INSTANCE) || a->internal == b->internal);
}

static bool share_name(const struct pu_mmv_label_pairs *a, const struct pu_mmv_label_pairs *b,
                       const char **name)
{
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            if (strcmp(a->items[i].name, b->items[j].name) == 0) {
                *name = a->items[i].name;
                return true;
            }
        }
    }
    return false;
}

static void compare(const struct pu_mmv_subject *subject, const struct pu_mmv_label *labels,
                    const struct pu_mmv_label_pairs *pairs, size_t last)
{
    char what[PU_MMV_WHAT_MAX];
    const char *name;

    for (size_t i = 0; i < last; i++) {
        if (!same_target(&labels[i], &labels[last]) || !share_name(&pairs[i], &pairs[last], &name))
            continue;
        pu_mmv_what(what, "label", last, labels[last].payload);
        pu_mmv_say(subject, R_LABEL_DUPLICATE, labels[last].offset, what,
                   "label[%zu] sets \"%s\" too", i, name);
        return;
    }
}

/* At most PU_MMV_LABEL_COUNT_MAX: comparing all with all is cheap. */
static int compare_all(const struct pu_mmv_subject *subject, struct pu_err *err)
{
    struct pu_mmv_records record = pu_mmv_records(subject->mmv, PU_MMV_LABELS);
    struct pu_mmv_label *labels = calloc(PU_MMV_LABEL_COUNT_MAX, sizeof(*labels));
    struct pu_mmv_label_pairs *pairs = calloc(PU_MMV_LABEL_COUNT_MAX, sizeof(*pairs));
    int result = labels && pairs ? 0 : pu_err_system(err, ENOMEM, "cannot hold the labels");

    while (result == 0 && pu_mmv_next(&record)) {
        labels[record.index] = pu_mmv_label(subject->mmv, record.offset);
        result = pu_mmv_label_merge(&pairs[record.index], labels[record.index].payload, err);
        if (result == 0)
            compare(subject, labels, pairs, record.index);
    }
    for (size_t i = 0; pairs && i < PU_MMV_LABEL_COUNT_MAX; i++)
        pu_mmv_label_pairs_free(&pairs[i]);
    free(labels);
    free(pairs);
    return result;
}

int pu_mmv_check_labels(struct pu_mmv_subject *subject, struct pu_err *err)
{
    size_t count = subject->mmv->counts[PU_MMV_LABELS];
    struct pu_mmv_records record = pu_mmv_records(subject->mmv, PU_MMV_LABELS);
    PU_CLEANUP(free_targets) struct targets targets = {0};
    char what[PU_MMV_WHAT_MAX];

    if (count == 0 || count > PU_MMV_LABEL_COUNT_MAX)
        return 0; /* too many: said of the section */
    if (list_targets(subject->mmv, &targets, err) < 0)
        return -1;
    while (pu_mmv_next(&record)) {
        struct pu_mmv_label label = pu_mmv_label(subject->mmv, record.offset);
        pu_mmv_what(what, "label", record.index, label.payload);
        if (subject->mmv->header.version < 3 && record.index == 0)
            pu_mmv_say(subject, R_LABEL_VERSION, label.offset, what,
                       "a file of version %" PRId32 " with labels", subject->mmv->header.version);
        if (check_text(subject, &label, what, err) < 0)
            return -1;
        check_target(subject, &targets, &label, what);
    }
    return compare_all(subject, err);
}

bool pu_mmv_rule_hides_labels(const struct pu_rule *rule)
{
    switch ((enum pu_mmv_rule)(rule - pu_mmv_rules)) {
    case R_LABELS_COUNT:
    case R_LABELS_RANGE:
    case R_OFFSET_WRAP:
    case R_SECTION_HIDDEN:
    case R_LABEL_JSON:
    case R_LABEL_EMPTY:
    case R_LABEL_NAME:
    case R_LABEL_LEVEL:
    case R_LABEL_CLUSTER:
    case R_LABEL_AUTO_CLUSTER:
    case R_LABEL_TARGET:
        return true;
    default:
        return false;
    }
}
