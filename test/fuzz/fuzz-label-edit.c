/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mmvlabel on any bytes. An input is two letters (what is done, and to which level), a word that
 * names a target, a line end, NAME=VALUE or NAME, a line end, and the file. Whatever the file is,
 * its labels can be listed. When it can be changed: the result is a file without damage; it holds
 * the labels that it should; those that were not meant are in it, in every byte; and all else is as
 * it was.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "mmv/label-file.h"
#include "mmv/label-view.h"
#include "mmv/upgrade.h"

/* More only takes longer. */
#define INPUT_MAX 65536
#define WORD_MAX  512

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-label-edit: %s\n", what);
    abort();
}

struct edit {
    char verb; /* s, u, c */
    uint32_t level;
    char word[WORD_MAX];
    char text[WORD_MAX];
};

/* A line, cut to what fits. */
static void take_line(struct pu_span *rest, char to[WORD_MAX])
{
    size_t size = 0;

    while (size < rest->size && rest->data[size] != '\n')
        size++;
    snprintf(to, WORD_MAX, "%.*s", (int)size, (const char *)rest->data);
    size += size < rest->size;
    rest->data += size;
    rest->size -= size;
}

static bool take_edit(struct pu_span *rest, struct edit *edit)
{
    if (rest->size < 2)
        return false;
    edit->verb = (char)rest->data[0];
    edit->level = rest->data[1] == 'r'   ? PU_MMV_LABEL_REGISTRY
                  : rest->data[1] == 'm' ? PU_MMV_LABEL_ITEM
                  : rest->data[1] == 'd' ? PU_MMV_LABEL_INDOM
                  : rest->data[1] == 'i' ? PU_MMV_LABEL_INSTANCE
                                         : 0;
    rest->data += 2;
    rest->size -= 2;
    take_line(rest, edit->word);
    take_line(rest, edit->text);
    return true;
}

static void list(struct pu_mmv_file *file, bool as_json)
{
    static struct pu_sink sink;
    static struct pu_buf text;
    const struct pu_mmv_label_targets all = {0};
    const struct pu_mmv_label_view view = {
        .path = "tmp/fuzz", .file = file, .targets = &all, .effective = true};
    struct pu_out out;
    struct pu_err err;

    text.size = 0;
    pu_sink_to_memory(&sink, &text);
    if (as_json)
        pu_out_to_json(&out, &sink);
    else
        pu_out_to_text(&out, &sink);
    if (pu_mmv_label_view(&out, &view, &err) < 0)
        broken(err.message);
    pu_out_end(&out);
    if (pu_sink_flush(&sink) != 0)
        broken("the sink is full");
    for (size_t i = 0; !as_json && i < text.size; i++) {
        if (text.data[i] != '\n' && (text.data[i] < ' ' || text.data[i] > '~'))
            broken("text that is not printable");
    }
}

static int find_targets(const struct edit *edit, struct pu_mmv *mmv,
                        struct pu_mmv_label_targets *targets, struct pu_err *err)
{
    struct pu_mmv_label_target target = {edit->level, edit->verb != 's',
                                         (uint32_t)mmv->header.cluster, -1};

    if (edit->level == 0 && edit->verb == 's')
        return -1;
    if (edit->level == 0 || edit->level == PU_MMV_LABEL_REGISTRY)
        return pu_mmv_label_targets_add(targets, target, err);
    return pu_mmv_label_find(mmv, "tmp/fuzz", edit->level, edit->word, edit->verb != 's', targets,
                             err);
}

static int set(struct pu_mmv_labels *labels, const struct pu_mmv_label_targets *targets,
               const char *text, struct pu_err *err)
{
    struct pu_mmv_assignment assignment;
    int result = pu_mmv_assignment_parse(text, &assignment, err);

    for (size_t i = 0; result == 0 && i < targets->count; i++)
        result = pu_mmv_labels_set(labels, &targets->items[i], &assignment, i % 2, err);
    free(assignment.name);
    return result;
}

