/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvset: set or add to values in an MMV file that is in use. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/time.h"
#include "cli/main.h"
#include "mmv/live.h"
#include "mmv/view.h"

enum form { FORM_NONE, FORM_TEXT, FORM_JSON_LINES };

struct config {
    int form;
    bool dry_run;
};

#define AT(member) offsetof(struct config, member)

static const struct pu_option options[] = {
    {.letter = 'n',
     .name = "dry-run",
     .kind = PU_OPTION_FLAG,
     .offset = AT(dry_run),
     .help = "print the values that would be set, and set none"},
    {.letter = 'p',
     .name = "print",
     .kind = PU_OPTION_CHOICE,
     .choice = FORM_TEXT,
     .offset = AT(form),
     .group = "form",
     .help = "print each new value, as \"name[instance] value\""},
    {.letter = 'l',
     .name = "json-lines",
     .kind = PU_OPTION_CHOICE,
     .choice = FORM_JSON_LINES,
     .offset = AT(form),
     .group = "form",
     .help = "print each new value, as one JSON object a line"},
};

static const char *const examples[] = {
    "mmvset myapp queue.length=4 'http.requests[GET]+=1'",
    "echo queue.busy=start | mmvset --print myapp -",
    NULL,
};

/* One run. */
struct job {
    const struct config *config;
    struct pu_sink sink;
    struct pu_out out;
    struct pu_mmv_live live;
    struct pu_lines lines; /* of standard input */
    bool from_input;
    bool reach; /* the file can be used; if not, that is why: */
    struct pu_err reason;
    uint64_t lost, first_lost; /* lines since then */
    int status;
};

/* An assignment that could not be made; `column` is where in its line, from 1. */
static void fail(struct job *job, struct pu_err *err, size_t column)
{
    if (job->from_input && err->line == 0) {
        err->line = (unsigned int)job->lines.number;
        err->column = err->column ? err->column : (unsigned int)column;
    }
    job->status =
        pu_status_worse(job->status, pu_cli_error(job->from_input ? "-" : job->live.path, err));
}

static void print(struct job *job, const struct pu_mmv_target *target)
{
    struct pu_mmv *mmv = &job->live.file.mmv;
    const struct pu_mmv_view view = {.path = job->live.path, .mmv = mmv, .now = pu_time_now()};
    const struct pu_mmv_values how = {0};
    struct pu_mmv_metric metric =
        pu_mmv_metric(mmv, pu_mmv_value(mmv, target->offset).metric_offset);
    struct pu_mmv_reading reading;

    pu_mmv_read(&view, &metric, target->offset, &reading);
    pu_mmv_value_record(&job->out, &view, &how, &reading, NULL);
}

static void assign_one(struct job *job, const struct pu_mmv_target *target,
                       const struct pu_assignment *assignment)
{
    char name[PU_MMV_TARGET_NAME_MAX];
    struct pu_err err;

    if (pu_mmv_live_poke(&job->live, target, assignment->add, assignment->value, &err) < 0) {
        pu_err_where(&err, "%s", pu_mmv_target_name(&job->live.file.mmv, target->offset, name));
        fail(job, &err, (size_t)(assignment->value.data - assignment->target.data) + 1);
    } else if (job->config->form != FORM_NONE) {
        print(job, target);
    }
}

static void assign(struct job *job, const struct pu_assignment *assignment)
{
    const struct pu_mmv_target *targets;
    size_t count;
    struct pu_err err;

    if (pu_mmv_live_find(&job->live, assignment->target, &targets, &count, &err) < 0) {
        pu_err_where(&err, "%.*s", (int)assignment->target.size,
                     (const char *)assignment->target.data);
        fail(job, &err, 1);
        return;
    }
    for (size_t i = 0; i < count; i++)
        assign_one(job, &targets[i], assignment);
}

/* On the command line: nothing is done if one of them is wrong in itself. */
static int check_operands(const struct pu_tool *tool, char **operands, size_t count)
{
    struct pu_assignment assignment;
    struct pu_selector selector;
    struct pu_err err;

    for (size_t i = 0; i < count; i++) {
        if (!pu_assignment_split(pu_span_text(operands[i]), &assignment))
            return pu_cli_usage_error(tool, "'%s' is no METRIC=VALUE and no METRIC+=N",
                                      operands[i]);
        char *text = strndup(operands[i], assignment.target.size);
        int result = text ? pu_selector_parse(text, &selector, &err) : 0;
        pu_selector_free(&selector);
        free(text);
        if (result < 0)
            return pu_cli_usage_error(tool, "'%s', column %u: %s", operands[i], err.column,
                                      err.message);
    }
    return PU_DONE;
}

