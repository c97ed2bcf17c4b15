/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/unpack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* The byte of a word that holds a type, and the rest of the word. */
static uint32_t type_of(uint32_t word)
{
    return word >> 24;
}

static uint32_t length_of(uint32_t word)
{
    return word & PU_EVENT_SIZE_MAX;
}

static uint64_t type_offset(const struct pu_event_reader *reader, uint64_t word_offset)
{
    return word_offset + (reader->in.order == PU_LITTLE ? 3 : 0);
}

static bool is_kind(uint32_t type)
{
    return type == PU_EVENT_US || type == PU_EVENT_NS;
}

static uint32_t first_word(struct pu_span bytes, enum pu_order order)
{
    struct pu_cursor in = pu_cursor(bytes, 0, order);

    return pu_cursor_u32(&in);
}

bool pu_event_is_array(struct pu_span bytes, enum pu_order order)
{
    return is_kind(type_of(first_word(bytes, order)));
}

enum pu_order pu_event_order(struct pu_span bytes)
{
    if (pu_event_is_array(bytes, PU_HOST))
        return PU_HOST;
    return pu_event_is_array(bytes, PU_FOREIGN) ? PU_FOREIGN : PU_HOST;
}

uint32_t pu_event_length(struct pu_span bytes, enum pu_order order)
{
    return length_of(first_word(bytes, order));
}

static int fail(struct pu_event_reader *reader, enum pu_event_fault fault, uint64_t offset,
                struct pu_err *err, const char *fmt, ...) PU_PRINTF(5, 6);

static int fail(struct pu_event_reader *reader, enum pu_event_fault fault, uint64_t offset,
                struct pu_err *err, const char *fmt, ...)
{
    char message[sizeof(err->message)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    reader->fault = fault;
    return pu_err_damage(err, offset, "%s", message);
}

/* The fault is about the record being read. */
static int in_record(const struct pu_event_reader *reader, struct pu_err *err)
{
    return pu_err_where(err, "record[%" PRIu32 "]", reader->record - 1);
}

/* The fault is about a parameter of it. */
static int in_param(const struct pu_event_reader *reader, uint32_t param, struct pu_err *err)
{
    return pu_err_where(err, "record[%" PRIu32 "].param[%" PRIu32 "]", reader->record - 1, param);
}

static int check_kind(struct pu_event_reader *reader, uint32_t type, uint32_t wanted,
                      struct pu_err *err)
{
    uint64_t offset = type_offset(reader, 0);

    if (!is_kind(type))
        return fail(reader, PU_EVENT_KIND, offset, err, "type %" PRIu32 " is no event array", type);
    if (wanted && type != wanted)
        return fail(reader, PU_EVENT_KIND, offset, err,
                    "type %" PRIu32 ", where the metric has %" PRIu32, type, wanted);
    return 0;
}

int pu_event_begin(struct pu_event_reader *reader, struct pu_span bytes, enum pu_order order,
                   uint32_t kind, struct pu_err *err)
{
    *reader = (struct pu_event_reader){.in = pu_cursor(bytes, 0, order)};
    uint32_t word = pu_cursor_u32(&reader->in);
    int32_t records = pu_cursor_i32(&reader->in);

    if (reader->in.bad)
        return fail(reader, PU_EVENT_SHORT, 0, err, "too small: %zu bytes, a header has %d",
                    bytes.size, PU_EVENT_HEADER_SIZE);
    if (length_of(word) < PU_EVENT_HEADER_SIZE)
        return fail(reader, PU_EVENT_SHORT, 0, err, "a length of %" PRIu32 ", the header has %d",
                    length_of(word), PU_EVENT_HEADER_SIZE);
    if (check_kind(reader, type_of(word), kind, err) < 0)
        return -1;
    if (length_of(word) > bytes.size)
        return fail(reader, PU_EVENT_LENGTH, 0, err, "a length of %" PRIu32 ", there are %zu bytes",
                    length_of(word), bytes.size);
    if (records < 0)
        return fail(reader, PU_EVENT_RECORDS, 4, err, "%" PRId32 " records", records);
    reader->in.span.size = length_of(word);
    reader->kind = (enum pu_event_kind)type_of(word);
    reader->record_count = (uint32_t)records;
    return 0;
}

static int check_record(struct pu_event_reader *reader, const struct pu_event_record *record,
                        struct pu_err *err)
{
    uint64_t flags_offset = reader->in.at - 8;
    int32_t count = (int32_t)record->count;

