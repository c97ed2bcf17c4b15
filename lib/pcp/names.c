/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pcp/names.h"

#include "pcp/compat.h"

int pu_pcp_names_load(const char *path, struct pu_err *err)
{
    char reason[PM_MAXERRMSGLEN];
    int status = pmLoadASCIINameSpace(path, 1);

    if (status >= 0)
        return 0;
    pu_err_set(err, PU_E_PMAPI, "cannot read names: %s",
               pmErrStr_r(status, reason, sizeof(reason)));
    err->status = status;
    return -1;
}

char *pu_pcp_name_of(uint32_t pmid)
{
    char *name = NULL;

    return pmid != PM_ID_NULL && pmNameID(pmid, &name) >= 0 ? name : NULL;
}

bool pu_pcp_pmid_of(const char *name, uint32_t *pmid)
{
    pmID found = PM_ID_NULL;

    if (pmLookupName(1, &name, &found) < 0 || found == PM_ID_NULL)
        return false;
    *pmid = found;
    return true;
}
