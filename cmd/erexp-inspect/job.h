/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of erexp-inspect: what was asked for, and how it goes. */
#ifndef PU_EREXP_INSPECT_JOB_H
#define PU_EREXP_INSPECT_JOB_H

#include "base/io.h"
#include "cli/findings.h"
#include "cli/main.h"
#include "experiment/experiment.h"
#include "experiment/tree.h"

enum mode { TEXT, JSON, JSON_LINES, DOT };

/* Their places in the table of verbs. */
enum { SUMMARY, TREE, CHECK, ARCHIVES, DUMP };

struct config {
    int mode;
    const char *file;         /* dump */
    const char *thread;       /* dump; NULL = all */
    const char *from;         /* dump: an interval since the run's start; NULL = all */
    const char *to;           /* likewise */
    struct pu_strings ignore; /* check */
    bool strict;
    bool rules;
    bool missing; /* archives */
};

struct job {
    struct pu_judge judge; /* first: takes what readers report, as errors of the run */
    const struct pu_tool *tool;
    const struct config *config;
    struct pu_sink sink;
    struct pu_out out;
    struct pu_errors errors; /* owned */
    enum pu_status status;
    bool many;    /* the operands stand for more than one experiment */
    size_t shown; /* experiments so far */
};

void erexp_worsen(struct job *job, enum pu_status status);

/* Starts output and, as JSON, the document; ends both. `list` is the key of its one list. */
void erexp_begin(struct job *job, const char *schema, const struct pu_field *list);
int erexp_end(struct job *job);
void erexp_release(struct job *job);

/*
 * Calls `each` for every founder (or sub-experiment, when an operand names one) that the operands
 * stand for, opened and with its log read. It returns -1 with `err` when it cannot go on.
 */
void erexp_for_each(struct job *job, char **operands, size_t count, struct pu_judge *judge,
                    int (*each)(struct job *job, const struct pu_exp *exp, struct pu_err *err));

/* Calls `each` for a founder and then for each of its members. Returns -1 with `err` as above. */
int erexp_with_members(struct job *job, const struct pu_exp *founder, struct pu_judge *judge,
                       int (*each)(struct job *job, const struct pu_exp *exp, void *data,
                                   struct pu_err *err),
                       void *data, struct pu_err *err) PU_MUST_CHECK;

/* Is it one by itself: a sub-experiment that an operand named? */
static inline bool erexp_is_alone(const struct pu_exp *exp)
{
    return pu_exp_kind_is_sub(exp->dir.kind);
}

/* The verbs. */
int erexp_summary(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count);
int erexp_tree(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
               char **operands, size_t count);
int erexp_check(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                char **operands, size_t count);
int erexp_archives(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count);
int erexp_dump(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
               char **operands, size_t count);

#endif
