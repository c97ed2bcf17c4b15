/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes an MMV file, version 3, of a web shop that does not exist. It is for the demonstration and
 * for the tests of the documentation, so everything in it is fixed.
 *
 * usage: mmv-demo FILE [TENTHS]
 *
 * With TENTHS it then plays the shop for so many tenths of a second: some values change.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mmv/format.h"

enum { INDOMS = 1, INSTANCES = 2, METRICS = 6, VALUES = 8, STRINGS = 16, LABELS = 3, TOC = 6 };

/* Where the sections stand, one behind the other. */
enum {
    AT_TOC = PU_MMV_HEADER_SIZE,
    AT_INDOMS = AT_TOC + TOC * PU_MMV_TOC_SIZE,
    AT_INSTANCES = AT_INDOMS + INDOMS * PU_MMV_INDOM_SIZE,
    AT_METRICS = AT_INSTANCES + INSTANCES * PU_MMV_INSTANCE2_SIZE,
    AT_VALUES = AT_METRICS + METRICS * PU_MMV_METRIC2_SIZE,
    AT_STRINGS = AT_VALUES + VALUES * PU_MMV_VALUE_SIZE,
    AT_LABELS = AT_STRINGS + STRINGS * PU_MMV_STRING_SIZE,
    FILE_SIZE = AT_LABELS + LABELS * PU_MMV_LABEL_SIZE,
};

enum { COUNTER = 1, INSTANT = 3, DISCRETE = 4 };
enum { NO_UNITS = 0, COUNT = 1 << 20, BYTES = 1 << 28, NO_INDOM = -1, METHODS = 1 };
#define CLUSTER    321
#define GENERATION UINT64_C(1793520000) /* a real one is the time */

static unsigned char file[FILE_SIZE];
static int strings, metrics, values, labels; /* records so far */

static void put32(size_t at, uint32_t word)
{
    memcpy(file + at, &word, sizeof(word));
}

static void put64(size_t at, uint64_t word)
{
    memcpy(file + at, &word, sizeof(word));
}

/* Returns its offset. */
static size_t add_string(const char *text)
{
    size_t at = AT_STRINGS + strings++ * PU_MMV_STRING_SIZE;

    strcpy((char *)file + at, text);
    return at;
}

static void put_header(void)
{
    memcpy(file, "MMV", 4);
    put32(4, 3);
    put64(8, GENERATION);
    put32(24, TOC);
    put32(36, CLUSTER);
}

static void add_section(int i, enum pu_mmv_kind kind, int count, size_t offset)
{
    size_t at = AT_TOC + i * PU_MMV_TOC_SIZE;

    put32(at, kind);
    put32(at + 4, count);
    put64(at + 8, offset);
}

static void put_indom(void)
{
    put32(AT_INDOMS, METHODS);
    put32(AT_INDOMS + 4, INSTANCES);
    put64(AT_INDOMS + 8, AT_INSTANCES);
    put64(AT_INDOMS + 16, add_string("request methods"));
}

static void put_instance(int i, const char *name)
{
    size_t at = AT_INSTANCES + i * PU_MMV_INSTANCE2_SIZE;

    put64(at, AT_INDOMS);
    put32(at + 12, i);
    put64(at + 16, add_string(name));
}

static void add_metric(const char *name, int type, int semantics, uint32_t units, int indom,
                       const char *help)
{
    size_t at = AT_METRICS + metrics++ * PU_MMV_METRIC2_SIZE;

    put64(at, add_string(name));
    put32(at + 8, metrics); /* the item: 1, 2, ... */
    put32(at + 12, type);
    put32(at + 16, semantics);
    put32(at + 20, units);
    put32(at + 24, indom);
    put64(at + 32, add_string(help));
}

/* A value of the metric added last; `instance` is -1 for one without. */
static void add_value(int instance, uint64_t value, int64_t extra)
{
    size_t at = AT_VALUES + values++ * PU_MMV_VALUE_SIZE;

    put64(at, value);
    put64(at + 8, extra);
    put64(at + 16, AT_METRICS + (metrics - 1) * PU_MMV_METRIC2_SIZE);
    put64(at + 24, instance < 0 ? 0 : AT_INSTANCES + instance * PU_MMV_INSTANCE2_SIZE);
}

