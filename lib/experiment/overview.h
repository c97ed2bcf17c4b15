/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* overview: the process's own figures, one record for each sample; values add up from the start. */
#ifndef PU_EXPERIMENT_OVERVIEW_H
#define PU_EXPERIMENT_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pu_overview_record {
    int32_t pid;
    int32_t lwps;
    int64_t time;        /* nanoseconds of the run's clock */
    int64_t user_time;   /* nanoseconds */
    int64_t system_time; /* nanoseconds */
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
};

size_t pu_overview_size(bool is_64); /* bytes of a record: 504 or 256 */

/* The record at `offset`, which must fit. */
struct pu_overview_record pu_overview_at(struct pu_span bytes, uint64_t offset, bool is_64,
                                         enum pu_order order);

#endif
