/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What mmvlabel was asked for. */
#ifndef PU_MMVLABEL_JOB_H
#define PU_MMVLABEL_JOB_H

#include "cli/main.h"
#include "mmv/label-edit.h"

enum { LIST, SET, UNSET, CLEAR }; /* codes of the verbs, and their places in the table */

struct config {
    bool json;
    bool effective;
    bool registry;
    struct pu_strings metrics;
    struct pu_strings indoms;
    struct pu_strings instances;
    bool optional;
    bool all;
    uint64_t cluster; /* 0 = as it is */
    bool dry_run;
    bool force;
};

/*
 * What the options name in a file: none of them is nothing. `loose` as in pu_mmv_label_find(). -1
 * with an error, `word` what it is about (or NULL).
 */
int mmvlabel_find(const struct config *config, const struct pu_mmv *mmv, const char *path,
                  bool loose, struct pu_mmv_label_targets *targets, const char **word,
                  struct pu_err *err) PU_MUST_CHECK;

/* Tells of an error about `word`, which is a usage error if it is PU_E_SYNTAX; returns the status.
 */
int mmvlabel_complain(const struct pu_tool *tool, const char *path, const char *word,
                      struct pu_err *err);

int mmvlabel_list(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count);
int mmvlabel_edit(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count);

#endif
