/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Indoms, instances and metrics of a spec. */
#include <inttypes.h>
#include <stdlib.h>

#include "mmv/names.h"
#include "mmv/spec-private.h"
#include "pcp/words.h"

#define TEXT_MAX (PU_MMV_STRING_SIZE - 1)

/* A file that is to be of version 1 has names inside its records. */
static size_t name_max(const struct pu_mmv_spec_reader *reader)
{
    return reader->model->version == 1 ? PU_MMV_NAME_SIZE - 1 : TEXT_MAX;
}

/* Room for one more in a list of the model. NULL: out of memory. */
static void *grow(void *list, size_t count, size_t size)
{
    /* Doubled whenever it is full: at each power of two. */
    if (count & (count - 1))
        return list;
    return reallocarray(list, count ? 2 * count : 1, size);
}

static int read_helps(struct pu_mmv_spec_reader *reader, const json_t *object,
                      struct pu_span *shorttext, struct pu_span *helptext)
{
    if (pu_mmv_spec_text(reader, object, "shorttext", TEXT_MAX, shorttext) < 0 ||
        pu_mmv_spec_text(reader, object, "helptext", TEXT_MAX, helptext) < 0)
        return -1;
    return 0;
}

/* What mmvdump(1) adds to say where records stand is known, and not looked at. */
static const char *const instance_members[] = {"instance", "name",   "name_b64",
                                               "offset",   "labels", NULL};
static const char *const indom_members[] = {
    "name",   "serial", "indom",           "shorttext", "shorttext_b64", "helptext", "helptext_b64",
    "offset", "count",  "instance_offset", "instances", "labels",        NULL,
};
static const char *const metric_members[] = {
    "metric",        "name",      "name_b64",     "full_name", "full_name_b64", "item",
    "pmid",          "type",      "type_raw",     "sem",       "sem_raw",       "units",
    "extra_units",   "units_raw", "serial",       "indom",     "indom_raw",     "shorttext",
    "shorttext_b64", "helptext",  "helptext_b64", "offset",    "value",         "value_b64",
    "values",        "started",   "extra",        "raw",       "labels",        NULL,
};

/* Instances: objects, or just names, numbered by their place. */

static int read_instance(struct pu_mmv_spec_reader *reader, json_t *json, size_t place,
                         size_t indom)
{
    struct pu_mmv_model *model = reader->model;
    struct pu_mmv_model_instance instance = {.indom = indom};
    int64_t id = (int64_t)place;
    int named = 1;

    if (json_is_string(json)) {
        instance.name = (struct pu_span){(const unsigned char *)json_string_value(json),
                                         json_string_length(json)};
        if (pu_mmv_spec_check_text(reader, instance.name, name_max(reader)) < 0)
            return -1;
    } else if (json_is_object(json)) {
        named = pu_mmv_spec_text(reader, json, "name", name_max(reader), &instance.name);
        if (named < 0 || pu_json_only(reader->json, json, instance_members, reader->err) < 0 ||
            pu_json_i64(reader->json, json, "instance", INT32_MIN, INT32_MAX, &id, reader->err) < 0)
            return -1;
    } else {
        named = 0;
    }
    if (named == 0)
        return pu_json_wrong(reader->json, reader->err, "the name of an instance is due");
    instance.id = (int32_t)id;
    struct pu_mmv_model_instance *list =
        grow(model->instances, model->instance_count, sizeof(*list));
    if (!list)
        return pu_mmv_spec_no_memory(reader);
    model->instances = list;
    list[model->instance_count++] = instance;
    return 0;
}

