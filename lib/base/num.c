/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLION 1000000u

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static size_t count_digits(uint64_t value)
{
    static const uint64_t powers[] = {
        0,
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
    /* 1233 / 4096 is the logarithm of 2 to base 10, from just below. */
    size_t digits = bits * 1233 >> 12;

    return digits + (value >= powers[digits]);
}

size_t pu_num_u64(char *to, uint64_t value)
{
    size_t size = count_digits(value);
    char *at = to + size;

    for (; value >= 100; value /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (value % 100), 2);
    }
    if (value >= 10)
        memcpy(at - 2, pairs + 2 * value, 2);
    else
        at[-1] = (char)('0' + value);
    return size;
}

size_t pu_num_i64(char *to, int64_t value)
{
    if (value >= 0)
        return pu_num_u64(to, (uint64_t)value);
    *to = '-';
    return 1 + pu_num_u64(to + 1, 0 - (uint64_t)value);
}

size_t pu_num_hex(char *to, uint64_t value)
{
    static const char hex[] = "0123456789abcdef";
    unsigned int shift = 60;
    size_t size = 2;

    memcpy(to, "0x", 2);
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (;; shift -= 4) {
        to[size++] = hex[value >> shift & 15];
        if (shift == 0)
            return size;
    }
}

/* How a value of one width is judged: the fewest digits that can tell all of them apart, the most
 * that are ever needed, the smallest normal value, and whether `text` reads back as `value`. */
struct width {
    int digits;
    int max_digits;
    double min_normal;
    bool (*same)(const char *text, double value);
};

static bool same_double(const char *text, double value)
{
    return strtod(text, NULL) == value;
}

static bool same_float(const char *text, double value)
{
    return (double)strtof(text, NULL) == value && (double)(float)strtod(text, NULL) == value;
}

static const struct width as_double = {DBL_DIG, DBL_DECIMAL_DIG, DBL_MIN, same_double};
static const struct width as_float = {FLT_DIG, FLT_DECIMAL_DIG, FLT_MIN, same_float};

static size_t nonfinite(char *to, double value)
{
    const char *word = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";

    memcpy(to, word, strlen(word));
    return strlen(word);
}

/*
 * Most values people store have few digits. If value * 10^6, rounded, is below 10^15 and divides
 * back to the very same double, then those at most 15 digits are its decimal form: the division of
 * two exactly held integers rounds just as reading the text does.
 */
static bool millionths(double value, uint64_t *out)
{
    double scaled = value * MILLION;

    if (!(scaled < 1e15))
        return false;
    uint64_t rounded = (uint64_t)(scaled + 0.5);
    if ((double)rounded / MILLION != value)
        return false;
    *out = rounded;
    return true;
}

static size_t put_millionths(char *to, uint64_t value, bool negative, bool shortest)
{
    char *start = to;
    uint64_t fraction = value % MILLION;

    if (negative)
        *to++ = '-';
    to += pu_num_u64(to, value / MILLION);
    *to++ = '.';
    for (int at = 5; at >= 0; at--, fraction /= 10)
        to[at] = (char)('0' + fraction % 10);
    to += 6;
    while (shortest && to[-1] == '0' && to[-2] != '.')
        to--;
    return (size_t)(to - start);
}

static size_t shortest(char *to, double value, const struct width *width)
{
    /* Below the normal range fewer digits may be enough. */
    int digits = fabs(value) < width->min_normal ? 1 : width->digits;
    size_t size;

    for (;; digits++) {
        size = (size_t)snprintf(to, PU_NUM_MAX, "%.*g", digits, value);
        if (digits >= width->max_digits || width->same(to, value))
            break;
    }
    if (!memchr(to, '.', size) && !memchr(to, 'e', size)) {
        memcpy(to + size, ".0", 2);
        size += 2;
    }
    return size;
}

size_t pu_num_double(char *to, double value)
{
    uint64_t count;

    if (!isfinite(value))
        return nonfinite(to, value);
    if (millionths(fabs(value), &count))
        return put_millionths(to, count, signbit(value), true);
    return shortest(to, value, &as_double);
}

size_t pu_num_float(char *to, float value)
{
    if (!isfinite(value))
        return nonfinite(to, value);
    return shortest(to, value, &as_float);
}

static size_t fixed(char *to, double value, const struct width *width)
{
    uint64_t count;

    if (isnan(value))
        return (size_t)sprintf(to, signbit(value) ? "-nan" : "nan");
    if (isinf(value))
        return nonfinite(to, value);
    if (millionths(fabs(value), &count))
        return put_millionths(to, count, signbit(value), false);
    if (fabs(value) < 1e15) {
        size_t size = (size_t)snprintf(to, PU_NUM_MAX, "%f", value);
        if (width->same(to, value))
            return size;
    }
    return shortest(to, value, width);
}

size_t pu_num_fixed_double(char *to, double value)
{
    return fixed(to, value, &as_double);
}

size_t pu_num_fixed_float(char *to, float value)
{
    return fixed(to, value, &as_float);
}

bool pu_num_parse_u64(const char *text, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;

    if (*text == '\0')
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        unsigned int digit = (unsigned int)(*text - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    if (sum > max)
        return false;
    *value = sum;
    return true;
}
