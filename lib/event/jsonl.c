/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/jsonl.h"

#include <errno.h>
#include <stdio.h>

#include "base/json-read.h"
#include "base/time.h"
#include "event/catalog.h"
#include "event/words.h"

/* A line being read. */
struct line {
    struct pu_event_pack *pack;
    struct pu_json json;
    struct pu_err *err;
};

struct moment {
    int64_t seconds;
    int64_t fraction; /* of the array's kind */
};

/* A value in the host's order, or text. */
struct value {
    uint32_t pmid;
    uint32_t type;
    uint32_t word;
    uint64_t wide;
    struct pu_span bytes;
};

/* What the builder says no to. */
static int refuse(const struct line *line, int status)
{
    const struct pu_json *json = &line->json;

    switch (status) {
    case PU_EVENT_ERR_TYPE:
        return pu_json_wrong(json, line->err, "a type that cannot be packed");
    case PU_EVENT_ERR_TRUNC:
        return pu_json_wrong(json, line->err,
                             "a time that an event array cannot hold: its seconds have 32 bits");
    case PU_EVENT_ERR_TOOSMALL:
        return pu_json_wrong(json, line->err, "less than 0 events missed");
    case PU_EVENT_ERR_TOOBIG:
        return pu_err_set(line->err, PU_E_LIMIT, "an array has at most %u bytes",
                          PU_EVENT_SIZE_MAX);
    case -ENOMEM:
        return pu_err_system(line->err, ENOMEM, "cannot hold the array");
    default:
        return pu_json_wrong(json, line->err, "cannot be packed");
    }
}

/* An error about a member. */
static int wrong(struct line *line, const char *key, const char *why)
{
    (void)pu_json_enter(&line->json, key);
    return pu_json_wrong(&line->json, line->err, "%s", why);
}

static int required(struct line *line, const json_t *object, const char *key, struct pu_span *text)
{
    int given = pu_json_text(&line->json, object, key, text, line->err);

    if (given == 0)
        return pu_json_wrong(&line->json, line->err, "\"%s\" is missing", key);
    return given;
}

/* Time */

static int read_raw_time(struct line *line, const json_t *root, struct moment *moment)
{
    json_t *list = NULL;
    int given = pu_json_list(&line->json, root, "timestamp_raw", &list, line->err);

    if (given <= 0)
        return given;
    (void)pu_json_enter(&line->json, "timestamp_raw");
    if (json_array_size(list) != 2)
        return pu_json_wrong(&line->json, line->err, "seconds and a fraction are due");
    if (pu_json_value_i64(&line->json, json_array_get(list, 0), INT64_MIN, INT64_MAX,
                          &moment->seconds, line->err) < 0 ||
        pu_json_value_i64(&line->json, json_array_get(list, 1), INT64_MIN, INT64_MAX,
                          &moment->fraction, line->err) < 0)
        return -1;
    line->json.path[0] = '\0';
    return 1;
}

/* The kind, from the record's own word for it, or from its digits. One array has one. */
static int choose_kind(struct line *line, const json_t *root, int64_t nanoseconds)
{
    struct pu_event_pack *pack = line->pack;
    struct pu_span word;
    uint32_t type = nanoseconds % 1000 ? PU_EVENT_NS : PU_EVENT_US;

    if (pack->fixed)
        return 0;
    int given = pu_json_text(&line->json, root, "type", &word, line->err);
    if (given < 0)
        return -1;
    if (given &&
        (!pu_event_type_parse(word, &type) || (type != PU_EVENT_US && type != PU_EVENT_NS)))
        return wrong(line, "type", "neither \"event\" nor \"highres_event\"");
    if (given && pack->kind && type != pack->kind)
        return wrong(line, "type", "another one than that of the records before");
    if (!pack->kind)
        pack->kind = type;
    return 0;
}

