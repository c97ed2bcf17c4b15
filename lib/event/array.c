/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/array.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 512

static unsigned char *put_u32(const struct pu_event_array *array, unsigned char *to, uint32_t word)
{
    if (array->order != PU_HOST)
        word = __builtin_bswap32(word);
    memcpy(to, &word, sizeof(word));
    return to + sizeof(word);
}

static unsigned char *put_u64(const struct pu_event_array *array, unsigned char *to, uint64_t word)
{
    if (array->order != PU_HOST)
        word = __builtin_bswap64(word);
    memcpy(to, &word, sizeof(word));
    return to + sizeof(word);
}

static int grow(struct pu_event_array *array, size_t need)
{
    size_t capacity = array->capacity ? array->capacity : FIRST_CAPACITY;

    while (capacity < need)
        capacity *= 2; /* need is below 2^24 */
    unsigned char *data = realloc(array->data, capacity);
    if (!data)
        return -ENOMEM;
    array->data = data;
    array->capacity = capacity;
    return 0;
}

/* Makes `more` bytes of room. Offsets are kept, not pointers: the room may lie elsewhere now. */
static int reserve(struct pu_event_array *array, size_t more)
{
    if (more > PU_EVENT_SIZE_MAX - array->size)
        return PU_EVENT_ERR_TOOBIG;
    return more <= array->capacity - array->size ? 0 : grow(array, array->size + more);
}

int pu_event_array_init(struct pu_event_array *array, enum pu_event_kind kind, enum pu_order order)
{
    *array = (struct pu_event_array){.order = order, .size = PU_EVENT_HEADER_SIZE};
    if (kind != PU_EVENT_US && kind != PU_EVENT_NS)
        return -EINVAL;
    if (grow(array, PU_EVENT_HEADER_SIZE) < 0)
        return -ENOMEM;
    array->kind = kind;
    return 0;
}

int pu_event_array_reset(struct pu_event_array *array)
{
    if (!array->kind)
        return PU_EVENT_ERR_NOCONTEXT;
    array->size = PU_EVENT_HEADER_SIZE;
    array->open = 0;
    array->record_count = 0;
    return 0;
}

void pu_event_array_free(struct pu_event_array *array)
{
    free(array->data);
    *array = (struct pu_event_array){0};
}

/* The header of a record, with `count` where a record has its number of parameters. */
static int add(struct pu_event_array *array, int64_t seconds, int64_t fraction, uint32_t flags,
               uint32_t count)
{
    int status = reserve(array, pu_event_record_size(array->kind));

    if (status < 0)
        return status;
    unsigned char *to = array->data + array->size;
    if (array->kind == PU_EVENT_US) {
        to = put_u32(array, to, (uint32_t)seconds);
        to = put_u32(array, to, (uint32_t)fraction);
    } else {
        to = put_u64(array, to, (uint64_t)seconds);
        to = put_u64(array, to, (uint64_t)fraction);
    }
    to = put_u32(array, to, flags);
    to = put_u32(array, to, count);
    array->size = (size_t)(to - array->data);
    array->record_count++;
    return 0;
}

static bool is_i32(int64_t number)
{
    return number == (int32_t)number;
}

/* Is there something in a time that its place in the array cannot hold? */
static bool is_cut(const struct pu_event_array *array, int64_t seconds, int64_t fraction)
{
    return array->kind == PU_EVENT_US && !array->compat && !(is_i32(seconds) && is_i32(fraction));
}

int pu_event_array_add_record(struct pu_event_array *array, int64_t seconds, int64_t fraction,
                              uint32_t flags)
{
    if (!array->kind)
        return PU_EVENT_ERR_NOCONTEXT;
    if (flags & PU_EVENT_MISSED)
        return PU_EVENT_ERR_CONV;
    if (is_cut(array, seconds, fraction))
        return PU_EVENT_ERR_TRUNC;
    size_t open = array->size;
    int status = add(array, seconds, fraction, flags, 0);
    if (status < 0)
        return status;
    array->open = open;
    array->param_count = 0;
    return 0;
}

int pu_event_array_add_missed(struct pu_event_array *array, int64_t seconds, int64_t fraction,
                              int32_t count)
{
    if (!array->kind)
        return PU_EVENT_ERR_NOCONTEXT;
    if (count < 0 && !array->compat)
        return PU_EVENT_ERR_TOOSMALL;
    if (is_cut(array, seconds, fraction))
        return PU_EVENT_ERR_TRUNC;
    if (array->compat) {
        seconds = (int32_t)seconds;
        fraction = (int32_t)fraction;
    }
    int status = add(array, seconds, fraction, PU_EVENT_MISSED, (uint32_t)count);
    if (status == 0)
        array->open = 0;
    return status;
}

/* A value and its padding; numbers are brought into the array's order. */
static void put_value(const struct pu_event_array *array, unsigned char *to, uint32_t fixed,
                      struct pu_span value)
{
    uint32_t word;
    uint64_t wide;

    if (fixed == sizeof(word)) {
        memcpy(&word, value.data, sizeof(word));
        put_u32(array, to, word);
    } else if (fixed) {
        memcpy(&wide, value.data, sizeof(wide));
        put_u64(array, to, wide);
    } else if (value.size > 0) {
        memcpy(to, value.data, value.size);
        memset(to + value.size, 0, pu_event_padded((uint32_t)value.size) - value.size);
    }
}

int pu_event_array_add_param(struct pu_event_array *array, uint32_t pmid, uint32_t type,
                             struct pu_span value)
{
    uint32_t fixed = pu_event_fixed_size(type);

    if (!array->kind)
        return PU_EVENT_ERR_NOCONTEXT;
    if (type > PU_EVENT_AGGREGATE)
        return PU_EVENT_ERR_TYPE;
    if (!array->open || (fixed && value.size != fixed))
        return -EINVAL;
    if (value.size > PU_EVENT_SIZE_MAX - PU_EVENT_LENGTH_BIAS)
        return PU_EVENT_ERR_TOOBIG;
    uint32_t padded = pu_event_padded((uint32_t)value.size);
    int status = reserve(array, PU_EVENT_PARAM_SIZE + (size_t)padded);
    if (status < 0)
        return status;
    unsigned char *to = array->data + array->size;
    to = put_u32(array, to, pmid);
    to = put_u32(array, to, type << 24 | ((uint32_t)value.size + PU_EVENT_LENGTH_BIAS));
    put_value(array, to, fixed, value);
    array->size += PU_EVENT_PARAM_SIZE + padded;
    put_u32(array, array->data + array->open + pu_event_record_size(array->kind) - sizeof(uint32_t),
            ++array->param_count);
    return 0;
}

struct pu_span pu_event_array_bytes(struct pu_event_array *array)
{
    if (!array->kind)
        return (struct pu_span){0};
    put_u32(array, array->data, (uint32_t)array->kind << 24 | (uint32_t)array->size);
    put_u32(array, array->data + 4, array->record_count);
    return (struct pu_span){array->data, array->size};
}
