/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels on their way into a file; killed at every step of a change in place. */
#include "mmv/label-file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mmv/encode.h"
#include "mmv/upgrade.h"
#include "tap.h"

static struct pu_err err;

/* pwrite() of the library, which can be the end of the process. */
static int writes_left = -1;
static bool half; /* of the last one is still written, if it is a label over the end of a page */

/* Either name, by the size of off_t. */
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset);

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (writes_left == 0) {
        if (half && size == PU_MMV_LABEL_SIZE)
            (void)!__real_pwrite(fd, bytes, size / 2, offset);
        raise(SIGKILL);
    }
    writes_left--;
    return __real_pwrite(fd, bytes, size, offset);
}

ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t size, off_t offset)
{
    return __wrap_pwrite(fd, bytes, size, offset);
}

/* A file with everything that has an offset in it, and labels keep0 to keep3 between two others. */

static const char *const payloads[] = {"{\"first\":1}", "{\"keep0\":0}", "{\"keep1\":1}",
                                       "{\"keep2\":2}", "{\"keep3\":3}", "{\"last\":2}"};

static void make(struct pu_buf *bytes, int32_t version, size_t label_count)
{
    struct pu_mmv_model_instance instances[] = {{0, pu_span_text("sda"), 0},
                                                {5, pu_span_text("sdb"), 0}};
    struct pu_mmv_model_indom indom = {.serial = 7, .shorttext = pu_span_text("disks"), .count = 2};
    struct pu_mmv_model_metric metrics[] = {
        {.name = pu_span_text("reads"), .item = 1, .type = PU_MMV_U64, .serial = 7},
        {.name = pu_span_text("state"),
         .item = 2,
         .type = PU_MMV_STRING,
         .serial = PU_MMV_NO_INDOM},
    };
    struct pu_mmv_model_value values[] = {
        {.metric = 1, .instance = PU_MMV_SINGULAR, .text = pu_span_text("good")},
        {.metric = 0, .instance = 1, .raw = 42},
    };
    struct pu_mmv_model_label labels[6];
    struct pu_mmv_model model = {.version = version,
                                 .generation = 100,
                                 .cluster = 5,
                                 .indoms = &indom,
                                 .indom_count = 1,
                                 .instances = instances,
                                 .instance_count = 2,
                                 .metrics = metrics,
                                 .metric_count = 2,
                                 .values = values,
                                 .value_count = 2,
                                 .labels = labels,
                                 .label_count = label_count};
    struct pu_mmv_layout layout;

    for (size_t i = 0; i < 6; i++)
        labels[i] =
            (struct pu_mmv_model_label){PU_MMV_LABEL_REGISTRY, 5, -1, pu_span_text(payloads[i])};
    *bytes = (struct pu_buf){0};
    CHECK_EQ_I64(pu_mmv_encode(&model, bytes, &layout, &err), 0);
}

struct file {
    struct pu_buf bytes; /* owned */
    struct pu_mmv mmv;
    struct pu_mmv_labels labels;
};

/* Takes `bytes` over. */
static void open_bytes(struct file *file, struct pu_buf bytes)
{
    struct pu_errors damage = {0};

    file->bytes = bytes;
    file->labels = (struct pu_mmv_labels){0};
    CHECK_EQ_I64(pu_mmv_decode(pu_buf_span(&file->bytes), &file->mmv, &damage, &err), 0);
    pu_mmv_look_through(&file->mmv, &damage);
    CHECK_EQ_U64(damage.count, 0);
    CHECK_EQ_I64(pu_mmv_labels_check(&file->mmv, &err), 0);
    CHECK_EQ_I64(pu_mmv_labels_read(&file->mmv, &file->labels, &err), 0);
}

static void close_file(struct file *file)
{
    pu_mmv_labels_free(&file->labels);
    pu_mmv_free(&file->mmv);
    pu_buf_free(&file->bytes);
}

static void make_file(struct file *file, int32_t version, size_t label_count)
{
    struct pu_buf bytes;

    make(&bytes, version, label_count);
    open_bytes(file, bytes);
}

static void set(struct pu_mmv_labels *labels, const char *text)
{
    struct pu_mmv_label_target target = {PU_MMV_LABEL_REGISTRY, false, 5, -1};
    struct pu_mmv_assignment assignment;

    if (pu_mmv_assignment_parse(text, &assignment, &err) < 0 ||
        pu_mmv_labels_set(labels, &target, &assignment, false, &err) < 0)
        abort();
    free(assignment.name);
}