static int read_time(struct line *line, const json_t *root, struct moment *moment)
{
    struct pu_span text;
    struct pu_err err;
    int64_t point;
    int raw = read_raw_time(line, root, moment);

    if (raw != 0)
        return raw < 0 ? -1 : choose_kind(line, root, 0);
    if (required(line, root, "timestamp", &text) < 0)
        return -1;
    if (pu_time_parse_point((const char *)text.data, &point, &err) < 0)
        return wrong(line, "timestamp", err.message);
    moment->seconds = point / PU_NANOSECONDS;
    moment->fraction = point % PU_NANOSECONDS;
    if (moment->fraction < 0) {
        moment->seconds--;
        moment->fraction += PU_NANOSECONDS;
    }
    if (choose_kind(line, root, moment->fraction) < 0)
        return -1;
    if (line->pack->kind == PU_EVENT_NS)
        return 0;
    if (moment->fraction % 1000 && !line->pack->truncate)
        return wrong(line, "timestamp", "more digits than the six of an event array");
    moment->fraction /= 1000;
    return 0;
}

/* Flags */

static int read_flag(struct line *line, const json_t *flag, uint32_t *flags)
{
    const char *word = json_string_value(flag);
    uint64_t bit;
    uint32_t known = word ? pu_event_flag_parse(pu_span_text(word)) : 0;

    if (known == PU_EVENT_MISSED)
        return pu_json_wrong(&line->json, line->err,
                             "no flag of a record: give \"missed\" and how many");
    if (word && !known)
        return pu_json_wrong(&line->json, line->err, "none of point, start, end, id, parent");
    if (!word && pu_json_value_u64(&line->json, flag, 30, &bit, line->err) < 0)
        return -1;
    *flags |= word ? known : UINT32_C(1) << bit;
    return 0;
}

static int read_flags(struct line *line, const json_t *root, uint32_t *flags)
{
    json_t *list = NULL;
    int given = pu_json_list(&line->json, root, "flags", &list, line->err);

    *flags = given == 0 ? PU_EVENT_POINT : 0;
    for (size_t i = 0; given > 0 && i < json_array_size(list); i++) {
        size_t mark = pu_json_enter_item(&line->json, "flags", i);
        if (read_flag(line, json_array_get(list, i), flags) < 0)
            return -1;
        pu_json_leave(&line->json, mark);
    }
    return given < 0 ? -1 : 0;
}

/* Values */

static int read_integer(struct line *line, const json_t *object, struct value *value)
{
    bool is_signed = value->type == PU_EVENT_32 || value->type == PU_EVENT_64;
    bool narrow = value->type == PU_EVENT_32 || value->type == PU_EVENT_U32;
    int64_t number = 0;
    int given;

    if (is_signed)
        given = pu_json_i64(&line->json, object, "value", narrow ? INT32_MIN : INT64_MIN,
                            narrow ? INT32_MAX : INT64_MAX, &number, line->err);
    else
        given = pu_json_u64(&line->json, object, "value", narrow ? UINT32_MAX : UINT64_MAX,
                            &value->wide, line->err);
    if (is_signed)
        value->wide = (uint64_t)number;
    value->word = (uint32_t)value->wide;
    return given;
}

/* The bits of a NaN stand in "raw" if they matter. */
static int read_raw_bits(struct line *line, const json_t *object, struct value *value,
                         double number)
{
    uint64_t raw;
    int given = number == number ? 0 : pu_json_hex(&line->json, object, "raw", &raw, line->err);

    if (given > 0) {
        value->wide = raw;
        value->word = (uint32_t)raw;
    }
    return given < 0 ? -1 : 1;
}

static int read_float(struct line *line, const json_t *object, struct value *value)
{
    const json_t *json = json_object_get(object, "value");
    double number;
    float narrow;

    if (!json)
        return 0;
    size_t mark = pu_json_enter(&line->json, "value");
    if (pu_json_value_double(&line->json, json, &number, line->err) < 0)
        return -1;
    pu_json_leave(&line->json, mark);
    narrow = (float)number;
    if (value->type == PU_EVENT_FLOAT)
        memcpy(&value->word, &narrow, sizeof(value->word));
    else
        memcpy(&value->wide, &number, sizeof(value->wide));
    return read_raw_bits(line, object, value, number);
}

