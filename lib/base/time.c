/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/time.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

/* Text being read from left to right. */
struct reader {
    const char *text;
    const char *at;
    struct pu_err *err;
};

/* Says where the error just set is, counted in bytes from 1. */
static int fail_at(const struct reader *in, const char *place)
{
    in->err->column = (unsigned int)(place - in->text) + 1;
    return -1;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* A letter, also one outside of ASCII: in no unit, but in what is mistaken for one. */
static bool is_letter(char byte)
{
    unsigned char lower = (unsigned char)(byte | 0x20);

    return (lower >= 'a' && lower <= 'z') || lower >= 0x80;
}

static void skip_blanks(struct reader *in)
{
    while (is_blank(*in->at))
        in->at++;
}

/* The bytes up to the next blank, as many as an error message has room for. */
static int piece_size(const char *piece)
{
    int size = 0;

    while (size < 60 && piece[size] && !is_blank(piece[size]))
        size++;
    return size;
}

/* The letters at its beginning: what was meant as a unit. Anything else is shown up to a blank. */
static int unit_size(const char *piece)
{
    int size = 0;

    while (size < 60 && is_letter(piece[size]))
        size++;
    return size > 0 ? size : piece_size(piece);
}

/* A decimal number as it was written; nothing is rounded before its unit is known. */
struct number {
    const char *start;
    const char *whole;
    size_t whole_size;
    const char *fraction;
    size_t fraction_size;
    int64_t exponent;
};

static size_t skip_digits(struct reader *in)
{
    const char *start = in->at;

    while (is_digit(*in->at))
        in->at++;
    return (size_t)(in->at - start);
}

/* An exponent too large to matter stays where it is: still beyond the length of any text. */
static int64_t read_exponent(struct reader *in)
{
    const char *at = in->at;
    bool negative = false;
    int64_t exponent = 0;

    if (*at != 'e' && *at != 'E')
        return 0;
    at++;
    if (*at == '+' || *at == '-')
        negative = *at++ == '-';
    if (!is_digit(*at))
        return 0;
    for (; is_digit(*at); at++) {
        if (exponent < INT64_MAX / 100)
            exponent = exponent * 10 + (*at - '0');
    }
    in->at = at;
    return negative ? -exponent : exponent;
}

static int read_number(struct reader *in, struct number *number)
{
    const char *start = in->at;

    if (*start == '-') {
        pu_err_set(in->err, PU_E_SYNTAX, "\"%.*s\": an interval cannot be negative",
                   piece_size(start), start);
        return fail_at(in, start);
    }
    if (*in->at == '+')
        in->at++;
    *number = (struct number){.start = start, .whole = in->at};
    number->whole_size = skip_digits(in);
    if (*in->at == '.') {
        number->fraction = ++in->at;
        number->fraction_size = skip_digits(in);
    }
    if (number->whole_size + number->fraction_size == 0) {
        pu_err_set(in->err, PU_E_SYNTAX, "\"%.*s\" is not a number", piece_size(start), start);
        return fail_at(in, start);
    }
    number->exponent = read_exponent(in);
    return 0;
}

static bool same_word(const char *text, size_t size, const char *lower)
{
    for (size_t i = 0; i < size; i++) {
        if ((text[i] | 0x20) != lower[i])
            return false;
    }
    return lower[size] == '\0';
}

/* Nanoseconds in the unit that the word names, 0 for an unknown one. */
static int64_t unit_named(const char *word, size_t size)
{
    static const struct {
        int64_t nanoseconds;
        const char *words[5];
    } units[] = {
        {1, {"ns", "nsec", "nsecs", "nanosecond", "nanoseconds"}},
        {1000, {"us", "usec", "usecs", "microsecond", "microseconds"}},
        {1000000, {"ms", "msec", "msecs", "millisecond", "milliseconds"}},
        {PU_NANOSECONDS, {"s", "sec", "secs", "second", "seconds"}},
        {60 * PU_NANOSECONDS, {"m", "min", "mins", "minute", "minutes"}},
        {3600 * PU_NANOSECONDS, {"h", "hour", "hours"}},
        {86400 * PU_NANOSECONDS, {"d", "day", "days"}},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        for (size_t k = 0; k < 5 && units[i].words[k]; k++) {
            if (same_word(word, size, units[i].words[k]))
                return units[i].nanoseconds;
        }
    }
    return 0;
}

/*
 * The unit behind a number. Only the last number may go without: "1 0s" is ten seconds to one
 * reader and one second to another, and "1.2.3" is a slip.
 */
static int read_unit(struct reader *in, int64_t *unit)
{
    const char *word;

    skip_blanks(in);
    word = in->at;
    *unit = PU_NANOSECONDS;
    if (*word == '\0')
        return 0;
    while (is_letter(*in->at))
        in->at++;
    if (in->at > word && (*unit = unit_named(word, (size_t)(in->at - word))) != 0)
        return 0;
    if (*word == '.' || *word == '+' || *word == '-' || is_digit(*word))
        pu_err_set(in->err, PU_E_SYNTAX, "a unit is missing before \"%.*s\"", piece_size(word),
                   word);
    else
        pu_err_set(in->err, PU_E_SYNTAX, "unknown unit \"%.*s\"", unit_size(word), word);
    return fail_at(in, word);
}

static int digit_of(const struct number *number, size_t place)
{
    return place < number->whole_size ? number->whole[place] - '0'
                                      : number->fraction[place - number->whole_size] - '0';
}

/*
 * number * unit, cut to whole nanoseconds, exactly: digits before the point (once the exponent has
 * moved it) by Horner's rule from the left, those behind it from the right, where cutting at each
 * step yields the same as cutting once at the end. Returns false when it does not fit.
 */
static bool multiply(const struct number *number, int64_t unit, int64_t *product)
{
    int64_t size = (int64_t)(number->whole_size + number->fraction_size);
    int64_t point = (int64_t)number->whole_size + number->exponent;
    int64_t whole = 0;
    int64_t rest = 0;

    for (int64_t i = 0; i < point && (i < size || whole > 0); i++) {
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, i < size ? digit_of(number, (size_t)i) : 0, &whole))
            return false;
    }
    for (int64_t i = size - 1; i >= 0 && i >= point; i--)
        rest = (digit_of(number, (size_t)i) * unit + rest) / 10;
    for (; point < 0 && rest > 0; point++)
        rest /= 10;
    return !__builtin_mul_overflow(whole, unit, &whole) &&
           !__builtin_add_overflow(whole, rest, product);
}

