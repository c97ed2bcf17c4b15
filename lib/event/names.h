/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of metrics that come from elsewhere than the arrays: from a name space, from an archive's
 * descriptors, from the context that libpcp is in.
 */
#ifndef PU_EVENT_NAMES_H
#define PU_EVENT_NAMES_H

#include "base/table.h"
#include "event/catalog.h"
#include "event/select.h"
#include "pcp/names.h"

/* Lets a catalog ask libpcp for the name of a metric that it does not know. */
void pu_event_names_ask(struct pu_event_catalog *catalog);

/* The metrics that are selected by a name which only libpcp knows become known to the catalog. */
void pu_event_names_add(struct pu_event_catalog *catalog,
                        const struct pu_event_selection *selection);

/* PMIDs of names. Start from zeros; release with pu_event_names_free(). */
struct pu_event_names {
    struct pu_table known;
    bool asks; /* libpcp, for those that are not known */
};

/* All names that a catalog has. Errors: PU_E_SYSTEM (ENOMEM). */
int pu_event_names_take(struct pu_event_names *names, const struct pu_event_catalog *catalog,
                        struct pu_err *err) PU_MUST_CHECK;

/* False: there is no such metric. `names` is a struct pu_event_names. */
bool pu_event_names_find(void *names, struct pu_span name, uint32_t *pmid) PU_MUST_CHECK;
void pu_event_names_free(struct pu_event_names *names);

#endif
