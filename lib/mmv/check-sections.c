/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of contents: what it says of sections, and how these lie in the file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mmv/check-private.h"
#include "mmv/names.h"

static const char *what_section(char to[PU_MMV_WHAT_MAX], const struct pu_mmv_section *section,
                                size_t toc)
{
    const char *word = pu_mmv_kind_word(section->kind);

    snprintf(to, PU_MMV_WHAT_MAX, "toc[%zu] %s", toc, word ? word : "unknown");
    return to;
}

static void check_toc(const struct pu_mmv_subject *subject)
{
    const struct pu_mmv *mmv = subject->mmv;
    size_t entries = mmv->header.toc_count < 0 ? 0 : (size_t)mmv->header.toc_count;

    if (mmv->section_count < entries)
        pu_mmv_say(subject, R_OVERCLAIM, PU_MMV_HEADER_SIZE + mmv->section_count * PU_MMV_TOC_SIZE,
                   "", "%zu of %zu sections already claim several times the size of the file",
                   mmv->section_count, entries);
}

static void check_range(const struct pu_mmv_subject *subject, const struct pu_mmv_section *section,
                        const char *what)
{
    static const enum pu_mmv_rule rules[] = {
        [PU_MMV_INDOMS] = R_INDOMS_RANGE,   [PU_MMV_INSTANCES] = R_INSTANCES_RANGE,
        [PU_MMV_METRICS] = R_METRICS_RANGE, [PU_MMV_VALUES] = R_VALUES_RANGE,
        [PU_MMV_STRINGS] = R_STRINGS_RANGE, [PU_MMV_LABELS] = R_LABELS_RANGE,
    };
    uint64_t size = (uint64_t)(section->count < 0 ? 0 : section->count) *
                    pu_mmv_stride(subject->mmv, section->kind);

    if (section->count >= 0 && section->usable == (size_t)section->count)
        return;
    if (pu_mmv_wraps(section->offset, size) && section->kind != PU_MMV_STRINGS)
        pu_mmv_say(subject, R_OFFSET_WRAP, section->toc_offset + 8, what,
                   "offset %" PRIu64 " and %" PRIu64 " bytes are more than 64 bits hold",
                   section->offset, size);
    else
        pu_mmv_say(subject, rules[section->kind], section->toc_offset, what,
                   "%" PRId32 " times %zu bytes at offset %" PRIu64 ", the file ends at %zu",
                   section->count, pu_mmv_stride(subject->mmv, section->kind), section->offset,
                   subject->mmv->span.size);
}

static void check_section(const struct pu_mmv_subject *subject, size_t toc, bool hidden)
{
    const struct pu_mmv_section *section = &subject->mmv->sections[toc];
    char what[PU_MMV_WHAT_MAX];

    what_section(what, section, toc);
    if (!pu_mmv_kind_word(section->kind)) {
        pu_mmv_say(subject, R_TOC_TYPE, section->toc_offset, what, "section type %" PRId32,
                   section->kind);
        return;
    }
    check_range(subject, section, what);
    if (hidden && section->usable > 0)
        pu_mmv_say(subject, R_SECTION_HIDDEN, section->toc_offset, what,
                   "%zu records, and a later section of the same kind", section->usable);
    if (section->kind == PU_MMV_METRICS && section->count > PU_MMV_ITEM_MAX)
        pu_mmv_say(subject, R_METRICS_COUNT, section->toc_offset, what, "%" PRId32 " metrics",
                   section->count);
    if (section->kind == PU_MMV_LABELS && section->count > PU_MMV_LABEL_COUNT_MAX)
        pu_mmv_say(subject, R_LABELS_COUNT, section->toc_offset, what, "%" PRId32 " labels",
                   section->count);
}

/* A stretch of the file that is spoken for. */
struct stretch {
    uint64_t start, end;
    size_t toc; /* SIZE_MAX: header and table of contents */
};

static int by_start(const void *a, const void *b)
{
    const struct stretch *left = a;
    const struct stretch *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->toc < right->toc ? -1 : left->toc > right->toc;
}

