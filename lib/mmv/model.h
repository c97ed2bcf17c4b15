/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An MMV file to be written: what is in it, apart from where it stands. mmv/spec fills it from
 * JSON, mmv/encode makes the bytes.
 */
#ifndef PU_MMV_MODEL_H
#define PU_MMV_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "mmv/format.h"

#define PU_MMV_NO_INDOM UINT32_MAX /* the serial of singular metrics */

/* A text that may be absent: `data` is NULL then. Borrowed; at most 255 bytes, none of them NUL. */
struct pu_mmv_model_indom {
    uint32_t serial;
    struct pu_span shorttext, helptext;
    size_t first, count; /* its instances, in the model's list */
};

struct pu_mmv_model_instance {
    int32_t id;
    struct pu_span name;
    size_t indom; /* index; SIZE_MAX for one that no indom leads to */
};

struct pu_mmv_model_metric {
    struct pu_span name;
    uint32_t item;
    int32_t type;
    int32_t semantics;
    uint32_t units;
    uint32_t serial; /* PU_MMV_NO_INDOM = singular */
    struct pu_span shorttext, helptext;
};

/* There are many: their size is most of what a model takes. */
struct pu_mmv_model_value {
    uint32_t metric;   /* index, as the next; files have 32 bits for their numbers of records */
    uint32_t instance; /* PU_MMV_SINGULAR: none */
    uint64_t raw;      /* the eight bytes, as a number; 32-bit types in the low half */
    union {
        int64_t extra;       /* the second field, which counts with ELAPSED */
        struct pu_span text; /* of STRING */
    };
};
#define PU_MMV_SINGULAR UINT32_MAX

struct pu_mmv_model_label {
    uint32_t flags;
    uint32_t identity;
    int32_t internal;
    struct pu_span payload; /* at most 243 bytes */
};

/* Lists are owned; what their texts point to is not. Start from zeros. */
struct pu_mmv_model {
    int32_t version; /* 0 = the lowest that fits */
    uint64_t generation;
    uint32_t flags;
    int32_t pid;
    int32_t cluster;
    struct pu_mmv_model_indom *indoms;
    size_t indom_count;
    struct pu_mmv_model_instance *instances; /* those of one indom stand together */
    size_t instance_count;
    struct pu_mmv_model_metric *metrics;
    size_t metric_count;
    struct pu_mmv_model_value *values;
    size_t value_count;
    struct pu_mmv_model_label *labels;
    size_t label_count;
};

void pu_mmv_model_free(struct pu_mmv_model *model);

#endif
