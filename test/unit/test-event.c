/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>

#include "event/array.h"
#include "event/catalog.h"
#include "event/file.h"
#include "event/unpack.h"
#include "tap.h"

#define PMID ((UINT32_C(29) << 22) | 130)

static struct pu_span number(const uint32_t *word)
{
    return (struct pu_span){(const unsigned char *)word, sizeof(*word)};
}

static const uint32_t seven = 7;

static void statuses(void)
{
    struct pu_event_array array = {0};

    CHECK_EQ_I64(pu_event_array_add_record(&array, 1, 0, 1), PU_EVENT_ERR_NOCONTEXT);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, 1, 0, 1), PU_EVENT_ERR_NOCONTEXT);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, 99, number(&seven)),
                 PU_EVENT_ERR_NOCONTEXT);
    CHECK_EQ_I64(pu_event_array_reset(&array), PU_EVENT_ERR_NOCONTEXT);
    CHECK(pu_event_array_bytes(&array).data == NULL);
    CHECK_EQ_I64(pu_event_array_init(&array, (enum pu_event_kind)8, PU_HOST), -EINVAL);
    CHECK_EQ_I64(pu_event_array_add_record(&array, 1, 0, 1), PU_EVENT_ERR_NOCONTEXT);
    pu_event_array_free(&array);
    pu_event_array_free(&array);
    CHECK_EQ_I64(pu_event_array_init(&array, PU_EVENT_US, PU_HOST), 0);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_U32, number(&seven)), -EINVAL);
    CHECK_EQ_I64(pu_event_array_add_record(&array, 1, 0, PU_EVENT_MISSED), PU_EVENT_ERR_CONV);
    CHECK_EQ_I64(pu_event_array_add_record(&array, INT64_C(1) << 31, 0, 1), PU_EVENT_ERR_TRUNC);
    CHECK_EQ_I64(pu_event_array_add_record(&array, 0, INT64_MIN, 1), PU_EVENT_ERR_TRUNC);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, INT64_C(1) << 31, 0, 1), PU_EVENT_ERR_TRUNC);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, 1, 0, -1), PU_EVENT_ERR_TOOSMALL);
    CHECK_EQ_U64(pu_event_array_bytes(&array).size, 8);
    CHECK_EQ_I64(pu_event_array_add_record(&array, 1, 0, 0x7fffffff), 0);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_AGGREGATE_STATIC, number(&seven)),
                 PU_EVENT_ERR_TYPE);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, UINT32_MAX, number(&seven)),
                 PU_EVENT_ERR_TYPE);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_U64, number(&seven)), -EINVAL);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_U32, number(&seven)), 0);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, 1, 0, INT32_MAX), 0);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_U32, number(&seven)), -EINVAL);
    CHECK_EQ_U64(pu_event_array_bytes(&array).size, 8 + 16 + 12 + 16);
    CHECK_EQ_I64(pu_event_array_reset(&array), 0);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_U32, number(&seven)), -EINVAL);
    CHECK_EQ_U64(pu_event_array_bytes(&array).size, 8);
    pu_event_array_free(&array);
}

static void compatible(void)
{
    static const uint32_t us[] = {0x09000028,      2,         1, 2, 1, 0, UINT32_MAX, 5,
                                  PU_EVENT_MISSED, UINT32_MAX};
    struct pu_event_array array;
    struct pu_event_reader reader;
    struct pu_event_record record;
    struct pu_err err;

    CHECK_EQ_I64(pu_event_array_init(&array, PU_EVENT_US, PU_HOST), 0);
    array.compat = true;
    CHECK_EQ_I64(pu_event_array_add_record(&array, (INT64_C(1) << 32) + 1, 2, 1), 0);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, INT64_C(0x7ffffffff), 5, -1), 0);
    struct pu_span bytes = pu_event_array_bytes(&array);
    CHECK_EQ_BYTES(bytes.data, bytes.size, us, sizeof(us));
    pu_event_array_free(&array);

    CHECK_EQ_I64(pu_event_array_init(&array, PU_EVENT_NS, PU_HOST), 0);
    array.compat = true;
    CHECK_EQ_I64(pu_event_array_add_record(&array, INT64_C(1) << 40, 2, 1), 0);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, (INT64_C(1) << 40) + 6, 2, 1), 0);
    CHECK_EQ_I64(pu_event_begin(&reader, pu_event_array_bytes(&array), PU_HOST, 0, &err), 0);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 1);
    CHECK_EQ_I64(record.seconds, INT64_C(1) << 40);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 1);
    CHECK_EQ_I64(record.seconds, 6);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 0);
    pu_event_array_free(&array);
}

