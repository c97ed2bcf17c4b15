/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label-view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mmv/check.h"
#include "mmv/label-index.h"
#include "mmv/label-set.h"
#include "mmv/names.h"

/* More findings are not looked at: a file could be made of nothing else. */
#define FINDINGS_MAX 4096

struct entry {
    struct pu_mmv_label label;
    size_t toc;                      /* its section */
    struct pu_mmv_label_pairs pairs; /* owned */
    bool hidden;                     /* the agent never shows it */
};

struct verdict {
    const struct pu_rule *rule;
    uint64_t offset;
    char what[200];
    char message[300];
};

struct page {
    struct pu_judge judge; /* first: takes the findings */
    struct pu_out *out;
    const struct pu_mmv_label_view *view;
    struct pu_mmv *mmv;
    struct entry *entries; /* owned */
    size_t entry_count;
    const struct entry *shown[PU_MMV_LABELS_MAX]; /* by the agent; it takes no more */
    size_t shown_count;
    struct pu_mmv_label_index index;
    struct verdict *verdicts; /* owned */
    size_t verdict_count;
    size_t taken;
};

static const struct pu_field line_field = {.form = PU_FORM_LINE};
static const struct pu_field file_field = {.key = "file", .form = PU_FORM_PREFIX};
static const struct pu_field name_field = {.key = "name", .form = PU_FORM_HIDDEN};
static const struct pu_field offset_field = {.key = "offset", .form = PU_FORM_HIDDEN};
static const struct pu_field instance_field = {.key = "instance", .form = PU_FORM_HIDDEN};

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold labels");
}

static bool is_wanted(const struct page *page, uint32_t flags, uint32_t identity, int32_t internal)
{
    const struct pu_mmv_label_targets *targets = page->view->targets;

    return targets->count == 0 || pu_mmv_label_targets_have(targets, flags, identity, internal);
}

/* Reading */

static int read_labels(struct page *page, struct pu_err *err)
{
    struct pu_mmv_records record = pu_mmv_records(page->mmv, PU_MMV_LABELS);

    page->entries = calloc(page->mmv->counts[PU_MMV_LABELS] + 1, sizeof(*page->entries));
    page->verdicts = calloc(FINDINGS_MAX, sizeof(*page->verdicts));
    if (!page->entries || !page->verdicts)
        return no_memory(err);
    while (pu_mmv_next(&record)) {
        struct entry *entry = &page->entries[page->entry_count++];
        entry->label = pu_mmv_label(page->mmv, record.offset);
        entry->toc = record.toc;
        if (pu_mmv_label_merge(&entry->pairs, entry->label.payload, err) < 0)
            return -1;
    }
    return 0;
}

/* Is the finding about this label, or about its section? */
static bool concerns(const struct page *page, const struct pu_finding *finding,
                     const struct entry *entry)
{
    uint64_t offset = finding->place.offset;
    uint64_t toc = page->mmv->sections[entry->toc].toc_offset;

    return (offset >= entry->label.offset && offset - entry->label.offset < PU_MMV_LABEL_SIZE) ||
           (offset >= toc && offset - toc < PU_MMV_TOC_SIZE);
}

/* A name that is none is shown with the rest of the text, and never as a word of ours. */
static bool has_good_names(const struct entry *entry)
{
    for (size_t i = 0; i < entry->pairs.count; i++) {
        if (!pu_mmv_label_is_name(entry->pairs.items[i].name, true))
            return false;
    }
    return entry->pairs.count > 0;
}

static void list_shown(struct page *page)
{
    for (size_t i = 0; i < page->entry_count && page->shown_count < PU_MMV_LABELS_MAX; i++) {
        if (!page->entries[i].hidden && has_good_names(&page->entries[i]))
            page->shown[page->shown_count++] = &page->entries[i];
    }
}

static bool is_about_labels(const struct pu_rule *rule)
{
    return pu_mmv_rule_hides_labels(rule) || strcmp(rule->name, "label-duplicate") == 0;
}