static void unset(struct pu_mmv_labels *labels, const char *name)
{
    struct pu_mmv_label_target target = {.level = 0};
    struct pu_mmv_label_targets targets = {&target, 1};

    if (pu_mmv_labels_unset(labels, &targets, name, &err) < 0)
        abort();
}

static bool has_label(const struct pu_mmv_labels *labels, const char *payload)
{
    for (size_t i = 0; i < labels->count; i++) {
        if (strcmp(labels->records[i].payload, payload) == 0)
            return true;
    }
    return false;
}

/* Files that nobody uses */

/* The labels of `file` go into it; the result is opened as `result`. */
static void rebuild(struct file *file, struct file *result)
{
    struct pu_buf bytes = {0};

    CHECK_EQ_I64(pu_mmv_labels_rebuild(&file->mmv, &file->labels, 5, false, &bytes, &err), 0);
    open_bytes(result, bytes);
    CHECK(pu_mmv_labels_equal(&file->labels, &result->labels));
    CHECK(pu_mmv_same(&file->mmv, &result->mmv));
    CHECK_EQ_U64(result->mmv.header.generation1, 100);
    CHECK_EQ_U64(result->mmv.header.generation2, 100);
}

static void test_versions(void)
{
    struct file file, result;

    for (int32_t version = 1; version <= 3; version++) {
        make_file(&file, version, 0);
        set(&file.labels, "a=1");
        rebuild(&file, &result);
        CHECK_EQ_I64(result.mmv.header.version, 3);
        /* The end of the file: later ones can follow it. */
        const struct pu_mmv_section *last = &result.mmv.sections[result.mmv.section_count - 1];
        CHECK_EQ_I64(last->kind, PU_MMV_LABELS);
        CHECK_EQ_U64(last->offset + PU_MMV_LABEL_SIZE, result.bytes.size);
        close_file(&result);
        close_file(&file);
    }
}

static void test_grow_and_shrink(void)
{
    struct file file, result, back;

    make_file(&file, 3, 6);
    set(&file.labels, "a=1");
    rebuild(&file, &result);
    CHECK_EQ_U64(result.bytes.size, file.bytes.size + PU_MMV_LABEL_SIZE);
    unset(&result.labels, "a");
    rebuild(&result, &back);
    pu_buf_free(&file.bytes);
    make(&file.bytes, 3, 6); /* every byte as it was */
    CHECK_EQ_BYTES(back.bytes.data, back.bytes.size, file.bytes.data, file.bytes.size);
    close_file(&back);
    close_file(&result);
    pu_buf_free(&file.bytes);
    pu_mmv_labels_free(&file.labels);
    pu_mmv_free(&file.mmv);
}

/* What stands behind the labels stays there, and they move. */
static void test_followed(void)
{
    struct pu_buf bytes;
    struct file file, result;

    make(&bytes, 3, 2);
    pu_buf_add_text(&bytes, "tail");
    open_bytes(&file, bytes);
    unset(&file.labels, "first");
    rebuild(&file, &result);
    CHECK_EQ_U64(result.bytes.size, file.bytes.size);
    CHECK_EQ_BYTES(result.bytes.data + result.bytes.size - 4, 4, "tail", 4);
    close_file(&result);
    set(&file.labels, "a=1");
    set(&file.labels, "b=1");
    rebuild(&file, &result);
    CHECK_EQ_BYTES(result.bytes.data + file.bytes.size - 4, 4, "tail", 4);
    CHECK_EQ_U64(result.bytes.size, file.bytes.size + 4 + 3 * PU_MMV_LABEL_SIZE);
    close_file(&result);
    close_file(&file);
}

static void test_cluster(void)
{
    struct pu_buf bytes = {0};
    struct file file, result;

    make_file(&file, 3, 6);
    file.mmv.header.generation1 = UINT64_MAX;
    CHECK_EQ_I64(pu_mmv_labels_rebuild(&file.mmv, &file.labels, 9, true, &bytes, &err), 0);
    open_bytes(&result, bytes);
    CHECK_EQ_I64(result.mmv.header.cluster, 9);
    CHECK_EQ_U64(result.mmv.header.generation1, 1); /* never 0 */
    CHECK_EQ_U64(result.mmv.header.generation2, 1);
    close_file(&result);
    close_file(&file);
}

