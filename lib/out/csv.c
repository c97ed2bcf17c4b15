/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CSV writer: one row an outermost object. Rules: field.h, RFC 4180. */
#include "base/text.h"
#include "base/time.h"
#include "out/field.h"

static void open(struct pu_out *out, const struct pu_field *field, bool list)
{
    (void)out;
    (void)field;
    (void)list;
}

static void close(struct pu_out *out)
{
    if (out->depth == 1)
        pu_sink_text(out->sink, "\r\n");
}

/* Quotes around it are needed when a reader could take a byte of it for more than text. */
static bool is_plain(struct pu_span text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == ',' || text.data[i] == '"')
            return false;
    }
    return text.size > 0 && text.data[0] != ' ' && text.data[text.size - 1] != ' ';
}

/* Escaped for a terminal, and a quote is written twice. An empty string is "", null is nothing. */
static void put_string(struct pu_sink *sink, struct pu_span text)
{
    bool plain = is_plain(text);

    if (!plain)
        pu_sink_char(sink, '"');
    while (text.size > 0) {
        size_t used = 1;
        char *to = pu_sink_room(sink, PU_ESCAPE_MAX);
        if (*text.data == '"')
            pu_sink_text(sink, "\"\"");
        else
            sink->used += pu_text_escape_one(text, false, to, &used);
        text.data += used;
        text.size -= used;
    }
    if (!plain)
        pu_sink_char(sink, '"');
}

static void put_time(struct pu_sink *sink, int64_t value)
{
    sink->used += pu_time_iso(pu_sink_room(sink, PU_TIME_MAX), value);
}

static void put_number(struct pu_sink *sink, double value, bool is_float)
{
    char *to = pu_sink_room(sink, PU_NUM_MAX);

    sink->used += is_float ? pu_num_float(to, (float)value) : pu_num_double(to, value);
}

static void put_cell(struct pu_sink *sink, const struct pu_scalar *value)
{
    switch (value->kind) {
    case PU_KIND_NULL:
        return;
    case PU_KIND_BOOL:
        pu_sink_text(sink, value->boolean ? "true" : "false");
        return;
    case PU_KIND_I64:
        pu_sink_i64(sink, value->i64);
        return;
    case PU_KIND_U64:
        pu_sink_u64(sink, value->u64);
        return;
    case PU_KIND_HEX:
        pu_sink_hex(sink, value->u64);
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
    case PU_KIND_JSON:
        put_string(sink, value->bytes);
        return;
    case PU_KIND_BINARY:
        pu_sink_hex_bytes(sink, value->bytes);
        return;
    }
}

static void scalar(struct pu_out *out, const struct pu_field *field, const struct pu_scalar *value)
{
    struct pu_level *row = &out->levels[0];

    if (field && !field->key)
        return;
    if (row->used)
        pu_sink_char(out->sink, ',');
    row->used = true;
    put_cell(out->sink, value);
}

static const struct pu_writer writer = {open, close, scalar};

void pu_out_to_csv(struct pu_out *out, struct pu_sink *sink, const char *const *keys)
{
    *out = (struct pu_out){.writer = &writer, .sink = sink};
    for (size_t i = 0; keys[i]; i++) {
        if (i > 0)
            pu_sink_char(sink, ',');
        pu_sink_text(sink, keys[i]);
    }
    pu_sink_text(sink, "\r\n");
}
