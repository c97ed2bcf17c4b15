/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/selector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

/* A selector being read from left to right. */
struct reader {
    const char *text;
    const char *at;
    struct pu_err *err;
};

/* A syntax error at `place`; columns count bytes from 1. */
static int fail(const struct reader *in, const char *place, const char *what)
{
    pu_err_set(in->err, PU_E_SYNTAX, "%s", what);
    in->err->column = (unsigned int)(place - in->text) + 1;
    return -1;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static void skip_blanks(struct reader *in)
{
    while (is_blank(*in->at))
        in->at++;
}

static bool has_wildcard(const char *text)
{
    return strpbrk(text, "*?") != NULL;
}

/* Hands the bytes over, with a NUL behind them, to whoever frees `*text`. */
static int take(struct pu_buf *buf, char **text, size_t *size, struct pu_err *err)
{
    pu_buf_text(buf);
    if (buf->failed) {
        pu_buf_free(buf);
        return pu_err_system(err, ENOMEM, "cannot hold the selector");
    }
    *text = buf->data;
    *size = buf->size;
    return 0;
}

static void put_utf8(struct pu_buf *buf, uint32_t character)
{
    if (character < 0x80) {
        pu_buf_add_char(buf, (char)character);
        return;
    }
    if (character < 0x800) {
        pu_buf_add_char(buf, (char)(0xc0 | character >> 6));
    } else {
        if (character < 0x10000) {
            pu_buf_add_char(buf, (char)(0xe0 | character >> 12));
        } else {
            pu_buf_add_char(buf, (char)(0xf0 | character >> 18));
            pu_buf_add_char(buf, (char)(0x80 | (character >> 12 & 0x3f)));
        }
        pu_buf_add_char(buf, (char)(0x80 | (character >> 6 & 0x3f)));
    }
    pu_buf_add_char(buf, (char)(0x80 | (character & 0x3f)));
}

/* `count` hexadecimal digits; returns false, with nothing read, when they are not there. */
static bool read_hex(struct reader *in, int count, uint32_t *value)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t sum = 0;

    for (int i = 0; i < count; i++) {
        char byte = in->at[i];
        if (byte >= 'A' && byte <= 'F')
            byte = (char)(byte + ('a' - 'A'));
        const char *digit = byte ? strchr(digits, byte) : NULL;
        if (!digit)
            return false;
        sum = sum << 4 | (uint32_t)(digit - digits);
    }
    in->at += count;
    *value = sum;
    return true;
}

/* What follows \u: four digits, or a pair of surrogates. `escape` is the place of its backslash. */
static int read_unicode(struct reader *in, const char *escape, struct pu_buf *name)
{
    uint32_t character;
    uint32_t low;

    if (!read_hex(in, 4, &character))
        return fail(in, escape, "\\u without four hexadecimal digits");
    if (character == 0)
        return fail(in, escape, "a name cannot hold a NUL");
    if (character >= 0xdc00 && character <= 0xdfff)
        return fail(in, escape, "half of a surrogate pair");
    if (character >= 0xd800 && character <= 0xdbff) {
        if (in->at[0] != '\\' || in->at[1] != 'u')
            return fail(in, escape, "half of a surrogate pair");
        in->at += 2;
        if (!read_hex(in, 4, &low) || low < 0xdc00 || low > 0xdfff)
            return fail(in, escape, "half of a surrogate pair");
        character = 0x10000 + ((character & 0x3ff) << 10) + (low & 0x3ff);
    }
    put_utf8(name, character);
    return 0;
}

