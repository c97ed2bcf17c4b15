/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static bool grow(struct pu_buf *buf, size_t need)
{
    size_t capacity = buf->capacity ? buf->capacity : 64;

    while (capacity < need) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    char *data = realloc(buf->data, capacity);
    if (!data)
        return false;
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

/* One byte is always kept free for the NUL of pu_buf_text(), which so cannot fail later. */
char *pu_buf_room(struct pu_buf *buf, size_t more)
{
    if (buf->failed)
        return NULL;
    if (more >= buf->capacity - buf->size) {
        if (more >= SIZE_MAX - buf->size || !grow(buf, buf->size + more + 1)) {
            buf->failed = true;
            return NULL;
        }
    }
    return buf->data + buf->size;
}

void pu_buf_add(struct pu_buf *buf, const void *bytes, size_t size)
{
    char *to = pu_buf_room(buf, size);

    if (to && size > 0) {
        memcpy(to, bytes, size);
        buf->size += size;
    }
}

void pu_buf_add_char(struct pu_buf *buf, char byte)
{
    pu_buf_add(buf, &byte, 1);
}

void pu_buf_add_text(struct pu_buf *buf, const char *text)
{
    pu_buf_add(buf, text, strlen(text));
}

void pu_buf_printf(struct pu_buf *buf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int size = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *to = size < 0 ? NULL : pu_buf_room(buf, (size_t)size);
    if (!to)
        return;
    va_start(args, fmt);
    vsnprintf(to, (size_t)size + 1, fmt, args);
    va_end(args);
    buf->size += (size_t)size;
}

const char *pu_buf_text(struct pu_buf *buf)
{
    if (!buf->data && !pu_buf_room(buf, 0))
        return "";
    buf->data[buf->size] = '\0';
    return buf->data;
}

void pu_buf_free(struct pu_buf *buf)
{
    free(buf->data);
    memset(buf, 0, sizeof(*buf));
}