static int add_piece(struct reader *in, int64_t *total)
{
    struct number number;
    int64_t unit;
    int64_t product = 0;

    if (read_number(in, &number) < 0 || read_unit(in, &unit) < 0)
        return -1;
    if (!multiply(&number, unit, &product) || __builtin_add_overflow(*total, product, total)) {
        pu_err_set(in->err, PU_E_SYNTAX, "\"%.*s\" makes the interval longer than 292 years",
                   piece_size(number.start), number.start);
        return fail_at(in, number.start);
    }
    skip_blanks(in);
    return 0;
}

int pu_time_parse_interval(const char *text, int64_t *interval, struct pu_err *err)
{
    struct reader in = {text, text, err};
    int64_t total = 0;

    skip_blanks(&in);
    if (*in.at == '\0') {
        pu_err_set(err, PU_E_SYNTAX, "the interval is empty");
        return fail_at(&in, in.at);
    }
    while (*in.at) {
        if (add_piece(&in, &total) < 0)
            return -1;
    }
    *interval = total;
    return 0;
}

/* Digits behind a point, if there is one; those beyond nanoseconds are cut. */
static int read_fraction(struct reader *in, int64_t *nanoseconds)
{
    int64_t unit = PU_NANOSECONDS;

    *nanoseconds = 0;
    if (*in->at != '.')
        return 0;
    in->at++;
    if (!is_digit(*in->at)) {
        pu_err_set(in->err, PU_E_SYNTAX, "digits are missing after the point");
        return fail_at(in, in->at);
    }
    for (; is_digit(*in->at); in->at++) {
        unit /= 10;
        *nanoseconds += unit * (*in->at - '0');
    }
    return 0;
}

static int read_end(const struct reader *in)
{
    if (*in->at == '\0')
        return 0;
    pu_err_set(in->err, PU_E_SYNTAX, "\"%.60s\" does not belong to a time", in->at);
    return fail_at(in, in->at);
}

/* Both parts have one sign from here on, so that the ends of the range do not overflow half-way. */
static int join(const struct reader *in, int64_t seconds, int64_t nanoseconds, int64_t *point)
{
    int64_t sum;

    if (seconds < 0 && nanoseconds > 0) {
        seconds++;
        nanoseconds -= PU_NANOSECONDS;
    }
    if (!__builtin_mul_overflow(seconds, PU_NANOSECONDS, &sum) &&
        !__builtin_add_overflow(sum, nanoseconds, &sum)) {
        *point = sum;
        return 0;
    }
    pu_err_set(in->err, PU_E_SYNTAX, "\"%.60s\" is not between the years 1677 and 2262", in->text);
    return fail_at(in, in->text);
}

