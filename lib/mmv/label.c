/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

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

static int no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold labels");
}

/* Takes both strings over, also when it fails. */
static int put(struct pu_mmv_label_pairs *pairs, char *name, char *value, struct pu_err *err)
{
    struct pu_mmv_label_pair *items =
        name && value ? reallocarray(pairs->items, pairs->count + 1, sizeof(*items)) : NULL;

    if (!items) {
        free(name);
        free(value);
        return no_memory(err);
    }
    pairs->items = items;
    items[pairs->count++] = (struct pu_mmv_label_pair){name, value};
    return 0;
}

static char *value_text(const json_t *value)
{
    if (json_is_string(value))
        return strdup(json_string_value(value));
    if (json_is_real(value)) {
        char text[PU_NUM_MAX];
        return strndup(text, pu_num_double(text, json_real_value(value)));
    }
    return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
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
        int result = json_is_object(value) ? merge_object(pairs, name, value, err)
                                           : put(pairs, strdup(name), value_text(value), err);
        free(name);
        if (result < 0)
            return -1;
    }
    return 0;
}

int pu_mmv_label_merge(struct pu_mmv_label_pairs *pairs, struct pu_span payload, struct pu_err *err)
{
    PU_CLEANUP(release) json_t *json = parse(payload);

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
