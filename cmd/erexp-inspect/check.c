/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* erexp-inspect check */
#include "experiment/check.h"
#include "job.h"

struct check_job {
    struct job job; /* first */
    struct pu_findings findings;
};

static int check_one(struct job *job, const struct pu_exp *exp, void *data, struct pu_err *err)
{
    struct check_job *check = (struct check_job *)job;
    const struct pu_tree *tree = data;
    const struct pu_tree_node *node = pu_tree_find(tree, exp->dir.name);

    return pu_exp_check(exp, tree, node ? node : &tree->nodes[0], &check->findings.judge, err);
}

static int check_founder(struct job *job, const struct pu_exp *exp, struct pu_err *err)
{
    struct check_job *check = (struct check_job *)job;
    PU_CLEANUP(pu_tree_free) struct pu_tree tree = {0};

    if (pu_tree_read(exp, erexp_is_alone(exp), &tree, err) < 0 ||
        erexp_with_members(job, exp, &check->findings.judge, check_one, &tree, err) < 0)
        return -1;
    pu_exp_check_tree(exp, &tree, &check->findings.judge);
    return 0;
}

static void check_all(struct check_job *check, char **operands, size_t count)
{
    pu_findings_begin(&check->findings);
    erexp_for_each(&check->job, operands, count, &check->findings.judge, check_founder);
    pu_findings_end(&check->findings);
    erexp_worsen(&check->job, pu_findings_status(&check->findings, check->job.config->strict));
}

static void release(struct check_job *check)
{
    pu_findings_free(&check->findings);
    erexp_release(&check->job);
}

int erexp_check(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                char **operands, size_t count)
{
    PU_CLEANUP(release) struct check_job check = {.job = {.tool = tool, .config = config}};
    struct job *job = &check.job;
    struct pu_err err;

    (void)verb;
    if (pu_findings_init(&check.findings, &job->out, pu_exp_rules, PU_EXP_RULE_COUNT,
                         &job->config->ignore, &err) < 0)
        return pu_cli_usage_error(tool, "-i/--ignore: %s", err.message);
    if (count == 0 && !job->config->rules)
        return pu_cli_usage_error(tool, "which experiment?");
    erexp_begin(job, job->config->rules ? "erexp-inspect-rules" : "erexp-inspect-check", NULL);
    if (job->config->rules)
        pu_findings_put_rules(&job->out, pu_exp_rules, PU_EXP_RULE_COUNT);
    else
        check_all(&check, operands, count);
    return erexp_end(job);
}
