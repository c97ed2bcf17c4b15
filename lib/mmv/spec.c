/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/spec.h"

#include <errno.h>
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/time.h"
#include "mmv/names.h"
#include "mmv/spec-private.h"

int pu_mmv_spec_no_memory(struct pu_mmv_spec_reader *reader)
{
    return pu_err_system(reader->err, ENOMEM, "cannot hold the file");
}

int pu_mmv_spec_check_text(struct pu_mmv_spec_reader *reader, struct pu_span text, size_t max)
{
    if (text.size > max)
        return pu_json_wrong(reader->json, reader->err, "%zu bytes are too long: at most %zu",
                             text.size, max);
    if (text.size > 0 && memchr(text.data, '\0', text.size))
        return pu_json_wrong(reader->json, reader->err, "a NUL would end the text");
    return 1;
}

int pu_mmv_spec_text(struct pu_mmv_spec_reader *reader, const json_t *object, const char *key,
                     size_t max, struct pu_span *text)
{
    struct pu_span found;
    int result = pu_json_text(reader->json, object, key, &found, reader->err);

    if (result <= 0)
        return result;
    if (found.size <= max && (found.size == 0 || !memchr(found.data, '\0', found.size))) {
        *text = found;
        return 1;
    }
    (void)pu_json_enter(reader->json, key);
    return pu_mmv_spec_check_text(reader, found, max);
}

/* The header */

static int read_version(struct pu_mmv_spec_reader *reader, const json_t *header)
{
    const char *word = json_string_value(json_object_get(header, "version"));
    int64_t version = 0;

    if (word && strcmp(word, "auto") == 0)
        return 0;
    if (pu_json_i64(reader->json, header, "version", 1, 3, &version, reader->err) < 0)
        return -1;
    reader->model->version = (int32_t)version;
    return 0;
}

/* As the C library has it: seconds and microseconds of the moment, one above the other. */
static uint64_t generation_of(int64_t now)
{
    return (uint64_t)(now / PU_NANOSECONDS) << 32 | (uint64_t)(now % PU_NANOSECONDS / 1000);
}

static int read_generation(struct pu_mmv_spec_reader *reader, const json_t *header)
{
    const char *word = json_string_value(json_object_get(header, "generation1"));

    reader->model->generation = generation_of(reader->moment->now);
    if (word && strcmp(word, "now") == 0)
        return 0;
    return pu_json_u64(reader->json, header, "generation1", UINT64_MAX, &reader->model->generation,
                       reader->err);
}

static bool find_flag(const char *word, uint32_t *flags)
{
    for (uint32_t bit = 1; word && bit <= PU_MMV_SENTINEL; bit <<= 1) {
        if (strcmp(word, pu_mmv_flag_word(bit)) == 0) {
            *flags |= bit;
            return true;
        }
    }
    return false;
}

/* Words for the flags that have one; the others can stand in the raw number only. */
static int read_flags(struct pu_mmv_spec_reader *reader, const json_t *header)
{
    uint32_t known = PU_MMV_NOPREFIX | PU_MMV_PROCESS | PU_MMV_SENTINEL;
    json_t *list = NULL;
    uint64_t raw = 0;
    size_t i;
    json_t *word;

    if (pu_json_hex(reader->json, header, "flags_raw", &raw, reader->err) < 0 ||
        pu_json_list(reader->json, header, "flags", &list, reader->err) < 0)
        return -1;
    if (raw > UINT32_MAX) {
        (void)pu_json_enter(reader->json, "flags_raw");
        return pu_json_wrong(reader->json, reader->err, "more than 32 bits");
    }
    reader->model->flags = (uint32_t)raw & (list ? ~known : UINT32_MAX);
    json_array_foreach(list, i, word)
    {
        if (!find_flag(json_string_value(word), &reader->model->flags)) {
            (void)pu_json_enter_item(reader->json, "flags", i);
            return pu_json_wrong(reader->json, reader->err,
                                 "\"noprefix\", \"process\" or \"sentinel\" is due");
        }
    }
    return 0;
}

