/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that runs out while an experiment is read, judged and shown; see sweep.h. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/archives-view.h"
#include "experiment/check.h"
#include "experiment/dump-view.h"
#include "experiment/scan.h"
#include "experiment/summary-view.h"
#include "experiment/tree-view.h"
#include "sweep.h"

/* --- a small experiment with some of everything -------------------------------------------------
 */

static const char log_head[] =
    "<experiment version=\"12.4\"/><collector>2.40.00</collector>\n"
    "<system hostname=\"h\" arch=\"x86_64\" os=\"Linux\"/>\n"
    "<process pid=\"7\" ppid=\"1\" wsize=\"64\">./p</process>\n"
    "<setting limit=\"1\"/><setting blksz=\"2\"/>\n"
    "<profile name=\"hwcounter\" hwcname=\"c\" int_name=\"c\" interval=\"9\" tag=\"0\"/>\n"
    "<profile name=\"heaptrace\"><profdata fname=\"heaptrace\"/><profpckt kind=\"5\">\n"
    "<field name=\"THRID\" offset=\"16\" type=\"INT64\"/>"
    "<field name=\"TSTAMP\" offset=\"32\" type=\"INT64\"/>"
    "<field name=\"FRINFO\" offset=\"40\" type=\"INT64\"/>"
    "<field name=\"X\" offset=\"48\" type=\"INT32\"><state value=\"0\" name=\"zero\"/></field>"
    "</profpckt></profile>\n"
    "<event kind=\"run\" tstamp=\"1.000000000\" time=\"1700000000\" tm_zone=\"0\"/>\n"
    "<event kind=\"desc_started\" tstamp=\"0.000000001\" lineage=\"_f1\" follow=\"1\" "
    "msg=\"pid=8\"/>\n";
static const char map_text[] =
    "<event kind=\"map\" object=\"segment\" tstamp=\"0.000000001\" vaddr=\"0x1000\" size=\"4096\" "
    "foffset=\"+0x0\" modes=\"0x005\" name=\"/home/demo/prog\"/>\n"
    "<event kind=\"map\" object=\"function\" tstamp=\"0.000000001\" vaddr=\"0x9000\" size=\"8\" "
    "name=\"[vdso]\"/>\n";

static char folder[] = "/tmp/exp-alloc-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

