/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an operand stands for: an experiment, a sub-experiment, the members of a group file, or the
 * experiments that lie directly in a directory.
 */
#ifndef PU_EXPERIMENT_SCAN_H
#define PU_EXPERIMENT_SCAN_H

#include "base/attr.h"
#include "base/err.h"
#include "base/io.h"

/*
 * Adds the paths of experiments. Those that a group names are added whether they are there or not;
 * a relative one is looked for beside the group file first, then from the working directory, as
 * gprofng does. Errors: PU_E_SYSTEM (cannot be read; nothing in it), PU_E_DAMAGED (a file that is
 * no group).
 */
int pu_exp_scan(const char *operand, struct pu_paths *paths, struct pu_err *err) PU_MUST_CHECK;

#endif
