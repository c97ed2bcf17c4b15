/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptions of MMV files: any text is read, and what becomes of it written. An error says what
 * is wrong and where, and is the parser's own for what is no JSON as a whole; a file is whole, of
 * the size and the records that were planned, and the same again the second time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "mmv/decode.h"
#include "mmv/spec.h"

/* More only takes longer. */
#define INPUT_MAX 65536

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-spec: %s\n", what);
    abort();
}

static void check_error(const struct pu_err *err)
{
    if (err->code != PU_E_SYNTAX || err->message[0] == '\0' || err->line == 0 || err->column == 0)
        broken("an error that does not say what is wrong where");
}

static size_t expected(const struct pu_mmv_model *model, int32_t kind)
{
    switch (kind) {
    case PU_MMV_INDOMS:
        return model->indom_count;
    case PU_MMV_INSTANCES:
        return model->instance_count;
    case PU_MMV_METRICS:
        return model->metric_count;
    case PU_MMV_VALUES:
        return model->value_count;
    default:
        return model->label_count;
    }
}

static bool same(struct pu_span a, struct pu_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static void check_records(const struct pu_mmv *mmv, const struct pu_mmv_model *model)
{
    struct pu_mmv_records records = pu_mmv_records(mmv, PU_MMV_METRICS);

    while (pu_mmv_next(&records)) {
        struct pu_mmv_metric metric = pu_mmv_metric(mmv, records.offset);
        const struct pu_mmv_model_metric *wanted = &model->metrics[records.index];
        if (!same(metric.name, wanted->name) || metric.item != wanted->item ||
            metric.type != wanted->type || metric.units != wanted->units)
            broken("a metric is another one");
    }
    records = pu_mmv_records(mmv, PU_MMV_VALUES);
    while (pu_mmv_next(&records)) {
        struct pu_mmv_value value = pu_mmv_value(mmv, records.offset);
        const struct pu_mmv_model_value *wanted = &model->values[records.index];
        size_t instance = value.instance_offset
                              ? pu_mmv_find(&mmv->instances, value.instance_offset)
                              : PU_MMV_NONE;
        if (pu_mmv_find(&mmv->metrics, value.metric_offset) != wanted->metric ||
            (instance == PU_MMV_NONE ? PU_MMV_SINGULAR : instance) != wanted->instance ||
            (value.raw != wanted->raw && value.word != wanted->raw))
            broken("a value is another one");
    }
}

static void check_file(const struct pu_mmv_spec *spec, struct pu_span bytes,
                       const struct pu_mmv_layout *layout)
{
    struct pu_errors damage = {0};
    struct pu_mmv mmv;
    struct pu_err err;
    char path[PU_MMV_SPEC_PATH_MAX];

    if (bytes.size != layout->size)
        broken("a file of another size than planned");
    if (pu_mmv_decode(bytes, &mmv, &damage, &err) < 0)
        broken(err.message);
    if (damage.count > 0)
        broken(damage.items[0].message);
    for (int32_t kind = PU_MMV_INDOMS; kind <= PU_MMV_LABELS; kind++) {
        if (kind != PU_MMV_STRINGS && mmv.counts[kind] != expected(&spec->model, kind))
            broken("records are missing, or too many");
    }
    check_records(&mmv, &spec->model);
    for (uint64_t offset = 0; offset <= bytes.size; offset += 4)
        pu_mmv_spec_path(spec, layout, offset, path);
    pu_mmv_free(&mmv);
    pu_errors_free(&damage);
}

/* Values are parsed one by one: that must come to the same. `err` is empty when there was none. */
static void check_syntax(struct pu_span text, const struct pu_err *err)
{
    struct pu_json whole = {0};
    struct pu_err syntax;

    /* But that one by one they may be a little deeper. */
    if (pu_json_parse(&whole, text, &syntax) < 0 &&
        strncmp(syntax.message, "maximum parsing depth", 21) != 0 &&
        (strcmp(syntax.message, err->message) != 0 || syntax.line != err->line ||
         syntax.column != err->column))
        broken("another error than for the whole");
    pu_json_free(&whole);
}

static void run(struct pu_span text)
{
    const struct pu_mmv_moment moment = {INT64_C(1700000060000000000), 4321, 1234};
    struct pu_mmv_spec spec;
    struct pu_mmv_layout layout;
    struct pu_buf bytes = {0};
    struct pu_buf again = {0};
    struct pu_err err = {0};

    int result = pu_mmv_spec_read(text, &moment, &spec, &err);
    check_syntax(text, &err);
    if (result < 0) {
        check_error(&err);
    } else if (pu_mmv_encode(&spec.model, &bytes, &layout, &err) == 0 && spec.model.generation) {
        check_file(&spec, pu_buf_span(&bytes), &layout);
        if (pu_mmv_encode(&spec.model, &again, &layout, &err) < 0 ||
            !same(pu_buf_span(&bytes), pu_buf_span(&again)))
            broken("other bytes the second time");
    }
    pu_buf_free(&again);
    pu_buf_free(&bytes);
    pu_mmv_spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > INPUT_MAX)
        return 0;
    /* Of this size and no more, so that one byte too far is noticed. */
    unsigned char *copy = malloc(size);
    if (size > 0)
        memcpy(copy, data, size);
    run((struct pu_span){copy, size});
    free(copy);
    return 0;
}
