/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/dynamic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 1, CODE = 2, LINES = 3, SOURCE = 4 };
enum { CLASS = 0x0a03, METHOD = 0x0b03, LOCATION = 0x0e03, FILLER = 0xffff };

#define HEAD_SIZE 8u

struct functions {
    struct pu_dynamic current;
    bool open;
    bool (*take)(void *data, const struct pu_dynamic *dynamic);
    void *data;
    struct pu_exp_report *report;
    uint64_t damages;
};

static bool flush(struct functions *functions)
{
    bool go_on = !functions->open || functions->take(functions->data, &functions->current);

    functions->open = false;
    return go_on;
}

static void broken(struct functions *functions, uint64_t at, const char *what)
{
    functions->damages++;
    pu_exp_report_at(functions->report, R_DYNTEXT, at, "%s", what);
}

static bool begin(struct functions *functions, struct pu_cursor cursor, uint64_t at)
{
    if (!flush(functions))
        return false;
    functions->current = (struct pu_dynamic){.at = at, .time = pu_cursor_i64(&cursor)};
    functions->current.address = pu_cursor_u64(&cursor);
    functions->open = true;
    if (cursor.bad)
        broken(functions, at, "a function's record is too short");
    return true;
}

/* What belongs to the function before it. */
static void add(struct functions *functions, uint32_t type, struct pu_span bytes, uint64_t at)
{
    if (!functions->open) {
        broken(functions, at, "a record that belongs to no function");
        return;
    }
    if (type == CODE) {
        functions->current.code = bytes;
        functions->current.code_at = at + HEAD_SIZE;
    } else if (type == LINES) {
        functions->current.lines = bytes;
    } else {
        functions->current.source = pu_span_until_nul(bytes);
    }
}

uint64_t pu_dynamic_read(struct pu_span bytes, enum pu_order order, struct pu_exp_report *report,
                         bool (*take)(void *data, const struct pu_dynamic *dynamic), void *data)
{
    struct functions functions = {.take = take, .data = data, .report = report};
    uint64_t at = 0;

    while (at < bytes.size) {
        struct pu_cursor cursor = pu_cursor(bytes, at, order);
        uint32_t type = pu_cursor_u32(&cursor);
        uint32_t size = pu_cursor_u32(&cursor);
        if (cursor.bad || size < HEAD_SIZE || !pu_span_has(bytes, at, size)) {
            broken(&functions, at, "a record that does not fit into the file");
            break;
        }
        struct pu_span rest = pu_span_clip(bytes, at + HEAD_SIZE, size - HEAD_SIZE);
        if (type == HEADER && !begin(&functions, pu_cursor(rest, 0, order), at))
            return functions.damages;
        if (type == 0 || type > SOURCE)
            broken(&functions, at, "a record of unknown type");
        else if (type != HEADER)
            add(&functions, type, rest, at);
        at += size;
    }
    (void)flush(&functions);
    return functions.damages;
}

/* --- Java ---------------------------------------------------------------------------------------
 */

/* A string with its NUL, padded to 4 bytes. */
static struct pu_span text(struct pu_cursor *cursor)
{
    struct pu_span rest = pu_span_clip(cursor->span, cursor->at, cursor->span.size);
    struct pu_span found = pu_span_until_nul(rest);
    uint64_t next = (cursor->at + found.size) / 4 * 4 + 4;

    cursor->at = next < cursor->span.size ? next : cursor->span.size;
    return found;
}

static bool read_class(struct pu_span bytes, uint64_t at, unsigned int type, enum pu_order order,
                       struct pu_class_record *record)
{
    struct pu_cursor cursor = pu_cursor(bytes, HEAD_SIZE, order);