/* Records in the place of labels would change with them. */
static void test_overlap(void)
{
    struct pu_buf bytes, result = {0};
    struct file file;
    uint64_t offset;
    uint32_t kind = PU_MMV_STRINGS;

    make(&bytes, 3, 6);
    memcpy(&offset, bytes.data + 40 + 5 * 16 + 8, sizeof(offset));
    memcpy(bytes.data + 40 + 4 * 16 + 8, &offset, sizeof(offset)); /* strings are labels */
    open_bytes(&file, bytes);
    unset(&file.labels, "first");
    CHECK_EQ_I64(pu_mmv_labels_rebuild(&file.mmv, &file.labels, 5, false, &result, &err), -1);
    CHECK(strstr(err.message, "its parts overlap"));
    pu_buf_free(&result);
    result = (struct pu_buf){0};
    CHECK_EQ_I64(pu_mmv_labels_plan_live(&file.mmv, &file.labels, 5, &result, &err), -1);
    pu_buf_free(&result);
    memcpy(file.bytes.data + 40 + 5 * 16, &kind, sizeof(kind));
    close_file(&file);
}

static void test_doubled_sections(void)
{
    struct pu_buf bytes;
    struct pu_errors damage = {0};
    struct pu_mmv mmv;
    uint32_t kind = PU_MMV_LABELS;

    make(&bytes, 3, 6);
    memcpy(bytes.data + 40 + 4 * 16, &kind, sizeof(kind));
    CHECK_EQ_I64(pu_mmv_decode(pu_buf_span(&bytes), &mmv, &damage, &err), 0);
    CHECK_EQ_I64(pu_mmv_labels_check(&mmv, &err), -1);
    CHECK(strstr(err.message, "2 sections of labels"));
    pu_mmv_free(&mmv);
    pu_buf_free(&bytes);
}

/* Files in use */

static void refuse_live(struct file *file, int32_t cluster, const char *reason)
{
    struct pu_buf bytes = {0};

    CHECK_EQ_I64(pu_mmv_labels_plan_live(&file->mmv, &file->labels, cluster, &bytes, &err), -1);
    CHECK(strstr(err.message, reason));
    pu_buf_free(&bytes);
    close_file(file);
}

static void test_refusals(void)
{
    struct pu_buf bytes;
    struct file file;

    make_file(&file, 2, 0);
    set(&file.labels, "a=1");
    refuse_live(&file, 5, "version 2");
    make_file(&file, 3, 0);
    set(&file.labels, "a=1");
    refuse_live(&file, 5, "no section for labels");
    make_file(&file, 3, 6);
    refuse_live(&file, 6, "cluster");
    make(&bytes, 3, 6);
    pu_buf_add_text(&bytes, "x");
    open_bytes(&file, bytes);
    set(&file.labels, "a=1");
    refuse_live(&file, 5, "something else follows its labels");
    make_file(&file, 3, 6);
    for (char name = 'a'; name < 'z'; name++)
        set(&file.labels, (const char[]){name, '=', '1', '\0'});
    refuse_live(&file, 5, "no room for more labels in the last page");
}

/* What is changed, and killed: the n-th write and all behind it are not done. */

typedef void (*change)(struct pu_mmv_labels *labels);

static void append(struct pu_mmv_labels *labels)
{
    set(labels, "a=1");
    set(labels, "b=2");
}

static void replace(struct pu_mmv_labels *labels)
{
    set(labels, "first=99");
    set(labels, "last=\"text\"");
}

static void remove_some(struct pu_mmv_labels *labels)
{
    unset(labels, "first");
    unset(labels, "last");
}

static void mix(struct pu_mmv_labels *labels)
{
    unset(labels, "first");
    set(labels, "last=7");
    set(labels, "a=1");
}

static void read_file(struct file *file)
{
    struct pu_buf bytes = {0};
    int fd = open("live", O_RDONLY);
    char *room = pu_buf_room(&bytes, 65536);

    bytes.size = (size_t)read(fd, room, 65536);
    close(fd);
    open_bytes(file, bytes);
}

static void write_file(const struct file *file)
{
    int fd = open("live", O_RDWR | O_CREAT | O_TRUNC, 0600);

    CHECK_EQ_I64(write(fd, file->bytes.data, file->bytes.size), (int64_t)file->bytes.size);
    close(fd);
}

