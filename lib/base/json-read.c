/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json-read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

static json_t *load(struct pu_span text, size_t flags, struct pu_err *err)
{
    json_error_t error;
    json_t *value =
        json_loadb((const char *)text.data, text.size, flags | JSON_REJECT_DUPLICATES, &error);

    if (value)
        return value;
    /* jansson has no words for it; where it has some, it takes it for an error in the text. */
    if (!error.text[0]) {
        pu_err_system(err, ENOMEM, "cannot hold the document");
        return NULL;
    }
    if (json_error_code(&error) == json_error_null_character)
        pu_err_set(err, PU_E_SYNTAX, "a NUL would end the text");
    else
        pu_err_set(err, PU_E_SYNTAX, "%s", error.text);
    err->line = error.line > 0 ? (unsigned int)error.line : 1;
    err->column = error.column > 0 ? (unsigned int)error.column : 1;
    return NULL;
}

int pu_json_parse(struct pu_json *json, struct pu_span text, struct pu_err *err)
{
    json->text = text;
    json->root = load(text, 0, err);
    return json->root ? 0 : -1;
}

/* Long lists, of which only one element at a time is in memory */

/* What is before the elements of a list, and what is behind them, as if it were one text. */
struct around {
    struct pu_span before, behind;
};

static size_t feed(void *to, size_t room, void *data)
{
    struct around *around = data;
    struct pu_span *from = around->before.size > 0 ? &around->before : &around->behind;
    size_t size = from->size < room ? from->size : room;

    memcpy(to, from->data, size);
    from->data += size;
    from->size -= size;
    return size;
}

int pu_json_parse_but(struct pu_json *json, struct pu_span text, const char *const *lists,
                      struct pu_err *err)
{
    struct pu_json_items *apart = &json->apart;

    while (*lists && !pu_json_find_items(text, *lists, &apart->rest, &apart->count))
        lists++;
    if (*lists) {
        size_t before = (size_t)(apart->rest.data - text.data);
        struct around around = {{text.data, before},
                                pu_span_clip(text, before + apart->rest.size, text.size)};
        json->text = text;
        json->root = json_load_callback(feed, &around, JSON_REJECT_DUPLICATES, NULL);
    }
    if (!json->root)
        return pu_json_parse(json, text, err);
    json->apart_path = *lists;
    return 0;
}

int pu_json_items(struct pu_json *json, const json_t *object, const char *key,
                  struct pu_json_items *items, struct pu_err *err)
{
    json_t *list;
    int given = pu_json_list(json, object, key, &list, err);

    if (given <= 0)
        return given;
    size_t mark = pu_json_enter(json, key);
    if (json->apart_path && strcmp(json->path, json->apart_path) == 0)
        *items = json->apart;
    else
        *items = (struct pu_json_items){.list = list, .count = json_array_size(list)};
    pu_json_leave(json, mark);
    return 1;
}

json_t *pu_json_next(struct pu_json_items *items, struct pu_err *err)
{
    if (items->list)
        return json_incref(json_array_get(items->list, items->next++));
    const unsigned char *end =
        pu_json_skip_value(items->rest.data, items->rest.data + items->rest.size);
    struct pu_span item = {items->rest.data, (size_t)(end - items->rest.data)};
    items->rest = pu_span_clip(items->rest, item.size + 1, items->rest.size);
    return load(item, JSON_DECODE_ANY, err);
}

void pu_json_blame_text(const struct pu_json *json, struct pu_err *err)
{
    struct pu_err syntax;
    json_t *whole = json->apart_path ? load(json->text, 0, &syntax) : NULL;

    if (json->apart_path && !whole && syntax.code == PU_E_SYNTAX)
        *err = syntax;
    json_decref(whole);
}

bool pu_json_hold(struct pu_json *json, json_t *value)
{
    if (!json->held)
        json->held = json_array();
    return json_array_append(json->held, value) == 0;
}

