/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/pmcd.h"

#include <string.h>

#include "pcp/compat.h"

_Static_assert(PU_PMCD_TIMEOUT == PM_ERR_TIMEOUT && PU_PMCD_DENIED == PM_ERR_PERMISSION,
               "PCP's numbers are others");

int pu_pmcd_open(const char *host, int *context, struct pu_err *err)
{
    char text[PM_MAXERRMSGLEN];
    int code = pmNewContext(PM_CONTEXT_HOST, host);

    if (code < 0) {
        pu_err_set(err, PU_E_PMAPI, "cannot connect: %s", pmErrStr_r(code, text, sizeof(text)));
        err->status = code;
        return -1;
    }
    *context = code;
    return 0;
}

bool pu_pmcd_is_local(const char *connection)
{
    return strncmp(connection, "local:", 6) == 0 || strncmp(connection, "unix:", 5) == 0 ||
           strcmp(connection, "localhost") == 0;
}
