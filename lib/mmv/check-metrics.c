/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "mmv/check-private.h"
#include "mmv/names.h"
#include "pcp/words.h"

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* What the agent lets through. */
static bool is_allowed(char byte)
{
    return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
}

/* The first byte that the agent does not allow, or NULL. */
static const char *find_bad_byte(const char *name)
{
    for (; *name; name++) {
        if (!is_allowed(*name))
            return name;
    }
    return NULL;
}

/* What the agent exports is a name only if each part begins with a letter. */
static bool has_odd_part(const char *name)
{
    for (;;) {
        if (!is_letter(*name))
            return true;
        name = strchr(name, '.');
        if (!name)
            return false;
        name++;
    }
}

/* All names of a file begin with its own. */
static bool check_file_name(const struct pu_mmv_subject *subject)
{
    const char *slash = strrchr(subject->path, '/');
    const char *bad = find_bad_byte(slash ? slash + 1 : subject->path);

    if ((subject->mmv->header.flags & PU_MMV_NOPREFIX) || !bad || strcmp(subject->path, "-") == 0)
        return true;
    pu_mmv_say_file(subject->check, R_FILE_NAME, subject->path, NULL,
                    "byte 0x%02x in the file's name", (unsigned char)*bad);
    return false;
}

/* Returns whether the agent finds a name. */
static bool check_name_place(struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                             const char *what)
{
    struct pu_cursor cursor = pu_cursor(subject->mmv->span, metric->offset, subject->mmv->order);

    if (subject->mmv->header.version == 1) {
        pu_mmv_check_slot(subject, metric->offset, PU_MMV_NAME_SIZE, what);
        return metric->name.size < PU_MMV_NAME_SIZE;
    }
    uint64_t slot = pu_cursor_u64(&cursor);
    if (slot == 0) {
        pu_mmv_say(subject, R_NAME_MISSING, metric->offset, what, "the offset of its name is 0");
    } else if (pu_mmv_wraps(slot, PU_MMV_STRING_SIZE)) {
        pu_mmv_say(subject, R_OFFSET_WRAP, metric->offset, what, "its name is at offset %" PRIu64,
                   slot);
    } else if (!pu_span_has(subject->mmv->span, slot, PU_MMV_STRING_SIZE)) {
        pu_mmv_say(subject, R_NAME_OFFSET, metric->offset, what,
                   "its name is at offset %" PRIu64 ", the file ends at %zu", slot,
                   subject->mmv->span.size);
    } else {
        pu_mmv_check_slot(subject, slot, PU_MMV_STRING_SIZE, what);
        return metric->name.size < PU_MMV_STRING_SIZE;
    }
    return false;
}

static bool check_name(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                       const char *full, const char *what)
{
    const char *bad = find_bad_byte(full);

    if (bad) {
        pu_mmv_say(subject, R_METRIC_NAME, metric->offset, what, "byte 0x%02x in its name",
                   (unsigned char)*bad);
        return false;
    }
    if (has_odd_part(full))
        pu_mmv_say(subject, R_METRIC_NAME_ODD, metric->offset, what, "it becomes \"%s\"", full);
    return true;
}

static void check_type(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                       const char *what)
{
    enum pu_mmv_rule rule = R_TYPE_UNKNOWN;

    if ((metric->type >= PU_MMV_I32 && metric->type <= PU_MMV_STRING) ||
        metric->type == PU_MMV_ELAPSED)
        return;
    if (metric->type == PU_MMV_NOSUPPORT)
        rule = R_TYPE_NOSUPPORT;
    else if (metric->type == 7 || metric->type == 8 || metric->type == 10)
        rule = R_TYPE_CRASH; /* types of PCP's that the agent does not expect */
    pu_mmv_say(subject, rule, metric->offset, what, "its type is %" PRId32, metric->type);
}

static void check_semantics(const struct pu_mmv_subject *subject,
                            const struct pu_mmv_metric *metric, const char *what)
{
    if (metric->type == PU_MMV_ELAPSED || pu_pcp_semantics_word(metric->semantics))
        return;
    pu_mmv_say(subject, metric->semantics == 0 ? R_SEMANTICS_UNSET : R_SEMANTICS_UNKNOWN,
               metric->offset, what, "its semantics are %" PRId32, metric->semantics);
}

