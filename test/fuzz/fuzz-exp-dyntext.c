/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as dyntext. */
#include "experiment/dynamic.h"
#include "inside.h"

static bool take(void *data, const struct pu_dynamic *dynamic)
{
    const struct pu_span *all = data;

    fuzz_check_inside(all, dynamic->code);
    fuzz_check_inside(all, dynamic->lines);
    fuzz_check_inside(all, dynamic->source);
    if (dynamic->at >= all->size)
        abort();
    return true;
}

static void read_all(struct pu_span *all, enum pu_order order)
{
    struct pu_exp_report report = {0};

    (void)pu_dynamic_read(*all, order, &report, take, all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_both_orders(data, size, read_all);
}
