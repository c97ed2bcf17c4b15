/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of mmv/check. */
#ifndef PU_MMV_CHECK_PRIVATE_H
#define PU_MMV_CHECK_PRIVATE_H

#include "mmv/check.h"
#include "mmv/load.h"

/* In the order of pu_mmv_rules[]. */
enum pu_mmv_rule {
    /* the file in its directory */
    R_DIRECTORY_CLOSED,
    R_UNREADABLE,
    R_DANGLING_LINK,
    R_NOT_A_FILE,
    R_DOT_FILE,
    R_DOUBLE_LINK,
    R_VANISHED,
    /* the header */
    R_TOO_SMALL,
    R_MAGIC,
    R_VERSION,
    R_BYTE_ORDER,
    R_GENERATION_ZERO,
    R_GENERATION_MISMATCH,
    R_PROCESS_GONE,
    R_PROCESS_ZERO,
    R_CLUSTER_RANGE,
    R_CLUSTER_AUTO,
    R_UNKNOWN_FLAGS,
    /* the table of contents */
    R_TOC_COUNT,
    R_TOC_SIZE,
    R_TOC_TYPE,
    R_OVERCLAIM,
    R_OFFSET_WRAP,
    R_INDOMS_RANGE,
    R_INSTANCES_RANGE,
    R_METRICS_COUNT,
    R_METRICS_RANGE,
    R_VALUES_RANGE,
    R_STRINGS_RANGE,
    R_LABELS_COUNT,
    R_LABELS_RANGE,
    R_SECTION_HIDDEN,
    R_SECTION_OVERLAP,
    R_TRAILING_BYTES,
    R_NO_METRICS,
    /* indoms and instances */
    R_SERIAL_ZERO,
    R_SERIAL_RANGE,
    R_SERIAL_SPILL,
    R_CLUSTER_SPILL,
    R_INDOM_COLLISION,
    R_DUPLICATE_SERIAL,
    R_INDOM_RUN,
    R_INDOM_EMPTY,
    R_DUPLICATE_INSTANCE_ID,
    R_NEGATIVE_INSTANCE_ID,
    R_INSTANCE_NAME_OFFSET,
    R_INSTANCE_NAME_EMPTY,
    R_DUPLICATE_INSTANCE_NAME,
    R_INSTANCE_NAME_PREFIX,
    /* metrics */
    R_FILE_NAME,
    R_METRIC_NAME,
    R_METRIC_NAME_ODD,
    R_NAME_OFFSET,
    R_NAME_MISSING,
    R_TEXT_UNTERMINATED,
    R_DUPLICATE_NAME,
    R_LEAF_AND_BRANCH,
    R_NAME_IS_BRANCH,
    R_ITEM_RANGE,
    R_DUPLICATE_ITEM,
    R_ITEM_CLASH,
    R_ITEM_TYPE_CLASH,
    R_TYPE_NOSUPPORT,
    R_TYPE_CRASH,
    R_TYPE_UNKNOWN,
    R_SEMANTICS_UNSET,
    R_SEMANTICS_UNKNOWN,
    R_EXTRA_UNITS,
    R_EXTRA_UNITS_LOST,
    R_UNKNOWN_INDOM,
    R_HELP_OFFSET,
    R_NO_VALUES,
    /* values */
    R_VALUE_METRIC,
    R_VALUE_INSTANCE,
    R_VALUE_NO_INSTANCE,
    R_VALUE_EXTRA_INSTANCE,
    R_VALUE_FOREIGN_INSTANCE,
    R_VALUE_MISSING,
    R_VALUE_DUPLICATE,
    R_VALUE_SHADOWED,
    R_STRING_OFFSET,
    R_STRING_TAIL,
    R_STRING_ZERO,
    R_ELAPSED_EXTRA,
    R_ELAPSED_FUTURE,
    R_SENTINEL_NAN,
    R_SENTINEL_NAN_SHOWN,
    /* labels */
    R_LABEL_JSON,
    R_LABEL_CUT,
    R_LABEL_EMPTY,
    R_LABEL_NAME,
    R_LABEL_FORM,
    R_LABEL_DUPLICATE,
    R_LABEL_LEVEL,
    R_LABEL_CLUSTER,
    R_LABEL_AUTO_CLUSTER,
    R_LABEL_TARGET,
    R_LABEL_VERSION,
    /* what nobody looks at */
    R_STALE_BYTES,
    R_COUNT,
};

#define PU_MMV_LABEL_COUNT_MAX 255 /* of the agent; more in a section, and it takes none */

/* What the files checked so far export; see check-world.c. */
struct pu_mmv_world;

/* A file that is being checked. */
struct pu_mmv_subject {
    const struct pu_mmv_check *check;
    struct pu_mmv_world *world;
    const char *path; /* as findings call it */
    struct pu_mmv *mmv;
    int64_t now;
    uint32_t cluster;  /* the one in use: the header's, or what the agent would choose */
    uint32_t *serials; /* owned: of all indoms, sorted */
    size_t serial_count;
    struct pu_mmv_export **exports; /* owned list: by metric, what the world has of it, or NULL */
    bool overclaimed;               /* that indoms claim too much has been said */
    uint64_t stale_count, stale_first; /* records with bytes that nobody should see */
};

