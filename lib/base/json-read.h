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
#include "base/json-text.h"
#include "base/span.h"

/* The elements of a list, one after another. */
struct pu_json_items {
    size_t count;
    const json_t *list; /* borrowed; NULL for one that pu_json_parse_but() has left out */
    size_t next;
    struct pu_span rest; /* of what was left out */
};

/* A document, and where in it the reader is. Start from zeros; release with pu_json_free(). */
struct pu_json {
    struct pu_span text; /* borrowed; must stay */
    json_t *root;        /* owned */
    char path[200];      /* as in metrics[3].units */
    char **owned;        /* owned; strings that had to be made */
    size_t owned_count;
    json_t *held;               /* owned; list of values that must stay */
    const char *apart_path;     /* borrowed; the list that is empty in the tree, or NULL */
    struct pu_json_items apart; /* its elements */
};

/* Errors: PU_E_SYNTAX with line and column, for doubled members too; PU_E_SYSTEM (ENOMEM). */
int pu_json_parse(struct pu_json *json, struct pu_span text, struct pu_err *err) PU_MUST_CHECK;
void pu_json_free(struct pu_json *json);

/*
 * The same for documents with a long list, whose tree would take ten times the memory of the text:
 * the first of `lists`, paths that end with NULL, that is there is left empty. Its elements come
 * from pu_json_items(), and are not known to be JSON before; how deep they may nest is counted from
 * each of them. Therefore, when reading fails for
 * whatever reason, pu_json_blame_text() puts the error in `err` that pu_json_parse() would have
 * found, if any.
 */
int pu_json_parse_but(struct pu_json *json, struct pu_span text, const char *const *lists,
                      struct pu_err *err) PU_MUST_CHECK;
void pu_json_blame_text(const struct pu_json *json, struct pu_err *err);

/*
 * A list that is a member, as pu_json_list() below, whether it was left out or not. All `count`
 * elements must be read, each once; it is the caller's reference. NULL: an error.
 */
int pu_json_items(struct pu_json *json, const json_t *object, const char *key,
                  struct pu_json_items *items, struct pu_err *err) PU_MUST_CHECK;
json_t *pu_json_next(struct pu_json_items *items, struct pu_err *err) PU_MUST_CHECK;

/* Keeps a value, and what was borrowed from it, as long as the document. False: out of memory. */
bool pu_json_hold(struct pu_json *json, json_t *value) PU_MUST_CHECK;

/*
 * Go down: to a member, by name; to an element of the list that a member is, or (key NULL) of the
 * list itself. They return what pu_json_leave() takes to come back.
 */
size_t pu_json_enter(struct pu_json *json, const char *key);
size_t pu_json_enter_name(struct pu_json *json, struct pu_span name);
size_t pu_json_enter_item(struct pu_json *json, const char *key, size_t index);
void pu_json_leave(struct pu_json *json, size_t mark);

/* A PU_E_SYNTAX error about where the reader is. Returns -1. */
int pu_json_wrong(const struct pu_json *json, struct pu_err *err, const char *fmt, ...)
    PU_PRINTF(3, 4);

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
