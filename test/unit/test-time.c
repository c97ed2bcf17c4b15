/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "tap.h"

#define SECOND PU_NANOSECONDS

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void good(const char *text, int64_t wanted)
{
    struct pu_err err = {0};
    int64_t got = -1;

    if (pu_time_parse_interval(text, &got, &err) < 0)
        printf("# %s: column %u: %s\n", text, err.column, err.message);
    if (got != wanted)
        tap_show("interval", text, strlen(text));
    CHECK_EQ_I64(got, wanted);
}

static void bad(const char *text, unsigned int column, const char *message)
{
    struct pu_err err = {0};
    int64_t got = -77;

    CHECK_EQ_I64(pu_time_parse_interval(text, &got, &err), -1);
    CHECK(err.code == PU_E_SYNTAX);
    CHECK_EQ_U64(err.column, column);
    CHECK_EQ_STR(err.message, message);
    CHECK_EQ_I64(got, -77);
}

static void test_units(void)
{
    static const struct {
        int64_t unit;
        const char *words;
    } units[] = {
        {1, "ns nsec nsecs nanosecond nanoseconds NS Nsec"},
        {1000, "us usec usecs microsecond microseconds US"},
        {1000000, "ms msec msecs millisecond milliseconds MS MilliSeconds"},
        {SECOND, "s sec secs second seconds S SEC Seconds"},
        {60 * SECOND, "m min mins minute minutes M MIN"},
        {3600 * SECOND, "h hour hours H HOURS"},
        {86400 * SECOND, "d day days D DAY"},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        char words[100];
        char text[120];
        snprintf(words, sizeof(words), "%s", units[i].words);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            snprintf(text, sizeof(text), "3%s", word);
            good(text, 3 * units[i].unit);
            snprintf(text, sizeof(text), " 2.5 %s ", word);
            good(text, 5 * units[i].unit / 2);
        }
    }
}

static void test_numbers(void)
{
    good("0", 0);
    good("10", 10 * SECOND);
    good("1.5", 1500000000);
    good("1.", SECOND);
    good(".5", 500000000);
    good("+5", 5 * SECOND);
    good("1e3", 1000 * SECOND);
    good("1E3", 1000 * SECOND);
    good("1e+3", 1000 * SECOND);
    good("25e-1", 2500000000);
    good("1.5e1m", 900 * SECOND);
    good("1e3ms", SECOND);
    good("12345e-3", 12345000000);
    good("0.000000001", 1);
    good("0.0000000019999", 1);
    good("1e-9", 1);
    good("1e-10", 0);
    good("0.1", 100000000);
    good("0.3", 300000000);
    good("1.5ns", 1);
    good("007", 7 * SECOND);
}

static void test_large_numbers(void)
{
    good("9223372036.854775807", INT64_MAX);
    good("9223372036.8547758079", INT64_MAX);
    good("9223372036854775807ns", INT64_MAX);
    good("106751d", INT64_C(106751) * 86400 * SECOND);
    good("0e999999999999999999999999", 0);
    good("1e-999999999999999999999999", 0);
    good("0.00000000000000000001e20", SECOND);
    good("100000000000000000000e-20", SECOND);
    /* A third of a day and then some: a double would be off. */
    good("0.333333333333333333333333333333d", 28799999999999);
    good("0.99999999999999999999999999999999d", 86399999999999);
}

static void test_sums(void)
{
    int64_t wanted = (4 * 86400 + 6 * 3600 + 30 * 60) * SECOND;

    good("4 days 6 hours 30 minutes", wanted);
    good("4day6hour30min", wanted);
    good("4d6h30m", wanted);
    good("4d6.5h", wanted);
    good("\t4 d\n6h 30 m \r\v\f", wanted);
    good("1hour 15mins 30secs", 4530 * SECOND);
    good("5s6", 11 * SECOND);
    good("1d.5h", 88200 * SECOND);
    good("1m1m1m", 180 * SECOND);
    good("1s500ms250us125ns", 1500250125);
    good("500ms", 500000000);
    good("1h+30m", 5400 * SECOND);
}

