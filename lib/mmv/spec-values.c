/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of a spec: a list, as mmvdump(1) writes it, or with the metrics. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/time.h"
#include "mmv/spec-private.h"

#define TEXT_MAX (PU_MMV_STRING_SIZE - 1)

/* One value of a type */

static uint64_t bits_of_double(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static uint32_t bits_of_float(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* "No value", as the agent understands it in files with the flag. */
static int read_null(struct pu_mmv_spec_reader *reader, int32_t type, struct pu_mmv_model_value *to)
{
    if (!(reader->model->flags & PU_MMV_SENTINEL))
        return pu_json_wrong(reader->json, reader->err,
                             "null is no value in a file without the flag \"sentinel\"");
    if (type == PU_MMV_FLOAT)
        to->raw = bits_of_float(NAN);
    else if (type == PU_MMV_DOUBLE)
        to->raw = bits_of_double(NAN);
    else if (type == PU_MMV_STRING)
        to->text = (struct pu_span){(const unsigned char *)"", 0};
    else
        to->raw = UINT64_MAX;
    return 0;
}

static int read_float(struct pu_mmv_spec_reader *reader, const json_t *value, int32_t type,
                      struct pu_mmv_model_value *to)
{
    double number;

    if (pu_json_value_double(reader->json, value, &number, reader->err) < 0)
        return -1;
    if (type == PU_MMV_DOUBLE) {
        to->raw = bits_of_double(number);
        return 0;
    }
    if (isfinite(number) && isinf((float)number))
        return pu_json_wrong(reader->json, reader->err, "%g is too large for a float", number);
    to->raw = bits_of_float((float)number);
    return 0;
}

static int read_signed(struct pu_mmv_spec_reader *reader, const json_t *value, int64_t min,
                       int64_t max, uint64_t mask, struct pu_mmv_model_value *to)
{
    int64_t number;

    if (pu_json_value_i64(reader->json, value, min, max, &number, reader->err) < 0)
        return -1;
    to->raw = (uint64_t)number & mask;
    return 0;
}

static int read_unsigned(struct pu_mmv_spec_reader *reader, const json_t *value, uint64_t max,
                         struct pu_mmv_model_value *to)
{
    return pu_json_value_u64(reader->json, value, max, &to->raw, reader->err) < 0 ? -1 : 0;
}

static int read_string(struct pu_mmv_spec_reader *reader, const json_t *value,
                       struct pu_mmv_model_value *to)
{
    if (!json_is_string(value))
        return pu_json_wrong(reader->json, reader->err, "a string is due");
    to->text = (struct pu_span){(const unsigned char *)json_string_value(value),
                                json_string_length(value)};
    return pu_mmv_spec_check_text(reader, to->text, TEXT_MAX) < 0 ? -1 : 0;
}

int pu_mmv_spec_atom(struct pu_mmv_spec_reader *reader, const json_t *value, int32_t type,
                     struct pu_mmv_model_value *to)
{
    if (!value)
        return 0;
    if (json_is_null(value))
        return read_null(reader, type, to);
    switch (type) {
    case PU_MMV_I32:
        return read_signed(reader, value, INT32_MIN, INT32_MAX, UINT32_MAX, to);
    case PU_MMV_U32:
        return read_unsigned(reader, value, UINT32_MAX, to);
    case PU_MMV_U64:
        return read_unsigned(reader, value, UINT64_MAX, to);
    case PU_MMV_FLOAT:
    case PU_MMV_DOUBLE:
        return read_float(reader, value, type, to);
    case PU_MMV_STRING:
        return read_string(reader, value, to);
    default:
        return read_signed(reader, value, INT64_MIN, INT64_MAX, UINT64_MAX, to);
    }
}

/* When a running interval started: minus the microseconds go into the second field. */
static int read_started(struct pu_mmv_spec_reader *reader, const json_t *json, int32_t type,
                        struct pu_mmv_model_value *to)
{
    const json_t *member = json_object_get(json, "started");
    const char *text = json_string_value(member);
    struct pu_err why;
    int64_t point = reader->moment->now;

    if (!member)
        return 0;
    size_t mark = pu_json_enter(reader->json, "started");
    if (type != PU_MMV_ELAPSED)
        return pu_json_wrong(reader->json, reader->err, "only type elapsed knows intervals");
    if (!text)
        return pu_json_wrong(reader->json, reader->err, "a time is due, or \"now\"");
    if (strcmp(text, "now") != 0 && pu_time_parse_point(text, &point, &why) < 0)
        return pu_json_wrong(reader->json, reader->err, "%s", why.message);
    if (point < 1000)
        return pu_json_wrong(reader->json, reader->err, "a time after 1970 is due");
    to->extra = -(point / 1000);
    pu_json_leave(reader->json, mark);
    return 0;
}

/*
 * What a word cannot say: the bits of a NaN, a value of an unknown type, and what had been counted
 * when a running interval started.
 */
static int read_raw(struct pu_mmv_spec_reader *reader, const json_t *json, int32_t type,
                    struct pu_mmv_model_value *to)
{
    const json_t *value = json_object_get(json, "value");
    const char *word = json_string_value(value);
    uint64_t raw;
    int given = pu_json_hex(reader->json, json, "raw", &raw, reader->err);
    bool nan = (type == PU_MMV_FLOAT || type == PU_MMV_DOUBLE) &&
               (json_is_null(value) || (word && strcmp(word, "nan") == 0));

    if (given <= 0)
        return given;
    if (type == PU_MMV_FLOAT)
        raw &= UINT32_MAX;
    if (!value || nan || (type == PU_MMV_ELAPSED && to->extra < 0))
        to->raw = raw;
    return 0;
}

/* The second field, which all types have and two use. */
static int read_beside(struct pu_mmv_spec_reader *reader, const json_t *json, int32_t type,
                       struct pu_mmv_model_value *to)
{
    if (type == PU_MMV_STRING)
        return 0;
    if (pu_json_i64(reader->json, json, "extra", INT64_MIN, INT64_MAX, &to->extra, reader->err) < 0)
        return -1;
    return read_started(reader, json, type, to);
}

/* Everything that an object says about a value, but for the metric and the instance. */
static int read_content(struct pu_mmv_spec_reader *reader, const json_t *json, int32_t type,
                        struct pu_mmv_model_value *to)
{
    size_t mark = pu_json_enter(reader->json, "value");

    if (type == PU_MMV_STRING && json_object_get(json, "value_b64")) {
        pu_json_leave(reader->json, mark);
        return pu_mmv_spec_text(reader, json, "value", TEXT_MAX, &to->text) < 0 ? -1 : 0;
    }
    if (pu_mmv_spec_atom(reader, json_object_get(json, "value"), type, to) < 0)
        return -1;
    pu_json_leave(reader->json, mark);
    if (read_beside(reader, json, type, to) < 0)
        return -1;
    return type == PU_MMV_STRING || read_raw(reader, json, type, to) >= 0 ? 0 : -1;
}

/* Finding metrics and instances */

/* An entry of a sorted list, to find a metric or an instance by what it is called. */
struct entry {
    struct pu_span name;
    uint32_t group; /* serial, for instances */
    int32_t id;
    size_t index;
};

struct finder {
    struct entry *metrics;         /* owned; by name */
    struct entry *by_id, *by_name; /* owned; instances, by indom and id, by indom and name */
    size_t metric_count, instance_count;
    bool unique_names; /* no two instances of an indom have the same */
};

static int by_name(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int order = (left->group > right->group) - (left->group < right->group);

    order = order ? order : pu_span_compare(left->name, right->name);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int by_id(const void *a, const void *b)
{
    const struct entry *left = a;
    const struct entry *right = b;
    int order = (left->group > right->group) - (left->group < right->group);

    order = order ? order : (left->id > right->id) - (left->id < right->id);
    order = order ? order : pu_span_compare(left->name, right->name);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* The first that is not below the key, which has index 0. */
static const struct entry *lower_bound(const struct entry *list, size_t count,
                                       const struct entry *key,
                                       int (*compare)(const void *, const void *))
{
    size_t at = pu_lower_bound(key, list, count, sizeof(*list), compare);

    return at < count ? &list[at] : NULL;
}

static void free_finder(struct finder *finder)
{
    free(finder->metrics);
    free(finder->by_id);
    free(finder->by_name);
}

/* Instances that no indom leads to go under the number that no indom can have. */
static uint32_t group_of(const struct pu_mmv_model *model, size_t instance)
{
    size_t indom = model->instances[instance].indom;

    return indom == SIZE_MAX ? PU_MMV_NO_INDOM : model->indoms[indom].serial;
}

static bool has_unique_names(const struct finder *finder)
{
    for (size_t i = 1; i < finder->instance_count; i++) {
        const struct entry *one = &finder->by_name[i - 1];
        if (one[0].group == one[1].group && pu_span_equal(one[0].name, one[1].name))
            return false;
    }
    return true;
}

static int make_finder(const struct pu_mmv_model *model, struct finder *finder)
{
    finder->metric_count = model->metric_count;
    finder->instance_count = model->instance_count;
    finder->metrics = calloc(model->metric_count + 1, sizeof(struct entry));
    finder->by_id = calloc(model->instance_count + 1, sizeof(struct entry));
    finder->by_name = calloc(model->instance_count + 1, sizeof(struct entry));
    if (!finder->metrics || !finder->by_id || !finder->by_name)
        return -1;
    for (size_t i = 0; i < model->metric_count; i++)
        finder->metrics[i] = (struct entry){.name = model->metrics[i].name, .index = i};
    for (size_t i = 0; i < model->instance_count; i++) {
        const struct pu_mmv_model_instance *instance = &model->instances[i];
        finder->by_id[i] = (struct entry){instance->name, group_of(model, i), instance->id, i};
        finder->by_name[i] = finder->by_id[i];
    }
    qsort(finder->metrics, finder->metric_count, sizeof(struct entry), by_name);
    qsort(finder->by_id, finder->instance_count, sizeof(struct entry), by_id);
    qsort(finder->by_name, finder->instance_count, sizeof(struct entry), by_name);
    finder->unique_names = has_unique_names(finder);
    return 0;
}

/* Of several with the same id the one of that name, if there is one. */
static size_t find_by_id(const struct finder *finder, uint32_t group, int32_t id,
                         struct pu_span name)
{
    struct entry key = {.group = group, .id = id, .name = name};
    const struct entry *found = lower_bound(finder->by_id, finder->instance_count, &key, by_id);

    if (found && found->group == group && found->id == id && pu_span_equal(found->name, name))
        return found->index;
    key.name = (struct pu_span){0};
    found = lower_bound(finder->by_id, finder->instance_count, &key, by_id);
    return found && found->group == group && found->id == id ? found->index : SIZE_MAX;
}

static size_t find_by_name(const struct finder *finder, uint32_t group, struct pu_span name)
{
    struct entry key = {.group = group, .name = name};
    const struct entry *found = lower_bound(finder->by_name, finder->instance_count, &key, by_name);

    return found && found->group == group && pu_span_equal(found->name, name) ? found->index
                                                                              : SIZE_MAX;
}

/* By its place among the metrics, or else by its name. */
static int find_metric(struct pu_mmv_spec_reader *reader, const struct finder *finder,
                       const json_t *json, size_t *metric)
{
    struct entry key = {0};
    uint64_t place;
    int given = pu_json_u64(reader->json, json, "metric", UINT64_MAX, &place, reader->err);

    if (given < 0)
        return -1;
    if (given > 0 && place >= finder->metric_count)
        return pu_json_wrong(reader->json, reader->err, "there is no metric %" PRIu64, place);
    if (given > 0) {
        *metric = (size_t)place;
        return 0;
    }
    given = pu_mmv_spec_text(reader, json, "name", TEXT_MAX, &key.name);
    if (given <= 0)
        return given < 0 ? -1
                         : pu_json_wrong(reader->json, reader->err, "a value without a metric");
    const struct entry *found = lower_bound(finder->metrics, finder->metric_count, &key, by_name);
    if (!found || !pu_span_equal(found->name, key.name))
        return pu_json_wrong(reader->json, reader->err, "there is no metric \"%.*s\"",
                             (int)key.name.size, (const char *)key.name.data);
    *metric = found->index;
    return 0;
}

/* By its id, or else by its name; in the metric's indom, or among those of none. */
static int find_instance(struct pu_mmv_spec_reader *reader, const struct finder *finder,
                         const json_t *json, uint32_t serial, size_t *instance)
{
    struct pu_span name = {0};
    int64_t id;
    int has_id =
        pu_json_i64(reader->json, json, "instance", INT32_MIN, INT32_MAX, &id, reader->err);
    int has_name =
        has_id < 0 ? -1 : pu_mmv_spec_text(reader, json, "instance_name", TEXT_MAX, &name);

    *instance = SIZE_MAX;
    if (has_id < 0 || has_name < 0)
        return -1;
    if (!has_id && !has_name)
        return 0;
    uint32_t groups[] = {serial, PU_MMV_NO_INDOM};
    for (size_t i = 0; i < 2 && *instance == SIZE_MAX; i++)
        *instance = has_id ? find_by_id(finder, groups[i], (int32_t)id, name)
                           : find_by_name(finder, groups[i], name);
    if (*instance == SIZE_MAX && has_id)
        return pu_json_wrong(reader->json, reader->err,
                             "indom %" PRIu32 " has no instance %" PRId64, serial, id);
    if (*instance == SIZE_MAX)
        return pu_json_wrong(reader->json, reader->err,
                             "indom %" PRIu32 " has no instance \"%.*s\"", serial, (int)name.size,
                             (const char *)name.data);
    return 0;
}

/* SIZE_MAX: no instance. */
static struct pu_mmv_model_value value_of(size_t metric, size_t instance)
{
    return (struct pu_mmv_model_value){
        .metric = (uint32_t)metric,
        .instance = instance == SIZE_MAX ? PU_MMV_SINGULAR : (uint32_t)instance,
    };
}

/* The list */

static const char *const value_members[] = {
    "metric",
    "name",
    "name_b64",
    "metric_offset",
    "instance",
    "instance_name",
    "instance_name_b64",
    "instance_offset",
    "value",
    "value_b64",
    "started",
    "raw",
    "extra",
    "offset",
    NULL,
};

static int read_listed(struct pu_mmv_spec_reader *reader, const struct finder *finder, json_t *json)
{
    struct pu_mmv_model *model = reader->model;
    struct pu_mmv_model_value *value = &model->values[model->value_count];
    size_t place = 0;
    size_t instance = SIZE_MAX;

    if (!json_is_object(json))
        return pu_json_wrong(reader->json, reader->err, "an object is due");
    if (pu_json_only(reader->json, json, value_members, reader->err) < 0 ||
        find_metric(reader, finder, json, &place) < 0)
        return -1;
    const struct pu_mmv_model_metric *metric = &model->metrics[place];
    if (find_instance(reader, finder, json, metric->serial, &instance) < 0)
        return -1;
    *value = value_of(place, instance);
    if (read_content(reader, json, metric->type, value) < 0)
        return -1;
    json_t *text = metric->type == PU_MMV_STRING ? json_object_get(json, "value") : NULL;
    if (text && !pu_json_hold(reader->json, text))
        return pu_mmv_spec_no_memory(reader);
    model->value_count++;
    return 0;
}

static int read_list(struct pu_mmv_spec_reader *reader, const struct finder *finder,
                     struct pu_json_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        PU_CLEANUP(json_decrefp) json_t *value = pu_json_next(items, reader->err);
        size_t mark = pu_json_enter_item(reader->json, "values", i);
        if (!value || read_listed(reader, finder, value) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

/* With the metrics: "value" for all, "values" by the names of instances; one for each instance. */

/* What a metric says of its values. */
struct given {
    const json_t *json;
    const json_t *by_instance; /* "values"; NULL: none */
    bool beside;               /* there is more to say than the values */
    size_t metric;
    size_t named; /* how many of those under "values" have been read */
};

static int add_value(struct pu_mmv_spec_reader *reader, struct given *given, size_t instance)
{
    struct pu_mmv_model *model = reader->model;
    struct pu_mmv_model_value *value = &model->values[model->value_count++];
    int32_t type = model->metrics[given->metric].type;
    const struct pu_span none = {0};
    struct pu_span name = instance == SIZE_MAX ? none : model->instances[instance].name;
    const json_t *own =
        name.data ? json_object_getn(given->by_instance, (const char *)name.data, name.size) : NULL;

    *value = value_of(given->metric, instance);
    if (!own)
        return read_content(reader, given->json, type, value);
    given->named++;
    size_t mark = pu_json_enter(reader->json, "values");
    (void)pu_json_enter_name(reader->json, name);
    if (pu_mmv_spec_atom(reader, own, type, value) < 0)
        return -1;
    pu_json_leave(reader->json, mark);
    return given->beside ? read_beside(reader, given->json, type, value) : 0;
}

static bool is_singular(uint32_t serial)
{
    return serial == 0 || serial == PU_MMV_NO_INDOM;
}

/* The indom of that serial, if it has instances. */
static const struct pu_mmv_model_indom *find_indom(const struct pu_mmv_model *model,
                                                   const struct finder *finder, uint32_t serial)
{
    struct entry key = {.group = serial, .id = INT32_MIN};
    const struct entry *first = lower_bound(finder->by_id, finder->instance_count, &key, by_id);

    if (is_singular(serial) || !first || first->group != serial)
        return NULL;
    return &model->indoms[model->instances[first->index].indom];
}

/* Names under "values" that no instance has are slips. */
static int check_names(struct pu_mmv_spec_reader *reader, const struct finder *finder,
                       json_t *by_instance, uint32_t serial)
{
    const char *name;
    json_t *value;

    size_t mark = pu_json_enter(reader->json, "values");
    if (by_instance && !json_is_object(by_instance))
        return pu_json_wrong(reader->json, reader->err, "an object of names and values is due");
    json_object_foreach(by_instance, name, value)
    {
        size_t inner = pu_json_enter(reader->json, name);
        if (is_singular(serial))
            return pu_json_wrong(reader->json, reader->err, "the metric has no instances");
        if (find_by_name(finder, serial, pu_span_text(name)) == SIZE_MAX)
            return pu_json_wrong(reader->json, reader->err,
                                 "indom %" PRIu32 " has no instance of this name", serial);
        pu_json_leave(reader->json, inner);
    }
    pu_json_leave(reader->json, mark);
    return 0;
}

static int add_metric_values(struct pu_mmv_spec_reader *reader, const struct finder *finder,
                             const json_t *json, size_t metric)
{
    uint32_t serial = reader->model->metrics[metric].serial;
    const struct pu_mmv_model_indom *indom = find_indom(reader->model, finder, serial);
    json_t *by_instance = json_object_get(json, "values");
    struct given given = {
        .json = json,
        .by_instance = by_instance,
        .beside = json_object_get(json, "extra") || json_object_get(json, "started"),
        .metric = metric,
    };

    if (is_singular(serial) && add_value(reader, &given, SIZE_MAX) < 0)
        return -1;
    for (size_t i = 0; indom && i < indom->count; i++) {
        if (add_value(reader, &given, indom->first + i) < 0)
            return -1;
    }
    /* When each has found its instance there can be no slip. */
    if (given.named > 0 && finder->unique_names && given.named == json_object_size(by_instance))
        return 0;
    return check_names(reader, finder, by_instance, serial);
}

static size_t count_values(const struct pu_mmv_model *model, const struct finder *finder)
{
    size_t count = 0;

    for (size_t i = 0; i < model->metric_count; i++) {
        const struct pu_mmv_model_indom *indom =
            find_indom(model, finder, model->metrics[i].serial);
        count += indom ? indom->count : 1;
    }
    return count;
}

static int add_all(struct pu_mmv_spec_reader *reader, const struct finder *finder)
{
    const json_t *list = json_object_get(reader->file, "metrics");

    for (size_t i = 0; i < reader->model->metric_count; i++) {
        size_t mark = pu_json_enter_item(reader->json, "metrics", i);
        if (add_metric_values(reader, finder, json_array_get(list, i), i) < 0)
            return -1;
        pu_json_leave(reader->json, mark);
    }
    return 0;
}

int pu_mmv_spec_values(struct pu_mmv_spec_reader *reader)
{
    PU_CLEANUP(free_finder) struct finder finder = {0};
    struct pu_json_items items = {0};
    int listed = pu_json_items(reader->json, reader->file, "values", &items, reader->err);

    if (listed < 0)
        return -1;
    if (make_finder(reader->model, &finder) < 0)
        return pu_mmv_spec_no_memory(reader);
    reader->spec->values_listed = listed > 0;
    size_t count = listed ? items.count : count_values(reader->model, &finder);
    reader->model->values = calloc(count + 1, sizeof(*reader->model->values));
    if (!reader->model->values)
        return pu_mmv_spec_no_memory(reader);
    return listed ? read_list(reader, &finder, &items) : add_all(reader, &finder);
}
