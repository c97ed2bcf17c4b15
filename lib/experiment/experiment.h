/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One experiment, founder or sub-experiment: its directory and its log, and its other files. */
#ifndef PU_EXPERIMENT_EXPERIMENT_H
#define PU_EXPERIMENT_EXPERIMENT_H

#include "experiment/dir.h"
#include "experiment/frames.h"
#include "experiment/layout.h"
#include "experiment/log.h"
#include "experiment/map.h"
#include "experiment/overview.h"
#include "experiment/rules.h"

#define PU_EXP_TEXT_MAX                                                                            \
    (UINT64_C(256) << 20) /* bytes of a text file or overview; more is refused */

/* Start from PU_EXP_INIT; release with pu_exp_free(). */
struct pu_exp {
    struct pu_exp_dir dir;
    struct pu_log log;
    enum pu_order order;
    bool is_64;
    uint64_t block_size;
    bool has_start;
    int64_t start;      /* of the run: nanoseconds of its clock */
    int64_t wall_start; /* nanoseconds since 1970; 0 = not known */
};

#define PU_EXP_INIT ((struct pu_exp){.dir.fd = -1})

/*
 * Reads log.xml of a directory that has been opened. What is wrong with it is reported, and no
 * error. Errors: PU_E_SYSTEM when memory runs out.
 */
int pu_exp_load(struct pu_exp *exp, struct pu_judge *judge, struct pu_err *err) PU_MUST_CHECK;
void pu_exp_free(struct pu_exp *exp);

/* Reports that a directory could not be opened, and why. */
void pu_exp_tell_unopened(const struct pu_exp *exp, struct pu_judge *judge,
                          const struct pu_err *err);

/*
 * All of a file, or nothing and a report. Returns 1 when it has been read, 0 when it is not there
 * or cannot be read (then `blob` is empty), -1 when memory runs out.
 */
int pu_exp_read(const struct pu_exp *exp, const char *name, struct pu_exp_report *report,
                struct pu_blob *blob, struct pu_err *err) PU_MUST_CHECK;

/* Starts reading packets; returns as pu_exp_read(). Release both in any case. */
int pu_exp_open_packets(const struct pu_exp *exp, const char *name, struct pu_exp_report *report,
                        int *fd, struct pu_packets *packets, struct pu_err *err) PU_MUST_CHECK;

/* All call stacks; as above. */
int pu_exp_read_frames(const struct pu_exp *exp, struct pu_judge *judge, struct pu_frames *frames,
                       struct pu_err *err) PU_MUST_CHECK;

/* A report on a file of the experiment, with its size; close it. */
void pu_exp_report_on(const struct pu_exp *exp, struct pu_judge *judge, const char *name,
                      struct pu_exp_report *report);

/* The data that the log declares to lie in a file of that name, or NULL. */
const struct pu_log_data *pu_exp_declared(const struct pu_exp *exp, const char *file);

#endif
