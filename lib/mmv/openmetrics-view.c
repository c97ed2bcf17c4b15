/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/openmetrics-view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "mmv/family.h"
#include "mmv/label.h"
#include "mmv/openmetrics-name.h"

/* What is being written. */
struct exposition {
    struct pu_sink *sink;
    struct pu_buf labels;  /* of one sample */
    struct pu_buf samples; /* label sets of one family, each with a NUL behind it */
    size_t *table;         /* owned: hash table of places in `samples`, plus 1; 0 = free */
    size_t table_mask;     /* its size, a power of two, less 1 */
};

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold the exposition");
}

static void report(const struct pu_family_member *member, const char *message)
{
    struct pu_err err;

    pu_err_damage(&err, member->metric.offset, "%s", message);
    pu_err_where(&err, "metric \"%.*s\"", (int)member->metric.name.size,
                 (const char *)member->metric.name.data);
    pu_errors_add(member->source->view->damage, &err);
}

static bool label_applies(const struct pu_mmv_label *label, const struct pu_family_member *member,
                          const struct pu_mmv_reading *reading, uint32_t level)
{
    const struct pu_mmv_metric *metric = &member->metric;

    if ((label->flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL) != level)
        return false;
    switch (level) {
    case PU_MMV_LABEL_INDOM:
        return !pu_mmv_is_singular(metric) && label->identity == metric->serial;
    case PU_MMV_LABEL_REGISTRY:
        return label->identity == (uint32_t)member->source->view->mmv->header.cluster;
    case PU_MMV_LABEL_ITEM:
        return label->identity == metric->item;
    default:
        return reading->instance_index != PU_MMV_NONE && label->identity == metric->serial &&
               label->internal == reading->instance.id;
    }
}

static int merge_labels(const struct pu_family_member *member, const struct pu_mmv_reading *reading,
                        struct pu_mmv_label_pairs *pairs, struct pu_err *err)
{
    static const uint32_t levels[] = {PU_MMV_LABEL_INDOM, PU_MMV_LABEL_REGISTRY, PU_MMV_LABEL_ITEM,
                                      PU_MMV_LABEL_INSTANCE};
    const struct pu_family_source *source = member->source;

    for (size_t level = 0; level < sizeof(levels) / sizeof(levels[0]); level++) {
        for (size_t i = 0; i < source->label_count; i++) {
            const struct pu_mmv_label *label = &source->labels[i];
            if (label_applies(label, member, reading, levels[level]) &&
                pu_mmv_label_merge(pairs, label->payload, err) < 0)
                return -1;
        }
    }
    return 0;
}

static bool has_label(const struct pu_buf *labels, const struct pu_buf *start)
{
    struct pu_span rest = pu_buf_span(labels);

    /* A quote inside a value has a backslash in front of it, so `name="` is the start of a label.
     */
    for (;;) {
        const unsigned char *found = memmem(rest.data, rest.size, start->data, start->size);
        if (!found)
            return false;
        if (found[-1] == '{' || found[-1] == ',')
            return true;
        rest.size -= (size_t)(found + 1 - rest.data);
        rest.data = found + 1;
    }
}

/* {name="value",...}: a name that, spelled for OpenMetrics, is there already is left out. */
static void put_label(struct pu_buf *labels, struct pu_span name, struct pu_span value)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf start = {0};

    pu_openmetrics_label_name(&start, name);
    pu_buf_add_text(&start, "=\"");
    if (start.failed || labels->failed || has_label(labels, &start)) {
        labels->failed |= start.failed;
        return;
    }
    if (labels->size > 1)
        pu_buf_add_char(labels, ',');
    pu_buf_add(labels, start.data, start.size);
    pu_openmetrics_text(labels, value);
    pu_buf_add_char(labels, '"');
}

