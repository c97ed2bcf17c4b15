/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing files so that nobody ever sees half of one, and looking who is using a file.
 */
#ifndef PU_BASE_REPLACE_H
#define PU_BASE_REPLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/span.h"

/*
 * Makes `path` a file of these bytes: they are written to a file beside it whose name begins with a
 * dot, brought to disk and given the name. Killed at any moment it leaves the old file or the new
 * one, whole, and perhaps the one with the dot. Without `overwrite` a file that is there already is
 * an error, EEXIST; with it, one that is not a regular file or a link to one. `mode` is not subject
 * to the umask. Errors: PU_E_SYSTEM.
 */
int pu_replace(const char *path, struct pu_span bytes, mode_t mode, bool overwrite,
               struct pu_err *err) PU_MUST_CHECK;

/* The same in place of a file that is there, with the mode and owner that `old` has. */
int pu_replace_like(const char *path, struct pu_span bytes, const struct stat *old,
                    struct pu_err *err) PU_MUST_CHECK;

/*
 * The process id of one that has the file at `path` mapped to write to it, or 0 when there is none
 * that this user may look at. Readers, which PCP's agent is one of, do not count: they notice when
 * the file is another one.
 */
pid_t pu_mapped_by(const char *path);

#endif
