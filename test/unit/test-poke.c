/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a selector to changed bytes: mmv/fence, mmv/target, mmv/poke, mmv/live. */
#include "mmv/live.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "mmv/spec.h"
#include "tap.h"

#define NOW INT64_C(1700000060000000000)

static struct pu_err err;

static const char description[] =
    "{\"header\":{\"generation1\":1,\"cluster\":5},"
    "\"indoms\":[{\"name\":\"x\",\"instances\":[\"a\",\"b\",{\"name\":\"c\",\"instance\":-9}]}],"
    "\"metrics\":[{\"name\":\"n\"},{\"name\":\"e\",\"type\":\"elapsed\"},"
    "{\"name\":\"s\",\"type\":\"string\",\"value\":\"text\"},"
    "{\"name\":\"many\",\"type\":\"u32\",\"indom\":\"x\",\"shorttext\":\"some\"},"
    "{\"name\":\"mmv.file.n\",\"type\":\"double\"}]}";

static struct pu_buf encode(const char *text)
{
    const struct pu_mmv_moment moment = {.now = NOW};
    struct pu_mmv_layout layout;
    struct pu_mmv_spec spec;
    struct pu_buf bytes = {0};

    CHECK(pu_mmv_spec_read(pu_span_text(text), &moment, &spec, &err) == 0 &&
          pu_mmv_encode(&spec.model, &bytes, &layout, &err) == 0);
    pu_mmv_spec_free(&spec);
    return bytes;
}

/* A file in memory. */
static struct pu_buf bytes;
static struct pu_mmv mmv;
static struct pu_mmv_targets targets;
static struct pu_mmv_found found;

static void begin(void)
{
    struct pu_errors damage = {0};

    bytes = encode(description);
    CHECK_EQ_I64(pu_mmv_decode(pu_buf_span(&bytes), &mmv, &damage, &err), 0);
    CHECK_EQ_I64(pu_mmv_targets_build(&mmv, "tmp/file", &targets, &damage, &err), 0);
    CHECK_EQ_U64(damage.count, 0);
}

static void end(void)
{
    pu_mmv_targets_free(&targets);
    pu_mmv_free(&mmv);
    pu_buf_free(&bytes);
    free(found.items);
    found = (struct pu_mmv_found){0};
}

static int find(const char *text)
{
    struct pu_selector selector;

    found.count = 0;
    err = (struct pu_err){0};
    if (pu_selector_parse(text, &selector, &err) < 0)
        return -1;
    int result = pu_mmv_targets_find(&targets, &selector, &found, &err);
    pu_selector_free(&selector);
    return result;
}

/* `names`: of what is found, each followed by a blank. */
static void finds(const char *text, const char *names)
{
    char all[200] = "";
    char name[PU_MMV_TARGET_NAME_MAX];

    CHECK_EQ_I64(find(text), 0);
    for (size_t i = 0; i < found.count; i++) {
        strcat(all, pu_mmv_target_name(&mmv, found.items[i].offset, name));
        strcat(all, " ");
    }
    CHECK_EQ_STR(all, names);
}

static void test_find(void)
{
    begin();
    finds("n", "n ");
    finds("many", "many[a] many[b] many[c] ");
    finds("many[-9,a]", "many[a] many[c] ");
    finds("many[b]", "many[b] ");
    finds("*", "n e s many[a] many[b] many[c] mmv.file.n ");
    /* The name of one, and what the agent makes of the name of another. */
    finds("mmv.file.n", "mmv.file.n n ");
    finds("mmv.file.mmv.file.n", "mmv.file.n ");
    end();
}

static void test_find_none(void)
{
    begin();
    CHECK_EQ_I64(find("nope"), -1);
    CHECK_EQ_I64(err.code, PU_E_REFUSED);
    CHECK_EQ_STR(err.message, "there is no such metric");
    CHECK_EQ_I64(find("mmv.file."), -1);
    CHECK_EQ_I64(find("many[d]"), -1);
    CHECK_EQ_STR(err.message, "there is no such instance");
    CHECK_EQ_U64(found.count, 0);
    end();
}

