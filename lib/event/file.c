/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/file.h"

#include "event/unpack.h"

struct pu_event_file pu_event_file(const char *path, struct pu_span bytes)
{
    return (struct pu_event_file){path, bytes, pu_event_order(bytes), 0, 0};
}

/* Behind an array: does another one begin, whole, in the same order? */
static bool begins(struct pu_span rest, enum pu_order order)
{
    uint32_t length = pu_event_length(rest, order);

    return rest.size >= PU_EVENT_HEADER_SIZE && pu_event_is_array(rest, order) &&
           length >= PU_EVENT_HEADER_SIZE && length <= rest.size;
}

bool pu_event_file_next(struct pu_event_file *file, struct pu_event_sample *sample)
{
    struct pu_span rest = pu_span_clip(file->bytes, file->at, UINT64_MAX);

    if (file->count > 0 && !begins(rest, file->order))
        return false;
    uint32_t length = pu_event_length(rest, file->order);
    if (length >= PU_EVENT_HEADER_SIZE && length <= rest.size)
        rest.size = length;
    *sample = (struct pu_event_sample){
        .file = file->path,
        .has_offset = true,
        .offset = file->at,
        .number = file->count++,
        .bytes = rest,
        .order = file->order,
    };
    file->at += rest.size;
    return true;
}