static void test_interval_errors(void)
{
    bad("", 1, "the interval is empty");
    bad("  \t", 4, "the interval is empty");
    bad("-5s", 1, "\"-5s\": an interval cannot be negative");
    bad("5s -3s", 4, "\"-3s\": an interval cannot be negative");
    bad("5x", 2, "unknown unit \"x\"");
    bad("1h 5 parsecs", 6, "unknown unit \"parsecs\"");
    bad("5sx", 2, "unknown unit \"sx\"");
    bad("5\xc2\xb5s", 2, "unknown unit \"\xc2\xb5s\"");
    bad("5minutess", 2, "unknown unit \"minutess\"");
    bad("5se", 2, "unknown unit \"se\"");
    bad("1e", 2, "unknown unit \"e\"");
    bad("1e 3", 2, "unknown unit \"e\"");
    bad("1 m s", 5, "\"s\" is not a number");
    bad("nan", 1, "\"nan\" is not a number");
    bad("inf", 1, "\"inf\" is not a number");
    bad("sec", 1, "\"sec\" is not a number");
    bad("5s,6s", 3, "\",6s\" is not a number");
    bad("5;", 2, "unknown unit \";\"");
    bad(".", 1, "\".\" is not a number");
    bad("+", 1, "\"+\" is not a number");
    bad(".e5", 1, "\".e5\" is not a number");
    bad("0x10", 2, "unknown unit \"x\"");
    bad("0x1p3", 2, "unknown unit \"x\"");
    bad("1.2.3", 4, "a unit is missing before \".3\"");
    bad("1 0s", 3, "a unit is missing before \"0s\"");
    bad("5 -3", 3, "a unit is missing before \"-3\"");
}

static void test_interval_overflow(void)
{
    bad("9223372036.854775808", 1,
        "\"9223372036.854775808\" makes the interval longer than 292 years");
    bad("9223372036854775808ns", 1,
        "\"9223372036854775808ns\" makes the interval longer than 292 years");
    bad("1s 106752d", 4, "\"106752d\" makes the interval longer than 292 years");
    bad("100000d 100000d", 9, "\"100000d\" makes the interval longer than 292 years");
    bad("1e300", 1, "\"1e300\" makes the interval longer than 292 years");
    bad("1e99999999999999999999", 1,
        "\"1e99999999999999999999\" makes the interval longer than 292 years");
    bad("99999999999999999999", 1,
        "\"99999999999999999999\" makes the interval longer than 292 years");
}

/* A long operand: the message stays whole, and the time does not explode. */
static void test_interval_long(void)
{
    static char text[1000001];
    struct pu_err err = {0};
    int64_t got;

    memset(text, '9', 1000000);
    text[1] = '.';
    CHECK_EQ_I64(pu_time_parse_interval(text, &got, &err), 0);
    CHECK_EQ_I64(got, 9999999999);
    text[0] = '5';
    memset(text + 1, 'x', 999999);
    CHECK_EQ_I64(pu_time_parse_interval(text, &got, &err), -1);
    CHECK_EQ_U64(strlen(err.message), strlen("unknown unit \"\"") + 60);
}

static void test_random_intervals(void)
{
    uint64_t state = 88172645463325252;
    unsigned int wrong = 0;
    struct pu_err err = {0};
    char text[64];
    int64_t got;

    for (int i = 0; i < 100000; i++) {
        int64_t wanted = (int64_t)(next_random(&state) >> (1 + i % 63));
        snprintf(text, sizeof(text), "%" PRId64 ".%09" PRId64, wanted / SECOND, wanted % SECOND);
        wrong += pu_time_parse_interval(text, &got, &err) < 0 || got != wanted;
        snprintf(text, sizeof(text), "%" PRId64 "e-3us", wanted);
        wrong += pu_time_parse_interval(text, &got, &err) < 0 || got != wanted;
    }
    CHECK_EQ_U64(wrong, 0);
}

