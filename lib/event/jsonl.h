/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packs records from JSON lines, which event/view.h writes, into arrays:
 *
 *   {"timestamp":"2023-11-14T22:13:20.123456Z","flags":["start","id"],
 *    "params":[{"pmid":"29.0.130","type":"u64","value":7}]}
 *   {"timestamp":"2023-11-14T22:13:21Z","missed":7}
 *
 * timestamp      a point in time (base/time.h), or timestamp_raw, a list of seconds and fraction
 * type           "event" or "highres_event", of the array
 * flags          names, or numbers of bits; without it "point"
 * params         each with "pmid" or "name", "type" and "value" or "value_b64"; "raw" is a NaN's
 *                bits
 * records: 0     a line for an empty array; what else is in it does not matter
 *
 * Members of other names are for others.
 */
#ifndef PU_EVENT_JSONL_H
#define PU_EVENT_JSONL_H

#include "base/buf.h"
#include "base/err.h"
#include "event/array.h"

struct pu_event_pack {
    struct pu_event_array array; /* owned */
    uint32_t kind;               /* enum pu_event_kind; 0: the first record tells */
    enum pu_order order;
    bool compat;       /* of the array */
    bool truncate;     /* nanoseconds that the us kind cannot hold are cut, not refused */
    uint32_t max;      /* bytes of an array, 0 = PU_EVENT_SIZE_MAX; another one begins behind it */
    struct pu_buf *to; /* borrowed: gets the arrays that are complete */
    uint64_t records;
    /* The PMID of a name; false: it has none. NULL: nobody to ask, and names do not matter. */
    bool (*find)(void *context, struct pu_span name, uint32_t *pmid);
    void *context; /* for find() */
    bool fixed;    /* `kind` was given, by the caller: lines of the other one are taken too */
};

/*
 * Adds the record of one line. Errors: PU_E_SYNTAX with the column and the path of what is wrong
 * (line is 1), PU_E_LIMIT when one record is too large, PU_E_SYSTEM.
 */
int pu_event_pack_line(struct pu_event_pack *pack, struct pu_span line,
                       struct pu_err *err) PU_MUST_CHECK;

/* The last array, an empty one if there were no records. Errors: PU_E_SYSTEM. */
int pu_event_pack_end(struct pu_event_pack *pack, struct pu_err *err) PU_MUST_CHECK;
void pu_event_pack_free(struct pu_event_pack *pack);

#endif
