/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has PCP's own library create a file of METRICS x INSTANCES and fills it: the file of mmv-big.c.
 *     libpcp-fill PATH METRICS INSTANCES [lookup]
 * With "lookup" each value is found by its names, as the library offers it: it goes through all
 * values for each. Without, the values are taken in their order, as a program would that knows it.
 */
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>
#include <pcp/mmv_dev.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 32

struct plan {
    size_t metrics, instances;
    char (*metric_names)[NAME_SIZE]; /* the library keeps pointers */
    char (*instance_names)[NAME_SIZE];
};

static bool is_double(size_t metric)
{
    return metric % 4 == 3;
}

static void *start(const char *path, struct plan *plan)
{
    pmUnits count = MMV_UNITS(0, 0, 1, 0, 0, PM_COUNT_ONE);
    mmv_registry_t *registry = mmv_stats_registry(path, 5, 0);

    mmv_stats_add_indom(registry, 1, NULL, NULL);
    for (size_t i = 0; i < plan->instances; i++) {
        snprintf(plan->instance_names[i], NAME_SIZE, "instance-%zu", i);
        mmv_stats_add_instance(registry, 1, (int)i, plan->instance_names[i]);
    }
    for (size_t i = 0; i < plan->metrics; i++) {
        snprintf(plan->metric_names[i], NAME_SIZE, "bench.metric%zu", i);
        mmv_stats_add_metric(registry, plan->metric_names[i], (int)i + 1,
                             is_double(i) ? MMV_TYPE_DOUBLE : MMV_TYPE_U64, MMV_SEM_COUNTER, count,
                             1, NULL, NULL);
    }
    return mmv_stats_start(registry);
}

static void set(void *map, pmAtomValue *value, size_t metric, size_t number)
{
    if (is_double(metric))
        mmv_set_value(map, value, (double)number / 1000);
    else
        mmv_set_atomvalue(map, value, &(pmAtomValue){.ull = number});
}

/* Records of values begin with the union that the library's calls are given. */
static void fill_in_order(void *map, const struct plan *plan)
{
    const mmv_disk_header_t *header = map;
    const mmv_disk_toc_t *toc = (const void *)(header + 1);
    size_t number = 0;

    for (int32_t i = 0; i < header->tocs; i++) {
        if (toc[i].type != MMV_TOC_VALUES)
            continue;
        mmv_disk_value_t *values = (void *)((char *)map + toc[i].offset);
        for (size_t metric = 0; metric < plan->metrics; metric++)
            for (size_t n = 0; n < plan->instances; n++, number++)
                set(map, &values[number].value, metric, number);
    }
}

static void fill_by_name(void *map, const struct plan *plan)
{
    size_t number = 0;

    for (size_t metric = 0; metric < plan->metrics; metric++)
        for (size_t n = 0; n < plan->instances; n++, number++)
            set(map,
                mmv_lookup_value_desc(map, plan->metric_names[metric], plan->instance_names[n]),
                metric, number);
}

int main(int argc, char **argv)
{
    struct plan plan = {0};

    if (argc < 4) {
        fprintf(stderr, "usage: libpcp-fill PATH METRICS INSTANCES [lookup]\n");
        return 2;
    }
    plan.metrics = strtoull(argv[2], NULL, 10);
    plan.instances = strtoull(argv[3], NULL, 10);
    plan.metric_names = calloc(plan.metrics, NAME_SIZE);
    plan.instance_names = calloc(plan.instances, NAME_SIZE);
    void *map = plan.metric_names && plan.instance_names ? start(argv[1], &plan) : NULL;
    if (!map) {
        fprintf(stderr, "libpcp-fill: cannot make %s\n", argv[1]);
        return 1;
    }
    if (argc > 4)
        fill_by_name(map, &plan);
    else
        fill_in_order(map, &plan);
    return 0;
}
