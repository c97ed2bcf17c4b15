/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of a spec: objects beside what they are for, or a list as mmvdump(1) writes it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mmv/names.h"
#include "mmv/spec-private.h"

#define PAYLOAD_MAX (PU_MMV_PAYLOAD_SIZE - 1)

static int add_label(struct pu_mmv_spec_reader *reader, const struct pu_mmv_model_label *label)
{
    struct pu_mmv_model *model = reader->model;
    size_t count = model->label_count;
    char *place = strdup(reader->json->path);

    if (!pu_json_keep(reader->json, place))
        return pu_mmv_spec_no_memory(reader);
    if ((count & (count - 1)) == 0) {
        size_t room = count ? 2 * count : 1;
        struct pu_mmv_model_label *labels = reallocarray(model->labels, room, sizeof(*labels));
        if (labels)
            model->labels = labels;
        const char **places = reallocarray(reader->spec->label_places, room, sizeof(*places));
        if (places)
            reader->spec->label_places = places;
        if (!labels || !places)
            return pu_mmv_spec_no_memory(reader);
    }
    model->labels[count] = *label;
    reader->spec->label_places[count] = place;
    model->label_count++;
    return 0;
}

/* The text of a value, as a payload of the document's own. */
static int make_payload(struct pu_mmv_spec_reader *reader, const json_t *object,
                        struct pu_span *payload)
{
    struct pu_buf text = {0};

    pu_json_compact(&text, object);
    (void)pu_buf_text(&text);
    if (text.failed) {
        pu_buf_free(&text);
        return pu_mmv_spec_no_memory(reader);
    }
    *payload = pu_buf_span(&text);
    if (!pu_json_keep(reader->json, text.data))
        return pu_mmv_spec_no_memory(reader);
    return pu_mmv_spec_check_text(reader, *payload, PAYLOAD_MAX) < 0 ? -1 : 0;
}

