/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/encode.h"

#include <errno.h>
#include <inttypes.h>

/* The file as it grows. Fields are written at their place, so that order does not matter. */
struct writer {
    const struct pu_mmv_model *model;
    struct pu_mmv_layout *layout;
    unsigned char *file;
    uint64_t next_string; /* where the next string goes */
};

static void put32(struct writer *writer, uint64_t at, uint32_t word)
{
    memcpy(writer->file + at, &word, sizeof(word));
}

static void put64(struct writer *writer, uint64_t at, uint64_t word)
{
    memcpy(writer->file + at, &word, sizeof(word));
}

static void put_text(struct writer *writer, uint64_t at, struct pu_span text)
{
    if (text.size > 0)
        memcpy(writer->file + at, text.data, text.size);
}

static bool has_long_name(const struct pu_mmv_model *model)
{
    for (size_t i = 0; i < model->metric_count; i++) {
        if (model->metrics[i].name.size >= PU_MMV_NAME_SIZE)
            return true;
    }
    for (size_t i = 0; i < model->instance_count; i++) {
        if (model->instances[i].name.size >= PU_MMV_NAME_SIZE)
            return true;
    }
    return false;
}

static int choose_version(const struct pu_mmv_model *model, int32_t *version, struct pu_err *err)
{
    bool long_name = has_long_name(model);

    *version = model->version;
    if (*version == 0)
        *version = model->label_count > 0 ? 3 : long_name ? 2 : 1;
    if (*version == 1 && long_name)
        return pu_err_set(err, PU_E_SYNTAX, "version 1 has no room for names of %d bytes or more",
                          PU_MMV_NAME_SIZE);
    return 0;
}

static uint64_t record_size(int32_t version, int32_t kind)
{
    switch (kind) {
    case PU_MMV_INDOMS:
        return PU_MMV_INDOM_SIZE;
    case PU_MMV_INSTANCES:
        return version == 1 ? PU_MMV_INSTANCE1_SIZE : PU_MMV_INSTANCE2_SIZE;
    case PU_MMV_METRICS:
        return version == 1 ? PU_MMV_METRIC1_SIZE : PU_MMV_METRIC2_SIZE;
    case PU_MMV_VALUES:
        return PU_MMV_VALUE_SIZE;
    default:
        return PU_MMV_STRING_SIZE; /* labels too */
    }
}

static size_t count_helps(struct pu_span shorttext, struct pu_span helptext)
{
    return (shorttext.data != NULL) + (size_t)(helptext.data != NULL);
}

static size_t count_strings(const struct pu_mmv_model *model, int32_t version)
{
    size_t count = version == 1 ? 0 : model->metric_count + model->instance_count;

    for (size_t i = 0; i < model->metric_count; i++)
        count += count_helps(model->metrics[i].shorttext, model->metrics[i].helptext);
    for (size_t i = 0; i < model->indom_count; i++)
        count += count_helps(model->indoms[i].shorttext, model->indoms[i].helptext);
    for (size_t i = 0; i < model->value_count; i++)
        count += model->metrics[model->values[i].metric].type == PU_MMV_STRING;
    return count;
}

/* Metrics and values are always there: the agent wants two sections at least. */
static bool has_section(int32_t kind, size_t count)
{
    return count > 0 || kind == PU_MMV_METRICS || kind == PU_MMV_VALUES;
}

static void plan(struct pu_mmv_layout *layout, const size_t *counts)
{
    uint64_t at = PU_MMV_HEADER_SIZE;

    for (int32_t kind = PU_MMV_INDOMS; kind <= PU_MMV_LABELS; kind++)
        at += has_section(kind, counts[kind]) ? PU_MMV_TOC_SIZE : 0;
    for (int32_t kind = PU_MMV_INDOMS; kind <= PU_MMV_LABELS; kind++) {
        layout->offsets[kind] = has_section(kind, counts[kind]) ? at : 0;
        at += counts[kind] * record_size(layout->version, kind);
    }
    layout->size = at;
}

