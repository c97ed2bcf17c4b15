/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has PCP's own library set values by their names, COUNT times in all, one metric after the other:
 *     libpcp-set PATH METRICS INSTANCES COUNT
 * It makes the file first. The names are those of mmv-big.c, and are at hand: nothing is read.
 */
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_SIZE 32

static char (*make_names(const char *prefix, size_t count))[NAME_SIZE]
{
    char(*names)[NAME_SIZE] = calloc(count, NAME_SIZE);

    for (size_t i = 0; names && i < count; i++)
        snprintf(names[i], NAME_SIZE, "%s%zu", prefix, i);
    return names;
}

int main(int argc, char **argv)
{
    pmUnits units = MMV_UNITS(0, 0, 1, 0, 0, PM_COUNT_ONE);

    if (argc != 5) {
        fprintf(stderr, "usage: libpcp-set PATH METRICS INSTANCES COUNT\n");
        return 2;
    }
    size_t metrics = strtoull(argv[2], NULL, 10);
    size_t instances = strtoull(argv[3], NULL, 10);
    size_t count = strtoull(argv[4], NULL, 10);
    char(*metric)[NAME_SIZE] = make_names("bench.metric", metrics);
    char(*instance)[NAME_SIZE] = make_names("instance-", instances);
    mmv_registry_t *registry = mmv_stats_registry(argv[1], 5, 0);
    mmv_stats_add_indom(registry, 1, NULL, NULL);
    for (size_t i = 0; i < instances; i++)
        mmv_stats_add_instance(registry, 1, (int)i, instance[i]);
    for (size_t i = 0; i < metrics; i++)
        mmv_stats_add_metric(registry, metric[i], (int)i + 1, MMV_TYPE_U64, MMV_SEM_COUNTER, units,
                             1, NULL, NULL);
    void *map = mmv_stats_start(registry);
    if (!map) {
        fprintf(stderr, "libpcp-set: cannot make %s\n", argv[1]);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = metric[i % metrics];
        const char *one = instance[i / metrics % instances];
        mmv_set_value(map, mmv_lookup_value_desc(map, name, one), (double)i);
    }
    return 0;
}
