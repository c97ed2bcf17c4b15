/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text writer: the forms of field.h, every string escaped for the user's terminal. */
#include "base/text.h"
#include "base/time.h"
#include "out/field.h"

static enum pu_form form_of(const struct pu_field *field)
{
    return field ? field->form : PU_FORM_PLAIN;
}

/* The nearest container that is a line or a block, or NULL. */
static struct pu_level *frame(struct pu_out *out)
{
    for (unsigned int depth = out->depth; depth > 0; depth--) {
        enum pu_form form = form_of(out->levels[depth - 1].field);
        if (form == PU_FORM_LINE || form == PU_FORM_BLOCK)
            return &out->levels[depth - 1];
    }
    return NULL;
}

static bool is_hidden(const struct pu_out *out)
{
    for (unsigned int depth = out->depth; depth > 0; depth--) {
        if (form_of(out->levels[depth - 1].field) == PU_FORM_HIDDEN)
            return true;
    }
    return false;
}

/* Blocks inside blocks stand two blanks further in. */
static void indent(struct pu_out *out)
{
    bool inner = false;

    for (unsigned int depth = 0; depth < out->depth; depth++) {
        if (form_of(out->levels[depth].field) != PU_FORM_BLOCK)
            continue;
        if (inner)
            pu_sink_text(out->sink, "  ");
        inner = true;
    }
}

static void open(struct pu_out *out, const struct pu_field *field, bool list)
{
    (void)list;
    if (is_hidden(out))
        return;
    if (form_of(field) == PU_FORM_BLOCK && field->label) {
        indent(out);
        pu_sink_text(out->sink, field->label);
        pu_sink_text(out->sink, ":\n");
    }
}

static void close(struct pu_out *out)
{
    struct pu_level *level = &out->levels[out->depth - 1];

    if (form_of(level->field) == PU_FORM_LINE && level->used)
        pu_sink_char(out->sink, '\n');
}

/* Will the name be shown without any escape? */
static bool is_plain(struct pu_span name)
{
    char shown[PU_ESCAPE_MAX];
    size_t used;

    while (name.size > 0) {
        used = pu_text_plain(name);
        if (used == 0 && (pu_text_escape_one(name, true, shown, &used) != used ||
                          memcmp(shown, name.data, used) != 0))
            return false;
        name.data += used;
        name.size -= used;
    }
    return true;
}

/* A name can stand bare in a selector if nothing in it means something else there. */
static bool is_bare(struct pu_span name)
{
    size_t digits = 0;

    if (name.size == 0 || name.data[0] == ' ' || name.data[name.size - 1] == ' ' || !is_plain(name))
        return false;
    for (size_t i = 0; i < name.size; i++) {
        if (memchr("[],*?", name.data[i], 5))
            return false;
        digits += name.data[i] >= '0' && name.data[i] <= '9';
    }
    return digits < name.size && !(digits == name.size - 1 && name.data[0] == '-');
}

/* Names of metrics as they should be; any other could be taken for more than a name. */
static bool is_plain_name(struct pu_span name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = name.data[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
        if (!letter && !(byte >= '0' && byte <= '9') && !memchr("_.:-", byte, 4))
            return false;
    }
    return name.size > 0;
}

static void put_number(struct pu_sink *sink, const struct pu_scalar *value, enum pu_form form)
{
    if (form == PU_FORM_ROUNDED) {
        pu_sink_printf(sink, "%.6g", value->number);
        return;
    }
    char *to = pu_sink_room(sink, PU_NUM_MAX);

    sink->used += value->kind == PU_KIND_FLOAT ? pu_num_float(to, (float)value->number)
                                               : pu_num_double(to, value->number);
}

static void put_string(struct pu_sink *sink, struct pu_span text, bool quote)
{
    if (quote)
        pu_sink_quoted(sink, text);
    else
        pu_sink_escaped(sink, text);
}

static void put_value(struct pu_sink *sink, const struct pu_scalar *value, enum pu_form form)
{
    switch (value->kind) {
    case PU_KIND_NULL:
        pu_sink_char(sink, '-');
        return;
    case PU_KIND_BOOL:
        pu_sink_text(sink, value->boolean ? "yes" : "no");
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
        put_number(sink, value, form);
        return;
    case PU_KIND_TIME:
        sink->used += pu_time_local(pu_sink_room(sink, PU_TIME_MAX), value->i64);
        return;
    case PU_KIND_BYTES:
        put_string(sink, value->bytes, form == PU_FORM_QUOTED || form == PU_FORM_LABELLED);
        return;
    case PU_KIND_SELECT:
        put_string(sink, value->bytes, !is_bare(value->bytes));
        return;
    case PU_KIND_NAME:
        put_string(sink, value->bytes, !is_plain_name(value->bytes));
        return;
    case PU_KIND_JSON:
        pu_sink_escaped(sink, value->bytes);
        return;
    }
}

static const char *label_of(const struct pu_field *field)
{
    return field->label ? field->label : field->key;
}

static bool is_glued(enum pu_form form)
{
    return form == PU_FORM_BRACKETS || form == PU_FORM_SLASH || form == PU_FORM_NEXT_PREFIX;
}

/* What stands in front of the value of a member of a line. */
static void put_start(struct pu_out *out, const struct pu_level *level,
                      const struct pu_field *field)
{
    struct pu_sink *sink = out->sink;

    if (!level->used)
        indent(out);
    else if (!is_glued(field->form))
        pu_sink_char(sink, ' ');
    if (field->form == PU_FORM_BRACKETS || field->form == PU_FORM_TAG)
        pu_sink_char(sink, '[');
    if (field->form == PU_FORM_SLASH)
        pu_sink_char(sink, '/');
    if (field->form == PU_FORM_LABELLED) {
        pu_sink_text(sink, label_of(field));
        pu_sink_char(sink, '=');
    }
}

static void put_finish(struct pu_sink *sink, const struct pu_field *field)
{
    if (field->unit) {
        pu_sink_char(sink, ' ');
        pu_sink_text(sink, field->unit);
    }
    if (field->form == PU_FORM_BRACKETS || field->form == PU_FORM_TAG)
        pu_sink_char(sink, ']');
    if (field->form == PU_FORM_PREFIX || field->form == PU_FORM_NEXT_PREFIX)
        pu_sink_char(sink, ':');
    if (field->form == PU_FORM_CLAUSE)
        pu_sink_char(sink, ';');
}

static void put_in_line(struct pu_out *out, struct pu_level *level, const struct pu_field *field,
                        const struct pu_scalar *value)
{
    put_start(out, level, field);
    put_value(out->sink, value, field->form);
    put_finish(out->sink, field);
    level->used = true;
}

static void put_in_block(struct pu_out *out, const struct pu_field *field,
                         const struct pu_scalar *value)
{
    indent(out);
    pu_sink_text(out->sink, label_of(field));
    pu_sink_text(out->sink, ": ");
    put_value(out->sink, value, field->form);
    put_finish(out->sink, field);
    pu_sink_char(out->sink, '\n');
}

static void scalar(struct pu_out *out, const struct pu_field *field, const struct pu_scalar *value)
{
    struct pu_level *level = frame(out);

    if (!level || !field || field->form == PU_FORM_HIDDEN || is_hidden(out))
        return;
    if (form_of(level->field) == PU_FORM_LINE)
        put_in_line(out, level, field, value);
    else
        put_in_block(out, field, value);
}

static const struct pu_writer writer = {open, close, scalar};

void pu_out_to_text(struct pu_out *out, struct pu_sink *sink)
{
    *out = (struct pu_out){.writer = &writer, .sink = sink};
}
