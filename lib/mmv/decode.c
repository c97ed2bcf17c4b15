/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mmv/index.h"

/* More than this many times its size no honest file describes; see read_sections(). */
#define CLAIM_LIMIT 4

static bool is_version(uint32_t version)
{
    return version >= 1 && version <= 3;
}

static int refuse(struct pu_err *err, enum pu_mmv_refusal refusal)
{
    err->status = refusal;
    return -1;
}

static int read_version(struct pu_mmv *mmv, struct pu_err *err)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, 4, PU_HOST);
    uint32_t version = pu_cursor_u32(&cursor);

    if (!pu_span_has(mmv->span, 0, PU_MMV_HEADER_SIZE)) {
        pu_err_damage(err, mmv->span.size, "too small for an MMV file: %zu bytes, of %d",
                      mmv->span.size, PU_MMV_HEADER_SIZE);
        return refuse(err, PU_MMV_TOO_SMALL);
    }
    if (!pu_span_equal(pu_span_clip(mmv->span, 0, 4), (struct pu_span){(const void *)"MMV", 4})) {
        pu_err_damage(err, 0, "not an MMV file: it does not begin with \"MMV\"");
        return refuse(err, PU_MMV_NOT_MMV);
    }
    mmv->order = is_version(version) ? PU_HOST : PU_FOREIGN;
    if (!is_version(version) && !is_version(__builtin_bswap32(version))) {
        pu_err_damage(err, 4, "MMV version %" PRIu32 " is not known", version);
        return refuse(err, PU_MMV_BAD_VERSION);
    }
    return 0;
}

static int read_header(struct pu_mmv *mmv, struct pu_err *err)
{
    struct pu_mmv_header *header = &mmv->header;

    if (read_version(mmv, err) < 0)
        return -1;
    struct pu_cursor cursor = pu_cursor(mmv->span, 4, mmv->order);
    header->version = pu_cursor_i32(&cursor);
    header->generation1 = pu_cursor_u64(&cursor);
    header->generation2 = pu_cursor_u64(&cursor);
    header->toc_count = pu_cursor_i32(&cursor);
    header->flags = pu_cursor_u32(&cursor);
    header->pid = pu_cursor_i32(&cursor);
    header->cluster = pu_cursor_i32(&cursor);
    return 0;
}

size_t pu_mmv_stride(const struct pu_mmv *mmv, int32_t kind)
{
    bool old = mmv->header.version == 1;

    switch (kind) {
    case PU_MMV_INDOMS:
        return PU_MMV_INDOM_SIZE;
    case PU_MMV_INSTANCES:
        return old ? PU_MMV_INSTANCE1_SIZE : PU_MMV_INSTANCE2_SIZE;
    case PU_MMV_METRICS:
        return old ? PU_MMV_METRIC1_SIZE : PU_MMV_METRIC2_SIZE;
    case PU_MMV_VALUES:
        return PU_MMV_VALUE_SIZE;
    case PU_MMV_STRINGS:
        return PU_MMV_STRING_SIZE;
    case PU_MMV_LABELS:
        return PU_MMV_LABEL_SIZE;
    default:
        return 0;
    }
}

static void report(struct pu_errors *damage, struct pu_err *err, const char *record, size_t toc,
                   size_t i, const char *part)
{
    pu_err_where(err, "toc[%zu].%s[%zu]%s", toc, record, i, part);
    pu_errors_add(damage, err);
}

/* How many entries of the table of contents are there. */
static size_t toc_entries(const struct pu_mmv *mmv, struct pu_errors *damage)
{
    int32_t declared = mmv->header.toc_count;
    size_t room = (mmv->span.size - PU_MMV_HEADER_SIZE) / PU_MMV_TOC_SIZE;
    struct pu_err err;

    if (declared >= 0 && (size_t)declared <= room)
        return (size_t)declared;
    if (declared < 0)
        pu_err_damage(&err, 24, "a table of contents with %" PRId32 " entries", declared);
    else
        pu_err_damage(&err, 24, "a table of contents with %" PRId32 " entries, room for %zu",
                      declared, room);
    pu_err_where(&err, "header");
    pu_errors_add(damage, &err);
    return declared < 0 ? 0 : room;
}

