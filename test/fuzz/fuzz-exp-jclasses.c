/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as jclasses, in both byte orders: what is handed out lies inside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/dynamic.h"
#include "fuzz.h"

static struct pu_span all;

static void check(struct pu_span part)
{
    if (part.size > 0 &&
        (part.data < all.data || part.size > (size_t)(all.data + all.size - part.data)))
        abort();
}

static bool take(void *data, const struct pu_class_record *record)
{
    (void)data;
    check(record->name);
    check(record->signature);
    check(record->source);
    if (record->at >= all.size)
        abort();
    PU_CLEANUP(pu_buf_free) struct pu_buf path = {0};
    pu_class_path(record, &path);
    if (path.size > 0 && path.data[0] != '/')
        abort();
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pu_exp_report report = {0};
    unsigned char *copy = malloc(size);

    if (size > 0)
        memcpy(copy, data, size);
    all = (struct pu_span){copy, size};
    (void)pu_classes_read(all, PU_LITTLE, &report, take, NULL);
    (void)pu_classes_read(all, PU_BIG, &report, take, NULL);
    free(copy);
    return 0;
}
