/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The labels that one thing ends up with: those of all levels merged as the agent does it. */
#ifndef PU_MMV_LABEL_SET_H
#define PU_MMV_LABEL_SET_H

#include "mmv/decode.h"
#include "mmv/label.h"

/* More labels than this no thing gets: each is written with each value, and nobody means them. */
#define PU_LABEL_SET_MAX PU_MMV_LABELS_MAX

/* Each name once. Borrowed. */
struct pu_label_set {
    const struct pu_mmv_label_pair *items[PU_LABEL_SET_MAX];
    size_t count;
    bool full; /* some did not fit */
};

/* Levels in the order in which they are merged: later ones win. Ends with 0. */
extern const uint32_t pu_label_levels[];

/*
 * Is the label of this level, and for this metric of a file, or for this `instance` of it (NULL:
 * none)? Those of a registry whose cluster the agent chooses are for nobody.
 */
bool pu_mmv_label_applies(const struct pu_mmv_label *label, uint32_t level,
                          const struct pu_mmv_header *header, const struct pu_mmv_metric *metric,
                          const int32_t *instance);

/* A later one of the same name wins, in the place of the first. */
void pu_label_set_add(struct pu_label_set *set, const struct pu_mmv_label_pairs *pairs);

#endif