static void zone(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

static void point(const char *text, int64_t wanted)
{
    struct pu_err err = {0};
    int64_t got = -1;

    if (pu_time_parse_point(text, &got, &err) < 0)
        printf("# %s: column %u: %s\n", text, err.column, err.message);
    if (got != wanted)
        tap_show("point", text, strlen(text));
    CHECK_EQ_I64(got, wanted);
}

static void no_point(const char *text, unsigned int column, const char *message)
{
    struct pu_err err = {0};
    int64_t got = -77;

    CHECK_EQ_I64(pu_time_parse_point(text, &got, &err), -1);
    CHECK(err.code == PU_E_SYNTAX);
    CHECK_EQ_U64(err.column, column);
    CHECK_EQ_STR(err.message, message);
    CHECK_EQ_I64(got, -77);
}

static void test_points(void)
{
    point("@0", 0);
    point("@-0", 0);
    point("@1.5", 1500000000);
    point("@-1.5", -1500000000);
    point("@0.0000000019", 1);
    point("@-0.000000001", -1);
    point("@9223372036.854775807", INT64_MAX);
    point("@-9223372036.854775808", INT64_MIN);
    point("2026-11-30T12:35:12Z", 1796042112 * SECOND);
    point("2026-11-30 12:35:12.5Z", 1796042112 * SECOND + 500000000);
    point("2026-11-30T12:35:12.1234567899Z", 1796042112 * SECOND + 123456789);
    point("2026-11-30T12:35Z", 1796042100 * SECOND);
    point("1970-01-01Z", 0);
    point("1970-01-01+00:00", 0);
    point("1969-12-31T23:59:59Z", -SECOND);
    point("1969-12-31T23:59:59.25Z", -750000000);
    point("2000-02-29T00:00:00Z", 951782400 * SECOND);
    point("1900-03-01T00:00:00Z", -2203891200 * SECOND);
    point("2024-02-29T23:59:59+01:00", 1709247599 * SECOND);
    point("2026-11-30-0130", 1796002200 * SECOND);
    point("2026-11-30T00:00:00-01:30", 1796002200 * SECOND);
    point("1970-01-01T00:00+2359", -(24 * 3600 - 60) * SECOND);
    point("1677-09-21T00:12:43.145224192Z", INT64_MIN);
    point("2262-04-11T23:47:16.854775807Z", INT64_MAX);
}

static void test_now(void)
{
    struct pu_err err = {0};
    int64_t got = 0;
    int64_t before = pu_time_now();

    CHECK_EQ_I64(pu_time_parse_point("now", &got, &err), 0);
    CHECK(got >= before - 60 * SECOND && got <= pu_time_now() + 60 * SECOND);
    CHECK(before / SECOND >= (int64_t)time(NULL) - 60);
}

static void test_local_points(void)
{
    zone("CET-1CEST,M3.5.0,M10.5.0/3");
    point("2026-07-01 12:00", 1782900000 * SECOND);
    point("2026-07-01 12:00:00", 1782900000 * SECOND);
    point("2026-01-01", 1767222000 * SECOND);
    point("2026-07-01T12:00Z", 1782907200 * SECOND);
    point("1970-01-01T00:59:59", -SECOND);
    /* Clocks go from 02:00 to 03:00. */
    point("2026-03-29T01:59:59", 1774745999 * SECOND);
    point("2026-03-29T03:00", 1774746000 * SECOND);
    no_point("2026-03-29T02:30", 1,
             "\"2026-03-29T02:30\" does not exist: clocks are put forward then");
    point("2026-03-29T02:30Z", 1774751400 * SECOND);
    /* Here from midnight to one. */
    zone("BRT3BRST,M11.1.0/0,M2.3.0/0");
    point("2018-11-04", 1541300400 * SECOND);
    point("2018-11-04 01:00", 1541300400 * SECOND);
    no_point("2018-11-04T00:30", 1,
             "\"2018-11-04T00:30\" does not exist: clocks are put forward then");
    zone("UTC0");
    point("2026-11-30 12:35:12", 1796042112 * SECOND);
}

static void test_point_errors(void)
{
    no_point("", 1, "\"\" does not begin with 4 digits of the year");
    no_point("tomorrow", 1, "\"tomorrow\" does not begin with 4 digits of the year");
    no_point("now ", 1, "\"now \" does not begin with 4 digits of the year");
    no_point("26-11-30", 3, "\"26-11-30\" does not begin with 4 digits of the year");
    no_point("2026", 5, "'-' is missing before \"\"");
    no_point("2026-11", 8, "'-' is missing before \"\"");
    no_point("2026/11/30", 5, "'-' is missing before \"/11/30\"");
    no_point("2026-1-30", 7, "\"1-30\" does not begin with 2 digits of the month");
    no_point("2026-00-01", 6, "the month 00 is not between 01 and 12");
    no_point("2026-13-01", 6, "the month 13 is not between 01 and 12");
    no_point("2026-01-00", 9, "the day 00 is not between 01 and 31");
    no_point("2026-01-32", 9, "the day 32 is not between 01 and 31");
    no_point("2026-02-30", 9, "there is no day 2026-02-30");
    no_point("2026-02-29", 9, "there is no day 2026-02-29");
    no_point("2100-02-29", 9, "there is no day 2100-02-29");
    no_point("2026-04-31", 9, "there is no day 2026-04-31");
    no_point("2026-11-30T", 12, "\"\" does not begin with 2 digits of the hour");
    no_point("2026-11-30T12", 14, "':' is missing before \"\"");
    no_point("2026-11-30T24:00", 12, "the hour 24 is not between 00 and 23");
    no_point("2026-11-30T12:60", 15, "the minute 60 is not between 00 and 59");
    no_point("2026-11-30T23:59:60Z", 18, "the second 60 is not between 00 and 59");
    no_point("2026-11-30T12:35:", 18, "\"\" does not begin with 2 digits of the second");
    no_point("2026-11-30T12:35:12.", 21, "digits are missing after the point");
    no_point("2026-11-30T12:35.5", 17, "\".5\" does not belong to a time");
    no_point("2026-11-30T12:35:12 ", 20, "\" \" does not belong to a time");
    no_point("2026-11-30T12:35:12Zx", 21, "\"x\" does not belong to a time");
    no_point("2026-11-30T12:35:12 CET", 20, "\" CET\" does not belong to a time");
    no_point("2026-11-30x", 11, "\"x\" does not belong to a time");
    no_point("2026-11-30T12:35+1", 19, "\"1\" does not begin with 2 digits of the hour");
    no_point("2026-11-30T12:35+01", 20, "\"\" does not begin with 2 digits of the minute");
    no_point("2026-11-30T12:35+01:", 21, "\"\" does not begin with 2 digits of the minute");
    no_point("2026-11-30T12:35+24:00", 18, "the hour 24 is not between 00 and 23");
    no_point("2026-11-30T12:35+01:60", 21, "the minute 60 is not between 00 and 59");
    no_point("2026-11-30T12:35+01:00Z", 23, "\"Z\" does not belong to a time");
    no_point("@", 2, "seconds are missing after \"@\"");
    no_point("@-", 3, "seconds are missing after \"@\"");
    no_point("@.5", 2, "seconds are missing after \"@\"");
    no_point("@1.", 4, "digits are missing after the point");
    no_point("@1x", 3, "\"x\" does not belong to a time");
    no_point("@--1", 3, "seconds are missing after \"@\"");
}

static void test_point_overflow(void)
{
    no_point("9999-12-31Z", 1, "\"9999-12-31Z\" is not between the years 1677 and 2262");
    no_point("0000-01-01Z", 1, "\"0000-01-01Z\" is not between the years 1677 and 2262");
    no_point("2262-04-11T23:47:16.854775808Z", 1,
             "\"2262-04-11T23:47:16.854775808Z\" is not between the years 1677 and 2262");
    no_point("1677-09-21T00:12:43.145224191Z", 1,
             "\"1677-09-21T00:12:43.145224191Z\" is not between the years 1677 and 2262");
    no_point("@9223372036.854775808", 1,
             "\"@9223372036.854775808\" is not between the years 1677 and 2262");
    no_point("@-9223372036.854775809", 1,
             "\"@-9223372036.854775809\" is not between the years 1677 and 2262");
    no_point("@99999999999999999999999999999", 1,
             "\"@99999999999999999999999999999\" is not between the years 1677 and 2262");
}

static void check_iso(int64_t value, const char *wanted)
{
    char text[PU_TIME_MAX];

    CHECK_EQ_BYTES(text, pu_time_iso(text, value), wanted, strlen(wanted));
}

static void test_iso(void)
{
    check_iso(0, "1970-01-01T00:00:00Z");
    check_iso(1, "1970-01-01T00:00:00.000000001Z");
    check_iso(-1, "1969-12-31T23:59:59.999999999Z");
    check_iso(1796042112 * SECOND + 123456789, "2026-11-30T12:35:12.123456789Z");
    check_iso(1796042112 * SECOND + 500000000, "2026-11-30T12:35:12.5Z");
    check_iso(1796042112 * SECOND + 120, "2026-11-30T12:35:12.00000012Z");
    check_iso(951782400 * SECOND, "2000-02-29T00:00:00Z");
    check_iso(INT64_MAX, "2262-04-11T23:47:16.854775807Z");
    check_iso(INT64_MIN, "1677-09-21T00:12:43.145224192Z");
}

static void test_random_iso(void)
{
    uint64_t state = 2463534242;
    unsigned int wrong = 0;
    struct pu_err err = {0};
    char text[PU_TIME_MAX + 1];
    int64_t got;

    for (int i = 0; i < 100000; i++) {
        int64_t wanted = (int64_t)next_random(&state);
        if (i % 3 == 0)
            wanted -= wanted % 1000;
        text[pu_time_iso(text, wanted)] = '\0';
        wrong += pu_time_parse_point(text, &got, &err) < 0 || got != wanted;
    }
    CHECK_EQ_U64(wrong, 0);
}

static void check_local(int64_t value, const char *wanted)
{
    char text[PU_TIME_MAX];

    CHECK_EQ_BYTES(text, pu_time_local(text, value), wanted, strlen(wanted));
}

static void test_local(void)
{
    zone("CET-1CEST,M3.5.0,M10.5.0/3");
    check_local(0, "1970-01-01 01:00:00.000");
    check_local(-1, "1970-01-01 00:59:59.999");
    check_local(1782900000 * SECOND + 999999999, "2026-07-01 12:00:00.999");
    check_local(1767222000 * SECOND + 7000000, "2026-01-01 00:00:00.007");
    zone("UTC0");
    check_local(1796042112 * SECOND + 123456789, "2026-11-30 12:35:12.123");
    check_local(INT64_MAX, "2262-04-11 23:47:16.854");
    check_local(INT64_MIN, "1677-09-21 00:12:43.145");
}

int main(void)
{
    zone("UTC0");
    test_units();
    test_numbers();
    test_large_numbers();
    test_sums();
    test_interval_errors();
    test_interval_overflow();
    test_interval_long();
    test_random_intervals();
    test_points();
    test_now();
    test_local_points();
    test_point_errors();
    test_point_overflow();
    test_iso();
    test_random_iso();
    test_local();
    return tap_done();
}
