/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading MMV files. Everything in a file may be a lie: counts are cut to what fits, offsets that
 * lead nowhere leave a part empty, and each such damage is one error in a list. Nothing is judged
 * here: what is odd but can be shown is no damage (that is the business of mmv/check).
 */
#ifndef PU_MMV_DECODE_H
#define PU_MMV_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "mmv/format.h"

#define PU_MMV_NONE SIZE_MAX /* "no such record" where an index is due */

struct pu_mmv_header {
    int32_t version;      /* 1, 2 or 3 */
    uint64_t generation1; /* equal, and not 0, in a file that is complete */
    uint64_t generation2;
    int32_t toc_count; /* as declared */
    uint32_t flags;    /* PU_MMV_NOPREFIX ... */
    int32_t pid;
    int32_t cluster; /* 0 = the agent chooses */
};

struct pu_mmv_section {
    int32_t kind;        /* enum pu_mmv_kind, or anything */
    int32_t count;       /* as declared */
    uint64_t offset;     /* as declared */
    uint64_t toc_offset; /* where its entry stands */
    size_t first;        /* index of its first record among the file's records of this kind */
    size_t usable;       /* records that are really there */
};

/* Where records of one kind start, sorted, to find the record that an offset means. */
struct pu_mmv_place {
    uint64_t offset;
    size_t index;
};

struct pu_mmv_index {
    struct pu_mmv_place *places; /* owned */
    size_t count;
    bool doubles; /* some offset is there twice: the first in file order counts */
};

struct pu_mmv {
    struct pu_span span; /* borrowed: the whole file */
    enum pu_order order; /* of the file; PU_HOST as a rule */
    struct pu_mmv_header header;
    struct pu_mmv_section *sections; /* owned; in the order of the table of contents */
    size_t section_count;
    size_t counts[PU_MMV_LABELS + 1]; /* records by kind, over all sections */
    struct pu_mmv_index metrics;
    struct pu_mmv_index instances;
};

struct pu_mmv_indom {
    uint64_t offset; /* of the record, as in all below */
    uint32_t serial;
    int32_t count;                              /* instances, as declared */
    uint64_t instance_offset;                   /* the first one's */
    uint64_t shorttext_offset, helptext_offset; /* 0 = none */
    struct pu_span shorttext, helptext;         /* empty when there is none or it is damaged */
};

struct pu_mmv_instance {
    uint64_t offset;
    uint64_t indom_offset; /* the record of its indom; the agent does not look at it */
    int32_t id;
    struct pu_span name;
};

struct pu_mmv_metric {
    uint64_t offset;
    struct pu_span name;
    uint32_t item;
    int32_t type;
    int32_t semantics; /* 0 = not set */
    uint32_t units;
    uint32_t serial;  /* of the indom; 0 and UINT32_MAX = singular: see pu_mmv_is_singular() */
    uint32_t padding; /* not used */
    uint64_t shorttext_offset, helptext_offset;
    struct pu_span shorttext, helptext;
};

struct pu_mmv_value {
    uint64_t offset;
    uint64_t raw;  /* all eight bytes of the value */
    uint32_t word; /* its first four, which is where 32-bit types live */
    int64_t extra; /* STRING: offset of the text. ELAPSED: minus the start of a running interval */
    uint64_t metric_offset, instance_offset; /* instance 0 = singular */
};

struct pu_mmv_label {
    uint64_t offset;
    uint32_t flags;
    uint32_t identity;
    int32_t internal;
    struct pu_span payload;
};

/* Why a file could not be taken apart: the status of a PU_E_DAMAGED error of pu_mmv_decode(). */
enum pu_mmv_refusal { PU_MMV_TOO_SMALL = 1, PU_MMV_NOT_MMV, PU_MMV_BAD_VERSION };

/*
 * Takes `bytes` apart; they must stay where they are while `mmv` is used. Damage to
 * the table of contents, to indoms, instances and metrics is added to `damage`; values, strings and
 * labels are not looked at yet. -1 when there is no telling what the file is: not MMV, unknown
 * version, no room for the header (PU_E_DAMAGED), or out of memory (PU_E_SYSTEM). Release with
 * pu_mmv_free() in any case.
 */
int pu_mmv_decode(struct pu_span bytes, struct pu_mmv *mmv, struct pu_errors *damage,
                  struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_free(struct pu_mmv *mmv);

/* Bytes of one record of a section of this kind in this file; 0 for unknown kinds. */
size_t pu_mmv_stride(const struct pu_mmv *mmv, int32_t kind);

/*
 * The record at `offset`, which need not be in a section. Parts outside of the file read as zeros
 * and empty.
 */
struct pu_mmv_indom pu_mmv_indom(const struct pu_mmv *mmv, uint64_t offset);
struct pu_mmv_instance pu_mmv_instance(const struct pu_mmv *mmv, uint64_t offset);
struct pu_mmv_metric pu_mmv_metric(const struct pu_mmv *mmv, uint64_t offset);
struct pu_mmv_value pu_mmv_value(const struct pu_mmv *mmv, uint64_t offset);
struct pu_mmv_label pu_mmv_label(const struct pu_mmv *mmv, uint64_t offset);

/* Offset of the i-th usable record of a section. */
static inline uint64_t pu_mmv_record(const struct pu_mmv *mmv, const struct pu_mmv_section *section,
                                     size_t i)
{
    return section->offset + i * pu_mmv_stride(mmv, section->kind);
}

/* Goes through all records of a kind, in file order, whatever sections they are in. */
struct pu_mmv_records {
    const struct pu_mmv *mmv;
    int32_t kind;
    size_t toc, next; /* start from 0 */
    uint64_t offset;  /* of the record */
    size_t index;     /* of the record, among all of its kind */
};

static inline struct pu_mmv_records pu_mmv_records(const struct pu_mmv *mmv, int32_t kind)
{
    return (struct pu_mmv_records){.mmv = mmv, .kind = kind};
}

/* False at the end. */
bool pu_mmv_next(struct pu_mmv_records *records);

/*
 * The text at `offset`, up to a NUL or the size of a string slot. False, with `text` cut or empty,
 * when it begins outside of the file or runs into its end.
 */
bool pu_mmv_text(const struct pu_mmv *mmv, uint64_t offset, struct pu_span *text);

/* Index, in file order, of the metric or instance that starts at `offset`; or PU_MMV_NONE. */
size_t pu_mmv_find(const struct pu_mmv_index *index, uint64_t offset);

/* The same, faster if it is the one that was found last, or the next; start with a hint of 0. */
size_t pu_mmv_find_near(const struct pu_mmv_index *index, uint64_t offset, size_t *hint);

/* As the agent has it: unset semantics are a counter, and elapsed time always is. */
static inline bool pu_mmv_is_counter(const struct pu_mmv_metric *metric)
{
    return metric->type == PU_MMV_ELAPSED || metric->semantics == 1 || metric->semantics == 0;
}

static inline bool pu_mmv_is_singular(const struct pu_mmv_metric *metric)
{
    return metric->serial == 0 || metric->serial == UINT32_MAX;
}

#endif
