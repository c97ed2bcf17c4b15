/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvdump: show MMV files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "job.h"

#define AT(member) offsetof(struct config, member)

static const struct pu_option options[] = {
    {.letter = 'j',
     .name = "json",
     .kind = PU_OPTION_CHOICE,
     .offset = AT(mode),
     .choice = JSON,
     .group = "mode",
     .help = "everything, as one JSON document"},
    {.letter = 'l',
     .name = "json-lines",
     .kind = PU_OPTION_CHOICE,
     .offset = AT(mode),
     .choice = JSON_LINES,
     .group = "mode",
     .help = "values, one JSON object a line"},
    {.letter = 'v',
     .name = "values",
     .kind = PU_OPTION_CHOICE,
     .offset = AT(mode),
     .choice = VALUES,
     .group = "mode",
     .help = "values, one \"name[instance] value\" a line"},
    {.letter = 'o',
     .name = "openmetrics",
     .kind = PU_OPTION_CHOICE,
     .offset = AT(mode),
     .choice = OPENMETRICS,
     .group = "mode",
     .help = "values, as OpenMetrics text"},
    {.letter = 'm',
     .name = "metric",
     .kind = PU_OPTION_LIST,
     .offset = AT(metrics),
     .argument = "GLOB",
     .help = "only these: NAME, GLOB, NAME[INSTANCE,...]; repeatable"},
    {.letter = 'f',
     .name = "follow",
     .kind = PU_OPTION_FLAG,
     .offset = AT(follow),
     .help = "show all values, then those that change"},
    {.letter = 'r',
     .name = "rate",
     .kind = PU_OPTION_FLAG,
     .offset = AT(rates),
     .needs = "follow",
     .help = "counters as change per second"},
    {.letter = 't',
     .name = "interval",
     .kind = PU_OPTION_INTERVAL,
     .offset = AT(interval),
     .needs = "follow",
     .variable = "PCP_INTERVAL",
     .argument = "DELTA",
     .help = "look this often (default 1sec)"},
    {.letter = 's',
     .name = "samples",
     .kind = PU_OPTION_COUNT,
     .offset = AT(samples),
     .needs = "follow",
     .variable = "PCP_SAMPLES",
     .argument = "N",
     .help = "end after N looks"},
    {.name = "now",
     .kind = PU_OPTION_POINT,
     .offset = AT(now),
     .argument = "TIME",
     .help = "the time that running intervals run up to"},
};

static const char *const examples[] = {
    "mmvdump /var/lib/pcp/tmp/mmv/myapp",
    "mmvdump --values --metric 'http.*' myapp",
    "mmvdump --follow --rate --interval 2sec myapp",
    NULL,
};

static int take_operands(struct job *job, char **operands, size_t count)
{
    job->operands = calloc(count + 1, sizeof(*job->operands));
    if (!job->operands)
        return -1;
    for (size_t i = 0; i < count; i++)
        job->operands[i].path = operands[i];
    job->operand_count = count;
    return 0;
}

static bool has_stdin(const struct job *job)
{
    for (size_t i = 0; i < job->operand_count; i++) {
        if (strcmp(job->operands[i].path, "-") == 0)
            return true;
    }
    return false;
}

static int parse_selectors(struct job *job, const struct pu_tool *tool)
{
    const struct pu_strings *metrics = &job->config->metrics;
    struct pu_err err;

    job->selectors = calloc(metrics->count + 1, sizeof(*job->selectors));
    job->matched = calloc(metrics->count + 1, sizeof(*job->matched));
    if (!job->selectors || !job->matched) {
        pu_err_system(&err, ENOMEM, "cannot hold the options");
        return pu_cli_error(NULL, &err);
    }
    for (size_t i = 0; i < metrics->count; i++) {
        if (pu_selector_parse(metrics->items[i], &job->selectors[i], &err) < 0)
            return pu_cli_usage_error(tool, "-m/--metric: '%s': %s (at column %u)",
                                      metrics->items[i], err.message, err.column);
    }
    return PU_DONE;
}

static void start_output(struct job *job)
{
    pu_sink_to_fd(&job->sink, STDOUT_FILENO);
    if (job->config->mode == JSON)
        pu_out_to_json(&job->out, &job->sink);
    else if (job->config->mode == JSON_LINES)
        pu_out_to_json_lines(&job->out, &job->sink);
    else
        pu_out_to_text(&job->out, &job->sink);
}

static void release(struct job *job)
{
    for (size_t i = 0; job->selectors && i < job->config->metrics.count; i++)
        pu_selector_free(&job->selectors[i]);
    free(job->selectors);
    free(job->matched);
    free(job->operands);
    free(job->config->metrics.items);
    pu_paths_free(&job->paths);
}

/* Most likely a slip of the fingers, so it is no success. */
static void tell_unmatched(struct job *job)
{
    struct pu_err err;

    if (job->status == PU_FAILED || job->sink.error)
        return; /* they may be where we did not look */
    for (size_t i = 0; i < job->config->metrics.count; i++) {
        if (job->matched[i])
            continue;
        pu_err_set(&err, PU_E_NONE, "no metric is called '%s'", job->config->metrics.items[i]);
        mmvdump_worsen(job, pu_cli_error(NULL, &err));
    }
}

static int run(const struct pu_tool *tool, void *config, char **operands, size_t count)
{
    char directory[PU_MMV_DIRECTORY_MAX];
    char *all = directory;
    PU_CLEANUP(release) struct job job = {.config = config, .patience = PU_MMV_PATIENCE_ALL};
    struct pu_err err;

    pu_mmv_directory(directory);
    if (take_operands(&job, count > 0 ? operands : &all, count > 0 ? count : 1) < 0) {
        pu_err_system(&err, ENOMEM, "cannot start");
        return pu_cli_error(NULL, &err);
    }
    if (job.config->follow && has_stdin(&job))
        return pu_cli_usage_error(tool, "standard input cannot be followed");
    if (job.config->follow && (job.config->mode == JSON || job.config->mode == OPENMETRICS))
        return pu_cli_usage_error(tool,
                                  "-f/--follow cannot be used with -j/--json or -o/--openmetrics");
    int status = parse_selectors(&job, tool);
    if (status != PU_DONE)
        return status;
    start_output(&job);
    if (job.config->follow)
        mmvdump_follow(&job);
    else
        mmvdump_dump(&job);
    tell_unmatched(&job);
    mmvdump_worsen(&job, pu_cli_flush(&job.sink));
    return job.status;
}

int main(int argc, char **argv)
{
    static const struct pu_tool tool = {
        .name = "mmvdump",
        .synopsis = "[FILE|DIRECTORY]...",
        .purpose = "Show the metrics and values in Memory Mapped Values (MMV) files",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .examples = examples,
        .takes_operands = true,
        .run = run,
    };
    struct config config = {.interval = PU_NANOSECONDS, .now = INT64_MIN};

    return pu_cli_main(&tool, argc, argv, &config);
}
