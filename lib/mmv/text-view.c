/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/names.h"
#include "mmv/view.h"
#include "pcp/words.h"

struct page {
    struct pu_sink *sink;
    const struct pu_mmv_view *view;
    const struct pu_mmv *mmv;
};

static void put_flags(struct pu_sink *sink, uint32_t flags)
{
    const char *gap = "";

    pu_sink_text(sink, "Flags      = ");
    pu_sink_hex(sink, flags);
    pu_sink_text(sink, " (");
    for (uint32_t bit = 1; bit <= PU_MMV_SENTINEL; bit <<= 1) {
        if (!(flags & bit))
            continue;
        pu_sink_printf(sink, "%s%s", gap, pu_mmv_flag_word(bit));
        gap = ", ";
    }
    uint32_t unknown = flags & ~(uint32_t)(PU_MMV_NOPREFIX | PU_MMV_PROCESS | PU_MMV_SENTINEL);
    if (unknown)
        pu_sink_printf(sink, "%sunknown=%x", gap, unknown);
    pu_sink_text(sink, flags ? ")\n" : "none)\n");
}

static void put_header(const struct page *page)
{
    const struct pu_mmv_header *header = &page->mmv->header;
    struct pu_sink *sink = page->sink;

    pu_sink_text(sink, "MMV file   = ");
    pu_sink_escaped(sink, pu_span_text(page->view->path));
    pu_sink_printf(sink, "\nVersion    = %d\nGenerated  = %llu\n", header->version,
                   (unsigned long long)header->generation1);
    if (header->generation1 != header->generation2)
        pu_sink_printf(sink, "Generated2 = %llu\n", (unsigned long long)header->generation2);
    pu_sink_printf(sink, "TOC count  = %d\nCluster    = %d\nProcess    = %d\n", header->toc_count,
                   header->cluster, header->pid);
    put_flags(sink, header->flags);
    if (page->mmv->order == PU_FOREIGN)
        pu_sink_printf(sink, "Byte order = %s (not this machine's)\n",
                       page->mmv->order == PU_BIG ? "big" : "little");
}

/* "  [ID/OFFSET] ", which leads every entry. */
static void put_lead(struct pu_sink *sink, uint64_t id, uint64_t offset)
{
    pu_sink_add(sink, "  [", 3);
    pu_sink_u64(sink, id);
    pu_sink_char(sink, '/');
    pu_sink_u64(sink, offset);
    pu_sink_add(sink, "] ", 2);
}

static void put_help(const struct page *page, const char *what, uint64_t offset,
                     struct pu_span text)
{
    struct pu_span whole;

    if (offset == 0) {
        pu_sink_printf(page->sink, "       (no %s)\n", what);
        return;
    }
    pu_sink_printf(page->sink, "       %s=", what);
    pu_sink_escaped(page->sink, text);
    pu_sink_text(page->sink, pu_mmv_text(page->mmv, offset, &whole) ? "\n" : "?\n");
}

static void put_indom(const struct page *page, uint64_t offset)
{
    struct pu_mmv_indom indom = pu_mmv_indom(page->mmv, offset);

    put_lead(page->sink, indom.serial, offset);
    pu_sink_printf(page->sink, "%d instances, starting at offset %llu\n", indom.count,
                   (unsigned long long)indom.instance_offset);
    put_help(page, "shorttext", indom.shorttext_offset, indom.shorttext);
    put_help(page, "helptext", indom.helptext_offset, indom.helptext);
}

/* [ID or "NAME"] */
static void put_instance_name(struct pu_sink *sink, const struct pu_mmv_instance *instance)
{
    pu_sink_char(sink, '[');
    pu_sink_i64(sink, instance->id);
    pu_sink_add(sink, " or ", 4);
    pu_sink_quoted(sink, instance->name);
    pu_sink_char(sink, ']');
}

static void put_instance(const struct page *page, uint64_t offset)
{
    struct pu_mmv_instance instance = pu_mmv_instance(page->mmv, offset);

    put_lead(page->sink, pu_mmv_indom(page->mmv, instance.indom_offset).serial, offset);
    pu_sink_text(page->sink, "instance = ");
    put_instance_name(page->sink, &instance);
    pu_sink_char(page->sink, '\n');
}

