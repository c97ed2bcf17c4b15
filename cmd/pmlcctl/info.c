/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* status, list, new-volume, flush. */
#include <errno.h>

#include "job.h"

/* Nanoseconds. A logger needs a moment to see that its last client has gone. */
#define MOMENT 250000000

static int begin_connected(struct job *job, const struct pu_tool *tool, const struct pu_verb *verb,
                           struct config *config)
{
    int status = pmlcctl_begin(job, tool, verb, config);

    return status == PU_DONE ? pmlcctl_connect(job) : status;
}

int pmlcctl_status(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                   char **operands, size_t count)
{
    PU_CLEANUP(pmlcctl_end) struct job job;
    struct pu_logger_status about;
    struct pu_err err;
    int status = begin_connected(&job, tool, verb, config);

    (void)operands;
    (void)count;
    if (status != PU_DONE)
        return status;
    if (pu_logger_status(&job.client, &about, &err) < 0)
        return pmlcctl_error(&job, &err);
    pmlcctl_begin_output(&job, true);
    pu_logger_put_status(&job.out, &about);
    return pmlcctl_end_output(&job, PU_DONE);
}

/* A new volume needs the same right as mandatory changes. */
static int denied(const struct job *job, struct pu_err *err)
{
    int status = pmlcctl_error(job, err);

    if (status == PU_DENIED) {
        pu_err_set(err, PU_E_NONE, "its access rules do not grant \"mandatory\" here");
        pu_cli_error(job->subject, err);
    }
    return status;
}

int pmlcctl_new_volume(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                       char **operands, size_t count)
{
    static const struct pu_field block = {.key = "archive", .form = PU_FORM_BLOCK};
    static const struct pu_field volume_field = {.key = "volume"};
    PU_CLEANUP(pmlcctl_end) struct job job;
    int32_t volume;
    struct pu_err err;
    int status = begin_connected(&job, tool, verb, config);

    (void)operands;
    (void)count;
    if (status != PU_DONE)
        return status;
    if (pu_logger_new_volume(&job.client, &volume, &err) < 0)
        return denied(&job, &err);
    pmlcctl_begin_output(&job, false);
    pu_out_object(&job.out, &block);
    pu_out_i64(&job.out, &volume_field, volume);
    pu_out_end(&job.out);
    return pmlcctl_end_output(&job, PU_DONE);
}

int pmlcctl_flush(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count)
{
    PU_CLEANUP(pmlcctl_end) struct job job;
    struct pu_err err;
    int status = begin_connected(&job, tool, verb, config);

    (void)operands;
    (void)count;
    if (status != PU_DONE)
        return status;
    if (pu_logger_flush(&job.client, &err) < 0)
        return pmlcctl_error(&job, &err);
    pmlcctl_begin_output(&job, false);
    return pmlcctl_end_output(&job, PU_DONE);
}

/* --- list ------------------------------------------------------------------------------------- */

/* Why it cannot be reached, in a word. */
static const char *why_not(const struct pu_err *err)
{
    if (err->code == PU_E_DAMAGED)
        return "nonsense";
    if (err->code != PU_E_PMAPI)
        return "closed";
    switch (err->status) {
    case -EADDRINUSE:
        return "busy";
    case PU_PMCD_TIMEOUT:
        return "no-answer";
    case PU_PMCD_DENIED:
        return "denied";
    default:
        return "other";
    }
}

static const char *reach(const struct job *job, const struct pu_logger_port *port)
{
    struct pu_logger_address address = {port->socket, job->host, port->port, port->pid};
    struct pu_client client = {.fd = -1};
    struct pu_err err;

    if (port->life == PU_LOGGER_STALE || port->life == PU_LOGGER_ZOMBIE)
        return pu_logger_life_word(port->life);
    if (!port->socket && port->port == 0)
        return pu_logger_life_word(PU_LOGGER_DAMAGED);
    int result = pu_client_open(&client, &address, job->config->timeout, MOMENT, &err);
    pu_client_close(&client);
    return result == 0 ? "yes" : why_not(&err);
}

int pmlcctl_list(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                 char **operands, size_t count)
{
    static const struct pu_field loggers_field = {.key = "loggers"};
    PU_CLEANUP(pmlcctl_end) struct job job;
    int status = pmlcctl_begin(&job, tool, verb, config);

    (void)operands;
    (void)count;
    if (status == PU_DONE)
        status = pmlcctl_find(&job);
    if (status != PU_DONE)
        return status;
    pmlcctl_begin_output(&job, false);
    pu_out_list(&job.out, &loggers_field);
    for (size_t i = 0; i < job.ports.count; i++)
        pu_logger_put_port(&job.out, &job.ports.items[i], reach(&job, &job.ports.items[i]));
    pu_out_end(&job.out);
    return pmlcctl_end_output(&job, PU_DONE);
}
