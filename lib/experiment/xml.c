/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/xml.h"

#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define ATTRIBUTES_MAX 64
#define DAMAGES_MAX    10000 /* of one file: a file of nothing else is not read to its end */

/* Expat 2.9 gave it a name for each size, and warns of the old one. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define BYTE_INDEX XML_GetCurrentByteIndex64
#else
#define BYTE_INDEX XML_GetCurrentByteIndex
#endif

static const char root[] = "<r>";

/* Text without NULs, and where its pieces stood in the file. */
struct piece {
    size_t at;
    uint64_t offset;
};

struct pieces {
    struct piece *items; /* owned */
    size_t count;
    size_t room;
};

struct reader {
    struct pu_xml_handler *handler;
    XML_Parser parser;
    const char *text; /* owned: all of it, without NULs */
    size_t size;
    struct pieces pieces;
    size_t start;       /* where the parser began, after the root's tag */
    size_t end;         /* what is given to it ends here */
    unsigned int depth; /* of open elements */
    bool pending;       /* a record that waits for its text */
    bool outside;       /* told of the text outside of elements that is being read */
    size_t damages;
    int result; /* of the handler, or -1 */
    struct pu_xml_record record;
    struct pu_buf strings; /* the record's: names and values, each with a NUL */
    size_t element_at;
    struct {
        size_t name;
        size_t value;
        size_t size;
    } spots[ATTRIBUTES_MAX];
    struct pu_xml_attribute attributes[ATTRIBUTES_MAX];
};

/* --- the file without its NULs ------------------------------------------------------------------
 */

uint64_t pu_xml_text_end(struct pu_span bytes)
{
    size_t size = bytes.size;

    /* The last byte of a block is a line feed, written before anything else. */
    if (size > 1 && bytes.data[size - 1] == '\n' && bytes.data[size - 2] == '\0')
        size--;
    while (size > 0 && bytes.data[size - 1] == '\0')
        size--;
    return size;
}

static int add_piece(struct pieces *pieces, size_t at, uint64_t offset)
{
    if (pieces->count == pieces->room) {
        size_t room = pieces->room ? pieces->room * 2 : 16;
        struct piece *items = reallocarray(pieces->items, room, sizeof(*items));
        if (!items)
            return -1;
        pieces->items = items;
        pieces->room = room;
    }
    pieces->items[pieces->count++] = (struct piece){at, offset};
    return 0;
}

static uint64_t offset_of(const struct reader *reader, size_t at)
{
    size_t from = 0;
    size_t to = reader->pieces.count;

    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (reader->pieces.items[middle].at <= at)
            from = middle;
        else
            to = middle;
    }
    if (to == 0)
        return 0;
    return reader->pieces.items[from].offset + (at - reader->pieces.items[from].at);
}

static void damage_at(struct reader *reader, enum pu_xml_damage kind, uint64_t offset,
                      const char *what)
{
    reader->damages++;
    reader->handler->damage(reader->handler, kind, offset, what);
}

/* Copies what is not NUL. The padding at the end, and at the end of a block, is no damage. */
static int compact(struct reader *reader, struct pu_span bytes, char *to)
{
    uint64_t end = pu_xml_text_end(bytes);
    size_t at = 0;

    for (uint64_t from = 0; from < end;) {
        const unsigned char *nul = memchr(bytes.data + from, 0, end - from);
        uint64_t stop = nul ? (uint64_t)(nul - bytes.data) : end;
        if (stop > from && add_piece(&reader->pieces, at, from) < 0)
            return -1;
        memcpy(to + at, bytes.data + from, stop - from);
        at += stop - from;
        if (nul && reader->damages < DAMAGES_MAX)
            damage_at(reader, PU_XML_NULS, stop, "NUL bytes inside of the text");
        while (stop < end && bytes.data[stop] == 0)
            stop++;
        from = stop;
    }
    reader->text = to;
    reader->size = at;
    return 0;
}

/* --- values -------------------------------------------------------------------------------------
 */

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

size_t pu_xml_unescape(char *text, size_t size)
{
    size_t to = 0;

    for (size_t at = 0; at < size; to++) {
        int high = size - at >= 4 && text[at] == '%' ? hex_digit(text[at + 1]) : -1;
        int low = high >= 0 && text[at + 3] == '%' ? hex_digit(text[at + 2]) : -1;
        text[to] = low >= 0 ? (char)(high << 4 | low) : text[at];
        at += low >= 0 ? 4 : 1;
    }
    return to;
}

/* Expat was told Latin-1 and gives UTF-8: what was one byte becomes one again. */
static size_t narrow(char *text, size_t size)
{
    size_t to = 0;

    for (size_t at = 0; at < size; to++) {
        unsigned char lead = (unsigned char)text[at];
        if ((lead == 0xc2 || lead == 0xc3) && at + 1 < size) {
            text[to] = (char)((lead & 3) << 6 | (text[at + 1] & 0x3f));
            at += 2;
        } else {
            text[to] = text[at++];
        }
    }
    return to;
}