    *record = (struct pu_class_record){.at = at, .class_id = pu_cursor_u64(&cursor)};
    record->kind = type == CLASS ? PU_CLASS : type == METHOD ? PU_METHOD : PU_CLASS_LOCATION;
    if (type == CLASS)
        record->time = pu_cursor_i64(&cursor);
    if (type == METHOD) {
        record->method_id = pu_cursor_u64(&cursor);
        record->name = text(&cursor);
    }
    record->signature = text(&cursor);
    if (type != METHOD)
        record->source = text(&cursor);
    return !cursor.bad;
}

static uint16_t u16(struct pu_cursor *cursor)
{
    uint16_t word;

    pu_cursor_copy(cursor, &word, sizeof(word));
    return cursor->order == PU_HOST ? word : __builtin_bswap16(word);
}

static bool is_class(unsigned int type)
{
    return type == CLASS || type == METHOD || type == LOCATION;
}

static void broken_class(struct pu_exp_report *report, uint64_t at, const char *what,
                         uint64_t *damages)
{
    ++*damages;
    pu_exp_report_at(report, R_CLASSES, at, "%s", what);
}

uint64_t pu_classes_read(struct pu_span bytes, enum pu_order order, struct pu_exp_report *report,
                         bool (*take)(void *data, const struct pu_class_record *record), void *data)
{
    struct pu_class_record record;
    uint64_t damages = 0;
    uint64_t at = 0;

    while (at < bytes.size) {
        struct pu_cursor cursor = pu_cursor(bytes, at, order);
        unsigned int size = u16(&cursor);
        unsigned int type = u16(&cursor);
        if (cursor.bad || size < HEAD_SIZE || !pu_span_has(bytes, at, size)) {
            broken_class(report, at, "a record that does not fit into the file", &damages);
            break;
        }
        struct pu_span all = pu_span_clip(bytes, at, size);
        if (type == FILLER || type == 0)
            ; /* a block's unused rest */
        else if (!is_class(type))
            broken_class(report, at, "a record of unknown type", &damages);
        else if (!read_class(all, at, type, order, &record))
            broken_class(report, at, "a record that is too short", &damages);
        else if (!take(data, &record))
            break;
        at += size;
    }
    return damages;
}

/* "%20" is a blank. */
static void add_decoded(struct pu_buf *path, struct pu_span url)
{
    for (size_t i = 0; i < url.size; i++) {
        char pair[3] = "";
        if (url.data[i] == '%' && url.size - i > 2)
            memcpy(pair, url.data + i + 1, 2);
        bool escaped = isxdigit((unsigned char)pair[0]) && isxdigit((unsigned char)pair[1]);
        pu_buf_add_char(path, escaped ? (char)strtoul(pair, NULL, 16) : (char)url.data[i]);
        i += escaped ? 2 : 0;
    }
}

/* Is it there? It is passed over then. */
static bool skip(struct pu_span *text, const char *prefix)
{
    size_t size = strlen(prefix);

    if (text->size < size || memcmp(text->data, prefix, size) != 0)
        return false;
    *text = pu_span_clip(*text, size, text->size);
    return true;
}

void pu_class_path(const struct pu_class_record *record, struct pu_buf *path)
{
    struct pu_span url = record->source;
    struct pu_span type = record->signature;
    bool packed = record->kind == PU_CLASS_LOCATION && skip(&url, "jar:");
    const void *end = packed ? memmem(url.data, url.size, "!/", 2) : NULL;

    if (end)
        url.size = (size_t)((const unsigned char *)end - url.data);
    if (record->kind != PU_CLASS_LOCATION || !skip(&url, "file:"))
        return;
    while (url.size > 1 && url.data[0] == '/' && url.data[1] == '/')
        url = pu_span_clip(url, 1, url.size);
    if (url.size == 0 || url.data[0] != '/')
        return;
    add_decoded(path, url);
    if (url.data[url.size - 1] == '/' && skip(&type, "L") && type.size > 1) {
        pu_buf_add(path, type.data, type.size - 1);
        pu_buf_add_text(path, ".class");
    }
}