/* {"name": value, ...}: one label for each pair. */
static int add_pairs(struct pu_mmv_spec_reader *reader, json_t *object,
                     struct pu_mmv_model_label label)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object))
        return pu_json_wrong(reader->json, reader->err, "an object of names and values is due");
    json_object_foreach(object, name, value)
    {
        json_t *pair = json_pack("{sO}", name, value);
        size_t mark = pu_json_enter(reader->json, name);
        int result =
            pair ? make_payload(reader, pair, &label.payload) : pu_mmv_spec_no_memory(reader);
        json_decref(pair);
        if (result < 0 || add_label(reader, &label) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

/* The member "labels" of `owner`, if it has one. */
static int add_owned(struct pu_mmv_spec_reader *reader, const json_t *owner,
                     struct pu_mmv_model_label label)
{
    json_t *object = json_object_get(owner, "labels");

    if (!object)
        return 0;
    size_t mark = pu_json_enter(reader->json, "labels");
    if (add_pairs(reader, object, label) < 0)
        return -1;
    pu_json_leave(reader->json, mark);
    return 0;
}

static int add_indom_labels(struct pu_mmv_spec_reader *reader, const json_t *indom, size_t index)
{
    const struct pu_mmv_model_indom *model = &reader->model->indoms[index];
    const json_t *instances = json_object_get(indom, "instances");
    struct pu_mmv_model_label label = {PU_MMV_LABEL_INDOM, model->serial, -1, {0}};

    if (add_owned(reader, indom, label) < 0)
        return -1;
    label.flags = PU_MMV_LABEL_INSTANCE;
    for (size_t i = 0; i < model->count; i++) {
        size_t mark = pu_json_enter_item(reader->json, "instances", i);
        label.internal = reader->model->instances[model->first + i].id;
        if (add_owned(reader, json_array_get(instances, i), label) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

static int add_indoms(struct pu_mmv_spec_reader *reader)
{
    const json_t *list = json_object_get(reader->file, "indoms");

    for (size_t i = 0; i < reader->model->indom_count; i++) {
        size_t mark = pu_json_enter_item(reader->json, "indoms", i);
        if (add_indom_labels(reader, json_array_get(list, i), i) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

static int add_metrics(struct pu_mmv_spec_reader *reader)
{
    const json_t *list = json_object_get(reader->file, "metrics");

    for (size_t i = 0; i < reader->model->metric_count; i++) {
        struct pu_mmv_model_label label = {
            PU_MMV_LABEL_ITEM, reader->model->metrics[i].item, -1, {0}};
        size_t mark = pu_json_enter_item(reader->json, "metrics", i);
        if (add_owned(reader, json_array_get(list, i), label) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

/* The list */

static int read_level(struct pu_mmv_spec_reader *reader, const json_t *json, uint32_t *flags)
{
    static const uint32_t levels[] = {PU_MMV_LABEL_REGISTRY, PU_MMV_LABEL_INDOM, PU_MMV_LABEL_ITEM,
                                      PU_MMV_LABEL_INSTANCE};
    const char *word = json_string_value(json_object_get(json, "level"));
    bool optional = false;
    uint64_t raw = 0;
    int given = pu_json_hex(reader->json, json, "flags_raw", &raw, reader->err);

    if (given < 0 || pu_json_bool(reader->json, json, "optional", &optional, reader->err) < 0)
        return -1;
    for (size_t i = 0; word && i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcmp(word, pu_mmv_label_level(levels[i])) == 0) {
            *flags = levels[i] | (optional ? PU_MMV_LABEL_OPTIONAL : 0);
            return 0;
        }
    }
    *flags = (uint32_t)raw;
    if (given && (!word || strcmp(word, "unknown") == 0))
        return 0;
    (void)pu_json_enter(reader->json, "level");
    return pu_json_wrong(reader->json, reader->err,
                         "\"registry\", \"indom\", \"item\" or \"instance\" is due");
}

/* The exact text where there is one and it says the same as the object. */
static int read_payload(struct pu_mmv_spec_reader *reader, const json_t *json,
                        struct pu_span *payload)
{
    const json_t *object = json_object_get(json, "labels");
    int given = pu_mmv_spec_text(reader, json, "payload", PAYLOAD_MAX + 1, payload);

    if (given < 0)
        return -1;
    if (given > 0 && object) {
        json_t *parsed = json_loadb((const char *)payload->data, payload->size, 0, NULL);
        bool same = json_equal(parsed, object);
        json_decref(parsed);
        if (same)
            return 0;
    }
    if (object && !json_is_object(object))
        return pu_json_wrong(reader->json, reader->err, "\"labels\" is not an object");
    if (object)
        return make_payload(reader, object, payload);
    return given ? 0 : pu_json_wrong(reader->json, reader->err, "a label without \"labels\"");
}

static const char *const label_members[] = {
    "level",  "optional", "flags_raw",   "identity", "instance",
    "labels", "payload",  "payload_b64", "offset",   NULL,
};

static int read_listed(struct pu_mmv_spec_reader *reader, json_t *json)
{
    struct pu_mmv_model_label label = {.internal = -1};
    uint64_t identity = (uint32_t)reader->model->cluster;
    int64_t internal = -1;

    if (!json_is_object(json))
        return pu_json_wrong(reader->json, reader->err, "an object is due");
    if (pu_json_only(reader->json, json, label_members, reader->err) < 0 ||
        read_level(reader, json, &label.flags) < 0)
        return -1;
    int identified =
        pu_json_u64(reader->json, json, "identity", UINT32_MAX, &identity, reader->err);
    if (identified < 0 ||
        pu_json_i64(reader->json, json, "instance", INT32_MIN, INT32_MAX, &internal, reader->err) <
            0 ||
        read_payload(reader, json, &label.payload) < 0)
        return -1;
    if (!identified && (label.flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL) != PU_MMV_LABEL_REGISTRY)
        return pu_json_wrong(reader->json, reader->err,
                             "\"identity\" is missing: a serial, or the item of a metric");
    label.identity = (uint32_t)identity;
    label.internal = (int32_t)internal;
    return add_label(reader, &label);
}

static int add_list(struct pu_mmv_spec_reader *reader, const json_t *list)
{
    size_t i;
    json_t *label;

    json_array_foreach(list, i, label)
    {
        size_t mark = pu_json_enter_item(reader->json, "labels", i);
        if (read_listed(reader, label) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

int pu_mmv_spec_labels(struct pu_mmv_spec_reader *reader)
{
    json_t *labels = json_object_get(reader->file, "labels");
    struct pu_mmv_model_label registry = {
        PU_MMV_LABEL_REGISTRY, (uint32_t)reader->model->cluster, -1, {0}};

    if (json_is_array(labels) ? add_list(reader, labels) < 0
                              : add_owned(reader, reader->file, registry) < 0)
        return -1;
    return add_indoms(reader) < 0 ? -1 : add_metrics(reader);
}