static int parse_seconds(struct reader *in, int64_t *point)
{
    bool negative = *++in->at == '-';
    int64_t seconds = 0;
    int64_t nanoseconds;

    if (negative)
        in->at++;
    if (!is_digit(*in->at)) {
        pu_err_set(in->err, PU_E_SYNTAX, "seconds are missing after \"@\"");
        return fail_at(in, in->at);
    }
    for (; is_digit(*in->at); in->at++) {
        if (seconds < INT64_MAX / 100) /* far beyond the range: join() says so */
            seconds = seconds * 10 + (*in->at - '0');
    }
    if (read_fraction(in, &nanoseconds) < 0 || read_end(in) < 0)
        return -1;
    return negative ? join(in, -seconds, -nanoseconds, point)
                    : join(in, seconds, nanoseconds, point);
}

/* One part of a date or time: `width` digits, from `low` to `high`. */
struct part {
    const char *name;
    int width;
    int low;
    int high;
};

static int read_part(struct reader *in, const struct part *part, int *value)
{
    const char *start = in->at;
    int sum = 0;

    for (int i = 0; i < part->width; i++, in->at++) {
        if (!is_digit(*in->at)) {
            pu_err_set(in->err, PU_E_SYNTAX, "\"%.60s\" does not begin with %d digits of the %s",
                       start, part->width, part->name);
            return fail_at(in, in->at);
        }
        sum = sum * 10 + (*in->at - '0');
    }
    if (sum < part->low || sum > part->high) {
        pu_err_set(in->err, PU_E_SYNTAX, "the %s %.*s is not between %02d and %02d", part->name,
                   part->width, start, part->low, part->high);
        return fail_at(in, start);
    }
    *value = sum;
    return 0;
}

static int read_byte(struct reader *in, char byte)
{
    if (*in->at == byte) {
        in->at++;
        return 0;
    }
    pu_err_set(in->err, PU_E_SYNTAX, "'%c' is missing before \"%.60s\"", byte, in->at);
    return fail_at(in, in->at);
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && leap);
}

static int read_date(struct reader *in, struct tm *tm)
{
    static const struct part year = {"year", 4, 0, 9999};
    static const struct part month = {"month", 2, 1, 12};
    static const struct part day = {"day", 2, 1, 31};
    const char *start = in->at;

    if (read_part(in, &year, &tm->tm_year) < 0 || read_byte(in, '-') < 0 ||
        read_part(in, &month, &tm->tm_mon) < 0 || read_byte(in, '-') < 0 ||
        read_part(in, &day, &tm->tm_mday) < 0)
        return -1;
    if (tm->tm_mday > days_in_month(tm->tm_year, tm->tm_mon)) {
        pu_err_set(in->err, PU_E_SYNTAX, "there is no day %.10s", start);
        return fail_at(in, in->at - 2);
    }
    tm->tm_year -= 1900;
    tm->tm_mon--;
    return 0;
}

static const struct part hour = {"hour", 2, 0, 23};
static const struct part minute = {"minute", 2, 0, 59};
static const struct part second = {"second", 2, 0, 59};

static int read_clock(struct reader *in, struct tm *tm, int64_t *nanoseconds)
{
    if (read_part(in, &hour, &tm->tm_hour) < 0 || read_byte(in, ':') < 0 ||
        read_part(in, &minute, &tm->tm_min) < 0)
        return -1;
    if (*in->at != ':')
        return 0;
    in->at++;
    if (read_part(in, &second, &tm->tm_sec) < 0)
        return -1;
    return read_fraction(in, nanoseconds);
}

/* A zone, if there is one: `offset` becomes its seconds east of Greenwich. */
static int read_zone(struct reader *in, bool *has_zone, int *offset)
{
    char sign = *in->at;
    int hours;
    int minutes;

    *offset = 0;
    *has_zone = sign == 'Z' || sign == '+' || sign == '-';
    if (!*has_zone)
        return 0;
    in->at++;
    if (sign == 'Z')
        return 0;
    if (read_part(in, &hour, &hours) < 0)
        return -1;
    if (*in->at == ':')
        in->at++;
    if (read_part(in, &minute, &minutes) < 0)
        return -1;
    *offset = (hours * 60 + minutes) * (sign == '-' ? -60 : 60);
    return 0;
}

/* mktime() makes another time of one that does not exist; returns false then. */
static bool local_seconds(const struct tm *wanted, int64_t *seconds)
{
    struct tm tm = *wanted;

    tm.tm_isdst = -1;
    *seconds = mktime(&tm);
    return tm.tm_mday == wanted->tm_mday && tm.tm_hour == wanted->tm_hour &&
           tm.tm_min == wanted->tm_min;
}

