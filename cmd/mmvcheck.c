/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvcheck: judge MMV files as PCP's agent will read them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/findings.h"
#include "cli/main.h"
#include "mmv/check.h"
#include "mmv/load.h"

struct config {
    bool json;
    bool rules;
    bool strict;
    struct pu_strings ignore;
    int reader;
};

#define AT(member) offsetof(struct config, member)

static const struct pu_option options[] = {
    {.letter = 'j',
     .name = "json",
     .kind = PU_OPTION_FLAG,
     .offset = AT(json),
     .help = "one JSON document"},
    {.letter = 'i',
     .name = "ignore",
     .kind = PU_OPTION_LIST,
     .offset = AT(ignore),
     .argument = "RULE,...",
     .help = "leave these rules out; repeatable"},
    {.letter = 'r',
     .name = "reader",
     .kind = PU_OPTION_WORD,
     .offset = AT(reader),
     .words = (const char *const[]){"7", "6.0", NULL},
     .argument = "VERSION",
     .help = "judge as the agent of PCP 6.0 or 7 (default 7) does"},
    {.letter = 'R',
     .name = "rules",
     .kind = PU_OPTION_FLAG,
     .offset = AT(rules),
     .help = "list all rules, with what they mean, and end"},
    {.letter = 'S',
     .name = "strict",
     .kind = PU_OPTION_FLAG,
     .offset = AT(strict),
     .help = "end with status 3 for warnings too"},
};

static const char *const examples[] = {
    "mmvcheck /var/lib/pcp/tmp/mmv",
    "mmvcheck --strict --ignore cluster-auto myapp",
    NULL,
};

struct unread {
    char *path; /* owned */
    struct pu_err err;
};

/* One run. */
struct job {
    const struct config *config;
    struct pu_sink sink;
    struct pu_out out;
    struct pu_findings findings;
    struct pu_mmv_check check;
    struct unread *unread; /* owned */
    size_t unread_count;
};

/* What cannot be read is told at once, and kept for the document if there is memory for it. */
static void tell_failure(void *context, const char *path, const struct pu_err *err)
{
    struct job *job = context;
    struct unread *unread = reallocarray(job->unread, job->unread_count + 1, sizeof(*unread));
    char *copy = strdup(path);

    pu_cli_error(path, err);
    if (unread)
        job->unread = unread;
    if (unread && copy)
        unread[job->unread_count++] = (struct unread){copy, *err};
    else
        free(copy);
}

static int check_operand(struct job *job, const char *path)
{
    struct pu_err err;

    if (!pu_io_is_directory(path)) {
        if (pu_mmv_check_file(&job->check, path, &err) == 0)
            return PU_DONE;
        tell_failure(job, path, &err);
        return pu_cli_status(&err);
    }
    long unread = pu_mmv_check_directory(&job->check, path, tell_failure, job, &err);
    if (unread >= 0)
        return unread > 0 ? PU_FAILED : PU_DONE;
    tell_failure(job, path, &err);
    return pu_cli_status(&err);
}

static void put_unread(struct job *job)
{
    static const struct pu_field unread_field = {.key = "unread"};
    static const struct pu_field file_field = {.key = "file"};

    if (job->unread_count == 0)
        return;
    pu_out_list(&job->out, &unread_field);
    for (size_t i = 0; i < job->unread_count; i++) {
        const struct pu_errors errors = {&job->unread[i].err, 1, 1};
        pu_out_object(&job->out, NULL);
        pu_out_string(&job->out, &file_field, job->unread[i].path);
        pu_cli_put_errors(&job->out, &errors);
        pu_out_end(&job->out);
    }
    pu_out_end(&job->out);
}

static int check_all(struct job *job, const char *const *operands, size_t count)
{
    int status = PU_DONE;

    if (job->config->json)
        pu_out_document(&job->out, "mmvcheck", 1);
    pu_findings_begin(&job->findings);
    for (size_t i = 0; i < count; i++)
        status = pu_status_worse(status, check_operand(job, operands[i]));
    pu_findings_end(&job->findings);
    if (job->config->json) {
        put_unread(job);
        pu_out_end(&job->out);
    }
    return pu_status_worse(status, pu_findings_status(&job->findings, job->config->strict));
}

static int list_rules(struct job *job)
{
    if (job->config->json)
        pu_out_document(&job->out, "mmvcheck-rules", 1);
    pu_findings_put_rules(&job->out, pu_mmv_rules, pu_mmv_rule_count);
    if (job->config->json)
        pu_out_end(&job->out);
    return PU_DONE;
}

static void release(struct job *job)
{
    for (size_t i = 0; i < job->unread_count; i++)
        free(job->unread[i].path);
    free(job->unread);
    pu_findings_free(&job->findings);
    free(job->config->ignore.items);
}

static int run(const struct pu_tool *tool, void *config, char **operands, size_t count)
{
    char directory[PU_MMV_DIRECTORY_MAX];
    const char *all = pu_mmv_directory(directory);
    PU_CLEANUP(release) struct job job = {.config = config};
    struct pu_err err;
    int status;

    pu_sink_to_fd(&job.sink, STDOUT_FILENO);
    if (job.config->json)
        pu_out_to_json(&job.out, &job.sink);
    else
        pu_out_to_text(&job.out, &job.sink);
    if (pu_findings_init(&job.findings, &job.out, pu_mmv_rules, pu_mmv_rule_count,
                         &job.config->ignore, &err) < 0)
        return pu_cli_usage_error(tool, "-i/--ignore: %s: see --rules", err.message);
    job.check = (struct pu_mmv_check){&job.findings.judge, (enum pu_mmv_reader)job.config->reader};
    if (job.config->rules)
        status = list_rules(&job);
    else
        status = check_all(&job, count > 0 ? (const char *const *)operands : &all,
                           count > 0 ? count : 1);
    return pu_status_worse(status, pu_cli_flush(&job.sink));
}

int main(int argc, char **argv)
{
    static const struct pu_tool tool = {
        .name = "mmvcheck",
        .synopsis = "[FILE|DIRECTORY]...",
        .purpose = "Tell what PCP's agent will drop, hide or mix up in MMV files",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .examples = examples,
        .takes_operands = true,
        .run = run,
    };
    struct config config = {.reader = PU_MMV_READER_7};

    return pu_cli_main(&tool, argc, argv, &config);
}
