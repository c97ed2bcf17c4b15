/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the words of a command line name. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/num.h"
#include "mmv/label-edit.h"
#include "mmv/names.h"

struct search {
    const struct pu_mmv *mmv;
    const char *path;
    const char *word;
    bool loose;
    struct pu_mmv_label_targets *targets;
    struct pu_err *err;
};

int pu_mmv_label_targets_add(struct pu_mmv_label_targets *targets,
                             struct pu_mmv_label_target target, struct pu_err *err)
{
    size_t count = targets->count;

    if ((count & (count - 1)) == 0) {
        struct pu_mmv_label_target *items =
            reallocarray(targets->items, count ? 2 * count : 1, sizeof(*items));
        if (!items)
            return pu_err_system(err, ENOMEM, "cannot hold what labels are for");
        targets->items = items;
    }
    targets->items[targets->count++] = target;
    return 0;
}

static int add(const struct search *search, uint32_t level, uint32_t identity, int32_t internal)
{
    struct pu_mmv_label_target target = {level, false, identity, internal};

    return pu_mmv_label_targets_add(search->targets, target, search->err);
}

static int not_there(const struct search *search, const char *what)
{
    return pu_err_set(search->err, PU_E_NONE, "there is no %s '%s'", what, search->word);
}

/* Metrics */

static int add_item(const struct search *search, uint32_t item)
{
    if (item > PU_MMV_ITEM_MAX && !search->loose)
        return pu_err_set(search->err, PU_E_NONE,
                          "PCP's agent drops the metric: its item is %" PRIu32 ", more than %d",
                          item, PU_MMV_ITEM_MAX);
    return add(search, PU_MMV_LABEL_ITEM, item, -1);
}

static int find_item(const struct search *search, uint32_t item)
{
    struct pu_mmv_records metric = pu_mmv_records(search->mmv, PU_MMV_METRICS);

    while (!search->loose) {
        if (!pu_mmv_next(&metric))
            return not_there(search, "metric with item");
        if (pu_mmv_metric(search->mmv, metric.offset).item == item)
            break;
    }
    return add_item(search, item);
}

static int match_metrics(const struct search *search, const struct pu_selector *selector)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf full = {0};
    struct pu_mmv_records record = pu_mmv_records(search->mmv, PU_MMV_METRICS);
    size_t before = search->targets->count;

    while (pu_mmv_next(&record)) {
        struct pu_mmv_metric metric = pu_mmv_metric(search->mmv, record.offset);
        full.size = 0;
        pu_mmv_full_name(&full, search->path, &search->mmv->header, metric.name);
        if (!pu_selector_has_metric(selector, metric.name) &&
            !pu_selector_has_metric(selector, pu_buf_span(&full)))
            continue;
        if (add_item(search, metric.item) < 0)
            return -1;
    }
    if (full.failed)
        return pu_err_system(search->err, ENOMEM, "cannot hold a name");
    return search->targets->count > before ? 0 : not_there(search, "metric");
}

static int find_metrics(const struct search *search)
{
    PU_CLEANUP(pu_selector_free) struct pu_selector selector = {0};
    uint64_t item;

    if (pu_num_parse_u64(search->word, UINT32_MAX, &item))
        return find_item(search, (uint32_t)item);
    if (pu_selector_parse(search->word, &selector, search->err) < 0)
        return -1;
    if (selector.instances)
        return pu_err_set(search->err, PU_E_SYNTAX,
                          "an instance has one label for all metrics: --instance SERIAL/SELECTOR");
    return match_metrics(search, &selector);
}

/* Indoms and instances */

static int find_indom(const struct search *search, uint32_t serial)
{
    struct pu_mmv_records indom = pu_mmv_records(search->mmv, PU_MMV_INDOMS);

    while (!search->loose) {
        if (!pu_mmv_next(&indom))
            return not_there(search, "indom");
        if (pu_mmv_indom(search->mmv, indom.offset).serial == serial)
            break;
    }
    return add(search, PU_MMV_LABEL_INDOM, serial, -1);
}

/* Those that `indom` leads to; `budget` keeps many indoms from leading to the same ones for ever.
 */
static int match_run(const struct search *search, const struct pu_mmv_indom *indom,
                     const struct pu_selector *selector, size_t *budget)
{
    size_t stride = pu_mmv_stride(search->mmv, PU_MMV_INSTANCES);
    uint64_t size = indom->count < 0 ? UINT64_MAX : (uint64_t)indom->count * stride;

    if (!pu_span_has(search->mmv->span, indom->instance_offset, size))
        return 0;
    for (size_t i = 0; i<(size_t)indom->count && * budget> 0; i++, --*budget) {
        struct pu_mmv_instance instance =
            pu_mmv_instance(search->mmv, indom->instance_offset + i * stride);
        if (pu_selector_has_instance(selector, instance.id, instance.name) &&
            add(search, PU_MMV_LABEL_INSTANCE, indom->serial, instance.id) < 0)
            return -1;
    }
    return 0;
}

static int match_instances(const struct search *search, uint32_t serial,
                           const struct pu_selector *selector)
{
    struct pu_mmv_records record = pu_mmv_records(search->mmv, PU_MMV_INDOMS);
    size_t before = search->targets->count;
    size_t budget = 4 * (search->mmv->span.size / pu_mmv_stride(search->mmv, PU_MMV_INSTANCES));

    while (pu_mmv_next(&record)) {
        struct pu_mmv_indom indom = pu_mmv_indom(search->mmv, record.offset);
        if (indom.serial == serial && match_run(search, &indom, selector, &budget) < 0)
            return -1;
    }
    for (size_t i = 0; search->loose && i < selector->count; i++) {
        if (selector->instances[i].pick == PU_PICK_ID &&
            add(search, PU_MMV_LABEL_INSTANCE, serial, selector->instances[i].id) < 0)
            return -1;
    }
    return search->targets->count > before ? 0 : not_there(search, "instance");
}

static int find_instances(const struct search *search)
{
    PU_CLEANUP(pu_selector_free) struct pu_selector selector = {0};
    PU_CLEANUP(pu_buf_free) struct pu_buf text = {0};
    const char *slash = strchr(search->word, '/');
    uint64_t serial = 0;

    if (slash)
        pu_buf_add(&text, search->word, (size_t)(slash - search->word));
    if (!slash || !pu_num_parse_u64(pu_buf_text(&text), UINT32_MAX, &serial))
        return pu_err_set(search->err, PU_E_SYNTAX, "SERIAL/SELECTOR is due, as in 1/eth0");
    text.size = 0;
    pu_buf_printf(&text, "x[%s]", slash + 1);
    if (pu_selector_parse(pu_buf_text(&text), &selector, search->err) < 0)
        return -1;
    if (!selector.instances)
        return pu_err_set(search->err, PU_E_SYNTAX, "SERIAL/SELECTOR is due, as in 1/eth0");
    return match_instances(search, (uint32_t)serial, &selector);
}

int pu_mmv_label_find(const struct pu_mmv *mmv, const char *path, uint32_t level, const char *word,
                      bool loose, struct pu_mmv_label_targets *targets, struct pu_err *err)
{
    const struct search search = {mmv, path, word, loose, targets, err};
    uint64_t serial;

    if (level == PU_MMV_LABEL_ITEM)
        return find_metrics(&search);
    if (level == PU_MMV_LABEL_INSTANCE)
        return find_instances(&search);
    if (!pu_num_parse_u64(word, UINT32_MAX, &serial))
        return pu_err_set(err, PU_E_SYNTAX, "the serial of an indom is due, a number");
    return find_indom(&search, (uint32_t)serial);
}
