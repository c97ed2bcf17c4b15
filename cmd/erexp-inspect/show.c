/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* erexp-inspect summary, tree */
#include "experiment/summary-view.h"
#include "experiment/tree-view.h"
#include "job.h"

static const struct pu_field experiments = {.key = "experiments"};

static int put_summary(struct job *job, const struct pu_exp *exp, void *data, struct pu_err *err)
{
    const struct pu_tree *tree = data;
    const struct pu_tree_node *node = pu_tree_find(tree, exp->dir.name);

    return pu_summary_put(&job->out, exp, tree, node ? node : &tree->nodes[0], &job->judge, err);
}

static int summarize(struct job *job, const struct pu_exp *exp, struct pu_err *err)
{
    PU_CLEANUP(pu_tree_free) struct pu_tree tree = {0};

    if (pu_tree_read(exp, erexp_is_alone(exp), &tree, err) < 0)
        return -1;
    return erexp_with_members(job, exp, &job->judge, put_summary, &tree, err);
}

int erexp_summary(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count)
{
    PU_CLEANUP(erexp_release) struct job job = {.tool = tool, .config = config};

    (void)verb;
    if (count == 0)
        return pu_cli_usage_error(tool, "which experiment?");
    erexp_begin(&job, "erexp-inspect-summary", &experiments);
    erexp_for_each(&job, operands, count, &job.judge, summarize);
    return erexp_end(&job);
}

static int show_tree(struct job *job, const struct pu_exp *exp, struct pu_err *err)
{
    PU_CLEANUP(pu_tree_free) struct pu_tree tree = {0};

    if (pu_tree_read(exp, erexp_is_alone(exp), &tree, err) < 0)
        return -1;
    if (job->config->mode == DOT)
        pu_tree_put_dot(&job->sink, exp->dir.path, &tree, job->shown);
    else
        pu_tree_put(&job->out, exp->dir.path, &tree);
    return 0;
}

int erexp_tree(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
               char **operands, size_t count)
{
    PU_CLEANUP(erexp_release) struct job job = {.tool = tool, .config = config};

    (void)verb;
    if (count == 0)
        return pu_cli_usage_error(tool, "which experiment?");
    erexp_begin(&job, "erexp-inspect-tree", &experiments);
    if (job.config->mode == DOT)
        pu_sink_text(&job.sink, "digraph processes {\n");
    erexp_for_each(&job, operands, count, &job.judge, show_tree);
    if (job.config->mode == DOT)
        pu_sink_text(&job.sink, "}\n");
    return erexp_end(&job);
}