int32_t pu_mmv_layout_find(const struct pu_mmv_layout *layout, uint64_t offset, size_t *index)
{
    for (int32_t kind = PU_MMV_INDOMS; kind <= PU_MMV_LABELS; kind++) {
        uint64_t size = record_size(layout->version, kind);
        uint64_t start = layout->offsets[kind];
        if (start == 0 || offset < start || offset - start >= layout->counts[kind] * size)
            continue;
        *index = (size_t)((offset - start) / size);
        return kind;
    }
    return 0;
}

static uint64_t place(const struct writer *writer, int32_t kind, size_t index)
{
    return writer->layout->offsets[kind] + index * record_size(writer->layout->version, kind);
}

/* A string slot of its own. Returns where it is. */
static uint64_t put_string(struct writer *writer, struct pu_span text)
{
    uint64_t at = writer->next_string;

    put_text(writer, at, text);
    writer->next_string += PU_MMV_STRING_SIZE;
    return at;
}

static uint64_t put_optional(struct writer *writer, struct pu_span text)
{
    return text.data ? put_string(writer, text) : 0;
}

static void put_header(struct writer *writer, const size_t *counts)
{
    const struct pu_mmv_model *model = writer->model;
    uint64_t at = PU_MMV_HEADER_SIZE;
    uint32_t sections = 0;

    memcpy(writer->file, "MMV", 4);
    put32(writer, 4, (uint32_t)writer->layout->version);
    put64(writer, 8, model->generation);
    put64(writer, 16, model->generation);
    put32(writer, 28, model->flags);
    put32(writer, 32, (uint32_t)model->pid);
    put32(writer, 36, (uint32_t)model->cluster);
    for (int32_t kind = PU_MMV_INDOMS; kind <= PU_MMV_LABELS; kind++) {
        if (!has_section(kind, counts[kind]))
            continue;
        put32(writer, at, (uint32_t)kind);
        put32(writer, at + 4, (uint32_t)counts[kind]);
        put64(writer, at + 8, writer->layout->offsets[kind]);
        at += PU_MMV_TOC_SIZE;
        sections++;
    }
    put32(writer, 24, sections);
}

static void put_instances(struct writer *writer)
{
    for (size_t i = 0; i < writer->model->instance_count; i++) {
        const struct pu_mmv_model_instance *instance = &writer->model->instances[i];
        uint64_t at = place(writer, PU_MMV_INSTANCES, i);
        if (instance->indom != SIZE_MAX)
            put64(writer, at, place(writer, PU_MMV_INDOMS, instance->indom));
        put32(writer, at + 12, (uint32_t)instance->id);
        if (writer->layout->version == 1)
            put_text(writer, at + 16, instance->name);
        else
            put64(writer, at + 16, put_string(writer, instance->name));
    }
}

/* All but the help texts, which come later among the strings. */
static void put_metric(struct writer *writer, size_t index)
{
    const struct pu_mmv_model_metric *metric = &writer->model->metrics[index];
    uint64_t at = place(writer, PU_MMV_METRICS, index);

    if (writer->layout->version == 1) {
        put_text(writer, at, metric->name);
        at += PU_MMV_NAME_SIZE;
    } else {
        put64(writer, at, put_string(writer, metric->name));
        at += 8;
    }
    put32(writer, at, metric->item);
    put32(writer, at + 4, (uint32_t)metric->type);
    put32(writer, at + 8, (uint32_t)metric->semantics);
    put32(writer, at + 12, metric->units);
    put32(writer, at + 16, metric->serial);
}