static const char *long_type_word(int32_t type)
{
    static const char *const words[] = {"32-bit int", "32-bit unsigned int",
                                        "64-bit int", "64-bit unsigned int",
                                        "float",      "double",
                                        "string",     NULL,
                                        NULL,         "elapsed"};

    if (type < 0 || type > PU_MMV_ELAPSED || !words[type])
        return "?";
    return words[type];
}

static void put_units(struct pu_sink *sink, uint32_t word)
{
    struct pu_units units = pu_pcp_units(word);
    const char *extra = pu_pcp_extra_word(&units);
    char text[PU_UNITS_MAX];

    pu_pcp_units_text(word, text);
    pu_sink_printf(sink, "       units=%s", text);
    if (extra)
        pu_sink_printf(sink, "%s%s", text[0] ? " " : "", extra);
    else if (units.extra || units.extra_scale)
        pu_sink_printf(sink, "%s(extra unit %d, scale %u)", text[0] ? " " : "", units.extra,
                       units.extra_scale);
    pu_sink_char(sink, '\n');
}

static void put_metric(const struct page *page, uint64_t offset)
{
    struct pu_mmv_metric metric = pu_mmv_metric(page->mmv, offset);
    const char *semantics = pu_pcp_semantics_word(metric.semantics);
    struct pu_sink *sink = page->sink;

    put_lead(sink, metric.item, offset);
    pu_sink_escaped(sink, metric.name);
    pu_sink_printf(sink, "\n       type=%s (0x%x), sem=%s (0x%x), pad=0x%x\n",
                   long_type_word(metric.type), (unsigned int)metric.type,
                   semantics ? semantics : "?", (unsigned int)metric.semantics, metric.padding);
    put_units(sink, metric.units);
    if (pu_mmv_is_singular(&metric))
        pu_sink_text(sink, "       (no indom)\n");
    else
        pu_sink_printf(sink, "       indom=%u\n", metric.serial);
    put_help(page, "shorttext", metric.shorttext_offset, metric.shorttext);
    put_help(page, "helptext", metric.helptext_offset, metric.helptext);
}

static void put_elapsed(struct pu_sink *sink, const struct pu_mmv_reading *reading)
{
    pu_sink_i64(sink, reading->atom.i64);
    pu_sink_text(sink, " (value=");
    pu_sink_i64(sink, (int64_t)reading->value.raw);
    pu_sink_text(sink, "/extra=");
    pu_sink_i64(sink, reading->value.extra);
    pu_sink_char(sink, ')');
}

static void put_unknown(struct pu_sink *sink, const struct pu_mmv_reading *reading)
{
    pu_sink_hex(sink, reading->value.raw);
    if (reading->metric)
        pu_sink_printf(sink, " (unknown type %d)", reading->metric->type);
}

static void put_atom(struct pu_sink *sink, const struct pu_mmv_reading *reading)
{
    const struct pu_mmv_atom *atom = &reading->atom;

    switch (atom->kind) {
    case PU_MMV_ATOM_NONE:
        pu_sink_text(sink, "(no value)");
        return;
    case PU_MMV_ATOM_UNKNOWN:
        put_unknown(sink, reading);
        return;
    case PU_MMV_ATOM_I64:
        pu_sink_i64(sink, atom->i64);
        return;
    case PU_MMV_ATOM_U64:
        pu_sink_u64(sink, atom->u64);
        return;
    case PU_MMV_ATOM_FLOAT:
        sink->used += pu_num_fixed_float(pu_sink_room(sink, PU_NUM_MAX), atom->number32);
        return;
    case PU_MMV_ATOM_DOUBLE:
        sink->used += pu_num_fixed_double(pu_sink_room(sink, PU_NUM_MAX), atom->number64);
        return;
    case PU_MMV_ATOM_TEXT:
    case PU_MMV_ATOM_LOST:
        pu_sink_quoted(sink, atom->text);
        if (atom->kind == PU_MMV_ATOM_LOST)
            pu_sink_char(sink, '?');
        return;
    case PU_MMV_ATOM_ELAPSED:
        put_elapsed(sink, reading);
        return;
    }
}