static void take(struct pu_judge *judge, const struct pu_finding *finding)
{
    struct page *page = (struct page *)judge;
    bool concerned = false;

    if (!is_about_labels(finding->rule) || !finding->place.has_offset ||
        page->taken == FINDINGS_MAX)
        return;
    page->taken++;
    for (size_t i = 0; i < page->entry_count; i++) {
        struct entry *entry = &page->entries[i];
        if (!concerns(page, finding, entry))
            continue;
        entry->hidden |= pu_mmv_rule_hides_labels(finding->rule);
        concerned |=
            is_wanted(page, entry->label.flags, entry->label.identity, entry->label.internal);
    }
    if (!concerned)
        return;
    struct verdict *verdict = &page->verdicts[page->verdict_count++];
    verdict->rule = finding->rule;
    verdict->offset = finding->place.offset;
    snprintf(verdict->what, sizeof(verdict->what), "%s", finding->place.what);
    snprintf(verdict->message, sizeof(verdict->message), "%s", finding->message);
}

/* What labels are for, in words */

static void begin_line(const struct page *page)
{
    pu_out_object(page->out, &line_field);
    if (page->view->show_path) {
        const struct pu_field path_field = {.form = PU_FORM_PREFIX};
        pu_out_string(page->out, &path_field, page->view->path);
    }
}

/* SERIAL/NAME, as --instance takes it. */
static void put_instance(const struct page *page, const struct pu_mmv_label *label)
{
    static const struct pu_field serial_field = {.form = PU_FORM_PLAIN};
    static const struct pu_field id_field = {.form = PU_FORM_SLASH};
    static const struct pu_field instance_name_field = {.key = "instance_name",
                                                        .form = PU_FORM_SLASH};
    struct pu_span name;

    pu_out_i64(page->out, &instance_field, label->internal);
    pu_out_u64(page->out, &serial_field, label->identity);
    if (pu_mmv_label_index_instance(&page->index, label->identity, label->internal, &name))
        pu_out_select(page->out, &instance_name_field, name);
    else
        pu_out_i64(page->out, &id_field, label->internal);
}

static void put_target(const struct page *page, const struct pu_mmv_label *label)
{
    static const struct pu_field level_field = {.key = "level", .form = PU_FORM_HIDDEN};
    static const struct pu_field word_field = {.form = PU_FORM_PLAIN};
    static const struct pu_field identity_field = {.key = "identity", .form = PU_FORM_HIDDEN};
    static const struct pu_field number_field = {.form = PU_FORM_PLAIN};
    static const struct pu_field metric_field = {.key = "metric"};
    const char *level = pu_mmv_label_level(label->flags);
    uint32_t kind = label->flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL;
    struct pu_span name;

    pu_out_string(page->out, &level_field, level ? level : "unknown");
    pu_out_u64(page->out, &identity_field, label->identity);
    pu_out_string(page->out, &word_field,
                  kind == PU_MMV_LABEL_ITEM ? "metric"
                  : level                   ? level
                                            : "unknown");
    if (kind == PU_MMV_LABEL_INSTANCE)
        put_instance(page, label);
    else if (kind == PU_MMV_LABEL_ITEM &&
             pu_mmv_label_index_metric(&page->index, label->identity, &name))
        pu_out_name(page->out, &metric_field, name);
    else if (kind != PU_MMV_LABEL_REGISTRY ||
             label->identity != (uint32_t)page->mmv->header.cluster)
        pu_out_u64(page->out, &number_field, label->identity);
}

/* A value as JSON. */
static void put_value(const struct page *page, const struct pu_field *field,
                      const struct pu_mmv_label_pair *pair)
{
    if (pair->is_text)
        pu_out_string(page->out, field, pair->value);
    else
        pu_out_raw_json(page->out, field, pu_span_text(pair->value));
}

/* name=value for people, {"name":..,"value":..} or {name:value} for programs. */
static void put_pair(const struct page *page, const struct pu_mmv_label_pair *pair, bool keyed)
{
    static const struct pu_field value_field = {.key = "value", .form = PU_FORM_HIDDEN};
    const struct pu_field shown_field = {
        .key = keyed ? pair->name : NULL, .label = pair->name, .form = PU_FORM_LABELLED};

    put_value(page, &shown_field, pair);
    if (keyed)
        return;
    pu_out_string(page->out, &name_field, pair->name);
    put_value(page, &value_field, pair);
}