static void add_label(int level, uint32_t identity, int instance, const char *json)
{
    size_t at = AT_LABELS + labels++ * PU_MMV_LABEL_SIZE;

    put32(at, level);
    put32(at + 4, identity);
    put32(at + 8, instance);
    strcpy((char *)file + at + 12, json);
}

static void fill(void)
{
    double ratio = 0.9375;
    uint64_t bits;

    put_header();
    add_section(0, PU_MMV_INDOMS, INDOMS, AT_INDOMS);
    add_section(1, PU_MMV_INSTANCES, INSTANCES, AT_INSTANCES);
    add_section(2, PU_MMV_METRICS, METRICS, AT_METRICS);
    add_section(3, PU_MMV_VALUES, VALUES, AT_VALUES);
    add_section(4, PU_MMV_STRINGS, STRINGS, AT_STRINGS);
    add_section(5, PU_MMV_LABELS, LABELS, AT_LABELS);
    put_indom();
    put_instance(0, "GET");
    put_instance(1, "POST");
    add_metric("http.requests", PU_MMV_U64, COUNTER, COUNT, METHODS, "requests answered");
    add_value(0, 1841, 0);
    add_value(1, 97, 0);
    add_metric("http.sent", PU_MMV_U64, COUNTER, BYTES, METHODS, "bytes in the answers");
    add_value(0, 52428800, 0);
    add_value(1, 198144, 0);
    add_metric("queue.length", PU_MMV_I64, INSTANT, COUNT, NO_INDOM, "orders that wait");
    add_value(-1, 3, 0);
    add_metric("queue.busy", PU_MMV_ELAPSED, COUNTER, NO_UNITS, NO_INDOM, "time spent on orders");
    add_value(-1, 2750000, 0);
    add_metric("cache.ratio", PU_MMV_DOUBLE, INSTANT, NO_UNITS, NO_INDOM, "share of hits");
    memcpy(&bits, &ratio, sizeof(bits));
    add_value(-1, bits, 0);
    add_metric("build", PU_MMV_STRING, DISCRETE, NO_UNITS, NO_INDOM, "version that runs");
    add_value(-1, strlen("shop 2.1"), add_string("shop 2.1"));
    add_label(PU_MMV_LABEL_REGISTRY, CLUSTER, -1, "{\"site\":\"north\"}");
    add_label(PU_MMV_LABEL_ITEM, 1, -1, "{\"team\":\"web\"}");
    add_label(PU_MMV_LABEL_INSTANCE | PU_MMV_LABEL_OPTIONAL, METHODS, 1, "{\"cached\":false}");
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void change(int fd, size_t at, uint64_t word)
{
    if (pwrite(fd, &word, sizeof(word), at) != sizeof(word))
        fail("mmv-demo: write");
}

/* Values are changed where they stand; the generation is not touched. */
static void play(int fd, int tenths)
{
    const struct timespec tenth = {.tv_nsec = 100000000};

    for (int i = 1; i <= tenths; i++) {
        nanosleep(&tenth, NULL);
        change(fd, AT_VALUES, 1841 + 4 * i);
        change(fd, AT_VALUES + 2 * PU_MMV_VALUE_SIZE, 52428800 + 8192 * i);
        change(fd, AT_VALUES + 4 * PU_MMV_VALUE_SIZE, 3 + i % 7);
    }
}

int main(int argc, char **argv)
{
    char new[4096];
    int fd;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: mmv-demo FILE [TENTHS]\n");
        return 2;
    }
    fill();
    /* Made beside and renamed: a reader never meets a half file, nor one that shrinks under it. */
    snprintf(new, sizeof(new), "%s.new", argv[1]);
    fd = open(new, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, file, sizeof(file)) != sizeof(file))
        fail("mmv-demo: write");
    /* The second generation comes last: that is how readers know that the file is complete. */
    change(fd, 16, GENERATION);
    if (rename(new, argv[1]) < 0)
        fail("mmv-demo: rename");
    if (argc == 3)
        play(fd, atoi(argv[2]));
    return close(fd) == 0 ? 0 : 1;
}
