/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "out/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

void pu_sink_to_fd(struct pu_sink *sink, int fd)
{
    sink->fd = fd;
    sink->memory = NULL;
    sink->error = 0;
    sink->used = 0;
}

void pu_sink_to_memory(struct pu_sink *sink, struct pu_buf *memory)
{
    pu_sink_to_fd(sink, -1);
    sink->memory = memory;
}

static void write_all(struct pu_sink *sink, const char *bytes, size_t size)
{
    while (size > 0 && !sink->error) {
        ssize_t done = write(sink->fd, bytes, size);
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        } else if (done < 0 && errno == EAGAIN) {
            (void)poll(&(struct pollfd){.fd = sink->fd, .events = POLLOUT}, 1, -1);
        } else if (done == 0 || errno != EINTR) {
            sink->error = done < 0 ? errno : EIO;
        }
    }
}

static void hand_on(struct pu_sink *sink, const char *bytes, size_t size)
{
    if (sink->error)
        return;
    if (!sink->memory) {
        write_all(sink, bytes, size);
        return;
    }
    pu_buf_add(sink->memory, bytes, size);
    if (sink->memory->failed)
        sink->error = ENOMEM;
}

int pu_sink_flush(struct pu_sink *sink)
{
    hand_on(sink, sink->buffer, sink->used);
    sink->used = 0;
    return sink->error;
}

void pu_sink_add_large(struct pu_sink *sink, const void *bytes, size_t size)
{
    (void)pu_sink_flush(sink);
    hand_on(sink, bytes, size);
}

void pu_sink_printf(struct pu_sink *sink, const char *fmt, ...)
{
    va_list args;
    char text[512];

    va_start(args, fmt);
    int size = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (size > 0)
        pu_sink_add(sink, text, (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

static void escaped(struct pu_sink *sink, struct pu_span text, bool quote)
{
    size_t used;

    while (text.size > 0) {
        used = pu_text_plain(text);
        if (used > 0)
            pu_sink_add(sink, text.data, used);
        else
            sink->used += pu_text_escape_one(text, quote, pu_sink_room(sink, PU_ESCAPE_MAX), &used);
        text.data += used;
        text.size -= used;
    }
}

void pu_sink_hex_bytes(struct pu_sink *sink, struct pu_span bytes)
{
    static const char digits[] = "0123456789abcdef";

    pu_sink_text(sink, "0x");
    for (size_t i = 0; i < bytes.size; i++) {
        char *to = pu_sink_room(sink, 2);
        to[0] = digits[bytes.data[i] >> 4];
        to[1] = digits[bytes.data[i] & 15];
        sink->used += 2;
    }
}

void pu_sink_escaped(struct pu_sink *sink, struct pu_span text)
{
    escaped(sink, text, false);
}

void pu_sink_quoted(struct pu_sink *sink, struct pu_span text)
{
    pu_sink_char(sink, '"');
    escaped(sink, text, true);
    pu_sink_char(sink, '"');
}
