/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assignments to any file: lines of text up to the first "MMV\0", which is where the file begins;
 * without lines some of our own are made. Beside not crashing: what changes is the target and
 * nothing but it, in bytes and in what a reader finds in the file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "mmv/poke.h"

/* More than this only takes longer. */
#define INPUT_MAX   65536
#define TARGETS_MAX 6 /* of one assignment */

#define NOW INT64_C(1700000060000000000)

static const char own_lines[] = "*=1\n*+=1\n*=-1.5\n*=start\n*=stop\n*=null\n*[*]+=-1\n"
                                "*=a text with some forty bytes, to be seen";

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-poke: %s\n", what);
    abort();
}

/* A file taken apart, in memory of its own of exactly its size. */
struct subject {
    struct pu_span bytes;
    unsigned char *data;
    struct pu_mmv mmv;
    struct pu_errors damage;
    bool whole;
};

static void read_subject(struct subject *subject, struct pu_span bytes)
{
    struct pu_err err;

    memset(subject, 0, sizeof(*subject));
    subject->data = malloc(bytes.size);
    if (bytes.size > 0)
        memcpy(subject->data, bytes.data, bytes.size);
    subject->bytes = (struct pu_span){subject->data, bytes.size};
    subject->whole = pu_mmv_decode(subject->bytes, &subject->mmv, &subject->damage, &err) == 0 &&
                     subject->damage.count == 0 && subject->mmv.order == PU_HOST;
}

static void free_subject(struct subject *subject)
{
    pu_mmv_free(&subject->mmv);
    pu_errors_free(&subject->damage);
    free(subject->data);
}

static bool is_inside(uint64_t at, uint64_t start, uint64_t size)
{
    return at >= start && at - start < size;
}

static void check_bytes(const struct subject *before, const struct subject *after,
                        const struct pu_mmv_target *target)
{
    uint64_t words = target->type == PU_MMV_ELAPSED ? 16 : 8;

    for (size_t at = 0; at < before->bytes.size; at++) {
        if (before->data[at] != after->data[at] && !is_inside(at, target->offset, words) &&
            !(target->type == PU_MMV_STRING && is_inside(at, target->slot, PU_MMV_STRING_SIZE)))
            broken("a byte outside of the target has changed");
    }
}

static void same_text(struct pu_span a, struct pu_span b)
{
    if (!pu_span_equal(a, b))
        broken("a text that is not the target's has changed");
}

static void check_metrics(const struct pu_mmv *before, const struct pu_mmv *after)
{
    struct pu_mmv_records records = pu_mmv_records(before, PU_MMV_METRICS);

    while (pu_mmv_next(&records)) {
        struct pu_mmv_metric a = pu_mmv_metric(before, records.offset);
        struct pu_mmv_metric b = pu_mmv_metric(after, records.offset);
        same_text(a.name, b.name);
        same_text(a.shorttext, b.shorttext);
        same_text(a.helptext, b.helptext);
        if (a.type != b.type || a.item != b.item || a.serial != b.serial)
            broken("a metric has changed");
    }
}

static void check_indoms(const struct pu_mmv *before, const struct pu_mmv *after)
{
    struct pu_mmv_records records = pu_mmv_records(before, PU_MMV_INDOMS);

    while (pu_mmv_next(&records)) {
        struct pu_mmv_indom a = pu_mmv_indom(before, records.offset);
        struct pu_mmv_indom b = pu_mmv_indom(after, records.offset);
        same_text(a.shorttext, b.shorttext);
        same_text(a.helptext, b.helptext);
        for (int32_t i = 0; i < a.count && i < 100; i++) {
            uint64_t at = a.instance_offset + (uint64_t)i * pu_mmv_stride(before, PU_MMV_INSTANCES);
            same_text(pu_mmv_instance(before, at).name, pu_mmv_instance(after, at).name);
            if (pu_mmv_instance(before, at).id != pu_mmv_instance(after, at).id)
                broken("an instance of an indom has changed");
        }
    }
    records = pu_mmv_records(before, PU_MMV_INSTANCES);
    while (pu_mmv_next(&records))
        same_text(pu_mmv_instance(before, records.offset).name,
                  pu_mmv_instance(after, records.offset).name);
}

