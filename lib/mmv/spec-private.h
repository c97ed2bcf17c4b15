/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of mmv/spec. */
#ifndef PU_MMV_SPEC_PRIVATE_H
#define PU_MMV_SPEC_PRIVATE_H

#include "mmv/spec.h"

struct pu_mmv_spec_reader {
    struct pu_mmv_spec *spec;
    struct pu_json *json;       /* of the spec */
    struct pu_mmv_model *model; /* of the spec */
    json_t *file;               /* the object that describes the file */
    const struct pu_mmv_moment *moment;
    struct pu_err *err;
};

/* Parts of a spec, in the order in which they are read. -1 with the error filled. */
int pu_mmv_spec_header(struct pu_mmv_spec_reader *reader) PU_MUST_CHECK;
int pu_mmv_spec_indoms(struct pu_mmv_spec_reader *reader) PU_MUST_CHECK;
int pu_mmv_spec_metrics(struct pu_mmv_spec_reader *reader) PU_MUST_CHECK;
int pu_mmv_spec_values(struct pu_mmv_spec_reader *reader) PU_MUST_CHECK;
int pu_mmv_spec_labels(struct pu_mmv_spec_reader *reader) PU_MUST_CHECK;

/* A text of the file: as pu_json_text(), but at most `max` bytes and without NUL. */
int pu_mmv_spec_text(struct pu_mmv_spec_reader *reader, const json_t *object, const char *key,
                     size_t max, struct pu_span *text) PU_MUST_CHECK;
/* The same for a value that the reader stands at. */
int pu_mmv_spec_check_text(struct pu_mmv_spec_reader *reader, struct pu_span text,
                           size_t max) PU_MUST_CHECK;

int pu_mmv_spec_no_memory(struct pu_mmv_spec_reader *reader);

/* The value of one metric, at `value` (NULL: what it is without one). */
int pu_mmv_spec_atom(struct pu_mmv_spec_reader *reader, const json_t *value, int32_t type,
                     struct pu_mmv_model_value *to) PU_MUST_CHECK;

#endif