static void put_values(struct writer *writer)
{
    const struct pu_mmv_model *model = writer->model;

    for (size_t i = 0; i < model->value_count; i++) {
        const struct pu_mmv_model_value *value = &model->values[i];
        int32_t type = model->metrics[value->metric].type;
        uint64_t at = place(writer, PU_MMV_VALUES, i);
        bool half = type == PU_MMV_I32 || type == PU_MMV_U32 || type == PU_MMV_FLOAT;
        if (half && value->raw <= UINT32_MAX)
            put32(writer, at, (uint32_t)value->raw);
        else
            put64(writer, at, value->raw);
        put64(writer, at + 8,
              type == PU_MMV_STRING ? put_string(writer, value->text) : (uint64_t)value->extra);
        put64(writer, at + 16, place(writer, PU_MMV_METRICS, value->metric));
        if (value->instance != PU_MMV_SINGULAR)
            put64(writer, at + 24, place(writer, PU_MMV_INSTANCES, value->instance));
    }
}

static void put_metrics(struct writer *writer)
{
    for (size_t i = 0; i < writer->model->metric_count; i++)
        put_metric(writer, i);
}

static void put_metric_helps(struct writer *writer)
{
    uint64_t size = record_size(writer->layout->version, PU_MMV_METRICS);

    for (size_t i = 0; i < writer->model->metric_count; i++) {
        uint64_t end = place(writer, PU_MMV_METRICS, i) + size;
        put64(writer, end - 16, put_optional(writer, writer->model->metrics[i].shorttext));
        put64(writer, end - 8, put_optional(writer, writer->model->metrics[i].helptext));
    }
}

static void put_indoms(struct writer *writer)
{
    for (size_t i = 0; i < writer->model->indom_count; i++) {
        const struct pu_mmv_model_indom *indom = &writer->model->indoms[i];
        uint64_t at = place(writer, PU_MMV_INDOMS, i);
        put32(writer, at, indom->serial);
        put32(writer, at + 4, (uint32_t)indom->count);
        if (writer->layout->offsets[PU_MMV_INSTANCES])
            put64(writer, at + 8, place(writer, PU_MMV_INSTANCES, indom->first));
        put64(writer, at + 16, put_optional(writer, indom->shorttext));
        put64(writer, at + 24, put_optional(writer, indom->helptext));
    }
}

static void put_labels(struct writer *writer)
{
    for (size_t i = 0; i < writer->model->label_count; i++) {
        const struct pu_mmv_model_label *label = &writer->model->labels[i];
        uint64_t at = place(writer, PU_MMV_LABELS, i);
        put32(writer, at, label->flags);
        put32(writer, at + 4, label->identity);
        put32(writer, at + 8, (uint32_t)label->internal);
        put_text(writer, at + 12, label->payload);
    }
}

int pu_mmv_encode(const struct pu_mmv_model *model, struct pu_buf *bytes,
                  struct pu_mmv_layout *layout, struct pu_err *err)
{
    memset(layout, 0, sizeof(*layout));
    if (choose_version(model, &layout->version, err) < 0)
        return -1;
    size_t *counts = layout->counts;
    const size_t all[PU_MMV_LABELS + 1] = {
        [PU_MMV_INDOMS] = model->indom_count,
        [PU_MMV_INSTANCES] = model->instance_count,
        [PU_MMV_METRICS] = model->metric_count,
        [PU_MMV_VALUES] = model->value_count,
        [PU_MMV_LABELS] = model->label_count,
        [PU_MMV_STRINGS] = count_strings(model, layout->version),
    };
    memcpy(counts, all, sizeof(all));
    plan(layout, counts);
    char *file = pu_buf_room(bytes, layout->size);
    if (!file)
        return pu_err_system(err, ENOMEM, "cannot hold %" PRIu64 " bytes", layout->size);
    memset(file, 0, layout->size);
    bytes->size = layout->size;
    struct writer writer = {model, layout, (unsigned char *)file, layout->offsets[PU_MMV_STRINGS]};
    put_header(&writer, counts);
    put_instances(&writer);
    put_metrics(&writer);
    put_values(&writer);
    put_metric_helps(&writer);
    put_indoms(&writer);
    put_labels(&writer);
    return 0;
}