static void check_labels(const struct pu_mmv *before, const struct pu_mmv *after)
{
    struct pu_mmv_records records = pu_mmv_records(before, PU_MMV_LABELS);

    while (pu_mmv_next(&records))
        same_text(pu_mmv_label(before, records.offset).payload,
                  pu_mmv_label(after, records.offset).payload);
}

static void check_others(const struct pu_mmv *before, const struct pu_mmv *after,
                         const struct pu_mmv_target *target)
{
    struct pu_mmv_records records = pu_mmv_records(before, PU_MMV_VALUES);

    while (pu_mmv_next(&records)) {
        struct pu_mmv_value a = pu_mmv_value(before, records.offset);
        struct pu_mmv_value b = pu_mmv_value(after, records.offset);
        int32_t type = pu_mmv_metric(before, a.metric_offset).type;
        if (a.metric_offset != b.metric_offset || a.instance_offset != b.instance_offset)
            broken("whose a value is has changed");
        if (records.offset == target->offset)
            continue;
        if (a.raw != b.raw || a.extra != b.extra)
            broken("another value has changed");
        if (type == PU_MMV_STRING)
            same_text(pu_mmv_atom(before, &a, type, NOW).text,
                      pu_mmv_atom(after, &b, type, NOW).text);
    }
}

static void check_change(const struct subject *before, const struct subject *after,
                         const struct pu_mmv_target *target)
{
    check_bytes(before, after, target);
    if (!after->whole)
        broken("the file is damaged now");
    check_metrics(&before->mmv, &after->mmv);
    check_indoms(&before->mmv, &after->mmv);
    check_labels(&before->mmv, &after->mmv);
    check_others(&before->mmv, &after->mmv, target);
}

static void poke(const struct subject *before, const struct pu_mmv_target *target,
                 const struct pu_assignment *assignment)
{
    const struct pu_mmv_poke what = {
        .add = assignment->add,
        .text = assignment->value,
        .sentinel = before->mmv.header.flags & PU_MMV_SENTINEL,
    };
    unsigned char *bytes = malloc(before->bytes.size);
    struct pu_mmv_words words;
    struct subject after;
    struct pu_err err = {0};

    memcpy(bytes, before->data, before->bytes.size);
    if (pu_mmv_poke(bytes, target, &what, &words, &err) < 0) {
        if (err.code != PU_E_REFUSED || !err.message[0])
            broken("refused without a reason");
        if (memcmp(bytes, before->data, before->bytes.size) != 0)
            broken("refused, and changed");
    }
    read_subject(&after, (struct pu_span){bytes, before->bytes.size});
    check_change(before, &after, target);
    free_subject(&after);
    free(bytes);
}

static void assign(const struct subject *before, struct pu_mmv_targets *targets,
                   const struct pu_assignment *assignment)
{
    struct pu_mmv_found found = {0};
    struct pu_selector selector = {0};
    struct pu_err err = {0};
    char *text = strndup((const char *)assignment->target.data, assignment->target.size);

    if (pu_selector_parse(text, &selector, &err) == 0 &&
        pu_mmv_targets_find(targets, &selector, &found, &err) == 0) {
        if (found.count == 0)
            broken("found, and nothing is there");
        for (size_t i = 0; i < found.count && i < TARGETS_MAX; i++)
            poke(before, &found.items[i], assignment);
    } else if (!err.message[0]) {
        broken("not found, for no reason");
    }
    pu_selector_free(&selector);
    free(found.items);
    free(text);
}

/* `lines` ends with a NUL. */
static void run(struct pu_span bytes, char *lines)
{
    struct pu_mmv_targets targets = {0};
    struct subject before;
    struct pu_err err;

    read_subject(&before, bytes);
    if (before.whole &&
        pu_mmv_targets_build(&before.mmv, "tmp/fuzz", &targets, &before.damage, &err) == 0 &&
        before.damage.count == 0) {
        for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
            struct pu_assignment assignment;
            if (pu_assignment_split(pu_span_text(line), &assignment))
                assign(&before, &targets, &assignment);
        }
    }
    if (targets.mmv)
        pu_mmv_targets_free(&targets);
    free_subject(&before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *file = size >= 4 ? memmem(data, size, "MMV", 4) : NULL;
    size_t text = file ? (size_t)(file - data) : size;

    if (size > INPUT_MAX)
        return 0;
    char *lines = text > 0 ? strndup((const char *)data, text) : strdup(own_lines);
    run((struct pu_span){data + text, size - text}, lines);
    free(lines);
    return 0;
}
