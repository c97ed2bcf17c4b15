/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* erexp-inspect archives */
#include "experiment/archives-view.h"
#include "job.h"

static int need(struct job *job, const struct pu_exp *exp, void *data, struct pu_err *err)
{
    return exp->dir.fd < 0 ? 0 : pu_archives_need(data, exp, &job->judge, err);
}

static int compare(struct job *job, const struct pu_exp *exp, struct pu_err *err)
{
    PU_CLEANUP(pu_archives_free) struct pu_archives archives = {0};

    if (erexp_is_alone(exp))
        return pu_err_set(err, PU_E_SYSTEM,
                          "a sub-experiment has no archives: name the experiment it lies in");
    if (erexp_with_members(job, exp, &job->judge, need, &archives, err) < 0 ||
        pu_archives_compare(&archives, exp, err) < 0)
        return -1;
    if (pu_archives_put(&job->out, exp->dir.path, &archives, job->config->missing, job->many))
        erexp_worsen(job, PU_DAMAGED);
    return 0;
}

int erexp_archives(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count)
{
    static const struct pu_field experiments = {.key = "experiments"};
    PU_CLEANUP(erexp_release) struct job job = {.tool = tool, .config = config};

    (void)verb;
    if (count == 0)
        return pu_cli_usage_error(tool, "which experiment?");
    job.many = count > 1;
    erexp_begin(&job, "erexp-inspect-archives", &experiments);
    erexp_for_each(&job, operands, count, NULL, compare);
    return erexp_end(&job);
}