static size_t collect(const struct pu_mmv *mmv, struct stretch *stretches)
{
    size_t count = 0;

    stretches[count++] =
        (struct stretch){0, PU_MMV_HEADER_SIZE + mmv->section_count * PU_MMV_TOC_SIZE, SIZE_MAX};
    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        const struct pu_mmv_section *section = &mmv->sections[toc];
        if (section->usable == 0)
            continue;
        uint64_t end = section->offset + section->usable * pu_mmv_stride(mmv, section->kind);
        stretches[count++] = (struct stretch){section->offset, end, toc};
    }
    return count;
}

static void say_overlap(const struct pu_mmv_subject *subject, const struct stretch *stretch,
                        const struct stretch *before)
{
    char what[PU_MMV_WHAT_MAX];
    char other[PU_MMV_WHAT_MAX] = "header and table of contents";
    const struct pu_mmv_section *sections = subject->mmv->sections;

    if (stretch->toc == SIZE_MAX) {
        const struct stretch *swapped = before;
        before = stretch;
        stretch = swapped;
    }
    what_section(what, &sections[stretch->toc], stretch->toc);
    if (before->toc != SIZE_MAX)
        what_section(other, &sections[before->toc], before->toc);
    pu_mmv_say(subject, R_SECTION_OVERLAP, sections[stretch->toc].toc_offset, what,
               "bytes %" PRIu64 " to %" PRIu64 " overlap with %s", stretch->start, stretch->end,
               other);
}

/* Is some section cut off by the end of the file? */
static bool is_cut(const struct pu_mmv *mmv)
{
    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        const struct pu_mmv_section *section = &mmv->sections[toc];
        if (section->count > 0 && section->usable < (size_t)section->count &&
            pu_mmv_kind_word(section->kind) && section->offset < mmv->span.size)
            return true;
    }
    return false;
}

/* Overlaps, and what is left behind the last section. Silent when memory runs out: only advice. */
static void check_layout(const struct pu_mmv_subject *subject)
{
    const struct pu_mmv *mmv = subject->mmv;
    struct stretch *stretches = calloc(mmv->section_count + 1, sizeof(*stretches));
    size_t count = stretches ? collect(mmv, stretches) : 0;
    const struct stretch *last = stretches;

    if (!stretches)
        return;
    qsort(stretches, count, sizeof(*stretches), by_start);
    for (size_t i = 1; i < count; i++) {
        if (stretches[i].start < last->end)
            say_overlap(subject, &stretches[i], last);
        if (stretches[i].end > last->end)
            last = &stretches[i];
    }
    if (last->end < mmv->span.size && !is_cut(mmv))
        pu_mmv_say(subject, R_TRAILING_BYTES, last->end, "",
                   "%" PRIu64 " bytes behind the sections", mmv->span.size - last->end);
    free(stretches);
}

/* None at all: one of them that cannot be read is reported where it stands. */
static void check_metrics(const struct pu_mmv_subject *subject)
{
    const struct pu_mmv *mmv = subject->mmv;
    uint64_t offset = 24;

    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        if (mmv->sections[toc].kind != PU_MMV_METRICS)
            continue;
        if (mmv->sections[toc].count != 0)
            return;
        offset = mmv->sections[toc].toc_offset;
    }
    pu_mmv_say(subject, R_NO_METRICS, offset, "", "0 metrics");
}

void pu_mmv_check_sections(struct pu_mmv_subject *subject)
{
    const struct pu_mmv *mmv = subject->mmv;
    size_t last[PU_MMV_LABELS + 1] = {0};

    check_toc(subject);
    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        if (pu_mmv_kind_word(mmv->sections[toc].kind))
            last[mmv->sections[toc].kind] = toc;
    }
    for (size_t toc = 0; toc < mmv->section_count; toc++) {
        int32_t kind = mmv->sections[toc].kind;
        /* Of these kinds the agent remembers the last section only. */
        bool single = kind == PU_MMV_VALUES || kind == PU_MMV_LABELS;
        check_section(subject, toc, single && toc < last[kind]);
    }
    check_metrics(subject);
    check_layout(subject);
}
