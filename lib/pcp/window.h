/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time windows, as all of PCP's tools take them: PCPIntro(1). */
#ifndef PU_PCP_WINDOW_H
#define PU_PCP_WINDOW_H

#include <stdint.h>

#include "base/err.h"

/* Arguments of options; NULL: not given. */
struct pu_pcp_times {
    const char *start;  /* -S */
    const char *finish; /* -T */
    const char *align;  /* -A */
    const char *origin; /* -O */
};

/*
 * What they mean for something that goes from `first` to `last`: it is wanted from *from to *to,
 * INT64_MIN and INT64_MAX where nothing bounds it. All in nanoseconds since 1970. Errors:
 * PU_E_SYNTAX.
 */
int pu_pcp_window(const struct pu_pcp_times *times, int64_t first, int64_t last, int64_t *from,
                  int64_t *to, struct pu_err *err) PU_MUST_CHECK;

#endif
