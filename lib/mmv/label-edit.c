/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label-edit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json-read.h"
#include "mmv/label.h"

_Static_assert(sizeof(struct pu_mmv_label_record) == PU_MMV_LABEL_SIZE, "no holes");

static void release(json_t **json)
{
    json_decref(*json);
}

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold labels");
}

int pu_mmv_labels_read(const struct pu_mmv *mmv, struct pu_mmv_labels *labels, struct pu_err *err)
{
    struct pu_mmv_records record = pu_mmv_records(mmv, PU_MMV_LABELS);

    if (mmv->counts[PU_MMV_LABELS] > PU_MMV_LABELS_MAX)
        return pu_err_set(err, PU_E_LIMIT,
                          "it has %zu labels: PCP's agent takes none if there are "
                          "more than %d",
                          mmv->counts[PU_MMV_LABELS], PU_MMV_LABELS_MAX);
    labels->records = calloc(PU_MMV_LABELS_MAX, sizeof(*labels->records));
    if (!labels->records)
        return no_memory(err);
    while (pu_mmv_next(&record)) {
        struct pu_cursor cursor = pu_cursor(mmv->span, record.offset, PU_HOST);
        pu_cursor_copy(&cursor, &labels->records[labels->count++], PU_MMV_LABEL_SIZE);
    }
    return 0;
}

void pu_mmv_labels_free(struct pu_mmv_labels *labels)
{
    free(labels->records);
    memset(labels, 0, sizeof(*labels));
}

/* Targets */

bool pu_mmv_label_target_has(const struct pu_mmv_label_target *target, uint32_t flags,
                             uint32_t identity, int32_t internal)
{
    if (target->level == 0)
        return true;
    if ((flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL) != target->level)
        return false;
    if (target->any)
        return true;
    return identity == target->identity &&
           (target->level != PU_MMV_LABEL_INSTANCE || internal == target->internal);
}

bool pu_mmv_label_targets_have(const struct pu_mmv_label_targets *targets, uint32_t flags,
                               uint32_t identity, int32_t internal)
{
    for (size_t i = 0; i < targets->count; i++) {
        if (pu_mmv_label_target_has(&targets->items[i], flags, identity, internal))
            return true;
    }
    return false;
}

static bool is_meant(const struct pu_mmv_label_targets *targets,
                     const struct pu_mmv_label_record *record)
{
    return pu_mmv_label_targets_have(targets, record->flags, record->identity, record->internal);
}

/* Texts */

static struct pu_span payload_of(const struct pu_mmv_label_record *record)
{
    return pu_span_until_nul(
        (struct pu_span){(const unsigned char *)record->payload, PU_MMV_PAYLOAD_SIZE});
}

/* Room is one byte less than the field: the agent reads up to a NUL. */
static int put_payload(char payload[PU_MMV_PAYLOAD_SIZE], const json_t *object, struct pu_err *err)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf text = {0};

    pu_json_compact(&text, object);
    if (text.failed)
        return no_memory(err);
    if (text.size >= PU_MMV_PAYLOAD_SIZE)
        return pu_err_set(err, PU_E_LIMIT,
                          "its text, with name and braces, is %zu bytes long: there is room for %d",
                          text.size, PU_MMV_PAYLOAD_SIZE - 1);
    memset(payload, 0, PU_MMV_PAYLOAD_SIZE);
    memcpy(payload, text.data, text.size);
    return 0;
}

/* What a value means; NULL with an error when it should not become a string unnoticed. */
static json_t *parse_value(const char *text, struct pu_err *err)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);

    if (value)
        return value;
    if (json_error_code(&error) == json_error_numeric_overflow)
        pu_err_set(err, PU_E_SYNTAX,
                   "the number is too large for readers of JSON: '\"...\"' makes it a string");
    else if (json_error_code(&error) == json_error_duplicate_key)
        pu_err_set(err, PU_E_SYNTAX, "a name is there twice in its value");
    else if (!(value = json_string(text)))
        pu_err_set(err, PU_E_SYNTAX, "its value is not UTF-8");
    return value;
}

/* Nested objects bring names of their own. */
static int check_names(const struct pu_mmv_assignment *assignment, bool nested, struct pu_err *err)
{
    PU_CLEANUP(pu_mmv_label_pairs_free) struct pu_mmv_label_pairs pairs = {0};

    if (pu_mmv_label_merge(&pairs, pu_span_text(assignment->payload), err) < 0)
        return -1;
    if (pairs.count == 0)
        return pu_err_set(err, PU_E_SYNTAX, "an empty object is no label");
    for (size_t i = 0; i < pairs.count; i++) {
        if (!pu_mmv_label_is_name(pairs.items[i].name, nested))
            return pu_err_set(err, PU_E_SYNTAX,
                              "'%s' is not the name of a label: a letter, then letters, digits "
                              "and '_'",
                              pairs.items[i].name);
    }
    return 0;
}