/* Reports a finding about bytes at `offset`. `what` names the place, and may be empty. */
void pu_mmv_say(const struct pu_mmv_subject *subject, enum pu_mmv_rule rule, uint64_t offset,
                const char *what, const char *fmt, ...) PU_PRINTF(5, 6);

/* The same with others that have a part in it. */
void pu_mmv_say_related(const struct pu_mmv_subject *subject, enum pu_mmv_rule rule,
                        uint64_t offset, const char *what, const struct pu_place *related,
                        const char *fmt, ...) PU_PRINTF(6, 7);

/* A finding about the file at `path` as such. */
void pu_mmv_say_file(const struct pu_mmv_check *check, enum pu_mmv_rule rule, const char *path,
                     const struct pu_place *related, const char *fmt, ...) PU_PRINTF(5, 6);

#define PU_MMV_WHAT_MAX 200 /* as pu_place.what */
/* `metric[5] "http.requests"`, to be used as `what`. */
const char *pu_mmv_what(char to[PU_MMV_WHAT_MAX], const char *record, size_t index,
                        struct pu_span name);

/* What stands in a directory beside files, and who may read it. Errors: PU_E_SYSTEM. */
int pu_mmv_check_entries(const struct pu_mmv_check *check, const char *directory,
                         struct pu_err *err) PU_MUST_CHECK;

/* How often the instances that fit into the file may be claimed, before the rest is left out. */
#define PU_MMV_CLAIM_LIMIT 4

/* How many instances the indom has; 0 when they are not all inside the file. */
size_t pu_mmv_run_length(const struct pu_mmv *mmv, const struct pu_mmv_indom *indom);

/* Is there room for the table of contents that the header declares? */
static inline bool pu_mmv_toc_fits(const struct pu_mmv *mmv)
{
    return mmv->header.toc_count <= 0 ||
           (size_t)mmv->header.toc_count <= (mmv->span.size - PU_MMV_HEADER_SIZE) / PU_MMV_TOC_SIZE;
}

/* Parts of a check, in order. Errors: PU_E_SYSTEM (ENOMEM). */
bool pu_mmv_check_header(struct pu_mmv_subject *subject); /* false: the agent ignores the file */
void pu_mmv_check_sections(struct pu_mmv_subject *subject);
int pu_mmv_check_indoms(struct pu_mmv_subject *subject, struct pu_err *err) PU_MUST_CHECK;
int pu_mmv_check_metrics(struct pu_mmv_subject *subject, struct pu_err *err) PU_MUST_CHECK;
int pu_mmv_check_values(struct pu_mmv_subject *subject, struct pu_err *err) PU_MUST_CHECK;
int pu_mmv_check_labels(struct pu_mmv_subject *subject, struct pu_err *err) PU_MUST_CHECK;

/*
 * Reports text that does not end inside its slot, and remembers bytes behind the end of one that
 * does. `slot` is where it stands, `size` how large it may be.
 */
void pu_mmv_check_slot(struct pu_mmv_subject *subject, uint64_t slot, size_t size,
                       const char *what);

/* The agent adds size and offset before it compares: does the sum wrap around? */
static inline bool pu_mmv_wraps(uint64_t offset, uint64_t size)
{
    return offset + size < offset;
}

/* The help text at `offset` (0 = none) that the field at `field` names; `kind`: "short", "long". */
void pu_mmv_check_help(struct pu_mmv_subject *subject, uint64_t field, uint64_t offset,
                       const char *kind, const char *what);

bool pu_mmv_has_serial(const struct pu_mmv_subject *subject, uint32_t serial);

/* A metric as the agent would add it to its name space. */
struct pu_mmv_export {
    char *name; /* owned */
    const char *path;
    uint32_t cluster;
    uint32_t item;
    int32_t type;
    uint64_t offset;
    size_t index;
    size_t order; /* of all exports of the world */
    bool dropped; /* the agent does not export it, after all */
    int32_t *ids; /* owned: instances that have a value, sorted; one id if it is singular */
    size_t
        id_count; /* of the first file's export: also those of later files with the same metric */
};

struct pu_mmv_world *pu_mmv_world_new(void); /* NULL: out of memory */
void pu_mmv_world_free(struct pu_mmv_world *world);
/* The cluster of a file whose header says `declared`; 0 lets the lowest free one be chosen. */
uint32_t pu_mmv_world_cluster(struct pu_mmv_world *world, int32_t declared);
/* Takes `export` over, also when it fails, and reports clashes with what is there. */
int pu_mmv_world_add(struct pu_mmv_subject *subject, struct pu_mmv_export *export,
                     struct pu_err *err) PU_MUST_CHECK;
/*
 * The values of the metric with that index: `ids`, which the world takes over, are the instances
 * that have one. Reports those for which another file has one.
 */
int pu_mmv_world_add_values(struct pu_mmv_subject *subject, size_t index, bool singular,
                            int32_t *ids, size_t count, struct pu_err *err) PU_MUST_CHECK;
int pu_mmv_world_add_indom(struct pu_mmv_subject *subject, uint32_t serial, uint64_t offset,
                           struct pu_err *err) PU_MUST_CHECK;
/* Reports names that are above others, once all are there. */
void pu_mmv_world_check_names(const struct pu_mmv_check *check, struct pu_mmv_world *world);

#endif
