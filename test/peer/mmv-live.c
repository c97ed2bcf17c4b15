/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with MMV metrics, written with PCP's own library:
 *     mmv-live [--count] [--labels N] [--process] NAME
 * The file is $PCP_TMP_DIR/mmv/NAME. --labels gives it N labels "keep0", "keep1", ... of the
 * registry; --process makes the file go with the program. With --count it counts until SIGTERM, and
 * says then how far it got. Without, it does what it is told on standard input, one word a line,
 * and answers "ok" when that is done:
 *     add N      adds N to "total" (a counter) and to "busy" (a gauge with an instance)
 *     text TEXT  sets "state"
 *     bump       changes the generation and nothing else
 *     restart    writes the file anew, as a program does that has new metrics: one more each time
 *     flux       leaves it half rewritten: the generations differ
 *     settle     ends that
 * The end of the input is the end of the program; the file stays, but for --process.
 */
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <signal.h>
#include <stdbool.h>
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
    int labels;
    bool count;
    mmv_stats_flags_t flags;
};

/* Offsets of the two generation numbers in the header. */
enum { GENERATION1 = 8, GENERATION2 = 16 };

static void start(struct live *live)
{
    static char names[16][16];
    pmUnits none = MMV_UNITS(0, 0, 0, 0, 0, 0);
    pmUnits count = MMV_UNITS(0, 0, 1, 0, 0, PM_COUNT_ONE);

    live->registry = mmv_stats_registry(live->name, 77, live->flags);
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
    for (int i = 0; i < live->labels; i++) {
        char name[16], value[16];
        snprintf(name, sizeof(name), "keep%d", i);
        snprintf(value, sizeof(value), "%d", i);
        mmv_stats_add_registry_label(live->registry, name, value, MMV_NUMBER_TYPE, 0);
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

static volatile sig_atomic_t ended;

static void end(int number)
{
    (void)number;
    ended = 1;
}

static void count(struct live *live)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    unsigned long total = 0;

    signal(SIGTERM, end);
    printf("ok\n");
    while (!ended) {
        add(live, 1);
        total++;
        nanosleep(&pause, NULL);
    }
    printf("%lu\n", total);
}

static bool parse(int argc, char **argv, struct live *live)
{
    int i;

    for (i = 1; i < argc - 1; i++) {
        if (strcmp(argv[i], "--count") == 0)
            live->count = true;
        else if (strcmp(argv[i], "--process") == 0)
            live->flags = MMV_FLAG_PROCESS;
        else if (strcmp(argv[i], "--labels") == 0)
            live->labels = atoi(argv[++i]);
        else
            return false;
    }
    live->name = argv[i];
    return i == argc - 1;
}

int main(int argc, char **argv)
{
    struct live live = {.name = NULL};
    char line[256];

    if (!parse(argc, argv, &live)) {
        fprintf(stderr, "usage: mmv-live [--count] [--labels N] [--process] NAME\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    start(&live);
    if (live.count) {
        count(&live);
    } else {
        printf("ok\n");
        while (fgets(line, sizeof(line), stdin))
            obey(&live, line);
    }
    mmv_stats_free(live.registry);
    return 0;
}
