/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that runs out, in everything that needs no other peer than itself. */
#include <errno.h>
#include <stdlib.h>

#include "alloc.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/selector.h"
#include "base/table.h"
#include "event/array.h"
#include "event/catalog.h"
#include "event/select.h"
#include "event/unpack.h"
#include "mmv/spec.h"
#include "mmv/target.h"
#include "out/sink.h"
#include "tap.h"

/* What was added before the failure is still there, and nothing else. */
static bool fill_buf(void)
{
    struct pu_buf buf = {0};
    size_t whole = 0;

    for (int i = 0; i < 1000; i++) {
        pu_buf_add_text(&buf, "0123456789");
        if (!buf.failed)
            whole = buf.size;
        pu_buf_printf(&buf, "%s", "0123456789");
        if (!buf.failed)
            whole = buf.size;
    }
    bool reported = buf.failed;
    bool kept = strlen(pu_buf_text(&buf)) == whole && buf.size == whole;
    pu_buf_free(&buf);
    return kept && reported;
}

static bool text_of_empty_buf(void)
{
    struct pu_buf buf = {0};
    bool empty = strcmp(pu_buf_text(&buf), "") == 0;
    bool reported = buf.failed;

    pu_buf_free(&buf);
    return empty && reported;
}

static bool parse_selector(void)
{
    static const char text[] = "disk.*[sda,\"a\\u00e4b\",7,-1,sd*,x,y,z,w,"
                               "\"a name that is longer than the sixty-four bytes that a buffer "
                               "begins with, to make it grow\"]";
    struct pu_selector selector;
    struct pu_err err = {0};
    bool refused = pu_selector_parse(text, &selector, &err) < 0;
    bool told = err.code == PU_E_SYSTEM && err.status == ENOMEM && err.message[0];

    pu_selector_free(&selector);
    return refused && told;
}

/* Bad text: refused in every run, for the one reason or the other, and given back whole. */
static bool parse_bad_selector(void)
{
    struct pu_selector selector;
    struct pu_err err = {0};
    bool refused = pu_selector_parse("m[a,\"b\\q\"]", &selector, &err) < 0;

    pu_selector_free(&selector);
    return refused ? failed : !failed;
}

/* Counted, but not kept; the next one is kept again. */
static bool add_errors(void)
{
    struct pu_errors list = {0};
    struct pu_err err = {0};

    for (int i = 0; i < PU_ERRORS_KEPT; i++) {
        pu_err_set(&err, PU_E_DAMAGED, "number %d", i);
        pu_errors_add(&list, &err);
    }
    bool all = list.count == PU_ERRORS_KEPT;
    bool missing = list.kept == PU_ERRORS_KEPT - 1 && !strcmp(list.items[0].message, "number 1");
    pu_errors_free(&list);
    return all && missing;
}

static bool fill_sink(void)
{
    static struct pu_sink sink;
    static char piece[PU_SINK_SIZE + 1];
    struct pu_buf memory = {0};

    pu_sink_to_memory(&sink, &memory);
    for (int i = 0; i < 5; i++) {
        pu_sink_text(&sink, "text");
        pu_sink_add(&sink, piece, sizeof(piece));
    }
    bool reported = pu_sink_flush(&sink) == ENOMEM;
    pu_buf_free(&memory);
    return reported;
}

/* Without labels: their texts are made by functions of others, which do not come by here. */
static bool make_mmv(void)
{
    static const char text[] =
        "{\"indoms\":[{\"name\":\"x\",\"instances\":[\"a\",\"b\",{\"name_b64\":\"/w==\"}]},{}],"
        "\"other_instances\":[\"c\"],\"metrics\":[{\"name\":\"m\",\"indom\":\"x\",\"value\":7},"
        "{\"name\":\"n\",\"type\":\"string\",\"value_b64\":\"QQ==\",\"shorttext\":\"s\"}]}";
    const struct pu_mmv_moment moment = {0};
    struct pu_mmv_spec spec;
    struct pu_mmv_layout layout;
    struct pu_buf bytes = {0};
    struct pu_err err = {0};
    bool refused = pu_mmv_spec_read(pu_span_text(text), &moment, &spec, &err) < 0 ||
                   pu_mmv_encode(&spec.model, &bytes, &layout, &err) < 0;
    bool told = err.code == PU_E_SYSTEM && err.status == ENOMEM && err.message[0];

    pu_buf_free(&bytes);
    pu_mmv_spec_free(&spec);
    return refused && told;
}

/* What was added before the failure is found, and nothing else. */
static bool fill_table(void)
{
    struct pu_table table = {0};
    struct pu_err err = {0};
    bool told = false;
    bool right = true;

    for (size_t i = 0; i < 200; i++) {
        struct pu_span key = {(const unsigned char *)&i, sizeof(i)};
        bool refused = pu_table_add(&table, key, i, &err) < 0;
        told |= refused && err.code == PU_E_SYSTEM && err.status == ENOMEM;
        right &= pu_table_find(&table, key) == (refused ? PU_TABLE_NONE : i);
    }
    pu_table_free(&table);
    return told && right;
}

