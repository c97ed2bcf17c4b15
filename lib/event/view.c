/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/selector.h"
#include "base/time.h"
#include "event/words.h"

/* A record about to be shown. */
struct showing {
    struct pu_event_view *view;
    const struct pu_event_sample *sample;
    const struct pu_event_reader *reader; /* before the first parameter */
    const struct pu_event_record *record;
    enum pu_event_kind kind;
    uint32_t number; /* of the record, from 0 */
};

/* One declaration for a member and a column of that name. */
static const struct pu_field record_field = {.form = PU_FORM_LINE};
static const struct pu_field file_field = {.key = "file", .form = PU_FORM_PREFIX};
static const struct pu_field timestamp_field = {.key = "timestamp", .form = PU_FORM_EXACT};
static const struct pu_field raw_time_field = {.key = "timestamp_raw", .form = PU_FORM_HIDDEN};
static const struct pu_field raw_time_text_field = {.key = NULL};
static const struct pu_field metric_field = {.key = "metric"};
static const struct pu_field metric_pmid_field = {.key = NULL};
static const struct pu_field pmid_field = {.key = "pmid", .form = PU_FORM_HIDDEN};
static const struct pu_field instance_field = {.key = "instance", .form = PU_FORM_HIDDEN};
static const struct pu_field instance_name_field = {.key = "instance_name",
                                                    .form = PU_FORM_BRACKETS};
static const struct pu_field instance_id_field = {.key = NULL, .form = PU_FORM_BRACKETS};
static const struct pu_field sampled_field = {.key = "sampled", .form = PU_FORM_HIDDEN};
static const struct pu_field type_field = {.key = "type", .form = PU_FORM_HIDDEN};
static const struct pu_field number_field = {.key = "record", .form = PU_FORM_HIDDEN};
static const struct pu_field flags_field = {.key = "flags", .form = PU_FORM_HIDDEN};
static const struct pu_field flags_text_field = {.key = NULL};
static const struct pu_field missed_field = {.key = "missed", .form = PU_FORM_LABELLED};
static const struct pu_field params_field = {.key = "params"};
static const struct pu_field param_field = {.key = "param", .form = PU_FORM_HIDDEN};
static const struct pu_field param_name_field = {.key = "name", .form = PU_FORM_PREFIX};
static const struct pu_field param_pmid_text_field = {.key = NULL, .form = PU_FORM_PREFIX};
static const struct pu_field value_field = {.key = "value", .form = PU_FORM_QUOTED};
static const struct pu_field binary_field = {.key = "value_b64"};
static const struct pu_field raw_field = {.key = "raw", .form = PU_FORM_HIDDEN};

const char *const pu_event_columns[] = {
    "file",       "timestamp",  "metric",     "pmid",  "instance", "instance_name",
    "sampled",    "type",       "record",     "flags", "missed",   "param",
    "param_name", "param_pmid", "param_type", "value", NULL};

static bool point_of(const struct showing *showing, int64_t *point)
{
    int64_t unit = showing->kind == PU_EVENT_US ? 1000 : 1;
    const struct pu_event_record *record = showing->record;

    if (record->fraction < 0 || record->fraction >= PU_NANOSECONDS / unit)
        return false;
    return !__builtin_mul_overflow(record->seconds, PU_NANOSECONDS, point) &&
           !__builtin_add_overflow(*point, record->fraction * unit, point);
}

