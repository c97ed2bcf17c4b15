/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a run begins, fails and shows its result. */
#include "job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/time.h"

#define BUSY_WAIT (5 * PU_NANOSECONDS)

/* --- a run ------------------------------------------------------------------------------------ */

static int check_options(struct job *job)
{
    struct config *config = job->config;
    struct pu_err err;

    if (config->socket && config->port)
        return pu_cli_usage_error(job->tool, "--socket and -p/--port exclude each other");
    if (config->socket)
        config->host = NULL; /* it can only be from the environment */
    snprintf(job->host, sizeof(job->host), "localhost");
    if (config->host && pu_pmcd_host(config->host, job->host) < 0)
        return pu_cli_usage_error(job->tool, "-h/--host: '%s' names no host", config->host);
    config->patience = BUSY_WAIT;
    if (config->busy_wait && pu_time_parse_interval(config->busy_wait, &config->patience, &err) < 0)
        return pu_cli_usage_error(job->tool, "--busy-wait: %s", err.message);
    return PU_DONE;
}

int pmlcctl_begin(struct job *job, const struct pu_tool *tool, const struct pu_verb *verb,
                  struct config *config)
{
    *job = (struct job){
        .tool = tool,
        .verb = verb,
        .config = config,
        .start = pu_time_clock(),
        .context = -1,
        .client = {.fd = -1},
    };
    return check_options(job);
}

void pmlcctl_end(struct job *job)
{
    pu_client_close(&job->client);
    pu_logger_ports_free(&job->ports);
}

static void give_up(int number)
{
    static const char text[] = "pmlcctl: no answer from pmcd in time; nothing was changed\n";

    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(PU_TIMED_OUT);
}

void pmlcctl_guard(const struct job *job, int questions)
{
    int64_t span = job->config->timeout / 1000;
    struct itimerval timer = {0};

    if (questions > 0 && __builtin_mul_overflow(span, questions, &span))
        span = INT64_MAX;
    if (questions > 0) {
        signal(SIGALRM, give_up);
        timer.it_value.tv_sec = span / 1000000;
        timer.it_value.tv_usec = span % 1000000 + (span < 1000000);
    }
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

static int status_of(const struct pu_err *err)
{
    if (err->code != PU_E_PMAPI)
        return pu_cli_status(err);
    switch (err->status) {
    case -EADDRINUSE:
        return PU_BUSY;
    case -ECONNRESET:
        return PU_LOST;
    default:
        if (err->status == PU_PMCD_TIMEOUT)
            return PU_TIMED_OUT;
        return err->status == PU_PMCD_DENIED ? PU_DENIED : PU_FAILED;
    }
}

/* A process that ends closes its connections first, and is still there for a moment. */
static bool has_ended(pid_t pid)
{
    for (int tries = 0; tries < 20; tries++) {
        if (pu_logger_life(pid) != PU_LOGGER_ALIVE)
            return true;
        usleep(10000);
    }
    return false;
}

/* A connection that ended: did the logger end too? */
static void explain_loss(const struct job *job, struct pu_err *err)
{
    if (job->config->host || job->client.pid <= 0)
        return;
    pu_err_set(err, err->code, "the logger has ended the connection; its process %s",
               has_ended(job->client.pid) ? "has ended" : "is still there");
    err->status = -ECONNRESET;
}

int pmlcctl_error(const struct job *job, struct pu_err *err)
{
    int status = status_of(err);

    if (status == PU_LOST)
        explain_loss(job, err);
    pu_cli_error(job->subject[0] ? job->subject : NULL, err);
    return status;
}

int pmlcctl_pmcd_error(const char *host, const struct pu_err *err)
{
    char name[160];

    snprintf(name, sizeof(name), "pmcd of %.100s", host);
    pu_cli_error(name, err);
    return status_of(err);
}

/* --- output ----------------------------------------------------------------------------------- */

void pmlcctl_begin_output(struct job *job, bool shown)
{
    static const struct pu_field verb_field = {.key = "verb", .form = PU_FORM_HIDDEN};

    signal(SIGPIPE, SIG_DFL); /* PCP's library ignores it when it connects */
    pu_sink_to_fd(&job->sink, STDOUT_FILENO);
    if (job->config->json)
        pu_out_to_json(&job->out, &job->sink);
    else
        pu_out_to_text(&job->out, &job->sink);
    pu_out_document(&job->out, job->tool->name, 1);
    pu_out_string(&job->out, &verb_field, job->verb->name);
    if (job->view.address)
        pu_logger_put(&job->out, &job->view, shown);
}

int pmlcctl_end_output(struct job *job, int status)
{
    pu_out_end(&job->out);
    return (int)pu_status_worse((enum pu_status)status, (enum pu_status)pu_cli_flush(&job->sink));
}
