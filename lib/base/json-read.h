/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading JSON with jansson, with errors that say where: the path of members that leads there, and
 * line and column. Takes every form in which our own writer puts numbers and strings (pcputils(7)):
 * integers above 2^63-1 as strings, "nan" "inf" "-inf", and KEY_b64 beside KEY for exact bytes.
 */
#ifndef PU_BASE_JSON_READ_H
#define PU_BASE_JSON_READ_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* A document, and where in it the reader is. Start from zeros; release with pu_json_free(). */
struct pu_json {
    struct pu_span text; /* borrowed; must stay */
    json_t *root;        /* owned */
    char path[200];      /* as in metrics[3].units */
    char **owned;        /* owned; strings that had to be made */
    size_t owned_count;
};

/* Errors: PU_E_SYNTAX with line and column, for doubled members too; PU_E_SYSTEM (ENOMEM). */
int pu_json_parse(struct pu_json *json, struct pu_span text, struct pu_err *err) PU_MUST_CHECK;
void pu_json_free(struct pu_json *json);

/* Goes down one step, ".key" or "[3]". Returns what pu_json_leave() takes to come back. */
size_t pu_json_enter(struct pu_json *json, const char *fmt, ...) PU_PRINTF(2, 3);

/* The same as entering ".list[index]", for where this is done for each of millions. */
size_t pu_json_enter_item(struct pu_json *json, const char *list, size_t index);
void pu_json_leave(struct pu_json *json, size_t mark);

/* A PU_E_SYNTAX error about where the reader is. Returns -1. */
int pu_json_wrong(const struct pu_json *json, struct pu_err *err, const char *fmt, ...)
    PU_PRINTF(3, 4);

/* Line and column, from 1, of what `path` leads to, or of the nearest thing above it. */
void pu_json_locate(struct pu_span text, const char *path, unsigned int *line,
                    unsigned int *column);

/*
 * A slip of the pen must not pass for a default: an error when `object`, at which the reader
 * stands, has a member that is not among `known`, which ends with NULL. Names that begin with $ are
 * for other readers.
 */
int pu_json_only(struct pu_json *json, json_t *object, const char *const *known,
                 struct pu_err *err) PU_MUST_CHECK;

/*
 * Members of an object: 1 when it is there and as it should be, 0 when it is not there (the result
 * is untouched), -1 with an error when it is something else. A string is borrowed from `json`.
 */
int pu_json_text(struct pu_json *json, const json_t *object, const char *key, struct pu_span *text,
                 struct pu_err *err) PU_MUST_CHECK;
int pu_json_i64(struct pu_json *json, const json_t *object, const char *key, int64_t min,
                int64_t max, int64_t *number, struct pu_err *err) PU_MUST_CHECK;
int pu_json_u64(struct pu_json *json, const json_t *object, const char *key, uint64_t max,
                uint64_t *number, struct pu_err *err) PU_MUST_CHECK;
int pu_json_hex(struct pu_json *json, const json_t *object, const char *key, uint64_t *word,
                struct pu_err *err) PU_MUST_CHECK;
int pu_json_bool(struct pu_json *json, const json_t *object, const char *key, bool *value,
                 struct pu_err *err) PU_MUST_CHECK;
int pu_json_list(struct pu_json *json, const json_t *object, const char *key, json_t **list,
                 struct pu_err *err) PU_MUST_CHECK;

/* The same for a value that the reader stands at. */
int pu_json_value_i64(const struct pu_json *json, const json_t *value, int64_t min, int64_t max,
                      int64_t *number, struct pu_err *err) PU_MUST_CHECK;
int pu_json_value_u64(const struct pu_json *json, const json_t *value, uint64_t max,
                      uint64_t *number, struct pu_err *err) PU_MUST_CHECK;
int pu_json_value_double(const struct pu_json *json, const json_t *value, double *number,
                         struct pu_err *err) PU_MUST_CHECK;

/* A string of the document's own, to live as long as it. Takes `text` over. False: out of memory.
 */
bool pu_json_keep(struct pu_json *json, char *text) PU_MUST_CHECK;

/* A value as text without blanks, numbers with the fewest digits that read back equal. */
void pu_json_compact(struct pu_buf *to, const json_t *value);

#endif
