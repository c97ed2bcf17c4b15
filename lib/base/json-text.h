/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding places in the text of a JSON document without parsing it. A path is as in
 * metrics[3].units; names with escapes in the text are not recognized. Text that is no JSON leads
 * anywhere, but never outside of it.
 */
#ifndef PU_BASE_JSON_TEXT_H
#define PU_BASE_JSON_TEXT_H

#include "base/span.h"

/* Line and column, from 1, of what `path` leads to, or of the nearest thing above it. */
void pu_json_locate(struct pu_span text, const char *path, unsigned int *line,
                    unsigned int *column);

/*
 * The list that `path` leads to: all between its brackets, and the number of its elements. False
 * when there is none.
 */
bool pu_json_find_items(struct pu_span text, const char *path, struct pu_span *items,
                        size_t *count) PU_MUST_CHECK;

/* Behind the value at `at`: the comma or bracket that ends it, or `end`. */
const unsigned char *pu_json_skip_value(const unsigned char *at, const unsigned char *end);

#endif
