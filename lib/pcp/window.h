/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time windows, as all of PCP's tools take them: PCPIntro(1). */
#ifndef PU_PCP_WINDOW_H
#define PU_PCP_WINDOW_H

#include <stdint.h>

#include "base/err.h"

/*
 * What -S and -T mean (NULL: not given) for something that goes from `first` to `last`; all in
 * nanoseconds since 1970. Errors: PU_E_SYNTAX.
 */
int pu_pcp_window(const char *start, const char *finish, int64_t first, int64_t last, int64_t *from,
                  int64_t *to, struct pu_err *err) PU_MUST_CHECK;

#endif
