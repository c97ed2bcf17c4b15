/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of metrics and their PMIDs, from a file of them or from the current context: PMAPI(3). */
#ifndef PU_PCP_NAMES_H
#define PU_PCP_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Reads a name space (PMNS(5)), which from then on stands for that of every context, in the whole
 * process. Errors: PU_E_PMAPI.
 */
int pu_pcp_names_load(const char *path, struct pu_err *err) PU_MUST_CHECK;

/* The name of a PMID, to be freed; NULL when it has none. */
char *pu_pcp_name_of(uint32_t pmid);

bool pu_pcp_pmid_of(const char *name, uint32_t *pmid) PU_MUST_CHECK;

#endif
