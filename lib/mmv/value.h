/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the eight bytes of a value, and the eight beside them, mean. */
#ifndef PU_MMV_VALUE_H
#define PU_MMV_VALUE_H

#include "mmv/decode.h"

enum pu_mmv_atom_kind {
    PU_MMV_ATOM_NONE,    /* "no value", in a file with the SENTINEL flag */
    PU_MMV_ATOM_UNKNOWN, /* a type without meaning here: NOSUPPORT, or any other number */
    PU_MMV_ATOM_I64,     /* I32 and I64 */
    PU_MMV_ATOM_U64,     /* U32 and U64 */
    PU_MMV_ATOM_FLOAT,
    PU_MMV_ATOM_DOUBLE,
    PU_MMV_ATOM_TEXT,
    PU_MMV_ATOM_LOST,    /* a text that leads outside of the file; `text` holds what is inside */
    PU_MMV_ATOM_ELAPSED, /* i64: microseconds in all, a running interval included */
};

struct pu_mmv_atom {
    enum pu_mmv_atom_kind kind;
    union {
        int64_t i64;
        uint64_t u64;
        float number32;
        double number64;
        struct pu_span text; /* inside the file */
    };
};

/*
 * Decodes a value of a metric of `type`. `now`, in nanoseconds since 1970, is when running
 * intervals are looked at. "No value" is all ones in eight bytes for integers and ELAPSED, any NaN
 * for floating point (as the agent has it since PCP 6.3.1), and the empty string.
 */
struct pu_mmv_atom pu_mmv_atom(const struct pu_mmv *mmv, const struct pu_mmv_value *value,
                               int32_t type, int64_t now);

#endif
