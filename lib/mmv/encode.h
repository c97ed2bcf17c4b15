/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a model to the bytes of an MMV file: sections in the order of their types, strings last but
 * labels, every byte outside of defined fields zero. The same model gives the same bytes.
 */
#ifndef PU_MMV_ENCODE_H
#define PU_MMV_ENCODE_H

#include "base/buf.h"
#include "mmv/model.h"

/* Where the records of each kind went, by enum pu_mmv_kind: to find what a byte belongs to. */
struct pu_mmv_layout {
    int32_t version;
    uint64_t offsets[PU_MMV_LABELS + 1]; /* 0 = no such section */
    size_t counts[PU_MMV_LABELS + 1];
    uint64_t size;
};

/*
 * `bytes` must be empty. Errors: PU_E_SYNTAX when the model asks for a version that cannot hold it;
 * PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_encode(const struct pu_mmv_model *model, struct pu_buf *bytes,
                  struct pu_mmv_layout *layout, struct pu_err *err) PU_MUST_CHECK;

/*
 * The record that the byte at `offset` belongs to: its kind, and its number among all of it. 0 when
 * it is not in a section.
 */
int32_t pu_mmv_layout_find(const struct pu_mmv_layout *layout, uint64_t offset, size_t *index);

#endif