static int read_text(struct line *line, const json_t *object, struct value *value)
{
    int given = pu_json_text(&line->json, object, "value", &value->bytes, line->err);

    if (given > 0 && value->type == PU_EVENT_STRING && value->bytes.size > 0 &&
        memchr(value->bytes.data, '\0', value->bytes.size))
        return wrong(line, "value", "a NUL would end the string");
    return given;
}

static int read_value(struct line *line, const json_t *object, struct value *value)
{
    uint32_t size = pu_event_fixed_size(value->type);
    int given;

    if (value->type == PU_EVENT_FLOAT || value->type == PU_EVENT_DOUBLE)
        given = read_float(line, object, value);
    else if (size)
        given = read_integer(line, object, value);
    else
        given = read_text(line, object, value);
    if (given == 0)
        return pu_json_wrong(&line->json, line->err, "\"value\" is missing");
    if (size == sizeof(value->word))
        value->bytes = (struct pu_span){(const unsigned char *)&value->word, size};
    else if (size)
        value->bytes = (struct pu_span){(const unsigned char *)&value->wide, size};
    return given;
}

/* By number, by name, or by both, which must agree where somebody knows the name. */
static int read_pmid(struct line *line, const json_t *object, uint32_t *pmid)
{
    const struct pu_event_pack *pack = line->pack;
    struct pu_span text;
    struct pu_span name;
    uint32_t found;
    int given = pu_json_text(&line->json, object, "pmid", &text, line->err);
    int named = given < 0 ? -1 : pu_json_text(&line->json, object, "name", &name, line->err);

    if (named < 0)
        return -1;
    if (given && !pu_event_pmid_parse(text, pmid))
        return wrong(line, "pmid", "not a PMID, as in \"29.0.130\"");
    if (given && (!named || !pack->find))
        return 0;
    if (!named)
        return pu_json_wrong(&line->json, line->err, "\"pmid\" is missing");
    if (!pack->find)
        return pu_json_wrong(&line->json, line->err,
                             "\"pmid\" is missing, and there is nobody to ask for the name's");
    bool known = pack->find(pack->context, name, &found);
    if (!known && !given)
        return wrong(line, "name", "nobody knows this metric");
    if (known && given && found != *pmid)
        return wrong(line, "name", "this metric has another PMID");
    if (known)
        *pmid = found;
    return 0;
}

static int read_param(struct line *line, const json_t *object)
{
    struct value value = {0};
    struct pu_span text;

    if (!json_is_object(object))
        return pu_json_wrong(&line->json, line->err, "an object is due");
    if (read_pmid(line, object, &value.pmid) < 0)
        return -1;
    if (required(line, object, "type", &text) < 0)
        return -1;
    if (!pu_event_type_parse(text, &value.type) || value.type > PU_EVENT_AGGREGATE)
        return wrong(line, "type", "none of 32, u32, 64, u64, float, double, string, aggregate");
    if (read_value(line, object, &value) < 0)
        return -1;
    int status = pu_event_array_add_param(&line->pack->array, value.pmid, value.type, value.bytes);
    return status < 0 ? refuse(line, status) : 0;
}

static int read_params(struct line *line, const json_t *root)
{
    json_t *list = NULL;
    int given = pu_json_list(&line->json, root, "params", &list, line->err);

    for (size_t i = 0; given > 0 && i < json_array_size(list); i++) {
        size_t mark = pu_json_enter_item(&line->json, "params", i);
        if (read_param(line, json_array_get(list, i)) < 0)
            return -1;
        pu_json_leave(&line->json, mark);
    }
    return given < 0 ? -1 : 0;
}

/* Records */

