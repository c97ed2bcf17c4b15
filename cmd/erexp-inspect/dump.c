/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* erexp-inspect dump */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/dump-view.h"
#include "job.h"

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

static int dump(struct job *job, const struct pu_exp *exp, struct pu_err *err)
{
    static const struct pu_field path = {.key = "path"};
    static const struct pu_field file = {.key = "file"};
    static const struct pu_field records = {.key = "records"};
    const struct config *config = job->config;
    struct pu_dump dump = {.out = &job->out,
                           .exp = exp,
                           .file = config->file,
                           .judge = &job->judge,
                           .from = config->from,
                           .to = config->to};

    if (config->mode == JSON_LINES || (config->mode == TEXT && job->many))
        dump.prefix = exp->dir.path;
    dump.has_thread = config->thread && parse_thread(config->thread, &dump.thread);
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

int erexp_dump(const struct pu_tool *tool, const struct pu_verb *verb, void *data, char **operands,
               size_t count)
{
    static const struct pu_field experiments = {.key = "experiments"};
    const struct config *config = data;
    PU_CLEANUP(erexp_release) struct job job = {.tool = tool, .config = config};
    uint64_t thread;

    (void)verb;
    if (!config->file)
        return pu_cli_usage_error(tool, "dump needs -f/--file: which file?");
    if (count == 0)
        return pu_cli_usage_error(tool, "which experiment?");
    if (config->thread && !parse_thread(config->thread, &thread))
        return pu_cli_usage_error(tool, "--thread: '%s' is no number", config->thread);
    job.many = count > 1;
    erexp_begin(&job, "erexp-inspect-dump", &experiments);
    erexp_for_each(&job, operands, count, NULL, dump);
    return erexp_end(&job);
}
