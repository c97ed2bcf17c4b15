/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An experiment at a glance: notes, end, versions, host, command, times, files, messages. */
#ifndef PU_EXPERIMENT_SUMMARY_VIEW_H
#define PU_EXPERIMENT_SUMMARY_VIEW_H

#include "experiment/experiment.h"
#include "experiment/tree.h"
#include "out/field.h"

/*
 * Puts one object. `node` is the experiment's place in `tree`. What cannot be read is reported.
 * Errors: PU_E_SYSTEM when memory runs out; the object is closed then, too.
 */
int pu_summary_put(struct pu_out *out, const struct pu_exp *exp, const struct pu_tree *tree,
                   const struct pu_tree_node *node, struct pu_judge *judge,
                   struct pu_err *err) PU_MUST_CHECK;

#endif
