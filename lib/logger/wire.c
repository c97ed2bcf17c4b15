/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/wire.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"

#define STATUS_2_SIZE  264
#define STATUS_3_TEXTS 88
#define VERSION_CRED   1
#define INSITU         0 /* how values are kept in a result: in the word itself */

/* --- messages from a logger ------------------------------------------------------------------- */

static int short_of(struct pu_span pdu, struct pu_err *err)
{
    return pu_err_damage(err, pdu.size, "the logger's answer is too short");
}

int pu_logger_get_header(struct pu_span bytes, struct pu_logger_header *header, struct pu_err *err)
{
    struct pu_cursor in = pu_cursor(bytes, 0, PU_BIG);

    header->length = pu_cursor_u32(&in);
    header->type = pu_cursor_u32(&in);
    header->from = pu_cursor_i32(&in);
    if (in.bad)
        return short_of(bytes, err);
    if (header->length < PU_LOGGER_HEADER || header->length > PU_LOGGER_RESULT_MAX)
        return pu_err_damage(err, 0, "the logger's answer claims to have %u bytes", header->length);
    return 0;
}

int pu_logger_get_error(struct pu_span pdu, int32_t *code, struct pu_err *err)
{
    struct pu_cursor in = pu_cursor(pdu, PU_LOGGER_HEADER, PU_BIG);

    *code = pu_cursor_i32(&in);
    return in.bad ? short_of(pdu, err) : 0;
}

/* Seconds and a part of one, `unit` nanoseconds each. */
static int64_t get_time(struct pu_cursor *in, int64_t seconds, int64_t unit, struct pu_err *err)
{
    uint64_t at = in->at;
    uint32_t part = pu_cursor_u32(in);
    int64_t rest;
    int64_t time;

    if (__builtin_mul_overflow(seconds, PU_NANOSECONDS, &time) ||
        __builtin_mul_overflow((int64_t)part, unit, &rest) || rest >= PU_NANOSECONDS ||
        __builtin_add_overflow(time, rest, &time)) {
        pu_err_damage(err, at, "a time that there is not");
        in->bad = true;
        return 0;
    }
    return time;
}

static int64_t get_time_2(struct pu_cursor *in, struct pu_err *err)
{
    int64_t seconds = pu_cursor_i32(in);

    return get_time(in, seconds, 1000, err);
}

/* Unlike every other number of 64 bits, seconds have their lower half first. */
static int64_t get_time_3(struct pu_cursor *in, struct pu_err *err)
{
    uint64_t low = pu_cursor_u32(in);
    uint64_t high = pu_cursor_u32(in);

    return get_time(in, (int64_t)(high << 32 | low), 1, err);
}

static void keep_text(char to[PU_LOGGER_TEXT_MAX], struct pu_span text)
{
    text = pu_span_clip(pu_span_until_nul(text), 0, PU_LOGGER_TEXT_MAX - 1);
    if (text.size > 0)
        memcpy(to, text.data, text.size);
    to[text.size] = '\0';
}

/* What both versions have in the same order. A logger that has nothing to log yet leaves the first
 * two times undefined. */
static int get_figures(struct pu_cursor *in, int64_t (*time)(struct pu_cursor *, struct pu_err *),
                       struct pu_logger_status *status, struct pu_err *err)
{
    struct pu_cursor times = *in;
    struct pu_err ignored;
    uint64_t size = time == get_time_3 ? 12 : 8;

    in->at += 2 * size;
    status->now = time(in, err);
    status->started = pu_cursor_u32(in) != 0;
    status->volume = pu_cursor_i32(in);
    status->size = pu_cursor_i64(in);
    if (in->bad || !status->started)
        return in->bad ? -1 : 0;
    status->start = time(&times, err);
    if (times.bad)
        return -1;
    status->last = time(&times, &ignored);
    if (times.bad)
        *err = ignored;
    return times.bad ? -1 : 0;
}

static int get_status_2(struct pu_span pdu, struct pu_logger_status *status, struct pu_err *err)
{
    struct pu_cursor in = pu_cursor(pdu, PU_LOGGER_HEADER + 4, PU_BIG);

    if (pdu.size != STATUS_2_SIZE)
        return pu_err_damage(err, 0, "a status of %zu bytes, not %d", pdu.size, STATUS_2_SIZE);
    if (get_figures(&in, get_time_2, status, err) < 0)
        return -1;
    keep_text(status->pmcd_host, pu_cursor_bytes(&in, 64));
    keep_text(status->pmcd_connection, pu_cursor_bytes(&in, 64));
    keep_text(status->pmcd_timezone, pu_cursor_bytes(&in, 40));
    keep_text(status->pmlogger_timezone, pu_cursor_bytes(&in, 40));
    return in.bad ? short_of(pdu, err) : 0;
}

/* Six lengths, then the texts, each with its NUL. */
static int get_texts(struct pu_cursor *in, struct pu_logger_status *status, struct pu_err *err)
{
    char *const texts[] = {
        status->pmcd_host,     status->pmcd_connection,   status->pmcd_timezone,
        status->pmcd_zoneinfo, status->pmlogger_timezone, status->pmlogger_zoneinfo,
    };
    struct pu_cursor lengths = *in;

    in->at = STATUS_3_TEXTS;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        uint64_t at = lengths.at;
        uint32_t length = pu_cursor_u32(&lengths);
        struct pu_span text = pu_cursor_bytes(in, length);
        if (in->bad || length >= PU_LOGGER_TEXT_MAX)
            return pu_err_damage(err, at, "a text of %u bytes", length);
        if (length > 0 && text.data[length - 1] != '\0')
            return pu_err_damage(err, at, "a text without its NUL");
        keep_text(texts[i], text);
    }
    return 0;
}