/* The label set in braces, or nothing at all. */
static int spell_labels(struct pu_buf *to, const struct pu_family_member *member,
                        const struct pu_mmv_reading *reading, struct pu_err *err)
{
    PU_CLEANUP(pu_mmv_label_pairs_free) struct pu_mmv_label_pairs pairs = {0};
    char id[PU_NUM_MAX];

    if (merge_labels(member, reading, &pairs, err) < 0)
        return -1;
    to->size = 0;
    pu_buf_add_char(to, '{');
    if (reading->instance_index != PU_MMV_NONE) {
        size_t size = pu_num_i64(id, reading->instance.id);
        put_label(to, pu_span_text("instname"), reading->instance.name);
        put_label(to, pu_span_text("instid"), (struct pu_span){(unsigned char *)id, size});
    }
    if (member->type == PU_FAMILY_INFO)
        put_label(to, pu_span_text("value"), reading->atom.text);
    for (size_t i = 0; i < pairs.count; i++)
        put_label(to, pu_span_text(pairs.items[i].name), pu_span_text(pairs.items[i].value));
    if (to->size > 1)
        pu_buf_add_char(to, '}');
    else
        to->size = 0;
    return to->failed ? no_memory(err) : 0;
}

static uint64_t hash(const char *text, size_t size)
{
    uint64_t sum = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return sum ^ sum >> 29;
}

/* Room for the label sets of a family of `count` samples. */
static int new_table(struct exposition *all, size_t count, struct pu_err *err)
{
    size_t size = 4;

    while (size < 2 * count)
        size *= 2;
    free(all->table);
    all->table = calloc(size, sizeof(*all->table));
    all->table_mask = size - 1;
    all->samples.size = 0;
    return all->table ? 0 : no_memory(err);
}

/* Remembers the label set of a sample. 1 when the family has had it already, 0 when not, or -1. */
static int remember(struct exposition *all, struct pu_err *err)
{
    const char *labels = pu_buf_text(&all->labels);
    size_t at = hash(labels, all->labels.size) & all->table_mask;

    for (; all->table[at]; at = (at + 1) & all->table_mask) {
        if (strcmp(all->samples.data + all->table[at] - 1, labels) == 0)
            return 1;
    }
    all->table[at] = all->samples.size + 1;
    pu_buf_add(&all->samples, labels, all->labels.size + 1);
    return all->samples.failed || all->labels.failed ? no_memory(err) : 0;
}

static void put_double(struct pu_sink *sink, double value, size_t (*spell)(char *, double))
{
    if (isnan(value))
        pu_sink_text(sink, "NaN");
    else if (isinf(value))
        pu_sink_text(sink, value < 0 ? "-Inf" : "+Inf");
    else
        sink->used += spell(pu_sink_room(sink, PU_NUM_MAX), value);
}

static size_t spell_float(char *to, double value)
{
    return pu_num_float(to, (float)value);
}

static void put_number(struct pu_sink *sink, const struct pu_mmv_atom *atom)
{
    switch (atom->kind) {
    case PU_MMV_ATOM_I64:
    case PU_MMV_ATOM_ELAPSED:
        pu_sink_i64(sink, atom->i64);
        return;
    case PU_MMV_ATOM_U64:
        pu_sink_u64(sink, atom->u64);
        return;
    case PU_MMV_ATOM_FLOAT:
        put_double(sink, atom->number32, spell_float);
        return;
    case PU_MMV_ATOM_DOUBLE:
        put_double(sink, atom->number64, pu_num_double);
        return;
    default:
        pu_sink_char(sink, '1'); /* info */
        return;
    }
}

static bool has_sample(const struct pu_mmv_reading *reading)
{
    if (reading->has_instance && reading->instance_index == PU_MMV_NONE)
        return false;
    return reading->atom.kind != PU_MMV_ATOM_NONE && reading->atom.kind != PU_MMV_ATOM_UNKNOWN &&
           reading->atom.kind != PU_MMV_ATOM_LOST;
}

static int put_sample(struct exposition *all, const struct pu_family_member *member,
                      enum pu_family_type type, uint64_t offset, struct pu_err *err)
{
    static const char *const suffixes[] = {"_total", "", "", "_info"};
    struct pu_mmv_reading reading;

