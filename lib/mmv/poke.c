/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/poke.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mapping.h"
#include "base/num.h"
#include "base/time.h"
#include "mmv/names.h"

#define TEXT_MAX (PU_MMV_STRING_SIZE - 1)

/* One change under way. */
struct change {
    unsigned char *bytes;
    const struct pu_mmv_target *target;
    const struct pu_mmv_poke *poke;
    struct pu_mmv_words *after;
    struct pu_err *err;
};

#define REFUSE(change, ...) pu_err_set((change)->err, PU_E_REFUSED, __VA_ARGS__)

/* Messages show the beginning of a text that makes no sense. */
#define SHOWN 40
#define TEXT(change)                                                                               \
    (int)((change)->poke->text.size < SHOWN ? (change)->poke->text.size : SHOWN),                  \
        (const char *)(change)->poke->text.data

static bool is_word(const struct change *change, const char *word)
{
    return pu_span_equal(change->poke->text, pu_span_text(word));
}

/* The eight bytes at `offset`, as one number. */

static uint64_t load(const struct change *change, uint64_t offset)
{
    uint64_t *word = pu_mapping_word(change->bytes, offset);
    uint64_t value;

    if (word)
        return __atomic_load_n(word, __ATOMIC_ACQUIRE);
    memcpy(&value, change->bytes + offset, sizeof(value));
    return value;
}

static void store(const struct change *change, uint64_t offset, uint64_t value)
{
    uint64_t *word = pu_mapping_word(change->bytes, offset);

    if (word)
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
    else
        memcpy(change->bytes + offset, &value, sizeof(value));
}

