/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which logger is meant, and the way to it. */
#include <errno.h>
#include <stdio.h>

#include "job.h"

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

/* What the user named the address by is all there is to say of the logger. */
static void take_address(struct job *job)
{
    const struct config *config = job->config;

    job->address.pid = (pid_t)config->pid;
    if (config->socket) {
        job->address.socket = config->socket;
        snprintf(job->subject, sizeof(job->subject), "%s", config->socket);
    } else {
        job->address.host = job->host;
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
             (int)port->pid, job->config->host ? " of " : "", job->config->host ? job->host : "");
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
    job->address.host = job->host;
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
    char spec[PU_PMCD_SPEC_MAX];
    struct pu_err err;

    if (pu_logger_status(&job->client, &status, &err) < 0)
        return pmlcctl_error(job, &err);
    if (!job->config->host)
        return open_pmcd(job, status.pmcd_connection);
    switch (pu_pmcd_seen_from(status.pmcd_connection, job->host, spec)) {
    case PU_PMCD_THERE:
        return job->context >= 0 ? PU_DONE : open_pmcd(job, job->config->host);
    case PU_PMCD_AT:
        return open_pmcd(job, spec);
    case PU_PMCD_ELSEWHERE:
        break;
    }
    return open_pmcd(job, status.pmcd_connection);
}