static void test_fence(void)
{
    struct pu_mmv_range ranges[] = {{0, 56}, {100, 101}, {200, 300}};
    const struct pu_mmv_fence fence = {ranges, 3};

    CHECK(pu_mmv_fence_touches(&fence, 0, 1));
    CHECK(pu_mmv_fence_touches(&fence, 55, 1));
    CHECK(!pu_mmv_fence_touches(&fence, 56, 44));
    CHECK(pu_mmv_fence_touches(&fence, 56, 45));
    CHECK(pu_mmv_fence_touches(&fence, 100, 1));
    CHECK(!pu_mmv_fence_touches(&fence, 101, 99));
    CHECK(pu_mmv_fence_touches(&fence, 101, 100));
    CHECK(pu_mmv_fence_touches(&fence, 299, 16));
    CHECK(!pu_mmv_fence_touches(&fence, 300, 1000));
    CHECK(pu_mmv_fence_touches(&fence, 50, 1000));
    CHECK(!pu_mmv_fence_touches(&(struct pu_mmv_fence){0}, 0, 1000));
}

/* In a file of ours, everything but values and texts is fenced off. */
static void test_fence_of_file(void)
{
    begin();
    for (uint64_t at = 0; at < bytes.size; at++) {
        bool value = false;
        for (struct pu_mmv_records one = pu_mmv_records(&mmv, PU_MMV_VALUES); pu_mmv_next(&one);) {
            struct pu_mmv_value record = pu_mmv_value(&mmv, one.offset);
            bool text = pu_mmv_metric(&mmv, record.metric_offset).type == PU_MMV_STRING;
            value |= at >= one.offset && at < one.offset + PU_MMV_VALUE_SIZE;
            value |= text && at >= (uint64_t)record.extra && at < (uint64_t)record.extra + 256;
        }
        /* Padding and what is behind the end of help is nobody's. */
        if (value && pu_mmv_fence_touches(&targets.fence, at, 1))
            CHECK(false);
        if (!value && at < (uint64_t)mmv.sections[mmv.section_count - 1].offset &&
            !pu_mmv_fence_touches(&targets.fence, at, 1))
            CHECK(false);
    }
    CHECK(targets.fence.count > 1);
    end();
}

static int poke(const char *what, bool add, const char *text, struct pu_mmv_words *words)
{
    const struct pu_mmv_poke how = {add, pu_span_text(text), false};

    if (find(what) < 0)
        return -1;
    return pu_mmv_poke((unsigned char *)bytes.data, &found.items[0], &how, words, &err);
}

static void test_poke(void)
{
    struct pu_mmv_words words;

    begin();
    CHECK_EQ_I64(poke("n", false, "41", &words), 0);
    CHECK_EQ_I64(poke("n", true, "1", &words), 0);
    CHECK_EQ_U64(words.raw, 42);
    CHECK_EQ_U64(pu_mmv_value(&mmv, found.items[0].offset).raw, 42);
    CHECK_EQ_I64(poke("many[b]", true, "3", &words), 0);
    CHECK_EQ_U64(pu_mmv_value(&mmv, found.items[0].offset).word, 3);
    CHECK_EQ_I64(poke("e", false, "start", &words), 0);
    int64_t start = -words.extra;
    CHECK(start > 0 && start <= pu_time_now() / 1000);
    CHECK_EQ_I64(pu_mmv_value(&mmv, found.items[0].offset).extra, -start);
    CHECK_EQ_I64(poke("e", false, "stop", &words), 0);
    CHECK_EQ_I64(words.extra, 0);
    CHECK(words.raw <= (uint64_t)(pu_time_now() / 1000 - start));
    CHECK_EQ_I64(poke("s", false, "new", &words), 0);
    CHECK_EQ_BYTES(bytes.data + found.items[0].slot, 6, "new\0\0", 6);
    end();
}

static void test_poke_refused(void)
{
    struct pu_mmv_words words;

    begin();
    struct pu_buf before = {0};
    pu_buf_add(&before, bytes.data, bytes.size);
    CHECK_EQ_I64(poke("n", false, "x", &words), -1);
    CHECK_EQ_I64(err.code, PU_E_REFUSED);
    CHECK_EQ_I64(poke("n", true, "-1", &words), -1);
    CHECK_EQ_I64(poke("e", false, "stop", &words), -1);
    CHECK_EQ_I64(poke("s", true, "x", &words), -1);
    CHECK_EQ_BYTES(bytes.data, bytes.size, before.data, before.size);
    pu_buf_free(&before);
    end();
}

static void write_file(const char *path, const char *text)
{
    struct pu_buf made = encode(text);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    CHECK(fd >= 0 && write(fd, made.data, made.size) == (ssize_t)made.size);
    close(fd);
    pu_buf_free(&made);
}

