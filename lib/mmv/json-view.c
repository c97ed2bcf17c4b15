/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>

#include "mmv/label.h"
#include "mmv/names.h"
#include "mmv/view.h"
#include "pcp/words.h"

/* An indom's record may claim instances that another one has too; see CLAIM_LIMIT in decode.c. */
#define INSTANCE_LIMIT 4

struct page {
    struct pu_out *out;
    const struct pu_mmv_view *view;
    struct pu_mmv *mmv;
    uint64_t instances;    /* shown so far */
    unsigned char *listed; /* by instance: an indom led to it; NULL when memory ran out */
    bool failed;           /* memory ran out */
};

#define FIELD(name) static const struct pu_field name##_field = {.key = #name}

FIELD(file);
FIELD(size);
FIELD(byte_order);
FIELD(header);
FIELD(toc);
FIELD(indoms);
FIELD(metrics);
FIELD(values);
FIELD(strings);
FIELD(labels);
FIELD(instances);

FIELD(offset);
FIELD(name);
FIELD(type);
FIELD(type_raw);
FIELD(count);
FIELD(indom);
FIELD(serial);
FIELD(shorttext);
FIELD(helptext);
FIELD(instance);
FIELD(flags);
FIELD(flags_raw);

static void put_header(const struct page *page)
{
    FIELD(version);
    FIELD(generation1);
    FIELD(generation2);
    FIELD(generation_time);
    FIELD(toc_count);
    FIELD(pid);
    FIELD(cluster);
    const struct pu_mmv_header *header = &page->mmv->header;
    struct pu_out *out = page->out;
    int64_t time;

    pu_out_object(out, &header_field);
    pu_out_i64(out, &version_field, header->version);
    pu_out_u64(out, &generation1_field, header->generation1);
    pu_out_u64(out, &generation2_field, header->generation2);
    if (pu_mmv_generation_time(header->generation1, &time))
        pu_out_time(out, &generation_time_field, time);
    pu_out_i64(out, &toc_count_field, header->toc_count);
    pu_out_list(out, &flags_field);
    for (uint32_t bit = 1; bit <= PU_MMV_SENTINEL; bit <<= 1) {
        if (header->flags & bit)
            pu_out_string(out, NULL, pu_mmv_flag_word(bit));
    }
    pu_out_end(out);
    pu_out_hex(out, &flags_raw_field, header->flags);
    pu_out_i64(out, &pid_field, header->pid);
    pu_out_i64(out, &cluster_field, header->cluster);
    pu_out_end(out);
}

static void put_toc(const struct page *page)
{
    FIELD(toc_offset);
    struct pu_out *out = page->out;

    pu_out_list(out, &toc_field);
    for (size_t i = 0; i < page->mmv->section_count; i++) {
        const struct pu_mmv_section *section = &page->mmv->sections[i];
        const char *word = pu_mmv_kind_word(section->kind);
        pu_out_object(out, NULL);
        pu_out_string(out, &type_field, word ? word : "unknown");
        pu_out_i64(out, &type_raw_field, section->kind);
        pu_out_i64(out, &count_field, section->count);
        pu_out_u64(out, &offset_field, section->offset);
        pu_out_u64(out, &toc_offset_field, section->toc_offset);
        pu_out_end(out);
    }
    pu_out_end(out);
}

static void put_help(struct pu_out *out, uint64_t shorttext_offset, struct pu_span shorttext,
                     uint64_t helptext_offset, struct pu_span helptext)
{
    if (shorttext_offset != 0)
        pu_out_bytes(out, &shorttext_field, shorttext);
    if (helptext_offset != 0)
        pu_out_bytes(out, &helptext_field, helptext);
}

static void put_instance(const struct page *page, uint64_t offset)
{
    struct pu_mmv_instance instance = pu_mmv_instance(page->mmv, offset);
    struct pu_out *out = page->out;

    pu_out_object(out, NULL);
    pu_out_i64(out, &instance_field, instance.id);
    pu_out_bytes(out, &name_field, instance.name);
    pu_out_u64(out, &offset_field, offset);
    pu_out_end(out);
}

static bool may_list_more(struct page *page, uint64_t indom_offset, size_t stride)
{
    struct pu_err err;

    if (++page->instances <= INSTANCE_LIMIT * page->mmv->span.size / stride)
        return true;
    pu_err_damage(&err, indom_offset,
                  "indoms up to here claim more instances than fit into %d such files; the rest is "
                  "left out",
                  INSTANCE_LIMIT);
    pu_err_where(&err, "indoms");
    pu_errors_add(page->view->damage, &err);
    return false;
}

