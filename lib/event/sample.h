/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One packed event array and all that is known about where it came from. Sources make samples, the
 * views and the checker take them. Everything in it is borrowed until the source is asked for the
 * next one.
 */
#ifndef PU_EVENT_SAMPLE_H
#define PU_EVENT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "event/catalog.h"

struct pu_event_sample {
    const char *file;                     /* where it lies; the source's name if in no file */
    bool has_offset;                      /* of the array's first byte in that file */
    uint64_t offset;                      /* in a compressed file: of what is unpacked */
    uint64_t number;                      /* of arrays in that file before it */
    const struct pu_event_metric *metric; /* NULL: not known */
    bool has_instance;
    int32_t instance;
    struct pu_span instance_name; /* empty = not known */
    bool has_time;
    int64_t time; /* when it was fetched, nanoseconds since 1970 */
    struct pu_span bytes;
    enum pu_order order;
};

#endif
