/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files. They are read, never mapped: a writer that truncates a mapped file kills its readers.
 */
#ifndef PU_BASE_IO_H
#define PU_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"

/* What a file held at one moment. Start from zeros; release with pu_blob_free(). */
struct pu_blob {
    unsigned char *data; /* owned */
    size_t size;
    uint64_t device; /* which file it was: st_dev and st_ino */
    uint64_t inode;
    bool regular; /* a file that can be read again, not a stream */
};

static inline struct pu_span pu_blob_span(const struct pu_blob *blob)
{
    return (struct pu_span){blob->data, blob->size};
}

/*
 * Reads a regular file, pipe or socket to its end; "-" is standard input. Never waits for a pipe
 * that nobody writes to. `magic` (may be empty) is what the first bytes must be for more than the
 * first 64 KiB to be read; the caller checks it anyway. Errors: PU_E_SYSTEM; PU_E_LIMIT when there
 * are more than `max` bytes.
 */
int pu_io_read(const char *path, struct pu_span magic, uint64_t max, struct pu_blob *blob,
               struct pu_err *err) PU_MUST_CHECK;
/* The same for a file that is open, from where it stands. */
int pu_io_read_fd(int fd, struct pu_span magic, uint64_t max, struct pu_blob *blob,
                  struct pu_err *err) PU_MUST_CHECK;
void pu_blob_free(struct pu_blob *blob);

/* For PU_CLEANUP: closes what is open, that is 0 or more. */
void pu_io_close(int *fd);
/* One read, which waits until there is something: bytes, 0 at the end, -1 with errno. */
ssize_t pu_io_read_some(int fd, void *to, size_t size) PU_MUST_CHECK;

/* The first bytes of a regular file, at most `size`: how many, or -1 if there are none. */
ssize_t pu_io_peek(const char *path, void *to, size_t size);

/* Owned path strings. Start from zeros; release with pu_paths_free(). */
struct pu_paths {
    char **items;
    size_t count;
};

/* A copy of `path` at the end. Errors: PU_E_SYSTEM (ENOMEM). */
int pu_paths_add(struct pu_paths *paths, const char *path, struct pu_err *err) PU_MUST_CHECK;
void pu_paths_free(struct pu_paths *paths);

/*
 * Adds DIRECTORY/NAME for each regular file (or link to one) that has no leading dot in its name,
 * sorted bytewise. Errors: PU_E_SYSTEM.
 */
int pu_io_list(const char *directory, struct pu_paths *paths, struct pu_err *err) PU_MUST_CHECK;
bool pu_io_is_directory(const char *path);

#endif
