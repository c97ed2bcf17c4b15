/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one place that knows how PCP 6 and PCP 7 differ. Code is written against the names that mean
 * nanoseconds in both; PMAPI_VERSION is set by the build below 7.
 */
#ifndef PU_PCP_COMPAT_H
#define PU_PCP_COMPAT_H

#include <pcp/pmapi.h>

/* What pmFetchHighRes() gave. */
static inline void pu_pcp_free_result(pmHighResResult *result)
{
#if PMAPI_VERSION >= 4
    pmFreeResult(result);
#else
    pmFreeHighResResult(result);
#endif
}

#endif
