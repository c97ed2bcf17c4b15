/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pmcd that knows the metrics a logger logs. */
#ifndef PU_LOGGER_PMCD_H
#define PU_LOGGER_PMCD_H

#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* PMAPI statuses that callers tell apart. */
#define PU_PMCD_TIMEOUT (-12353) /* PM_ERR_TIMEOUT */
#define PU_PMCD_DENIED  (-12387) /* PM_ERR_PERMISSION */

/* A PMAPI context, made the current one. Errors: PU_E_PMAPI. PCP 6 waits for ever for a pmcd that
 * does not answer, here and in all later calls. */
int pu_pmcd_open(const char *host, int *context, struct pu_err *err) PU_MUST_CHECK;

/*
 * The host that a specification of PCPIntro(1) leads to, for what is not pmcd: "nas1:44321@gate",
 * "[::1]", "pcps://nas1?container=x". "local:" and "unix:PATH" are "localhost". -1: it names none,
 * or one that is too long.
 */
#define PU_PMCD_HOST_MAX 256
int pu_pmcd_host(const char *spec, char host[PU_PMCD_HOST_MAX]) PU_MUST_CHECK;

/* Where a logger's connection leads to, for one who reached its host by the name `host`. */
#define PU_PMCD_SPEC_MAX (2 * PU_PMCD_HOST_MAX)
enum pu_pmcd_place {
    PU_PMCD_ELSEWHERE, /* to what it says */
    PU_PMCD_THERE,     /* to that host's own pmcd: "local:", "unix:...", "localhost" */
    PU_PMCD_AT,        /* to another pmcd of that host, "localhost:44444": see `spec` */
};
enum pu_pmcd_place pu_pmcd_seen_from(const char *connection, const char *host,
                                     char spec[PU_PMCD_SPEC_MAX]);

#endif