/* Adds a decoded string with its NUL; returns where it begins. */
static size_t add_string(struct reader *reader, const char *text, size_t *size)
{
    size_t at = reader->strings.size;
    size_t length = strlen(text);

    pu_buf_add(&reader->strings, text, length + 1);
    if (reader->strings.failed)
        return at;
    char *copy = reader->strings.data + at;
    length = pu_xml_unescape(copy, narrow(copy, length));
    copy[length] = '\0';
    reader->strings.size = at + length + 1;
    *size = length;
    return at;
}

/* --- records ------------------------------------------------------------------------------------
 */

static void stop(struct reader *reader, int result)
{
    reader->result = result;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* The strings stay where they are from here on. */
static void point(struct reader *reader)
{
    char *strings = reader->strings.data;

    reader->record.element = strings + reader->element_at;
    for (size_t i = 0; i < reader->record.attribute_count; i++)
        reader->attributes[i] = (struct pu_xml_attribute){
            strings + reader->spots[i].name,
            {(const unsigned char *)strings + reader->spots[i].value, reader->spots[i].size}};
    reader->record.attributes = reader->attributes;
}

static size_t finish_text(struct reader *reader, size_t at)
{
    char *text = reader->strings.data + at;
    size_t size = pu_xml_unescape(text, narrow(text, reader->strings.size - at));

    while (size > 0 && strchr(" \n\t\r", text[size - 1]) && text[size - 1])
        size--;
    text[size] = '\0';
    return size;
}

static void flush(struct reader *reader)
{
    size_t text_at = reader->record.text.size; /* kept there until now */

    if (!reader->pending)
        return;
    reader->pending = false;
    pu_buf_add_char(&reader->strings, '\0');
    if (reader->strings.failed) {
        stop(reader, -1);
        return;
    }
    reader->strings.size--;
    size_t size = finish_text(reader, text_at);
    point(reader);
    reader->record.text =
        (struct pu_span){(const unsigned char *)reader->strings.data + text_at, size};
    int result = reader->handler->record(reader->handler, &reader->record);
    if (result != 0)
        stop(reader, result);
}

static size_t parser_at(const struct reader *reader)
{
    int64_t index = BYTE_INDEX(reader->parser);
    size_t at = index < (int64_t)(sizeof(root) - 1) ? 0 : (size_t)index - (sizeof(root) - 1);

    at += reader->start;
    return at < reader->size ? at : reader->size;
}

static void start_element(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *reader = data;
    size_t ignored;
    size_t count = 0;

    flush(reader);
    reader->outside = false;
    reader->depth++;
    if (reader->depth == 1 || reader->result != 0)
        return; /* the root, which is ours */
    if (reader->depth - 2 >= PU_XML_DEPTH) {
        stop(reader, 0);
        return;
    }
    reader->strings.size = 0;
    reader->element_at = add_string(reader, name, &ignored);
    for (; attributes[0] && count < ATTRIBUTES_MAX; attributes += 2, count++) {
        reader->spots[count].name = add_string(reader, attributes[0], &ignored);
        reader->spots[count].size = 0;
        reader->spots[count].value = add_string(reader, attributes[1], &reader->spots[count].size);
    }
    reader->record = (struct pu_xml_record){.depth = reader->depth - 2,
                                            .offset = offset_of(reader, parser_at(reader)),
                                            .attribute_count = count};
    reader->record.text.size = reader->strings.size;
    reader->pending = true;
}

static void end_element(void *data, const XML_Char *name)
{
    struct reader *reader = data;

    (void)name;
    flush(reader);
    if (reader->depth > 0)
        reader->depth--;
}

static bool is_blank(const char *text, size_t size)
{
    while (size > 0 && strchr(" \n\t\r", *text) && *text) {
        text++;
        size--;
    }
    return size == 0;
}

static void characters(void *data, const XML_Char *text, int size)
{
    struct reader *reader = data;

    if (reader->pending) {
        pu_buf_add(&reader->strings, text, (size_t)size);
    } else if (reader->depth <= 1 && !reader->outside && !is_blank(text, (size_t)size)) {
        reader->outside = true;
        damage_at(reader, PU_XML_OUTSIDE, offset_of(reader, parser_at(reader)),
                  "text outside of all elements");
    }
}

/* --- damage -------------------------------------------------------------------------------------
 */

static bool restart(struct reader *reader, size_t at)
{
    if (!XML_ParserReset(reader->parser, "ISO-8859-1"))
        return false;
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, start_element, end_element);
    XML_SetCharacterDataHandler(reader->parser, characters);
    reader->start = at;
    reader->depth = 0;
    reader->pending = false;
    return XML_Parse(reader->parser, root, sizeof(root) - 1, XML_FALSE) == XML_STATUS_OK;
}

/*
 * The place after the stray end tag that stands here, or 0; `at` becomes that of its '<', behind
 * which expat points.
 */
