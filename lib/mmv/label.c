/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json-read.h"
#include "mmv/format.h"

static void release(json_t **json)
{
    json_decref(*json);
}

static json_t *parse(struct pu_span payload)
{
    json_error_t error;

    return json_loadb((const char *)payload.data, payload.size, JSON_REJECT_DUPLICATES, &error);
}

bool pu_mmv_label_is_object(struct pu_span payload)
{
    PU_CLEANUP(release) json_t *json = parse(payload);

    return json_is_object(json);
}

/* {"name":"text" lacks no more than the brace that did not fit. */
bool pu_mmv_label_lacks_brace(struct pu_span payload)
{
    char text[PU_MMV_PAYLOAD_SIZE + 1];

    if (payload.size >= sizeof(text))
        return false;
    if (payload.size > 0)
        memcpy(text, payload.data, payload.size);
    text[payload.size] = '}';
    return pu_mmv_label_is_object((struct pu_span){(const unsigned char *)text, payload.size + 1});
}

/* Measured: a number, true, false or null at the end needs the brace. */
bool pu_mmv_label_is_tolerated(struct pu_span payload)
{
    while (payload.size > 0 && memchr(" \t\r\n", payload.data[payload.size - 1], 4))
        payload.size--;
    return payload.size > 0 && memchr("\"]}", payload.data[payload.size - 1], 3);
}

/* The parts of a nested object's name have dots between them; a dot in the text itself is none. */
bool pu_mmv_label_is_name(const char *name, bool nested)
{
    for (const char *at = name; *at; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        bool other = (*at >= '0' && *at <= '9') || *at == '_' || (nested && *at == '.');
        if (!letter && (at == name || !other))
            return false;
    }
    return *name != '\0';
}

json_t *pu_mmv_label_json(struct pu_span payload)
{
    char text[PU_MMV_PAYLOAD_SIZE + 1];
    json_t *json = parse(payload);

    if (json || !pu_mmv_label_is_tolerated(payload) || payload.size >= sizeof(text))
        return json;
    memcpy(text, payload.data, payload.size);
    text[payload.size] = '}';
    return parse((struct pu_span){(const unsigned char *)text, payload.size + 1});
}

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold labels");
}

/* Takes both strings over, also when it fails. */
static int put(struct pu_mmv_label_pairs *pairs, char *name, char *value, bool is_text,
               struct pu_err *err)
{
    struct pu_mmv_label_pair *items =
        name && value ? reallocarray(pairs->items, pairs->count + 1, sizeof(*items)) : NULL;

    if (!items) {
        free(name);
        free(value);
        return no_memory(err);
    }
    pairs->items = items;
    items[pairs->count++] = (struct pu_mmv_label_pair){name, value, is_text};
    return 0;
}

static char *value_text(const json_t *value)
{
    struct pu_buf text = {0};

    if (json_is_string(value))
        return strdup(json_string_value(value));
    pu_json_compact(&text, value);
    (void)pu_buf_text(&text);
    if (text.failed)
        pu_buf_free(&text);
    return text.data;
}

static int merge_object(struct pu_mmv_label_pairs *pairs, const char *prefix, json_t *object,
                        struct pu_err *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        char *name = NULL;
        if (asprintf(&name, "%s%s%s", prefix, *prefix ? "." : "", key) < 0)
            return no_memory(err);
        int result = json_is_object(value)
                         ? merge_object(pairs, name, value, err)
                         : put(pairs, strdup(name), value_text(value), json_is_string(value), err);
        free(name);
        if (result < 0)
            return -1;
    }
    return 0;
}

int pu_mmv_label_merge(struct pu_mmv_label_pairs *pairs, struct pu_span payload, struct pu_err *err)
{
    PU_CLEANUP(release) json_t *json = pu_mmv_label_json(payload);

    return json_is_object(json) ? merge_object(pairs, "", json, err) : 0;
}

void pu_mmv_label_pairs_free(struct pu_mmv_label_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        free(pairs->items[i].name);
        free(pairs->items[i].value);
    }
    free(pairs->items);
    memset(pairs, 0, sizeof(*pairs));
}
