/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/openmetrics-view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/table.h"
#include "mmv/family.h"
#include "mmv/label-set.h"
#include "mmv/openmetrics-name.h"

/* What is being written. */
struct exposition {
    struct pu_sink *sink;
    struct pu_buf common; /* spelled labels that all values of a metric share */
    struct pu_buf labels; /* of one sample */
    uint64_t *seen;       /* owned: hash table of the label sets of a family; 0 = free */
    size_t seen_mask;     /* its size, a power of two, less 1 */
    uint64_t hash_key;
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

/* `reading` is needed for the labels of instances only. */
static bool label_applies(const struct pu_family_member *member, size_t i, uint32_t level,
                          const struct pu_mmv_reading *reading)
{
    bool instance = reading && reading->instance_index != PU_MMV_NONE;

    return pu_mmv_label_applies(&member->source->labels[i], level,
                                &member->source->view->mmv->header, &member->metric,
                                instance ? &reading->instance.id : NULL);
}

static void collect_set(struct pu_label_set *set, const struct pu_family_member *member,
                        const struct pu_mmv_reading *reading)
{
    for (const uint32_t *level = pu_label_levels; *level; level++) {
        for (size_t i = 0; i < member->source->label_count; i++) {
            if (label_applies(member, i, *level, reading))
                pu_label_set_add(set, &member->source->pairs[i]);
        }
    }
}

/* name="value", with a comma in front if there is something in front. */
static void put_label(struct pu_buf *to, const char *name, struct pu_span value)
{
    if (to->size > 0)
        pu_buf_add_char(to, ',');
    pu_buf_add_text(to, name);
    pu_buf_add_text(to, "=\"");
    pu_openmetrics_text(to, value);
    pu_buf_add_char(to, '"');
}

/* Names that say which value it is are not for labels of the file's own. */
static bool is_taken(const struct pu_family_member *member, const char *name)
{
    if (member->type == PU_FAMILY_INFO && strcmp(name, "value") == 0)
        return true;
    return !pu_mmv_is_singular(&member->metric) &&
           (strcmp(name, "instname") == 0 || strcmp(name, "instid") == 0);
}

static void put_set(struct pu_buf *to, const struct pu_family_member *member,
                    const struct pu_label_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (!is_taken(member, set->items[i]->name))
            put_label(to, set->items[i]->name, pu_span_text(set->items[i]->value));
    }
}

/* Spells what all values of a metric share. */
static int start_member(struct exposition *all, const struct pu_family_member *member,
                        struct pu_err *err)
{
    struct pu_label_set set = {.count = 0};

    collect_set(&set, member, NULL);
    all->common.size = 0;
    put_set(&all->common, member, &set);
    if (set.full)
        report(member, "more than 255 labels; the rest is left out");
    return all->common.failed ? no_memory(err) : 0;
}

static bool has_own_labels(const struct pu_family_member *member,
                           const struct pu_mmv_reading *reading)
{
    for (size_t i = 0; i < member->source->label_count; i++) {
        if (label_applies(member, i, PU_MMV_LABEL_INSTANCE, reading))
            return true;
    }
    return false;
}

/* The labels of one value, without the braces. */
static int spell_labels(struct exposition *all, const struct pu_family_member *member,
                        const struct pu_mmv_reading *reading, struct pu_err *err)
{
    struct pu_buf *to = &all->labels;
    char id[PU_NUM_MAX];

    to->size = 0;
    if (reading->instance_index != PU_MMV_NONE) {
        size_t size = pu_num_i64(id, reading->instance.id);
        put_label(to, "instname", reading->instance.name);
        put_label(to, "instid", (struct pu_span){(unsigned char *)id, size});
    }
    if (member->type == PU_FAMILY_INFO)
        put_label(to, "value", reading->atom.text);
    if (has_own_labels(member, reading)) {
        struct pu_label_set set = {.count = 0};
        collect_set(&set, member, reading);
        put_set(to, member, &set);
    } else if (all->common.size > 0) {
        if (to->size > 0)
            pu_buf_add_char(to, ',');
        pu_buf_add(to, all->common.data, all->common.size);
    }
    return to->failed ? no_memory(err) : 0;
}