static void check_units(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                        const char *what)
{
    bool lost = subject->check->reader == PU_MMV_READER_6_0;

    if ((metric->units & 0xff) != 0)
        pu_mmv_say(subject, lost ? R_EXTRA_UNITS_LOST : R_EXTRA_UNITS, metric->offset, what,
                   "the low byte of its units is 0x%02x", metric->units & 0xff);
}

static void check_indom(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                        const char *what)
{
    if (!pu_mmv_is_singular(metric) && !pu_mmv_has_serial(subject, metric->serial))
        pu_mmv_say(subject, R_UNKNOWN_INDOM, metric->offset, what,
                   "there is no indom %" PRIu32 " in the file", metric->serial);
}

/* `taken` holds the items of the file so far. Returns whether the agent keeps the metric. */
static bool check_item(const struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                       bool *taken, const char *what)
{
    if (metric->item > PU_MMV_ITEM_MAX) {
        pu_mmv_say(subject, R_ITEM_RANGE, metric->offset, what, "its item is %" PRIu32,
                   metric->item);
        return false;
    }
    if (taken[metric->item]) {
        pu_mmv_say(subject, R_DUPLICATE_ITEM, metric->offset, what,
                   "item %" PRIu32 " is another metric of the file already", metric->item);
        return false;
    }
    taken[metric->item] = true;
    return true;
}

static int add_export(struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                      size_t index, const char *name, struct pu_err *err)
{
    struct pu_mmv_export *export = calloc(1, sizeof(*export));
    char *copy = strdup(name);

    if (!export || !copy) {
        free(export);
        free(copy);
        return pu_err_system(err, ENOMEM, "cannot hold the names");
    }
    *export = (struct pu_mmv_export){
        .name = copy,
        .path = subject->path,
        .cluster = subject->cluster,
        .item = metric->item,
        .type = metric->type,
        .offset = metric->offset,
        .index = index,
    };
    return pu_mmv_world_add(subject, export, err);
}

static int check_metric(struct pu_mmv_subject *subject, const struct pu_mmv_metric *metric,
                        size_t index, bool *taken, bool file_named, struct pu_err *err)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf full = {0};
    uint64_t end = metric->offset + pu_mmv_stride(subject->mmv, PU_MMV_METRICS);
    char what[PU_MMV_WHAT_MAX];

    pu_mmv_full_name(&full, subject->path, &subject->mmv->header, metric->name);
    const char *name = pu_buf_text(&full);
    if (full.failed)
        return pu_err_system(err, ENOMEM, "cannot hold a name");
    pu_mmv_what(what, "metric", index, metric->name);
    bool kept = check_name_place(subject, metric, what);
    kept = kept && file_named && check_name(subject, metric, name, what);
    kept = check_item(subject, metric, taken, what) && kept;
    check_type(subject, metric, what);
    check_semantics(subject, metric, what);
    check_units(subject, metric, what);
    check_indom(subject, metric, what);
    pu_mmv_check_help(subject, end - 16, metric->shorttext_offset, "short", what);
    pu_mmv_check_help(subject, end - 8, metric->helptext_offset, "long", what);
    return kept ? add_export(subject, metric, index, name, err) : 0;
}

int pu_mmv_check_metrics(struct pu_mmv_subject *subject, struct pu_err *err)
{
    struct pu_mmv_records record = pu_mmv_records(subject->mmv, PU_MMV_METRICS);
    bool taken[PU_MMV_ITEM_MAX + 1] = {0};
    bool file_named = check_file_name(subject);

    subject->exports = calloc(subject->mmv->counts[PU_MMV_METRICS] + 1, sizeof(*subject->exports));
    if (!subject->exports)
        return pu_err_system(err, ENOMEM, "cannot hold the names");
    while (pu_mmv_next(&record)) {
        struct pu_mmv_metric metric = pu_mmv_metric(subject->mmv, record.offset);
        if (subject->mmv->sections[record.toc].count > PU_MMV_ITEM_MAX)
            continue; /* all dropped, and said so */
        if (check_metric(subject, &metric, record.index, taken, file_named, err) < 0)
            return -1;
    }
    return 0;
}
