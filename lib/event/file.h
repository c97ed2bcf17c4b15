/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of packed event arrays, one behind the other, nothing between them. A file is in the host's
 * byte order or the other one: the first array tells.
 */
#ifndef PU_EVENT_FILE_H
#define PU_EVENT_FILE_H

#include "event/sample.h"

struct pu_event_file {
    const char *path;     /* borrowed */
    struct pu_span bytes; /* borrowed */
    enum pu_order order;
    uint64_t at;
    uint64_t count; /* arrays so far */
};

struct pu_event_file pu_event_file(const char *path, struct pu_span bytes);

/*
 * The next array. The first one is there even if the file is empty, and is then too small. An array
 * whose length cannot be true gets all that is left. False at the end: what `at` leaves behind, if
 * anything, is no array.
 */
bool pu_event_file_next(struct pu_event_file *file, struct pu_event_sample *sample);

#endif