static int read_instances(struct pu_mmv_spec_reader *reader, const json_t *object, const char *key,
                          size_t indom)
{
    json_t *list = NULL;
    size_t i;
    json_t *instance;

    if (pu_json_list(reader->json, object, key, &list, reader->err) < 0)
        return -1;
    json_array_foreach(list, i, instance)
    {
        size_t mark = pu_json_enter_item(reader->json, key, i);
        if (read_instance(reader, instance, i, indom) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

/* A serial of 0, which no indom can have, means that one is to be chosen. */
static int read_indom(struct pu_mmv_spec_reader *reader, json_t *json)
{
    struct pu_mmv_model *model = reader->model;
    struct pu_mmv_model_indom *indom = &model->indoms[model->indom_count];
    uint64_t serial = 0;

    if (!json_is_object(json))
        return pu_json_wrong(reader->json, reader->err, "an object is due");
    indom->first = model->instance_count;
    if (pu_json_only(reader->json, json, indom_members, reader->err) < 0 ||
        pu_json_u64(reader->json, json, "serial", UINT32_MAX, &serial, reader->err) < 0 ||
        read_helps(reader, json, &indom->shorttext, &indom->helptext) < 0 ||
        read_instances(reader, json, "instances", model->indom_count) < 0)
        return -1;
    indom->serial = (uint32_t)serial;
    indom->count = model->instance_count - indom->first;
    model->indom_count++;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

/* The free ones from 1 up, in their order. `taken` has room for all. */
static void choose_serials(struct pu_mmv_model *model, uint32_t *taken)
{
    uint32_t next = 1;

    for (size_t i = 0; i < model->indom_count; i++)
        taken[i] = model->indoms[i].serial;
    qsort(taken, model->indom_count, sizeof(*taken), by_number);
    for (size_t i = 0; i < model->indom_count; i++) {
        if (model->indoms[i].serial != 0)
            continue;
        while (bsearch(&next, taken, model->indom_count, sizeof(next), by_number))
            next++;
        model->indoms[i].serial = next++;
    }
}

static int read_indoms(struct pu_mmv_spec_reader *reader, const json_t *list)
{
    size_t count = json_array_size(list);
    uint32_t *taken = calloc(count + 1, sizeof(*taken));

    reader->model->indoms = calloc(count + 1, sizeof(*reader->model->indoms));
    if (!taken || !reader->model->indoms) {
        free(taken);
        return pu_mmv_spec_no_memory(reader);
    }
    for (size_t i = 0; i < count; i++) {
        size_t mark = pu_json_enter_item(reader->json, "indoms", i);
        if (read_indom(reader, json_array_get(list, i)) < 0) {
            free(taken);
            return -1;
        }
        pu_json_leave(reader->json, mark);
    }
    choose_serials(reader->model, taken);
    free(taken);
    return 0;
}

int pu_mmv_spec_indoms(struct pu_mmv_spec_reader *reader)
{
    json_t *list = NULL;

    if (pu_json_list(reader->json, reader->file, "indoms", &list, reader->err) < 0 ||
        read_indoms(reader, list) < 0)
        return -1;
    return read_instances(reader, reader->file, "other_instances", SIZE_MAX);
}

/* Metrics */

static int read_type(struct pu_mmv_spec_reader *reader, const json_t *json, int32_t *type)
{
    const json_t *member = json_object_get(json, "type");
    const char *word = json_string_value(member);
    int64_t raw = PU_MMV_U64;
    int given =
        pu_json_i64(reader->json, json, "type_raw", INT32_MIN, INT32_MAX, &raw, reader->err);

    if (given < 0)
        return -1;
    *type = (int32_t)raw;
    if (!member || (given && word && strcmp(word, "unknown") == 0))
        return 0;
    for (int32_t known = PU_MMV_NOSUPPORT; word && known <= PU_MMV_ELAPSED; known++) {
        const char *name = pu_mmv_type_word(known);
        if (name && strcmp(name, word) == 0) {
            *type = known;
            return 0;
        }
    }
    (void)pu_json_enter(reader->json, "type");
    return pu_json_wrong(reader->json, reader->err,
                         "a type is due: 32 u32 64 u64 float double string elapsed nosupport");
}

static int read_semantics(struct pu_mmv_spec_reader *reader, const json_t *json, int32_t *semantics)
{
    const json_t *member = json_object_get(json, "sem");
    const char *word = json_string_value(member);
    int64_t raw = 3;
    int given = pu_json_i64(reader->json, json, "sem_raw", INT32_MIN, INT32_MAX, &raw, reader->err);

    if (given < 0)
        return -1;
    *semantics = (int32_t)raw;
    if (!member || (given && word && strcmp(word, "unknown") == 0))
        return 0;
    if (word && strcmp(word, "unset") == 0) {
        *semantics = 0;
        return 0;
    }
    for (int32_t known = 1; word && known <= 4; known++) {
        const char *name = pu_pcp_semantics_word(known);
        if (name && strcmp(name, word) == 0) {
            *semantics = known;
            return 0;
        }
    }
    (void)pu_json_enter(reader->json, "sem");
    return pu_json_wrong(reader->json, reader->err,
                         "semantics are due: counter instant discrete unset");
}

/* [space, time, count, space scale, time scale, count scale, extra, extra scale], the last two at
 * will */
static int read_unit_numbers(struct pu_mmv_spec_reader *reader, const json_t *list, uint32_t *word)
{
    static const struct {
        int64_t min, max;
        unsigned int shift, width;
    } parts[] = {{-8, 7, 28, 4}, {-8, 7, 24, 4}, {-8, 7, 20, 4},  {0, 15, 16, 4},
                 {0, 15, 12, 4}, {-8, 7, 8, 4},  {-16, 15, 3, 5}, {0, 7, 0, 3}};
    size_t count = json_array_size(list);

    if (count != 6 && count != 8)
        return pu_json_wrong(reader->json, reader->err, "6 or 8 numbers are due");
    *word = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t number = 0;
        size_t mark = pu_json_enter_item(reader->json, NULL, i);
        if (pu_json_value_i64(reader->json, json_array_get(list, i), parts[i].min, parts[i].max,
                              &number, reader->err) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
        *word |= ((uint32_t)number & ((1u << parts[i].width) - 1)) << parts[i].shift;
    }
    return 0;
}

static int read_extra_units(struct pu_mmv_spec_reader *reader, const json_t *json, uint32_t *word)
{
    const json_t *member = json_object_get(json, "extra_units");
    const char *text = json_string_value(member);

    if (!member)
        return 0;
    for (uint32_t low = 1; text && low < 0x100; low++) {
        struct pu_units units = pu_pcp_units(low);
        const char *known = pu_pcp_extra_word(&units);
        if (known && strcmp(known, text) == 0) {
            *word = (*word & ~0xffu) | low;
            return 0;
        }
    }
    (void)pu_json_enter(reader->json, "extra_units");
    return pu_json_wrong(reader->json, reader->err,
                         "such as \"degrees C\", \"mV\" or \"kW\" is due");
}

/* A text that the raw word does not say already. */
static int read_unit_text(struct pu_mmv_spec_reader *reader, const char *text, uint64_t raw,
                          bool has_raw, uint32_t *word)
{
    char known[PU_UNITS_MAX];
    char why[120];

    if (has_raw && strcmp(pu_pcp_units_text((uint32_t)raw, known), text) == 0) {
        *word = (uint32_t)raw;
        return 0;
    }
    if (pu_pcp_units_parse(text, word, why, sizeof(why)) < 0)
        return pu_json_wrong(reader->json, reader->err, "%s", why);
    return 0;
}

static int read_units(struct pu_mmv_spec_reader *reader, const json_t *json, uint32_t *word)
{
    const json_t *member = json_object_get(json, "units");
    uint64_t raw = 0;
    int given = pu_json_hex(reader->json, json, "units_raw", &raw, reader->err);
    int result = 0;

    if (given < 0)
        return -1;
    *word = (uint32_t)raw;
    if (member) {
        size_t mark = pu_json_enter(reader->json, "units");
        if (json_is_array(member))
            result = read_unit_numbers(reader, member, word);
        else if (json_is_string(member))
            result = read_unit_text(reader, json_string_value(member), raw, given, word);
        else
            result = pu_json_wrong(reader->json, reader->err, "a text or a list of numbers is due");
        if (result < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return read_extra_units(reader, json, word);
}

/* How many indoms are called so in the document, and the serial of one. */
static size_t find_indom(const struct pu_mmv_spec_reader *reader, const char *name,
                         uint32_t *serial)
{
    const json_t *list = json_object_get(reader->file, "indoms");
    size_t count = 0;
    size_t i;
    json_t *indom;

    json_array_foreach(list, i, indom)
    {
        const char *called = json_string_value(json_object_get(indom, "name"));
        if (called && strcmp(called, name) == 0) {
            *serial = reader->model->indoms[i].serial;
            count++;
        }
    }
    return count;
}

static int read_indom_of(struct pu_mmv_spec_reader *reader, const json_t *json, uint32_t *serial)
{
    const json_t *raw = json_object_get(json, "indom_raw");
    const json_t *indom = json_object_get(json, "indom");
    const char *name = json_string_value(indom);
    uint64_t number = PU_MMV_NO_INDOM;
    int given = pu_json_u64(reader->json, json, "serial", UINT32_MAX, &number, reader->err);

    if (given < 0)
        return -1;
    *serial = (uint32_t)number;
    if (given > 0)
        return 0;
    if (indom && !name) {
        (void)pu_json_enter(reader->json, "indom");
        return pu_json_wrong(reader->json, reader->err,
                             "the name of an indom is due; \"serial\" takes its number");
    }
    size_t count = name ? find_indom(reader, name, serial) : 1;
    if (count != 1) {
        (void)pu_json_enter(reader->json, "indom");
        return pu_json_wrong(reader->json, reader->err, "%s is called \"%s\"",
                             count == 0 ? "no indom" : "more than one indom", name);
    }
    if (!name && json_is_integer(raw) && json_integer_value(raw) == 0)
        *serial = 0; /* the other way to say that there is none */
    return 0;
}

static int read_metric(struct pu_mmv_spec_reader *reader, json_t *json,
                       struct pu_mmv_model_metric *metric, uint64_t *item)
{
    if (!json_is_object(json))
        return pu_json_wrong(reader->json, reader->err, "an object is due");
    if (pu_json_only(reader->json, json, metric_members, reader->err) < 0)
        return -1;
    int named = pu_mmv_spec_text(reader, json, "name", name_max(reader), &metric->name);
    if (named == 0)
        return pu_json_wrong(reader->json, reader->err, "a metric without a name");
    if (named < 0 || pu_json_u64(reader->json, json, "item", UINT32_MAX, item, reader->err) < 0 ||
        read_type(reader, json, &metric->type) < 0 ||
        read_semantics(reader, json, &metric->semantics) < 0 ||
        read_units(reader, json, &metric->units) < 0 ||
        read_indom_of(reader, json, &metric->serial) < 0 ||
        read_helps(reader, json, &metric->shorttext, &metric->helptext) < 0)
        return -1;
    return 0;
}

/* Metrics without an item get the free ones from 1 up, in their order. */
static void choose_items(struct pu_mmv_model *model, const bool *chosen)
{
    bool taken[PU_MMV_ITEM_MAX + 1] = {0};
    uint32_t next = 1;

    for (size_t i = 0; i < model->metric_count; i++) {
        if (!chosen[i] && model->metrics[i].item <= PU_MMV_ITEM_MAX)
            taken[model->metrics[i].item] = true;
    }
    for (size_t i = 0; i < model->metric_count; i++) {
        if (!chosen[i])
            continue;
        while (next <= PU_MMV_ITEM_MAX && taken[next])
            next++;
        model->metrics[i].item = next++;
    }
}

int pu_mmv_spec_metrics(struct pu_mmv_spec_reader *reader)
{
    struct pu_mmv_model *model = reader->model;
    json_t *list = NULL;

    int given = pu_json_list(reader->json, reader->file, "metrics", &list, reader->err);

    if (given <= 0)
        return given < 0 ? -1 : pu_json_wrong(reader->json, reader->err, "\"metrics\" is missing");
    size_t count = json_array_size(list);
    bool *chosen = calloc(count + 1, sizeof(*chosen));
    model->metrics = calloc(count + 1, sizeof(*model->metrics));
    int result = chosen && model->metrics ? 0 : pu_mmv_spec_no_memory(reader);
    for (size_t i = 0; i < count && result == 0; i++) {
        size_t mark = pu_json_enter_item(reader->json, "metrics", i);
        uint64_t item = UINT64_MAX;
        result = read_metric(reader, json_array_get(list, i), &model->metrics[i], &item);
        if (result < 0)
            break;
        chosen[i] = item == UINT64_MAX;
        model->metrics[i].item = (uint32_t)item;
        model->metric_count++;
        pu_json_leave(reader->json, mark);
    }
    if (result == 0)
        choose_items(model, chosen);
    free(chosen);
    return result;
}
