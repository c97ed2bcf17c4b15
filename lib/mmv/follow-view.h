/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watching files: each look at one shows what has changed since the look before. A file may be
 * replaced, rewritten, go and come back; each is one record {time, file, event}, and a file that is
 * new is shown whole.
 */
#ifndef PU_MMV_FOLLOW_VIEW_H
#define PU_MMV_FOLLOW_VIEW_H

#include "mmv/load.h"
#include "mmv/view.h"

struct pu_mmv_follower {
    char *path;              /* owned */
    bool listed;             /* it was added since the last pu_mmv_followers_prune() */
    bool seen;               /* it could be read at least once */
    bool present;            /* `file` holds it as of `time` */
    bool fresh;              /* the damage that the last look found is news */
    bool failed;             /* the last look could not read it, and `err` is news */
    bool told;               /* that it cannot be read */
    struct pu_mmv_file file; /* owned */
    int64_t time;            /* of how->now */
    int64_t clock;           /* pu_time_clock() when the file was read */
    struct pu_err err;
};

/* Those that are watched. Start from zeros; release with pu_mmv_followers_free(). */
struct pu_mmv_followers {
    struct pu_mmv_follower *items; /* owned */
    size_t count;
};

struct pu_mmv_follow {
    const struct pu_selector *selectors;
    size_t selector_count;
    bool *matched;     /* as of struct pu_mmv_view */
    bool rates;        /* counters as change per second */
    bool show_path;    /* in text */
    bool first;        /* the first look of all: files that are there are no event */
    int64_t *patience; /* as of pu_mmv_load() */
    int64_t now;       /* for running intervals and the time shown; nanoseconds since 1970 */
};

/* Watches `path` too, if it is not watched yet. Errors: PU_E_SYSTEM (ENOMEM). */
int pu_mmv_followers_add(struct pu_mmv_followers *followers, const char *path,
                         struct pu_err *err) PU_MUST_CHECK;

/* Forgets the files that have gone and were not added again. */
void pu_mmv_followers_prune(struct pu_mmv_followers *followers);

/* One look. Errors, of ours and not of the file: PU_E_SYSTEM (ENOMEM). */
int pu_mmv_follow_view(struct pu_out *out, struct pu_mmv_follower *follower,
                       const struct pu_mmv_follow *how, struct pu_err *err) PU_MUST_CHECK;

void pu_mmv_followers_free(struct pu_mmv_followers *followers);

#endif
