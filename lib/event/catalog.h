/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is known of metrics and instances beside the arrays: names, types, instance domains. Filled
 * from an archive's metadata, or by asking as questions come.
 */
#ifndef PU_EVENT_CATALOG_H
#define PU_EVENT_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define PU_EVENT_NO_INDOM UINT32_MAX

/* Stays where it is as long as its catalog. */
struct pu_event_metric {
    uint32_t pmid;
    int32_t type; /* enum pu_event_type, enum pu_event_kind; below 0: not known */
    uint32_t indom;
    struct pu_span name;  /* the first; empty = not known */
    struct pu_span names; /* all, each with a NUL behind it */
};

struct pu_event_instance {
    uint32_t indom;
    int32_t id;
    int64_t from;        /* when it got this name, nanoseconds since 1970 */
    struct pu_span name; /* owned */
};

/* Start from zeros; release with pu_event_catalog_free(). */
struct pu_event_catalog {
    struct pu_event_metric **slots; /* owned, as what they point to; by a hash of the PMID */
    size_t slot_count;              /* power of 2, or 0 */
    size_t metric_count;
    struct pu_event_instance *instances; /* owned */
    size_t instance_count;
    size_t instance_capacity;
    bool sorted;
    /* Called for a PMID that was never heard of, once; may add it. NULL: nobody to ask. */
    void (*ask)(struct pu_event_catalog *catalog, uint32_t pmid);
    void *context; /* for ask() */
};

/* NULL if nothing is known. */
const struct pu_event_metric *pu_event_catalog_find(struct pu_event_catalog *catalog,
                                                    uint32_t pmid);

/*
 * Copies it, with `names`; the first to come stays. *added (may be NULL) becomes the one in the
 * catalog. Errors: PU_E_SYSTEM (ENOMEM).
 */
int pu_event_catalog_add(struct pu_event_catalog *catalog, const struct pu_event_metric *metric,
                         const struct pu_event_metric **added, struct pu_err *err) PU_MUST_CHECK;

/* The next metric from *at on, in no particular order; NULL at the end. Start with *at = 0. */
const struct pu_event_metric *pu_event_catalog_walk(const struct pu_event_catalog *catalog,
                                                    size_t *at);

/* Errors: PU_E_SYSTEM (ENOMEM). */
int pu_event_catalog_add_instance(struct pu_event_catalog *catalog, uint32_t indom, int32_t id,
                                  int64_t from, struct pu_span name,
                                  struct pu_err *err) PU_MUST_CHECK;

/* The name that an instance had at a time, or had first after it; empty if nothing is known. */
struct pu_span pu_event_catalog_instance(struct pu_event_catalog *catalog, uint32_t indom,
                                         int32_t id, int64_t at);

void pu_event_catalog_free(struct pu_event_catalog *catalog);

/* "29.0.136" and a NUL; "0xffffffff" if the top bit is set. Returns the size without the NUL. */
#define PU_EVENT_PMID_MAX 32
size_t pu_event_pmid_text(char to[PU_EVENT_PMID_MAX], uint32_t pmid);

/* The other way: three numbers from 0 to 511, 4095 and 1023, or 0x and up to 8 small digits. */
bool pu_event_pmid_parse(struct pu_span text, uint32_t *pmid) PU_MUST_CHECK;

/* What a metric is called: its name, or its PMID, written to `pmid`. */
struct pu_span pu_event_metric_label(const struct pu_event_metric *metric,
                                     char pmid[PU_EVENT_PMID_MAX]);

#endif
