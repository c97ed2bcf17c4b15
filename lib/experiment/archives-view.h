/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Archives as text or JSON. */
#ifndef PU_EXPERIMENT_ARCHIVES_VIEW_H
#define PU_EXPERIMENT_ARCHIVES_VIEW_H

#include "experiment/archives.h"
#include "out/field.h"

/*
 * One object. `missing`: only those that are needed and not to be had, in text only their paths;
 * `many`: in text each line but these tells the experiment. Returns whether there are any.
 */
bool pu_archives_put(struct pu_out *out, const char *path, const struct pu_archives *archives,
                     bool missing, bool many);

#endif
