/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of mmvdump: what was asked for, and how it goes. */
#ifndef PU_MMVDUMP_JOB_H
#define PU_MMVDUMP_JOB_H

#include "base/io.h"
#include "cli/main.h"
#include "mmv/load.h"
#include "mmv/view.h"

enum mode { TEXT, JSON, JSON_LINES, VALUES, OPENMETRICS };

struct config {
    int mode;
    struct pu_strings metrics;
    bool follow;
    bool rates;
    int64_t interval; /* nanoseconds */
    uint64_t samples; /* 0 = no end */
    int64_t now;      /* INT64_MIN = the time when a file is read */
};

struct operand {
    const char *path;
    bool directory; /* it was one at some time: it may be gone for a moment */
    bool told;      /* that it cannot be listed */
};

struct job {
    const struct config *config;
    struct pu_selector *selectors; /* owned; one for each --metric */
    bool *matched;                 /* owned; which of them name a metric */
    struct operand *operands;      /* owned */
    size_t operand_count;
    int64_t patience;      /* with files that are being rewritten; see pu_mmv_load() */
    struct pu_paths paths; /* owned: the files that the operands stand for */
    bool many;             /* they can stand for more than one: say which a value is from */
    size_t shown;          /* files so far */
    struct pu_sink sink;
    struct pu_out out;
    enum pu_status status;
};

void mmvdump_worsen(struct job *job, enum pu_status status);

/* Fills `paths` from the operands. */
void mmvdump_list(struct job *job);

int64_t mmvdump_now(const struct job *job);

/* The two ways to run. They tell of all errors and leave the status in the job. */
void mmvdump_dump(struct job *job);
void mmvdump_follow(struct job *job);

#endif
