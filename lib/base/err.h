/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one error value. The caller owns it (usually on its stack); nothing in it is allocated, so
 * filling it in cannot fail. A function that fails returns -1 and fills it; one that succeeds
 * leaves it alone. Text in it may hold bytes from a file: whoever prints it escapes it.
 */
#ifndef PU_BASE_ERR_H
#define PU_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

enum pu_code {
    PU_E_NONE = 0,
    PU_E_SYSTEM,  /* the system refused: status is errno */
    PU_E_PMAPI,   /* PCP refused: status is a PMAPI code, below zero */
    PU_E_DAMAGED, /* the input is not what it claims to be */
    PU_E_LIMIT,   /* the input is larger than we are ready to take */
    PU_E_SYNTAX,  /* text that does not parse: line and column count from 1 */
    PU_E_REFUSED, /* what was asked for is not there, or would do harm: nothing was done */
};

struct pu_err {
    enum pu_code code;
    int status;          /* errno or PMAPI code, else 0 */
    bool has_offset;     /* offset holds a place in the file */
    uint64_t offset;     /* bytes from the start of the file */
    unsigned int line;   /* 0 = unknown */
    unsigned int column; /* 0 = unknown */
    char where[128];     /* path inside the input, as in toc[2].metric[5].name; may be empty */
    char message[256];   /* what went wrong, no final stop, no newline */
};

/* Fills `err` (its place becomes unknown) and returns -1, so that `return pu_err_set(...)` reads
 * well. */
int pu_err_set(struct pu_err *err, enum pu_code code, const char *fmt, ...) PU_PRINTF(3, 4);

/* As pu_err_set() with PU_E_SYSTEM; ": " and the text of `errnum` are added to the message. */
int pu_err_system(struct pu_err *err, int errnum, const char *fmt, ...) PU_PRINTF(3, 4);

/* As pu_err_set() with PU_E_DAMAGED, at `offset` bytes from the start of the file. */
int pu_err_damage(struct pu_err *err, uint64_t offset, const char *fmt, ...) PU_PRINTF(3, 4);

/* Sets the path inside the input. Returns -1. */
int pu_err_where(struct pu_err *err, const char *fmt, ...) PU_PRINTF(2, 3);

/*
 * A bounded list of errors, for a reader that goes on after damage: the first PU_ERRORS_KEPT are
 * kept, all are counted. Start from zeros; release with pu_errors_free(). When memory runs out the
 * error is counted but not kept.
 */
#define PU_ERRORS_KEPT 20

struct pu_errors {
    struct pu_err *items; /* `kept` of them */
    size_t kept;
    uint64_t count; /* all that were added */
};

void pu_errors_add(struct pu_errors *list, const struct pu_err *err);
void pu_errors_free(struct pu_errors *list);

#endif