/* Cuts a section to what is in the file. */
static void measure(const struct pu_mmv *mmv, struct pu_mmv_section *section, size_t toc,
                    struct pu_errors *damage)
{
    size_t stride = pu_mmv_stride(mmv, section->kind);
    uint64_t rest = section->offset <= mmv->span.size ? mmv->span.size - section->offset : 0;
    struct pu_err err;

    if (stride == 0) {
        pu_err_damage(&err, section->toc_offset, "unknown section type %" PRId32, section->kind);
    } else if (section->count < 0) {
        pu_err_damage(&err, section->toc_offset, "%" PRId32 " entries", section->count);
    } else if ((uint64_t)section->count > rest / stride) {
        section->usable = (size_t)(rest / stride);
        pu_err_damage(&err, section->toc_offset,
                      "%" PRId32 " times %zu bytes at offset %" PRIu64
                      ", but the file ends at %zu: room for %zu",
                      section->count, stride, section->offset, mmv->span.size, section->usable);
    } else {
        section->usable = (size_t)section->count;
        return;
    }
    pu_err_where(&err, "toc[%zu]", toc);
    pu_errors_add(damage, &err);
}

/*
 * Entries may name the same bytes again and again, so that a small file describes a huge one. What
 * is claimed in all is limited, or it would take hours to print.
 */
static bool claim(const struct pu_mmv *mmv, struct pu_mmv_section *section, size_t toc,
                  uint64_t *claimed, struct pu_errors *damage)
{
    struct pu_err err;

    *claimed += section->usable * pu_mmv_stride(mmv, section->kind);
    if (*claimed <= CLAIM_LIMIT * (uint64_t)mmv->span.size)
        return true;
    pu_err_damage(&err, section->toc_offset,
                  "sections up to here claim more than %d times the size of the file; the rest is "
                  "left out",
                  CLAIM_LIMIT);
    pu_err_where(&err, "toc[%zu]", toc);
    pu_errors_add(damage, &err);
    return false;
}

static int read_sections(struct pu_mmv *mmv, struct pu_errors *damage, struct pu_err *err)
{
    size_t count = toc_entries(mmv, damage);
    struct pu_cursor cursor = pu_cursor(mmv->span, PU_MMV_HEADER_SIZE, mmv->order);
    uint64_t claimed = 0;

    mmv->sections = calloc(count ? count : 1, sizeof(*mmv->sections));
    if (!mmv->sections)
        return pu_err_system(err, ENOMEM, "cannot hold %zu sections", count);
    for (size_t i = 0; i < count; i++) {
        struct pu_mmv_section *section = &mmv->sections[i];
        section->toc_offset = cursor.at;
        section->kind = pu_cursor_i32(&cursor);
        section->count = pu_cursor_i32(&cursor);
        section->offset = pu_cursor_u64(&cursor);
        measure(mmv, section, i, damage);
        if (!claim(mmv, section, i, &claimed, damage))
            break;
        mmv->section_count++;
        if (section->usable == 0)
            continue;
        section->first = mmv->counts[section->kind];
        mmv->counts[section->kind] += section->usable;
    }
    return 0;
}

bool pu_mmv_next(struct pu_mmv_records *records)
{
    for (; records->toc < records->mmv->section_count; records->toc++, records->next = 0) {
        const struct pu_mmv_section *section = &records->mmv->sections[records->toc];
        if (section->kind != records->kind || records->next == section->usable)
            continue;
        records->index = section->first + records->next;
        records->offset = pu_mmv_record(records->mmv, section, records->next++);
        return true;
    }
    return false;
}

bool pu_mmv_text(const struct pu_mmv *mmv, uint64_t offset, struct pu_span *text)
{
    struct pu_span slot = pu_span_clip(mmv->span, offset, PU_MMV_STRING_SIZE);

    *text = pu_span_until_nul(slot);
    return slot.size == PU_MMV_STRING_SIZE || text->size < slot.size;
}

/* An optional text: nothing at offset 0. */
static struct pu_span optional_text(const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_span text = {mmv->span.data, 0};

    if (offset != 0)
        (void)pu_mmv_text(mmv, offset, &text);
    return text;
}

