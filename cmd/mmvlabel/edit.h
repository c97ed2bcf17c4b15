/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A change of labels. */
#ifndef PU_MMVLABEL_EDIT_H
#define PU_MMVLABEL_EDIT_H

#include "base/lock.h"
#include "job.h"
#include "mmv/label-file.h"

/* One run. */
struct edit {
    const struct pu_tool *tool;
    const struct config *config;
    int verb;
    const char *name; /* of the file, as the user calls it */
    char *path;       /* owned: of the file itself, where `name` may be a link */
    struct pu_lock lock;
    struct pu_mmv_file file;
    bool interrupted; /* by the end of another mmvlabel */
    struct pu_mmv_label_targets targets;
    struct pu_mmv_assignment *assignments; /* owned; of SET */
    const char *const *words;              /* NAME=VALUE, or NAME */
    size_t word_count;
    struct pu_mmv_labels old, labels;
    int32_t cluster;
    struct pu_buf bytes; /* of the file to be */
};

/* Brings the labels into the file, or tells what that would mean; returns the status. */
int mmvlabel_write(struct edit *edit);

/* There is nothing to change. */
int mmvlabel_tell_nothing(const struct edit *edit);

#endif