static void put_value(struct pu_sink *sink, const struct pu_mmv_reading *reading)
{
    if (reading->metric) {
        put_lead(sink, reading->metric->item, reading->value.offset);
        pu_sink_escaped(sink, reading->metric->name);
    } else {
        pu_sink_printf(sink, "  [?/%llu] ?", (unsigned long long)reading->value.offset);
    }
    if (reading->has_instance) {
        if (reading->instance_index != PU_MMV_NONE)
            put_instance_name(sink, &reading->instance);
        else
            pu_sink_text(sink, "[?]");
    }
    pu_sink_add(sink, " = ", 3);
    put_atom(sink, reading);
    pu_sink_char(sink, '\n');
}

static void put_values(const struct page *page, size_t toc)
{
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;

    pu_mmv_walk_section(&walk, page->view, toc);
    while (pu_mmv_walk_next(&walk, &reading))
        put_value(page->sink, &reading);
}

static void put_string(const struct page *page, uint64_t offset, size_t i)
{
    struct pu_span text;

    (void)pu_mmv_text(page->mmv, offset, &text);
    put_lead(page->sink, i + 1, offset);
    pu_sink_escaped(page->sink, text);
    pu_sink_char(page->sink, '\n');
}

static void put_label(const struct page *page, uint64_t offset, size_t i)
{
    struct pu_mmv_label label = pu_mmv_label(page->mmv, offset);
    const char *level = pu_mmv_label_level(label.flags);

    put_lead(page->sink, i + 1, offset);
    pu_sink_escaped(page->sink, label.payload);
    pu_sink_printf(page->sink, "\n        flags=0x%x, identity=0x%x\n        internal=0x%x\n",
                   label.flags, label.identity, (unsigned int)label.internal);
    pu_sink_printf(page->sink, "        level=%s%s\n", level ? level : "?",
                   label.flags & PU_MMV_LABEL_OPTIONAL ? ", optional" : "");
}

static void put_record(const struct page *page, const struct pu_mmv_section *section, size_t i)
{
    uint64_t offset = pu_mmv_record(page->mmv, section, i);

    switch (section->kind) {
    case PU_MMV_INDOMS:
        put_indom(page, offset);
        return;
    case PU_MMV_INSTANCES:
        put_instance(page, offset);
        return;
    case PU_MMV_METRICS:
        if (pu_mmv_view_has_metric(page->view, section->first + i))
            put_metric(page, offset);
        return;
    case PU_MMV_STRINGS:
        put_string(page, offset, i);
        return;
    case PU_MMV_LABELS:
        put_label(page, offset, i);
        return;
    default:
        return;
    }
}

static void put_section_head(struct pu_sink *sink, const struct pu_mmv_section *section, size_t toc)
{
    static const char *const heads[] = {
        [PU_MMV_INDOMS] = "offset %llu, indoms offset %llu",
        [PU_MMV_INSTANCES] = "offset %llu, instances offset %llu",
        [PU_MMV_METRICS] = "toc offset %llu, metrics offset %llu",
        [PU_MMV_VALUES] = "offset %llu, values offset %llu",
        [PU_MMV_STRINGS] = "offset %llu, string offset %llu",
        [PU_MMV_LABELS] = "offset %llu, labels offset %llu",
    };
    bool known = pu_mmv_kind_word(section->kind) != NULL;

    pu_sink_printf(sink, "\nTOC[%zu]: ", toc);
    pu_sink_printf(sink, known ? heads[section->kind] : "offset %llu, unknown offset %llu",
                   (unsigned long long)section->toc_offset, (unsigned long long)section->offset);
    if (!known)
        pu_sink_printf(sink, ", type 0x%x", (unsigned int)section->kind);
    pu_sink_printf(sink, " (%d entries)\n", section->count);
}

void pu_mmv_text_view(struct pu_sink *sink, const struct pu_mmv_view *view)
{
    struct page page = {sink, view, view->mmv};

    put_header(&page);
    for (size_t toc = 0; toc < view->mmv->section_count; toc++) {
        const struct pu_mmv_section *section = &view->mmv->sections[toc];
        put_section_head(sink, section, toc);
        if (section->kind == PU_MMV_VALUES) {
            put_values(&page, toc);
            continue;
        }
        for (size_t i = 0; i < section->usable; i++)
            put_record(&page, section, i);
    }
}
