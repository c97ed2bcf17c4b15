/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory of one experiment, founder or sub-experiment. Nothing in it is followed out of it:
 * files are opened through the directory, and a link is never opened.
 */
#ifndef PU_EXPERIMENT_DIR_H
#define PU_EXPERIMENT_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/io.h"
#include "experiment/name.h"

enum pu_exp_type { PU_EXP_FILE, PU_EXP_DIRECTORY, PU_EXP_LINK, PU_EXP_SPECIAL };

/* What a file is for, by its name. */
enum pu_exp_role {
    PU_EXP_OTHER,
    PU_EXP_LOG,
    PU_EXP_MAP,
    PU_EXP_OVERVIEW,
    PU_EXP_FRAMES,
    PU_EXP_DATA, /* packets; other names become one when the log declares them */
    PU_EXP_DYNTEXT,
    PU_EXP_CLASSES,
    PU_EXP_NOTES,
    PU_EXP_LABELS,
    PU_EXP_WARNINGS,
    PU_EXP_ARCHIVE_LOG,
    PU_EXP_MPI,     /* of kinds that are listed and not decoded */
    PU_EXP_COUNTS,  /* likewise */
    PU_EXP_ARCHIVES /* the directory */
};

const char *pu_exp_role_word(enum pu_exp_role role);

struct pu_exp_entry {
    char *name; /* owned */
    enum pu_exp_type type;
    enum pu_exp_role role;
    uint64_t size;  /* bytes; 0 for what is no file */
    uint64_t disk;  /* bytes in use on the disk */
    int64_t mtime;  /* nanoseconds since 1970 */
    int unreadable; /* errno, if it cannot even be looked at */
};

/* Start from zeros with fd -1; release with pu_exp_dir_free(). */
struct pu_exp_dir {
    char *path; /* owned; as the user gave it, or FOUNDER/NAME */
    char *name; /* the last component, in `path` */
    enum pu_exp_kind kind;
    int fd;
    struct pu_exp_entry *entries; /* owned; in natural order */
    size_t count;
};

/* Errors: PU_E_SYSTEM. */
int pu_exp_dir_open(const char *path, struct pu_exp_dir *dir, struct pu_err *err) PU_MUST_CHECK;
/* A directory inside: a link is refused with ELOOP. */
int pu_exp_dir_open_member(const struct pu_exp_dir *founder, const char *name,
                           struct pu_exp_dir *dir, struct pu_err *err) PU_MUST_CHECK;
void pu_exp_dir_free(struct pu_exp_dir *dir);

/* The entry of that name, or NULL. */
const struct pu_exp_entry *pu_exp_dir_find(const struct pu_exp_dir *dir, const char *name);

/* Is it a sub-experiment: a directory, or a link in place of one, by the name of an experiment? */
bool pu_exp_entry_is_member(const struct pu_exp_entry *entry);

/* A descriptor of a regular file; never waits, never follows a link. Errors: PU_E_SYSTEM. */
int pu_exp_dir_open_file(const struct pu_exp_dir *dir, const char *name,
                         struct pu_err *err) PU_MUST_CHECK;

/* All of a file, at most `max` bytes. Errors: PU_E_SYSTEM, PU_E_LIMIT. */
int pu_exp_dir_read(const struct pu_exp_dir *dir, const char *name, uint64_t max,
                    struct pu_blob *blob, struct pu_err *err) PU_MUST_CHECK;

#endif
