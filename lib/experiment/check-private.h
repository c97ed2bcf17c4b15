/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parts of the check. */
#ifndef PU_EXPERIMENT_CHECK_PRIVATE_H
#define PU_EXPERIMENT_CHECK_PRIVATE_H

#include "experiment/check.h"
#include "experiment/stats.h"

struct pu_check {
    const struct pu_exp *exp;
    const struct pu_tree *tree;
    const struct pu_tree_node *node;
    struct pu_judge *judge;
    enum pu_log_end end;
    bool converted;
    struct pu_map map;       /* owned */
    struct pu_frames frames; /* owned */
    bool has_frames;
    uint64_t samples; /* events in the log */
    bool has_usage;   /* the overview told the CPU time: */
    int64_t cpu_time; /* nanoseconds of user and system time between its ends */
    uint64_t stacks;  /* packets that name a call stack */
    bool clock;       /* a clock profile was declared and read: */
    int64_t tick;     /* microseconds */
    uint64_t cpu_ticks;
    int64_t median_gap;          /* nanoseconds between two ticks of a thread */
    struct pu_set clock_threads; /* owned */
    struct pu_set other_threads; /* owned: of other data */
};

/* Reports on one file, or the directory (name NULL), at once. */
void pu_check_tell(const struct pu_check *check, const char *name, enum pu_exp_rule rule,
                   const char *fmt, ...) PU_PRINTF(4, 5);

void pu_check_directory(struct pu_check *check);
void pu_check_log(struct pu_check *check);
void pu_check_measurement(struct pu_check *check);
/* These read files: -1 when memory runs out. */
int pu_check_texts(struct pu_check *check, struct pu_err *err) PU_MUST_CHECK;
int pu_check_overview(struct pu_check *check, struct pu_err *err) PU_MUST_CHECK;
int pu_check_data(struct pu_check *check, struct pu_err *err) PU_MUST_CHECK;
int pu_check_dynamic(struct pu_check *check, struct pu_err *err) PU_MUST_CHECK;

#endif
