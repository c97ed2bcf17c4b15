/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json-text.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char *skip_blanks(const unsigned char *at, const unsigned char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const unsigned char *skip_string(const unsigned char *at, const unsigned char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        if (*at == '\\')
            at++;
    }
    return at < end ? at + 1 : end;
}

/* Any value: brackets are counted, strings skipped. */
const unsigned char *pu_json_skip_value(const unsigned char *at, const unsigned char *end)
{
    unsigned int depth = 0;

    for (; at < end; at++) {
        if (*at == '"') {
            at = skip_string(at, end) - 1;
        } else if (*at == '[' || *at == '{') {
            depth++;
        } else if (*at == ']' || *at == '}') {
            if (depth == 0)
                return at;
            depth--;
        } else if (*at == ',' && depth == 0) {
            return at;
        }
    }
    return end;
}

static bool is_key(const unsigned char *at, const unsigned char *end, struct pu_span key)
{
    return (size_t)(end - at) > key.size + 1 && memcmp(at + 1, key.data, key.size) == 0 &&
           at[key.size + 1] == '"';
}

/* Inside an object, behind its brace: the value of a member, or NULL. */
static const unsigned char *find_member(const unsigned char *at, const unsigned char *end,
                                        struct pu_span key)
{
    for (at = skip_blanks(at, end); at < end && *at == '"'; at = skip_blanks(at, end)) {
        bool found = is_key(at, end, key);
        at = skip_blanks(skip_string(at, end), end);
        at = skip_blanks(at < end ? at + 1 : end, end); /* the colon */
        if (found)
            return at;
        at = pu_json_skip_value(at, end);
        at = at < end ? at + 1 : end;
        if (at[-1] != ',')
            break;
    }
    return NULL;
}

static const unsigned char *find_element(const unsigned char *at, const unsigned char *end,
                                         unsigned long index)
{
    at = skip_blanks(at, end);
    while (index-- > 0) {
        at = pu_json_skip_value(at, end);
        if (at == end || *at != ',')
            return NULL;
        at = skip_blanks(at + 1, end);
    }
    return at;
}

/* One step of a path: from the value at `at` down to its part. NULL when there is no such part. */
static const unsigned char *step(const unsigned char *at, const unsigned char *end,
                                 const char **path)
{
    if (at >= end)
        return NULL;
    if (**path == '[') {
        char *rest;
        unsigned long index = strtoul(*path + 1, &rest, 10);
        *path = *rest == ']' ? rest + 1 : rest;
        return *at == '[' ? find_element(at + 1, end, index) : NULL;
    }
    *path += **path == '.';
    struct pu_span key = {(const unsigned char *)*path, strcspn(*path, ".[")};
    *path += key.size;
    return *at == '{' ? find_member(at + 1, end, key) : NULL;
}

/* Down along `path`, of which is left what leads nowhere. */
static const unsigned char *follow(const unsigned char *at, const unsigned char *end,
                                   const char **path)
{
    at = skip_blanks(at, end);
    while (**path) {
        const char *rest = *path;
        const unsigned char *next = step(at, end, &rest);
        if (!next)
            break;
        at = next;
        *path = rest;
    }
    return at;
}

/* Is there a list under that name anywhere? Finds out faster than one who looks at each bracket. */
static bool mentions_list(struct pu_span text, const char *key)
{
    const unsigned char *end = text.data + text.size;
    const unsigned char *at = text.data;
    size_t size = strlen(key);

    while ((at = memmem(at, (size_t)(end - at), key, size))) {
        at += size;
        if (at == end || *at != '"')
            continue;
        const unsigned char *next = skip_blanks(at + 1, end);
        next = next < end && *next == ':' ? skip_blanks(next + 1, end) : end;
        if (next < end && *next == '[')
            return true;
    }
    return false;
}

bool pu_json_find_items(struct pu_span text, const char *path, struct pu_span *items, size_t *count)
{
    const char *dot = strrchr(path, '.');

    if (text.size == 0 || !mentions_list(text, dot ? dot + 1 : path))
        return false;
    const unsigned char *end = text.data + text.size;
    const unsigned char *at = follow(text.data, end, &path);
    if (*path || at == end || *at != '[')
        return false;
    items->data = ++at;
    *count = 0;
    at = skip_blanks(at, end);
    if (at < end && *at != ']') {
        for (at = pu_json_skip_value(at, end); at < end && *at == ','; ++*count)
            at = pu_json_skip_value(at + 1, end);
        ++*count;
    }
    items->size = (size_t)(at - items->data);
    return at < end && *at == ']';
}

void pu_json_locate(struct pu_span text, const char *path, unsigned int *line, unsigned int *column)
{
    const unsigned char *at = follow(text.data, text.data + text.size, &path);

    *line = 1;
    *column = 1;
    for (const unsigned char *seen = text.data; seen < at; seen++) {
        *column = *seen == '\n' ? 1 : *column + 1;
        *line += *seen == '\n';
    }
}
