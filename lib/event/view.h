/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shows the records of packed event arrays, one a line: as text, as JSON lines, which event/jsonl.h
 * reads back, or, with `rows`, one row a parameter for CSV.
 */
#ifndef PU_EVENT_VIEW_H
#define PU_EVENT_VIEW_H

#include "event/sample.h"
#include "event/unpack.h"
#include "out/field.h"

/* A parameter that a record must have: of this name (a pattern), and of this value if there is one.
 */
struct pu_event_param_filter {
    struct pu_span name; /* of the metric, or its PMID: "29.0.130" */
    bool has_value;
    struct pu_span value; /* a pattern for the value as text shows it, without quotes */
};

#define PU_EVENT_PARAM_FILTERS_MAX 32

/* What of all is shown. Zeros: everything. */
struct pu_event_filter {
    uint32_t flags; /* records with one of these; PU_EVENT_MISSED for missed ones */
    bool no_flags;  /* records without any */
    const struct pu_event_param_filter *params; /* borrowed; each must be met */
    size_t param_count;                         /* at most PU_EVENT_PARAM_FILTERS_MAX */
};

/* Counted over all samples, before any filter. */
struct pu_event_stats {
    uint64_t arrays;
    uint64_t empty; /* arrays without records */
    uint64_t records;
    uint64_t missed_records;
    uint64_t missed; /* events, a count below 0 left out */
    uint64_t params;
    uint64_t unknown; /* parameters without a name */
    uint64_t bad;     /* arrays that could not be read to their end */
};

struct pu_event_view {
    struct pu_out *out;               /* borrowed; NULL: nothing is shown */
    struct pu_event_catalog *catalog; /* borrowed; NULL: nothing is known of metrics */
    struct pu_event_filter filter;
    bool rows;
    bool show_file;  /* there are several */
    bool show_empty; /* arrays without records too */
    struct pu_event_stats stats;
};

/* The columns of rows, for pu_out_to_csv(). */
extern const char *const pu_event_columns[];

/*
 * The records of one array, as far as it can be read: -1 when that is not to its end, with the
 * reader's error, whose offset counts in the file.
 */
int pu_event_view(struct pu_event_view *view, const struct pu_event_sample *sample,
                  struct pu_err *err) PU_MUST_CHECK;

/* All that was counted, as one record. */
void pu_event_put_stats(struct pu_out *out, const struct pu_event_stats *stats);

#endif