/* A name: inside the record in version 1, behind an offset later. */
static struct pu_span name(const struct pu_mmv *mmv, struct pu_cursor *cursor)
{
    if (mmv->header.version == 1)
        return pu_span_until_nul(pu_cursor_bytes(cursor, PU_MMV_NAME_SIZE));
    return optional_text(mmv, pu_cursor_u64(cursor));
}

struct pu_mmv_indom pu_mmv_indom(const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, offset, mmv->order);
    struct pu_mmv_indom indom = {.offset = offset};

    indom.serial = pu_cursor_u32(&cursor);
    indom.count = pu_cursor_i32(&cursor);
    indom.instance_offset = pu_cursor_u64(&cursor);
    indom.shorttext_offset = pu_cursor_u64(&cursor);
    indom.helptext_offset = pu_cursor_u64(&cursor);
    indom.shorttext = optional_text(mmv, indom.shorttext_offset);
    indom.helptext = optional_text(mmv, indom.helptext_offset);
    return indom;
}

struct pu_mmv_instance pu_mmv_instance(const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, offset, mmv->order);
    struct pu_mmv_instance instance = {.offset = offset};

    instance.indom_offset = pu_cursor_u64(&cursor);
    (void)pu_cursor_u32(&cursor);
    instance.id = pu_cursor_i32(&cursor);
    instance.name = name(mmv, &cursor);
    return instance;
}

struct pu_mmv_metric pu_mmv_metric(const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, offset, mmv->order);
    struct pu_mmv_metric metric = {.offset = offset};

    metric.name = name(mmv, &cursor);
    metric.item = pu_cursor_u32(&cursor);
    metric.type = pu_cursor_i32(&cursor);
    metric.semantics = pu_cursor_i32(&cursor);
    metric.units = pu_cursor_u32(&cursor);
    metric.serial = pu_cursor_u32(&cursor);
    metric.padding = pu_cursor_u32(&cursor);
    metric.shorttext_offset = pu_cursor_u64(&cursor);
    metric.helptext_offset = pu_cursor_u64(&cursor);
    metric.shorttext = optional_text(mmv, metric.shorttext_offset);
    metric.helptext = optional_text(mmv, metric.helptext_offset);
    return metric;
}

struct pu_mmv_value pu_mmv_value(const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, offset, mmv->order);
    struct pu_mmv_value value = {.offset = offset};

    value.word = pu_cursor_u32(&cursor);
    cursor.at = offset;
    value.raw = pu_cursor_u64(&cursor);
    value.extra = pu_cursor_i64(&cursor);
    value.metric_offset = pu_cursor_u64(&cursor);
    value.instance_offset = pu_cursor_u64(&cursor);
    return value;
}

struct pu_mmv_label pu_mmv_label(const struct pu_mmv *mmv, uint64_t offset)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, offset, mmv->order);
    struct pu_mmv_label label = {.offset = offset};

    label.flags = pu_cursor_u32(&cursor);
    label.identity = pu_cursor_u32(&cursor);
    label.internal = pu_cursor_i32(&cursor);
    label.payload = pu_span_until_nul(pu_cursor_bytes(&cursor, PU_MMV_PAYLOAD_SIZE));
    return label;
}

/* A text that should be there: 0 is as bad as outside when it is `needed`. */
static void check_text(const struct pu_mmv *mmv, uint64_t at, uint64_t offset, bool needed,
                       const char *what, struct pu_err *err)
{
    struct pu_span text;

    err->code = PU_E_NONE;
    if (offset == 0 && needed)
        pu_err_damage(err, at, "no %s: its offset is 0", what);
    else if (offset != 0 && !pu_mmv_text(mmv, offset, &text))
        pu_err_damage(err, at, "%s at offset %" PRIu64 " is outside of the file, which ends at %zu",
                      what, offset, mmv->span.size);
}

/* `fields`: where the record has the two offsets, the short one's first. */
static void check_helps(const struct pu_mmv *mmv, uint64_t fields, const char *kind, size_t toc,
                        size_t i, struct pu_errors *damage)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, fields, mmv->order);
    struct pu_err err;

    check_text(mmv, fields, pu_cursor_u64(&cursor), false, "short help", &err);
    if (err.code)
        report(damage, &err, kind, toc, i, ".shorttext");
    check_text(mmv, fields + 8, pu_cursor_u64(&cursor), false, "long help", &err);
    if (err.code)
        report(damage, &err, kind, toc, i, ".helptext");
}

