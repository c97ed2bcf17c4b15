/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a large MMV file: mmv-big VERSION METRICS INSTANCES [shuffled] >FILE
 * Three quarters of the metrics are 64-bit integers of all sizes, one quarter doubles with three
 * decimals. "shuffled" puts the values in the order of no metric, as hash tables do.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mmv/format.h"

struct layout {
    int version;
    uint64_t metrics, instances;
    uint64_t indom_at, instance_at, metric_at, value_at, string_at, size;
    uint64_t instance_size, metric_size;
};

static void put32(unsigned char *at, uint32_t word)
{
    memcpy(at, &word, sizeof(word));
}

static void put64(unsigned char *at, uint64_t word)
{
    memcpy(at, &word, sizeof(word));
}

static uint64_t random_word(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct layout plan(int version, uint64_t metrics, uint64_t instances)
{
    struct layout plan = {.version = version, .metrics = metrics, .instances = instances};

    plan.instance_size = version == 1 ? PU_MMV_INSTANCE1_SIZE : PU_MMV_INSTANCE2_SIZE;
    plan.metric_size = version == 1 ? PU_MMV_METRIC1_SIZE : PU_MMV_METRIC2_SIZE;
    plan.indom_at = PU_MMV_HEADER_SIZE + 5 * PU_MMV_TOC_SIZE;
    plan.instance_at = plan.indom_at + PU_MMV_INDOM_SIZE;
    plan.metric_at = plan.instance_at + instances * plan.instance_size;
    plan.value_at = plan.metric_at + metrics * plan.metric_size;
    plan.string_at = plan.value_at + metrics * instances * PU_MMV_VALUE_SIZE;
    plan.size = plan.string_at;
    if (version > 1)
        plan.size += (metrics + instances) * PU_MMV_STRING_SIZE;
    return plan;
}

static void put_toc(unsigned char *at, int kind, uint64_t count, uint64_t offset)
{
    put32(at, (uint32_t)kind);
    put32(at + 4, (uint32_t)count);
    put64(at + 8, offset);
}

static void put_head(unsigned char *file, const struct layout *plan)
{
    unsigned char *toc = file + PU_MMV_HEADER_SIZE;
    uint64_t strings = plan->version > 1 ? plan->metrics + plan->instances : 0;

    memcpy(file, "MMV", 4);
    put32(file + 4, (uint32_t)plan->version);
    put64(file + 8, 1700000000);
    put64(file + 16, 1700000000);
    put32(file + 24, strings ? 5 : 4);
    put32(file + 36, 5);
    put_toc(toc, PU_MMV_INDOMS, 1, plan->indom_at);
    put_toc(toc + 16, PU_MMV_INSTANCES, plan->instances, plan->instance_at);
    put_toc(toc + 32, PU_MMV_METRICS, plan->metrics, plan->metric_at);
    put_toc(toc + 48, PU_MMV_VALUES, plan->metrics * plan->instances, plan->value_at);
    put_toc(toc + 64, PU_MMV_STRINGS, strings, plan->string_at);
    put32(file + plan->indom_at, 1);
    put32(file + plan->indom_at + 4, (uint32_t)plan->instances);
    put64(file + plan->indom_at + 8, plan->instance_at);
}

/* A name: inside the record, or in the string slot that the record names. Returns what follows. */
static unsigned char *put_name(unsigned char *file, const struct layout *plan, unsigned char *at,
                               const char *name, uint64_t slot)
{
    uint64_t offset = plan->string_at + slot * PU_MMV_STRING_SIZE;

    if (plan->version == 1) {
        strcpy((char *)at, name);
        return at + PU_MMV_NAME_SIZE;
    }
    put64(at, offset);
    strcpy((char *)file + offset, name);
    return at + 8;
}

static void put_records(unsigned char *file, const struct layout *plan)
{
    char name[PU_MMV_NAME_SIZE];

    for (uint64_t i = 0; i < plan->instances; i++) {
        unsigned char *at = file + plan->instance_at + i * plan->instance_size;
        put64(at, plan->indom_at);
        put32(at + 12, (uint32_t)i);
        snprintf(name, sizeof(name), "instance-%u", (unsigned int)i);
        put_name(file, plan, at + 16, name, i);
    }
    for (uint64_t i = 0; i < plan->metrics; i++) {
        unsigned char *at = file + plan->metric_at + i * plan->metric_size;
        snprintf(name, sizeof(name), "bench.metric%u", (unsigned int)i);
        at = put_name(file, plan, at, name, plan->instances + i);
        put32(at, (uint32_t)i & PU_MMV_ITEM_MAX);
        put32(at + 4, i % 4 == 3 ? PU_MMV_DOUBLE : PU_MMV_U64);
        put32(at + 8, 1);
        put32(at + 12, 0x100000);
        put32(at + 16, 1);
    }
}

static void put_values(unsigned char *file, const struct layout *plan)
{
    for (uint64_t i = 0; i < plan->metrics * plan->instances; i++) {
        unsigned char *at = file + plan->value_at + i * PU_MMV_VALUE_SIZE;
        uint64_t metric = i / plan->instances;
        uint64_t word = random_word();
        double number = (double)(word % 100000000) / 1000;
        if (metric % 4 == 3)
            memcpy(at, &number, sizeof(number));
        else
            put64(at, word >> (word & 31));
        put64(at + 16, plan->metric_at + metric * plan->metric_size);
        put64(at + 24, plan->instance_at + i % plan->instances * plan->instance_size);
    }
}

static void shuffle(unsigned char *file, const struct layout *plan)
{
    unsigned char spare[PU_MMV_VALUE_SIZE];
    unsigned char *values = file + plan->value_at;

    for (uint64_t i = plan->metrics * plan->instances - 1; i > 0; i--) {
        unsigned char *a = values + i * PU_MMV_VALUE_SIZE;
        unsigned char *b = values + random_word() % (i + 1) * PU_MMV_VALUE_SIZE;
        memcpy(spare, a, sizeof(spare));
        memmove(a, b, sizeof(spare));
        memcpy(b, spare, sizeof(spare));
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: mmv-big VERSION METRICS INSTANCES [shuffled] >FILE\n");
        return 2;
    }
    struct layout layout =
        plan(atoi(argv[1]), strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    unsigned char *file = calloc(1, layout.size);
    if (!file)
        return 1;
    put_head(file, &layout);
    put_records(file, &layout);
    put_values(file, &layout);
    if (argc > 4)
        shuffle(file, &layout);
    bool written = fwrite(file, layout.size, 1, stdout) == 1 && fflush(stdout) == 0;
    free(file);
    return written ? 0 : 1;
}
