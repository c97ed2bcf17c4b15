/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/label-set.h"

const uint32_t pu_label_levels[] = {PU_MMV_LABEL_INDOM, PU_MMV_LABEL_REGISTRY, PU_MMV_LABEL_ITEM,
                                    PU_MMV_LABEL_INSTANCE, 0};

bool pu_mmv_label_applies(const struct pu_mmv_label *label, uint32_t level,
                          const struct pu_mmv_header *header, const struct pu_mmv_metric *metric,
                          const int32_t *instance)
{
    bool indom = !pu_mmv_is_singular(metric) && label->identity == metric->serial;

    if ((label->flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL) != level)
        return false;
    switch (level) {
    case PU_MMV_LABEL_INDOM:
        return indom;
    case PU_MMV_LABEL_REGISTRY:
        return label->identity != 0 && label->identity == (uint32_t)header->cluster;
    case PU_MMV_LABEL_ITEM:
        return label->identity == metric->item;
    case PU_MMV_LABEL_INSTANCE:
        return indom && instance && label->internal == *instance;
    default:
        return false;
    }
}

void pu_label_set_add(struct pu_label_set *set, const struct pu_mmv_label_pairs *pairs)
{
    for (size_t n = 0; n < pairs->count; n++) {
        size_t i = 0;
        while (i < set->count && strcmp(set->items[i]->name, pairs->items[n].name) != 0)
            i++;
        if (i == PU_LABEL_SET_MAX) {
            set->full = true;
            continue;
        }
        set->items[i] = &pairs->items[n];
        set->count += i == set->count;
    }
}
