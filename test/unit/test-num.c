/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "tap.h"

/* Random patterns of each width. An operand of the program asks for more: 2000000 take 10 seconds.
 */
#define PATTERNS 250000

/* Room for a NUL and for proof that no more than PU_NUM_MAX bytes were touched. */
#define ROOM (PU_NUM_MAX + 8)

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void check_u64(uint64_t value, const char *wanted)
{
    char text[ROOM];

    CHECK_EQ_BYTES(text, pu_num_u64(text, value), wanted, strlen(wanted));
}

static void check_i64(int64_t value, const char *wanted)
{
    char text[ROOM];

    CHECK_EQ_BYTES(text, pu_num_i64(text, value), wanted, strlen(wanted));
}

static void check_hex(uint64_t value, const char *wanted)
{
    char text[ROOM];

    CHECK_EQ_BYTES(text, pu_num_hex(text, value), wanted, strlen(wanted));
}

static void test_integers(void)
{
    check_u64(0, "0");
    check_u64(9, "9");
    check_u64(10, "10");
    check_u64(99, "99");
    check_u64(100, "100");
    check_u64(1001, "1001");
    check_u64(UINT64_MAX, "18446744073709551615");
    check_i64(0, "0");
    check_i64(-1, "-1");
    check_i64(-10, "-10");
    check_i64(INT64_MAX, "9223372036854775807");
    check_i64(INT64_MIN, "-9223372036854775808");
    check_hex(0, "0x0");
    check_hex(15, "0xf");
    check_hex(16, "0x10");
    check_hex(0xdeadbeef, "0xdeadbeef");
    check_hex(UINT64_MAX, "0xffffffffffffffff");
}

static void test_random_integers(void)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    unsigned int bad = 0;
    char text[ROOM];
    char wanted[ROOM];

    for (unsigned int i = 0; i < 100000; i++) {
        uint64_t value = next_random(&state) >> (i % 64);
        text[pu_num_u64(text, value)] = '\0';
        snprintf(wanted, sizeof(wanted), "%" PRIu64, value);
        bad += strcmp(text, wanted) != 0;
        text[pu_num_i64(text, (int64_t)value)] = '\0';
        snprintf(wanted, sizeof(wanted), "%" PRId64, (int64_t)value);
        bad += strcmp(text, wanted) != 0;
        text[pu_num_hex(text, value)] = '\0';
        snprintf(wanted, sizeof(wanted), "0x%" PRIx64, value);
        bad += strcmp(text, wanted) != 0;
    }
    CHECK_EQ_U64(bad, 0);
}

static void check_double(double value, const char *wanted)
{
    char text[ROOM];

    CHECK_EQ_BYTES(text, pu_num_double(text, value), wanted, strlen(wanted));
}

static void check_float(float value, const char *wanted)
{
    char text[ROOM];

    CHECK_EQ_BYTES(text, pu_num_float(text, value), wanted, strlen(wanted));
}

static void test_double_edges(void)
{
    check_double(0.0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(1.0, "1.0");
    check_double(-17.0, "-17.0");
    check_double(0.1, "0.1");
    check_double(-2.5, "-2.5");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(1e22, "1e+22");
    check_double(1e23, "1e+23");
    check_double(9007199254740992.0, "9007199254740992.0");
    check_double(9007199254740991.0, "9007199254740991.0");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(-DBL_MAX, "-1.7976931348623157e+308");
    check_double(DBL_MIN, "2.2250738585072014e-308");
    check_double(double_of(1), "5e-324");
    check_double(-double_of(1), "-5e-324");
    check_double(double_of(3), "1.5e-323");
    check_double(INFINITY, "inf");
    check_double(-INFINITY, "-inf");
    check_double(double_of(0x7ff8000000000000), "nan");
    check_double(double_of(0xfff8000000000000), "nan");
    check_double(double_of(0x7ff0000000000001), "nan");
}

static void test_float_edges(void)
{
    check_float(0.0f, "0.0");
    check_float(-0.0f, "-0.0");
    check_float(1.0f, "1.0");
    check_float(0.1f, "0.1");
    check_float(3.3f, "3.3");
    check_float(16777216.0f, "16777216.0");
    check_float(FLT_MAX, "3.4028235e+38");
    check_float(FLT_MIN, "1.1754944e-38");
    check_float(float_of(1), "1e-45");
    check_float(INFINITY, "inf");
    check_float(-INFINITY, "-inf");
    check_float(float_of(0x7fc00000), "nan");
    check_float(float_of(0xffc00000), "nan");
}

/* Digits that say something: neither zeros in front, nor zeros behind, nor the exponent. */
static size_t significant(const char *text)
{
    size_t count = 0;
    size_t zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0))
            continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

