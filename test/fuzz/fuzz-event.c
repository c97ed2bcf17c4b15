/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packed event arrays: judges any bytes and shows them in every form. Text has to be printable, CSV
 * to have its columns, and JSON lines have to be packed again into the same bytes, padding aside.
 */
#include <stdio.h>
#include <stdlib.h>

#include "event/file.h"
#include "event/jsonl.h"
#include "event/verify.h"
#include "event/view.h"
#include "fuzz.h"

#define INPUT_MAX 65536

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=8:max_malloc_fill_size=16";
}

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-event: %s\n", what);
    abort();
}

/* What is found in one array. */
struct judge {
    struct pu_judge judge;
    uint64_t end; /* no finding may lie behind it */
    bool errors;
    bool odd; /* what pack refuses, or makes another way */
};

static void report(struct pu_judge *base, const struct pu_finding *finding)
{
    struct judge *judge = (struct judge *)base;
    const char *rule = finding->rule->name;

    if (finding->place.offset > judge->end)
        broken("a finding outside of the file");
    judge->errors |= finding->rule->severity == PU_ERROR;
    judge->odd |= strcmp(rule, "W04") == 0 || strcmp(rule, "W13") == 0;
}

static struct pu_sink sink;
static struct pu_buf text;

static void show(const struct pu_event_sample *sample, struct pu_event_view *view, bool sound)
{
    struct pu_err err;

    view->show_empty = true;
    if ((pu_event_view(view, sample, &err) == 0) != sound)
        broken("shown and judged differ");
    if (pu_sink_flush(&sink) != 0)
        broken("the sink is full");
}

static void begin(void)
{
    text.size = 0;
    pu_sink_to_memory(&sink, &text);
}

static void check_printable(const char *more)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte != '\n' && !strchr(more, byte) && (byte < ' ' || byte > '~'))
            broken("text that is not printable");
    }
}

static void run_text(const struct pu_event_sample *sample, bool sound)
{
    struct pu_out out;
    const struct pu_event_param_filter any = {pu_span_text("*"), true, pu_span_text("*")};
    struct pu_event_view view = {.out = &out, .filter = {.flags = 0x8000001f}};

    begin();
    pu_out_to_text(&out, &sink);
    view.filter.params = &any;
    view.filter.param_count = sample->bytes.size % 2;
    show(sample, &view, sound);
    check_printable("");
}

static void run_csv(const struct pu_event_sample *sample, bool sound)
{
    struct pu_out out;
    struct pu_event_view view = {.out = &out, .rows = true};
    size_t commas = 0;
    bool quoted = false;

    begin();
    pu_out_to_csv(&out, &sink, pu_event_columns);
    show(sample, &view, sound);
    check_printable("\r");
    for (size_t i = 0; i < text.size; i++) {
        quoted ^= text.data[i] == '"';
        commas += text.data[i] == ',' && !quoted;
        if (text.data[i] == '\n' && commas != 15)
            broken("a row without its columns");
        if (text.data[i] == '\n')
            commas = 0;
    }
    if (quoted)
        broken("an open quote");
}

static void pack_again(const struct pu_event_sample *sample)
{
    struct pu_buf packed = {0};
    struct pu_event_pack pack = {.order = sample->order, .compat = true, .to = &packed};
    struct pu_err err = {0};
    size_t start = 0;
    bool refused = false;

    for (size_t i = 0; i < text.size && !refused; i++) {
        if (text.data[i] != '\n')
            continue;
        struct pu_span line = {(const unsigned char *)text.data + start, i - start};
        refused = pu_event_pack_line(&pack, line, &err) < 0;
        start = i + 1;
    }
    /* A string with a NUL in it is refused; nothing else may be. */
    if (refused && !strstr(err.message, "NUL"))
        broken(err.message);
    if (!refused) {
        if (pu_event_pack_end(&pack, &err) < 0)
            broken(err.message);
        if (!pu_span_equal(pu_buf_span(&packed), sample->bytes))
            broken("other bytes than before");
    }
    pu_event_pack_free(&pack);
    pu_buf_free(&packed);
}

/* With compatible times, seconds of missed records have 32 bits. */
static bool has_wide_missed(const struct pu_event_sample *sample)
{
    struct pu_event_reader reader;
    struct pu_event_record record;
    struct pu_err err;

    if (pu_event_begin(&reader, sample->bytes, sample->order, 0, &err) < 0)
        return true;
    while (pu_event_next(&reader, &record, &err) > 0) {
        if (pu_event_is_missed(&record) && (record.seconds != (int32_t)record.seconds ||
                                            record.fraction != (int32_t)record.fraction))
            return true;
    }
    return false;
}

static void run_lines(const struct pu_event_sample *sample, bool sound, bool odd)
{
    struct pu_out out;
    struct pu_event_view view = {.out = &out};

    begin();
    pu_out_to_json_lines(&out, &sink);
    show(sample, &view, sound);
    if (sound && !odd && !has_wide_missed(sample))
        pack_again(sample);
}

static void run_array(const struct pu_event_sample *sample, uint64_t end)
{
    struct judge judge = {.judge.report = report, .end = end};
    struct pu_event_verify verify = {.judge = &judge.judge};
    struct pu_event_reader reader;
    struct pu_event_record record;
    struct pu_err err;

    pu_event_verify(&verify, sample);
    /* Less than 0 missed is an error to the judge alone. */
    bool sound = pu_event_begin(&reader, sample->bytes, sample->order, 0, &err) == 0;
    for (int more = 1; sound && more > 0;) {
        more = pu_event_next(&reader, &record, &err);
        sound = more >= 0;
    }
    if (!sound && !judge.errors)
        broken("unreadable, and no error is found");
    run_text(sample, sound);
    run_csv(sample, sound);
    run_lines(sample, sound, judge.odd || judge.errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pu_event_sample sample;

    if (size > INPUT_MAX)
        return 0;
    /* Of this size and no more, so that one byte too far is noticed. */
    unsigned char *copy = malloc(size + 1);
    if (size > 0)
        memcpy(copy + 1, data, size); /* on an odd address, as nothing promises another */
    struct pu_event_file file = pu_event_file("fuzz", (struct pu_span){copy + 1, size});
    while (pu_event_file_next(&file, &sample))
        run_array(&sample, size);
    free(copy);
    return 0;
}
