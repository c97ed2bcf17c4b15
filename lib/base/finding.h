/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What checkers say: rules, and findings that break them. All checkers share this shape, the
 * options that pick findings (cli/findings.h), the line form and the JSON form.
 */
#ifndef PU_BASE_FINDING_H
#define PU_BASE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

enum pu_severity {
    PU_NOTE,    /* odd and legal */
    PU_WARNING, /* shown, but not as meant */
    PU_ERROR,   /* something is lost, wrong or dangerous */
};

/* Static; a table of them is the source of --rules and of the manual page. */
struct pu_rule {
    const char *name; /* stable: lower case, words joined by '-' */
    enum pu_severity severity;
    const char *effect; /* what the reader makes of it: a sentence */
    const char *advice; /* what to change: a sentence */
};

/* Where something stands. */
struct pu_place {
    const char *file; /* borrowed; as the user gave it */
    bool has_offset;
    uint64_t offset; /* bytes from the start of the file */
    char what[200];  /* as in metric[5] "http.requests"; empty = the file as a whole */
};

struct pu_finding {
    const struct pu_rule *rule;
    struct pu_place place;
    char message[300];              /* with the numbers involved; no final stop */
    const struct pu_place *related; /* others that have a part in it */
    size_t related_count;
};

/* Who takes findings as they are made. Put it first in a struct of one's own. */
struct pu_judge {
    void (*report)(struct pu_judge *judge, const struct pu_finding *finding);
};

const char *pu_severity_word(enum pu_severity severity); /* "note", "warning", "error" */

/* The rule of that name, or NULL. */
const struct pu_rule *pu_rule_find(const struct pu_rule *rules, size_t count, const char *name);

#endif