/* The instances that an indom's record leads to, as far as they are in the file. */
static void put_instances(struct page *page, const struct pu_mmv_indom *indom)
{
    size_t stride = pu_mmv_stride(page->mmv, PU_MMV_INSTANCES);
    uint64_t offset = indom->instance_offset;

    pu_out_list(page->out, &instances_field);
    for (int32_t i = 0; i < indom->count; i++, offset += stride) {
        if (!pu_span_has(page->mmv->span, offset, stride) ||
            !may_list_more(page, indom->offset, stride))
            break;
        size_t index = pu_mmv_find(&page->mmv->instances, offset);
        if (page->listed && index != PU_MMV_NONE)
            page->listed[index] = true;
        put_instance(page, offset);
    }
    pu_out_end(page->out);
}

static void put_indom_id(const struct page *page, uint32_t serial)
{
    char id[PU_MMV_ID_MAX];

    if (pu_mmv_indom_id(&page->mmv->header, serial, id))
        pu_out_string(page->out, &indom_field, id);
}

static void put_indom(struct page *page, uint64_t offset)
{
    FIELD(instance_offset);
    struct pu_mmv_indom indom = pu_mmv_indom(page->mmv, offset);
    struct pu_out *out = page->out;

    pu_out_object(out, NULL);
    pu_out_u64(out, &serial_field, indom.serial);
    put_indom_id(page, indom.serial);
    put_help(out, indom.shorttext_offset, indom.shorttext, indom.helptext_offset, indom.helptext);
    pu_out_u64(out, &offset_field, offset);
    pu_out_i64(out, &count_field, indom.count);
    pu_out_u64(out, &instance_offset_field, indom.instance_offset);
    put_instances(page, &indom);
    pu_out_end(out);
}

static void put_units(struct pu_out *out, uint32_t word)
{
    FIELD(units);
    FIELD(units_raw);
    FIELD(extra_units);
    struct pu_units units = pu_pcp_units(word);
    const char *extra = pu_pcp_extra_word(&units);
    char text[PU_UNITS_MAX];

    pu_out_string(out, &units_field, pu_pcp_units_text(word, text));
    if (extra)
        pu_out_string(out, &extra_units_field, extra);
    pu_out_hex(out, &units_raw_field, word);
}

static const char *semantics_word(int32_t semantics)
{
    const char *word = pu_pcp_semantics_word(semantics);

    return word ? word : semantics == 0 ? "unset" : "unknown";
}

static void put_metric(struct page *page, uint64_t offset, size_t index)
{
    FIELD(metric);
    FIELD(full_name);
    FIELD(item);
    FIELD(pmid);
    FIELD(sem);
    FIELD(sem_raw);
    FIELD(indom_raw);
    struct pu_mmv_metric metric = pu_mmv_metric(page->mmv, offset);
    const char *type = pu_mmv_type_word(metric.type);
    PU_CLEANUP(pu_buf_free) struct pu_buf full = {0};
    struct pu_out *out = page->out;
    char id[PU_MMV_ID_MAX];

    pu_mmv_full_name(&full, page->view->path, &page->mmv->header, metric.name);
    page->failed |= full.failed;
    pu_out_object(out, NULL);
    pu_out_u64(out, &metric_field, index);
    pu_out_bytes(out, &name_field, metric.name);
    pu_out_bytes(out, &full_name_field, pu_buf_span(&full));
    pu_out_u64(out, &item_field, metric.item);
    if (pu_mmv_pmid(&page->mmv->header, metric.item, id))
        pu_out_string(out, &pmid_field, id);
    pu_out_string(out, &type_field, type ? type : "unknown");
    pu_out_i64(out, &type_raw_field, metric.type);
    pu_out_string(out, &sem_field, semantics_word(metric.semantics));
    pu_out_i64(out, &sem_raw_field, metric.semantics);
    put_units(out, metric.units);
    if (!pu_mmv_is_singular(&metric)) {
        pu_out_u64(out, &serial_field, metric.serial);
        put_indom_id(page, metric.serial);
    }
    pu_out_u64(out, &indom_raw_field, metric.serial);
    put_help(out, metric.shorttext_offset, metric.shorttext, metric.helptext_offset,
             metric.helptext);
    pu_out_u64(out, &offset_field, offset);
    pu_out_end(out);
}

static void put_value(struct pu_out *out, const struct pu_mmv_reading *reading)
{
    FIELD(metric);
    FIELD(metric_offset);
    FIELD(instance_name);
    FIELD(instance_offset);
    FIELD(value);
    FIELD(raw);
    FIELD(extra);

    pu_out_object(out, NULL);
    if (reading->metric) {
        pu_out_u64(out, &metric_field, reading->metric_index);
        pu_out_bytes(out, &name_field, reading->metric->name);
    } else {
        pu_out_u64(out, &metric_offset_field, reading->value.metric_offset);
    }
    if (reading->instance_index != PU_MMV_NONE) {
        pu_out_i64(out, &instance_field, reading->instance.id);
        pu_out_bytes(out, &instance_name_field, reading->instance.name);
    } else if (reading->has_instance) {
        pu_out_u64(out, &instance_offset_field, reading->value.instance_offset);
    }
    pu_mmv_put_atom(out, &value_field, &reading->atom);
    pu_out_hex(out, &raw_field, reading->value.raw);
    if (reading->value.extra != 0)
        pu_out_i64(out, &extra_field, reading->value.extra);
    pu_out_u64(out, &offset_field, reading->value.offset);
    pu_out_end(out);
}

