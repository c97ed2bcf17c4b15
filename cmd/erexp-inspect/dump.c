/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* erexp-inspect dump */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "experiment/dump-view.h"
#include "job.h"

/* What of the file is wanted. */
struct selection {
    bool has_thread;
    uint64_t thread;
    int64_t from;
    int64_t to;
};

/* Decimal or, as addresses are shown, hexadecimal. */
static bool parse_thread(const char *text, uint64_t *thread)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *thread = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && !*end;
}

/* 0 is a time as well: the start. */
static bool parse_time(const char *text, int64_t *time, struct pu_err *err)
{
    return !text || pu_time_parse_interval(text, time, err) == 0;
}

/* Returns PU_DONE, or PU_USAGE with a message. */
static int parse(const struct pu_tool *tool, const struct config *config,
                 struct selection *selection)
{
    struct pu_err err;

    *selection = (struct selection){.from = INT64_MIN, .to = INT64_MAX};
    selection->has_thread = config->thread != NULL;
    if (config->thread && !parse_thread(config->thread, &selection->thread))
        return pu_cli_usage_error(tool, "--thread: '%s' is no number", config->thread);
    if (!parse_time(config->from, &selection->from, &err))
        return pu_cli_usage_error(tool, "--from: %s", err.message);
    if (!parse_time(config->to, &selection->to, &err))
        return pu_cli_usage_error(tool, "--to: %s", err.message);
    return PU_DONE;
}

struct dump_job {
    struct job job; /* first */
    struct selection selection;
};

static int dump(struct job *job, const struct pu_exp *exp, struct pu_err *err)
{
    static const struct pu_field path = {.key = "path"};
    static const struct pu_field file = {.key = "file"};
    static const struct pu_field records = {.key = "records"};
    const struct config *config = job->config;
    const struct selection *selection = &((struct dump_job *)job)->selection;
    struct pu_dump dump = {.out = &job->out,
                           .exp = exp,
                           .file = config->file,
                           .judge = &job->judge,
                           .has_thread = selection->has_thread,
                           .thread = selection->thread,
                           .from = selection->from,
                           .to = selection->to};

    if (config->mode == JSON_LINES || (config->mode == TEXT && job->many))
        dump.prefix = exp->dir.path;
    if (config->mode == JSON) {
        pu_out_object(&job->out, NULL);
        pu_out_string(&job->out, &path, exp->dir.path);
        pu_out_string(&job->out, &file, config->file);
        pu_out_list(&job->out, &records);
    }
    int result = pu_dump_put(&dump, err);
    if (config->mode == JSON) {
        pu_out_end(&job->out);
        pu_out_end(&job->out);
    }
    if (result < 0)
        pu_err_where(err, "%s", config->file);
    return result;
}

static void release(struct dump_job *dumping)
{
    erexp_release(&dumping->job);
}

int erexp_dump(const struct pu_tool *tool, const struct pu_verb *verb, void *data, char **operands,
               size_t count)
{
    static const struct pu_field experiments = {.key = "experiments"};
    const struct config *config = data;
    PU_CLEANUP(release) struct dump_job dumping = {.job = {.tool = tool, .config = config}};
    struct job *job = &dumping.job;

    (void)verb;
    if (!config->file)
        return pu_cli_usage_error(tool, "dump needs -f/--file: which file?");
    if (count == 0)
        return pu_cli_usage_error(tool, "which experiment?");
    if (parse(tool, config, &dumping.selection) != PU_DONE)
        return PU_USAGE;
    job->many = count > 1;
    erexp_begin(job, "erexp-inspect-dump", &experiments);
    erexp_for_each(job, operands, count, NULL, dump);
    return erexp_end(job);
}
