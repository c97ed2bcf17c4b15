/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/lines.h"

#include <errno.h>

#include "base/io.h"

void pu_lines_begin(struct pu_lines *lines, int fd)
{
    memset(lines, 0, offsetof(struct pu_lines, buffer));
    lines->fd = fd;
}

/* Room for the next read: what is left goes to the front; of a line that fills all, nothing stays.
 */
static void make_room(struct pu_lines *lines)
{
    size_t left = lines->end - lines->start;

    if (left == PU_LINES_MAX) {
        lines->skipping = true;
        left = 0;
    }
    memmove(lines->buffer, lines->buffer + lines->start, left);
    lines->start = 0;
    lines->end = left;
}

int pu_lines_fill(struct pu_lines *lines, struct pu_err *err)
{
    if (lines->ended)
        return 0;
    make_room(lines);
    ssize_t got = pu_io_read_some(lines->fd, lines->buffer + lines->end, PU_LINES_MAX - lines->end);
    if (got < 0)
        return pu_err_system(err, errno, "cannot read");
    lines->ended = got == 0;
    lines->end += (size_t)got;
    return got > 0 || lines->end > 0 || lines->skipping;
}

bool pu_lines_take(struct pu_lines *lines, struct pu_span *line)
{
    char *start = lines->buffer + lines->start;
    size_t left = lines->end - lines->start;
    char *feed = memchr(start, '\n', left);

    if (!feed && !(lines->ended && (left > 0 || lines->skipping)))
        return false; /* the last line may lack its line feed */
    size_t size = feed ? (size_t)(feed - start) : left;
    lines->start += size + (feed != NULL);
    lines->number++;
    lines->too_long = lines->skipping;
    lines->skipping = false;
    start[size] = '\0';
    *line = (struct pu_span){(const unsigned char *)start, lines->too_long ? 0 : size};
    return true;
}
