/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/value.h"

#include <math.h>

static float as_float(uint32_t word)
{
    float number;

    memcpy(&number, &word, sizeof(number));
    return number;
}

static double as_double(uint64_t word)
{
    double number;

    memcpy(&number, &word, sizeof(number));
    return number;
}

/* A running interval has minus its start, in microseconds, in `extra`. Sums wrap as the agent's. */
static int64_t elapsed(const struct pu_mmv_value *value, int64_t now)
{
    uint64_t total = value->raw;

    if (value->extra < 0)
        total += (uint64_t)(now / 1000) + (uint64_t)value->extra;
    return (int64_t)total;
}

static struct pu_mmv_atom decode(const struct pu_mmv *mmv, const struct pu_mmv_value *value,
                                 int32_t type, int64_t now)
{
    struct pu_mmv_atom atom = {.kind = PU_MMV_ATOM_UNKNOWN};

    switch (type) {
    case PU_MMV_I32:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_I64, .i64 = (int32_t)value->word};
    case PU_MMV_U32:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_U64, .u64 = value->word};
    case PU_MMV_I64:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_I64, .i64 = (int64_t)value->raw};
    case PU_MMV_U64:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_U64, .u64 = value->raw};
    case PU_MMV_FLOAT:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_FLOAT, .number32 = as_float(value->word)};
    case PU_MMV_DOUBLE:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_DOUBLE, .number64 = as_double(value->raw)};
    case PU_MMV_STRING:
        atom.kind = pu_mmv_text(mmv, (uint64_t)value->extra, &atom.text) ? PU_MMV_ATOM_TEXT
                                                                         : PU_MMV_ATOM_LOST;
        return atom;
    case PU_MMV_ELAPSED:
        return (struct pu_mmv_atom){.kind = PU_MMV_ATOM_ELAPSED, .i64 = elapsed(value, now)};
    default:
        return atom;
    }
}

static bool is_no_value(const struct pu_mmv_atom *atom, uint64_t raw)
{
    switch (atom->kind) {
    case PU_MMV_ATOM_I64:
    case PU_MMV_ATOM_U64:
    case PU_MMV_ATOM_ELAPSED:
        return raw == UINT64_MAX;
    case PU_MMV_ATOM_FLOAT:
        return isnan(atom->number32);
    case PU_MMV_ATOM_DOUBLE:
        return isnan(atom->number64);
    case PU_MMV_ATOM_TEXT:
        return atom->text.size == 0;
    default:
        return false;
    }
}

struct pu_mmv_atom pu_mmv_atom(const struct pu_mmv *mmv, const struct pu_mmv_value *value,
                               int32_t type, int64_t now)
{
    struct pu_mmv_atom atom = decode(mmv, value, type, now);

    if ((mmv->header.flags & PU_MMV_SENTINEL) && is_no_value(&atom, value->raw))
        atom.kind = PU_MMV_ATOM_NONE;
    return atom;
}