static void put_string(const struct page *page, uint64_t offset)
{
    FIELD(text);
    struct pu_span text;

    (void)pu_mmv_text(page->mmv, offset, &text);
    pu_out_object(page->out, NULL);
    pu_out_bytes(page->out, &text_field, text);
    pu_out_u64(page->out, &offset_field, offset);
    pu_out_end(page->out);
}

static void put_label(const struct page *page, uint64_t offset)
{
    FIELD(level);
    FIELD(optional);
    FIELD(identity);
    FIELD(payload);
    struct pu_mmv_label label = pu_mmv_label(page->mmv, offset);
    const char *level = pu_mmv_label_level(label.flags);
    struct pu_out *out = page->out;

    pu_out_object(out, NULL);
    pu_out_string(out, &level_field, level ? level : "unknown");
    pu_out_bool(out, &optional_field, label.flags & PU_MMV_LABEL_OPTIONAL);
    pu_out_hex(out, &flags_raw_field, label.flags);
    pu_out_u64(out, &identity_field, label.identity);
    pu_out_i64(out, &instance_field, label.internal);
    if (pu_mmv_label_is_object(label.payload))
        pu_out_raw_json(out, &labels_field, label.payload);
    pu_out_bytes(out, &payload_field, label.payload);
    pu_out_u64(out, &offset_field, offset);
    pu_out_end(out);
}

/* What stands in a section of instances though no indom leads to it. */
static void put_other_instance(const struct page *page, uint64_t offset, size_t index)
{
    if (page->listed && !page->listed[index])
        put_instance(page, offset);
}

static void put_record(struct page *page, const struct pu_mmv_section *section, size_t i)
{
    uint64_t offset = pu_mmv_record(page->mmv, section, i);

    switch (section->kind) {
    case PU_MMV_INDOMS:
        put_indom(page, offset);
        return;
    case PU_MMV_INSTANCES:
        put_other_instance(page, offset, section->first + i);
        return;
    case PU_MMV_METRICS:
        if (pu_mmv_view_has_metric(page->view, section->first + i))
            put_metric(page, offset, section->first + i);
        return;
    case PU_MMV_STRINGS:
        put_string(page, offset);
        return;
    case PU_MMV_LABELS:
        put_label(page, offset);
        return;
    default:
        return;
    }
}

static void put_values(const struct page *page, size_t toc)
{
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;

    pu_mmv_walk_section(&walk, page->view, toc);
    while (pu_mmv_walk_next(&walk, &reading))
        put_value(page->out, &reading);
}

/* All records of a kind, in the order of the table of contents. */
static void put_kind(struct page *page, const struct pu_field *field, int32_t kind)
{
    pu_out_list(page->out, field);
    for (size_t toc = 0; toc < page->mmv->section_count; toc++) {
        const struct pu_mmv_section *section = &page->mmv->sections[toc];
        if (section->kind != kind)
            continue;
        if (kind == PU_MMV_VALUES)
            put_values(page, toc);
        else
            for (size_t i = 0; i < section->usable; i++)
                put_record(page, section, i);
    }
    pu_out_end(page->out);
}

int pu_mmv_json_view(struct pu_out *out, const struct pu_mmv_view *view, struct pu_err *err)
{
    FIELD(other_instances);
    struct page page = {.out = out, .view = view, .mmv = view->mmv};

    page.listed = calloc(view->mmv->instances.count + 1, 1);
    page.failed = !page.listed;
    pu_out_object(out, NULL);
    pu_out_string(out, &file_field, view->path);
    pu_out_u64(out, &size_field, view->mmv->span.size);
    pu_out_string(out, &byte_order_field, view->mmv->order == PU_BIG ? "big" : "little");
    put_header(&page);
    put_toc(&page);
    put_kind(&page, &indoms_field, PU_MMV_INDOMS);
    put_kind(&page, &other_instances_field, PU_MMV_INSTANCES);
    put_kind(&page, &metrics_field, PU_MMV_METRICS);
    put_kind(&page, &values_field, PU_MMV_VALUES);
    put_kind(&page, &strings_field, PU_MMV_STRINGS);
    put_kind(&page, &labels_field, PU_MMV_LABELS);
    free(page.listed);
    return page.failed ? pu_err_system(err, ENOMEM, "not all could be shown") : 0;
}