/* Up to the last byte that a length can tell, and not further. */
static void limits(enum pu_event_kind kind)
{
    uint32_t most = (PU_EVENT_SIZE_MAX - PU_EVENT_HEADER_SIZE) / pu_event_record_size(kind);
    uint32_t left =
        PU_EVENT_SIZE_MAX - PU_EVENT_HEADER_SIZE - pu_event_record_size(kind) - PU_EVENT_PARAM_SIZE;
    struct pu_span text = {calloc(1, left + 1), left & ~UINT32_C(3)};
    struct pu_event_array array;
    uint32_t count = 0;

    CHECK_EQ_I64(pu_event_array_init(&array, kind, PU_HOST), 0);
    while (pu_event_array_add_record(&array, 1, 0, 0) == 0)
        count++;
    CHECK_EQ_U64(count, most);
    CHECK_EQ_I64(pu_event_array_add_record(&array, 1, 0, 0), PU_EVENT_ERR_TOOBIG);
    CHECK_EQ_I64(pu_event_array_add_missed(&array, 1, 0, 0), PU_EVENT_ERR_TOOBIG);
    CHECK_EQ_U64(pu_event_length(pu_event_array_bytes(&array), PU_HOST), array.size);

    CHECK_EQ_I64(pu_event_array_reset(&array), 0);
    CHECK_EQ_I64(pu_event_array_add_record(&array, 1, 0, 0), 0);
    text.size++;
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_STRING, text),
                 PU_EVENT_ERR_TOOBIG);
    text.size = SIZE_MAX;
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_STRING, text),
                 PU_EVENT_ERR_TOOBIG);
    text.size = left & ~UINT32_C(3);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_STRING, text), 0);
    CHECK_EQ_U64(pu_event_array_bytes(&array).size, 16777212);
    CHECK_EQ_I64(pu_event_array_add_param(&array, PMID, PU_EVENT_U32, number(&seven)),
                 PU_EVENT_ERR_TOOBIG);
    pu_event_array_free(&array);
    free((void *)(uintptr_t)text.data);
}

static void build(struct pu_event_array *array, enum pu_event_kind kind, enum pu_order order)
{
    uint64_t wide = UINT64_C(0x0123456789abcdef);

    CHECK_EQ_I64(pu_event_array_init(array, kind, order), 0);
    CHECK_EQ_I64(pu_event_array_add_record(array, -2, 3, PU_EVENT_START | PU_EVENT_ID), 0);
    CHECK_EQ_I64(pu_event_array_add_param(array, PMID, PU_EVENT_U64,
                                          (struct pu_span){(const unsigned char *)&wide, 8}),
                 0);
    CHECK_EQ_I64(pu_event_array_add_param(array, PMID + 1, PU_EVENT_STRING, pu_span_text("abcde")),
                 0);
    CHECK_EQ_I64(pu_event_array_add_param(array, PMID, PU_EVENT_32, number(&seven)), 0);
    CHECK_EQ_I64(pu_event_array_add_missed(array, 4, 5, 6), 0);
}

