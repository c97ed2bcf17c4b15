/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The labels of a file as a list of records that can be changed: those that are not meant keep
 * every byte and their order, which decides between two of one name.
 */
#ifndef PU_MMV_LABEL_EDIT_H
#define PU_MMV_LABEL_EDIT_H

#include "base/selector.h"
#include "mmv/decode.h"

/* A record as it stands in the file. */
struct pu_mmv_label_record {
    uint32_t flags;
    uint32_t identity;
    int32_t internal;
    char payload[PU_MMV_PAYLOAD_SIZE];
};

/* Start from zeros; release with pu_mmv_labels_free(). */
struct pu_mmv_labels {
    struct pu_mmv_label_record *records; /* owned; room for PU_MMV_LABELS_MAX */
    size_t count;
};

/* What labels are for. */
struct pu_mmv_label_target {
    uint32_t level; /* PU_MMV_LABEL_..., without OPTIONAL; 0 = every level */
    bool any;       /* whatever the identity; of the registry, whose cluster may be another one's */
    uint32_t identity;
    int32_t internal; /* -1 but for instances */
};

struct pu_mmv_label_targets {
    struct pu_mmv_label_target *items; /* owned */
    size_t count;
};

/* NAME=VALUE of a command line. */
struct pu_mmv_assignment {
    char *name; /* owned */
    char payload[PU_MMV_PAYLOAD_SIZE];
};

/*
 * Copies the labels of a file in the byte order of the host. Errors: PU_E_LIMIT when there are
 * more than the agent takes; PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_labels_read(const struct pu_mmv *mmv, struct pu_mmv_labels *labels,
                       struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_labels_free(struct pu_mmv_labels *labels);

static inline bool pu_mmv_labels_equal(const struct pu_mmv_labels *a, const struct pu_mmv_labels *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->records, b->records, a->count * sizeof(*a->records)) == 0);
}

bool pu_mmv_label_target_has(const struct pu_mmv_label_target *target, uint32_t flags,
                             uint32_t identity, int32_t internal);
bool pu_mmv_label_targets_have(const struct pu_mmv_label_targets *targets, uint32_t flags,
                               uint32_t identity, int32_t internal);
/* Errors: PU_E_SYSTEM (ENOMEM). Release with free(targets->items). */
int pu_mmv_label_targets_add(struct pu_mmv_label_targets *targets,
                             struct pu_mmv_label_target target, struct pu_err *err) PU_MUST_CHECK;

/*
 * The metrics, indoms or instances of a file that a word of a command line names: an item or a
 * selector without brackets; a serial; SERIAL/SELECTOR. With `loose` numbers count though the file
 * has nothing of that number, since it may have labels for it. Errors: PU_E_SYNTAX when the word is
 * none of these, PU_E_NONE when there is no such thing, PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_label_find(const struct pu_mmv *mmv, const char *path, uint32_t level, const char *word,
                      bool loose, struct pu_mmv_label_targets *targets,
                      struct pu_err *err) PU_MUST_CHECK;

/*
 * A VALUE that is not JSON is a string. Errors: PU_E_SYNTAX when this cannot be a label. Release
 * with free(to->name).
 */
int pu_mmv_assignment_parse(const char *text, struct pu_mmv_assignment *to,
                            struct pu_err *err) PU_MUST_CHECK;

/*
 * Gives one target (of a known level) a label: in the place of one of that name, or behind all
 * others. Errors: PU_E_LIMIT when there is no room; PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_labels_set(struct pu_mmv_labels *labels, const struct pu_mmv_label_target *target,
                      const struct pu_mmv_assignment *assignment, bool optional,
                      struct pu_err *err) PU_MUST_CHECK;

/*
 * Takes the label of that name (dots lead into nested objects) from the targets. Returns how many
 * there were, or -1 with an error: PU_E_LIMIT when what is left of a record does not fit, ENOMEM.
 */
int pu_mmv_labels_unset(struct pu_mmv_labels *labels, const struct pu_mmv_label_targets *targets,
                        const char *name, struct pu_err *err) PU_MUST_CHECK;

void pu_mmv_labels_clear(struct pu_mmv_labels *labels, const struct pu_mmv_label_targets *targets);

#endif
