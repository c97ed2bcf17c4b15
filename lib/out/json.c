/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON writer. It writes as it goes and owns numbers and escaping; the rules: pcputils(7). */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/time.h"
#include "out/field.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

static void put_unicode(struct pu_sink *sink, uint32_t character)
{
    char *to = pu_sink_room(sink, 16);

    if (character < 0x10000) {
        sink->used += (size_t)sprintf(to, "\\u%04x", (unsigned int)character);
        return;
    }
    character -= 0x10000; /* two surrogates */
    sink->used += (size_t)sprintf(to, "\\u%04x\\u%04x", 0xd800 | character >> 10,
                                  0xdc00 | (character & 0x3ff));
}

static void put_ascii(struct pu_sink *sink, unsigned char byte)
{
    switch (byte) {
    case '"':
        pu_sink_add(sink, "\\\"", 2);
        return;
    case '\\':
        pu_sink_add(sink, "\\\\", 2);
        return;
    case '\n':
        pu_sink_add(sink, "\\n", 2);
        return;
    case '\t':
        pu_sink_add(sink, "\\t", 2);
        return;
    case '\r':
        pu_sink_add(sink, "\\r", 2);
        return;
    default:
        put_unicode(sink, byte);
    }
}

/* Valid JSON may hold these as they are, but a terminal that shows it may obey them. */
static bool obeyed(uint32_t character)
{
    return (character >= 0x7f && character < 0xa0) || pu_text_is_unsafe(character);
}

/*
 * Puts the first character of `text`, which is not plain ASCII, and returns its size; a byte that
 * is not UTF-8 becomes U+FFFD and makes `exact` false.
 */
static size_t put_character(struct pu_sink *sink, struct pu_span text, bool *exact)
{
    uint32_t character;
    size_t size = pu_text_utf8(text, &character);

    if (size == 0) {
        *exact = false;
        pu_sink_add(sink, replacement, 3);
        return 1;
    }
    if (obeyed(character))
        put_unicode(sink, character);
    else if (character < 0x80)
        put_ascii(sink, (unsigned char)character);
    else
        pu_sink_add(sink, text.data, size);
    return size;
}

/* Returns false when bytes were lost to U+FFFD. */
static bool put_string(struct pu_sink *sink, struct pu_span text)
{
    bool exact = true;

    pu_sink_char(sink, '"');
    while (text.size > 0) {
        size_t used = pu_text_plain(text);
        if (used > 0)
            pu_sink_add(sink, text.data, used);
        else
            used = put_character(sink, text, &exact);
        text.data += used;
        text.size -= used;
    }
    pu_sink_char(sink, '"');
    return exact;
}

/*
 * Non-ASCII bytes of valid JSON stand inside strings only, where an escape means the same; line
 * breaks stand outside of them only, where a blank does.
 */
static void put_json(struct pu_sink *sink, struct pu_span text)
{
    uint32_t character;

    while (text.size > 0) {
        size_t size = pu_text_utf8(text, &character);
        if (size > 0 && obeyed(character))
            put_unicode(sink, character);
        else if (size == 1 && (character == '\n' || character == '\r'))
            pu_sink_char(sink, ' ');
        else
            pu_sink_add(sink, text.data, size = size ? size : 1);
        text.data += size;
        text.size -= size;
    }
}

static void put_base64(struct pu_sink *sink, struct pu_span bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pu_sink_char(sink, '"');
    for (size_t at = 0; at < bytes.size; at += 3) {
        size_t left = bytes.size - at;
        uint32_t word = (uint32_t)bytes.data[at] << 16;
        word |= left > 1 ? (uint32_t)bytes.data[at + 1] << 8 : 0;
        word |= left > 2 ? bytes.data[at + 2] : 0;
        char *to = pu_sink_room(sink, 4);
        to[0] = digits[word >> 18];
        to[1] = digits[word >> 12 & 63];
        to[2] = left > 1 ? digits[word >> 6 & 63] : '=';
        to[3] = left > 2 ? digits[word & 63] : '=';
        sink->used += 4;
    }
    pu_sink_char(sink, '"');
}

static void put_key(struct pu_sink *sink, const char *key)
{
    size_t size = strlen(key);
    char *to = pu_sink_room(sink, size + 3);

    *to = '"';
    memcpy(to + 1, key, size);
    memcpy(to + 1 + size, "\":", 2);
    sink->used += size + 3;
}

