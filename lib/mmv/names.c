/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/time.h"
#include "pcp/words.h"

const char *pu_mmv_kind_word(int32_t kind)
{
    static const char *const words[] = {NULL,     "indoms",  "instances", "metrics",
                                        "values", "strings", "labels"};

    return kind >= PU_MMV_INDOMS && kind <= PU_MMV_LABELS ? words[kind] : NULL;
}

const char *pu_mmv_type_word(int32_t type)
{
    if (type == PU_MMV_ELAPSED)
        return "elapsed";
    if (type == PU_MMV_NOSUPPORT)
        return "nosupport";
    return pu_pcp_type_word(type);
}

const char *pu_mmv_flag_word(uint32_t bit)
{
    switch (bit) {
    case PU_MMV_NOPREFIX:
        return "noprefix";
    case PU_MMV_PROCESS:
        return "process";
    case PU_MMV_SENTINEL:
        return "sentinel";
    default:
        return NULL;
    }
}

const char *pu_mmv_label_level(uint32_t label_flags)
{
    switch (label_flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL) {
    case PU_MMV_LABEL_REGISTRY:
        return "registry";
    case PU_MMV_LABEL_INDOM:
        return "indom";
    case PU_MMV_LABEL_ITEM:
        return "item";
    case PU_MMV_LABEL_INSTANCE:
        return "instance";
    default:
        return NULL;
    }
}

void pu_mmv_full_name(struct pu_buf *to, const char *path, const struct pu_mmv_header *header,
                      struct pu_span name)
{
    const char *slash = strrchr(path, '/');

    pu_buf_add_text(to, "mmv.");
    if (!(header->flags & PU_MMV_NOPREFIX) && strcmp(path, "-") != 0) {
        pu_buf_add_text(to, slash ? slash + 1 : path);
        pu_buf_add_char(to, '.');
    }
    pu_buf_add(to, name.data, name.size);
}

static bool has_cluster(const struct pu_mmv_header *header)
{
    return header->cluster > 0 && header->cluster <= PU_MMV_CLUSTER_MAX;
}

bool pu_mmv_pmid(const struct pu_mmv_header *header, uint32_t item, char to[PU_MMV_ID_MAX])
{
    if (!has_cluster(header) || item > PU_MMV_ITEM_MAX)
        return false;
    snprintf(to, PU_MMV_ID_MAX, "%d.%" PRId32 ".%" PRIu32, PU_MMV_DOMAIN, header->cluster, item);
    return true;
}

bool pu_mmv_indom_id(const struct pu_mmv_header *header, uint32_t serial, char to[PU_MMV_ID_MAX])
{
    if (!has_cluster(header))
        return false;
    uint32_t number = ((uint32_t)header->cluster << 11 | serial) & 0x3fffff;
    snprintf(to, PU_MMV_ID_MAX, "%d.%" PRIu32, PU_MMV_DOMAIN, number);
    return true;
}

bool pu_mmv_generation_time(uint64_t generation, int64_t *time)
{
    const uint64_t first = 100000000;  /* 1973: smaller numbers are counters or tests */
    const uint64_t last = 8000000000u; /* 2223 */
    uint64_t seconds = generation;
    uint64_t microseconds = 0;

    if (generation > UINT64_C(1) << 40) {
        seconds = generation >> 32;
        microseconds = generation & UINT32_MAX;
    }
    if (seconds < first || seconds > last || microseconds > 999999)
        return false;
    *time = (int64_t)seconds * PU_NANOSECONDS + (int64_t)microseconds * 1000;
    return true;
}
