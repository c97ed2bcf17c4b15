/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of labels, what words name, and lists of labels as they change. */
#include "mmv/label-edit.h"

#include <stdlib.h>

#include "mmv/encode.h"
#include "mmv/label.h"
#include "tap.h"

static struct pu_err err;

static struct pu_span span(const char *text)
{
    return pu_span_text(text);
}

/* Pairs */

static void check_pair(const char *payload, const char *name, const char *value, bool is_text)
{
    struct pu_mmv_label_pairs pairs = {0};

    CHECK_EQ_I64(pu_mmv_label_merge(&pairs, span(payload), &err), 0);
    CHECK_EQ_U64(pairs.count, 1);
    if (pairs.count == 1) {
        CHECK_EQ_STR(pairs.items[0].name, name);
        CHECK_EQ_STR(pairs.items[0].value, value);
        CHECK(pairs.items[0].is_text == is_text);
    }
    pu_mmv_label_pairs_free(&pairs);
}

static void test_pairs(void)
{
    struct pu_mmv_label_pairs none = {0};

    check_pair("{\"a\":\"b \\\"c\"}", "a", "b \"c", true);
    check_pair("{\"a\":0.1}", "a", "0.1", false);
    /* As short inside of lists as outside. */
    check_pair("{\"a\":[0.1,{\"b\":0.30000000000000004}, 1e22, -0.0, 5]}", "a",
               "[0.1,{\"b\":0.30000000000000004},1e+22,-0.0,5]", false);
    check_pair("{\"a\":{\"b\":null}}", "a.b", "null", false);
    /* The brace that did not fit. */
    check_pair("{\"a\":\"b\"", "a", "b", true);
    check_pair("{\"a\":[1]", "a", "[1]", false);
    CHECK_EQ_I64(pu_mmv_label_merge(&none, span("{\"a\":1"), &err), 0);
    CHECK_EQ_I64(pu_mmv_label_merge(&none, span("[1]"), &err), 0);
    CHECK_EQ_I64(pu_mmv_label_merge(&none, span(""), &err), 0);
    CHECK_EQ_U64(none.count, 0);
}

static void test_names(void)
{
    CHECK(pu_mmv_label_is_name("a", false));
    CHECK(pu_mmv_label_is_name("Zz_09", false));
    CHECK(pu_mmv_label_is_name("a.b", true));
    CHECK(!pu_mmv_label_is_name("a.b", false));
    CHECK(!pu_mmv_label_is_name("", true));
    CHECK(!pu_mmv_label_is_name("_a", true));
    CHECK(!pu_mmv_label_is_name("0", true));
    CHECK(!pu_mmv_label_is_name("a-b", true));
    CHECK(!pu_mmv_label_is_name("\xc3\xa9", true));
}

/* Assignments */

static void check_assignment(const char *text, const char *payload)
{
    struct pu_mmv_assignment assignment;

    err.message[0] = '\0';
    CHECK_EQ_I64(pu_mmv_assignment_parse(text, &assignment, &err), 0);
    CHECK_EQ_STR(err.message, "");
    CHECK_EQ_STR(assignment.payload, payload);
    free(assignment.name);
}

static void check_wrong(const char *text, const char *message)
{
    struct pu_mmv_assignment assignment;

    CHECK_EQ_I64(pu_mmv_assignment_parse(text, &assignment, &err), -1);
    CHECK_EQ_STR(err.message, message);
    free(assignment.name);
}

static void check_length(size_t length, bool good)
{
    struct pu_mmv_assignment assignment;
    char text[400] = "a=";

    memset(text + 2, 'x', length);
    CHECK_EQ_I64(pu_mmv_assignment_parse(text, &assignment, &err), good ? 0 : -1);
    free(assignment.name);
}

static void test_assignments(void)
{
    check_assignment("a=b", "{\"a\":\"b\"}");
    check_assignment("a=", "{\"a\":\"\"}");
    check_assignment("a=b=c", "{\"a\":\"b=c\"}");
    check_assignment("a=\"1\"", "{\"a\":\"1\"}");
    check_assignment("a=1", "{\"a\":1}");
    check_assignment("a= -1.50 ", "{\"a\":-1.5}");
    check_assignment("a=true", "{\"a\":true}");
    check_assignment("a=null", "{\"a\":null}");
    check_assignment("a=[1, \"x y\"]", "{\"a\":[1,\"x y\"]}");
    check_assignment("a={\"b\": {\"c_1\": 2}}", "{\"a\":{\"b\":{\"c_1\":2}}}");
    check_assignment("a=[x]", "{\"a\":\"[x]\"}");
    check_assignment("a=01", "{\"a\":\"01\"}");
    check_assignment("a=\xc3\xa9", "{\"a\":\"\xc3\xa9\"}");
    check_wrong("a", "NAME=VALUE is due");
    check_wrong("=1", "'' is not the name of a label: a letter, then letters, digits and '_'");
    check_wrong("a.b=1",
                "'a.b' is not the name of a label: a letter, then letters, digits and '_'");
    check_wrong("a={}", "an empty object is no label");
    check_wrong("a={\"b c\":1}",
                "'a.b c' is not the name of a label: a letter, then letters, digits and '_'");
    check_wrong("a={\"b\":1,\"b\":2}", "a name is there twice in its value");
    check_wrong("a=18446744073709551616",
                "the number is too large for readers of JSON: '\"...\"' makes it a string");
    check_wrong("a=1e999",
                "the number is too large for readers of JSON: '\"...\"' makes it a string");
    check_wrong("a=\xff", "its value is not UTF-8");
    check_length(235, true);
    check_length(236, false);
    CHECK_EQ_STR(err.message,
                 "its text, with name and braces, is 244 bytes long: there is room for "
                 "243");
}