static int read_pid(struct pu_mmv_spec_reader *reader, const json_t *header)
{
    const char *word = json_string_value(json_object_get(header, "pid"));
    int64_t pid = 0;

    if (word && strcmp(word, "self") == 0)
        pid = reader->moment->self;
    else if (word && strcmp(word, "parent") == 0)
        pid = reader->moment->parent;
    else if (!(word && strcmp(word, "none") == 0) &&
             pu_json_i64(reader->json, header, "pid", INT32_MIN, INT32_MAX, &pid, reader->err) < 0)
        return -1;
    reader->model->pid = (int32_t)pid;
    return 0;
}

static int read_cluster(struct pu_mmv_spec_reader *reader, const json_t *header)
{
    const char *word = json_string_value(json_object_get(header, "cluster"));
    int64_t cluster = 0;

    if (!(word && strcmp(word, "auto") == 0) &&
        pu_json_i64(reader->json, header, "cluster", INT32_MIN, INT32_MAX, &cluster, reader->err) <
            0)
        return -1;
    reader->model->cluster = (int32_t)cluster;
    return 0;
}

static const char *const header_members[] = {
    "version", "generation1", "generation2", "generation_time", "toc_count",
    "flags",   "flags_raw",   "pid",         "cluster",         NULL,
};

int pu_mmv_spec_header(struct pu_mmv_spec_reader *reader)
{
    json_t *header = json_object_get(reader->file, "header");
    size_t mark = pu_json_enter(reader->json, "header");

    if (header && !json_is_object(header))
        return pu_json_wrong(reader->json, reader->err, "an object is due");
    if (pu_json_only(reader->json, header, header_members, reader->err) < 0 ||
        read_version(reader, header) < 0 || read_generation(reader, header) < 0 ||
        read_flags(reader, header) < 0 || read_pid(reader, header) < 0 ||
        read_cluster(reader, header) < 0)
        return -1;
    pu_json_leave(reader->json, mark);
    return 0;
}

/* The document */

static const char *const document_members[] = {"schema", "version", "files", NULL};
static const char *const file_members[] = {
    "file",    "file_b64", "size",    "byte_order", "header", "toc", "indoms", "other_instances",
    "metrics", "values",   "strings", "labels",     "errors", NULL,
};

/* What is missing in the dump of a damaged file would be missing in the new one. */
static int check_file(struct pu_mmv_spec_reader *reader)
{
    if (!json_is_object(reader->file))
        return pu_json_wrong(reader->json, reader->err, "an object is due");
    if (pu_json_only(reader->json, reader->file, file_members, reader->err) < 0)
        return -1;
    if (!json_object_get(reader->file, "errors"))
        return 0;
    (void)pu_json_enter(reader->json, "errors");
    return pu_json_wrong(reader->json, reader->err,
                         "this is the dump of a damaged file: remove this member to make one of "
                         "what could be read");
}

static int check_document(struct pu_mmv_spec_reader *reader, json_t *root)
{
    const json_t *schema = json_object_get(root, "schema");
    const char *word = json_string_value(schema);
    int64_t version;

    if (pu_json_only(reader->json, root, document_members, reader->err) < 0 ||
        pu_json_i64(reader->json, root, "version", 1, 1, &version, reader->err) < 0)
        return -1;
    if (schema && (!word || strcmp(word, "pcputils/mmvdump") != 0)) {
        (void)pu_json_enter(reader->json, "schema");
        return pu_json_wrong(reader->json, reader->err, "\"pcputils/mmvdump\" is due");
    }
    return 0;
}

/* One file as such, or what mmvdump writes about one. */
static int find_file(struct pu_mmv_spec_reader *reader)
{
    json_t *root = reader->json->root;
    json_t *files = json_object_get(root, "files");

    reader->file = root;
    reader->spec->base = "";
    if (!files)
        return check_file(reader);
    if (check_document(reader, root) < 0)
        return -1;
    (void)pu_json_enter(reader->json, "files");
    if (json_array_size(files) != 1)
        return pu_json_wrong(reader->json, reader->err,
                             "one file is due, this is a document about %zu",
                             json_array_size(files));
    reader->file = json_array_get(files, 0);
    reader->spec->base = "files[0].";
    (void)pu_json_enter_item(reader->json, NULL, 0);
    return check_file(reader);
}

static int read_all(struct pu_mmv_spec_reader *reader)
{
    if (find_file(reader) < 0 ||
        pu_mmv_spec_text(reader, reader->file, "file", 4000, &reader->spec->file) < 0 ||
        pu_mmv_spec_header(reader) < 0 || pu_mmv_spec_indoms(reader) < 0 ||
        pu_mmv_spec_metrics(reader) < 0 || pu_mmv_spec_values(reader) < 0 ||
        pu_mmv_spec_labels(reader) < 0)
        return -1;
    return 0;
}

