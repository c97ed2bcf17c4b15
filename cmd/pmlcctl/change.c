/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* query, and the five changes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "job.h"

#define MILLISECOND INT64_C(1000000)
#define FLOOR       10 /* milliseconds; below it a logger does little else */
#define FILE_MAX    (UINT64_C(1) << 26)

/* --- what is wished --------------------------------------------------------------------------- */

static const struct pu_wish wishes[] = {
    [MANDATORY_ON] = {PU_LOG_MANDATORY, PU_LOG_ON, 0},
    [MANDATORY_OFF] = {PU_LOG_MANDATORY, PU_LOG_OFF, 0},
    [MANDATORY_MAYBE] = {PU_LOG_MANDATORY, PU_LOG_MAYBE, 0},
    [ADVISORY_ON] = {PU_LOG_ADVISORY, PU_LOG_ON, 0},
    [ADVISORY_OFF] = {PU_LOG_ADVISORY, PU_LOG_OFF, 0},
};

static int read_interval(const struct job *job, uint32_t *delta)
{
    const char *text = job->config->interval;
    int64_t interval;
    struct pu_err err;

    if (!text)
        return pu_cli_usage_error(job->tool, "'%s' needs -t/--interval: INTERVAL, or once",
                                  job->verb->name);
    *delta = 0;
    if (strcmp(text, "once") == 0)
        return PU_DONE;
    if (pu_time_parse_interval(text, &interval, &err) < 0)
        return pu_cli_usage_error(job->tool, "-t/--interval: %s", err.message);
    if (interval == 0 || interval % MILLISECOND != 0)
        return pu_cli_usage_error(job->tool,
                                  "-t/--interval: '%s' is no number of milliseconds "
                                  "from 1 up",
                                  text);
    if (interval / MILLISECOND > PU_PMLC_MAX_DELTA)
        return pu_cli_usage_error(job->tool,
                                  "-t/--interval: '%s' is more than %ums, the most that "
                                  "a logger can show",
                                  text, PU_PMLC_MAX_DELTA);
    *delta = (uint32_t)(interval / MILLISECOND);
    if (*delta < FLOOR && !job->config->force)
        return pu_cli_usage_error(job->tool,
                                  "-t/--interval: '%s' is less than %dms: --force "
                                  "takes it",
                                  text, FLOOR);
    return PU_DONE;
}

/* --- metrics ---------------------------------------------------------------------------------- */

/* The next line, without blanks around it; empty for a comment. Cuts the text up. */
static char *next_line(char **rest)
{
    char *line = strsep(rest, "\n");
    size_t size;

    line += strspn(line, " \t\r");
    if (*line == '#')
        *line = '\0';
    size = strlen(line);
    while (size > 0 && strchr(" \t\r", line[size - 1]))
        line[--size] = '\0';
    return line;
}

static int add_lines(struct pu_plan *plan, const char *path, char *text)
{
    unsigned int number = 0;
    struct pu_err err;

    while (text) {
        const char *line = next_line(&text);
        number++;
        if (*line == '\0' || pu_plan_add(plan, line, &err) == 0)
            continue;
        err.line = number;
        return pu_cli_error(path, &err);
    }
    return PU_DONE;
}

static int add_file(struct pu_plan *plan, const char *path)
{
    struct pu_blob blob = {0};
    const struct pu_span no_magic = {0};
    struct pu_err err;

    if (pu_io_read(path, no_magic, FILE_MAX, &blob, &err) < 0)
        return pu_cli_error(path, &err);
    char *text = strndup(blob.size ? (const char *)blob.data : "", blob.size);
    int status = PU_FAILED;
    if (text && strlen(text) != blob.size) {
        pu_err_damage(&err, strlen(text), "a NUL among the names");
        status = pu_cli_error(path, &err);
    } else if (text) {
        status = add_lines(plan, path, text);
    }
    free(text);
    pu_blob_free(&blob);
    return status;
}

static int add_operands(const struct job *job, struct pu_plan *plan, char **operands, size_t count)
{
    struct pu_err err;

    if (count == 0)
        return pu_cli_usage_error(job->tool, "'%s' needs a METRIC", job->verb->name);
    for (size_t i = 0; i < count; i++) {
        int status = PU_DONE;
        if (operands[i][0] == '@')
            status = add_file(plan, operands[i] + 1);
        else if (pu_plan_add(plan, operands[i], &err) < 0)
            status = pu_cli_usage_error(job->tool, "'%s': %s (at column %u)", operands[i],
                                        err.message, err.column);
        if (status != PU_DONE)
            return status;
    }
    return PU_DONE;
}

