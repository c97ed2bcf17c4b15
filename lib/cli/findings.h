/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What all checkers do with findings: leave out those that were not asked for, count and print
 * them, and make a status of it. Text is one line a finding, as compilers print and editors read
 * it:
 *
 *   FILE:OFFSET: severity: place: message; effect [rule]
 */
#ifndef PU_CLI_FINDINGS_H
#define PU_CLI_FINDINGS_H

#include "base/finding.h"
#include "cli/options.h"
#include "out/field.h"

struct pu_findings {
    struct pu_judge judge; /* first: the checker is given this */
    struct pu_out *out;    /* borrowed */
    const struct pu_rule *rules;
    size_t rule_count;
    bool *ignored;      /* owned; by rule */
    uint64_t counts[3]; /* by severity; of those that were printed */
};

/*
 * Starts with `ignore` (rules' names, or comma-separated lists of them) left out. Errors:
 * PU_E_SYNTAX for a rule that is not known, PU_E_SYSTEM (ENOMEM). Release with pu_findings_free().
 */
int pu_findings_init(struct pu_findings *findings, struct pu_out *out, const struct pu_rule *rules,
                     size_t rule_count, const struct pu_strings *ignore,
                     struct pu_err *err) PU_MUST_CHECK;
void pu_findings_free(struct pu_findings *findings);

/* The document's member "findings": open it before the checks, and end it after them. */
void pu_findings_begin(struct pu_findings *findings);
void pu_findings_end(struct pu_findings *findings); /* adds the member "summary" */

/* PU_DAMAGED when there were errors, or warnings while `strict`; PU_DONE otherwise. */
int pu_findings_status(const struct pu_findings *findings, bool strict);

/* --rules: one record a rule. */
void pu_findings_put_rules(struct pu_out *out, const struct pu_rule *rules, size_t rule_count);

#endif
