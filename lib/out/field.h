/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The field stream: a view walks its model once and says what there is; a writer makes text or JSON
 * of it. Key, label and layout of a member are declared once, in a static descriptor, so the two
 * can not drift apart. Nothing is kept: a million records stream through a constant amount of
 * memory.
 *
 * JSON: the rules are in pcputils(7). Each record that stands in a list begins on a line of its
 * own. Text: the forms below; every string is escaped for the user's terminal.
 */
#ifndef PU_OUT_FIELD_H
#define PU_OUT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "out/sink.h"

/* How the text writer lays a member out. */
enum pu_form {
    PU_FORM_PLAIN,  /* the value; a blank between it and what stands before. Containers: no trace */
    PU_FORM_HIDDEN, /* nothing: for programs only. Containers: nor anything in them */
    PU_FORM_BRACKETS,    /* [value], glued to what stands before */
    PU_FORM_SLASH,       /* /value, likewise */
    PU_FORM_PREFIX,      /* "value: " in front of the rest */
    PU_FORM_NEXT_PREFIX, /* the same, glued to a prefix before it: "file:12: " */
    PU_FORM_CLAUSE,      /* "value;" */
    PU_FORM_TAG,         /* [value], with a blank before it */
    PU_FORM_QUOTED,      /* strings in quotes */
    PU_FORM_ROUNDED,     /* numbers cut to six digits: for what is measured, not stored */
    PU_FORM_LABELLED,    /* label=value, strings in quotes */
    PU_FORM_LINE,        /* containers: the members make one line */
    PU_FORM_BLOCK, /* containers: one line a member, "label: value", indented under "label:" */
};

/* Static, shared by all records. `label` and `unit` are for the text writer and may be NULL. */
struct pu_field {
    const char *key; /* lower_snake; NULL: for people only, programs see nothing of it */
    const char *label;
    const char *unit;
    enum pu_form form;
};

enum pu_kind {
    PU_KIND_NULL,
    PU_KIND_BOOL,
    PU_KIND_I64,
    PU_KIND_U64,
    PU_KIND_HEX,    /* raw word: a hex string in JSON */
    PU_KIND_DOUBLE, /* text that reads back equal as a double */
    PU_KIND_FLOAT,  /* text that reads back equal as a float */
    PU_KIND_TIME,   /* nanoseconds since 1970 */
    PU_KIND_BYTES,  /* a string that may hold anything; UTF-8 if it stands in a list of strings */
    PU_KIND_SELECT, /* an instance's name, written so that it can be used in a selector */
    PU_KIND_NAME,   /* a metric's name, likewise */
    PU_KIND_JSON,   /* one JSON value, known to be valid, passed through */
};

struct pu_scalar {
    enum pu_kind kind;
    union {
        bool boolean;
        int64_t i64;
        uint64_t u64;
        double number;
        struct pu_span bytes;
    };
};

#define PU_OUT_DEPTH 16

struct pu_out;

struct pu_writer {
    void (*open)(struct pu_out *out, const struct pu_field *field, bool list);
    void (*close)(struct pu_out *out);
    void (*scalar)(struct pu_out *out, const struct pu_field *field,
                   const struct pu_scalar *scalar);
};

/* One level of nesting, as the writers see it. */
struct pu_level {
    const struct pu_field *field;
    bool list;
    bool used; /* something has been written in it */
};

struct pu_out {
    const struct pu_writer *writer;
    struct pu_sink *sink; /* borrowed */
    bool lines;           /* JSON: never break a line inside a record */
    unsigned int depth;
    struct pu_level levels[PU_OUT_DEPTH];
};

void pu_out_to_json(struct pu_out *out, struct pu_sink *sink);
/* One object a line: every outermost object is a record. */
void pu_out_to_json_lines(struct pu_out *out, struct pu_sink *sink);
void pu_out_to_text(struct pu_out *out, struct pu_sink *sink);

/*
 * Containers, at most PU_OUT_DEPTH deep. Inside a list the key of `field` is not used; `field` is
 * NULL for a document, and where only programs look.
 */
void pu_out_object(struct pu_out *out, const struct pu_field *field);
void pu_out_list(struct pu_out *out, const struct pu_field *field);
void pu_out_end(struct pu_out *out);

/* Scalars. `field` as above. */
static inline void pu_out_scalar(struct pu_out *out, const struct pu_field *field,
                                 struct pu_scalar scalar)
{
    out->writer->scalar(out, field, &scalar);
}

static inline void pu_out_null(struct pu_out *out, const struct pu_field *field)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_NULL});
}

static inline void pu_out_bool(struct pu_out *out, const struct pu_field *field, bool value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_BOOL, .boolean = value});
}

static inline void pu_out_i64(struct pu_out *out, const struct pu_field *field, int64_t value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_I64, .i64 = value});
}

static inline void pu_out_u64(struct pu_out *out, const struct pu_field *field, uint64_t value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_U64, .u64 = value});
}

static inline void pu_out_hex(struct pu_out *out, const struct pu_field *field, uint64_t value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_HEX, .u64 = value});
}

static inline void pu_out_double(struct pu_out *out, const struct pu_field *field, double value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_DOUBLE, .number = value});
}

static inline void pu_out_float(struct pu_out *out, const struct pu_field *field, float value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_FLOAT, .number = value});
}

static inline void pu_out_time(struct pu_out *out, const struct pu_field *field, int64_t value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_TIME, .i64 = value});
}

static inline void pu_out_bytes(struct pu_out *out, const struct pu_field *field,
                                struct pu_span value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_BYTES, .bytes = value});
}

static inline void pu_out_string(struct pu_out *out, const struct pu_field *field,
                                 const char *value)
{
    pu_out_bytes(out, field, pu_span_text(value));
}

static inline void pu_out_select(struct pu_out *out, const struct pu_field *field,
                                 struct pu_span value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_SELECT, .bytes = value});
}

static inline void pu_out_name(struct pu_out *out, const struct pu_field *field,
                               struct pu_span value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_NAME, .bytes = value});
}

static inline void pu_out_raw_json(struct pu_out *out, const struct pu_field *field,
                                   struct pu_span value)
{
    pu_out_scalar(out, field, (struct pu_scalar){.kind = PU_KIND_JSON, .bytes = value});
}

/* The document's first two members: {"schema":"pcputils/TOOL","version":VERSION,... */
void pu_out_document(struct pu_out *out, const char *tool, unsigned int version);

#endif
