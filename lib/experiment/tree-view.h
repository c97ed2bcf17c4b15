/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes of an experiment as text or JSON, or as a graph in DOT. */
#ifndef PU_EXPERIMENT_TREE_VIEW_H
#define PU_EXPERIMENT_TREE_VIEW_H

#include "experiment/tree.h"
#include "out/field.h"

/* One object with members "path", "processes" and "missing". */
void pu_tree_put(struct pu_out *out, const char *path, const struct pu_tree *tree);

/* A subgraph; `number` tells it from others in the same file. Begin and end are the caller's. */
void pu_tree_put_dot(struct pu_sink *sink, const char *path, const struct pu_tree *tree,
                     size_t number);

#endif