int pu_mmv_spec_read(struct pu_span text, const struct pu_mmv_moment *moment,
                     struct pu_mmv_spec *spec, struct pu_err *err)
{
    static const char *const long_lists[] = {"files[0].values", "values", NULL};
    struct pu_mmv_spec_reader reader = {
        .spec = spec, .json = &spec->json, .model = &spec->model, .moment = moment, .err = err};

    memset(spec, 0, sizeof(*spec));
    if (pu_json_parse_but(&spec->json, text, long_lists, err) < 0)
        return -1;
    if (read_all(&reader) == 0)
        return 0;
    pu_json_blame_text(&spec->json, err);
    return -1;
}

void pu_mmv_spec_free(struct pu_mmv_spec *spec)
{
    pu_mmv_model_free(&spec->model);
    free(spec->label_places);
    pu_json_free(&spec->json);
}

static void instance_path(const struct pu_mmv_spec *spec, size_t index,
                          char path[PU_MMV_SPEC_PATH_MAX])
{
    const struct pu_mmv_model *model = &spec->model;
    size_t indom = model->instances[index].indom;
    size_t first = index;

    if (indom != SIZE_MAX) {
        snprintf(path, PU_MMV_SPEC_PATH_MAX, "%sindoms[%zu].instances[%zu]", spec->base, indom,
                 index - model->indoms[indom].first);
        return;
    }
    while (first > 0 && model->instances[first - 1].indom == SIZE_MAX)
        first--;
    snprintf(path, PU_MMV_SPEC_PATH_MAX, "%sother_instances[%zu]", spec->base, index - first);
}

static void value_path(const struct pu_mmv_spec *spec, size_t index,
                       char path[PU_MMV_SPEC_PATH_MAX])
{
    if (spec->values_listed)
        snprintf(path, PU_MMV_SPEC_PATH_MAX, "%svalues[%zu]", spec->base, index);
    else
        snprintf(path, PU_MMV_SPEC_PATH_MAX, "%smetrics[%" PRIu32 "]", spec->base,
                 spec->model.values[index].metric);
}

/* Complaints about a section as such are about its entry in the table of contents. */
static void section_path(const struct pu_mmv_spec *spec, const struct pu_mmv_layout *layout,
                         uint64_t offset, char path[PU_MMV_SPEC_PATH_MAX])
{
    uint64_t entry = PU_MMV_HEADER_SIZE;

    for (int32_t kind = PU_MMV_INDOMS; kind <= PU_MMV_LABELS; kind++) {
        if (layout->offsets[kind] == 0)
            continue;
        if (offset >= entry && offset - entry < PU_MMV_TOC_SIZE)
            snprintf(path, PU_MMV_SPEC_PATH_MAX, "%s%s", spec->base, pu_mmv_kind_word(kind));
        entry += PU_MMV_TOC_SIZE;
    }
}

void pu_mmv_spec_path(const struct pu_mmv_spec *spec, const struct pu_mmv_layout *layout,
                      uint64_t offset, char path[PU_MMV_SPEC_PATH_MAX])
{
    size_t index = 0;

    path[0] = '\0';
    switch (pu_mmv_layout_find(layout, offset, &index)) {
    case PU_MMV_INDOMS:
        snprintf(path, PU_MMV_SPEC_PATH_MAX, "%sindoms[%zu]", spec->base, index);
        return;
    case PU_MMV_INSTANCES:
        instance_path(spec, index, path);
        return;
    case PU_MMV_METRICS:
        snprintf(path, PU_MMV_SPEC_PATH_MAX, "%smetrics[%zu]", spec->base, index);
        return;
    case PU_MMV_VALUES:
        value_path(spec, index, path);
        return;
    case PU_MMV_LABELS:
        snprintf(path, PU_MMV_SPEC_PATH_MAX, "%s", spec->label_places[index]);
        return;
    default:
        if (offset < PU_MMV_HEADER_SIZE)
            snprintf(path, PU_MMV_SPEC_PATH_MAX, "%sheader", spec->base);
        else
            section_path(spec, layout, offset, path);
        return;
    }
}
