/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/upgrade.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"

#define ALIGNMENT 8

/* A stretch of the old file that becomes another one in the new file. */
struct cut {
    uint64_t start, size; /* in the old file */
    uint64_t to, room;    /* in the new file */
    size_t old_stride, new_stride;
};

struct upgrade {
    struct pu_mmv *mmv;
    struct cut *cuts; /* owned; sorted */
    size_t cut_count;
    size_t names;          /* to be put into strings: of the records of version 1 */
    size_t strings_toc;    /* the section of strings that takes them; PU_MMV_NONE: a new one */
    bool has_labels;       /* there is a section for them already */
    size_t more;           /* entries for the table of contents */
    uint64_t moved;        /* where the old file's end is now */
    uint64_t strings, end; /* where the names begin, and all ends */
    unsigned char *to;
    uint64_t next_name;
};

static void put32(struct upgrade *upgrade, uint64_t at, uint32_t word)
{
    memcpy(upgrade->to + at, &word, sizeof(word));
}

static void put64(struct upgrade *upgrade, uint64_t at, uint64_t word)
{
    memcpy(upgrade->to + at, &word, sizeof(word));
}

static uint64_t toc_end(const struct upgrade *upgrade)
{
    return PU_MMV_HEADER_SIZE + upgrade->mmv->section_count * PU_MMV_TOC_SIZE;
}

/* Planning */

static bool is_old(const struct upgrade *upgrade)
{
    return upgrade->mmv->header.version == 1;
}

static void choose_sections(struct upgrade *upgrade)
{
    const struct pu_mmv *mmv = upgrade->mmv;

    upgrade->strings_toc = PU_MMV_NONE;
    upgrade->names =
        is_old(upgrade) ? mmv->counts[PU_MMV_METRICS] + mmv->counts[PU_MMV_INSTANCES] : 0;
    for (size_t i = 0; i < mmv->section_count; i++) {
        const struct pu_mmv_section *section = &mmv->sections[i];
        upgrade->has_labels |= section->kind == PU_MMV_LABELS;
        if (section->kind != PU_MMV_STRINGS || section->usable == 0)
            continue;
        bool last = section->offset + section->usable * PU_MMV_STRING_SIZE == mmv->span.size;
        upgrade->strings_toc = last ? i : PU_MMV_NONE; /* names can follow its strings */
    }
    upgrade->more = !upgrade->has_labels;
    upgrade->more += upgrade->names > 0 && upgrade->strings_toc == PU_MMV_NONE;
}

/* In version 1 nothing need end a name: readers take what follows it as well. */
static int check_names(const struct upgrade *upgrade, struct pu_err *err)
{
    struct pu_mmv_records metric = pu_mmv_records(upgrade->mmv, PU_MMV_METRICS);
    struct pu_mmv_records instance = pu_mmv_records(upgrade->mmv, PU_MMV_INSTANCES);
    bool whole = true;

    if (!is_old(upgrade))
        return 0;
    while (whole && pu_mmv_next(&metric))
        whole = pu_mmv_metric(upgrade->mmv, metric.offset).name.size < PU_MMV_NAME_SIZE;
    while (whole && pu_mmv_next(&instance))
        whole = pu_mmv_instance(upgrade->mmv, instance.offset).name.size < PU_MMV_NAME_SIZE;
    return whole ? 0
                 : pu_err_set(err, PU_E_NONE,
                              "one of its names fills all of its field and has no end: it cannot "
                              "become version 3");
}

static int by_start(const void *a, const void *b)
{
    const struct cut *left = a;
    const struct cut *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->size > right->size) - (left->size < right->size);
}

static void add_cut(struct upgrade *upgrade, const struct pu_mmv_section *section,
                    size_t new_stride)
{
    size_t old_stride = pu_mmv_stride(upgrade->mmv, section->kind);

    upgrade->cuts[upgrade->cut_count++] = (struct cut){
        section->offset, section->usable * old_stride, 0, section->usable * new_stride, old_stride,
        new_stride};
}

