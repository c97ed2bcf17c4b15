/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Selectors, the one way of naming metrics and instances on a command line:
 *
 *   NAME              the metric with all its instances
 *   NAME[SEL,SEL...]  some of its instances
 *
 * NAME is compared whole and case-sensitive, as a pattern if it holds '*' (any bytes) or '?' (any
 * one byte). SEL is digits, perhaps with a '-' in front: the internal id (32 bits, signed);
 * otherwise the whole external name, case-sensitive, as a pattern if it holds '*' or '?'; or a
 * JSON-quoted string, which takes every byte as it stands, and also \xHH for a byte as our text
 * shows it. Blanks around SEL are ignored; a ',' or ']' in a name needs the quotes. NAME can be
 * quoted likewise.
 */
#ifndef PU_BASE_SELECTOR_H
#define PU_BASE_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"

enum pu_pick { PU_PICK_ID, PU_PICK_NAME, PU_PICK_GLOB };

struct pu_selector_instance {
    enum pu_pick pick;
    int32_t id; /* PU_PICK_ID */
    char *name; /* owned; name_size bytes, which may hold anything */
    size_t name_size;
};

struct pu_selector {
    char *metric; /* owned; name or pattern */
    bool glob;
    struct pu_selector_instance *instances; /* owned; NULL = every instance */
    size_t count;
};

/* Release with pu_selector_free(), also after an error. Errors: PU_E_SYNTAX with the column,
 * PU_E_SYSTEM. */
int pu_selector_parse(const char *text, struct pu_selector *selector,
                      struct pu_err *err) PU_MUST_CHECK;
void pu_selector_free(struct pu_selector *selector);

bool pu_selector_has_metric(const struct pu_selector *selector, struct pu_span name);
/* Only the brackets are looked at. One with brackets never picks a value without instance. */
bool pu_selector_has_instance(const struct pu_selector *selector, int32_t id, struct pu_span name);
bool pu_selector_has_singular(const struct pu_selector *selector);

/*
 * TARGET=VALUE or TARGET+=VALUE, taken apart at the first '=' that is not in brackets or in quotes.
 * TARGET is for pu_selector_parse(); VALUE is literal.
 */
struct pu_assignment {
    struct pu_span target;
    bool add; /* it was a += */
    struct pu_span value;
};

/* False when there is no such '='. */
bool pu_assignment_split(struct pu_span text, struct pu_assignment *assignment) PU_MUST_CHECK;

/* '*' any bytes, '?' any one byte. Time: at most the product of the sizes. */
bool pu_glob_match(struct pu_span pattern, struct pu_span text);

#endif