void pu_json_free(struct pu_json *json)
{
    json_decref(json->root);
    json_decref(json->held);
    for (size_t i = 0; i < json->owned_count; i++)
        free(json->owned[i]);
    free(json->owned);
    memset(json, 0, sizeof(*json));
}

/* Behind what there is at `mark`; a path that is too long is cut. Returns the new end. */
static size_t append(struct pu_json *json, size_t mark, const void *text, size_t size)
{
    size_t room = sizeof(json->path) - 1 - mark;

    size = size < room ? size : room;
    memcpy(json->path + mark, text, size);
    json->path[mark + size] = '\0';
    return mark + size;
}

/* This is done for every value of a document, so it goes without printf(). */
size_t pu_json_enter_name(struct pu_json *json, struct pu_span name)
{
    size_t mark = strlen(json->path);
    size_t end = mark > 0 ? append(json, mark, ".", 1) : mark;

    (void)append(json, end, name.data, name.size);
    return mark;
}

size_t pu_json_enter(struct pu_json *json, const char *key)
{
    return pu_json_enter_name(json, pu_span_text(key));
}

size_t pu_json_enter_item(struct pu_json *json, const char *key, size_t index)
{
    char text[PU_NUM_MAX + 2] = "[";
    size_t size = 1 + pu_num_u64(text + 1, index);
    size_t mark = key ? pu_json_enter(json, key) : strlen(json->path);

    text[size++] = ']';
    (void)append(json, strlen(json->path), text, size);
    return mark;
}

void pu_json_leave(struct pu_json *json, size_t mark)
{
    json->path[mark] = '\0';
}

int pu_json_wrong(const struct pu_json *json, struct pu_err *err, const char *fmt, ...)
{
    char message[sizeof(err->message)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    pu_err_set(err, PU_E_SYNTAX, "%s", message);
    pu_err_where(err, "%s", json->path);
    pu_json_locate(json->text, json->path, &err->line, &err->column);
    return -1;
}

/* Values */

static const char *kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "a boolean";
    }
}

