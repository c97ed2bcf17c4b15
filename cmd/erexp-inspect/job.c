/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all verbs do alike: operands, output, errors. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/scan.h"
#include "job.h"

void erexp_worsen(struct job *job, enum pu_status status)
{
    job->status = pu_status_worse(job->status, status);
}

/* What the check would call a finding; here, only what keeps something from being shown counts. */
static void take_report(struct pu_judge *judge, const struct pu_finding *finding)
{
    struct job *job = (struct job *)judge;
    struct pu_err err;

    if (!pu_exp_rule_is_loss(finding->rule))
        return;
    pu_err_set(&err, PU_E_DAMAGED, "%s", finding->message);
    err.has_offset = finding->place.has_offset;
    err.offset = finding->place.offset;
    erexp_worsen(job, pu_cli_error(finding->place.file, &err));
    pu_err_where(&err, "%s", finding->place.file);
    pu_errors_add(&job->errors, &err);
}

void erexp_begin(struct job *job, const char *schema, const struct pu_field *list)
{
    job->judge.report = take_report;
    pu_sink_to_fd(&job->sink, STDOUT_FILENO);
    if (job->config->mode == JSON)
        pu_out_to_json(&job->out, &job->sink);
    else if (job->config->mode == JSON_LINES)
        pu_out_to_json_lines(&job->out, &job->sink);
    else
        pu_out_to_text(&job->out, &job->sink);
    if (job->config->mode != JSON)
        return;
    pu_out_document(&job->out, schema, 1);
    if (list)
        pu_out_list(&job->out, list);
}

int erexp_end(struct job *job)
{
    if (job->config->mode == JSON) {
        if (job->out.depth > 1)
            pu_out_end(&job->out);
        pu_cli_put_errors(&job->out, &job->errors);
        pu_out_end(&job->out);
    }
    erexp_worsen(job, pu_cli_flush(&job->sink));
    return job->status;
}

void erexp_release(struct job *job)
{
    pu_errors_free(&job->errors);
    free(job->config->ignore.items);
}

static int one(struct job *job, const char *path, struct pu_judge *judge,
               int (*each)(struct job *job, const struct pu_exp *exp, struct pu_err *err),
               struct pu_err *err)
{
    PU_CLEANUP(pu_exp_free) struct pu_exp exp = PU_EXP_INIT;

    if (pu_exp_dir_open(path, &exp.dir, err) < 0 || pu_exp_load(&exp, judge, err) < 0)
        return -1;
    job->shown++;
    return each(job, &exp, err);
}

void erexp_for_each(struct job *job, char **operands, size_t count, struct pu_judge *judge,
                    int (*each)(struct job *job, const struct pu_exp *exp, struct pu_err *err))
{
    struct pu_err err;

    for (size_t i = 0; i < count; i++) {
        PU_CLEANUP(pu_paths_free) struct pu_paths paths = {0};
        if (pu_exp_scan(operands[i], &paths, &err) < 0)
            erexp_worsen(job, pu_cli_error(operands[i], &err));
        job->many |= paths.count > 1;
        for (size_t j = 0; j < paths.count; j++) {
            if (one(job, paths.items[j], judge, each, &err) < 0)
                erexp_worsen(job, pu_cli_error(paths.items[j], &err));
        }
    }
}

static int
with_member(struct job *job, const struct pu_exp *founder, const char *name, struct pu_judge *judge,
            int (*each)(struct job *job, const struct pu_exp *exp, void *data, struct pu_err *err),
            void *data, struct pu_err *err)
{
    PU_CLEANUP(pu_exp_free) struct pu_exp exp = PU_EXP_INIT;

    if (pu_exp_dir_open_member(&founder->dir, name, &exp.dir, err) < 0) {
        if (!exp.dir.path)
            return -1;
        pu_exp_tell_unopened(&exp, judge, err);
    }
    if (pu_exp_load(&exp, judge, err) < 0)
        return -1;
    return each(job, &exp, data, err);
}

int erexp_with_members(struct job *job, const struct pu_exp *founder, struct pu_judge *judge,
                       int (*each)(struct job *job, const struct pu_exp *exp, void *data,
                                   struct pu_err *err),
                       void *data, struct pu_err *err)
{
    if (each(job, founder, data, err) < 0)
        return -1;
    for (size_t i = 0; !erexp_is_alone(founder) && i < founder->dir.count; i++) {
        const struct pu_exp_entry *entry = &founder->dir.entries[i];
        if (pu_exp_entry_is_member(entry) &&
            with_member(job, founder, entry->name, judge, each, data, err) < 0)
            return -1;
    }
    return 0;
}
