/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that runs out in base, out, mmv and event; see sweep.h.
 *
 * test-alloc ARCHIVE...: .meta and .0 as one file, as the fuzz target has them
 */
#include <endian.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/selector.h"
#include "base/table.h"
#include "event/archive.h"
#include "event/array.h"
#include "event/catalog.h"
#include "event/file.h"
#include "event/jsonl.h"
#include "event/names.h"
#include "event/select.h"
#include "event/unpack.h"
#include "event/verify.h"
#include "event/view.h"
#include "mmv/label-file.h"
#include "mmv/label-index.h"
#include "mmv/spec.h"
#include "mmv/target.h"
#include "out/sink.h"
#include "sweep.h"

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
static bool make_mmv_of(const char *text)
{
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

static bool make_mmv(void)
{
    return make_mmv_of(
        "{\"indoms\":[{\"name\":\"x\",\"instances\":[\"a\",\"b\",{\"name_b64\":\"/w==\"}]},{}],"
        "\"other_instances\":[\"c\"],\"metrics\":[{\"name\":\"m\",\"indom\":\"x\",\"value\":7},"
        "{\"name\":\"n\",\"type\":\"string\",\"value_b64\":\"QQ==\",\"shorttext\":\"s\"}]}");
}

static bool make_mmv_of_list(void)
{
    return make_mmv_of(
        "{\"metrics\":[{\"name\":\"n\",\"type\":\"string\"}],\"values\":["
        "{\"name\":\"n\",\"value\":\"a\"},{\"name\":\"n\",\"value_b64\":\"QQ==\"}]}");
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

/* A label comes to a file that has none, and goes again. Its text is ready: jansson does not come
 * by here. */
static bool edit_labels(void)
{
    static char name[] = "a";
    const struct pu_mmv_assignment assignment = {name, "{\"a\":1}"};
    struct pu_mmv_label_targets targets = {0};
    struct pu_mmv_label_index index = {0};
    struct pu_mmv_labels labels = {0};
    struct pu_errors damage = {0};
    struct pu_mmv mmv = {0};
    struct pu_buf bytes = {0};
    struct pu_err err = {0};
    bool refused = pu_mmv_decode((struct pu_span){mmv_bytes, mmv_size}, &mmv, &damage, &err) < 0 ||
                   pu_mmv_labels_read(&mmv, &labels, &err) < 0 ||
                   pu_mmv_label_find(&mmv, "f", PU_MMV_LABEL_ITEM, "*", true, &targets, &err) < 0 ||
                   pu_mmv_labels_set(&labels, &targets.items[0], &assignment, false, &err) < 0 ||
                   pu_mmv_labels_set(&labels, &targets.items[1], &assignment, false, &err) < 0 ||
                   pu_mmv_labels_unset(&labels, &targets, "a", &err) < 0 ||
                   pu_mmv_label_index(&mmv, &index, &err) < 0 ||
                   pu_mmv_labels_rebuild(&mmv, &labels, 7, false, &bytes, &err) < 0;
    bool told = err.code == PU_E_SYSTEM && err.status == ENOMEM && err.message[0];

    free(targets.items);
    pu_mmv_label_index_free(&index);
    pu_mmv_labels_free(&labels);
    pu_buf_free(&bytes);
    pu_mmv_free(&mmv);
    pu_errors_free(&damage);
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

/* Two arrays, as the second record does not fit into the first; a name to be looked up. */
static bool pack_all(struct pu_err *err)
{
    static const char first[] =
        "{\"timestamp\":\"2026-11-30T12:00:00.5Z\",\"flags\":[\"start\",7],\"params\":["
        "{\"name\":\"a.b\",\"type\":\"u64\",\"value\":\"18446744073709551615\"},"
        "{\"pmid\":\"1.2.3\",\"type\":\"string\",\"value_b64\":\"/w==\"}]}";
    static const char second[] =
        "{\"timestamp_raw\":[5,7],\"params\":["
        "{\"pmid\":\"1.2.3\",\"type\":\"double\",\"value\":\"nan\",\"raw\":\"0x1\"}]}";
    const char *const lines[] = {first, second,
                                 "{\"timestamp\":\"2026-11-30T12:00:01Z\",\"missed\":7}"};
    struct pu_event_metric metric = {.pmid = 7, .names = pu_span_text("a.b")};
    struct pu_event_catalog catalog = {0};
    struct pu_event_names names = {0};
    struct pu_buf bytes = {0};
    struct pu_event_pack pack = {
        .max = 70, .to = &bytes, .find = pu_event_names_find, .context = &names};
    bool refused = pu_event_catalog_add(&catalog, &metric, NULL, err) < 0 ||
                   pu_event_names_take(&names, &catalog, err) < 0;

    for (size_t i = 0; !refused && i < sizeof(lines) / sizeof(lines[0]); i++)
        refused = pu_event_pack_line(&pack, pu_span_text(lines[i]), err) < 0;
    refused = refused || pu_event_pack_end(&pack, err) < 0;
    pu_event_pack_free(&pack);
    pu_buf_free(&bytes);
    pu_event_names_free(&names);
    pu_event_catalog_free(&catalog);
    return refused;
}

static bool is_memory(const struct pu_err *err)
{
    return err->code == PU_E_SYSTEM && err->status == ENOMEM && err->message[0];
}

static bool pack_lines(void)
{
    struct pu_err err = {0};

    return pack_all(&err) && is_memory(&err);
}

/* jansson's allocations come by here too; it takes the failure of some for bad text. */
static bool pack_lines_jansson(void)
{
    struct pu_err err = {0};
    json_malloc_t get;
    json_free_t put;

    json_get_alloc_funcs(&get, &put);
    json_set_alloc_funcs(malloc, free);
    bool told = pack_all(&err) && err.message[0];
    json_set_alloc_funcs(get, put);
    return told;
}

static char folder[] = "/tmp/test-alloc.XXXXXX";
static char meta_path[PATH_MAX];
static char data_path[PATH_MAX];

static bool write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, size, file) == size;

    return file && fclose(file) == 0 && written;
}

/* The archive of a file, in a folder of its own. */
static void prepare_archive(const char *path)
{
    static unsigned char bytes[65536];
    uint32_t meta = 0;
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

    if (file)
        fclose(file);
    if (!CHECK(size > 4))
        return;
    memcpy(&meta, bytes, sizeof(meta));
    meta = le32toh(meta);
    if (!CHECK(meta < size - 4))
        return;
    snprintf(meta_path, sizeof(meta_path), "%s/a.meta", folder);
    snprintf(data_path, sizeof(data_path), "%s/a.0", folder);
    CHECK(write_file(meta_path, bytes + 4, meta));
    CHECK(write_file(data_path, bytes + 4 + meta, size - 4 - meta));
}

/* All arrays of the archive, shown as JSON lines; whatever fails is told, in one list or another.
 */
static bool read_archive(void)
{
    static struct pu_sink sink;
    char *const wanted[] = {(char[]){"my.event"}};
    struct pu_event_selection selection = {0};
    struct pu_event_archive archive;
    struct pu_event_sample sample;
    struct pu_errors damage = {0};
    struct pu_buf text = {0};
    struct pu_out out;
    struct pu_event_view view = {.out = &out, .catalog = &archive.catalog};
    struct pu_err err = {0};
    bool told = pu_event_archive_open(&archive, meta_path, &damage, &err) < 0 && is_memory(&err);
    int more = told ? 0 : 1;

    for (size_t i = 0; i < damage.kept; i++)
        told |= is_memory(&damage.items[i]);
    if (pu_event_selection_init(&selection, wanted, 1, &err) < 0) {
        told |= is_memory(&err);
        more = 0;
    }
    archive.selection = &selection;
    pu_sink_to_memory(&sink, &text);
    pu_out_to_json_lines(&out, &sink);
    while (more != 0) {
        more = pu_event_archive_next(&archive, &sample, &err);
        told |= more < 0 && is_memory(&err);
        if (more > 0 && pu_event_view(&view, &sample, &err) < 0)
            told |= is_memory(&err);
    }
    told |= pu_sink_flush(&sink) == ENOMEM;
    pu_event_archive_close(&archive);
    pu_event_selection_free(&selection);
    pu_errors_free(&damage);
    pu_buf_free(&text);
    return told;
}

static void ignore(struct pu_judge *judge, const struct pu_finding *finding)
{
    (void)judge;
    (void)finding;
}

/* When memory runs out something is told twice: nothing else happens. */
static bool judge_array(void)
{
    static const uint32_t words[] = {0x09000024, 1, 1, 2, 1, 1, 3, 0x01000008, 7};
    struct pu_judge judge = {ignore};
    struct pu_event_catalog catalog = {0};
    struct pu_event_verify verify = {.judge = &judge, .catalog = &catalog};
    struct pu_span bytes = {(const unsigned char *)words, sizeof(words)};
    struct pu_event_file file = pu_event_file("file", bytes);
    struct pu_event_sample sample;

    while (pu_event_file_next(&file, &sample))
        pu_event_verify(&verify, &sample);
    pu_event_verify_free(&verify);
    return failed;
}

static void sweep_archives(int count, char **paths)
{
    CHECK(mkdtemp(folder) != NULL);
    for (int i = 0; i < count; i++) {
        prepare_archive(paths[i]);
        sweep(read_archive, 20);
    }
    unlink(meta_path);
    unlink(data_path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    sweep_archives(argc - 1, argv + 1);
    sweep(judge_array, 2);
    sweep(pack_lines, 5);
    sweep(pack_lines_jansson, 20);
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
    sweep(make_mmv_of_list, 5);
    sweep(fill_table, 5);
    prepare_mmv();
    sweep(find_targets, 10);
    sweep(edit_labels, 5);
    return tap_done();
}
