/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines from a file descriptor, read in blocks, in a constant amount of memory:
 *
 *   while ((got = pu_lines_fill(&lines, &err)) > 0)
 *       while (pu_lines_take(&lines, &line))
 *           ...
 *
 * All lines that are there are taken before the next read, which may wait for long.
 */
#ifndef PU_BASE_LINES_H
#define PU_BASE_LINES_H

#include "base/err.h"
#include "base/span.h"

#define PU_LINES_MAX 65536 /* bytes of the longest line, with its line feed */

struct pu_lines {
    int fd;
    uint64_t number; /* of the line taken last, from 1 */
    bool too_long;   /* that line had more than PU_LINES_MAX bytes, and is empty now */
    bool skipping;   /* inside of such a line */
    bool ended;
    size_t start, end; /* what has been read and not been taken */
    char buffer[PU_LINES_MAX + 1];
};

void pu_lines_begin(struct pu_lines *lines, int fd);

/* Reads once: 1 when it got something, 0 at the end, -1 with an error (PU_E_SYSTEM). */
int pu_lines_fill(struct pu_lines *lines, struct pu_err *err) PU_MUST_CHECK;

/*
 * The next line, without its line feed: in its place there is a NUL. It may hold others. It stays
 * until the next read, and is the caller's to write to. False when the next one is not all there.
 */
bool pu_lines_take(struct pu_lines *lines, struct pu_span *line) PU_MUST_CHECK;

#endif