static void read_back(enum pu_event_kind kind, enum pu_order order)
{
    struct pu_event_array array;
    struct pu_event_reader reader;
    struct pu_event_record record;
    struct pu_event_param param;
    struct pu_err err;

    build(&array, kind, order);
    CHECK_EQ_I64(pu_event_order(pu_event_array_bytes(&array)), order);
    CHECK_EQ_I64(pu_event_begin(&reader, pu_event_array_bytes(&array), order, kind, &err), 0);
    CHECK_EQ_U64(reader.kind, kind);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 1);
    CHECK_EQ_I64(record.seconds, -2);
    CHECK_EQ_I64(record.fraction, 3);
    CHECK_EQ_U64(record.flags, 10);
    CHECK_EQ_U64(record.count, 3);
    CHECK_EQ_I64(pu_event_next_param(&reader, &param, &err), 1);
    CHECK_EQ_U64(param.pmid, PMID);
    CHECK_EQ_U64(param.type, PU_EVENT_U64);
    CHECK_EQ_U64(pu_event_u64(&param), UINT64_C(0x0123456789abcdef));
    CHECK_EQ_I64(pu_event_next_param(&reader, &param, &err), 1);
    CHECK_EQ_BYTES(param.value.data, param.value.size, "abcde", 5);
    CHECK_EQ_BYTES(param.value.data + 5, 3, "\0\0\0", 3);
    /* The last one is not asked for. */
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 1);
    CHECK(pu_event_is_missed(&record));
    CHECK_EQ_U64(record.count, 6);
    CHECK_EQ_I64(pu_event_next_param(&reader, &param, &err), 0);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 0);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), 0);
    CHECK_EQ_I64(pu_event_begin(&reader, pu_event_array_bytes(&array), order,
                                PU_EVENT_US + PU_EVENT_NS - kind, &err),
                 -1);
    CHECK_EQ_I64(reader.fault, PU_EVENT_KIND);
    CHECK_EQ_I64(pu_event_next(&reader, &record, &err), -1);
    pu_event_array_free(&array);
}

/* Cut anywhere it is refused, at a place inside. */
static void cut(enum pu_event_kind kind)
{
    struct pu_event_array array;
    struct pu_event_reader reader;
    struct pu_event_record record;
    struct pu_err err;
    unsigned int refused = 0;

    build(&array, kind, PU_HOST);
    struct pu_span all = pu_event_array_bytes(&array);
    for (size_t size = 0; size < all.size; size++) {
        unsigned char *copy = malloc(size + 1);
        memcpy(copy, all.data, size);
        uint32_t word = (uint32_t)kind << 24 | (uint32_t)size;
        if (size >= sizeof(word))
            memcpy(copy, &word, sizeof(word));
        int result = pu_event_begin(&reader, (struct pu_span){copy, size}, PU_HOST, 0, &err);
        for (int more = 1; result == 0 && more > 0;) {
            more = pu_event_next(&reader, &record, &err);
            result = more < 0 ? -1 : 0;
        }
        refused += result < 0 && err.code == PU_E_DAMAGED && err.offset <= size;
        free(copy);
    }
    CHECK_EQ_U64(refused, all.size);
    pu_event_array_free(&array);
}

static void files(void)
{
    static const uint32_t words[] = {0x09000008, 0, 0x0a000008, 0, 0x09000010, 0};
    struct pu_span bytes = {(const unsigned char *)words, sizeof(words)};
    struct pu_event_file file = pu_event_file("name", bytes);
    struct pu_event_sample sample;

    CHECK(pu_event_file_next(&file, &sample));
    CHECK_EQ_U64(sample.bytes.size, 8);
    CHECK(pu_event_file_next(&file, &sample));
    CHECK_EQ_U64(sample.offset, 8);
    CHECK_EQ_U64(sample.number, 1);
    CHECK(!pu_event_file_next(&file, &sample)); /* longer than what is there */
    CHECK_EQ_U64(file.at, 16);
    file = pu_event_file("empty", (struct pu_span){0});
    CHECK(pu_event_file_next(&file, &sample));
    CHECK_EQ_U64(sample.bytes.size, 0);
    CHECK(!pu_event_file_next(&file, &sample));
}

