/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where output goes: a buffer in front of a file descriptor, or of memory. The first error is kept
 * and everything after it is dropped, so writers need no test of their own: pu_sink_flush() tells.
 */
#ifndef PU_OUT_SINK_H
#define PU_OUT_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/span.h"

#define PU_SINK_SIZE 65536

struct pu_sink {
    int fd;                /* -1: `memory` is written instead */
    struct pu_buf *memory; /* borrowed */
    int error;             /* errno of the first failure, 0 = none */
    size_t used;
    char buffer[PU_SINK_SIZE];
};

void pu_sink_to_fd(struct pu_sink *sink, int fd);
void pu_sink_to_memory(struct pu_sink *sink, struct pu_buf *memory);

/* Hands everything on. Returns 0, or the errno of the first failure since the start. */
int pu_sink_flush(struct pu_sink *sink);

/* Room for `size` bytes (at most PU_SINK_SIZE), never NULL; the caller adds what it wrote to
 * `used`. */
static inline char *pu_sink_room(struct pu_sink *sink, size_t size)
{
    if (PU_SINK_SIZE - sink->used < size)
        (void)pu_sink_flush(sink);
    return sink->buffer + sink->used;
}

/* As pu_sink_add(), for more than PU_SINK_SIZE bytes. */
void pu_sink_add_large(struct pu_sink *sink, const void *bytes, size_t size);

static inline void pu_sink_add(struct pu_sink *sink, const void *bytes, size_t size)
{
    if (size > PU_SINK_SIZE) {
        pu_sink_add_large(sink, bytes, size);
    } else if (size > 0) {
        memcpy(pu_sink_room(sink, size), bytes, size);
        sink->used += size;
    }
}

/* At most 511 bytes; what is more is cut. */
void pu_sink_printf(struct pu_sink *sink, const char *fmt, ...) PU_PRINTF(2, 3);

static inline void pu_sink_char(struct pu_sink *sink, char byte)
{
    *pu_sink_room(sink, 1) = byte;
    sink->used++;
}

static inline void pu_sink_text(struct pu_sink *sink, const char *text)
{
    pu_sink_add(sink, text, strlen(text));
}

static inline void pu_sink_u64(struct pu_sink *sink, uint64_t value)
{
    sink->used += pu_num_u64(pu_sink_room(sink, PU_NUM_MAX), value);
}

static inline void pu_sink_i64(struct pu_sink *sink, int64_t value)
{
    sink->used += pu_num_i64(pu_sink_room(sink, PU_NUM_MAX), value);
}

static inline void pu_sink_hex(struct pu_sink *sink, uint64_t value)
{
    sink->used += pu_num_hex(pu_sink_room(sink, PU_NUM_MAX), value);
}

/* "0x" and two digits a byte. */
void pu_sink_hex_bytes(struct pu_sink *sink, struct pu_span bytes);

/* Text from outside, escaped for the user's terminal; `quoted`: '"' is escaped too. */
void pu_sink_escaped(struct pu_sink *sink, struct pu_span text);
void pu_sink_quoted(struct pu_sink *sink, struct pu_span text); /* with the quotes around it */

#endif