static size_t after_stray_end(const struct reader *reader, size_t *at)
{
    const char *end;

    if (reader->depth != 1 || reader->size == 0)
        return 0;
    if (*at == reader->size)
        --*at;
    while (*at > 0 && reader->text[*at] != '<')
        --*at;
    if (reader->size - *at < 3 || memcmp(reader->text + *at, "</", 2) != 0)
        return 0;
    end = memchr(reader->text + *at, '>', reader->size - *at);
    return end ? (size_t)(end - reader->text) + 1 : 0;
}

/* Where reading can go on: the next line that begins with a tag. */
static size_t next_line(const struct reader *reader, size_t at)
{
    while (at < reader->size) {
        const char *feed = memchr(reader->text + at, '\n', reader->size - at);
        if (!feed || feed + 1 == reader->text + reader->size)
            return reader->size;
        at = (size_t)(feed - reader->text) + 1;
        if (reader->text[at] == '<')
            return at;
    }
    return reader->size;
}

/* What the parser stumbled over. Returns where to go on. */
static size_t judge(struct reader *reader)
{
    size_t at = parser_at(reader);
    const char *what = XML_ErrorString(XML_GetErrorCode(reader->parser));
    enum XML_Error code = XML_GetErrorCode(reader->parser);

    if (code == XML_ERROR_TAG_MISMATCH) {
        size_t tag = at;
        size_t after = after_stray_end(reader, &tag);
        if (after > 0) {
            damage_at(reader, PU_XML_STRAY_END, offset_of(reader, tag),
                      "an end tag without a start tag");
            return after;
        }
    }
    if (code == XML_ERROR_ABORTED) {
        damage_at(reader, PU_XML_DEEP, offset_of(reader, at), "elements nested too deep");
        return next_line(reader, at);
    }
    size_t next = next_line(reader, at);
    bool cut = next == reader->size && (code == XML_ERROR_UNCLOSED_TOKEN ||
                                        code == XML_ERROR_PARTIAL_CHAR || at >= reader->size);
    if (cut)
        damage_at(reader, PU_XML_CUT, offset_of(reader, at), "the text ends inside of a tag");
    else
        damage_at(reader, PU_XML_BROKEN, offset_of(reader, at), what ? what : "not well-formed");
    return next;
}

/* The elements that are still open at the end. */
static void finish(struct reader *reader)
{
    flush(reader);
    if (reader->result == 0 && reader->depth > 1)
        damage_at(reader, PU_XML_CUT, offset_of(reader, reader->size),
                  "the text ends inside of an element");
}

/* One stretch of text without damage. Returns where to go on, or the size at the end. */
static size_t stretch(struct reader *reader, size_t at)
{
    int size = reader->size - at < INT_MAX ? (int)(reader->size - at) : INT_MAX;

    if (!restart(reader, at)) {
        reader->result = -1;
        return reader->size;
    }
    /* The last call tells of a tag that does not end; the root stays open, which is no error. */
    if (XML_Parse(reader->parser, reader->text + at, size, XML_TRUE) == XML_STATUS_OK)
        return reader->size;
    enum XML_Error code = XML_GetErrorCode(reader->parser);
    if (code == XML_ERROR_NO_MEMORY)
        reader->result = -1;
    if (reader->result != 0)
        return reader->size;
    if (code == XML_ERROR_NO_ELEMENTS || parser_at(reader) >= reader->size) {
        finish(reader);
        return reader->size;
    }
    flush(reader);
    return reader->result != 0 ? reader->size : judge(reader);
}

static int read_all(struct reader *reader, struct pu_err *err)
{
    for (size_t at = 0; at < reader->size;)
        at = reader->damages < DAMAGES_MAX ? stretch(reader, at) : reader->size;
    if (reader->damages >= DAMAGES_MAX)
        damage_at(reader, PU_XML_BROKEN, 0, "too much damage: the rest is not read");
    if (reader->result < 0 && err)
        return pu_err_system(err, ENOMEM, "cannot read");
    return reader->result;
}

static void release(struct reader *reader)
{
    if (reader->parser)
        XML_ParserFree(reader->parser);
    free(reader->pieces.items);
    pu_buf_free(&reader->strings);
}

static void free_text(char **text)
{
    free(*text);
}

int pu_xml_read(struct pu_span bytes, struct pu_xml_handler *handler, struct pu_err *err)
{
    PU_CLEANUP(release) struct reader reader = {.handler = handler};
    PU_CLEANUP(free_text) char *text = malloc(bytes.size ? bytes.size : 1);

    reader.parser = XML_ParserCreate("ISO-8859-1");
    if (!text || !reader.parser || compact(&reader, bytes, text) < 0)
        return pu_err_system(err, ENOMEM, "cannot read");
    return read_all(&reader, err);
}

const struct pu_span *pu_xml_get_span(const struct pu_xml_record *record, const char *name)
{
    for (size_t i = 0; i < record->attribute_count; i++) {
        if (strcmp(record->attributes[i].name, name) == 0)
            return &record->attributes[i].value;
    }
    return NULL;
}

const char *pu_xml_get(const struct pu_xml_record *record, const char *name)
{
    const struct pu_span *value = pu_xml_get_span(record, name);

    return value ? (const char *)value->data : NULL;
}
