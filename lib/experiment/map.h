/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map.xml as a model: what was mapped where and when, and dynamic code. */
#ifndef PU_EXPERIMENT_MAP_H
#define PU_EXPERIMENT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"
#include "experiment/arena.h"
#include "experiment/rules.h"

enum pu_map_kind {
    PU_MAP_SEGMENT,
    PU_MAP_DYNFUNC,  /* belongs to the next PU_MAP_FUNCTION */
    PU_MAP_FUNCTION, /* dynamic code: [vdso], stubs of the JVM */
    PU_MAP_JCM,      /* compiled Java method */
    PU_MAP_UNMAP,
    PU_MAP_UNKNOWN,
};

struct pu_map_record {
    enum pu_map_kind kind;
    bool has_time;
    bool has_address;
    int64_t time;     /* nanoseconds since the start of the run; when the collector looked */
    int64_t unmapped; /* of a segment; INT64_MAX = never told */
    uint64_t at;      /* in map.xml */
    uint64_t address;
    uint64_t size;
    int64_t offset; /* in the file that is mapped */
    uint64_t modes; /* Studio: r=4 w=2 x=1; gprofng: r=1 w=2 x=4; both: shared=8 */
    uint64_t method;
    const char *name;
    const char *function;
};

/* Start from zeros; release with pu_map_free(). */
struct pu_map {
    struct pu_arena strings;
    struct pu_map_record *records; /* owned; in the order of the file */
    size_t count;
    size_t room;
    uint64_t damages;
};

/* Errors: PU_E_SYSTEM when memory runs out. */
int pu_map_read(struct pu_span bytes, struct pu_map *map, struct pu_exp_report *report,
                struct pu_err *err) PU_MUST_CHECK;
void pu_map_free(struct pu_map *map);

const char *pu_map_kind_word(enum pu_map_kind kind);

/* Tells of segments that lie over each other at the same time. False when memory runs out. */
bool pu_map_check_overlaps(const struct pu_map *map, struct pu_exp_report *report) PU_MUST_CHECK;

/*
 * Is it the name of a file that the experiment needs, rather than "[vdso]", "/memfd:x", a file that
 * was deleted, or one of the experiment's own?
 */
bool pu_map_is_object(const struct pu_map_record *record);

#endif
