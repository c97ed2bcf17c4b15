/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An MMV file that is in use, to change values in. It is taken apart as a copy, as any other, so
 * that nothing can change under the reader; what is to be changed is changed in a mapping.
 *
 * Whether the file is still the one that was taken apart can be asked at any time: its generations
 * for each change, its name now and then. Changes never go into a file that is being rewritten, and
 * a file that took the place of another is taken apart anew.
 */
#ifndef PU_MMV_LIVE_H
#define PU_MMV_LIVE_H

#include "base/mapping.h"
#include "base/table.h"
#include "mmv/load.h"
#include "mmv/poke.h"

/* Values that one spelling means, in the list of those found. */
struct pu_mmv_run {
    size_t first, count;
};

struct pu_mmv_live {
    const char *path; /* borrowed */
    bool rehearsal;   /* nothing is changed but the copy, and the file is looked at once */
    bool ready;       /* `file` and all below are there */
    struct pu_mmv_file file;
    struct pu_mapping mapping; /* empty in a rehearsal */
    struct pu_mmv_targets targets;
    struct pu_table spelled; /* by how a target is spelled: the number of its run */
    struct pu_mmv_run *runs; /* owned; by that number */
    size_t run_capacity;
    struct pu_mmv_found found;
    int64_t patience; /* what is left of it, for a file that cannot be used now */
};

/* Starts; nothing is read yet. Release with pu_mmv_live_close(). */
void pu_mmv_live_begin(struct pu_mmv_live *live, const char *path, bool rehearsal);
void pu_mmv_live_close(struct pu_mmv_live *live);

/*
 * Looks whether what is at the path has been taken apart as it is now, and does that if not. A file
 * that is being rewritten, or has just gone, is waited for a little. Errors: PU_E_SYSTEM,
 * PU_E_LIMIT and PU_E_REFUSED for what cannot be changed; PU_E_DAMAGED for what is not whole.
 */
int pu_mmv_live_refresh(struct pu_mmv_live *live, struct pu_err *err) PU_MUST_CHECK;

/* The same, faster, without a look at the path. */
int pu_mmv_live_settle(struct pu_mmv_live *live, struct pu_err *err) PU_MUST_CHECK;

/*
 * The values that a target means, `*count` of them; they stay until the next look-up or refresh.
 * The second look-up of the same spelling costs a hash. Errors: those of pu_selector_parse() and
 * pu_mmv_targets_find().
 */
int pu_mmv_live_find(struct pu_mmv_live *live, struct pu_span spelling,
                     const struct pu_mmv_target **found, size_t *count,
                     struct pu_err *err) PU_MUST_CHECK;

/*
 * Changes a value, and the copy with it. `text` has a NUL behind it. Errors, with nothing changed:
 * PU_E_REFUSED; PU_E_SYSTEM when there is no telling because the file was cut.
 */
int pu_mmv_live_poke(struct pu_mmv_live *live, const struct pu_mmv_target *target, bool add,
                     struct pu_span text, struct pu_err *err) PU_MUST_CHECK;

#endif
