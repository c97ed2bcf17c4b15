/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "event/unpack.h"

/* Effects say what PCP does, advice what to change: clauses, without capital and stop. */
const struct pu_rule pu_event_rules[PU_EVENT_RULES] = {
    [PU_EVENT_E01] = {"E01", PU_ERROR, "PCP refuses the array (PM_ERR_TOOSMALL)",
                      "write a header of 8 bytes, and a length that counts it"},
    [PU_EVENT_E02] = {"E02", PU_ERROR, "PCP refuses the array (PM_ERR_TYPE)",
                      "write type 9 (event) or 10 (highres_event), the one of the metric"},
    [PU_EVENT_E03] = {"E03", PU_ERROR, "PCP reads past the end of the value and may crash",
                      "write the length of all that follows and the header"},
    [PU_EVENT_E04] = {"E04", PU_ERROR, "PCP refuses the array (PM_ERR_TOOSMALL)",
                      "write the number of records"},
    [PU_EVENT_E05] = {"E05", PU_ERROR,
                      "PCP refuses the array (PM_ERR_TOOBIG); in an archive or an agent it may "
                      "crash pmdumplog, pmlogcheck and pmcd",
                      "write the number of records that there are"},
    [PU_EVENT_E06] = {"E06", PU_ERROR, "PCP refuses the array (PM_ERR_CONV), and pmlogger may end",
                      "set the flag for missed events alone"},
    [PU_EVENT_E07] = {"E07", PU_ERROR, "PCP shows less than no events as missed",
                      "write how many were missed"},
    [PU_EVENT_E08] = {"E08", PU_ERROR, "PCP takes it and hands out a result of negative size",
                      "write the number of parameters"},
    [PU_EVENT_E09] = {"E09", PU_ERROR,
                      "PCP refuses the array (PM_ERR_TOOBIG); in an archive or an agent it may "
                      "crash pmdumplog, pmlogcheck and pmcd",
                      "write the number of parameters that there are, and their true lengths"},
    [PU_EVENT_E10] = {"E10", PU_ERROR, "PCP refuses the array (PM_ERR_TYPE)",
                      "use types 0 to 7: numbers, string, aggregate"},
    [PU_EVENT_E11] = {"E11", PU_ERROR, "PCP takes it for true and may crash",
                      "write 4 and the number of the value's bytes"},
    [PU_EVENT_E12] = {"E12", PU_ERROR, "PCP does not look at the rest: records may be lost",
                      "write the number of records that there are"},
    [PU_EVENT_E13] = {"E13", PU_ERROR, "there is no array in the rest of the file",
                      "write nothing but whole arrays"},
    [PU_EVENT_W01] = {"W01", PU_WARNING, "PCP shows these bits as a number and as no name",
                      "use bits 0 to 4 and 31"},
    [PU_EVENT_W02] = {"W02", PU_WARNING, "PCP shows a time that there is not",
                      "write a fraction of a second from 0 up"},
    [PU_EVENT_W03] = {"W03", PU_WARNING, "PCP shows the records as they stand",
                      "add records in the order of their times"},
    [PU_EVENT_W04] = {"W04", PU_WARNING,
                      "nobody looks at them, but they may be memory of the agent that anyone can "
                      "read",
                      "fill padding with zeros"},
    [PU_EVENT_W05] = {"W05", PU_WARNING, "PCP shows the bytes as they are",
                      "write strings in UTF-8, anything else as an aggregate"},
    [PU_EVENT_W06] = {"W06", PU_WARNING, "PCP shows the value without a name",
                      "give each parameter a metric of the agent's own"},
    [PU_EVENT_W07] = {"W07", PU_WARNING, "readers look for an identifier and find none",
                      "with flag id the first parameter is the identifier, with flag parent the "
                      "second is the parent's"},
    [PU_EVENT_W08] = {"W08", PU_WARNING, "readers cannot tell which of the two it is",
                      "write a point, or two records"},
    [PU_EVENT_W09] = {"W09", PU_WARNING,
                      "PCP shows the value as if it were of the metric's type: large numbers "
                      "change their sign",
                      "use one type in both places"},
    [PU_EVENT_W10] = {"W10", PU_WARNING, "PCP shows neither name nor value",
                      "log a metric that brings the descriptors; pmlogextract loses them"},
    [PU_EVENT_W11] = {"W11", PU_WARNING,
                      "the number is lost: PCP writes 0 for highres_event on the way to clients "
                      "and archives",
                      "nothing: it can be seen in a local context only"},
    [PU_EVENT_W12] = {"W12", PU_WARNING, "PCP shows a time before 1970",
                      "use highres_event for times beyond the year 2038"},
    [PU_EVENT_W13] = {"W13", PU_WARNING, "PCP's packer refuses the type, its readers take it",
                      "write an aggregate"},
};