static void check_name(const struct pu_mmv *mmv, uint64_t record, unsigned int field,
                       const char *kind, size_t toc, size_t i, struct pu_errors *damage)
{
    struct pu_cursor cursor = pu_cursor(mmv->span, record + field, mmv->order);
    struct pu_err err;

    if (mmv->header.version == 1)
        return;
    check_text(mmv, record + field, pu_cursor_u64(&cursor), true, "name", &err);
    if (err.code)
        report(damage, &err, kind, toc, i, ".name");
}

static void check_run(const struct pu_mmv *mmv, const struct pu_mmv_indom *indom, size_t toc,
                      size_t i, struct pu_errors *damage)
{
    uint64_t size = indom->count < 0
                        ? UINT64_MAX
                        : (uint64_t)indom->count * pu_mmv_stride(mmv, PU_MMV_INSTANCES);
    struct pu_err err;

    if (indom->count == 0 || pu_span_has(mmv->span, indom->instance_offset, size))
        return;
    pu_err_damage(&err, indom->offset,
                  "%" PRId32 " instances at offset %" PRIu64
                  " do not fit into the file, which ends at %zu",
                  indom->count, indom->instance_offset, mmv->span.size);
    report(damage, &err, "indom", toc, i, "");
}

static void check_section(const struct pu_mmv *mmv, size_t toc, struct pu_errors *damage)
{
    const struct pu_mmv_section *section = &mmv->sections[toc];

    for (size_t i = 0; i < section->usable; i++) {
        uint64_t at = pu_mmv_record(mmv, section, i);
        if (section->kind == PU_MMV_INDOMS) {
            struct pu_mmv_indom indom = pu_mmv_indom(mmv, at);
            check_run(mmv, &indom, toc, i, damage);
            check_helps(mmv, at + PU_MMV_INDOM_SIZE - 16, "indom", toc, i, damage);
        } else if (section->kind == PU_MMV_METRICS) {
            check_name(mmv, at, 0, "metric", toc, i, damage);
            check_helps(mmv, at + pu_mmv_stride(mmv, PU_MMV_METRICS) - 16, "metric", toc, i,
                        damage);
        } else if (section->kind == PU_MMV_INSTANCES) {
            check_name(mmv, at, 16, "instance", toc, i, damage);
        }
    }
}

static int index_section(struct pu_mmv *mmv, const struct pu_mmv_section *section,
                         struct pu_mmv_index *index, struct pu_err *err)
{
    if (pu_mmv_index_reserve(index, section->usable, err) < 0)
        return -1;
    for (size_t i = 0; i < section->usable; i++)
        pu_mmv_index_add(index, pu_mmv_record(mmv, section, i));
    return 0;
}

static int index_sections(struct pu_mmv *mmv, struct pu_errors *damage, struct pu_err *err)
{
    for (size_t i = 0; i < mmv->section_count; i++) {
        const struct pu_mmv_section *section = &mmv->sections[i];
        struct pu_mmv_index *index = section->kind == PU_MMV_METRICS     ? &mmv->metrics
                                     : section->kind == PU_MMV_INSTANCES ? &mmv->instances
                                                                         : NULL;
        if (index && index_section(mmv, section, index, err) < 0)
            return -1;
        check_section(mmv, i, damage);
    }
    pu_mmv_index_sort(&mmv->metrics);
    pu_mmv_index_sort(&mmv->instances);
    return 0;
}

int pu_mmv_decode(struct pu_span bytes, struct pu_mmv *mmv, struct pu_errors *damage,
                  struct pu_err *err)
{
    memset(mmv, 0, sizeof(*mmv));
    mmv->span = bytes;
    if (read_header(mmv, err) < 0 || read_sections(mmv, damage, err) < 0)
        return -1;
    return index_sections(mmv, damage, err);
}

void pu_mmv_free(struct pu_mmv *mmv)
{
    free(mmv->sections);
    free(mmv->metrics.places);
    free(mmv->instances.places);
    memset(mmv, 0, sizeof(*mmv));
}
