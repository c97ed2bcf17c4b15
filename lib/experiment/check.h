/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judges an experiment by the rules of rules.h: what is damaged, and what a reader should not trust
 * although it can be read.
 */
#ifndef PU_EXPERIMENT_CHECK_H
#define PU_EXPERIMENT_CHECK_H

#include "experiment/experiment.h"
#include "experiment/tree.h"

/*
 * One experiment, whose log was read with the same judge. `node` is its place in `tree`. A member
 * that could not be opened (fd -1) has been told of, and has nothing more to be checked. Errors:
 * PU_E_SYSTEM when memory runs out.
 */
int pu_exp_check(const struct pu_exp *exp, const struct pu_tree *tree,
                 const struct pu_tree_node *node, struct pu_judge *judge,
                 struct pu_err *err) PU_MUST_CHECK;

/* The members of a founder against each other. */
void pu_exp_check_tree(const struct pu_exp *founder, const struct pu_tree *tree,
                       struct pu_judge *judge);

#endif