static int get_status_3(struct pu_span pdu, struct pu_logger_status *status, struct pu_err *err)
{
    struct pu_cursor in = pu_cursor(pdu, PU_LOGGER_HEADER, PU_BIG);

    if (pdu.size < STATUS_3_TEXTS)
        return short_of(pdu, err);
    if (get_figures(&in, get_time_3, status, err) < 0)
        return -1;
    return get_texts(&in, status, err);
}

int pu_logger_get_status(struct pu_span pdu, struct pu_logger_status *status, struct pu_err *err)
{
    struct pu_logger_header header;

    memset(status, 0, sizeof(*status));
    if (pu_logger_get_header(pdu, &header, err) < 0)
        return -1;
    if (header.type == PU_LOGGER_STATUS_2)
        return get_status_2(pdu, status, err);
    return get_status_3(pdu, status, err);
}

/* Goes over the metrics; with `result`, that has room for them, fills it. Returns how many values
 * there are, or -1. */
static int64_t walk_result(struct pu_cursor in, uint32_t count, struct pu_log_result *result,
                           struct pu_err *err)
{
    size_t values = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct pu_log_set set = {.pmid = pu_cursor_u32(&in), .numval = pu_cursor_i32(&in)};
        uint64_t at = in.at;
        if (set.numval > 0) {
            if (pu_cursor_u32(&in) != INSITU)
                return pu_err_damage(err, at, "values of a kind that has no place here");
            set.vlist = result ? result->values + values : NULL;
            struct pu_cursor list =
                pu_cursor(pu_cursor_bytes(&in, 8 * (uint64_t)(uint32_t)set.numval), 0, PU_BIG);
            for (int32_t k = 0; result && k < set.numval; k++) {
                set.vlist[k].inst = pu_cursor_i32(&list);
                set.vlist[k].value = pu_cursor_u32(&list);
            }
            values += (size_t)set.numval;
        }
        if (in.bad)
            return pu_err_damage(err, at, "more values than the answer has room for");
        if (result)
            result->vset[i] = set;
    }
    return (int64_t)values;
}

int pu_logger_get_result(struct pu_span pdu, struct pu_log_result *result, struct pu_err *err)
{
    struct pu_cursor in = pu_cursor(pdu, PU_LOGGER_HEADER + 8, PU_BIG);
    uint32_t count = pu_cursor_u32(&in);

    memset(result, 0, sizeof(*result));
    if (in.bad)
        return short_of(pdu, err);
    if (count > pdu.size / 8)
        return pu_err_damage(err, in.at - 4, "more metrics than the answer has room for");
    int64_t values = walk_result(in, count, NULL, err);
    if (values < 0)
        return -1;
    result->numpmid = count;
    result->vset = calloc((size_t)count + 1, sizeof(*result->vset));
    result->values = calloc((size_t)values + 1, sizeof(*result->values));
    if (!result->vset || !result->values) {
        pu_log_result_free(result);
        return pu_err_system(err, ENOMEM, "cannot hold the logger's answer");
    }
    return walk_result(in, count, result, err) < 0 ? -1 : 0;
}

void pu_log_result_free(struct pu_log_result *result)
{
    free(result->vset);
    free(result->values);
    memset(result, 0, sizeof(*result));
}

/* --- messages to a logger --------------------------------------------------------------------- */

static void put(struct pu_buf *to, uint32_t word)
{
    unsigned char bytes[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16),
                              (unsigned char)(word >> 8), (unsigned char)word};

    pu_buf_add(to, bytes, sizeof(bytes));
}

static void put_header(struct pu_buf *to, uint32_t length, uint32_t type, int32_t from)
{
    put(to, length);
    put(to, type);
    put(to, (uint32_t)from);
}

void pu_logger_put_creds(struct pu_buf *to, int32_t from, int version)
{
    put_header(to, PU_LOGGER_HEADER + 8, PU_LOGGER_CREDS, from);
    put(to, 1);
    put(to, (uint32_t)VERSION_CRED << 24 | ((uint32_t)version & 0xff) << 16);
}

void pu_logger_put_request(struct pu_buf *to, int32_t from, uint32_t request)
{
    put_header(to, PU_LOGGER_HEADER + 4, PU_LOGGER_REQUEST, from);
    put(to, request);
}

void pu_logger_put_control(struct pu_buf *to, int32_t from, const struct pu_log_result *request,
                           int control, int state, int delta)
{
    size_t words = 4;

    for (size_t i = 0; i < request->numpmid; i++)
        words += 2 + 2 * (size_t)request->vset[i].numval;
    put_header(to, (uint32_t)(PU_LOGGER_HEADER + 4 * words), PU_LOGGER_CONTROL, from);
    put(to, (uint32_t)control);
    put(to, (uint32_t)state);
    put(to, (uint32_t)delta);
    put(to, (uint32_t)request->numpmid);
    for (size_t i = 0; i < request->numpmid; i++) {
        const struct pu_log_set *set = &request->vset[i];
        put(to, set->pmid);
        put(to, (uint32_t)set->numval);
        for (int32_t k = 0; k < set->numval; k++) {
            put(to, (uint32_t)set->vlist[k].inst);
            put(to, 0);
        }
    }
}