static float float_of(const struct pu_event_param *param)
{
    uint32_t bits = pu_event_u32(param);
    float number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static double double_of(const struct pu_event_param *param)
{
    uint64_t bits = pu_event_u64(param);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static const struct pu_event_metric *metric_of(const struct pu_event_view *view, uint32_t pmid)
{
    return view->catalog ? pu_event_catalog_find(view->catalog, pmid) : NULL;
}

/* Filters */

/* The value as text shows it, without quotes. */
static struct pu_span value_text(const struct pu_event_param *param, char to[PU_NUM_MAX])
{
    size_t size;

    switch (param->type) {
    case PU_EVENT_32:
        size = pu_num_i64(to, (int32_t)pu_event_u32(param));
        break;
    case PU_EVENT_U32:
        size = pu_num_u64(to, pu_event_u32(param));
        break;
    case PU_EVENT_64:
        size = pu_num_i64(to, (int64_t)pu_event_u64(param));
        break;
    case PU_EVENT_U64:
        size = pu_num_u64(to, pu_event_u64(param));
        break;
    case PU_EVENT_FLOAT:
        size = pu_num_float(to, float_of(param));
        break;
    case PU_EVENT_DOUBLE:
        size = pu_num_double(to, double_of(param));
        break;
    default:
        return param->value;
    }
    return (struct pu_span){(const unsigned char *)to, size};
}

static bool has_name(const struct pu_event_view *view, const struct pu_event_param *param,
                     struct pu_span pattern)
{
    const struct pu_event_metric *metric = metric_of(view, param->pmid);
    char pmid[PU_EVENT_PMID_MAX];
    size_t size = pu_event_pmid_text(pmid, param->pmid);

    return (metric && metric->name.size > 0 && pu_glob_match(pattern, metric->name)) ||
           pu_glob_match(pattern, (struct pu_span){(const unsigned char *)pmid, size});
}

static bool meets(const struct pu_event_view *view, const struct pu_event_param *param,
                  const struct pu_event_param_filter *filter)
{
    char number[PU_NUM_MAX];

    return has_name(view, param, filter->name) &&
           (!filter->has_value || pu_glob_match(filter->value, value_text(param, number)));
}

static bool has_flags(const struct pu_event_filter *filter, uint32_t flags)
{
    if (!filter->flags && !filter->no_flags)
        return true;
    return (flags & filter->flags) || (filter->no_flags && flags == 0);
}

/*
 * Reads a record's parameters ahead: -1 when they cannot be read, else whether the record is one of
 * those to be shown.
 */
static int look_ahead(struct pu_event_view *view, struct pu_event_reader reader,
                      const struct pu_event_record *record, struct pu_event_reader *after,
                      struct pu_err *err)
{
    uint64_t met = 0;
    struct pu_event_param param;
    int more;

    while ((more = pu_event_next_param(&reader, &param, err)) > 0) {
        const struct pu_event_metric *metric = metric_of(view, param.pmid);
        view->stats.params++;
        view->stats.unknown += !metric || metric->name.size == 0;
        for (size_t i = 0; i < view->filter.param_count; i++)
            met |= (uint64_t)meets(view, &param, &view->filter.params[i]) << i;
    }
    *after = reader;
    if (more < 0)
        return -1;
    return has_flags(&view->filter, record->flags) &&
           met == (UINT64_C(1) << view->filter.param_count) - 1;
}

/* Records as objects */

static void put_time(const struct showing *showing)
{
    struct pu_out *out = showing->view->out;
    const struct pu_event_record *record = showing->record;
    char text[64];
    int64_t point;

    if (point_of(showing, &point)) {
        pu_out_time(out, &timestamp_field, point);
        return;
    }
    snprintf(text, sizeof(text), "%" PRId64 "s%+" PRId64 "%s", record->seconds, record->fraction,
             showing->kind == PU_EVENT_US ? "us" : "ns");
    if (showing->view->rows) {
        pu_out_string(out, &timestamp_field, text);
        return;
    }
    pu_out_string(out, &raw_time_text_field, text);
    pu_out_list(out, &raw_time_field);
    pu_out_i64(out, NULL, record->seconds);
    pu_out_i64(out, NULL, record->fraction);
    pu_out_end(out);
}

static void put_pmid(struct pu_out *out, const struct pu_field *field, uint32_t pmid)
{
    char text[PU_EVENT_PMID_MAX];
    size_t size = pu_event_pmid_text(text, pmid);

    pu_out_bytes(out, field, (struct pu_span){(const unsigned char *)text, size});
}

static void put_source(const struct showing *showing)
{
    struct pu_out *out = showing->view->out;
    const struct pu_event_sample *sample = showing->sample;

    if (sample->metric) {
        if (sample->metric->name.size > 0)
            pu_out_name(out, &metric_field, sample->metric->name);
        else
            put_pmid(out, &metric_pmid_field, sample->metric->pmid);
        put_pmid(out, &pmid_field, sample->metric->pmid);
    }
    if (sample->has_instance) {
        pu_out_i64(out, &instance_field, sample->instance);
        if (sample->instance_name.size > 0)
            pu_out_select(out, &instance_name_field, sample->instance_name);
        else
            pu_out_i64(out, &instance_id_field, sample->instance);
    }
    if (sample->has_time)
        pu_out_time(out, &sampled_field, sample->time);
    pu_out_string(out, &type_field, pu_event_type_word(showing->kind));
}

static void put_flags(struct pu_out *out, uint32_t flags)
{
    char text[PU_EVENT_FLAGS_MAX];

    pu_event_flags_text(text, flags);
    pu_out_string(out, &flags_text_field, flags ? text : "-");
    pu_out_list(out, &flags_field);
    for (; flags; flags &= flags - 1) {
        unsigned int bit = (unsigned int)__builtin_ctz(flags);
        const char *word = pu_event_flag_word(bit);
        if (word)
            pu_out_string(out, NULL, word);
        else
            pu_out_u64(out, NULL, bit);
    }
    pu_out_end(out);
}

/* A NaN's other bits are in no text. */
static void put_raw(struct pu_out *out, double number, uint64_t bits)
{
    if (isnan(number))
        pu_out_hex(out, &raw_field, bits);
}

static void put_value(struct pu_out *out, const struct pu_event_param *param)
{
    switch (param->type) {
    case PU_EVENT_32:
        pu_out_i64(out, &value_field, (int32_t)pu_event_u32(param));
        return;
    case PU_EVENT_U32:
        pu_out_u64(out, &value_field, pu_event_u32(param));
        return;
    case PU_EVENT_64:
        pu_out_i64(out, &value_field, (int64_t)pu_event_u64(param));
        return;
    case PU_EVENT_U64:
        pu_out_u64(out, &value_field, pu_event_u64(param));
        return;
    case PU_EVENT_FLOAT:
        pu_out_float(out, &value_field, float_of(param));
        put_raw(out, (double)float_of(param), pu_event_u32(param));
        return;
    case PU_EVENT_DOUBLE:
        pu_out_double(out, &value_field, double_of(param));
        put_raw(out, double_of(param), pu_event_u64(param));
        return;
    case PU_EVENT_STRING:
        pu_out_bytes(out, &value_field, param->value);
        return;
    default:
        pu_out_binary(out, &binary_field, param->value);
    }
}

static void put_param(const struct showing *showing, const struct pu_event_param *param)
{
    struct pu_out *out = showing->view->out;
    const struct pu_event_metric *metric = metric_of(showing->view, param->pmid);

    pu_out_object(out, NULL);
    if (metric && metric->name.size > 0)
        pu_out_name(out, &param_name_field, metric->name);
    else
        put_pmid(out, &param_pmid_text_field, param->pmid);
    put_pmid(out, &pmid_field, param->pmid);
    pu_out_string(out, &type_field, pu_event_type_word(param->type));
    put_value(out, param);
    pu_out_end(out);
}

static void put_params(const struct showing *showing)
{
    struct pu_event_reader reader = *showing->reader;
    struct pu_event_param param;
    struct pu_err err;

    pu_out_list(showing->view->out, &params_field);
    while (pu_event_next_param(&reader, &param, &err) > 0)
        put_param(showing, &param);
    pu_out_end(showing->view->out);
}

static void put_object(const struct showing *showing)
{
    struct pu_out *out = showing->view->out;

    pu_out_object(out, &record_field);
    if (showing->view->show_file)
        pu_out_string(out, &file_field, showing->sample->file);
    put_time(showing);
    put_source(showing);
    pu_out_u64(out, &number_field, showing->number);
    if (pu_event_is_missed(showing->record)) {
        pu_out_i64(out, &missed_field, (int32_t)showing->record->count);
    } else {
        put_flags(out, showing->record->flags);
        put_params(showing);
    }
    pu_out_end(out);
}

/* Records as rows: all columns, one row a parameter */

static void put_optional(struct pu_out *out, struct pu_span text)
{
    if (text.size > 0)
        pu_out_bytes(out, NULL, text);
    else
        pu_out_null(out, NULL);
}

static void put_row_source(const struct showing *showing)
{
    struct pu_out *out = showing->view->out;
    const struct pu_event_sample *sample = showing->sample;
    const struct pu_span none = {0};

    pu_out_string(out, NULL, sample->file);
    put_time(showing);
    put_optional(out, sample->metric ? sample->metric->name : none);
    if (sample->metric)
        put_pmid(out, NULL, sample->metric->pmid);
    else
        pu_out_null(out, NULL);
    if (sample->has_instance)
        pu_out_i64(out, NULL, sample->instance);
    else
        pu_out_null(out, NULL);
    put_optional(out, sample->instance_name);
    if (sample->has_time)
        pu_out_time(out, NULL, sample->time);
    else
        pu_out_null(out, NULL);
    pu_out_string(out, NULL, pu_event_type_word(showing->kind));
    pu_out_u64(out, NULL, showing->number);
}

/* The rest of a row that is about a whole record. */
static void put_row_flags(const struct showing *showing)
{
    struct pu_out *out = showing->view->out;
    char flags[PU_EVENT_FLAGS_MAX];

    if (pu_event_is_missed(showing->record)) {
        pu_out_null(out, NULL);
        pu_out_i64(out, NULL, (int32_t)showing->record->count);
        return;
    }
    put_optional(out, (struct pu_span){(const unsigned char *)flags,
                                       pu_event_flags_text(flags, showing->record->flags)});
    pu_out_null(out, NULL);
}

static void put_row_param(const struct showing *showing, const struct pu_event_param *param,
                          uint32_t number)
{
    struct pu_out *out = showing->view->out;
    const struct pu_event_metric *metric = metric_of(showing->view, param->pmid);

    pu_out_u64(out, &param_field, number);
    put_optional(out, metric ? metric->name : (struct pu_span){0});
    put_pmid(out, NULL, param->pmid);
    pu_out_string(out, NULL, pu_event_type_word(param->type));
    if (param->type == PU_EVENT_FLOAT)
        pu_out_float(out, NULL, float_of(param));
    else if (param->type == PU_EVENT_DOUBLE)
        pu_out_double(out, NULL, double_of(param));
    else
        put_value(out, param);
}

static void put_row(const struct showing *showing, const struct pu_event_param *param,
                    uint32_t number)
{
    struct pu_out *out = showing->view->out;

    pu_out_object(out, &record_field);
    put_row_source(showing);
    put_row_flags(showing);
    if (param)
        put_row_param(showing, param, number);
    for (int i = 0; !param && i < 5; i++)
        pu_out_null(out, NULL);
    pu_out_end(out);
}

static void put_rows(const struct showing *showing)
{
    struct pu_event_reader reader = *showing->reader;
    struct pu_event_param param;
    struct pu_err err;
    uint32_t number = 0;

    while (pu_event_next_param(&reader, &param, &err) > 0)
        put_row(showing, &param, number++);
    if (number == 0)
        put_row(showing, NULL, 0);
}

/* Arrays */

static void put_empty(const struct showing *showing)
{
    static const struct pu_field records_field = {.key = "records", .form = PU_FORM_LABELLED};
    static const struct pu_field time_field = {.key = NULL, .form = PU_FORM_EXACT};
    struct pu_out *out = showing->view->out;

    if (showing->view->rows)
        return;
    pu_out_object(out, &record_field);
    if (showing->view->show_file)
        pu_out_string(out, &file_field, showing->sample->file);
    if (showing->sample->has_time)
        pu_out_time(out, &time_field, showing->sample->time);
    put_source(showing);
    pu_out_u64(out, &records_field, 0);
    pu_out_end(out);
}

static void count(struct pu_event_stats *stats, const struct pu_event_record *record)
{
    stats->records++;
    if (!pu_event_is_missed(record))
        return;
    stats->missed_records++;
    if ((int32_t)record->count > 0)
        stats->missed += record->count;
}

static int view_records(struct pu_event_view *view, const struct pu_event_sample *sample,
                        struct pu_event_reader *reader, struct pu_err *err)
{
    struct pu_event_reader after;
    struct pu_event_record record;
    struct showing showing = {view, sample, reader, &record, reader->kind, 0};
    int more;

    if (reader->record_count == 0) {
        view->stats.empty++;
        if (view->show_empty && view->out)
            put_empty(&showing);
    }
    while ((more = pu_event_next(reader, &record, err)) > 0) {
        int wanted = look_ahead(view, *reader, &record, &after, err);
        if (wanted < 0)
            return -1;
        count(&view->stats, &record);
        showing.number = reader->record - 1;
        if (wanted && view->out && view->rows)
            put_rows(&showing);
        else if (wanted && view->out)
            put_object(&showing);
        *reader = after;
    }
    return more;
}

/* The place in the file, and by name. */
static void locate(const struct pu_event_sample *sample, struct pu_err *err)
{
    char where[sizeof(err->where)];
    char pmid[PU_EVENT_PMID_MAX];
    struct pu_span metric = {0};

    if (sample->metric)
        metric = pu_event_metric_label(sample->metric, pmid);
    memcpy(where, err->where, sizeof(where));
    if (sample->metric)
        pu_err_where(err, "%.*s%s%.60s", (int)(metric.size < 60 ? metric.size : 60),
                     (const char *)metric.data, *where ? " " : "", where);
    else if (sample->number > 0)
        pu_err_where(err, "array[%" PRIu64 "]%s%.60s", sample->number, *where ? "." : "", where);
    err->offset += sample->offset;
    err->has_offset = sample->has_offset;
}

int pu_event_view(struct pu_event_view *view, const struct pu_event_sample *sample,
                  struct pu_err *err)
{
    uint32_t kind = sample->metric && sample->metric->type > 0 ? (uint32_t)sample->metric->type : 0;
    struct pu_event_reader reader;

    view->stats.arrays++;
    if (pu_event_begin(&reader, sample->bytes, sample->order, kind, err) < 0 ||
        view_records(view, sample, &reader, err) < 0) {
        view->stats.bad++;
        locate(sample, err);
        return -1;
    }
    return 0;
}

void pu_event_put_stats(struct pu_out *out, const struct pu_event_stats *stats)
{
    static const struct pu_field block_field = {.form = PU_FORM_BLOCK};
    static const struct pu_field fields[] = {
        {.key = "arrays"},
        {.key = "empty_arrays", .label = "empty arrays"},
        {.key = "bad_arrays", .label = "bad arrays"},
        {.key = "records"},
        {.key = "missed_records", .label = "records of missed events"},
        {.key = "missed_events", .label = "missed events"},
        {.key = "params", .label = "parameters"},
        {.key = "unknown_params", .label = "parameters without name"},
    };
    const uint64_t numbers[] = {stats->arrays,  stats->empty,          stats->bad,
                                stats->records, stats->missed_records, stats->missed,
                                stats->params,  stats->unknown};

    pu_out_object(out, &block_field);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        pu_out_u64(out, &fields[i], numbers[i]);
    pu_out_end(out);
}
