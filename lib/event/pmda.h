/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of PMDAEVENTARRAY(3), by their names and with their indices, on top of event/array.h:
 * code that was written for libpcp_pmda compiles against this unchanged. Include it before or after
 * <pcp/pmda.h>, in one file of a program: the table behind the indices is that file's own, and is
 * not for several threads at once.
 *
 * Statuses are those of libpcp_pmda where it has one; event/array.h says what becomes of the rest.
 * What it lets through it lets through here (`compat`). Strange to it and -EINVAL here: a NULL
 * argument, an aggregate with a length below 4, and the record calls of the other kind. The address
 * of an array of the other kind is NULL, as is that of a released one. Padding is zero.
 */
#ifndef PU_EVENT_PMDA_H
#define PU_EVENT_PMDA_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/array.h"
#include "pcp/compat.h"

/* Not every program needs every call. */
#define PU_EVENT_CALL static __attribute__((unused))

static struct pu_event_array *pu_event_table;
static int pu_event_table_size;

/* NULL for an index that is none. */
PU_EVENT_CALL struct pu_event_array *pu_event_at(int index)
{
    if (index < 0 || index >= pu_event_table_size || !pu_event_table[index].kind)
        return NULL;
    return &pu_event_table[index];
}

/* The smallest free index; a released one is used again. */
PU_EVENT_CALL int pu_event_new(enum pu_event_kind kind)
{
    int index = 0;

    while (index < pu_event_table_size && pu_event_table[index].kind)
        index++;
    if (index == pu_event_table_size) {
        struct pu_event_array *table = (struct pu_event_array *)reallocarray(
            pu_event_table, (size_t)index + 1, sizeof(*table));
        if (!table)
            return -ENOMEM;
        pu_event_table = table;
        memset(&table[index], 0, sizeof(*table));
        pu_event_table_size++;
    }
    int status = pu_event_array_init(&pu_event_table[index], kind, PU_HOST);
    pu_event_table[index].compat = true;
    return status < 0 ? status : index;
}

PU_EVENT_CALL int pu_event_new_us(void)
{
    return pu_event_new(PU_EVENT_US);
}

PU_EVENT_CALL int pu_event_new_ns(void)
{
    return pu_event_new(PU_EVENT_NS);
}

PU_EVENT_CALL int pu_event_reset(int index)
{
    struct pu_event_array *array = pu_event_at(index);

    return array ? pu_event_array_reset(array) : PM_ERR_NOCONTEXT;
}

PU_EVENT_CALL int pu_event_release(int index)
{
    struct pu_event_array *array = pu_event_at(index);

    if (!array)
        return PM_ERR_NOCONTEXT;
    pu_event_array_free(array);
    return 0;
}

/* The array of an index and of a kind, or a status. */
PU_EVENT_CALL int pu_event_choose(int index, enum pu_event_kind kind, const void *time,
                                  struct pu_event_array **array)
{
    *array = pu_event_at(index);
    if (!*array)
        return PM_ERR_NOCONTEXT;
    return time && (*array)->kind == kind ? 0 : -EINVAL;
}

PU_EVENT_CALL int pu_event_add_us(int index, struct timeval *time, int flags)
{
    struct pu_event_array *array;
    int status = pu_event_choose(index, PU_EVENT_US, time, &array);

    if (status < 0)
        return status;
    return pu_event_array_add_record(array, time->tv_sec, time->tv_usec, (uint32_t)flags);
}

PU_EVENT_CALL int pu_event_add_ns(int index, struct timespec *time, int flags)
{
    struct pu_event_array *array;
    int status = pu_event_choose(index, PU_EVENT_NS, time, &array);

    if (status < 0)
        return status;
    return pu_event_array_add_record(array, time->tv_sec, time->tv_nsec, (uint32_t)flags);
}

PU_EVENT_CALL int pu_event_missed_us(int index, struct timeval *time, int count)
{
    struct pu_event_array *array;
    int status = pu_event_choose(index, PU_EVENT_US, time, &array);

    if (status < 0)
        return status;
    return pu_event_array_add_missed(array, time->tv_sec, time->tv_usec, count);
}

PU_EVENT_CALL int pu_event_missed_ns(int index, struct timespec *time, int count)
{
    struct pu_event_array *array;
    int status = pu_event_choose(index, PU_EVENT_NS, time, &array);

    if (status < 0)
        return status;
    return pu_event_array_add_missed(array, time->tv_sec, time->tv_nsec, count);
}

/* The bytes that an atom stands for; data is NULL if it stands for none. */
PU_EVENT_CALL struct pu_span pu_event_atom(int type, const pmAtomValue *atom)
{
    uint32_t size = type < 0 ? 0 : pu_event_fixed_size((uint32_t)type);

    if (size)
        return (struct pu_span){(const unsigned char *)atom, size};
    if (type == PM_TYPE_STRING && atom && atom->cp)
        return pu_span_text(atom->cp);
    if (type == PM_TYPE_AGGREGATE && atom && atom->vbp && atom->vbp->vlen >= PM_VAL_HDR_SIZE)
        return (struct pu_span){(const unsigned char *)atom->vbp->vbuf,
                                atom->vbp->vlen - (size_t)PM_VAL_HDR_SIZE};
    return (struct pu_span){NULL, 0};
}

/* Parameters are the same in both kinds. */
PU_EVENT_CALL int pu_event_add_atom(int index, pmID pmid, int type, pmAtomValue *atom)
{
    struct pu_event_array *array = pu_event_at(index);
    struct pu_span value = pu_event_atom(type, atom);

    if (!array)
        return PM_ERR_NOCONTEXT;
    if (type < 0 || type > PM_TYPE_AGGREGATE)
        return PM_ERR_TYPE;
    return value.data ? pu_event_array_add_param(array, pmid, (uint32_t)type, value) : -EINVAL;
}

PU_EVENT_CALL void *pu_event_address(int index, enum pu_event_kind kind)
{
    struct pu_event_array *array = pu_event_at(index);

    if (!array || array->kind != kind)
        return NULL;
    (void)pu_event_array_bytes(array);
    return array->data;
}

/* As long as no record or parameter is added to it. */
PU_EVENT_CALL pmEventArray *pu_event_address_us(int index)
{
    return (pmEventArray *)pu_event_address(index, PU_EVENT_US);
}

PU_EVENT_CALL pmHighResEventArray *pu_event_address_ns(int index)
{
    return (pmHighResEventArray *)pu_event_address(index, PU_EVENT_NS);
}

#define pmdaEventNewArray        pu_event_new_us
#define pmdaEventResetArray      pu_event_reset
#define pmdaEventReleaseArray    pu_event_release
#define pmdaEventAddRecord       pu_event_add_us
#define pmdaEventAddMissedRecord pu_event_missed_us
#define pmdaEventAddParam        pu_event_add_atom
#define pmdaEventGetAddr         pu_event_address_us

#define pmdaEventNewHighResArray        pu_event_new_ns
#define pmdaEventResetHighResArray      pu_event_reset
#define pmdaEventReleaseHighResArray    pu_event_release
#define pmdaEventAddHighResRecord       pu_event_add_ns
#define pmdaEventAddHighResMissedRecord pu_event_missed_ns
#define pmdaEventAddHighResParam        pu_event_add_atom
#define pmdaEventGetHighResAddr         pu_event_address_ns

/* The old names of these two. */
#define pmdaEventHighResAddParam pu_event_add_atom
#define pmdaEventHighResGetAddr  pu_event_address_ns

#endif