static int make_payload(const char *text, struct pu_mmv_assignment *to, struct pu_err *err)
{
    PU_CLEANUP(release) json_t *value = parse_value(text, err);

    if (!value)
        return -1;
    bool nested = json_is_object(value);
    PU_CLEANUP(release) json_t *object = json_pack("{sO}", to->name, value);
    if (!object)
        return no_memory(err);
    if (put_payload(to->payload, object, err) < 0)
        return -1;
    return check_names(to, nested, err);
}

int pu_mmv_assignment_parse(const char *text, struct pu_mmv_assignment *to, struct pu_err *err)
{
    const char *sign = strchr(text, '=');

    memset(to, 0, sizeof(*to));
    if (!sign)
        return pu_err_set(err, PU_E_SYNTAX, "NAME=VALUE is due");
    to->name = strndup(text, (size_t)(sign - text));
    if (!to->name)
        return no_memory(err);
    if (!pu_mmv_label_is_name(to->name, false))
        return pu_err_set(err, PU_E_SYNTAX,
                          "'%s' is not the name of a label: a letter, then letters, digits and '_'",
                          to->name);
    return make_payload(sign + 1, to, err);
}

/* Changes */

static void drop(struct pu_mmv_labels *labels, size_t index)
{
    labels->count--;
    memmove(&labels->records[index], &labels->records[index + 1],
            (labels->count - index) * sizeof(*labels->records));
    memset(&labels->records[labels->count], 0, sizeof(*labels->records));
}

/* Takes a pair from an object; one that is empty then goes too. */
static bool remove_pair(json_t *object, const char *name)
{
    const char *dot = strchr(name, '.');

    if (json_object_del(object, name) == 0)
        return true;
    for (; dot; dot = strchr(dot + 1, '.')) {
        char *key = strndup(name, (size_t)(dot - name));
        json_t *inner = key ? json_object_get(object, key) : NULL;
        bool done = json_is_object(inner) && remove_pair(inner, dot + 1);
        if (done && json_object_size(inner) == 0)
            (void)json_object_del(object, key);
        free(key);
        if (done)
            return true;
    }
    return false;
}

enum outcome { UNTOUCHED, LEFT_OVER, EMPTIED };

/* Takes the pair from a record. -1 with an error. */
static int take_from(struct pu_mmv_label_record *record, const char *name, struct pu_err *err)
{
    PU_CLEANUP(release) json_t *object = pu_mmv_label_json(payload_of(record));

    if (!json_is_object(object) || !remove_pair(object, name))
        return UNTOUCHED;
    if (json_object_size(object) == 0)
        return EMPTIED;
    return put_payload(record->payload, object, err) < 0 ? -1 : LEFT_OVER;
}

static void put_record(struct pu_mmv_label_record *record, const struct pu_mmv_label_target *target,
                       const struct pu_mmv_assignment *assignment, bool optional)
{
    record->flags = target->level | (optional ? PU_MMV_LABEL_OPTIONAL : 0);
    record->identity = target->identity;
    record->internal = target->internal;
    memcpy(record->payload, assignment->payload, PU_MMV_PAYLOAD_SIZE);
}

int pu_mmv_labels_set(struct pu_mmv_labels *labels, const struct pu_mmv_label_target *target,
                      const struct pu_mmv_assignment *assignment, bool optional, struct pu_err *err)
{
    bool placed = false;

    for (size_t i = 0; i < labels->count;) {
        int outcome = UNTOUCHED;
        struct pu_mmv_label_record *record = &labels->records[i];
        if (pu_mmv_label_target_has(target, record->flags, record->identity, record->internal))
            outcome = take_from(record, assignment->name, err);
        if (outcome < 0)
            return -1;
        if (outcome == EMPTIED && placed) {
            drop(labels, i);
            continue;
        }
        if (outcome == EMPTIED) {
            put_record(record, target, assignment, optional);
            placed = true;
        }
        i++;
    }
    if (placed)
        return 0;
    if (labels->count == PU_MMV_LABELS_MAX)
        return pu_err_set(err, PU_E_LIMIT,
                          "no room for '%s': PCP's agent takes no labels at all "
                          "of a file with more than %d",
                          assignment->name, PU_MMV_LABELS_MAX);
    put_record(&labels->records[labels->count++], target, assignment, optional);
    return 0;
}

int pu_mmv_labels_unset(struct pu_mmv_labels *labels, const struct pu_mmv_label_targets *targets,
                        const char *name, struct pu_err *err)
{
    int removed = 0;

    for (size_t i = 0; i < labels->count;) {
        int outcome = UNTOUCHED;
        if (is_meant(targets, &labels->records[i]))
            outcome = take_from(&labels->records[i], name, err);
        if (outcome < 0)
            return -1;
        removed += outcome != UNTOUCHED;
        if (outcome == EMPTIED)
            drop(labels, i);
        else
            i++;
    }
    return removed;
}

void pu_mmv_labels_clear(struct pu_mmv_labels *labels, const struct pu_mmv_label_targets *targets)
{
    for (size_t i = 0; i < labels->count;) {
        if (is_meant(targets, &labels->records[i]))
            drop(labels, i);
        else
            i++;
    }
}
