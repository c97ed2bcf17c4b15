/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_READ   65536
#define LARGE_BUFFER (8u << 20)

void pu_io_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static int open_for_reading(const char *path, struct pu_err *err)
{
    /* Without O_NONBLOCK a named pipe that nobody writes to would hold us for ever. */
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                    : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    return fd >= 0 ? fd : pu_err_system(err, errno, "cannot open");
}

ssize_t pu_io_read_some(int fd, void *to, size_t size)
{
    for (;;) {
        ssize_t got = read(fd, to, size);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        if (errno == EAGAIN)
            (void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
    }
}

/* Touching a large buffer for the first time costs more than reading it, unless pages are large. */
static void prefer_large_pages(unsigned char *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t lead = page - (uintptr_t)data % page;

    if (size >= LARGE_BUFFER)
        (void)madvise(data + lead, size - lead, MADV_HUGEPAGE);
}

static int resize(struct pu_blob *blob, size_t size, struct pu_err *err)
{
    unsigned char *data = realloc(blob->data, size ? size : 1);

    if (!data)
        return pu_err_system(err, ENOMEM, "cannot read %zu bytes", size);
    blob->data = data;
    prefer_large_pages(data, size);
    return 0;
}

/* Reads until `size` bytes are there or the input ends. Returns 1 at the end of the input. */
static int fill(int fd, struct pu_blob *blob, size_t size, struct pu_err *err)
{
    while (blob->size < size) {
        ssize_t got = pu_io_read_some(fd, blob->data + blob->size, size - blob->size);
        if (got < 0)
            return pu_err_system(err, errno, "cannot read");
        if (got == 0)
            return 1;
        blob->size += (size_t)got;
    }
    return 0;
}

static bool starts_with(const struct pu_blob *blob, struct pu_span magic)
{
    return pu_span_equal(pu_span_clip(pu_blob_span(blob), 0, magic.size), magic);
}

static int too_large(uint64_t max, struct pu_err *err)
{
    return pu_err_set(err, PU_E_LIMIT, "larger than %llu bytes", (unsigned long long)max);
}

/* The rest, of which there are `expected` bytes if that is known, with at most `max` in all. */
static int read_rest(int fd, uint64_t expected, uint64_t max, struct pu_blob *blob,
                     struct pu_err *err)
{
    size_t capacity = expected > blob->size ? (size_t)expected : blob->size * 2;

    for (;;) {
        if (capacity > max)
            capacity = (size_t)max + 1;
        if (resize(blob, capacity, err) < 0)
            return -1;
        int end = fill(fd, blob, capacity, err);
        if (end != 0)
            return end < 0 ? -1 : 0;
        if (blob->size > max)
            return too_large(max, err);
        if (expected > 0)
            return 0; /* what a growing file gains while we read is for the next time */
        capacity *= 2;
    }
}

int pu_io_read_fd(int fd, struct pu_span magic, uint64_t max, struct pu_blob *blob,
                  struct pu_err *err)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return pu_err_system(err, errno, "cannot read");
    if (S_ISDIR(status.st_mode))
        return pu_err_system(err, EISDIR, "cannot read");
    if (S_ISBLK(status.st_mode))
        return pu_err_set(err, PU_E_SYSTEM, "cannot read: a block device");
    blob->device = status.st_dev;
    blob->inode = status.st_ino;
    blob->regular = S_ISREG(status.st_mode);
    uint64_t expected = blob->regular ? (uint64_t)status.st_size : 0;
    if (resize(blob, FIRST_READ, err) < 0)
        return -1;
    int end = fill(fd, blob, FIRST_READ, err);
    if (end != 0)
        return end < 0 ? -1 : 0;
    if (!starts_with(blob, magic))
        return 0;
    if (expected > max)
        return too_large(max, err);
    return read_rest(fd, expected, max, blob, err);
}

int pu_io_read(const char *path, struct pu_span magic, uint64_t max, struct pu_blob *blob,
               struct pu_err *err)
{
    PU_CLEANUP(pu_io_close) int fd = open_for_reading(path, err);

    if (fd < 0)
        return -1;
    return pu_io_read_fd(fd, magic, max, blob, err);
}

ssize_t pu_io_peek(const char *path, void *to, size_t size)
{
    struct pu_err err;
    struct stat status;
    PU_CLEANUP(pu_io_close) int fd = strcmp(path, "-") == 0 ? -1 : open_for_reading(path, &err);

    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return -1;
    return pread(fd, to, size, 0);
}

void pu_blob_free(struct pu_blob *blob)
{
    free(blob->data);
    memset(blob, 0, sizeof(*blob));
}

int pu_paths_add(struct pu_paths *paths, const char *path, struct pu_err *err)
{
    char *copy = strdup(path);
    char **items = reallocarray(paths->items, paths->count + 1, sizeof(*items));

    if (items)
        paths->items = items;
    if (!copy || !items) {
        free(copy);
        return pu_err_system(err, ENOMEM, "cannot list files");
    }
    paths->items[paths->count++] = copy;
    return 0;
}

void pu_paths_free(struct pu_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
    memset(paths, 0, sizeof(*paths));
}

static void close_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static int add_entry(DIR *directory, const char *path, const char *name, struct pu_paths *paths,
                     struct pu_err *err)
{
    struct stat status;
    char *full = NULL;

    if (name[0] == '.')
        return 0;
    /* A link that leads nowhere, or a file that has just gone, is not there. */
    if (fstatat(dirfd(directory), name, &status, 0) < 0 || !S_ISREG(status.st_mode))
        return 0;
    const char *slash = path[0] && path[strlen(path) - 1] == '/' ? "" : "/";
    if (asprintf(&full, "%s%s%s", path, slash, name) < 0)
        return pu_err_system(err, ENOMEM, "cannot list files");
    int result = pu_paths_add(paths, full, err);
    free(full);
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int pu_io_list(const char *path, struct pu_paths *paths, struct pu_err *err)
{
    PU_CLEANUP(close_directory) DIR *directory = opendir(path);
    size_t first = paths->count;
    struct dirent *entry;

    if (!directory)
        return pu_err_system(err, errno, "cannot open");
    while (errno = 0, (entry = readdir(directory))) {
        if (add_entry(directory, path, entry->d_name, paths, err) < 0)
            return -1;
    }
    if (errno != 0)
        return pu_err_system(err, errno, "cannot read");
    if (paths->count > first)
        qsort(paths->items + first, paths->count - first, sizeof(*paths->items), by_name);
    return 0;
}

bool pu_io_is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