static bool parse_i64(const char *text, int64_t *number)
{
    bool negative = *text == '-';
    uint64_t size;

    if (!pu_num_parse_u64(text + negative, (uint64_t)INT64_MAX + negative, &size))
        return false;
    *number = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

int pu_json_value_i64(const struct pu_json *json, const json_t *value, int64_t min, int64_t max,
                      int64_t *number, struct pu_err *err)
{
    int64_t parsed = json_integer_value(value);

    if (!json_is_integer(value) &&
        !(json_is_string(value) && parse_i64(json_string_value(value), &parsed)))
        return pu_json_wrong(json, err, "an integer is due, this is %s", kind_of(value));
    if (parsed < min || parsed > max)
        return pu_json_wrong(json, err, "%" PRId64 " is not from %" PRId64 " to %" PRId64, parsed,
                             min, max);
    *number = parsed;
    return 1;
}

int pu_json_value_u64(const struct pu_json *json, const json_t *value, uint64_t max,
                      uint64_t *number, struct pu_err *err)
{
    uint64_t parsed;

    if (json_is_string(value) && pu_num_parse_u64(json_string_value(value), max, number))
        return 1;
    if (!json_is_integer(value))
        return pu_json_wrong(json, err, "an integer from 0 to %" PRIu64 " is due, this is %s", max,
                             kind_of(value));
    parsed = (uint64_t)json_integer_value(value);
    if (json_integer_value(value) < 0 || parsed > max)
        return pu_json_wrong(json, err, "%" JSON_INTEGER_FORMAT " is not from 0 to %" PRIu64,
                             json_integer_value(value), max);
    *number = parsed;
    return 1;
}

int pu_json_value_double(const struct pu_json *json, const json_t *value, double *number,
                         struct pu_err *err)
{
    const char *text = json_string_value(value);

    if (json_is_number(value))
        *number = json_number_value(value);
    else if (text && strcmp(text, "nan") == 0)
        *number = NAN;
    else if (text && (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0))
        *number = *text == '-' ? -INFINITY : INFINITY;
    else
        return pu_json_wrong(json, err, "a number is due, this is %s", kind_of(value));
    return 1;
}

/* Members */

bool pu_json_keep(struct pu_json *json, char *text)
{
    char **owned = text ? reallocarray(json->owned, json->owned_count + 1, sizeof(*owned)) : NULL;

    if (!owned) {
        free(text);
        return false;
    }
    json->owned = owned;
    owned[json->owned_count++] = text;
    return true;
}

static int base64_digit(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = digit ? strchr(digits, digit) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Into `to`, which has room for three quarters of `text`. Returns the size, or SIZE_MAX. */
static size_t decode_base64(const char *text, char *to)
{
    size_t length = strlen(text);
    size_t digits = strcspn(text, "=");
    size_t size = 0;
    uint32_t bits = 0;
    unsigned int count = 0;

    if (length % 4 != 0 || length - digits > 2 || strspn(text + digits, "=") != length - digits)
        return SIZE_MAX;
    for (; *text && *text != '='; text++) {
        int digit = base64_digit(*text);
        if (digit < 0)
            return SIZE_MAX;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            to[size++] = (char)(bits >> count & 0xff);
        }
    }
    return size;
}

/* The exact bytes beside a string that could not hold them. */
static int read_base64(struct pu_json *json, const json_t *object, const char *key,
                       struct pu_span *text, struct pu_err *err)
{
    static const char suffix[] = "_b64";
    char name[80];
    size_t size = strlen(key);

    if (size > sizeof(name) - sizeof(suffix))
        return 0;
    memcpy(name, key, size);
    memcpy(name + size, suffix, sizeof(suffix));
    const json_t *value = json_object_get(object, name);
    const char *encoded = json_string_value(value);
    if (!value)
        return 0;
    if (!encoded)
        return pu_json_wrong(json, err, "%s is not a string", name);
    char *bytes = malloc(strlen(encoded) + 1);
    if (!pu_json_keep(json, bytes))
        return pu_err_system(err, ENOMEM, "cannot hold the document");
    size = decode_base64(encoded, bytes);
    if (size == SIZE_MAX)
        return pu_json_wrong(json, err, "%s is not base64", name);
    *text = (struct pu_span){(const unsigned char *)bytes, size};
    return 1;
}

int pu_json_only(struct pu_json *json, json_t *object, const char *const *known, struct pu_err *err)
{
    const char *key;
    json_t *value;
    size_t next = 0; /* members mostly stand in the order of the list */

    json_object_foreach(object, key, value)
    {
        while (known[next] && strcmp(key, known[next]) != 0)
            next++;
        if (known[next])
            continue;
        for (next = 0; known[next] && strcmp(key, known[next]) != 0; next++)
            ;
        if (known[next] || *key == '$')
            continue;
        (void)pu_json_enter(json, key);
        return pu_json_wrong(json, err, "there is no such member");
    }
    return 0;
}

int pu_json_text(struct pu_json *json, const json_t *object, const char *key, struct pu_span *text,
                 struct pu_err *err)
{
    const json_t *value = json_object_get(object, key);
    int exact = read_base64(json, object, key, text, err);

    if (exact != 0 || !value)
        return exact;
    if (!json_is_string(value)) {
        (void)pu_json_enter(json, key);
        return pu_json_wrong(json, err, "a string is due, this is %s", kind_of(value));
    }
    *text = (struct pu_span){(const unsigned char *)json_string_value(value),
                             json_string_length(value)};
    return 1;
}

int pu_json_i64(struct pu_json *json, const json_t *object, const char *key, int64_t min,
                int64_t max, int64_t *number, struct pu_err *err)
{
    const json_t *value = json_object_get(object, key);

    if (!value)
        return 0;
    if (json_is_integer(value) && json_integer_value(value) >= min &&
        json_integer_value(value) <= max) {
        *number = json_integer_value(value); /* without the cost of a path */
        return 1;
    }
    size_t mark = pu_json_enter(json, key);
    int result = pu_json_value_i64(json, value, min, max, number, err);
    pu_json_leave(json, mark);
    return result;
}

int pu_json_u64(struct pu_json *json, const json_t *object, const char *key, uint64_t max,
                uint64_t *number, struct pu_err *err)
{
    const json_t *value = json_object_get(object, key);

    if (!value)
        return 0;
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        (uint64_t)json_integer_value(value) <= max) {
        *number = (uint64_t)json_integer_value(value);
        return 1;
    }
    size_t mark = pu_json_enter(json, key);
    int result = pu_json_value_u64(json, value, max, number, err);
    pu_json_leave(json, mark);
    return result;
}

