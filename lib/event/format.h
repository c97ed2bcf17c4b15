/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packed event arrays, bytes as PMDAEVENTARRAY(3) and <pcp/pmapi.h> of PCP 6 and 7 have them:
 *
 *   array      word type<<24 | length of all, int32 number of records
 *   record     us: int32 seconds, int32 microseconds; ns: int64 seconds, int64 nanoseconds;
 *              then uint32 flags, int32 number of parameters, or of events missed
 *   parameter  uint32 PMID, word type<<24 | (4 + bytes of value), value, up to 3 bytes of padding
 *
 * Everything begins at a multiple of 4, 64-bit numbers too. Memory holds an array in the host's
 * byte order, protocol and archives in big-endian order. PMAPI codes stand here as numbers so that
 * the format is known without PCP; test/peer/event-names.c compares them with PCP's.
 */
#ifndef PU_EVENT_FORMAT_H
#define PU_EVENT_FORMAT_H

#include <stdint.h>

#define PU_EVENT_SIZE_MAX UINT32_C(0xffffff) /* the most that a length can say */

/* Which of the two forms; the numbers are PCP's for the metric's type. */
enum pu_event_kind {
    PU_EVENT_US = 9,  /* event: microseconds, 32-bit seconds */
    PU_EVENT_NS = 10, /* highres_event: nanoseconds, 64-bit seconds */
};

enum pu_event_size {
    PU_EVENT_HEADER_SIZE = 8,
    PU_EVENT_US_RECORD_SIZE = 16,
    PU_EVENT_NS_RECORD_SIZE = 24,
    PU_EVENT_PARAM_SIZE = 8,  /* PMID and word */
    PU_EVENT_LENGTH_BIAS = 4, /* what a parameter's length counts beside its value */
};

#define PU_EVENT_POINT  (UINT32_C(1) << 0)
#define PU_EVENT_START  (UINT32_C(1) << 1)
#define PU_EVENT_END    (UINT32_C(1) << 2)
#define PU_EVENT_ID     (UINT32_C(1) << 3)
#define PU_EVENT_PARENT (UINT32_C(1) << 4)
#define PU_EVENT_MISSED (UINT32_C(1) << 31) /* no event: a number of them got lost */
#define PU_EVENT_FLAGS                                                                             \
    (PU_EVENT_POINT | PU_EVENT_START | PU_EVENT_END | PU_EVENT_ID | PU_EVENT_PARENT |              \
     PU_EVENT_MISSED)

/* Types of parameters. The unpacker takes them all, the builder all but the last one. */
enum pu_event_type {
    PU_EVENT_32,
    PU_EVENT_U32,
    PU_EVENT_64,
    PU_EVENT_U64,
    PU_EVENT_FLOAT,
    PU_EVENT_DOUBLE,
    PU_EVENT_STRING, /* without a NUL */
    PU_EVENT_AGGREGATE,
    PU_EVENT_AGGREGATE_STATIC,
    PU_EVENT_TYPES,
};

#define PU_EVENT_NO_PMID UINT32_MAX

/* PMAPI codes. */
enum pu_event_status {
    PU_EVENT_ERR_CONV = -12362,
    PU_EVENT_ERR_TRUNC = -12363,
    PU_EVENT_ERR_NOCONTEXT = -12376,
    PU_EVENT_ERR_TYPE = -12397,
    PU_EVENT_ERR_TOOSMALL = -12443,
    PU_EVENT_ERR_TOOBIG = -12444,
};

/* Bytes of a value of a type of fixed size; 0 for the others. */
static inline uint32_t pu_event_fixed_size(uint32_t type)
{
    static const uint8_t sizes[PU_EVENT_TYPES] = {4, 4, 8, 8, 4, 8};

    return type < PU_EVENT_TYPES ? sizes[type] : 0;
}

static inline uint32_t pu_event_padded(uint32_t size)
{
    return (size + 3) & ~UINT32_C(3);
}

static inline uint32_t pu_event_record_size(enum pu_event_kind kind)
{
    return kind == PU_EVENT_US ? PU_EVENT_US_RECORD_SIZE : PU_EVENT_NS_RECORD_SIZE;
}

#endif