static int set_operands(struct job *job, char **operands, size_t count)
{
    struct pu_assignment assignment;
    struct pu_err err;

    for (size_t i = 0; i < count; i++) {
        if (pu_mmv_live_refresh(&job->live, &err) < 0)
            return pu_cli_error(job->live.path, &err);
        if (pu_assignment_split(pu_span_text(operands[i]), &assignment))
            assign(job, &assignment);
    }
    return PU_DONE;
}

/* Once it cannot be used, the rest of what has been read need not try. */
static bool has_reach(struct job *job)
{
    if (job->reach)
        job->reach = pu_mmv_live_settle(&job->live, &job->reason) == 0;
    return job->reach;
}

/* A line that cannot be done for want of a file. What is lost in a row is told once. */
static void lose(struct job *job)
{
    if (job->lost++ > 0)
        return;
    job->first_lost = job->lines.number;
    job->status = pu_status_worse(job->status, pu_cli_error(job->live.path, &job->reason));
}

static void tell_lost(struct job *job)
{
    struct pu_err err;

    if (job->lost == 0)
        return;
    pu_err_set(&err, PU_E_REFUSED, "from this line on, %" PRIu64 " could not be done", job->lost);
    err.line = (unsigned int)job->first_lost;
    err.column = 1;
    pu_cli_error("-", &err);
    job->lost = 0;
}

static void do_line(struct job *job, struct pu_span line)
{
    struct pu_assignment assignment;
    struct pu_err err;

    if (job->lines.too_long) {
        pu_err_set(&err, PU_E_SYNTAX, "more than %d bytes", PU_LINES_MAX - 1);
        fail(job, &err, 1);
    } else if (line.size == 0) {
        return;
    } else if (!pu_assignment_split(line, &assignment)) {
        pu_err_set(&err, PU_E_SYNTAX, "no METRIC=VALUE and no METRIC+=N");
        fail(job, &err, 1);
    } else if (!has_reach(job)) {
        lose(job);
    } else {
        tell_lost(job);
        assign(job, &assignment);
    }
}

static int set_lines(struct job *job)
{
    struct pu_span line;
    struct pu_err err;
    int got;

    pu_lines_begin(&job->lines, STDIN_FILENO);
    while ((got = pu_lines_fill(&job->lines, &err)) > 0) {
        /* It may have been long since the last look. */
        job->reach = pu_mmv_live_refresh(&job->live, &job->reason) == 0;
        while (pu_lines_take(&job->lines, &line))
            do_line(job, line);
        (void)pu_sink_flush(&job->sink); /* the next read may wait for who reads this */
    }
    tell_lost(job);
    return got < 0 ? pu_cli_error("-", &err) : PU_DONE;
}

static int set_all(struct job *job, char **operands, size_t count)
{
    struct pu_err err;

    if (pu_mmv_live_refresh(&job->live, &err) < 0)
        return pu_cli_error(job->live.path, &err);
    return job->from_input ? set_lines(job) : set_operands(job, operands, count);
}

static int check_usage(const struct pu_tool *tool, char **operands, size_t count)
{
    if (count == 0)
        return pu_cli_usage_error(tool, "FILE is missing");
    if (strcmp(operands[0], "-") == 0)
        return pu_cli_usage_error(tool, "FILE cannot be standard input");
    if (count == 1)
        return pu_cli_usage_error(tool, "METRIC=VALUE is missing");
    if (count == 2 && strcmp(operands[1], "-") == 0)
        return PU_DONE;
    return check_operands(tool, operands + 1, count - 1);
}

static int run(const struct pu_tool *tool, void *config, char **operands, size_t count)
{
    static struct job job;
    struct config *wanted = config;
    int status = check_usage(tool, operands, count);

    if (status != PU_DONE)
        return status;
    if (wanted->dry_run && wanted->form == FORM_NONE)
        wanted->form = FORM_TEXT;
    job.config = wanted;
    job.from_input = strcmp(operands[1], "-") == 0;
    pu_sink_to_fd(&job.sink, STDOUT_FILENO);
    if (wanted->form == FORM_JSON_LINES)
        pu_out_to_json_lines(&job.out, &job.sink);
    else
        pu_out_to_text(&job.out, &job.sink);
    pu_mmv_live_begin(&job.live, operands[0], wanted->dry_run);
    status = set_all(&job, operands + 1, count - 1);
    pu_mmv_live_close(&job.live);
    status = pu_status_worse(status, job.status);
    return pu_status_worse(status, pu_cli_flush(&job.sink));
}

int main(int argc, char **argv)
{
    static const struct pu_tool tool = {
        .name = "mmvset",
        .synopsis = "FILE (METRIC=VALUE | METRIC+=N)... | FILE -",
        .purpose = "Set or add to values in an MMV file that is in use",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .examples = examples,
        .takes_operands = true,
        .run = run,
    };
    struct config config = {0};

    return pu_cli_main(&tool, argc, argv, &config);
}
