/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of programs and libraries in the founder's archives/, against what map.xml asks for. A
 * copy is called NAME_H, a digest of Studio 12.3 and before NAME.H, where H stands for the
 * directory the file was in: its CRC-64 (polynomial 0x807, most significant bit first, with the
 * slash at its end) in eleven digits of six bits, lowest first. Checked against every archive seen.
 */
#ifndef PU_EXPERIMENT_ARCHIVES_H
#define PU_EXPERIMENT_ARCHIVES_H

#include "experiment/experiment.h"

#define PU_ARCHIVE_HASH 11 /* digits */

enum pu_archive_status {
    PU_ARCHIVE_PRESENT,
    PU_ARCHIVE_DIGEST, /* present, as records of symbols only */
    PU_ARCHIVE_LINKED, /* a link to a common archive, which is there; not looked into */
    PU_ARCHIVE_MISSING,
    PU_ARCHIVE_DANGLING,   /* a link that leads nowhere */
    PU_ARCHIVE_TRUNCATED,  /* it ends before its own headers say */
    PU_ARCHIVE_WRONG,      /* not the kind of file, or not the one that was mapped */
    PU_ARCHIVE_NEWER,      /* changed after the run began */
    PU_ARCHIVE_NOT_NEEDED, /* no mapping asks for it */
};

struct pu_archive {
    enum pu_archive_status status;
    const char *path;   /* as it was mapped; "" when not needed */
    const char *name;   /* in archives/; "" when missing */
    const char *wanted; /* the name that a copy would have */
    uint64_t size;
    int64_t mtime;
};

/* Start from zeros; release with pu_archives_free(). */
struct pu_archives {
    struct pu_arena strings;
    struct pu_archive *items; /* owned; needed ones by path, then the others */
    size_t count;
    size_t room;
    struct pu_map_record *needed; /* owned: segments; `name` in `strings` */
    size_t needed_count;
    size_t needed_room;
};

/* The eleven digits for the directory part of a path, with a NUL. */
void pu_archive_hash(struct pu_span directory, char to[PU_ARCHIVE_HASH + 1]);

/* The name of a copy ('_') or digest ('.') of the file `path`. */
const char *pu_archive_name(struct pu_arena *strings, const char *path, char separator);

/*
 * Adds what the map of an experiment, founder or member, asks for. What is wrong with the map is
 * reported. Errors: PU_E_SYSTEM when memory runs out.
 */
int pu_archives_need(struct pu_archives *archives, const struct pu_exp *exp, struct pu_judge *judge,
                     struct pu_err *err) PU_MUST_CHECK;

/* Compares with the founder's archives/. Errors as above, or when they cannot be read. */
int pu_archives_compare(struct pu_archives *archives, const struct pu_exp *founder,
                        struct pu_err *err) PU_MUST_CHECK;
void pu_archives_free(struct pu_archives *archives);

const char *pu_archive_status_word(enum pu_archive_status status);

/* Is it needed and not to be had from here? */
bool pu_archive_is_bad(const struct pu_archive *archive);

#endif