static int plan_cuts(struct upgrade *upgrade, struct pu_err *err)
{
    const struct pu_mmv *mmv = upgrade->mmv;

    upgrade->cuts = calloc(mmv->section_count + 1, sizeof(*upgrade->cuts));
    if (!upgrade->cuts)
        return pu_err_system(err, ENOMEM, "cannot hold the plan of a file");
    upgrade->cuts[upgrade->cut_count++] =
        (struct cut){.start = toc_end(upgrade), .room = upgrade->more * PU_MMV_TOC_SIZE};
    for (size_t i = 0; is_old(upgrade) && i < mmv->section_count; i++) {
        const struct pu_mmv_section *section = &mmv->sections[i];
        if (section->usable > 0 && section->kind == PU_MMV_METRICS)
            add_cut(upgrade, section, PU_MMV_METRIC2_SIZE);
        if (section->usable > 0 && section->kind == PU_MMV_INSTANCES)
            add_cut(upgrade, section, PU_MMV_INSTANCE2_SIZE);
    }
    qsort(upgrade->cuts, upgrade->cut_count, sizeof(*upgrade->cuts), by_start);
    return 0;
}

/* Where each cut goes. */
static int place_cuts(struct upgrade *upgrade, struct pu_err *err)
{
    uint64_t old_end = 0;
    uint64_t new_end = 0;

    for (size_t i = 0; i < upgrade->cut_count; i++) {
        struct cut *cut = &upgrade->cuts[i];
        if (cut->start < old_end || cut->start < toc_end(upgrade))
            return pu_err_set(err, PU_E_NONE, "its sections overlap: it cannot become version 3");
        cut->to = new_end + (cut->start - old_end);
        old_end = cut->start + cut->size;
        new_end = cut->to + cut->room;
    }
    upgrade->moved = new_end + (upgrade->mmv->span.size - old_end);
    upgrade->strings = upgrade->moved;
    if (upgrade->strings_toc == PU_MMV_NONE && upgrade->names > 0)
        upgrade->strings = (upgrade->moved + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    upgrade->next_name = upgrade->strings;
    upgrade->end = upgrade->strings + upgrade->names * PU_MMV_STRING_SIZE;
    if (!upgrade->has_labels)
        upgrade->end = (upgrade->end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return 0;
}

/* Moving */

static int starts_behind(const void *element, const void *key)
{
    const struct cut *cut = element;
    const uint64_t *offset = key;

    return cut->start <= *offset ? -1 : 1;
}

/* Where what stood at `offset` is now; 0 is "none", and what leads nowhere stays. */
static uint64_t map(const struct upgrade *upgrade, uint64_t offset)
{
    size_t behind = pu_lower_bound(&offset, upgrade->cuts, upgrade->cut_count,
                                   sizeof(*upgrade->cuts), starts_behind);

    if (behind == 0 || offset > upgrade->mmv->span.size)
        return offset;
    const struct cut *cut = &upgrade->cuts[behind - 1];
    uint64_t inside = offset - cut->start;
    if (inside >= cut->size)
        return inside - cut->size + cut->to + cut->room;
    if (inside % cut->old_stride)
        return offset;
    return cut->to + inside / cut->old_stride * cut->new_stride;
}

static void move(struct upgrade *upgrade)
{
    const unsigned char *from = upgrade->mmv->span.data;
    uint64_t old_end = 0;
    uint64_t new_end = 0;

    for (size_t i = 0; i <= upgrade->cut_count; i++) {
        const struct cut *cut = &upgrade->cuts[i];
        uint64_t start = i < upgrade->cut_count ? cut->start : upgrade->mmv->span.size;
        memcpy(upgrade->to + new_end, from + old_end, start - old_end);
        if (i < upgrade->cut_count) {
            old_end = cut->start + cut->size;
            new_end = cut->to + cut->room;
        }
    }
}

static uint64_t put_name(struct upgrade *upgrade, struct pu_span name)
{
    uint64_t at = upgrade->next_name;

    if (name.size > 0)
        memcpy(upgrade->to + at, name.data, name.size);
    upgrade->next_name += PU_MMV_STRING_SIZE;
    return at;
}

/* Offsets inside records. `at` is where the record was, `now` where it is. */

static void move_offset(struct upgrade *upgrade, uint64_t at, uint64_t now)
{
    struct pu_cursor cursor = pu_cursor(upgrade->mmv->span, at, PU_HOST);

    put64(upgrade, now, map(upgrade, pu_cursor_u64(&cursor)));
}

static void move_indom(struct upgrade *upgrade, uint64_t at, uint64_t now)
{
    for (uint64_t field = 8; field <= 24; field += 8)
        move_offset(upgrade, at + field, now + field);
}

static void copy_fields(struct upgrade *upgrade, uint64_t at, uint64_t now, size_t size)
{
    struct pu_cursor cursor = pu_cursor(upgrade->mmv->span, at, PU_HOST);

    pu_cursor_copy(&cursor, upgrade->to + now, size);
}

static void move_instance(struct upgrade *upgrade, uint64_t at, uint64_t now)
{
    move_offset(upgrade, at, now);
    if (!is_old(upgrade)) {
        move_offset(upgrade, at + 16, now + 16);
        return;
    }
    copy_fields(upgrade, at + 8, now + 8, 8);
    put64(upgrade, now + 16, put_name(upgrade, pu_mmv_instance(upgrade->mmv, at).name));
}

static void move_metric(struct upgrade *upgrade, uint64_t at, uint64_t now)
{
    uint64_t helps = at + pu_mmv_stride(upgrade->mmv, PU_MMV_METRICS) - 16;

    if (is_old(upgrade)) {
        put64(upgrade, now, put_name(upgrade, pu_mmv_metric(upgrade->mmv, at).name));
        copy_fields(upgrade, at + PU_MMV_NAME_SIZE, now + 8, 24);
    } else {
        move_offset(upgrade, at, now);
    }
    move_offset(upgrade, helps, now + 32);
    move_offset(upgrade, helps + 8, now + 40);
}

static void move_value(struct upgrade *upgrade, uint64_t at, uint64_t now)
{
    struct pu_mmv_value value = pu_mmv_value(upgrade->mmv, at);

    if (pu_mmv_find(&upgrade->mmv->metrics, value.metric_offset) != PU_MMV_NONE &&
        pu_mmv_metric(upgrade->mmv, value.metric_offset).type == PU_MMV_STRING)
        move_offset(upgrade, at + 8, now + 8);
    move_offset(upgrade, at + 16, now + 16);
    move_offset(upgrade, at + 24, now + 24);
}

static void move_records(struct upgrade *upgrade, int32_t kind,
                         void (*one)(struct upgrade *upgrade, uint64_t at, uint64_t now))
{
    struct pu_mmv_records record = pu_mmv_records(upgrade->mmv, kind);

    while (pu_mmv_next(&record))
        one(upgrade, record.offset, map(upgrade, record.offset));
}

static void put_entry(struct upgrade *upgrade, uint64_t *at, int32_t kind, size_t count,
                      uint64_t offset)
{
    put32(upgrade, *at, (uint32_t)kind);
    put32(upgrade, *at + 4, (uint32_t)count);
    put64(upgrade, *at + 8, offset);
    *at += PU_MMV_TOC_SIZE;
}

static void put_toc(struct upgrade *upgrade)
{
    const struct pu_mmv *mmv = upgrade->mmv;
    uint64_t at = PU_MMV_HEADER_SIZE;

    put32(upgrade, 4, 3);
    put32(upgrade, 24, (uint32_t)(mmv->section_count + upgrade->more));
    for (size_t i = 0; i < mmv->section_count; i++) {
        const struct pu_mmv_section *section = &mmv->sections[i];
        size_t count = section->usable + (i == upgrade->strings_toc ? upgrade->names : 0);
        put_entry(upgrade, &at, section->kind, count, map(upgrade, section->offset));
    }
    if (upgrade->names > 0 && upgrade->strings_toc == PU_MMV_NONE)
        put_entry(upgrade, &at, PU_MMV_STRINGS, upgrade->names, upgrade->strings);
    if (!upgrade->has_labels)
        put_entry(upgrade, &at, PU_MMV_LABELS, 0, upgrade->end);
}

static void release(struct upgrade *upgrade)
{
    free(upgrade->cuts);
}

int pu_mmv_upgrade(struct pu_mmv *mmv, struct pu_buf *bytes, struct pu_err *err)
{
    PU_CLEANUP(release) struct upgrade upgrade = {.mmv = mmv};

    choose_sections(&upgrade);
    if (check_names(&upgrade, err) < 0 || plan_cuts(&upgrade, err) < 0 ||
        place_cuts(&upgrade, err) < 0)
        return -1;
    upgrade.to = (unsigned char *)pu_buf_room(bytes, upgrade.end);
    if (!upgrade.to)
        return pu_err_system(err, ENOMEM, "cannot hold the file");
    memset(upgrade.to, 0, upgrade.end);
    bytes->size = upgrade.end;
    move(&upgrade);
    move_records(&upgrade, PU_MMV_INDOMS, move_indom);
    move_records(&upgrade, PU_MMV_INSTANCES, move_instance);
    move_records(&upgrade, PU_MMV_METRICS, move_metric);
    move_records(&upgrade, PU_MMV_VALUES, move_value);
    put_toc(&upgrade);
    return 0;
}
