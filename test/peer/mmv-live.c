/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with MMV metrics, written with PCP's own library:
 *     mmv-live [--count] NAME
 * The file is $PCP_TMP_DIR/mmv/NAME. With --count it counts until it is killed. Without, it does
 * what it is told on standard input, one word a line, and answers "ok" when that is done: add N
 * adds N to "total" (a counter) and to "busy" (a gauge with an instance) text TEXT  sets "state"
 *     bump       changes the generation and nothing else
 *     restart    writes the file anew, as a program does that has new metrics: one more each time
 *     flux       leaves it half rewritten: the generations differ
 *     settle     ends that
 * The end of the input is the end of the program; the file stays.
 */
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct live {
    const char *name;
    mmv_registry_t *registry;
    void *map;
    int extras; /* metrics beside the usual three */
};

/* Offsets of the two generation numbers in the header. */
enum { GENERATION1 = 8, GENERATION2 = 16 };

static void start(struct live *live)
{
    static char names[16][16];
    pmUnits none = MMV_UNITS(0, 0, 0, 0, 0, 0);
    pmUnits count = MMV_UNITS(0, 0, 1, 0, 0, PM_COUNT_ONE);

    live->registry = mmv_stats_registry(live->name, 77, 0);
    mmv_stats_add_indom(live->registry, 1, NULL, NULL);
    mmv_stats_add_instance(live->registry, 1, 0, "cpu0");
    mmv_stats_add_metric(live->registry, "total", 1, MMV_TYPE_U64, MMV_SEM_COUNTER, count,
                         PM_INDOM_NULL, "counts", NULL);
    mmv_stats_add_metric(live->registry, "busy", 2, MMV_TYPE_I32, MMV_SEM_INSTANT, none, 1, NULL,
                         NULL);
    mmv_stats_add_metric(live->registry, "state", 3, MMV_TYPE_STRING, MMV_SEM_DISCRETE, none,
                         PM_INDOM_NULL, NULL, NULL);
    for (int i = 0; i < live->extras; i++) {
        snprintf(names[i], sizeof(names[i]), "extra%d", i);
        mmv_stats_add_metric(live->registry, names[i], 10 + i, MMV_TYPE_U32, MMV_SEM_INSTANT, none,
                             PM_INDOM_NULL, NULL, NULL);
    }
    live->map = mmv_stats_start(live->registry);
    if (!live->map) {
        fprintf(stderr, "mmv-live: cannot start %s\n", live->name);
        exit(1);
    }
    mmv_stats_set_string(live->map, "state", "", "started");
}

static void add(struct live *live, double n)
{
    mmv_stats_add(live->map, "total", "", n);
    mmv_stats_add(live->map, "busy", "cpu0", n);
}

static void set_generation(struct live *live, size_t field, uint64_t generation)
{
    memcpy((char *)live->map + field, &generation, sizeof(generation));
}

static uint64_t generation(const struct live *live)
{
    uint64_t value;

    memcpy(&value, (const char *)live->map + GENERATION1, sizeof(value));
    return value;
}

/* In the order that readers rely on. */
static void bump(struct live *live)
{
    uint64_t next = generation(live) + 1;

    set_generation(live, GENERATION2, 0);
    set_generation(live, GENERATION1, next);
    set_generation(live, GENERATION2, next);
}

static void obey(struct live *live, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "add ", 4) == 0) {
        add(live, atof(line + 4));
    } else if (strncmp(line, "text ", 5) == 0) {
        mmv_stats_set_string(live->map, "state", "", line + 5);
    } else if (strcmp(line, "bump") == 0) {
        bump(live);
    } else if (strcmp(line, "flux") == 0) {
        set_generation(live, GENERATION2, 0);
    } else if (strcmp(line, "settle") == 0) {
        set_generation(live, GENERATION2, generation(live));
    } else if (strcmp(line, "restart") == 0) {
        mmv_stats_free(live->registry);
        live->extras = live->extras < 15 ? live->extras + 1 : 0;
        start(live);
    } else {
        printf("what?\n");
        return;
    }
    printf("ok\n");
}

static void count(struct live *live)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    for (;;) {
        add(live, 1);
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv)
{
    struct live live = {.name = argc > 1 ? argv[argc - 1] : NULL};
    char line[256];

    if (!live.name || argc > 3 || (argc == 3 && strcmp(argv[1], "--count") != 0)) {
        fprintf(stderr, "usage: mmv-live [--count] NAME\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    start(&live);
    printf("ok\n");
    if (argc == 3)
        count(&live);
    while (fgets(line, sizeof(line), stdin))
        obey(&live, line);
    mmv_stats_free(live.registry);
    return 0;
}
