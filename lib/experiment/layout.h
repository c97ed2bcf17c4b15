/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values in packets, by the field lists that the log declares; and what the numbers stand for. */
#ifndef PU_EXPERIMENT_LAYOUT_H
#define PU_EXPERIMENT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "experiment/log.h"
#include "experiment/packets.h"

/* Fields that are understood; their names in log.xml are in layout.c. */
enum pu_known {
    PU_LWP,
    PU_THREAD,
    PU_CPU,
    PU_TSTAMP,
    PU_FRAME,
    PU_STATE,
    PU_TICKS,
    PU_SYNC_REQUEST,
    PU_SYNC_OBJECT,
    PU_HEAP_TYPE,
    PU_HEAP_SIZE,
    PU_HEAP_ADDRESS,
    PU_HEAP_OLD,
    PU_IO_TYPE,
    PU_IO_FD,
    PU_IO_BYTES,
    PU_IO_REQUEST,
    PU_IO_OLD_FD,
    PU_IO_SYSTEM,
    PU_IO_NAME,
    PU_COUNTER_TAG,
    PU_COUNTER_VALUE,
    PU_KNOWN_COUNT
};

/* What one kind of packet holds. Borrows the log. */
struct pu_layout {
    const struct pu_log_packet *packet;               /* NULL: not declared */
    const struct pu_log_field *known[PU_KNOWN_COUNT]; /* NULL: no such field */
    uint32_t size;                                    /* the fields reach this far */
    bool open_ended;                                  /* a string is the last of them */
};

struct pu_layouts {
    struct pu_layout kinds[PU_PACKET_TYPES];
};

void pu_layouts_fill(struct pu_layouts *layouts, const struct pu_log_data *data);

/* The field's name as log.xml has it: "TSTAMP". */
const char *pu_known_name(enum pu_known known);
/* PU_KNOWN_COUNT when the name is none of them. */
enum pu_known pu_known_find(const char *name);

/* The 4 or 8 bytes of a field that is no string, sign-extended; 0 behind the packet's end. */
int64_t pu_field_value(const struct pu_log_field *field, struct pu_span packet,
                       enum pu_order order);
/* The bytes of a string, to the first NUL or the packet's end. */
struct pu_span pu_field_text(const struct pu_log_field *field, struct pu_span packet);

/* The value of a known field, or 0 when there is none. */
static inline int64_t pu_layout_value(const struct pu_layout *layout, enum pu_known known,
                                      const struct pu_packet *packet, enum pu_order order)
{
    return layout->known[known] ? pu_field_value(layout->known[known], packet->bytes, order) : 0;
}

/* "user", "malloc", "read": the name of a field's value, or NULL when it has none. */
const char *pu_known_word(enum pu_known known, int64_t value);

#endif
