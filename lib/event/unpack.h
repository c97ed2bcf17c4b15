/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a packed event array where it lies, one record and one parameter after the other; nothing
 * is allocated, every length is tested before use. It refuses all that PCP's own readers trust
 * (pmUnpackEventRecords(3)): a fault says what, and stays for good.
 */
#ifndef PU_EVENT_UNPACK_H
#define PU_EVENT_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"
#include "event/format.h"

/* What makes an array unreadable, in the order in which it is looked for. */
enum pu_event_fault {
    PU_EVENT_SOUND,
    PU_EVENT_SHORT,          /* E01: less than a header, or a length below 8 */
    PU_EVENT_KIND,           /* E02: neither type, or not that of the metric */
    PU_EVENT_LENGTH,         /* E03: longer than the data */
    PU_EVENT_RECORDS,        /* E04: less than 0 records */
    PU_EVENT_RECORD_OVERRUN, /* E05 */
    PU_EVENT_MISSED_FLAGS,   /* E06: MISSED and other flags */
    PU_EVENT_MISSED_COUNT,   /* E07: less than 0 missed; for checkers: the reader takes it */
    PU_EVENT_PARAMS,         /* E08: less than 0 parameters */
    PU_EVENT_PARAM_OVERRUN,  /* E09 */
    PU_EVENT_PARAM_TYPE,     /* E10 */
    PU_EVENT_PARAM_LENGTH,   /* E11: impossible for the type */
    PU_EVENT_TRAILING,       /* E12: bytes behind the last record */
};

struct pu_event_reader {
    struct pu_cursor in; /* of the array alone; `at` is where the reader is */
    enum pu_event_kind kind;
    uint32_t record_count; /* as the header has it */
    uint32_t record;       /* number of records read */
    uint32_t params;       /* parameters of the record that are yet to come */
    uint32_t param;        /* number of those that were read */
    enum pu_event_fault fault;
};

/* `fraction` is of the array's kind, and may be any number, as seconds may. */
struct pu_event_record {
    int64_t seconds;
    int64_t fraction;
    uint32_t flags;
    uint32_t count;  /* parameters; or missed events, then an int32_t of any value */
    uint32_t offset; /* in the array */
};

struct pu_event_param {
    uint32_t pmid;
    uint32_t type; /* enum pu_event_type */
    struct pu_span value;
    uint32_t offset; /* in the array */
    enum pu_order order;
};

static inline bool pu_event_is_missed(const struct pu_event_record *record)
{
    return record->flags & PU_EVENT_MISSED;
}

/* Has the first word one of the two types, read in this order? */
bool pu_event_is_array(struct pu_span bytes, enum pu_order order);

/*
 * The order in which that is so; a length that is a multiple of 4 cannot be mistaken for a type.
 * The host's if neither is.
 */
enum pu_order pu_event_order(struct pu_span bytes);

/* The length that the header tells, whether the bytes are there or not; 0 without a header. */
uint32_t pu_event_length(struct pu_span bytes, enum pu_order order);

/*
 * Begins with the array at the start of `bytes`, of the kind `kind` or, if that is 0, of any kind.
 * This and the next two return -1 at a fault, with an error PU_E_DAMAGED whose offset counts from
 * the start of the array and whose place is as in record[3].param[0]. After a fault they fail again
 * and leave the error as it is.
 */
int pu_event_begin(struct pu_event_reader *reader, struct pu_span bytes, enum pu_order order,
                   uint32_t kind, struct pu_err *err) PU_MUST_CHECK;

/*
 * The next record: 1, or 0 at the end. Parameters of the one before that were not asked for are
 * read over, and must be as they should.
 */
int pu_event_next(struct pu_event_reader *reader, struct pu_event_record *record,
                  struct pu_err *err) PU_MUST_CHECK;

/* The next parameter of the record: 1, or 0 when it has no more. */
int pu_event_next_param(struct pu_event_reader *reader, struct pu_event_param *param,
                        struct pu_err *err) PU_MUST_CHECK;

/* Numbers, in the host's order. The type must be one of that size. */
uint32_t pu_event_u32(const struct pu_event_param *param);
uint64_t pu_event_u64(const struct pu_event_param *param);

#endif