/* The list by level */

static void put_label(const struct page *page, const struct entry *entry,
                      const struct pu_mmv_label_pair *pair)
{
    static const struct pu_field payload_field = {.key = "payload"};
    static const struct pu_field optional_field = {.key = "optional", .form = PU_FORM_HIDDEN};
    static const struct pu_field tag_field = {.form = PU_FORM_TAG};
    bool optional = entry->label.flags & PU_MMV_LABEL_OPTIONAL;

    begin_line(page);
    put_target(page, &entry->label);
    if (pair)
        put_pair(page, pair, false);
    else
        pu_out_bytes(page->out, &payload_field, entry->label.payload);
    pu_out_bool(page->out, &optional_field, optional);
    if (optional)
        pu_out_string(page->out, &tag_field, "optional");
    pu_out_u64(page->out, &offset_field, entry->label.offset);
    pu_out_end(page->out);
}

static void put_level(const struct page *page, const char *level)
{
    for (size_t i = 0; i < page->entry_count; i++) {
        const struct entry *entry = &page->entries[i];
        const struct pu_mmv_label *label = &entry->label;
        const char *own = pu_mmv_label_level(label->flags);
        if (level != own && (!level || !own || strcmp(level, own) != 0))
            continue;
        if (!is_wanted(page, label->flags, label->identity, label->internal))
            continue;
        bool good = has_good_names(entry);
        for (size_t n = 0; good && n < entry->pairs.count; n++)
            put_label(page, entry, &entry->pairs.items[n]);
        if (!good)
            put_label(page, entry, NULL);
    }
}

static void put_labels(const struct page *page)
{
    static const struct pu_field labels_field = {.key = "labels"};
    static const char *const levels[] = {"registry", "indom", "item", "instance", NULL};

    pu_out_list(page->out, &labels_field);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        put_level(page, levels[i]);
    pu_out_end(page->out);
}

/* What comes of them */

static void collect(const struct page *page, struct pu_label_set *set,
                    const struct pu_mmv_metric *metric, const int32_t *instance)
{
    for (const uint32_t *level = pu_label_levels; *level; level++) {
        for (size_t i = 0; i < page->entry_count; i++) {
            const struct entry *entry = &page->entries[i];
            if (!entry->hidden &&
                pu_mmv_label_applies(&entry->label, *level, &page->mmv->header, metric, instance))
                pu_label_set_add(set, &entry->pairs);
        }
    }
}

static void put_effective(const struct page *page, const struct pu_mmv_metric *metric,
                          const struct pu_mmv_instance *instance)
{
    static const struct pu_field metric_field = {.key = "name"};
    static const struct pu_field instance_name_field = {.key = "instance_name",
                                                        .form = PU_FORM_BRACKETS};
    static const struct pu_field labels_field = {.key = "labels"};
    struct pu_label_set set = {.count = 0};

    collect(page, &set, metric, instance ? &instance->id : NULL);
    begin_line(page);
    pu_out_name(page->out, &metric_field, metric->name);
    if (instance) {
        pu_out_i64(page->out, &instance_field, instance->id);
        pu_out_select(page->out, &instance_name_field, instance->name);
    }
    pu_out_object(page->out, &labels_field);
    for (size_t i = 0; i < set.count; i++)
        put_pair(page, set.items[i], true);
    pu_out_end(page->out);
    pu_out_end(page->out);
}

static bool wants_metric(const struct page *page, const struct pu_mmv_metric *metric)
{
    return is_wanted(page, PU_MMV_LABEL_ITEM, metric->item, -1) ||
           is_wanted(page, PU_MMV_LABEL_REGISTRY, 0, -1) ||
           (!pu_mmv_is_singular(metric) && is_wanted(page, PU_MMV_LABEL_INDOM, metric->serial, -1));
}

