/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as jclasses; and the paths that classes are said to come from are absolute. */
#include "experiment/dynamic.h"
#include "inside.h"

static bool take(void *data, const struct pu_class_record *record)
{
    const struct pu_span *all = data;
    PU_CLEANUP(pu_buf_free) struct pu_buf path = {0};

    fuzz_check_inside(all, record->name);
    fuzz_check_inside(all, record->signature);
    fuzz_check_inside(all, record->source);
    pu_class_path(record, &path);
    if (record->at >= all->size || (path.size > 0 && path.data[0] != '/'))
        abort();
    return true;
}

static void read_all(struct pu_span *all, enum pu_order order)
{
    struct pu_exp_report report = {0};

    (void)pu_classes_read(*all, order, &report, take, all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_both_orders(data, size, read_all);
}