/* Puts `value` where `*expected` is; if there is something else, it becomes that. */
static bool exchange(const struct change *change, uint64_t offset, uint64_t *expected,
                     uint64_t value)
{
    return __atomic_compare_exchange_n(pu_mapping_word(change->bytes, offset), expected, value,
                                       false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int need_alignment(const struct change *change)
{
    if (pu_mapping_word(change->bytes, change->target->offset))
        return 0;
    return REFUSE(change,
                  "it stands at offset %" PRIu64 ", which is no multiple of 8: it can be "
                  "set, but not be added to, started or stopped",
                  change->target->offset);
}

/* Integers */

struct integer {
    bool is_signed;
    bool half; /* 32 bits: the first four of the eight bytes */
    int64_t min;
    uint64_t max;
};

static struct integer integer_of(int32_t type)
{
    switch (type) {
    case PU_MMV_I32:
        return (struct integer){true, true, INT32_MIN, INT32_MAX};
    case PU_MMV_U32:
        return (struct integer){false, true, 0, UINT32_MAX};
    case PU_MMV_U64:
        return (struct integer){false, false, 0, UINT64_MAX};
    default:
        return (struct integer){true, false, INT64_MIN, INT64_MAX};
    }
}

/* A 32-bit number in the eight bytes: the other four are zero, or it could be "no value". */
static uint64_t pack(uint32_t half)
{
    uint64_t raw = 0;

    memcpy(&raw, &half, sizeof(half));
    return raw;
}

static uint32_t first_half(uint64_t raw)
{
    uint32_t half;

    memcpy(&half, &raw, sizeof(half));
    return half;
}

/* A number as two's complement in 64 bits, or as it stands in the file. */
static uint64_t to_raw(const struct integer *integer, uint64_t number)
{
    return integer->half ? pack((uint32_t)number) : number;
}

static uint64_t from_raw(const struct integer *integer, uint64_t raw)
{
    if (!integer->half)
        return raw;
    return integer->is_signed ? (uint64_t)(int64_t)(int32_t)first_half(raw) : first_half(raw);
}

static bool add_up(const struct integer *integer, uint64_t number, bool negative,
                   uint64_t magnitude, uint64_t *sum)
{
    int64_t signed_sum;

    if (!integer->is_signed)
        return !(negative ? __builtin_sub_overflow(number, magnitude, sum)
                          : __builtin_add_overflow(number, magnitude, sum)) &&
               *sum <= integer->max;
    if (negative ? __builtin_sub_overflow((int64_t)number, magnitude, &signed_sum)
                 : __builtin_add_overflow((int64_t)number, magnitude, &signed_sum))
        return false;
    *sum = (uint64_t)signed_sum;
    return signed_sum >= integer->min && signed_sum <= (int64_t)integer->max;
}

static int out_of_range(const struct change *change, const struct integer *integer,
                        const char *what)
{
    return REFUSE(change, "%s is out of the range of type %s, %" PRId64 " to %" PRIu64, what,
                  pu_mmv_type_word(change->target->type), integer->min, integer->max);
}

static int is_out_of_range(const struct change *change, const struct integer *integer)
{
    char what[SHOWN + 1];

    snprintf(what, sizeof(what), "%.*s", TEXT(change));
    return out_of_range(change, integer, what);
}

/* What the text says: a sign and a number that 64 bits can hold. */
static int read_integer(const struct change *change, const struct integer *integer, bool *negative,
                        uint64_t *magnitude)
{
    const char *text = (const char *)change->poke->text.data;
    size_t size = change->poke->text.size;

    *negative = size > 0 && *text == '-';
    size_t digits = strspn(text + *negative, "0123456789");
    if (digits == 0 || *negative + digits != size)
        return REFUSE(change, "'%.*s' is not an integer", TEXT(change));
    if (!pu_num_parse_u64(text + *negative, UINT64_MAX, magnitude))
        return is_out_of_range(change, integer);
    return 0;
}

/* Would the agent take these eight bytes for "no value"? */
static bool is_sentinel(const struct change *change, uint64_t raw)
{
    return change->poke->sentinel && raw == UINT64_MAX;
}

static int means_nothing(const struct change *change)
{
    return REFUSE(change, "%s stands for \"no value\" in a file with the flag \"sentinel\"",
                  change->target->type == PU_MMV_U64 ? "18446744073709551615" : "-1");
}

static int has_nothing(const struct change *change)
{
    return REFUSE(change, "it has no value: set one first");
}

static int set_integer(const struct change *change)
{
    struct integer integer = integer_of(change->target->type);
    bool negative;
    uint64_t magnitude, number;

    if (read_integer(change, &integer, &negative, &magnitude) < 0)
        return -1;
    if (!add_up(&integer, 0, negative, magnitude, &number))
        return is_out_of_range(change, &integer);
    change->after->raw = to_raw(&integer, number);
    if (is_sentinel(change, change->after->raw))
        return means_nothing(change);
    if (change->target->type == PU_MMV_ELAPSED)
        store(change, change->target->offset + 8, 0);
    store(change, change->target->offset, change->after->raw);
    return 0;
}

static int add_integer(const struct change *change)
{
    struct integer integer = integer_of(change->target->type);
    uint64_t before = load(change, change->target->offset);
    bool negative;
    uint64_t magnitude, sum;

    if (read_integer(change, &integer, &negative, &magnitude) < 0 || need_alignment(change) < 0)
        return -1;
    do {
        if (is_sentinel(change, before))
            return has_nothing(change);
        if (!add_up(&integer, from_raw(&integer, before), negative, magnitude, &sum))
            return out_of_range(change, &integer, "the sum");
        change->after->raw = to_raw(&integer, sum);
        if (is_sentinel(change, change->after->raw))
            return means_nothing(change);
    } while (!exchange(change, change->target->offset, &before, change->after->raw));
    return 0;
}

/* Floating point */

static double number_of(int32_t type, uint64_t raw)
{
    double number;
    float single;

    memcpy(&single, &raw, sizeof(single));
    memcpy(&number, &raw, sizeof(number));
    return type == PU_MMV_FLOAT ? (double)single : number;
}

static uint64_t raw_of(int32_t type, double number)
{
    float single = (float)number;
    uint64_t raw = 0;

    if (type == PU_MMV_FLOAT)
        memcpy(&raw, &single, sizeof(single));
    else
        memcpy(&raw, &number, sizeof(number));
    return raw;
}

/* Decimal digits with a fraction and an exponent. */
static bool read_decimal(const struct change *change, double *number)
{
    const char *text = (const char *)change->poke->text.data;
    size_t size = change->poke->text.size;
    char *end;

    if (size == 0 || *text == '+' || strspn(text, "0123456789.eE+-") != size)
        return false;
    *number = change->target->type == PU_MMV_FLOAT ? strtof(text, &end) : strtod(text, &end);
    return end == text + size;
}

static int read_number(const struct change *change, double *number)
{
    if (is_word(change, "nan"))
        *number = NAN;
    else if (is_word(change, "inf"))
        *number = INFINITY;
    else if (is_word(change, "-inf"))
        *number = -INFINITY;
    else if (!read_decimal(change, number))
        return REFUSE(change, "'%.*s' is not a number", TEXT(change));
    else if (isinf(*number))
        return REFUSE(change, "%.*s is out of the range of type %s", TEXT(change),
                      pu_mmv_type_word(change->target->type));
    return 0;
}

static int set_number(const struct change *change)
{
    double number;

    if (read_number(change, &number) < 0)
        return -1;
    change->after->raw = raw_of(change->target->type, number);
    store(change, change->target->offset, change->after->raw);
    return 0;
}

static int add_number(const struct change *change)
{
    int32_t type = change->target->type;
    uint64_t before = load(change, change->target->offset);
    double addend;

    if (read_number(change, &addend) < 0 || need_alignment(change) < 0)
        return -1;
    do {
        double number = number_of(type, before);
        if (change->poke->sentinel && isnan(number))
            return has_nothing(change);
        change->after->raw = raw_of(type, number + addend);
        if (!isfinite(number_of(type, change->after->raw)))
            return REFUSE(change, "the sum is no finite number");
    } while (!exchange(change, change->target->offset, &before, change->after->raw));
    return 0;
}

/* Texts */

/*
 * All that a reader can see is the new text as soon as its end is there, and every other state ends
 * inside of the slot too. The length is what libpcp_mmv keeps there; nobody looks at it.
 */
static int set_text(const struct change *change)
{
    struct pu_span text = change->poke->text;
    unsigned char *slot = change->bytes + change->target->slot;

    if (text.size > TEXT_MAX)
        return REFUSE(change, "a text of %zu bytes: there is room for %d", text.size, TEXT_MAX);
    if (text.size > 0 && memchr(text.data, '\0', text.size))
        return REFUSE(change, "a text cannot hold a NUL");
    slot[TEXT_MAX] = '\0';
    if (text.size > 0)
        memcpy(slot, text.data, text.size);
    memset(slot + text.size, 0, TEXT_MAX - text.size);
    change->after->raw = text.size;
    store(change, change->target->offset, text.size);
    return 0;
}

/*
 * Intervals: the second number is minus the start, in microseconds, while one runs. The clock is
 * read after the number, so that a start that another process has just made is not in the future.
 */

static int64_t microseconds(void)
{
    return pu_time_now() / 1000;
}

static int start(const struct change *change)
{
    uint64_t field = change->target->offset + 8;
    uint64_t extra = load(change, field);

    change->after->raw = load(change, change->target->offset);
    if (is_sentinel(change, change->after->raw))
        return has_nothing(change);
    do {
        if ((int64_t)extra < 0)
            return REFUSE(change, "an interval runs already");
        change->after->extra = -microseconds();
    } while (!exchange(change, field, &extra, (uint64_t)change->after->extra));
    return 0;
}

/* Who takes the start away adds the time: of several that stop the same interval, one does. */
static int stop(const struct change *change)
{
    const struct integer integer = integer_of(PU_MMV_ELAPSED);
    uint64_t field = change->target->offset + 8;
    uint64_t extra = load(change, field);
    uint64_t before = load(change, change->target->offset);
    uint64_t passed;

    do {
        if ((int64_t)extra >= 0)
            return REFUSE(change, "no interval runs");
        passed = (uint64_t)microseconds() + extra;
        if ((int64_t)passed < 0)
            return REFUSE(change, "the interval starts in the future: set a number to end it");
        if (is_sentinel(change, before))
            return has_nothing(change);
        if (!add_up(&integer, before, false, passed, &change->after->raw))
            return out_of_range(change, &integer, "the sum");
    } while (!exchange(change, field, &extra, 0));
    while (!exchange(change, change->target->offset, &before, change->after->raw))
        change->after->raw = before + passed;
    return 0;
}

static int set_elapsed(const struct change *change)
{
    bool starts = is_word(change, "start");

    if (!starts && !is_word(change, "stop"))
        return set_integer(change);
    if (need_alignment(change) < 0)
        return -1;
    return starts ? start(change) : stop(change);
}

/* "No value" */
static int set_nothing(const struct change *change)
{
    int32_t type = change->target->type;

    if (!change->poke->sentinel)
        return REFUSE(change, "null needs the flag \"sentinel\", which the file does not have");
    change->after->raw =
        type == PU_MMV_FLOAT || type == PU_MMV_DOUBLE ? raw_of(type, NAN) : UINT64_MAX;
    if (type == PU_MMV_ELAPSED)
        store(change, change->target->offset + 8, 0);
    store(change, change->target->offset, change->after->raw);
    return 0;
}

static int set(const struct change *change)
{
    int32_t type = change->target->type;

    if (type != PU_MMV_STRING && is_word(change, "null"))
        return set_nothing(change);
    switch (type) {
    case PU_MMV_FLOAT:
    case PU_MMV_DOUBLE:
        return set_number(change);
    case PU_MMV_STRING:
        return set_text(change);
    case PU_MMV_ELAPSED:
        return set_elapsed(change);
    default:
        return set_integer(change);
    }
}

static int add(const struct change *change)
{
    switch (change->target->type) {
    case PU_MMV_FLOAT:
    case PU_MMV_DOUBLE:
        return add_number(change);
    case PU_MMV_STRING:
        return REFUSE(change, "nothing can be added to a text");
    default:
        return add_integer(change);
    }
}

int pu_mmv_poke(unsigned char *bytes, const struct pu_mmv_target *target,
                const struct pu_mmv_poke *poke, struct pu_mmv_words *after, struct pu_err *err)
{
    const struct change change = {bytes, target, poke, after, err};
    const char *word = pu_mmv_type_word(target->type);

    if (!word || target->type == PU_MMV_NOSUPPORT)
        return REFUSE(&change, "values of type %s%" PRId32 " cannot be set",
                      word ? "nosupport, " : "", target->type);
    after->extra = poke->add ? (int64_t)load(&change, target->offset + 8) : 0;
    return poke->add ? add(&change) : set(&change);
}
