/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An MMV file described in JSON, mmvspec(5): the object that mmvdump(1) writes for a file, with all
 * left out that can be worked out. Offsets, the table of contents and identifiers that the agent
 * forms are not looked at; where a word and a raw number say the same, the word counts.
 */
#ifndef PU_MMV_SPEC_H
#define PU_MMV_SPEC_H

#include "base/json-read.h"
#include "mmv/encode.h"
#include "mmv/model.h"

struct pu_mmv_spec {
    struct pu_json json;
    struct pu_mmv_model model; /* its texts are the document's */
    struct pu_span file;       /* the name that the document gives the file; empty = none */
    const char *base;          /* path of the file's object: "" or "files[0]." */
    bool values_listed;        /* in "values", in this order; not with the metrics */
    const char **label_places; /* owned; the texts are the document's: path of each label */
};

/*
 * What depends on the moment: the generation of a file without one, and the process "self" and
 * "parent" stand for.
 */
struct pu_mmv_moment {
    int64_t now; /* nanoseconds since 1970 */
    int32_t self, parent;
};

/*
 * `text` must stay as long as `spec`. Errors: PU_E_SYNTAX with path, line and column; PU_E_SYSTEM
 * (ENOMEM). Release with pu_mmv_spec_free() in any case.
 */
int pu_mmv_spec_read(struct pu_span text, const struct pu_mmv_moment *moment,
                     struct pu_mmv_spec *spec, struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_spec_free(struct pu_mmv_spec *spec);

/*
 * The path in the document of what became the byte at `offset` of the encoded file; "" where there
 * is no telling.
 */
#define PU_MMV_SPEC_PATH_MAX 200
void pu_mmv_spec_path(const struct pu_mmv_spec *spec, const struct pu_mmv_layout *layout,
                      uint64_t offset, char path[PU_MMV_SPEC_PATH_MAX]);

#endif
