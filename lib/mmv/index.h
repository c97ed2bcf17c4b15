/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building the look-up tables of mmv/decode.h. */
#ifndef PU_MMV_INDEX_H
#define PU_MMV_INDEX_H

#include "mmv/decode.h"

/* Room for `more` places. Errors: PU_E_SYSTEM (ENOMEM). */
int pu_mmv_index_reserve(struct pu_mmv_index *index, size_t more, struct pu_err *err) PU_MUST_CHECK;

/* Adds a place (there must be room), with the next number as its index. */
void pu_mmv_index_add(struct pu_mmv_index *index, uint64_t offset);

/* Call when all are added, before pu_mmv_find(). */
void pu_mmv_index_sort(struct pu_mmv_index *index);

#endif
