/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has PCP's own library write a file of the given version, with all types, instances, help and
 * labels: mmv-write VERSION NAME It goes to $PCP_TMP_DIR/mmv/NAME. The library takes the lowest
 * version that fits: 2 for names of 64 bytes and more, 3 for labels.
 */
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTER 321
#define SERIAL  12
#define TYPES   8

static const char *const type_names[TYPES] = {"i32",   "u32",    "i64",    "u64",
                                              "float", "double", "string", "elapsed"};
static const int types[TYPES] = {MMV_TYPE_I32,    MMV_TYPE_U32,    MMV_TYPE_I64,
                                 MMV_TYPE_U64,    MMV_TYPE_FLOAT,  MMV_TYPE_DOUBLE,
                                 MMV_TYPE_STRING, MMV_TYPE_ELAPSED};
static const char *const instances[] = {"eth0", "eth1 (second)", "lo"};

/* The registry keeps pointers until it is started. */
static char long_names[2][128];

static void must(int result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "mmv-write: %s: %s\n", what, pmErrStr(result));
    exit(1);
}

static void add_indom(mmv_registry_t *registry, int version)
{
    must(mmv_stats_add_indom(registry, SERIAL, "interfaces", "All network interfaces there are"),
         "indom");
    /* This call returns -1 (PCP 6.0.3) though it has done its work. */
    for (int i = 0; i < 3; i++)
        mmv_stats_add_instance(registry, SERIAL, 10 * i, instances[i]);
    if (version == 1)
        return;
    memset(long_names[0], 'i', 100);
    mmv_stats_add_instance(registry, SERIAL, 99, long_names[0]);
}

/* Types and units that the agent accepts for each other; semantics in turn. */
static void add_metrics(mmv_registry_t *registry, int version)
{
    static const mmv_metric_sem_t semantics[] = {MMV_SEM_COUNTER, MMV_SEM_INSTANT,
                                                 MMV_SEM_DISCRETE};
    static char names[2 * TYPES][32];
    pmUnits none = MMV_UNITS(0, 0, 0, 0, 0, 0);
    pmUnits rate = MMV_UNITS(1, -1, 0, PM_SPACE_KBYTE, PM_TIME_SEC, 0);

    for (int i = 0; i < 2 * TYPES; i++) {
        int type = types[i % TYPES];
        bool single = i < TYPES;
        snprintf(names[i], sizeof(names[i]), "%s.%s", single ? "one" : "many",
                 type_names[i % TYPES]);
        must(mmv_stats_add_metric(registry, names[i], i + 1, type, semantics[i % 3],
                                  i % 2 ? rate : none, single ? PM_INDOM_NULL : SERIAL,
                                  i % 4 ? "short help" : NULL,
                                  i % 3 ? "Long help, in two lines" : NULL),
             names[i]);
    }
    if (version == 1)
        return;
    memset(long_names[1], 'm', 100);
    must(mmv_stats_add_metric(registry, long_names[1], 100, MMV_TYPE_U64, MMV_SEM_INSTANT, none,
                              PM_INDOM_NULL, NULL, NULL),
         "metric");
}

static void add_labels(mmv_registry_t *registry)
{
    must(mmv_stats_add_registry_label(registry, "env", "\"qa\"", MMV_STRING_TYPE, 0), "label");
    must(
        mmv_stats_add_registry_label(registry, "map", "{\"a\":1,\"b\":{\"c\":2}}", MMV_MAP_TYPE, 0),
        "label");
    must(mmv_stats_add_indom_label(registry, SERIAL, "speed", "1000", MMV_NUMBER_TYPE, 0), "label");
    must(mmv_stats_add_metric_label(registry, 1, "stable", "true", MMV_BOOLEAN_TYPE, 1), "label");
    must(mmv_stats_add_metric_label(registry, 9, "list", "[1,2]", MMV_ARRAY_TYPE, 0), "label");
    must(mmv_stats_add_instance_label(registry, SERIAL, 10, "none", "", MMV_NULL_TYPE, 0), "label");
}

static void set_values(void *map)
{
    char name[32];

    for (int i = 0; i < TYPES; i++) {
        snprintf(name, sizeof(name), "one.%s", type_names[i]);
        if (types[i] == MMV_TYPE_STRING)
            mmv_stats_set_string(map, name, "", "a text");
        else
            mmv_stats_set(map, name, "", i * 1000 + 0.5);
        snprintf(name, sizeof(name), "many.%s", type_names[i]);
        for (int n = 0; n < 3; n++) {
            if (types[i] == MMV_TYPE_STRING)
                mmv_stats_set_string(map, name, instances[n], instances[n]);
            else
                mmv_stats_set(map, name, instances[n], i * 100 + n * 10 + 0.25);
        }
    }
}

int main(int argc, char **argv)
{
    int version = argc == 3 ? atoi(argv[1]) : 0;

    if (version < 1 || version > 3) {
        fprintf(stderr, "usage: mmv-write 1|2|3 NAME\n");
        return 2;
    }
    mmv_registry_t *registry = mmv_stats_registry(argv[2], CLUSTER, 0);
    add_indom(registry, version);
    add_metrics(registry, version);
    if (version == 3)
        add_labels(registry);
    void *map = mmv_stats_start(registry);
    if (!map) {
        fprintf(stderr, "mmv-write: %s: cannot start\n", argv[2]);
        return 1;
    }
    set_values(map);
    mmv_stats_free(registry);
    return 0;
}
