/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/catalog.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"

#define FIRST_SLOTS 64

/* Where a PMID is, or the free slot where it belongs. There is always a free one. */
static struct pu_event_metric **slot_of(struct pu_event_metric **slots, size_t count, uint32_t pmid)
{
    size_t at = (size_t)(pmid * UINT32_C(2654435761)) & (count - 1);

    while (slots[at] && slots[at]->pmid != pmid)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

/* Half of the slots stay free. */
static int make_room(struct pu_event_catalog *catalog, struct pu_err *err)
{
    size_t count = catalog->slot_count ? catalog->slot_count * 2 : FIRST_SLOTS;

    if (catalog->metric_count < catalog->slot_count / 2)
        return 0;
    struct pu_event_metric **slots = calloc(count, sizeof(*slots));
    if (!slots)
        return pu_err_system(err, ENOMEM, "cannot hold the metrics");
    for (size_t i = 0; i < catalog->slot_count; i++) {
        if (catalog->slots[i])
            *slot_of(slots, count, catalog->slots[i]->pmid) = catalog->slots[i];
    }
    free(catalog->slots);
    catalog->slots = slots;
    catalog->slot_count = count;
    return 0;
}

const struct pu_event_metric *pu_event_catalog_find(struct pu_event_catalog *catalog, uint32_t pmid)
{
    const struct pu_event_metric *found = NULL;

    if (catalog->slot_count)
        found = *slot_of(catalog->slots, catalog->slot_count, pmid);
    if (!found && catalog->ask) {
        catalog->ask(catalog, pmid);
        if (catalog->slot_count)
            found = *slot_of(catalog->slots, catalog->slot_count, pmid);
    }
    return found;
}

/* The names stand behind the metric, in the same piece of memory. */
static struct pu_event_metric *copy_metric(const struct pu_event_metric *metric)
{
    struct pu_event_metric *copy = malloc(sizeof(*copy) + metric->names.size + 1);

