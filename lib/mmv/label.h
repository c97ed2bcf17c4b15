/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The JSON text inside labels: an object, normally of one pair.
 */
#ifndef PU_MMV_LABEL_H
#define PU_MMV_LABEL_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Is it a whole JSON object, without doubled names? */
bool pu_mmv_label_is_object(struct pu_span payload);

/* Is it such an object but for the last brace? */
bool pu_mmv_label_lacks_brace(struct pu_span payload);
/* Given that it lacks the brace: does the agent take it all the same? */
bool pu_mmv_label_is_tolerated(struct pu_span payload);

/* The object, with the brace where that is all it lacks; or NULL. Release with json_decref(). */
json_t *pu_mmv_label_json(struct pu_span payload);

/* May a label be called so? `nested`: it is a flattened name, which may hold dots. */
bool pu_mmv_label_is_name(const char *name, bool nested);

struct pu_mmv_label_pair {
    char *name;   /* owned; nested objects are flattened to dotted names, as the agent does */
    char *value;  /* owned; strings as they are, everything else as JSON */
    bool is_text; /* the value is a string's */
};

struct pu_mmv_label_pairs {
    struct pu_mmv_label_pair *items; /* owned */
    size_t count;
};

/*
 * Adds the pairs of `payload` behind those that are there. A payload that is not an object adds
 * nothing. Errors: PU_E_SYSTEM (ENOMEM). Release with pu_mmv_label_pairs_free().
 */
int pu_mmv_label_merge(struct pu_mmv_label_pairs *pairs, struct pu_span payload,
                       struct pu_err *err) PU_MUST_CHECK;
void pu_mmv_label_pairs_free(struct pu_mmv_label_pairs *pairs);

#endif