static int change(const struct edit *edit, struct pu_mmv_labels *labels,
                  const struct pu_mmv_label_targets *targets, struct pu_err *err)
{
    if (edit->verb == 's')
        return set(labels, targets, edit->text, err);
    if (edit->verb == 'u')
        return pu_mmv_labels_unset(labels, targets, edit->text, err) < 0 ? -1 : 0;
    pu_mmv_labels_clear(labels, targets);
    return 0;
}

/* Those that were not meant are all there still, in their order. */
static void check_others(const struct pu_mmv_labels *old, const struct pu_mmv_labels *labels,
                         const struct pu_mmv_label_targets *targets)
{
    size_t next = 0;

    for (size_t i = 0; i < old->count; i++) {
        const struct pu_mmv_label_record *record = &old->records[i];
        if (pu_mmv_label_targets_have(targets, record->flags, record->identity, record->internal))
            continue;
        while (next < labels->count && memcmp(&labels->records[next], record, sizeof(*record)) != 0)
            next++;
        if (next++ == labels->count)
            broken("a label is gone that was not meant");
    }
}

static void check_file(struct pu_mmv *old, struct pu_span bytes, const struct pu_mmv_labels *labels)
{
    struct pu_errors damage = {0};
    struct pu_mmv_labels found = {0};
    struct pu_err err;
    struct pu_mmv mmv;

    if (pu_mmv_decode(bytes, &mmv, &damage, &err) < 0)
        broken(err.message);
    pu_mmv_look_through(&mmv, &damage);
    if (damage.count > 0)
        broken(damage.items[0].message);
    if (pu_mmv_labels_read(&mmv, &found, &err) < 0 || !pu_mmv_labels_equal(&found, labels))
        broken("the labels are others");
    if (!pu_mmv_same(old, &mmv))
        broken("more than labels has changed");
    pu_mmv_labels_free(&found);
    pu_mmv_free(&mmv);
}

static void write_back(struct pu_mmv *mmv, const struct pu_mmv_labels *labels)
{
    struct pu_buf bytes = {0};
    struct pu_err err;

    if (pu_mmv_labels_rebuild(mmv, labels, mmv->header.cluster, false, &bytes, &err) == 0)
        check_file(mmv, pu_buf_span(&bytes), labels);
    bytes.size = 0;
    if (pu_mmv_labels_plan_live(mmv, labels, mmv->header.cluster, &bytes, &err) == 0) {
        if (bytes.size < mmv->span.size)
            broken("a file in use has become shorter");
        check_file(mmv, pu_buf_span(&bytes), labels);
    }
    pu_buf_free(&bytes);
}

static void run(struct pu_mmv *mmv, const struct edit *edit)
{
    struct pu_mmv_labels old = {0}, labels = {0};
    struct pu_mmv_label_targets targets = {0};
    struct pu_err err;

    if (pu_mmv_labels_check(mmv, &err) == 0 && pu_mmv_labels_read(mmv, &old, &err) == 0 &&
        pu_mmv_labels_read(mmv, &labels, &err) == 0 &&
        find_targets(edit, mmv, &targets, &err) == 0 &&
        change(edit, &labels, &targets, &err) == 0) {
        check_others(&old, &labels, &targets);
        write_back(mmv, &labels);
        pu_mmv_labels_tidy(&labels);
        write_back(mmv, &labels);
    }
    free(targets.items);
    pu_mmv_labels_free(&old);
    pu_mmv_labels_free(&labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pu_span rest = {data, size};
    struct pu_mmv_file file = {0};
    struct edit edit;
    struct pu_err err;

    if (size > INPUT_MAX || !take_edit(&rest, &edit))
        return 0;
    /* Of this size and no more, so that one byte too far is noticed. */
    unsigned char *copy = malloc(rest.size);
    if (rest.size > 0)
        memcpy(copy, rest.data, rest.size);
    rest.data = copy;
    if (pu_mmv_decode(rest, &file.mmv, &file.damage, &err) == 0) {
        list(&file, edit.verb == 's');
        pu_mmv_look_through(&file.mmv, &file.damage);
        if (file.damage.count == 0)
            run(&file.mmv, &edit);
    }
    pu_mmv_free(&file.mmv);
    pu_errors_free(&file.damage);
    free(copy);
    return 0;
}
