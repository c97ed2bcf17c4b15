/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of any version as one of version 3 with a section for labels. Nothing is taken apart and
 * put together again: everything moves, in its order and with what lies between, and every offset
 * goes along. Only the records of version 1 that hold names are written anew.
 */
#ifndef PU_MMV_UPGRADE_H
#define PU_MMV_UPGRADE_H

#include "base/buf.h"
#include "mmv/decode.h"

/*
 * `mmv` must be in the byte order of the host and without damage, and have at most one section of
 * labels; `bytes` must be empty. Offsets that lead nowhere are kept as they are: check the result
 * with pu_mmv_same(). Errors: PU_E_NONE for sections that overlap and
 * for names without end, PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_upgrade(struct pu_mmv *mmv, struct pu_buf *bytes, struct pu_err *err) PU_MUST_CHECK;

/*
 * Do both files say the same, but for labels? Everything is compared that readers can see and that
 * can be got at through a record: also what nobody asks for, but for bytes between the fields.
 */
bool pu_mmv_same(struct pu_mmv *a, struct pu_mmv *b);

#endif