    if (pu_event_is_missed(record) && record->flags != PU_EVENT_MISSED)
        fail(reader, PU_EVENT_MISSED_FLAGS, flags_offset, err,
             "the flag for missed events and others: 0x%" PRIx32, record->flags);
    else if (!pu_event_is_missed(record) && count < 0)
        fail(reader, PU_EVENT_PARAMS, flags_offset + 4, err, "%" PRId32 " parameters", count);
    else
        return 0;
    return in_record(reader, err);
}

static int end(struct pu_event_reader *reader, struct pu_err *err)
{
    uint64_t rest = reader->in.span.size - reader->in.at;

    if (rest == 0)
        return 0;
    return fail(reader, PU_EVENT_TRAILING, reader->in.at, err,
                "%" PRIu64 " bytes behind the last of %" PRIu32 " records", rest,
                reader->record_count);
}

static int skip_params(struct pu_event_reader *reader, struct pu_err *err)
{
    struct pu_event_param param;
    int more;

    while ((more = pu_event_next_param(reader, &param, err)) > 0)
        continue;
    return more;
}

int pu_event_next(struct pu_event_reader *reader, struct pu_event_record *record,
                  struct pu_err *err)
{
    struct pu_cursor *in = &reader->in;

    if (reader->fault || skip_params(reader, err) < 0)
        return -1;
    if (reader->record == reader->record_count)
        return end(reader, err);
    reader->record++;
    record->offset = (uint32_t)in->at;
    if (!pu_span_has(in->span, in->at, pu_event_record_size(reader->kind))) {
        fail(reader, PU_EVENT_RECORD_OVERRUN, in->at, err,
             "runs past the array, which has %zu bytes and says %" PRIu32 " records", in->span.size,
             reader->record_count);
        return in_record(reader, err);
    }
    record->seconds = reader->kind == PU_EVENT_US ? pu_cursor_i32(in) : pu_cursor_i64(in);
    record->fraction = reader->kind == PU_EVENT_US ? pu_cursor_i32(in) : pu_cursor_i64(in);
    record->flags = pu_cursor_u32(in);
    record->count = pu_cursor_u32(in);
    if (check_record(reader, record, err) < 0)
        return -1;
    reader->params = pu_event_is_missed(record) ? 0 : record->count;
    reader->param = 0;
    return 1;
}

/* Type and length of a parameter, by themselves. */
static int check_param(struct pu_event_reader *reader, const struct pu_event_param *param,
                       uint32_t length, struct pu_err *err)
{
    uint64_t word = param->offset + 4;
    uint32_t fixed = pu_event_fixed_size(param->type);

    if (param->type >= PU_EVENT_TYPES)
        fail(reader, PU_EVENT_PARAM_TYPE, type_offset(reader, word), err,
             "type %" PRIu32 " is none of a parameter", param->type);
    else if (length < PU_EVENT_LENGTH_BIAS || (fixed && length != fixed + PU_EVENT_LENGTH_BIAS))
        fail(reader, PU_EVENT_PARAM_LENGTH, word, err,
             "a length of %" PRIu32 ", for type %" PRIu32 " it is %s%" PRIu32, length, param->type,
             fixed ? "" : "at least ", fixed + PU_EVENT_LENGTH_BIAS);
    else
        return 0;
    return in_param(reader, reader->param, err);
}

static int overrun(struct pu_event_reader *reader, uint64_t offset, struct pu_err *err)
{
    fail(reader, PU_EVENT_PARAM_OVERRUN, offset, err,
         "runs past the array, which has %zu bytes; %" PRIu32 " parameters were to come",
         reader->in.span.size, reader->params);
    return in_param(reader, reader->param, err);
}

int pu_event_next_param(struct pu_event_reader *reader, struct pu_event_param *param,
                        struct pu_err *err)
{
    struct pu_cursor *in = &reader->in;

    if (reader->fault)
        return -1;
    if (reader->params == 0)
        return 0;
    param->offset = (uint32_t)in->at;
    param->order = in->order;
    if (!pu_span_has(in->span, in->at, PU_EVENT_PARAM_SIZE))
        return overrun(reader, param->offset, err);
    param->pmid = pu_cursor_u32(in);
    uint32_t word = pu_cursor_u32(in);
    param->type = type_of(word);
    if (check_param(reader, param, length_of(word), err) < 0)
        return -1;
    uint32_t size = length_of(word) - PU_EVENT_LENGTH_BIAS;
    if (!pu_span_has(in->span, in->at, pu_event_padded(size)))
        return overrun(reader, param->offset, err);
    param->value = pu_cursor_bytes(in, size);
    in->at += pu_event_padded(size) - size;
    reader->params--;
    reader->param++;
    return 1;
}

uint32_t pu_event_u32(const struct pu_event_param *param)
{
    struct pu_cursor in = pu_cursor(param->value, 0, param->order);

    return pu_cursor_u32(&in);
}

uint64_t pu_event_u64(const struct pu_event_param *param)
{
    struct pu_cursor in = pu_cursor(param->value, 0, param->order);

    return pu_cursor_u64(&in);
}
