/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growing bytes. Start from zeros; release with pu_buf_free(). When memory runs out the buffer
 * becomes `failed`, keeps what it had and ignores every later addition: test once, at the end.
 */
#ifndef PU_BASE_BUF_H
#define PU_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/span.h"

struct pu_buf {
    char *data; /* owned; not NUL-terminated: see pu_buf_text() */
    size_t size;
    size_t capacity;
    bool failed;
};

/* Room for `more` bytes behind `size`, or NULL. The caller raises `size` by what it wrote. */
char *pu_buf_room(struct pu_buf *buf, size_t more);
void pu_buf_add(struct pu_buf *buf, const void *bytes, size_t size);
void pu_buf_add_char(struct pu_buf *buf, char byte);
void pu_buf_add_text(struct pu_buf *buf, const char *text);
void pu_buf_printf(struct pu_buf *buf, const char *fmt, ...) PU_PRINTF(2, 3);

/* The contents, with a NUL that `size` does not count; "" when memory ran out at the start. */
const char *pu_buf_text(struct pu_buf *buf);
static inline struct pu_span pu_buf_span(const struct pu_buf *buf)
{
    return (struct pu_span){(const unsigned char *)buf->data, buf->size};
}
void pu_buf_free(struct pu_buf *buf);

#endif