/* Lists */

static struct pu_mmv_labels labels;

static void add(uint32_t flags, uint32_t identity, int32_t internal, const char *payload)
{
    struct pu_mmv_label_record *record = &labels.records[labels.count++];

    record->flags = flags;
    record->identity = identity;
    record->internal = internal;
    memset(record->payload, 0, sizeof(record->payload));
    strcpy(record->payload, payload);
}

static void start(void)
{
    labels.count = 0;
    add(PU_MMV_LABEL_REGISTRY, 5, -1, "{\"a\":1}");
    add(PU_MMV_LABEL_ITEM, 1, -1, "{\"a\":2}");
    add(PU_MMV_LABEL_REGISTRY | PU_MMV_LABEL_OPTIONAL, 5, -1, "{\"a\":3,\"b\":4}");
    add(PU_MMV_LABEL_INSTANCE, 5, 2, "{\"a\":5}");
    add(PU_MMV_LABEL_REGISTRY, 5, -1, "{\"c\":6");
    add(PU_MMV_LABEL_REGISTRY, 5, -1, "{\"d\":{\"e\":7,\"f\":8}}");
}

/* All payloads, with blanks between. */
static const char *shown(void)
{
    static char text[2048];

    text[0] = '\0';
    for (size_t i = 0; i < labels.count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, labels.records[i].payload);
    }
    return text;
}

static int set(uint32_t level, uint32_t identity, int32_t internal, const char *text)
{
    struct pu_mmv_label_target target = {level, false, identity, internal};
    struct pu_mmv_assignment assignment;

    CHECK_EQ_I64(pu_mmv_assignment_parse(text, &assignment, &err), 0);
    int result = pu_mmv_labels_set(&labels, &target, &assignment, false, &err);
    free(assignment.name);
    return result;
}

static void test_set(void)
{
    start();
    /* The first one is replaced, the others go; a record with more keeps the rest. */
    CHECK_EQ_I64(set(PU_MMV_LABEL_REGISTRY, 5, -1, "a=9"), 0);
    CHECK_EQ_STR(shown(),
                 "{\"a\":9} {\"a\":2} {\"b\":4} {\"a\":5} {\"c\":6 {\"d\":{\"e\":7,\"f\":8}}");
    CHECK_EQ_U64(labels.records[2].flags, PU_MMV_LABEL_REGISTRY | PU_MMV_LABEL_OPTIONAL);
    start();
    CHECK_EQ_I64(set(PU_MMV_LABEL_INSTANCE, 5, 2, "a=9"), 0);
    CHECK_EQ_I64(set(PU_MMV_LABEL_INSTANCE, 5, 3, "a=10"), 0);
    CHECK_EQ_I64(set(PU_MMV_LABEL_INDOM, 5, -1, "a=11"), 0);
    CHECK_EQ_U64(labels.count, 8);
    CHECK_EQ_STR(labels.records[3].payload, "{\"a\":9}");
    CHECK_EQ_I64(labels.records[6].internal, 3);
    CHECK_EQ_STR(labels.records[7].payload, "{\"a\":11}");
    /* What only begins like a label is none. */
    CHECK_EQ_I64(set(PU_MMV_LABEL_REGISTRY, 5, -1, "c=1"), 0);
    CHECK_EQ_U64(labels.count, 9);
    /* An object is replaced as a whole. */
    CHECK_EQ_I64(set(PU_MMV_LABEL_REGISTRY, 5, -1, "d=12"), 0);
    CHECK_EQ_U64(labels.count, 9);
    CHECK_EQ_STR(labels.records[5].payload, "{\"d\":12}");
}

static void test_full(void)
{
    start();
    while (labels.count < PU_MMV_LABELS_MAX)
        add(PU_MMV_LABEL_ITEM, 2, -1, "{\"x\":1}");
    CHECK_EQ_I64(set(PU_MMV_LABEL_REGISTRY, 5, -1, "new=1"), -1);
    CHECK_EQ_I64(err.code, PU_E_LIMIT);
    CHECK_EQ_I64(set(PU_MMV_LABEL_INSTANCE, 5, 2, "a=1"), 0);
    CHECK_EQ_U64(labels.count, PU_MMV_LABELS_MAX);
}

static int unset(struct pu_mmv_label_target target, const char *name)
{
    struct pu_mmv_label_targets targets = {&target, 1};

    return pu_mmv_labels_unset(&labels, &targets, name, &err);
}