/* The fewest digits with which printf writes a text that reads back equal. */
static size_t fewest(double value, bool is_float)
{
    char text[ROOM];

    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (is_float
                ? strtof(text, NULL) == (float)value && (float)strtod(text, NULL) == (float)value
                : strtod(text, NULL) == value)
            return significant(text);
    }
    return 17;
}

static bool has_mark(const char *text)
{
    return strpbrk(text, ".e") != NULL;
}

static bool good_double(double value, bool count_digits)
{
    char text[ROOM];
    size_t size = pu_num_double(text, value);

    text[size] = '\0';
    return size <= PU_NUM_MAX && has_mark(text) && strtod(text, NULL) == value &&
           !!signbit(strtod(text, NULL)) == !!signbit(value) &&
           (!count_digits || significant(text) <= fewest(value, false));
}

static bool good_float(float value, bool count_digits)
{
    char text[ROOM];
    size_t size = pu_num_float(text, value);

    text[size] = '\0';
    return size <= PU_NUM_MAX && has_mark(text) && strtof(text, NULL) == value &&
           (float)strtod(text, NULL) == value &&
           (!count_digits || significant(text) <= fewest(value, true));
}

static void test_random_doubles(unsigned long patterns)
{
    uint64_t state = 88172645463325252;
    unsigned int bad = 0;

    for (unsigned long i = 0; i < patterns; i++) {
        double value = double_of(next_random(&state));
        if (isfinite(value))
            bad += !good_double(value, i % 64 == 0);
    }
    CHECK_EQ_U64(bad, 0);
}

static void test_random_floats(unsigned long patterns)
{
    uint64_t state = 2463534242;
    unsigned int bad = 0;

    for (unsigned long i = 0; i < patterns; i++) {
        float value = float_of((uint32_t)(next_random(&state) >> 32));
        if (isfinite(value))
            bad += !good_float(value, i % 64 == 0);
    }
    CHECK_EQ_U64(bad, 0);
}

static double short_decimal(uint64_t *state, unsigned int i)
{
    static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double value = (double)(next_random(state) >> (14 + i % 50)) / powers[i % 10];

    return i & 1 ? -value : value;
}

/* Numbers as people store them, subnormal ones, and the neighbours of powers of two and ten. */
static void test_special_doubles(void)
{
    uint64_t state = 362436069;
    unsigned int bad = 0;

    for (unsigned int i = 0; i < 20000; i++) {
        bad += !good_double(short_decimal(&state, i), true);
        bad += !good_double(double_of(next_random(&state) >> (12 + i % 52)), i % 16 == 0);
        bad += !good_float(float_of((uint32_t)(next_random(&state) >> (41 + i % 23))), true);
    }
    for (int power = -1074; power < 1024; power++) {
        double value = ldexp(1, power);
        bad += !good_double(value, true) + !good_double(nextafter(value, 0), true) +
               !good_double(nextafter(value, INFINITY), true);
    }
    for (double value = 1e-300; value < 1e300; value *= 10)
        bad += !good_double(value, true) + !good_double(nextafter(value, 0), true);
    CHECK_EQ_U64(bad, 0);
}