/* Room for the label sets of a family of `count` samples. */
static int new_table(struct exposition *all, size_t count, struct pu_err *err)
{
    size_t size = 4;

    while (size < 2 * count)
        size *= 2;
    free(all->seen);
    all->seen = calloc(size, sizeof(*all->seen));
    all->seen_mask = size - 1;
    return all->seen ? 0 : no_memory(err);
}

/* Remembers the label set of a sample. True when the family has had it already. */
static bool is_double(struct exposition *all)
{
    uint64_t value = pu_hash(all->hash_key, pu_buf_span(&all->labels)) + 1;
    size_t at = value & all->seen_mask;

    for (; all->seen[at]; at = (at + 1) & all->seen_mask) {
        if (all->seen[at] == value)
            return true;
    }
    all->seen[at] = value;
    return false;
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
    if (spell_labels(all, member, &reading, err) < 0)
        return -1;
    if (is_double(all)) {
        report(member, "another value has the same name and labels; only the first is exported");
        return 0;
    }
    pu_sink_text(all->sink, member->family);
    pu_sink_text(all->sink, suffixes[type]);
    if (all->labels.size > 0) {
        pu_sink_char(all->sink, '{');
        pu_sink_add(all->sink, all->labels.data, all->labels.size);
        pu_sink_char(all->sink, '}');
    }
    pu_sink_char(all->sink, ' ');
    put_number(all->sink, &reading.atom);
    pu_sink_char(all->sink, '\n');
    return 0;
}

static int put_meta(struct pu_sink *sink, const char *what, const char *family, struct pu_span text,
                    struct pu_err *err)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf spelled = {0};

    pu_openmetrics_text(&spelled, text);
    if (spelled.failed)
        return no_memory(err);
    pu_sink_printf(sink, "# %s ", what);
    pu_sink_text(sink, family);
    pu_sink_char(sink, ' ');
    pu_sink_add(sink, spelled.data, spelled.size);
    pu_sink_char(sink, '\n');
    return 0;
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

static int put_family_head(struct pu_sink *sink, const struct pu_family_member *first,
                           enum pu_family_type type, struct pu_err *err)
{
    static const char *const words[] = {"counter", "gauge", "unknown", "info"};
    struct pu_span help =
        first->metric.shorttext.size > 0 ? first->metric.shorttext : first->metric.helptext;

    if (put_meta(sink, "TYPE", first->family, pu_span_text(words[type]), err) < 0)
        return -1;
    if (first->unit[0] && put_meta(sink, "UNIT", first->family, pu_span_text(first->unit), err) < 0)
        return -1;
    return help.size > 0 ? put_meta(sink, "HELP", first->family, help, err) : 0;
}

static int put_member(struct exposition *all, const struct pu_family_member *member,
                      enum pu_family_type type, struct pu_err *err)
{
    if ((member->type == PU_FAMILY_INFO) != (type == PU_FAMILY_INFO)) {
        report(member, "another metric of the same name is text where this is a number, or the "
                       "other way round; only the first is exported");
        return 0;
    }
    if (start_member(all, member, err) < 0)
        return -1;
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
    if (put_family_head(all->sink, &members[0], type, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (put_member(all, &members[i], type, err) < 0)
            return -1;
    }
    return 0;
}

static void release(struct exposition *all)
{
    free(all->seen);
    pu_buf_free(&all->common);
    pu_buf_free(&all->labels);
}

int pu_mmv_openmetrics_view(struct pu_sink *sink, const struct pu_mmv_view *views, size_t count,
                            struct pu_err *err)
{
    PU_CLEANUP(pu_families_free) struct pu_families families = {0};
    PU_CLEANUP(release) struct exposition all = {.sink = sink, .hash_key = pu_hash_key()};
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