static void test_unset(void)
{
    struct pu_mmv_label_target registry = {PU_MMV_LABEL_REGISTRY, true, 99, -1};
    struct pu_mmv_label_target item = {PU_MMV_LABEL_ITEM, false, 1, -1};

    start();
    CHECK_EQ_I64(unset(registry, "a"), 2);
    CHECK_EQ_STR(shown(), "{\"a\":2} {\"b\":4} {\"a\":5} {\"c\":6 {\"d\":{\"e\":7,\"f\":8}}");
    CHECK_EQ_I64(unset(registry, "d.e"), 1);
    CHECK_EQ_STR(labels.records[4].payload, "{\"d\":{\"f\":8}}");
    CHECK_EQ_I64(unset(registry, "d.f"), 1);
    CHECK_EQ_U64(labels.count, 4);
    CHECK_EQ_I64(unset(registry, "c"), 0);
    CHECK_EQ_I64(unset(item, "b"), 0);
    CHECK_EQ_I64(unset((struct pu_mmv_label_target){0}, "a"), 2);
    CHECK_EQ_STR(shown(), "{\"b\":4} {\"c\":6");
}

static void test_clear(void)
{
    struct pu_mmv_label_target target = {PU_MMV_LABEL_REGISTRY, false, 6, -1};
    struct pu_mmv_label_targets targets = {&target, 1};

    start();
    pu_mmv_labels_clear(&labels, &targets);
    CHECK_EQ_U64(labels.count, 6);
    target.identity = 5;
    pu_mmv_labels_clear(&labels, &targets);
    CHECK_EQ_STR(shown(), "{\"a\":2} {\"a\":5}");
    target.level = 0;
    pu_mmv_labels_clear(&labels, &targets);
    CHECK_EQ_U64(labels.count, 0);
}

/* Words */

static struct pu_mmv mmv;

/* How many targets a word stands for; -1, and the error, when it stands for none. */
static int find(uint32_t level, const char *word, bool loose)
{
    struct pu_mmv_label_targets targets = {0};

    int result = pu_mmv_label_find(&mmv, "dir/app", level, word, loose, &targets, &err);
    if (result == 0)
        result = (int)targets.count;
    free(targets.items);
    return result;
}

static void test_find(void)
{
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "a.b", false), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "mmv.app.a.c", false), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "a.*", false), 2);
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "2", false), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "9", false), -1);
    CHECK_EQ_STR(err.message, "there is no metric with item '9'");
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "9", true), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "none*", true), -1);
    CHECK_EQ_STR(err.message, "there is no metric 'none*'");
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "far", false), -1);
    CHECK_EQ_STR(err.message, "PCP's agent drops the metric: its item is 1024, more than 1023");
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "far", true), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_ITEM, "a.b[x]", false), -1);
    CHECK_EQ_I64(err.code, PU_E_SYNTAX);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INDOM, "7", false), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INDOM, "8", false), -1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INDOM, "8", true), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INDOM, "disks", true), -1);
    CHECK_EQ_I64(err.code, PU_E_SYNTAX);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "7/sda", false), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "7/s*", false), 2);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "7/sda,5", false), 2);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "7/\"sdb\"", false), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "7/9", false), -1);
    CHECK_EQ_STR(err.message, "there is no instance '7/9'");
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "8/9", true), 1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "sda", false), -1);
    CHECK_EQ_I64(err.code, PU_E_SYNTAX);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "/sda", false), -1);
    CHECK_EQ_I64(find(PU_MMV_LABEL_INSTANCE, "7/]", false), -1);
    CHECK_EQ_I64(err.code, PU_E_SYNTAX);
}

static void with_file(void (*test)(void))
{
    struct pu_mmv_model_instance instances[] = {{0, span("sda"), 0}, {5, span("sdb"), 0}};
    struct pu_mmv_model_indom indom = {.serial = 7, .count = 2};
    struct pu_mmv_model_metric metrics[] = {
        {.name = span("a.b"), .item = 1, .serial = 7},
        {.name = span("a.c"), .item = 2, .serial = PU_MMV_NO_INDOM},
        {.name = span("far"), .item = 1024, .serial = PU_MMV_NO_INDOM},
    };
    struct pu_mmv_model model = {.generation = 1,
                                 .indoms = &indom,
                                 .indom_count = 1,
                                 .instances = instances,
                                 .instance_count = 2,
                                 .metrics = metrics,
                                 .metric_count = 3};
    struct pu_mmv_layout layout;
    struct pu_errors damage = {0};
    struct pu_buf bytes = {0};

    CHECK_EQ_I64(pu_mmv_encode(&model, &bytes, &layout, &err), 0);
    CHECK_EQ_I64(pu_mmv_decode(pu_buf_span(&bytes), &mmv, &damage, &err), 0);
    CHECK_EQ_U64(damage.count, 0);
    test();
    pu_mmv_free(&mmv);
    pu_buf_free(&bytes);
}

int main(void)
{
    labels.records = calloc(PU_MMV_LABELS_MAX, sizeof(*labels.records));
    test_pairs();
    test_names();
    test_assignments();
    test_set();
    test_full();
    test_unset();
    test_clear();
    with_file(test_find);
    pu_mmv_labels_free(&labels);
    return tap_done();
}