/* \xHH is no JSON, but it is how our own text shows a byte that is no character. */
static int read_escape(struct reader *in, struct pu_buf *name)
{
    static const char letters[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    const char *escape = in->at++;
    char letter = *in->at;
    uint32_t byte;

    if (letter == '\0')
        return fail(in, escape, "nothing follows the backslash");
    in->at++;
    if (letter == 'u')
        return read_unicode(in, escape, name);
    if (letter == 'x') {
        if (!read_hex(in, 2, &byte))
            return fail(in, escape, "\\x without two hexadecimal digits");
        if (byte == 0)
            return fail(in, escape, "a name cannot hold a NUL");
        pu_buf_add_char(name, (char)byte);
        return 0;
    }
    for (const char *pair = letters; *pair; pair += 2) {
        if (letter == pair[0]) {
            pu_buf_add_char(name, pair[1]);
            return 0;
        }
    }
    return fail(in, escape, "unknown escape in a quoted name");
}

static int read_quoted(struct reader *in, struct pu_buf *name)
{
    const char *quote = in->at++;

    while (*in->at != '"') {
        size_t size = strcspn(in->at, "\"\\");
        pu_buf_add(name, in->at, size);
        in->at += size;
        if (*in->at == '\0')
            return fail(in, quote, "the closing '\"' is missing");
        if (*in->at == '\\' && read_escape(in, name) < 0)
            return -1;
    }
    in->at++;
    return 0;
}

static int read_unquoted(struct reader *in, struct pu_buf *name)
{
    size_t size = strcspn(in->at, "[]");

    if (size == 0)
        return fail(in, in->at, "the name of a metric is missing");
    if (in->at[size] == ']')
        return fail(in, in->at + size, "']' without '[' before it");
    pu_buf_add(name, in->at, size);
    in->at += size;
    return 0;
}

/* A name in quotes is no pattern. */
static int read_metric(struct reader *in, struct pu_selector *selector)
{
    struct pu_buf name = {0};
    bool quoted = *in->at == '"';
    size_t size;

    if ((quoted ? read_quoted(in, &name) : read_unquoted(in, &name)) < 0) {
        pu_buf_free(&name);
        return -1;
    }
    if (take(&name, &selector->metric, &size, in->err) < 0)
        return -1;
    selector->glob = !quoted && has_wildcard(selector->metric);
    return 0;
}

/* Reads digits, perhaps with a '-' in front, as an internal id. `start` is for the error. */
static int set_id(const struct reader *in, const char *start, struct pu_selector_instance *instance)
{
    bool negative = instance->name[0] == '-';
    uint64_t value;

    if (!pu_num_parse_u64(instance->name + negative, (uint64_t)INT32_MAX + negative, &value))
        return fail(in, start, "the id has more than 32 bits: quote it if it is a name");
    instance->pick = PU_PICK_ID;
    instance->id = negative ? (int32_t)(0 - (int64_t)value) : (int32_t)value;
    free(instance->name);
    instance->name = NULL;
    instance->name_size = 0;
    return 0;
}

static int read_bare(struct reader *in, struct pu_selector_instance *instance)
{
    struct pu_buf name = {0};
    const char *start = in->at;
    size_t size = strcspn(start, ",]");

    in->at += size;
    while (size > 0 && is_blank(start[size - 1]))
        size--;
    if (size == 0)
        return fail(in, start, "an instance is missing");
    pu_buf_add(&name, start, size);
    if (take(&name, &instance->name, &instance->name_size, in->err) < 0)
        return -1;
    const char *digits = instance->name + (instance->name[0] == '-');
    if (*digits && digits[strspn(digits, "0123456789")] == '\0')
        return set_id(in, start, instance);
    instance->pick = has_wildcard(instance->name) ? PU_PICK_GLOB : PU_PICK_NAME;
    return 0;
}

static int read_instance(struct reader *in, struct pu_selector_instance *instance)
{
    struct pu_buf name = {0};

    skip_blanks(in);
    if (*in->at != '"')
        return read_bare(in, instance);
    instance->pick = PU_PICK_NAME;
    if (read_quoted(in, &name) < 0) {
        pu_buf_free(&name);
        return -1;
    }
    return take(&name, &instance->name, &instance->name_size, in->err);
}

/* Room for one more, zeroed and counted, so that pu_selector_free() finds what a failure leaves. */
static struct pu_selector_instance *add_instance(struct pu_selector *selector, size_t *capacity)
{
    if (selector->count == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 4;
        void *grown = reallocarray(selector->instances, more, sizeof(*selector->instances));
        if (!grown)
            return NULL;
        selector->instances = grown;
        *capacity = more;
    }
    struct pu_selector_instance *instance = &selector->instances[selector->count++];
    memset(instance, 0, sizeof(*instance));
    return instance;
}

static int read_instances(struct reader *in, struct pu_selector *selector)
{
    const char *bracket = in->at;
    size_t capacity = 0;

    do {
        in->at++;
        struct pu_selector_instance *instance = add_instance(selector, &capacity);
        if (!instance)
            return pu_err_system(in->err, ENOMEM, "cannot hold the selector");
        if (read_instance(in, instance) < 0)
            return -1;
        skip_blanks(in);
    } while (*in->at == ',');
    if (*in->at == '\0')
        return fail(in, bracket, "the closing ']' is missing");
    if (*in->at != ']')
        return fail(in, in->at, "',' or ']' is missing after the quoted name");
    in->at++;
    return 0;
}

int pu_selector_parse(const char *text, struct pu_selector *selector, struct pu_err *err)
{
    struct reader in = {text, text, err};

    memset(selector, 0, sizeof(*selector));
    if (read_metric(&in, selector) < 0)
        return -1;
    if (*in.at == '[' && read_instances(&in, selector) < 0)
        return -1;
    if (*in.at)
        return fail(&in, in.at, "nothing can follow the closing ']'");
    return 0;
}

void pu_selector_free(struct pu_selector *selector)
{
    for (size_t i = 0; i < selector->count; i++)
        free(selector->instances[i].name);
    free(selector->instances);
    free(selector->metric);
    memset(selector, 0, sizeof(*selector));
}

bool pu_selector_has_metric(const struct pu_selector *selector, struct pu_span name)
{
    struct pu_span wanted = pu_span_text(selector->metric);

    return selector->glob ? pu_glob_match(wanted, name) : pu_span_equal(wanted, name);
}

static bool picks(const struct pu_selector_instance *instance, int32_t id, struct pu_span name)
{
    struct pu_span wanted = {(const unsigned char *)instance->name, instance->name_size};

    switch (instance->pick) {
    case PU_PICK_ID:
        return instance->id == id;
    case PU_PICK_NAME:
        return pu_span_equal(wanted, name);
    case PU_PICK_GLOB:
        return pu_glob_match(wanted, name);
    }
    return false;
}

bool pu_selector_has_instance(const struct pu_selector *selector, int32_t id, struct pu_span name)
{
    if (!selector->instances)
        return true;
    for (size_t i = 0; i < selector->count; i++) {
        if (picks(&selector->instances[i], id, name))
            return true;
    }
    return false;
}

bool pu_selector_has_singular(const struct pu_selector *selector)
{
    return !selector->instances;
}

/* Behind the quote that ends what begins at `at`, or the end of the text. */
static size_t skip_quoted(struct pu_span text, size_t at)
{
    for (at++; at < text.size && text.data[at] != '"'; at++)
        at += text.data[at] == '\\';
    return at < text.size ? at + 1 : text.size;
}

/* Behind the bracket that ends what begins at `at`, or the end of the text; as read_instances(). */
static size_t skip_brackets(struct pu_span text, size_t at)
{
    do {
        at++;
        while (at < text.size && is_blank((char)text.data[at]))
            at++;
        if (at < text.size && text.data[at] == '"')
            at = skip_quoted(text, at);
        while (at < text.size && text.data[at] != ',' && text.data[at] != ']')
            at++;
    } while (at < text.size && text.data[at] == ',');
    return at < text.size ? at + 1 : text.size;
}

bool pu_assignment_split(struct pu_span text, struct pu_assignment *assignment)
{
    size_t at = text.size > 0 && text.data[0] == '"' ? skip_quoted(text, 0) : 0;

    while (at < text.size && text.data[at] != '=')
        at = text.data[at] == '[' ? skip_brackets(text, at) : at + 1;
    if (at >= text.size)
        return false;
    assignment->add = at > 0 && text.data[at - 1] == '+';
    assignment->target = (struct pu_span){text.data, at - assignment->add};
    assignment->value = (struct pu_span){text.data + at + 1, text.size - at - 1};
    return true;
}

/* Only the last '*' is ever retried: whatever an earlier one could take, the later one can too. */
bool pu_glob_match(struct pu_span pattern, struct pu_span text)
{
    size_t at = 0;
    size_t from = 0;
    size_t star = SIZE_MAX; /* place of the last one, which covers the text up to `retry` */
    size_t retry = 0;

    while (from < text.size) {
        if (at < pattern.size && pattern.data[at] == '*') {
            star = at++;
            retry = from;
        } else if (at < pattern.size &&
                   (pattern.data[at] == '?' || pattern.data[at] == text.data[from])) {
            at++;
            from++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            from = ++retry;
        } else {
            return false;
        }
    }
    while (at < pattern.size && pattern.data[at] == '*')
        at++;
    return at == pattern.size;
}