static void put_run(const struct page *page, const struct pu_mmv_metric *metric,
                    const struct pu_mmv_label_run *run, uint64_t *budget)
{
    size_t stride = pu_mmv_stride(page->mmv, PU_MMV_INSTANCES);
    bool all = wants_metric(page, metric);

    for (size_t i = 0; i<run->count && * budget> 0; i++, --*budget) {
        struct pu_mmv_instance instance = pu_mmv_instance(page->mmv, run->offset + i * stride);
        if (all || is_wanted(page, PU_MMV_LABEL_INSTANCE, run->serial, instance.id))
            put_effective(page, metric, &instance);
    }
}

/* `budget`: how many instances to show; see CLAIM_LIMIT in decode.c. */
static void put_metric(const struct page *page, const struct pu_mmv_metric *metric,
                       uint64_t *budget)
{
    const struct pu_mmv_label_run *runs;
    size_t count;

    if (pu_mmv_is_singular(metric)) {
        if (wants_metric(page, metric))
            put_effective(page, metric, NULL);
        return;
    }
    runs = pu_mmv_label_index_runs(&page->index, metric->serial, &count);
    for (size_t i = 0; i < count; i++)
        put_run(page, metric, &runs[i], budget);
}

static void put_metrics(const struct page *page)
{
    static const struct pu_field effective_field = {.key = "effective"};
    struct pu_mmv_records record = pu_mmv_records(page->mmv, PU_MMV_METRICS);
    /* A good file has a value of 32 bytes for each. */
    uint64_t budget = page->mmv->span.size / 8;

    pu_out_list(page->out, &effective_field);
    while (pu_mmv_next(&record)) {
        struct pu_mmv_metric metric = pu_mmv_metric(page->mmv, record.offset);
        put_metric(page, &metric, &budget);
    }
    pu_out_end(page->out);
}

static void put_verdicts(const struct page *page)
{
    static const struct pu_field never_field = {.key = "never_shown"};
    static const struct pu_field lead_field = {.form = PU_FORM_PREFIX};
    static const struct pu_field place_field = {.key = "place", .form = PU_FORM_PREFIX};
    static const struct pu_field message_field = {.key = "message", .form = PU_FORM_CLAUSE};
    static const struct pu_field effect_field = {.key = "effect"};
    static const struct pu_field rule_field = {.key = "rule", .form = PU_FORM_TAG};

    pu_out_list(page->out, &never_field);
    for (size_t i = 0; i < page->verdict_count; i++) {
        const struct verdict *verdict = &page->verdicts[i];
        begin_line(page);
        pu_out_string(page->out, &lead_field,
                      pu_mmv_rule_hides_labels(verdict->rule) ? "never shown" : "doubled");
        pu_out_string(page->out, &place_field, verdict->what);
        pu_out_string(page->out, &message_field, verdict->message);
        pu_out_string(page->out, &effect_field, verdict->rule->effect);
        pu_out_string(page->out, &rule_field, verdict->rule->name);
        pu_out_u64(page->out, &offset_field, verdict->offset);
        pu_out_end(page->out);
    }
    pu_out_end(page->out);
}

static void release(struct page *page)
{
    for (size_t i = 0; i < page->entry_count; i++)
        pu_mmv_label_pairs_free(&page->entries[i].pairs);
    free(page->entries);
    free(page->verdicts);
    pu_mmv_label_index_free(&page->index);
}

int pu_mmv_label_view(struct pu_out *out, const struct pu_mmv_label_view *view, struct pu_err *err)
{
    PU_CLEANUP(release)
    struct page page = {.judge.report = take, .out = out, .view = view, .mmv = &view->file->mmv};
    const struct pu_mmv_check check = {&page.judge, PU_MMV_READER_7};

    pu_out_object(out, NULL);
    pu_out_string(out, &file_field, view->path);
    if (read_labels(&page, err) < 0 || pu_mmv_label_index(page.mmv, &page.index, err) < 0)
        return -1;
    if (view->effective && pu_mmv_check_bytes(&check, view->path, page.mmv->span, err) < 0)
        return -1;
    put_labels(&page);
    if (view->effective) {
        list_shown(&page);
        put_metrics(&page);
        put_verdicts(&page);
    }
    return 0;
}