static void live_poke(struct pu_mmv_live *live, const char *name, const char *text)
{
    const struct pu_mmv_target *items;
    size_t count;

    CHECK_EQ_I64(pu_mmv_live_refresh(live, &err), 0);
    CHECK_EQ_I64(pu_mmv_live_find(live, pu_span_text(name), &items, &count, &err), 0);
    CHECK_EQ_U64(count, 1);
    CHECK_EQ_I64(pu_mmv_live_poke(live, items, false, pu_span_text(text), &err), 0);
    CHECK_EQ_U64(pu_mmv_value(&live->file.mmv, items->offset).raw, strtoull(text, NULL, 10));
}

/* The value of the first record of a file. */
static uint64_t first_value(const char *path)
{
    int64_t patience = 0;
    struct pu_mmv_file file;
    uint64_t raw = UINT64_MAX;

    if (pu_mmv_load(path, &patience, &file, &err) == 0) {
        struct pu_mmv_records values = pu_mmv_records(&file.mmv, PU_MMV_VALUES);
        if (pu_mmv_next(&values))
            raw = pu_mmv_value(&file.mmv, values.offset).raw;
    }
    pu_mmv_unload(&file);
    return raw;
}

static void test_live(void)
{
    struct pu_mmv_live live;

    write_file("file", description);
    pu_mmv_live_begin(&live, "file", false);
    live_poke(&live, "n", "5");
    live_poke(&live, "n", "6");
    CHECK_EQ_U64(live.spelled.count, 1);
    CHECK_EQ_U64(first_value("file"), 6);
    /* Another one in its place. */
    write_file("new", "{\"metrics\":[{\"name\":\"z\"},{\"name\":\"n\"}]}");
    CHECK_EQ_I64(rename("file", "old"), 0);
    CHECK_EQ_I64(rename("new", "file"), 0);
    live_poke(&live, "z", "7");
    CHECK_EQ_U64(first_value("file"), 7);
    CHECK_EQ_U64(first_value("old"), 6);
    /* None. */
    CHECK_EQ_I64(unlink("file"), 0);
    live.patience = 0;
    CHECK_EQ_I64(pu_mmv_live_refresh(&live, &err), -1);
    CHECK_EQ_STR(err.message, "cannot open: No such file or directory");
    CHECK(!live.ready);
    CHECK_EQ_I64(pu_mmv_live_settle(&live, &err), -1);
    CHECK_EQ_I64(rename("old", "file"), 0);
    live_poke(&live, "n", "8");
    pu_mmv_live_close(&live);
}

static void test_rehearsal(void)
{
    struct pu_mmv_live live;

    write_file("file", description);
    pu_mmv_live_begin(&live, "file", true);
    live_poke(&live, "n", "5");
    CHECK_EQ_U64(first_value("file"), 0);
    CHECK_EQ_I64(unlink("file"), 0);
    live_poke(&live, "n", "6");
    pu_mmv_live_close(&live);
}

/* While the generations differ nothing is changed, and it goes on afterwards. */
static void test_flux(void)
{
    struct pu_mmv_live live;
    uint64_t generation = 2;

    write_file("file", description);
    int fd = open("file", O_RDWR);
    pu_mmv_live_begin(&live, "file", false);
    live_poke(&live, "n", "5");
    CHECK_EQ_I64(pu_mmv_live_settle(&live, &err), 0);
    CHECK_EQ_I64(pwrite(fd, &generation, sizeof(generation), 8), sizeof(generation));
    live.patience = 0;
    CHECK_EQ_I64(pu_mmv_live_settle(&live, &err), -1);
    CHECK_EQ_I64(err.code, PU_E_DAMAGED);
    CHECK_EQ_STR(err.where, "header");
    CHECK_EQ_I64(pwrite(fd, &generation, sizeof(generation), 16), sizeof(generation));
    CHECK_EQ_I64(pu_mmv_live_settle(&live, &err), 0);
    live_poke(&live, "n", "6");
    CHECK_EQ_U64(first_value("file"), 6);
    pu_mmv_live_close(&live);
    close(fd);
    unlink("file");
}

int main(void)
{
    char folder[] = "/tmp/test-poke.XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    test_find();
    test_find_none();
    test_fence();
    test_fence_of_file();
    test_poke();
    test_poke_refused();
    test_live();
    test_rehearsal();
    test_flux();
    if (chdir("/") == 0)
        rmdir(folder);
    return tap_done();
}
