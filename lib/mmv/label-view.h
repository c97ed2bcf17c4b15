/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The labels of a file: by level, and what comes of them. */
#ifndef PU_MMV_LABEL_VIEW_H
#define PU_MMV_LABEL_VIEW_H

#include "mmv/label-edit.h"
#include "mmv/load.h"
#include "out/field.h"

struct pu_mmv_label_view {
    const char *path;
    struct pu_mmv_file *file;
    const struct pu_mmv_label_targets *targets; /* only these; none = all */
    bool show_path;                             /* in text */
    bool effective; /* also what each metric and instance ends up with, and which are never shown */
};

/*
 * Everything as the object {"file":PATH,"labels":[...]}, which stays open for members of the
 * caller's: pu_out_end() closes it. In text a record is a line. Errors: PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_label_view(struct pu_out *out, const struct pu_mmv_label_view *view,
                      struct pu_err *err) PU_MUST_CHECK;

#endif