static void pmids(void)
{
    static const char *const wrong[] = {"",       "1",           "1.2",      "1.2.",
                                        "1.2.3.", "1.2.3.4",     "512.0.0",  "0.4096.0",
                                        ".1.2",   "-1.0.0",      "0.0.1024", "0.0.99999999999",
                                        "0x",     "0x123456789", "0xg",      "1 .2.3"};
    char text[PU_EVENT_PMID_MAX];
    uint32_t pmid = 0;

    CHECK_EQ_U64(pu_event_pmid_text(text, PMID), 8);
    CHECK_EQ_STR(text, "29.0.130");
    CHECK(pu_event_pmid_parse(pu_span_text(text), &pmid));
    CHECK_EQ_U64(pmid, PMID);
    pu_event_pmid_text(text, UINT32_MAX);
    CHECK_EQ_STR(text, "0xffffffff");
    CHECK(pu_event_pmid_parse(pu_span_text(text), &pmid));
    CHECK_EQ_U64(pmid, UINT32_MAX);
    pu_event_pmid_text(text, UINT32_MAX >> 1);
    CHECK_EQ_STR(text, "511.4095.1023");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (!CHECK(!pu_event_pmid_parse(pu_span_text(wrong[i]), &pmid)))
            printf("# %s\n", wrong[i]);
    }
}

static void ask(struct pu_event_catalog *catalog, uint32_t pmid)
{
    struct pu_err err;
    struct pu_event_metric metric = {.pmid = pmid, .type = -1, .indom = PU_EVENT_NO_INDOM};

    ++*(int *)catalog->context;
    CHECK_EQ_I64(pu_event_catalog_add(catalog, &metric, NULL, &err), 0);
}

static void catalog(void)
{
    struct pu_event_catalog catalog = {0};
    struct pu_err err;
    size_t at = 0;
    size_t walked = 0;
    int asked = 0;

    CHECK(!pu_event_catalog_find(&catalog, PMID));
    for (uint32_t i = 0; i < 1000; i++) {
        struct pu_event_metric metric = {
            .pmid = PMID + i, .type = (int32_t)i, .names = pu_span_text("a.b")};
        if (pu_event_catalog_add(&catalog, &metric, NULL, &err) < 0)
            CHECK(false);
    }
    CHECK_EQ_I64(pu_event_catalog_find(&catalog, PMID + 999)->type, 999);
    CHECK(!pu_event_catalog_find(&catalog, PMID + 1000));
    CHECK_EQ_U64(pu_event_catalog_find(&catalog, PMID)->name.size, 3);
    while (pu_event_catalog_walk(&catalog, &at))
        walked++;
    CHECK_EQ_U64(walked, 1000);
    catalog.ask = ask;
    catalog.context = &asked;
    CHECK_EQ_I64(pu_event_catalog_find(&catalog, 5)->type, -1);
    CHECK_EQ_I64(pu_event_catalog_find(&catalog, 5)->type, -1);
    CHECK_EQ_I64(asked, 1);

    CHECK_EQ_U64(pu_event_catalog_instance(&catalog, 1, 0, 5).size, 0);
    CHECK_EQ_I64(pu_event_catalog_add_instance(&catalog, 1, 0, 10, pu_span_text("ten"), &err), 0);
    CHECK_EQ_I64(pu_event_catalog_add_instance(&catalog, 1, 0, 5, pu_span_text("first"), &err), 0);
    CHECK_EQ_I64(pu_event_catalog_add_instance(&catalog, 1, 1, 7, pu_span_text("other"), &err), 0);
    CHECK_EQ_BYTES(pu_event_catalog_instance(&catalog, 1, 0, 1).data, 5, "first", 5);
    CHECK_EQ_BYTES(pu_event_catalog_instance(&catalog, 1, 0, 9).data, 5, "first", 5);
    CHECK_EQ_BYTES(pu_event_catalog_instance(&catalog, 1, 0, 10).data, 3, "ten", 3);
    CHECK_EQ_BYTES(pu_event_catalog_instance(&catalog, 1, 1, 3).data, 5, "other", 5);
    CHECK_EQ_U64(pu_event_catalog_instance(&catalog, 2, 0, 9).size, 0);
    pu_event_catalog_free(&catalog);
}

int main(void)
{
    statuses();
    compatible();
    limits(PU_EVENT_US);
    limits(PU_EVENT_NS);
    for (int order = 0; order < 2; order++) {
        read_back(PU_EVENT_US, (enum pu_order)order);
        read_back(PU_EVENT_NS, (enum pu_order)order);
    }
    cut(PU_EVENT_US);
    cut(PU_EVENT_NS);
    files();
    pmids();
    catalog();
    return tap_done();
}
