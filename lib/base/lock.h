/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Editing a file one after the other: whoever edits takes flock(2) on it first. A file may have
 * been replaced while one waited; the lock is then on one without a name, and taken again.
 */
#ifndef PU_BASE_LOCK_H
#define PU_BASE_LOCK_H

#include <sys/stat.h>

#include "base/attr.h"
#include "base/err.h"

#define PU_LOCK_PATIENCE 10 /* seconds */

struct pu_lock {
    int fd;          /* owned; open for reading and writing */
    struct stat was; /* of the file when it was locked */
};

/*
 * Locks the regular file that `path` is the name of. Errors: PU_E_SYSTEM; one of them is that
 * another process keeps the lock for PU_LOCK_PATIENCE. Release with pu_lock_release() in any case.
 */
int pu_lock_take(const char *path, struct pu_lock *lock, struct pu_err *err) PU_MUST_CHECK;
void pu_lock_release(struct pu_lock *lock);

#endif