static const enum pu_event_rule fault_rules[] = {
    [PU_EVENT_SHORT] = PU_EVENT_E01,          [PU_EVENT_KIND] = PU_EVENT_E02,
    [PU_EVENT_LENGTH] = PU_EVENT_E03,         [PU_EVENT_RECORDS] = PU_EVENT_E04,
    [PU_EVENT_RECORD_OVERRUN] = PU_EVENT_E05, [PU_EVENT_MISSED_FLAGS] = PU_EVENT_E06,
    [PU_EVENT_MISSED_COUNT] = PU_EVENT_E07,   [PU_EVENT_PARAMS] = PU_EVENT_E08,
    [PU_EVENT_PARAM_OVERRUN] = PU_EVENT_E09,  [PU_EVENT_PARAM_TYPE] = PU_EVENT_E10,
    [PU_EVENT_PARAM_LENGTH] = PU_EVENT_E11,   [PU_EVENT_TRAILING] = PU_EVENT_E12,
};

/* One array under examination. */
struct examination {
    struct pu_event_verify *verify;
    const struct pu_event_sample *sample;
    struct pu_event_reader reader;
    struct pu_event_record before; /* the record before this one */
};

/* "a.b.c[name] record[3].param[0]", or with the number of the array where there are several. */
static void describe(const struct pu_event_sample *sample, const char *where, char *to, size_t size)
{
    char instance[16];
    const char *gap = *where ? " " : "";
    struct pu_span name = sample->instance_name;
    char pmid[PU_EVENT_PMID_MAX];
    struct pu_span metric = {0};

    if (sample->metric)
        metric = pu_event_metric_label(sample->metric, pmid);
    snprintf(instance, sizeof(instance), "%" PRId32, sample->instance);
    if (!name.size)
        name = pu_span_text(instance);
    if (sample->metric && sample->has_instance)
        snprintf(to, size, "%.*s[%.*s]%s%s", (int)metric.size, (const char *)metric.data,
                 (int)(name.size < 80 ? name.size : 80), (const char *)name.data, gap, where);
    else if (sample->metric)
        snprintf(to, size, "%.*s%s%s", (int)metric.size, (const char *)metric.data, gap, where);
    else if (sample->number > 0)
        snprintf(to, size, "array[%" PRIu64 "]%s%s", sample->number, *where ? "." : "", where);
    else
        snprintf(to, size, "%s", *where ? where : "array");
}

static void report(const struct pu_event_verify *verify, const struct pu_event_sample *sample,
                   enum pu_event_rule rule, uint64_t offset, const char *where, const char *message)
{
    struct pu_finding finding = {
        .rule = &pu_event_rules[rule],
        .place = {.file = sample->file,
                  .has_offset = sample->has_offset,
                  .offset = sample->offset + offset},
    };

    describe(sample, where, finding.place.what, sizeof(finding.place.what));
    snprintf(finding.message, sizeof(finding.message), "%s", message);
    verify->judge->report(verify->judge, &finding);
}

/* About a record, or one of its parameters unless `param` is NULL. */
static void find(const struct examination *exam, enum pu_event_rule rule, uint64_t offset,
                 const struct pu_event_param *param, const char *fmt, ...) PU_PRINTF(5, 6);

