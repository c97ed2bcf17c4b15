/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A connection to a pmlogger's control port. Every step has a deadline: to connect, the logger's
 * first words, to send, each answer.
 *
 * A logger serves one client at a time, and refuses others at once. It speaks first: its protocol
 * version, or why it refuses. Only an acceptance carries its process id, so a refusal is looked at
 * before the id is.
 *
 * Errors of all functions here, besides PU_E_DAMAGED for an answer that makes no sense (offset in
 * the message) and PU_E_SYSTEM, are of code PU_E_PMAPI with status
 *   -EADDRINUSE        busy: another client is connected
 *   PM_ERR_PERMISSION  the logger's access rules, or on a unix socket another user's logger
 *   PM_ERR_TIMEOUT     a deadline has passed: what the logger made of a change is unknown
 *   -ECONNRESET        the connection ended: the logger ended, or threw us out
 *   PM_ERR_NOTHOST     another logger has answered; nothing was sent to it
 * or what else the logger says. After an error other than PM_ERR_PERMISSION the connection is of no
 * more use.
 */
#ifndef PU_LOGGER_CLIENT_H
#define PU_LOGGER_CLIENT_H

#include <sys/types.h>

#include "logger/wire.h"

struct pu_logger_address {
    const char *socket; /* path of a unix socket; NULL = TCP */
    const char *host;   /* TCP */
    uint16_t port;
    pid_t pid; /* whom to expect; 0 = whoever answers */
};

struct pu_client {
    int fd;
    pid_t pid;       /* of the logger, as it says */
    int version;     /* of the protocol: 2 or 3 */
    int64_t timeout; /* nanoseconds for each step */
    struct pu_buf out;
    struct pu_buf in; /* the last answer */
};

/*
 * Connects, and for up to `busy_wait` nanoseconds (0 = not at all) tries again while another client
 * is connected. PU_E_SYSTEM: nobody listens, no such host. (Resolving a host's name has no
 * deadline.) Release with pu_client_close() in any case.
 */
int pu_client_open(struct pu_client *client, const struct pu_logger_address *address,
                   int64_t timeout, int64_t busy_wait, struct pu_err *err) PU_MUST_CHECK;
void pu_client_close(struct pu_client *client);

/* Sends `out`, and empties it. */
int pu_client_send(struct pu_client *client, struct pu_err *err) PU_MUST_CHECK;

/* Waits for an answer, whole, in `in`. It is one of the `types` (0 ends them), or an error that the
 * logger reports and that becomes ours. An ERROR among the types: its code is 0 or more. */
int pu_client_receive(struct pu_client *client, const uint32_t *types,
                      struct pu_logger_header *header, struct pu_err *err) PU_MUST_CHECK;

#endif
