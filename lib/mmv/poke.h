/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changing one value in place, from text. What the words mean is in mmvset(1). Nothing but the
 * value changes: sixteen bytes of its record at most, and its string slot.
 *
 * Numbers change at once for every reader, and an addition loses nothing that another atomic writer
 * adds; libpcp_mmv is none. Texts, and the two numbers of ELAPSED, change piece by piece.
 */
#ifndef PU_MMV_POKE_H
#define PU_MMV_POKE_H

#include "mmv/target.h"

struct pu_mmv_poke {
    bool add;            /* to what is there */
    struct pu_span text; /* the new value, or the addend; a NUL stands behind it */
    bool sentinel;       /* the file has that flag */
};

/* What a record says after the change; `extra` is of use for ELAPSED only. */
struct pu_mmv_words {
    uint64_t raw;
    int64_t extra;
};

/*
 * `bytes` is the file, mapped or a copy, from which the target was found. Errors, with nothing
 * changed: PU_E_REFUSED.
 */
int pu_mmv_poke(unsigned char *bytes, const struct pu_mmv_target *target,
                const struct pu_mmv_poke *poke, struct pu_mmv_words *after,
                struct pu_err *err) PU_MUST_CHECK;

#endif
