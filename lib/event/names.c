/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/names.h"

#include <stdlib.h>

static void ask(struct pu_event_catalog *catalog, uint32_t pmid)
{
    struct pu_event_metric metric = {.pmid = pmid, .type = -1, .indom = PU_EVENT_NO_INDOM};
    char *name = pu_pcp_name_of(pmid);
    struct pu_err err;

    if (name)
        metric.names = pu_span_text(name);
    (void)!pu_event_catalog_add(catalog, &metric, NULL, &err);
    free(name);
}

void pu_event_names_ask(struct pu_event_catalog *catalog)
{
    catalog->ask = ask;
}

void pu_event_names_add(struct pu_event_catalog *catalog,
                        const struct pu_event_selection *selection)
{
    uint32_t pmid;

    for (size_t i = 0; i < selection->count; i++) {
        const struct pu_selector *item = &selection->items[i];
        if (!item->glob && pu_pcp_pmid_of(item->metric, &pmid))
            (void)pu_event_catalog_find(catalog, pmid);
    }
}

static int take(struct pu_event_names *names, const struct pu_event_metric *metric,
                struct pu_err *err)
{
    struct pu_span rest = metric->names;

    while (rest.size > 0) {
        struct pu_span name = pu_span_until_nul(rest);
        size_t used = name.size < rest.size ? name.size + 1 : rest.size;
        if (pu_table_find(&names->known, name) == PU_TABLE_NONE &&
            pu_table_add(&names->known, name, metric->pmid, err) < 0)
            return -1;
        rest = (struct pu_span){rest.data + used, rest.size - used};
    }
    return 0;
}

int pu_event_names_take(struct pu_event_names *names, const struct pu_event_catalog *catalog,
                        struct pu_err *err)
{
    const struct pu_event_metric *metric;

    for (size_t at = 0; (metric = pu_event_catalog_walk(catalog, &at));) {
        if (take(names, metric, err) < 0)
            return -1;
    }
    return 0;
}

bool pu_event_names_find(void *names_, struct pu_span name, uint32_t *pmid)
{
    struct pu_event_names *names = names_;
    size_t known = pu_table_find(&names->known, name);
    struct pu_err err;

    if (known == PU_TABLE_NONE && names->asks) {
        char *copy = strndup((const char *)name.data, name.size);
        if (copy && strlen(copy) == name.size && pu_pcp_pmid_of(copy, pmid)) {
            known = *pmid;
            (void)!pu_table_add(&names->known, name, known, &err);
        }
        free(copy);
    }
    *pmid = (uint32_t)known;
    return known != PU_TABLE_NONE;
}

void pu_event_names_free(struct pu_event_names *names)
{
    pu_table_free(&names->known);
}