static int seconds_of(const struct reader *in, struct tm *tm, bool is_date, int64_t *seconds)
{
    if (local_seconds(tm, seconds))
        return 0;
    /* In some zones the clocks are put forward at midnight: that day begins at one. */
    if (is_date) {
        tm->tm_hour = 1;
        if (local_seconds(tm, seconds))
            return 0;
    }
    pu_err_set(in->err, PU_E_SYNTAX, "\"%.60s\" does not exist: clocks are put forward then",
               in->text);
    return fail_at(in, in->text);
}

static int parse_iso(struct reader *in, int64_t *point)
{
    struct tm tm = {0};
    int64_t seconds;
    int64_t nanoseconds = 0;
    bool has_zone;
    int offset;

    if (read_date(in, &tm) < 0)
        return -1;
    bool is_date = *in->at != 'T' && *in->at != ' ';
    if (!is_date) {
        in->at++;
        if (read_clock(in, &tm, &nanoseconds) < 0)
            return -1;
    }
    if (read_zone(in, &has_zone, &offset) < 0 || read_end(in) < 0)
        return -1;
    if (has_zone)
        seconds = timegm(&tm) - offset;
    else if (seconds_of(in, &tm, is_date, &seconds) < 0)
        return -1;
    return join(in, seconds, nanoseconds, point);
}

int pu_time_parse_point(const char *text, int64_t *point, struct pu_err *err)
{
    struct reader in = {text, text, err};

    if (strcmp(text, "now") == 0) {
        *point = pu_time_now();
        return 0;
    }
    return *text == '@' ? parse_seconds(&in, point) : parse_iso(&in, point);
}

/* Rounds down, so that nanoseconds count forward before 1970 too. */
static time_t split(int64_t point, int64_t *nanoseconds)
{
    int64_t seconds = point / PU_NANOSECONDS;

    *nanoseconds = point % PU_NANOSECONDS;
    if (*nanoseconds < 0) {
        *nanoseconds += PU_NANOSECONDS;
        seconds--;
    }
    return (time_t)seconds;
}

static char *put_digits(char *to, int64_t value, int width)
{
    for (int at = width - 1; at >= 0; at--, value /= 10)
        to[at] = (char)('0' + value % 10);
    return to + width;
}

/* Years have four digits: 64 bits of nanoseconds end in 2262. */
static char *put_civil(char *to, const struct tm *tm, char between)
{
    to = put_digits(to, tm->tm_year + 1900, 4);
    *to++ = '-';
    to = put_digits(to, tm->tm_mon + 1, 2);
    *to++ = '-';
    to = put_digits(to, tm->tm_mday, 2);
    *to++ = between;
    to = put_digits(to, tm->tm_hour, 2);
    *to++ = ':';
    to = put_digits(to, tm->tm_min, 2);
    *to++ = ':';
    return put_digits(to, tm->tm_sec, 2);
}

size_t pu_time_iso(char *to, int64_t point)
{
    int64_t nanoseconds;
    time_t seconds = split(point, &nanoseconds);
    struct tm tm;

    gmtime_r(&seconds, &tm);
    char *end = put_civil(to, &tm, 'T');
    if (nanoseconds > 0) {
        *end++ = '.';
        end = put_digits(end, nanoseconds, 9);
        while (end[-1] == '0')
            end--;
    }
    *end++ = 'Z';
    return (size_t)(end - to);
}

/* With three, six or nine digits behind the seconds. */
static size_t put_local(char *to, time_t seconds, int64_t fraction, int digits)
{
    struct tm tm;

    localtime_r(&seconds, &tm);
    char *end = put_civil(to, &tm, ' ');
    *end++ = '.';
    end = put_digits(end, fraction, digits);
    return (size_t)(end - to);
}

size_t pu_time_local(char *to, int64_t point)
{
    int64_t nanoseconds;
    time_t seconds = split(point, &nanoseconds);

    return put_local(to, seconds, nanoseconds / 1000000, 3);
}

size_t pu_time_local_exact(char *to, int64_t point)
{
    int64_t nanoseconds;
    time_t seconds = split(point, &nanoseconds);

    if (nanoseconds % 1000 == 0)
        return put_local(to, seconds, nanoseconds / 1000, 6);
    return put_local(to, seconds, nanoseconds, 9);
}

int64_t pu_time_clock(void)
{
    struct timespec clock;

    clock_gettime(CLOCK_MONOTONIC, &clock);
    return clock.tv_sec * PU_NANOSECONDS + clock.tv_nsec;
}

int64_t pu_time_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * PU_NANOSECONDS + now.tv_nsec;
}