static void find(const struct examination *exam, enum pu_event_rule rule, uint64_t offset,
                 const struct pu_event_param *param, const char *fmt, ...)
{
    char where[64];
    char message[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (param)
        snprintf(where, sizeof(where), "record[%" PRIu32 "].param[%" PRIu32 "]",
                 exam->reader.record - 1, exam->reader.param - 1);
    else
        snprintf(where, sizeof(where), "record[%" PRIu32 "]", exam->reader.record - 1);
    report(exam->verify, exam->sample, rule, offset, where, message);
}

static bool has_metadata(const struct examination *exam)
{
    return exam->verify->catalog != NULL;
}

static void look_at_flags(const struct examination *exam, const struct pu_event_record *record)
{
    uint64_t offset = record->offset + pu_event_record_size(exam->reader.kind) - 8;
    uint32_t odd = record->flags & ~PU_EVENT_FLAGS;

    if (odd)
        find(exam, PU_EVENT_W01, offset, NULL, "undefined flags 0x%" PRIx32, odd);
    if ((record->flags & PU_EVENT_START) && (record->flags & PU_EVENT_END))
        find(exam, PU_EVENT_W08, offset, NULL, "flags start and end together");
    if (((record->flags & PU_EVENT_ID) && record->count < 1) ||
        ((record->flags & PU_EVENT_PARENT) && record->count < 2))
        find(exam, PU_EVENT_W07, offset, NULL, "flag %s, and %" PRIu32 " parameters",
             record->flags & PU_EVENT_PARENT ? "parent" : "id", record->count);
}

static void look_at_time(const struct examination *exam, const struct pu_event_record *record)
{
    bool us = exam->reader.kind == PU_EVENT_US;
    const struct pu_event_record *before = &exam->before;

    if (record->fraction < 0 || record->fraction >= (us ? 1000000 : 1000000000))
        find(exam, PU_EVENT_W02, record->offset + (us ? 4 : 8), NULL, "%" PRId64 " %s",
             record->fraction, us ? "microseconds" : "nanoseconds");
    if (us && record->seconds < 0)
        find(exam, PU_EVENT_W12, record->offset, NULL, "%" PRId64 " seconds", record->seconds);
    if (exam->reader.record > 1 &&
        (record->seconds < before->seconds ||
         (record->seconds == before->seconds && record->fraction < before->fraction)))
        find(exam, PU_EVENT_W03, record->offset, NULL,
             "earlier than the record before it: %" PRId64 "s and %" PRId64 ", before it %" PRId64
             "s and %" PRId64,
             record->seconds, record->fraction, before->seconds, before->fraction);
}

static bool is_utf8(struct pu_span text)
{
    uint32_t character;

    while (text.size > 0) {
        size_t used = pu_text_plain(text);
        if (used == 0)
            used = pu_text_utf8(text, &character);
        if (used == 0)
            return false;
        text.data += used;
        text.size -= used;
    }
    return true;
}

static bool has_dirty_padding(const struct examination *exam, const struct pu_event_param *param)
{
    const unsigned char *padding = param->value.data + param->value.size;
    uint64_t size = exam->reader.in.at - param->offset - PU_EVENT_PARAM_SIZE - param->value.size;

    for (uint64_t i = 0; i < size; i++) {
        if (padding[i])
            return true;
    }
    return false;
}

/* Has nothing been said of this PMID yet? When memory runs out it is said again. */
static bool is_new(struct pu_event_verify *verify, uint32_t pmid)
{
    const struct pu_event_metric metric = {.pmid = pmid, .type = -1};
    struct pu_err err;

    return !pu_event_catalog_find(&verify->told, pmid) &&
           pu_event_catalog_add(&verify->told, &metric, NULL, &err) <= 0;
}

static void look_at_metric(const struct examination *exam, const struct pu_event_param *param)
{
    const struct pu_event_metric *metric =
        pu_event_catalog_find(exam->verify->catalog, param->pmid);
    char pmid[PU_EVENT_PMID_MAX];

    if ((metric && metric->type == (int32_t)param->type) || !is_new(exam->verify, param->pmid))
        return;
    pu_event_pmid_text(pmid, param->pmid);
    if (!metric || metric->type < 0)
        find(exam, PU_EVENT_W10, param->offset, param, "no descriptor of metric %s", pmid);
    else
        find(exam, PU_EVENT_W09, param->offset + 4, param,
             "type %" PRIu32 ", the descriptor of metric %s has %" PRId32, param->type, pmid,
             metric->type);
}

static void look_at_param(const struct examination *exam, const struct pu_event_param *param)
{
    uint64_t value = param->offset + PU_EVENT_PARAM_SIZE;

    if (param->pmid == PU_EVENT_NO_PMID || param->pmid >> 22 == 511)
        find(exam, PU_EVENT_W06, param->offset, param, "PMID 0x%" PRIx32 " is none of an agent",
             param->pmid);
    else if (has_metadata(exam))
        look_at_metric(exam, param);
    if (param->type == PU_EVENT_AGGREGATE_STATIC)
        find(exam, PU_EVENT_W13, param->offset + 4, param, "type aggregate_static");
    if (param->type == PU_EVENT_STRING && !is_utf8(param->value))
        find(exam, PU_EVENT_W05, value, param, "a string that is not UTF-8");
    if (!exam->verify->forgiving && has_dirty_padding(exam, param))
        find(exam, PU_EVENT_W04, value + param->value.size, param, "padding is not zero");
}

static int look_at_params(struct examination *exam, struct pu_err *err)
{
    struct pu_event_param param;
    int more;

    while ((more = pu_event_next_param(&exam->reader, &param, err)) > 0)
        look_at_param(exam, &param);
    return more;
}

/* Returns -1 when this ends the array: it is told then. */
static int look_at_missed(const struct examination *exam, const struct pu_event_record *record)
{
    uint64_t offset = record->offset + pu_event_record_size(exam->reader.kind) - 4;

    if ((int32_t)record->count < 0) {
        find(exam, PU_EVENT_E07, offset, NULL, "%" PRId32 " events missed", (int32_t)record->count);
        return -1;
    }
    if (!exam->verify->forgiving && record->count == 0 && exam->reader.kind == PU_EVENT_NS)
        find(exam, PU_EVENT_W11, offset, NULL, "0 events missed");
    return 0;
}

/* Returns 0 at the end or when all is told, -1 with the reader's fault. */
static int examine(struct examination *exam, struct pu_err *err)
{
    struct pu_event_record record;
    int more;

    while ((more = pu_event_next(&exam->reader, &record, err)) > 0) {
        exam->verify->records++;
        look_at_time(exam, &record);
        if (pu_event_is_missed(&record)) {
            if (look_at_missed(exam, &record) < 0)
                return 0;
        } else {
            look_at_flags(exam, &record);
            if (look_at_params(exam, err) < 0)
                return -1;
        }
        exam->before = record;
    }
    return more;
}

void pu_event_verify_free(struct pu_event_verify *verify)
{
    pu_event_catalog_free(&verify->told);
}

void pu_event_verify(struct pu_event_verify *verify, const struct pu_event_sample *sample)
{
    struct examination exam = {.verify = verify, .sample = sample};
    uint32_t kind = sample->metric && sample->metric->type > 0 ? (uint32_t)sample->metric->type : 0;
    struct pu_err err;

    verify->arrays++;
    if (pu_event_begin(&exam.reader, sample->bytes, sample->order, kind, &err) < 0 ||
        examine(&exam, &err) < 0)
        report(verify, sample, fault_rules[exam.reader.fault], err.offset, err.where, err.message);
}

void pu_event_verify_extra(struct pu_event_verify *verify, const struct pu_event_sample *sample,
                           uint64_t size)
{
    char message[80];

    snprintf(message, sizeof(message), "%" PRIu64 " bytes behind the last array", size);
    report(verify, sample, PU_EVENT_E13, sample->bytes.size, "", message);
}