int pu_json_hex(struct pu_json *json, const json_t *object, const char *key, uint64_t *word,
                struct pu_err *err)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    char *end;

    if (!value)
        return 0;
    if (text && strncmp(text, "0x", 2) == 0 && strlen(text) <= 18 && text[2] != '\0' &&
        strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2)) {
        *word = strtoull(text, &end, 16);
        return 1;
    }
    (void)pu_json_enter(json, key);
    return pu_json_wrong(json, err, "a hexadecimal number in quotes is due, as in \"0x1f\"");
}

int pu_json_bool(struct pu_json *json, const json_t *object, const char *key, bool *value,
                 struct pu_err *err)
{
    const json_t *found = json_object_get(object, key);

    if (!found)
        return 0;
    if (!json_is_boolean(found)) {
        (void)pu_json_enter(json, key);
        return pu_json_wrong(json, err, "true or false is due, this is %s", kind_of(found));
    }
    *value = json_is_true(found);
    return 1;
}

int pu_json_list(struct pu_json *json, const json_t *object, const char *key, json_t **list,
                 struct pu_err *err)
{
    json_t *found = json_object_get(object, key);

    if (!found)
        return 0;
    if (!json_is_array(found)) {
        (void)pu_json_enter(json, key);
        return pu_json_wrong(json, err, "a list is due, this is %s", kind_of(found));
    }
    *list = found;
    return 1;
}

/* Compact text */

static void put_string(struct pu_buf *to, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    if (text)
        pu_buf_add_text(to, text);
    else
        to->failed = true;
    free(text);
}

static void put_list(struct pu_buf *to, const json_t *list)
{
    size_t i;
    json_t *value;

    pu_buf_add_char(to, '[');
    json_array_foreach(list, i, value)
    {
        if (i > 0)
            pu_buf_add_char(to, ',');
        pu_json_compact(to, value);
    }
    pu_buf_add_char(to, ']');
}

static void put_object(struct pu_buf *to, const json_t *object)
{
    const char *gap = "{";
    /* The macros for objects do not take const, though they change nothing. */
    void *iterator = json_object_iter((json_t *)(uintptr_t)object);

    for (; iterator; iterator = json_object_iter_next((json_t *)(uintptr_t)object, iterator)) {
        json_t *key = json_string(json_object_iter_key(iterator));
        pu_buf_add_text(to, gap);
        put_string(to, key);
        pu_buf_add_char(to, ':');
        pu_json_compact(to, json_object_iter_value(iterator));
        json_decref(key);
        gap = ",";
    }
    pu_buf_add_text(to, *gap == '{' ? "{}" : "}");
}

void pu_json_compact(struct pu_buf *to, const json_t *value)
{
    char number[PU_NUM_MAX];

    if (json_is_object(value))
        put_object(to, value);
    else if (json_is_array(value))
        put_list(to, value);
    else if (json_is_real(value))
        pu_buf_add(to, number, pu_num_double(number, json_real_value(value)));
    else
        put_string(to, value);
}