/* What printf's %f says wherever that keeps the value; elsewhere the shortest form. */
static bool good_fixed(double value, bool is_float)
{
    char got[ROOM];
    char wanted[400];
    size_t size;

    got[is_float ? pu_num_fixed_float(got, (float)value) : pu_num_fixed_double(got, value)] = '\0';
    snprintf(wanted, sizeof(wanted), "%f", value);
    bool same = is_float
                    ? strtof(wanted, NULL) == (float)value && (float)strtod(wanted, NULL) == value
                    : strtod(wanted, NULL) == value;
    if (isfinite(value) && !(same && fabs(value) < 1e15)) {
        size = is_float ? pu_num_float(wanted, (float)value) : pu_num_double(wanted, value);
        wanted[size] = '\0';
    }
    return strlen(got) <= PU_NUM_MAX && strcmp(got, wanted) == 0;
}

static void test_random_fixed(void)
{
    uint64_t state = 521288629;
    unsigned int bad = 0;

    for (unsigned int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&state);
        double value = short_decimal(&state, i);
        bad += !good_fixed(value, false);
        bad += !good_fixed((float)value, true);
        if (isfinite(double_of(bits)))
            bad += !good_fixed(double_of(bits), false);
        if (isfinite(float_of((uint32_t)bits)))
            bad += !good_fixed(float_of((uint32_t)bits), true);
    }
    CHECK_EQ_U64(bad, 0);
}

static void check_fixed(double value, const char *wanted)
{
    char text[ROOM];

    CHECK_EQ_BYTES(text, pu_num_fixed_double(text, value), wanted, strlen(wanted));
    CHECK(good_fixed(value, false));
    if (isnan(value) || (float)value == value) {
        CHECK_EQ_BYTES(text, pu_num_fixed_float(text, (float)value), wanted, strlen(wanted));
        CHECK(good_fixed(value, true));
    }
}

static void test_fixed_edges(void)
{
    char text[ROOM] = {0};

    check_fixed(0.0, "0.000000");
    check_fixed(-0.0, "-0.000000");
    check_fixed(1.5, "1.500000");
    check_fixed(0.1, "0.100000");
    check_fixed(-1234567.25, "-1234567.250000");
    check_fixed(1e9, "1000000000.000000");
    check_fixed(999999999999999.0, "999999999999999.000000");
    check_fixed(1e15, "1e+15");
    check_fixed(1e-7, "1e-07");
    check_fixed(INFINITY, "inf");
    check_fixed(-INFINITY, "-inf");
    check_fixed(double_of(0x7ff8000000000000), "nan");
    check_fixed(double_of(0xfff8000000000000), "-nan");
    CHECK_EQ_BYTES(text, pu_num_fixed_float(text, 0.1f), "0.100000", 8);
    CHECK_EQ_BYTES(text, pu_num_fixed_float(text, 3.3f), "3.300000", 8);
}

static void test_parse(void)
{
    uint64_t value = 7;

    CHECK(pu_num_parse_u64("0", UINT64_MAX, &value) && value == 0);
    CHECK(pu_num_parse_u64("007", UINT64_MAX, &value) && value == 7);
    CHECK(pu_num_parse_u64("18446744073709551615", UINT64_MAX, &value) && value == UINT64_MAX);
    CHECK(pu_num_parse_u64("4294967295", UINT32_MAX, &value) && value == UINT32_MAX);
    value = 7;
    CHECK(!pu_num_parse_u64("4294967296", UINT32_MAX, &value));
    CHECK(!pu_num_parse_u64("18446744073709551616", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("99999999999999999999", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("-1", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("+1", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64(" 1", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("1 ", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("0x1", UINT64_MAX, &value));
    CHECK(!pu_num_parse_u64("1.0", UINT64_MAX, &value));
    CHECK_EQ_U64(value, 7);
}

int main(int argc, char **argv)
{
    unsigned long patterns = argc > 1 ? strtoul(argv[1], NULL, 10) : PATTERNS;

    test_integers();
    test_random_integers();
    test_double_edges();
    test_float_edges();
    test_random_doubles(patterns);
    test_random_floats(patterns);
    test_special_doubles();
    test_random_fixed();
    test_fixed_edges();
    test_parse();
    return tap_done();
}