/* A small file, with a metric of so many instances that they are sorted. */
static unsigned char mmv_bytes[4096];
static size_t mmv_size;

static void prepare_mmv(void)
{
    static const char text[] =
        "{\"indoms\":[{\"name\":\"x\",\"instances\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\","
        "\"h\","
        "\"i\",\"j\",\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\",\"r\"]}],"
        "\"metrics\":[{\"name\":\"m\",\"indom\":\"x\"},{\"name\":\"n\",\"type\":\"string\"}]}";
    const struct pu_mmv_moment moment = {0};
    struct pu_mmv_spec spec;
    struct pu_mmv_layout layout;
    struct pu_buf bytes = {0};
    struct pu_err err;

    CHECK(pu_mmv_spec_read(pu_span_text(text), &moment, &spec, &err) == 0 &&
          pu_mmv_encode(&spec.model, &bytes, &layout, &err) == 0 &&
          bytes.size <= sizeof(mmv_bytes));
    memcpy(mmv_bytes, bytes.data, bytes.size);
    mmv_size = bytes.size;
    pu_mmv_spec_free(&spec);
    pu_buf_free(&bytes);
}

static bool find_targets(void)
{
    struct pu_selector by_name = {0};
    struct pu_selector by_id = {0};
    struct pu_mmv_targets targets = {0};
    struct pu_mmv_found found = {0};
    struct pu_errors damage = {0};
    struct pu_mmv mmv = {0};
    struct pu_err err = {0};
    bool refused = pu_selector_parse("m[q]", &by_name, &err) < 0 ||
                   pu_selector_parse("m[7]", &by_id, &err) < 0 ||
                   pu_mmv_decode((struct pu_span){mmv_bytes, mmv_size}, &mmv, &damage, &err) < 0 ||
                   pu_mmv_targets_build(&mmv, "f", &targets, &damage, &err) < 0 ||
                   pu_mmv_targets_find(&targets, &by_name, &found, &err) < 0 ||
                   pu_mmv_targets_find(&targets, &by_id, &found, &err) < 0;
    bool told = err.code == PU_E_SYSTEM && err.status == ENOMEM && err.message[0];

    if (targets.mmv)
        pu_mmv_targets_free(&targets);
    pu_mmv_free(&mmv);
    pu_selector_free(&by_name);
    pu_selector_free(&by_id);
    pu_errors_free(&damage);
    free(found.items);
    return refused && told;
}

/* What was there before the failure is there after it, and sound. */
static bool fill_array(void)
{
    static const char text[300];
    struct pu_span value = {(const unsigned char *)text, sizeof(text)};
    struct pu_event_array array;
    struct pu_event_reader reader;
    struct pu_event_record record;
    struct pu_err err;
    int status = pu_event_array_init(&array, PU_EVENT_US, PU_HOST);
    bool reported = status == -ENOMEM;
    uint32_t params = 0;

    for (int i = 0; status == 0 && i < 50; i++) {
        int one = i % 5 ? pu_event_array_add_param(&array, 1, PU_EVENT_AGGREGATE, value)
                        : pu_event_array_add_record(&array, i, 0, 0);
        reported |= one == -ENOMEM;
        params += i % 5 && one == 0;
    }
    bool sound = status < 0 || pu_event_begin(&reader, pu_event_array_bytes(&array), PU_HOST,
                                              PU_EVENT_US, &err) == 0;
    while (status == 0 && sound && pu_event_next(&reader, &record, &err) > 0)
        params -= record.count;
    sound = sound && params == 0 && (status < 0 || !reader.fault);
    pu_event_array_free(&array);
    return reported && sound;
}

static bool fill_catalog(void)
{
    struct pu_event_catalog catalog = {0};
    struct pu_err err = {0};
    bool refused = false;

    for (uint32_t i = 0; i < 100; i++) {
        struct pu_event_metric metric = {.pmid = i, .names = pu_span_text("a")};
        refused |= pu_event_catalog_add(&catalog, &metric, NULL, &err) < 0;
        refused |=
            pu_event_catalog_add_instance(&catalog, 1, (int32_t)i, 0, pu_span_text("b"), &err) < 0;
    }
    pu_event_catalog_free(&catalog);
    return refused && err.status == ENOMEM && err.message[0];
}

static bool select_metrics(void)
{
    char *const texts[] = {(char[]){"a.b[c,1]"}, (char[]){"d.*"}};
    struct pu_event_selection selection = {0};
    struct pu_err err = {0};
    bool refused = pu_event_selection_init(&selection, texts, 2, &err) < 0;

    pu_event_selection_free(&selection);
    return refused && err.status == ENOMEM;
}

int main(void)
{
    sweep(fill_array, 3);
    sweep(fill_catalog, 100);
    sweep(select_metrics, 4);
    sweep(fill_buf, 8);
    sweep(text_of_empty_buf, 1);
    sweep(parse_selector, 10);
    sweep(parse_bad_selector, 3);
    sweep(add_errors, 1);
    sweep(fill_sink, 3);
    sweep(make_mmv, 10);
    sweep(fill_table, 5);
    prepare_mmv();
    sweep(find_targets, 10);
    return tap_done();
}
