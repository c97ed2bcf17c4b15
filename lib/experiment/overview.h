/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* overview: the process's own figures, one record for each sample; values add up from the start. */
#ifndef PU_EXPERIMENT_OVERVIEW_H
#define PU_EXPERIMENT_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* Nanoseconds, in the order of the file. Linux fills the first two only. */
enum {
    PU_OVERVIEW_USER,
    PU_OVERVIEW_SYSTEM,
    PU_OVERVIEW_TRAP,
    PU_OVERVIEW_TEXT_FAULT,
    PU_OVERVIEW_DATA_FAULT,
    PU_OVERVIEW_KERNEL_FAULT,
    PU_OVERVIEW_LOCK,
    PU_OVERVIEW_SLEEP,
    PU_OVERVIEW_WAIT,
    PU_OVERVIEW_STOPPED,
    PU_OVERVIEW_TIMES
};

enum {
    PU_OVERVIEW_MINOR_FAULTS,
    PU_OVERVIEW_MAJOR_FAULTS,
    PU_OVERVIEW_SWAPS,
    PU_OVERVIEW_BLOCKS_IN,
    PU_OVERVIEW_BLOCKS_OUT,
    PU_OVERVIEW_MESSAGES_SENT,
    PU_OVERVIEW_MESSAGES_RECEIVED,
    PU_OVERVIEW_SIGNALS,
    PU_OVERVIEW_VOLUNTARY,
    PU_OVERVIEW_INVOLUNTARY,
    PU_OVERVIEW_CALLS,
    PU_OVERVIEW_CHARACTERS,
    PU_OVERVIEW_COUNTS
};

struct pu_overview_record {
    int32_t pid;
    int32_t lwps;
    int64_t time; /* nanoseconds of the run's clock */
    int64_t times[PU_OVERVIEW_TIMES];
    uint64_t counts[PU_OVERVIEW_COUNTS];
};

size_t pu_overview_size(bool is_64); /* bytes of a record: 504 or 256 */

/* The record at `offset`, which must fit. */
struct pu_overview_record pu_overview_at(struct pu_span bytes, uint64_t offset, bool is_64,
                                         enum pu_order order);

#endif