/* As mmvlabel does it. 0, or -1 with an error. */
static int change_live(change edit)
{
    struct pu_buf bytes = {0};
    struct file file;

    read_file(&file);
    if (pu_mmv_is_interrupted(&file.mmv.header))
        pu_mmv_labels_tidy(&file.labels);
    edit(&file.labels);
    int result = pu_mmv_labels_plan_live(&file.mmv, &file.labels, 5, &bytes, &err);
    int fd = open("live", O_RDWR);
    if (result == 0)
        result = pu_mmv_labels_write_live(fd, &file.mmv, pu_buf_span(&bytes), &err);
    close(fd);
    pu_buf_free(&bytes);
    close_file(&file);
    return result;
}

/* True when the change was over before it came to the n-th write. */
static bool kill_at(change edit, int n)
{
    int status = 0;

    fflush(stdout); /* what the child says is its own business */
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(2);
        writes_left = n;
        _exit(change_live(edit) == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    return status == 0;
}

static void check_kept(const struct file *before, struct file *file)
{
    const struct pu_mmv_header *header = &file->mmv.header;

    for (size_t i = 1; i < 5; i++)
        CHECK(has_label(&file->labels, payloads[i]));
    CHECK(header->generation1 == header->generation2 || pu_mmv_is_interrupted(header));
    CHECK(header->generation1 != 0);
    struct pu_mmv old = before->mmv;
    CHECK(pu_mmv_same(&old, &file->mmv));
}

static void check_mended(const struct file *before, change edit, struct pu_mmv_labels *wanted)
{
    struct file file;

    CHECK_EQ_I64(change_live(edit), 0);
    read_file(&file);
    check_kept(before, &file);
    CHECK(file.mmv.header.generation1 == file.mmv.header.generation2);
    CHECK(file.mmv.header.generation1 > 100);
    for (size_t i = 0; i < wanted->count; i++)
        CHECK(has_label(&file.labels, wanted->records[i].payload));
    if (!half)
        CHECK_EQ_U64(file.labels.count, wanted->count);
    close_file(&file);
}

static void test_killed(change edit)
{
    struct file before, wanted, file;
    bool done = false;
    int n;

    make_file(&before, 3, 6);
    make_file(&wanted, 3, 6);
    edit(&wanted.labels);
    for (n = 0; !done && n < 100; n++) {
        write_file(&before);
        done = kill_at(edit, n);
        read_file(&file);
        check_kept(&before, &file);
        if (done)
            CHECK(pu_mmv_labels_equal(&file.labels, &wanted.labels));
        close_file(&file);
        check_mended(&before, edit, &wanted.labels);
    }
    CHECK(done && n > 4);
    close_file(&wanted);
    close_file(&before);
}

/* The application starts anew in the middle of it. */
static void test_rewritten(void)
{
    struct pu_buf bytes = {0};
    struct file file;
    uint64_t other = 7;

    make_file(&file, 3, 6);
    write_file(&file);
    set(&file.labels, "a=1");
    CHECK_EQ_I64(pu_mmv_labels_plan_live(&file.mmv, &file.labels, 5, &bytes, &err), 0);
    int fd = open("live", O_RDWR);
    CHECK_EQ_I64(__real_pwrite(fd, &other, sizeof(other), 8), 8);
    CHECK_EQ_I64(pu_mmv_labels_write_live(fd, &file.mmv, pu_buf_span(&bytes), &err), -1);
    CHECK(strstr(err.message, "rewritten it meanwhile"));
    close(fd);
    pu_buf_free(&bytes);
    close_file(&file);
}

/* Labels come and go without end; the file does not grow. */
static void test_again_and_again(void)
{
    struct file file;

    make_file(&file, 3, 6);
    size_t size = file.bytes.size;
    write_file(&file);
    close_file(&file);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ_I64(change_live(append), 0);
        CHECK_EQ_I64(change_live(remove_some), 0);
        read_file(&file);
        CHECK_EQ_U64(file.bytes.size, size + 2 * PU_MMV_LABEL_SIZE);
        close_file(&file);
    }
}

int main(void)
{
    static const change changes[] = {append, replace, remove_some, mix};
    char folder[] = "/tmp/test-label-file.XXXXXX";

    alarm(300);
    if (!mkdtemp(folder) || chdir(folder) < 0) {
        printf("Bail out! no folder\n");
        return 1;
    }
    test_versions();
    test_grow_and_shrink();
    test_followed();
    test_cluster();
    test_overlap();
    test_doubled_sections();
    test_refusals();
    for (size_t i = 0; i < 8; i++) {
        half = i % 2;
        test_killed(changes[i / 2]);
    }
    half = false;
    test_rewritten();
    test_again_and_again();
    unlink("live");
    CHECK_EQ_I64(rmdir(folder), 0);
    return tap_done();
}