static void put(unsigned char *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* The log with so many events that lists of them grow. */
static void write_log(const char *name)
{
    static char text[16384];
    size_t size = sizeof(log_head) - 1;

    memcpy(text, log_head, size);
    for (int i = 0; i < 40; i++)
        size += (size_t)snprintf(text + size, sizeof(text) - size,
                                 "<event kind=\"cwarn\" id=\"%d\">text</event>\n", 200 + i);
    write_file(name, text, sizeof(text));
}

static void write_packets(void)
{
    static unsigned char bytes[16384];
    static unsigned char stack[40] = {40, 0, 11, 0, 16, 0, 0, 0, 1};

    put(stack + 16, 24, 4); /* a list of a word, on which others can go on */
    put(stack + 20, 1, 4);
    write_file("x.er/data.frameinfo", stack, sizeof(stack));
    for (int i = 0; i < 60; i++) {
        unsigned char *packet = bytes + i * 56;
        put(packet, 56, 2);
        put(packet + 2, 5, 2);
        put(packet + 16, (uint64_t)i, 8); /* a thread each: more than a set begins with */
        put(packet + 32, 1000000000, 8);
        put(packet + 40, 1, 8);
    }
    write_file("x.er/heaptrace", bytes, sizeof(bytes));
}

static void write_dynamic(void)
{
    static const char location[] = "LMain;\0\0file:/home/demo/";
    unsigned char bytes[48] = {0};
    unsigned char code[40] = {1, 0, 0, 0, 24};

    put(bytes, sizeof(bytes), 2);
    put(bytes + 2, 0x0e03, 2);
    memcpy(bytes + 16, location, sizeof(location));
    write_file("x.er/jclasses", bytes, sizeof(bytes));
    put(code + 16, 0x9000, 8);
    put(code + 24, 2, 4);
    put(code + 28, 16, 4);
    write_file("x.er/dyntext", code, sizeof(code));
}

static void write_all(void)
{
    static const unsigned char overview[504];

    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    CHECK(mkdir("x.er", 0700) == 0 && mkdir("x.er/_f1.er", 0700) == 0 &&
          mkdir("x.er/archives", 0700) == 0);
    write_log("x.er/log.xml");
    write_log("x.er/_f1.er/log.xml");
    write_file("x.er/map.xml", map_text, sizeof(map_text) - 1);
    write_file("x.er/overview", overview, sizeof(overview));
    write_file("x.er/notes", "note\n", 5);
    write_file("x.er/warnings.xml", "<powerm/>\n", 10);
    write_file("x.er/archives/prog_d0Iowhcicje", "no ELF", 6);
    write_file("group.erg", "#analyzer experiment group\nx.er\n./x.er\n", 39);
    write_packets();
    write_dynamic();
}

static void remove_all(void)
{
    static const char *const files[] = {
        "x.er/log.xml", "x.er/_f1.er/log.xml", "x.er/map.xml",   "x.er/overview",
        "x.er/notes",   "x.er/warnings.xml",   "x.er/heaptrace", "x.er/jclasses",
        "x.er/dyntext", "x.er/data.frameinfo", "group.erg",      "x.er/archives/prog_d0Iowhcicje",
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        unlink(files[i]);
    rmdir("x.er/_f1.er");
    rmdir("x.er/archives");
    CHECK(rmdir("x.er") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}

/* --- work ---------------------------------------------------------------------------------------
 */

static bool is_told(int result, const struct pu_err *err)
{
    return result < 0 && err->code == PU_E_SYSTEM && err->status == ENOMEM && err->message[0];
}

static bool scan(void)
{
    struct pu_paths paths = {0};
    struct pu_err err = {0};
    int result = pu_exp_scan("group.erg", &paths, &err);

    result = result == 0 ? pu_exp_scan(".", &paths, &err) : result;
    bool right = failed || paths.count == 3;
    pu_paths_free(&paths);
    return is_told(result, &err) && right;
}

static uint64_t findings;

static void count_finding(struct pu_judge *judge, const struct pu_finding *finding)
{
    (void)judge;
    findings += finding->message[0] != '\0';
}

static struct pu_judge judge = {count_finding};
static struct pu_out out;
static struct pu_sink sink;

/* What is done with an experiment that is open, and the tree of its processes. */
typedef int step(const struct pu_exp *exp, const struct pu_tree *tree, struct pu_err *err);

static bool with_experiment(step *next)
{
    struct pu_exp exp = PU_EXP_INIT;
    struct pu_tree tree = {0};
    struct pu_err err = {0};
    int result = pu_exp_dir_open("x.er", &exp.dir, &err);

    if (result == 0)
        result = pu_exp_load(&exp, &judge, &err);
    if (result == 0)
        result = pu_tree_read(&exp, false, &tree, &err);
    if (result == 0)
        result = next(&exp, &tree, &err);
    pu_tree_free(&tree);
    pu_exp_free(&exp);
    return is_told(result, &err);
}

static int step_tree(const struct pu_exp *exp, const struct pu_tree *tree, struct pu_err *err)
{
    (void)err;
    pu_tree_put(&out, exp->dir.path, tree);
    return 0;
}

static int step_check(const struct pu_exp *exp, const struct pu_tree *tree, struct pu_err *err)
{
    return pu_exp_check(exp, tree, &tree->nodes[0], &judge, err);
}

static int step_summary(const struct pu_exp *exp, const struct pu_tree *tree, struct pu_err *err)
{
    return pu_summary_put(&out, exp, tree, &tree->nodes[0], &judge, err);
}

static int step_archives(const struct pu_exp *exp, const struct pu_tree *tree, struct pu_err *err)
{
    struct pu_archives archives = {0};
    int result = pu_archives_need(&archives, exp, &judge, err);

    (void)tree;
    if (result == 0)
        result = pu_archives_compare(&archives, exp, err);
    if (result == 0)
        (void)pu_archives_put(&out, exp->dir.path, &archives, false, true);
    pu_archives_free(&archives);
    return result;
}

static int step_dumps(const struct pu_exp *exp, const struct pu_tree *tree, struct pu_err *err)
{
    static const char *const names[] = {"log.xml", "map.xml",  "overview",  "data.frameinfo",
                                        "dyntext", "jclasses", "heaptrace", "notes"};
    int result = 0;

    (void)tree;
    for (size_t i = 0; result == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        struct pu_dump dump = {.out = &out,
                               .exp = exp,
                               .file = names[i],
                               .judge = &judge,
                               .from = INT64_MIN,
                               .to = INT64_MAX};
        result = pu_dump_put(&dump, err);
    }
    return result;
}

#define WORK(name)                                                                                 \
    static bool name(void)                                                                         \
    {                                                                                              \
        return with_experiment(step_##name);                                                       \
    }
WORK(tree)
WORK(check)
WORK(summary)
WORK(archives)
WORK(dumps)

int main(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    write_all();
    pu_sink_to_fd(&sink, null);
    pu_out_to_text(&out, &sink);
    sweep(scan, 10);
    sweep(tree, 50);
    sweep(check, 70);
    sweep(summary, 70);
    sweep(archives, 60);
    sweep(dumps, 80);
    CHECK(findings > 0);
    CHECK(pu_sink_flush(&sink) == 0);
    remove_all();
    return tap_done();
}
