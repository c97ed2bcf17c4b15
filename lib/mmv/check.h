/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judging MMV files as the agent (pmdammv) will read them: what it will drop, hide or mix up. The
 * rules were measured with the agents of PCP 6.0.3 and 7.2.
 *
 * Files that the agent would load together are checked against each other: a "world" holds what
 * they have exported so far, in the agent's order.
 */
#ifndef PU_MMV_CHECK_H
#define PU_MMV_CHECK_H

#include "base/err.h"
#include "base/finding.h"
#include "base/io.h"

extern const struct pu_rule pu_mmv_rules[];
extern const size_t pu_mmv_rule_count;

/* A finding of this rule about a label, or about a section of them, means that the agent never
 * shows it. */
bool pu_mmv_rule_hides_labels(const struct pu_rule *rule);

/* The agent that is meant. They differ in few things. */
enum pu_mmv_reader { PU_MMV_READER_7, PU_MMV_READER_6_0 };

struct pu_mmv_check {
    struct pu_judge *judge; /* takes the findings */
    enum pu_mmv_reader reader;
};

/*
 * Checks one file for itself. Errors, when there is nothing to judge: the file cannot be read
 * (PU_E_SYSTEM, PU_E_LIMIT) or memory runs out (PU_E_SYSTEM).
 */
int pu_mmv_check_file(const struct pu_mmv_check *check, const char *path,
                      struct pu_err *err) PU_MUST_CHECK;

/* The same for what has been read already; `path` is how findings call it. */
int pu_mmv_check_bytes(const struct pu_mmv_check *check, const char *path, struct pu_span bytes,
                       struct pu_err *err) PU_MUST_CHECK;

/*
 * Checks all files of a directory, for themselves and together. `failed` is called with `context`
 * for each file that cannot be read. Returns how many these were, or -1 with an error as above for
 * the directory.
 */
typedef void pu_mmv_failed(void *context, const char *path, const struct pu_err *err);
long pu_mmv_check_directory(const struct pu_mmv_check *check, const char *path,
                            pu_mmv_failed *failed, void *context, struct pu_err *err) PU_MUST_CHECK;

#endif