/* Comma, line break and key: what stands in front of a member. */
static void put_lead(struct pu_out *out, const struct pu_field *field, bool object)
{
    if (out->depth == 0)
        return;
    struct pu_level *level = &out->levels[out->depth - 1];
    if (level->used)
        pu_sink_char(out->sink, ',');
    level->used = true;
    if (level->list) {
        if (object && !out->lines)
            pu_sink_char(out->sink, '\n');
        return;
    }
    put_key(out->sink, field->key);
}

static void open(struct pu_out *out, const struct pu_field *field, bool list)
{
    put_lead(out, field, !list);
    pu_sink_char(out->sink, list ? '[' : '{');
}

static void close(struct pu_out *out)
{
    pu_sink_char(out->sink, out->levels[out->depth - 1].list ? ']' : '}');
    if (out->depth == 1)
        pu_sink_char(out->sink, '\n');
}

static void put_bytes(struct pu_out *out, const struct pu_field *field, struct pu_span bytes)
{
    if (put_string(out->sink, bytes) || out->levels[out->depth - 1].list)
        return;
    pu_sink_printf(out->sink, ",\"%s_b64\":", field->key);
    put_base64(out->sink, bytes);
}

static void put_number(struct pu_sink *sink, double value, bool is_float)
{
    bool quote = !isfinite(value);

    if (quote)
        pu_sink_char(sink, '"');
    char *to = pu_sink_room(sink, PU_NUM_MAX);
    sink->used += is_float ? pu_num_float(to, (float)value) : pu_num_double(to, value);
    if (quote)
        pu_sink_char(sink, '"');
}

/* Readers that know only signed 64-bit integers refuse a larger one: it becomes a string. */
static void put_u64(struct pu_sink *sink, uint64_t value)
{
    bool quote = value > INT64_MAX;

    if (quote)
        pu_sink_char(sink, '"');
    pu_sink_u64(sink, value);
    if (quote)
        pu_sink_char(sink, '"');
}

static void put_hex(struct pu_sink *sink, uint64_t value)
{
    pu_sink_char(sink, '"');
    pu_sink_hex(sink, value);
    pu_sink_char(sink, '"');
}

static void put_time(struct pu_sink *sink, int64_t value)
{
    pu_sink_char(sink, '"');
    sink->used += pu_time_iso(pu_sink_room(sink, PU_TIME_MAX), value);
    pu_sink_char(sink, '"');
}

static void scalar(struct pu_out *out, const struct pu_field *field, const struct pu_scalar *value)
{
    struct pu_sink *sink = out->sink;

    if (field && !field->key)
        return;
    put_lead(out, field, false);
    switch (value->kind) {
    case PU_KIND_NULL:
        pu_sink_add(sink, "null", 4);
        return;
    case PU_KIND_BOOL:
        pu_sink_text(sink, value->boolean ? "true" : "false");
        return;
    case PU_KIND_I64:
        pu_sink_i64(sink, value->i64);
        return;
    case PU_KIND_U64:
        put_u64(sink, value->u64);
        return;
    case PU_KIND_HEX:
        put_hex(sink, value->u64);
        return;
    case PU_KIND_DOUBLE:
    case PU_KIND_FLOAT:
        put_number(sink, value->number, value->kind == PU_KIND_FLOAT);
        return;
    case PU_KIND_TIME:
        put_time(sink, value->i64);
        return;
    case PU_KIND_BYTES:
    case PU_KIND_SELECT:
    case PU_KIND_NAME:
        put_bytes(out, field, value->bytes);
        return;
    case PU_KIND_JSON:
        put_json(sink, value->bytes);
        return;
    case PU_KIND_BINARY:
        put_base64(sink, value->bytes);
        return;
    }
}

static const struct pu_writer writer = {open, close, scalar};

void pu_out_to_json(struct pu_out *out, struct pu_sink *sink)
{
    *out = (struct pu_out){.writer = &writer, .sink = sink};
}

void pu_out_to_json_lines(struct pu_out *out, struct pu_sink *sink)
{
    *out = (struct pu_out){.writer = &writer, .sink = sink, .lines = true};
}
