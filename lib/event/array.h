/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes packed event arrays, as PMDAEVENTARRAY(3) describes it: an array is a value of its owner's,
 * not an entry in a global table. event/pmda.h puts the manual page's names on top of this.
 *
 * What can fail returns 0 or a status below zero, as PCP's functions do: a PMAPI code where
 * libpcp_pmda has one, -EINVAL or -ENOMEM elsewhere, and then the array is as it was before.
 *
 *   released or never begun     PM_ERR_NOCONTEXT
 *   MISSED in a record's flags  PM_ERR_CONV
 *   type of a parameter         PM_ERR_TYPE
 *   larger than 16777215 bytes  PM_ERR_TOOBIG   (libpcp_pmda: the length wraps)
 *   seconds beyond 32 bits, us  PM_ERR_TRUNC    (libpcp_pmda: they are cut)
 *   missed less than 0 events   PM_ERR_TOOSMALL (libpcp_pmda: stored)
 *   parameter without a record, or behind a missed one; value of the wrong size: -EINVAL
 *                                               (libpcp_pmda: undefined)
 *
 * `compat` is for what libpcp_pmda lets through: seconds are cut to 32 bits, in missed records of
 * the ns kind too (there nanoseconds as well), and less than 0 events can be missed.
 */
#ifndef PU_EVENT_ARRAY_H
#define PU_EVENT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/span.h"
#include "event/format.h"

/* Its owner may copy and move it, but has one of it. Zeros are a released array. */
struct pu_event_array {
    enum pu_event_kind kind; /* 0: released */
    enum pu_order order;     /* of what is written: PU_HOST, or PU_BIG for the wire's form */
    bool compat;
    unsigned char *data; /* owned; multiple of 4 bytes, padding is zero */
    size_t size;
    size_t capacity;
    size_t open;           /* offset of the record that takes parameters; 0 = none does */
    uint32_t record_count; /* missed ones too */
    uint32_t param_count;  /* of the open record */
};

/* An empty array. Set `compat` behind it. Errors: -ENOMEM, -EINVAL for another kind. */
int pu_event_array_init(struct pu_event_array *array, enum pu_event_kind kind,
                        enum pu_order order) PU_MUST_CHECK;

/* Empty again; memory is kept. */
int pu_event_array_reset(struct pu_event_array *array);

/* Gives the memory back; twice does no harm. */
void pu_event_array_free(struct pu_event_array *array);

/* Fractions are microseconds or nanoseconds, whatever is the array's kind, and not looked at. */
int pu_event_array_add_record(struct pu_event_array *array, int64_t seconds, int64_t fraction,
                              uint32_t flags) PU_MUST_CHECK;
int pu_event_array_add_missed(struct pu_event_array *array, int64_t seconds, int64_t fraction,
                              int32_t count) PU_MUST_CHECK;

/* To the record added last. `value` is of the type's size, numbers in the host's byte order. */
int pu_event_array_add_param(struct pu_event_array *array, uint32_t pmid, uint32_t type,
                             struct pu_span value) PU_MUST_CHECK;

/*
 * The array so far, header included: an empty one has 8 bytes. Borrowed until the next call that
 * changes the array. A released array has none: data is NULL.
 */
struct pu_span pu_event_array_bytes(struct pu_event_array *array);

#endif