    if (!copy)
        return NULL;
    char *names = (char *)(copy + 1);
    if (metric->names.size > 0)
        memcpy(names, metric->names.data, metric->names.size);
    names[metric->names.size] = '\0';
    *copy = *metric;
    copy->names = (struct pu_span){(const unsigned char *)names, metric->names.size};
    copy->name = pu_span_until_nul(copy->names);
    return copy;
}

int pu_event_catalog_add(struct pu_event_catalog *catalog, const struct pu_event_metric *metric,
                         const struct pu_event_metric **added, struct pu_err *err)
{
    if (make_room(catalog, err) < 0)
        return -1;
    struct pu_event_metric **slot = slot_of(catalog->slots, catalog->slot_count, metric->pmid);
    if (!*slot) {
        *slot = copy_metric(metric);
        if (!*slot)
            return pu_err_system(err, ENOMEM, "cannot hold the metrics");
        catalog->metric_count++;
    }
    if (added)
        *added = *slot;
    return 0;
}

const struct pu_event_metric *pu_event_catalog_walk(const struct pu_event_catalog *catalog,
                                                    size_t *at)
{
    while (*at < catalog->slot_count) {
        const struct pu_event_metric *metric = catalog->slots[(*at)++];
        if (metric)
            return metric;
    }
    return NULL;
}

static int instance_room(struct pu_event_catalog *catalog)
{
    size_t capacity = catalog->instance_capacity ? catalog->instance_capacity * 2 : 16;

    if (catalog->instance_count < catalog->instance_capacity)
        return 0;
    struct pu_event_instance *instances =
        reallocarray(catalog->instances, capacity, sizeof(*instances));
    if (!instances)
        return -1;
    catalog->instances = instances;
    catalog->instance_capacity = capacity;
    return 0;
}

int pu_event_catalog_add_instance(struct pu_event_catalog *catalog, uint32_t indom, int32_t id,
                                  int64_t from, struct pu_span name, struct pu_err *err)
{
    unsigned char *copy = instance_room(catalog) < 0 ? NULL : malloc(name.size + 1);

    if (!copy)
        return pu_err_system(err, ENOMEM, "cannot hold the instances");
    if (name.size > 0)
        memcpy(copy, name.data, name.size);
    catalog->instances[catalog->instance_count++] =
        (struct pu_event_instance){indom, id, from, {copy, name.size}};
    catalog->sorted = false;
    return 0;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_instance_and_time(const void *a, const void *b)
{
    const struct pu_event_instance *x = a;
    const struct pu_event_instance *y = b;

    if (x->indom != y->indom)
        return order(x->indom, y->indom);
    return x->id != y->id ? order(x->id, y->id) : order(x->from, y->from);
}

static int later_than(const void *element, const void *key)
{
    return by_instance_and_time(element, key) > 0 ? 1 : -1;
}

static bool is_of(const struct pu_event_instance *instance, uint32_t indom, int32_t id)
{
    return instance->indom == indom && instance->id == id;
}

struct pu_span pu_event_catalog_instance(struct pu_event_catalog *catalog, uint32_t indom,
                                         int32_t id, int64_t at)
{
    const struct pu_event_instance wanted = {.indom = indom, .id = id, .from = at};
    const struct pu_event_instance *instances = catalog->instances;
    size_t count = catalog->instance_count;

    if (!catalog->sorted && count > 0)
        qsort(catalog->instances, catalog->instance_count, sizeof(*instances),
              by_instance_and_time);
    catalog->sorted = true;
    size_t later = pu_lower_bound(&wanted, instances, count, sizeof(*instances), later_than);
    if (later > 0 && is_of(&instances[later - 1], indom, id))
        return instances[later - 1].name;
    if (later < count && is_of(&instances[later], indom, id))
        return instances[later].name;
    return (struct pu_span){0};
}

void pu_event_catalog_free(struct pu_event_catalog *catalog)
{
    for (size_t i = 0; i < catalog->slot_count; i++)
        free(catalog->slots[i]);
    for (size_t i = 0; i < catalog->instance_count; i++)
        free((void *)(uintptr_t)catalog->instances[i].name.data);
    free(catalog->slots);
    free(catalog->instances);
    memset(catalog, 0, sizeof(*catalog));
}

size_t pu_event_pmid_text(char to[PU_EVENT_PMID_MAX], uint32_t pmid)
{
    const uint32_t parts[] = {pmid >> 22 & 0x1ff, pmid >> 10 & 0xfff, pmid & 0x3ff};
    size_t size = 0;

    if (pmid >> 31) { /* the three numbers have no place for this bit */
        size = pu_num_hex(to, pmid);
        to[size] = '\0';
        return size;
    }
    for (int i = 0; i < 3; i++) {
        size += pu_num_u64(to + size, parts[i]);
        to[size++] = i < 2 ? '.' : '\0';
    }
    return size - 1;
}

struct pu_span pu_event_metric_label(const struct pu_event_metric *metric,
                                     char pmid[PU_EVENT_PMID_MAX])
{
    if (metric->name.size > 0)
        return metric->name;
    return (struct pu_span){(const unsigned char *)pmid, pu_event_pmid_text(pmid, metric->pmid)};
}

static bool parse_hex(struct pu_span digits, uint32_t *pmid)
{
    static const char all[] = "0123456789abcdef";

    *pmid = 0;
    for (size_t i = 0; i < digits.size; i++) {
        const char *digit = digits.data[i] ? strchr(all, digits.data[i]) : NULL;
        if (!digit)
            return false;
        *pmid = *pmid << 4 | (uint32_t)(digit - all);
    }
    return digits.size > 0 && digits.size <= 8;
}

bool pu_event_pmid_parse(struct pu_span text, uint32_t *pmid)
{
    static const uint32_t limits[] = {0x1ff, 0xfff, 0x3ff};
    uint32_t parts[3] = {0};
    size_t at = 0;

    if (text.size > 2 && memcmp(text.data, "0x", 2) == 0)
        return parse_hex((struct pu_span){text.data + 2, text.size - 2}, pmid);
    for (int i = 0; i < 3; i++) {
        size_t start = at;
        for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
            parts[i] = parts[i] * 10 + (uint32_t)(text.data[at] - '0');
            if (parts[i] > limits[i])
                return false;
        }
        if (at == start || (i < 2 && (at == text.size || text.data[at++] != '.')))
            return false;
    }
    *pmid = parts[0] << 22 | parts[1] << 10 | parts[2];
    return at == text.size;
}
