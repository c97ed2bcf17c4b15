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

/* Rules that were named on the command line. */
struct pu_rule_set {
    const struct pu_rule *rules; /* all there are */
    bool *has;                   /* owned; by rule */
};

/*
 * The rules that `names` (names, or comma-separated lists of them, or "all") are. Errors:
 * PU_E_SYNTAX for a rule that is not known, PU_E_SYSTEM (ENOMEM). Release with pu_rule_set_free()
 * in any case.
 */
int pu_rule_set_init(struct pu_rule_set *set, const struct pu_rule *rules, size_t rule_count,
                     const struct pu_strings *names, struct pu_err *err) PU_MUST_CHECK;
void pu_rule_set_free(struct pu_rule_set *set);

static inline bool pu_rule_set_has(const struct pu_rule_set *set, const struct pu_rule *rule)
{
    return set->has[rule - set->rules];
}

struct pu_findings {
    struct pu_judge judge;      /* first: the checker is given this */
    struct pu_out *out;         /* borrowed */
    struct pu_rule_set ignored; /* owned */
    uint64_t counts[3];         /* by severity; of those that were printed */
};

/* Starts with the rules `ignore` left out; errors as of pu_rule_set_init(). */
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
