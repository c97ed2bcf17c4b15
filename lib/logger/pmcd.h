/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pmcd that knows the metrics a logger logs. */
#ifndef PU_LOGGER_PMCD_H
#define PU_LOGGER_PMCD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* PMAPI statuses that callers tell apart. */
#define PU_PMCD_TIMEOUT (-12353) /* PM_ERR_TIMEOUT */
#define PU_PMCD_DENIED  (-12387) /* PM_ERR_PERMISSION */

/* A PMAPI context, made the current one. Errors: PU_E_PMAPI. PCP 6 waits for ever for a pmcd that
 * does not answer, here and in all later calls. */
int pu_pmcd_open(const char *host, int *context, struct pu_err *err) PU_MUST_CHECK;

/* Does a logger's connection lead to the pmcd of its own host? "local:", "unix:...", "localhost".
 */
bool pu_pmcd_is_local(const char *connection);

#endif
