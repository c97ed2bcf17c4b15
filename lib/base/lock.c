/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* Between two tries to lock. */
#define PAUSE INT64_C(5000000)
#define TRIES (PU_LOCK_PATIENCE * INT64_C(1000000000) / PAUSE)

/* Neither waits for a pipe's other end, nor at the lock for ever. */
static int open_file(const char *path, struct pu_lock *lock, struct pu_err *err)
{
    lock->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (lock->fd < 0)
        return pu_err_system(err, errno, "cannot open for writing");
    if (fstat(lock->fd, &lock->was) < 0)
        return pu_err_system(err, errno, "cannot read");
    if (!S_ISREG(lock->was.st_mode))
        return pu_err_set(err, PU_E_SYSTEM, "it is not a regular file");
    return 0;
}

static int lock_file(struct pu_lock *lock, int64_t *tries, struct pu_err *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE};

    while (flock(lock->fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return pu_err_system(err, errno, "cannot lock");
        if (--*tries < 0)
            return pu_err_set(err, PU_E_SYSTEM, "another process has kept it locked for %d seconds",
                              PU_LOCK_PATIENCE);
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* Looks at the file anew: it may have changed while we waited. */
static bool has_name(const char *path, struct pu_lock *lock)
{
    struct stat named;

    return fstat(lock->fd, &lock->was) == 0 && stat(path, &named) == 0 &&
           named.st_dev == lock->was.st_dev && named.st_ino == lock->was.st_ino;
}

int pu_lock_take(const char *path, struct pu_lock *lock, struct pu_err *err)
{
    int64_t tries = TRIES;

    for (;;) {
        if (open_file(path, lock, err) < 0 || lock_file(lock, &tries, err) < 0)
            return -1;
        if (has_name(path, lock))
            return 0;
        pu_lock_release(lock);
        if (--tries < 0)
            return pu_err_set(err, PU_E_SYSTEM, "it is replaced again and again");
    }
}

void pu_lock_release(struct pu_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}
