/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which logger is meant, and the way to it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/time.h"
#include "job.h"
#include "logger/pmcd.h"

#define BUSY_WAIT (5 * PU_NANOSECONDS)

/* --- a run ------------------------------------------------------------------------------------ */

static int check_options(struct job *job)
{
    struct config *config = job->config;
    struct pu_err err;

    if (config->socket && config->port)
        return pu_cli_usage_error(job->tool, "--socket and -p/--port exclude each other");
    config->patience = BUSY_WAIT;
    if (config->busy_wait && pu_time_parse_interval(config->busy_wait, &config->patience, &err) < 0)
        return pu_cli_usage_error(job->tool, "--busy-wait: %s", err.message);
    return PU_DONE;
}

int pmlcctl_begin(struct job *job, const struct pu_tool *tool, const struct pu_verb *verb,
                  struct config *config)
{
    *job = (struct job){
        .tool = tool, .verb = verb, .config = config, .context = -1, .client = {.fd = -1}};
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

/* A connection that ended: did the logger end too? */
static void explain_loss(const struct job *job, struct pu_err *err)
{
    if (job->config->host || job->client.pid <= 0)
        return;
    pu_err_set(err, err->code, "the logger has ended the connection; its process %s",
               pu_logger_life(job->client.pid) == PU_LOGGER_ALIVE ? "is still there" : "has ended");
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

static int open_pmcd(struct job *job, const char *host)
{
    struct pu_err err;

    pmlcctl_guard(job, 1);
    int result = pu_pmcd_open(host, &job->context, &err);
    pmlcctl_guard(job, 0);
    return result < 0 ? pmlcctl_pmcd_error(host, &err) : PU_DONE;
}

/* --- finding ---------------------------------------------------------------------------------- */

int pmlcctl_find(struct job *job)
{
    struct pu_err err;

    if (!job->config->host)
        return pu_logger_find_local(&job->ports, &err) < 0 ? pmlcctl_error(job, &err) : PU_DONE;
    int status = open_pmcd(job, job->config->host);
    if (status != PU_DONE)
        return status;
    pmlcctl_guard(job, 1);
    int result = pu_logger_find_remote(job->context, &job->ports, &err);
    pmlcctl_guard(job, 0);
    return result < 0 ? pmlcctl_pmcd_error(job->config->host, &err) : PU_DONE;
}

static const char *host_of(const struct job *job)
{
    return job->config->host ? job->config->host : "localhost";
}

/* What the user named the address by is all there is to say of the logger. */
static void take_address(struct job *job)
{
    const struct config *config = job->config;

    job->address.pid = (pid_t)config->pid;
    if (config->socket) {
        job->address.socket = config->socket;
        snprintf(job->subject, sizeof(job->subject), "%s", config->socket);
    } else {
        job->address.host = host_of(job);
        job->address.port = (uint16_t)config->port;
        snprintf(job->subject, sizeof(job->subject), "%s port %u", job->address.host,
                 job->address.port);
    }
}

static int no_logger(const struct job *job)
{
    struct pu_err err;

    if (job->config->pid)
        pu_err_set(&err, PU_E_NONE, "no logger has the process id %d", (int)job->config->pid);
    else
        pu_err_set(&err, PU_E_NONE, "there is no primary logger");
    return pu_cli_error(job->config->host, &err);
}

/* Is there any use in trying? */
static int check_port(const struct job *job, const struct pu_logger_port *port)
{
    struct pu_err err;

    if (port->life == PU_LOGGER_STALE || port->life == PU_LOGGER_ZOMBIE)
        pu_err_set(&err, PU_E_NONE, "its process has ended, and left its port file behind");
    else if (!port->socket && port->port == 0)
        pu_err_set(&err, PU_E_NONE, "it has no unix socket, and no port in its port file");
    else
        return PU_DONE;
    return pu_cli_error(job->subject, &err);
}

static int pick_port(struct job *job)
{
    const struct pu_logger_port *port = pu_logger_ports_get(&job->ports, (pid_t)job->config->pid);

    if (!port)
        return no_logger(job);
    job->view.port = port;
    job->address.pid = port->pid;
    snprintf(job->subject, sizeof(job->subject), "%slogger %d%s%s", port->primary ? "primary " : "",
             (int)port->pid, job->config->host ? " of " : "",
             job->config->host ? job->config->host : "");
    return check_port(job, port);
}

/* --- connecting ------------------------------------------------------------------------------- */

static int open_client(struct job *job, struct pu_err *err)
{
    return pu_client_open(&job->client, &job->address, job->config->timeout, job->config->patience,
                          err);
}

static bool is_unused(const struct pu_err *err)
{
    return err->code == PU_E_SYSTEM && (err->status == ECONNREFUSED || err->status == ENOENT);
}

/* By its unix socket, or where nobody listens at one, by TCP, and that is said. */
static int open_port(struct job *job, struct pu_err *err)
{
    const struct pu_logger_port *port = job->view.port;
    struct pu_err note;

    job->address.socket = port->socket;
    if (port->socket) {
        int result = open_client(job, err);
        if (result == 0 || port->port == 0 || !is_unused(err))
            return result;
    }
    job->address.socket = NULL;
    job->address.host = host_of(job);
    job->address.port = port->port;
    if (!job->config->host) {
        pu_err_set(&note, PU_E_NONE, "no unix socket: trying TCP port %u of localhost", port->port);
        pu_cli_error(job->subject, &note);
    }
    return open_client(job, err);
}

static int find_meant(struct job *job)
{
    int status = pmlcctl_find(job);

    return status == PU_DONE ? pick_port(job) : status;
}

int pmlcctl_connect(struct job *job)
{
    struct config *config = job->config;
    bool by_address = config->socket || config->port;
    struct pu_err err;

    if (config->socket)
        config->host = NULL; /* it can only be from the environment */
    if (!by_address || config->primary) {
        int status = find_meant(job);
        if (status != PU_DONE)
            return status;
    }
    if (by_address) {
        pid_t pid = job->address.pid;
        take_address(job);
        job->address.pid = config->pid ? (pid_t)config->pid : pid;
    }
    if ((by_address ? open_client(job, &err) : open_port(job, &err)) < 0)
        return pmlcctl_error(job, &err);
    job->view.address = &job->address;
    job->view.pid = job->client.pid;
    return PU_DONE;
}

int pmlcctl_use_pmcd(struct job *job)
{
    struct pu_logger_status status;
    struct pu_err err;

    if (pu_logger_status(&job->client, &status, &err) < 0)
        return pmlcctl_error(job, &err);
    const char *host = status.pmcd_connection;
    if (job->config->host && pu_pmcd_is_local(host)) {
        if (job->context >= 0)
            return PU_DONE;
        host = job->config->host;
    }
    return open_pmcd(job, host);
}

/* --- output ----------------------------------------------------------------------------------- */

void pmlcctl_begin_output(struct job *job, bool shown)
{
    static const struct pu_field verb_field = {.key = "verb", .form = PU_FORM_HIDDEN};

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