static int begin(struct pu_event_pack *pack, struct pu_err *err)
{
    if (pack->array.kind)
        return 0;
    if (!pack->kind)
        pack->kind = PU_EVENT_US;
    if (pu_event_array_init(&pack->array, (enum pu_event_kind)pack->kind, pack->order) < 0)
        return pu_err_system(err, ENOMEM, "cannot hold the array");
    pack->array.compat = pack->compat;
    return 0;
}

static int read_record(struct line *line, const json_t *root)
{
    struct pu_event_pack *pack = line->pack;
    struct moment moment = {0};
    int64_t missed;
    uint32_t flags;
    int status;

    if (read_time(line, root, &moment) < 0 || begin(pack, line->err) < 0)
        return -1;
    int given = pu_json_i64(&line->json, root, "missed", INT32_MIN, INT32_MAX, &missed, line->err);
    if (given < 0)
        return -1;
    if (given > 0) {
        status = pu_event_array_add_missed(&pack->array, moment.seconds, moment.fraction,
                                           (int32_t)missed);
        return status < 0 ? refuse(line, status) : 0;
    }
    if (read_flags(line, root, &flags) < 0)
        return -1;
    status = pu_event_array_add_record(&pack->array, moment.seconds, moment.fraction, flags);
    return status < 0 ? refuse(line, status) : read_params(line, root);
}

static int hand_on(struct pu_event_pack *pack, struct pu_span bytes, struct pu_err *err)
{
    pu_buf_add(pack->to, bytes.data, bytes.size);
    return pack->to->failed ? pu_err_system(err, ENOMEM, "cannot hold the arrays") : 0;
}

/* The last record made the array too large: it goes into one of its own, by being read again. */
static int split(struct pu_event_pack *pack, const struct pu_event_array *before,
                 struct pu_err *err)
{
    struct pu_event_array *array = &pack->array;

    array->size = before->size;
    array->record_count = before->record_count;
    if (hand_on(pack, pu_event_array_bytes(array), err) < 0)
        return -1;
    (void)pu_event_array_reset(array);
    return 0;
}

static int read_line(struct line *line, const json_t *root)
{
    struct pu_event_pack *pack = line->pack;
    struct pu_event_array before = pack->array;
    uint32_t max = pack->max ? pack->max : PU_EVENT_SIZE_MAX;
    int result = read_record(line, root);

    if (result < 0 && !(line->err->code == PU_E_LIMIT && pack->max))
        return -1;
    if (result == 0 && pack->array.size <= max)
        return 0;
    if (before.record_count == 0)
        return pu_err_set(line->err, PU_E_LIMIT, "one record is larger than %u bytes", max);
    if (split(pack, &before, line->err) < 0)
        return -1;
    line->json.path[0] = '\0';
    if (read_record(line, root) < 0)
        return -1;
    if (pack->array.size > max)
        return pu_err_set(line->err, PU_E_LIMIT, "one record is larger than %u bytes", max);
    return 0;
}

static int read_object(struct line *line)
{
    const json_t *root = line->json.root;
    uint64_t none;

    if (!json_is_object(root))
        return pu_json_wrong(&line->json, line->err, "an object is due");
    int empty = pu_json_u64(&line->json, root, "records", 0, &none, line->err);
    if (empty != 0)
        return empty < 0 ? -1 : choose_kind(line, root, 0);
    line->pack->records++;
    return read_line(line, root);
}

int pu_event_pack_line(struct pu_event_pack *pack, struct pu_span text, struct pu_err *err)
{
    struct line line = {.pack = pack, .err = err};
    int result = pu_json_parse(&line.json, text, err);

    if (result == 0)
        result = read_object(&line);
    pu_json_free(&line.json);
    return result;
}

int pu_event_pack_end(struct pu_event_pack *pack, struct pu_err *err)
{
    if (begin(pack, err) < 0)
        return -1;
    return hand_on(pack, pu_event_array_bytes(&pack->array), err);
}

void pu_event_pack_free(struct pu_event_pack *pack)
{
    pu_event_array_free(&pack->array);
}
