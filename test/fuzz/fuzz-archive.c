/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Archives: the first four bytes (little-endian) tell how many of those that follow are .meta, the
 * rest is .0. All arrays that are found are judged and shown.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "event/archive.h"
#include "event/verify.h"
#include "event/view.h"
#include "fuzz.h"

#define INPUT_MAX 65536

static char directory[] = "/tmp/fuzz-archive.XXXXXX";
static char meta_path[PATH_MAX];
static char data_path[PATH_MAX];

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=8:max_malloc_fill_size=16";
}

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-archive: %s\n", what);
    abort();
}

static void clean_up(void)
{
    unlink(meta_path);
    unlink(data_path);
    rmdir(directory);
}

static void prepare(void)
{
    if (data_path[0])
        return;
    if (!mkdtemp(directory))
        broken("no folder");
    snprintf(meta_path, sizeof(meta_path), "%s/a.meta", directory);
    snprintf(data_path, sizeof(data_path), "%s/a.0", directory);
    atexit(clean_up);
}

static void put(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        broken("cannot write");
}

static void report(struct pu_judge *judge, const struct pu_finding *finding)
{
    (void)judge;
    if (!finding->message[0])
        broken("a finding without words");
}

static void take_all(struct pu_event_archive *archive)
{
    static struct pu_sink sink;
    PU_CLEANUP(pu_buf_free) struct pu_buf text = {0};
    struct pu_judge judge = {report};
    struct pu_event_verify verify = {.judge = &judge, .catalog = &archive->catalog};
    struct pu_out out;
    struct pu_event_view view = {.out = &out, .catalog = &archive->catalog};
    struct pu_event_sample sample;
    struct pu_err err;
    int calls = 0;
    int more;

    pu_sink_to_memory(&sink, &text);
    pu_out_to_json_lines(&out, &sink);
    while ((more = pu_event_archive_next(archive, &sample, &err)) != 0) {
        if (calls++ > INPUT_MAX)
            broken("no end");
        if (more < 0)
            continue;
        pu_event_verify(&verify, &sample);
        (void)!pu_event_view(&view, &sample, &err);
    }
    (void)pu_sink_flush(&sink);
    pu_event_verify_free(&verify);
}

static void run(const char *first)
{
    struct pu_event_archive archive;
    struct pu_errors damage = {0};
    struct pu_err err;
    char *const names[] = {(char *)(uintptr_t)first};
    struct pu_event_selection selection = {0};
    int64_t from;
    int64_t to;

    if (pu_event_archive_open(&archive, directory, &damage, &err) == 0)
        broken("a folder is no archive");
    pu_event_archive_close(&archive);
    if (pu_event_selection_init(&selection, names, 1, &err) < 0)
        broken(err.message);
    if (pu_event_archive_open(&archive, meta_path, &damage, &err) < 0)
        broken(err.message);
    archive.selection = *first == '*' ? NULL : &selection;
    (void)!pu_event_archive_range(&archive, &from, &to, &err);
    take_all(&archive);
    pu_event_archive_close(&archive);
    pu_errors_free(&damage);
    pu_event_selection_free(&selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t meta = 0;

    if (size < 4 || size > INPUT_MAX)
        return 0;
    prepare();
    memcpy(&meta, data, 4);
    meta = le32toh(meta);
    if (meta > size - 4)
        meta = (uint32_t)size - 4;
    put(meta_path, data + 4, meta);
    put(data_path, data + 4 + meta, size - 4 - meta);
    run(size % 2 ? "*" : "my.event[red,1]");
    return 0;
}