    pu_mmv_read(member->source->view, &member->metric, offset, &reading);
    if (!has_sample(&reading))
        return 0;
    if (spell_labels(&all->labels, member, &reading, err) < 0)
        return -1;
    int doubled = remember(all, err);
    if (doubled < 0)
        return -1;
    if (doubled) {
        report(member, "another value has the same name and labels; only the first is exported");
        return 0;
    }
    pu_sink_text(all->sink, member->family);
    pu_sink_text(all->sink, suffixes[type]);
    pu_sink_add(all->sink, all->labels.data, all->labels.size);
    pu_sink_char(all->sink, ' ');
    put_number(all->sink, &reading.atom);
    pu_sink_char(all->sink, '\n');
    return 0;
}

static void put_meta(struct pu_sink *sink, const char *what, const char *family,
                     struct pu_span text)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf spelled = {0};

    pu_openmetrics_text(&spelled, text);
    pu_sink_printf(sink, "# %s ", what);
    pu_sink_text(sink, family);
    pu_sink_char(sink, ' ');
    pu_sink_add(sink, spelled.data, spelled.size);
    pu_sink_char(sink, '\n');
}

/* Where files disagree about a family, numbers are "unknown"; texts and numbers do not mix. */
static enum pu_family_type family_type(const struct pu_family_member *members, size_t count)
{
    enum pu_family_type type = members[0].type;

    for (size_t i = 1; i < count; i++) {
        if (members[i].type != type && members[i].type != PU_FAMILY_INFO)
            type = type == PU_FAMILY_INFO ? PU_FAMILY_INFO : PU_FAMILY_UNKNOWN;
    }
    return type;
}

static void put_family_head(struct pu_sink *sink, const struct pu_family_member *first,
                            enum pu_family_type type)
{
    static const char *const words[] = {"counter", "gauge", "unknown", "info"};
    struct pu_span help =
        first->metric.shorttext.size > 0 ? first->metric.shorttext : first->metric.helptext;

    put_meta(sink, "TYPE", first->family, pu_span_text(words[type]));
    if (first->unit[0])
        put_meta(sink, "UNIT", first->family, pu_span_text(first->unit));
    if (help.size > 0)
        put_meta(sink, "HELP", first->family, help);
}

static int put_member(struct exposition *all, const struct pu_family_member *member,
                      enum pu_family_type type, struct pu_err *err)
{
    if ((member->type == PU_FAMILY_INFO) != (type == PU_FAMILY_INFO)) {
        report(member, "another metric of the same name is text where this is a number, or the "
                       "other way round; only the first is exported");
        return 0;
    }
    for (size_t i = 0; i < pu_family_size(member); i++) {
        if (put_sample(all, member, type, pu_family_value(member, i), err) < 0)
            return -1;
    }
    return 0;
}

static int put_family(struct exposition *all, const struct pu_family_member *members, size_t count,
                      struct pu_err *err)
{
    enum pu_family_type type = family_type(members, count);
    size_t samples = 0;

    for (size_t i = 0; i < count; i++)
        samples += pu_family_size(&members[i]);
    if (new_table(all, samples, err) < 0)
        return -1;
    put_family_head(all->sink, &members[0], type);
    for (size_t i = 0; i < count; i++) {
        if (put_member(all, &members[i], type, err) < 0)
            return -1;
    }
    return 0;
}

static void release(struct exposition *all)
{
    free(all->table);
    pu_buf_free(&all->labels);
    pu_buf_free(&all->samples);
}

int pu_mmv_openmetrics_view(struct pu_sink *sink, const struct pu_mmv_view *views, size_t count,
                            struct pu_err *err)
{
    PU_CLEANUP(pu_families_free) struct pu_families families = {0};
    PU_CLEANUP(release) struct exposition all = {.sink = sink};
    size_t end;

    if (pu_families_collect(&families, views, count, err) < 0)
        return -1;
    const struct pu_family_member *members = families.members;
    for (size_t first = 0; first < families.member_count; first = end) {
        end = first + 1;
        while (end < families.member_count &&
               strcmp(members[first].family, members[end].family) == 0)
            end++;
        if (put_family(&all, &members[first], end - first, err) < 0)
            return -1;
    }
    pu_sink_text(sink, "# EOF\n");
    return 0;
}