/* --- running ---------------------------------------------------------------------------------- */

/* The worst of the items. */
static int judge(const struct pu_plan *plan)
{
    enum pu_status status = PU_DONE;

    for (size_t i = 0; i < plan->item_count; i++) {
        switch (plan->items[i].verdict) {
        case PU_VERDICT_DENIED:
            status = pu_status_worse(status, PU_DENIED);
            break;
        case PU_VERDICT_LOST:
            status = pu_status_worse(status, PU_LOST);
            break;
        case PU_VERDICT_UNKNOWN:
        case PU_VERDICT_UNSENT:
            status = pu_status_worse(status, PU_TIMED_OUT);
            break;
        default:
            if (!pu_verdict_good(plan->items[i].verdict))
                status = pu_status_worse(status, PU_NOT_AS_WISHED);
        }
    }
    return (int)status;
}

struct progress {
    int64_t start;
    bool shown;
};

/* On a terminal, and only when it takes long. */
static void show_progress(void *context, size_t done, size_t all)
{
    struct progress *progress = context;

    if (!isatty(STDERR_FILENO) || pu_time_clock() - progress->start < PU_NANOSECONDS)
        return;
    dprintf(STDERR_FILENO, "\r%zu of %zu metrics%s", done, all, done == all ? "\n" : "");
    progress->shown = done < all;
}

/* With what is missing, where the logger did not say. */
static int tell(const struct job *job, struct pu_err *err)
{
    int status = pmlcctl_error(job, err);

    if (status == PU_DENIED) {
        pu_err_set(err, PU_E_NONE, "its access rules do not grant \"%s\" here",
                   strncmp(job->verb->name, "advisory", 8) == 0 ? "advisory" : "mandatory");
        pu_cli_error(job->subject, err);
    }
    return status;
}

static int apply(struct job *job, struct pu_plan *plan)
{
    struct progress progress = {job->start, false};
    struct pu_err err;

    pu_plan_predict(plan);
    if (job->config->dry_run
            ? pu_plan_check(plan, &job->client, &err) == 0
            : pu_plan_apply(plan, &job->client, show_progress, &progress, &err) == 0)
        return PU_DONE;
    if (progress.shown)
        dprintf(STDERR_FILENO, "\n");
    return tell(job, &err);
}

/* From names to items, with the logger's answer to how they are. */
static int look(struct job *job, struct pu_plan *plan)
{
    struct pu_err err;
    int status = pmlcctl_connect(job);

    if (status == PU_DONE)
        status = pmlcctl_use_pmcd(job);
    if (status != PU_DONE)
        return status;
    pmlcctl_guard(job, 1);
    if (pu_plan_resolve(plan, &err) < 0)
        return pmlcctl_pmcd_error("the logger", &err);
    pmlcctl_guard(job, 3); /* one is pmcd's, and two have deadlines of their own */
    int result = pu_plan_enquire(plan, &job->client, &err);
    pmlcctl_guard(job, 0);
    return result < 0 ? pmlcctl_error(job, &err) : PU_DONE;
}

static int run(struct job *job, struct pu_plan *plan)
{
    int status = look(job, plan);

    if (status != PU_DONE)
        return status;
    if (plan->wish.control != PU_LOG_ENQUIRE)
        status = apply(job, plan);
    pu_client_close(&job->client);
    pmlcctl_begin_output(job, false);
    pu_plan_put(&job->out, plan);
    return pmlcctl_end_output(
        job, (int)pu_status_worse((enum pu_status)status, (enum pu_status)judge(plan)));
}

static int run_plan(const struct pu_tool *tool, const struct pu_verb *verb, struct config *config,
                    struct pu_plan *plan, char **operands, size_t count)
{
    PU_CLEANUP(pmlcctl_end) struct job job;
    int status = pmlcctl_begin(&job, tool, verb, config);

    if (status == PU_DONE && plan->wish.state == PU_LOG_ON && plan->wish.control != PU_LOG_ENQUIRE)
        status = read_interval(&job, &plan->wish.delta);
    if (status == PU_DONE)
        status = add_operands(&job, plan, operands, count);
    if (status == PU_DONE)
        status = run(&job, plan);
    return status;
}

int pmlcctl_query(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count)
{
    PU_CLEANUP(pu_plan_free) struct pu_plan plan = {.wish.control = PU_LOG_ENQUIRE};

    return run_plan(tool, verb, config, &plan, operands, count);
}

int pmlcctl_change(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count)
{
    PU_CLEANUP(pu_plan_free) struct pu_plan plan = {.wish = wishes[verb->code]};

    return run_plan(tool, verb, config, &plan, operands, count);
}
