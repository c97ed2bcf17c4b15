/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which loggers there are. On this host each has a file PCP_TMP_DIR/pmlogger/PID of four lines: TCP
 * port, host that is logged, archive, note; the link "primary" beside it leads to the primary
 * logger's. Its unix socket is PCP_RUN_DIR/pmlogger.PID.socket, or in ~/.pcp/run of its user where
 * that folder was closed to it. Files, links and sockets stay behind when a logger is killed. Of
 * other hosts pmcd tells the same, in pmcd.pmlogger.*.
 */
#ifndef PU_LOGGER_FIND_H
#define PU_LOGGER_FIND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/err.h"

enum pu_logger_life {
    PU_LOGGER_ALIVE,   /* there is such a process, whatever it is; on other hosts: unknown */
    PU_LOGGER_ZOMBIE,  /* it has ended, and nobody has asked for its status */
    PU_LOGGER_STALE,   /* there is no such process */
    PU_LOGGER_DAMAGED, /* its file makes no sense */
};

struct pu_logger_port {
    pid_t pid; /* 0: a primary logger of another host, whose pid is unknown */
    bool primary;
    enum pu_logger_life life;
    uint16_t port; /* 0 = none */
    char *socket;  /* owned, as all texts; NULL = there is none */
    char *host;    /* that is logged; "" where unknown, as all texts below */
    char *archive; /* path without suffix */
    char *note;
};

/* Start from zeros; release with pu_logger_ports_free(). */
struct pu_logger_ports {
    struct pu_logger_port *items; /* owned; by pid */
    size_t count;
};

/*
 * Those of this host, all that have a file. A folder that does not exist means that there are none.
 * Errors: PU_E_SYSTEM.
 */
int pu_logger_find_local(struct pu_logger_ports *ports, struct pu_err *err) PU_MUST_CHECK;

/*
 * Those that the pmcd of a PMAPI context knows of; none have a socket. Errors: PU_E_PMAPI,
 * PU_E_SYSTEM (ENOMEM).
 */
int pu_logger_find_remote(int context, struct pu_logger_ports *ports,
                          struct pu_err *err) PU_MUST_CHECK;
void pu_logger_ports_free(struct pu_logger_ports *ports);

/* The logger of a process, or the primary one (`pid` 0), or NULL. */
const struct pu_logger_port *pu_logger_ports_get(const struct pu_logger_ports *ports, pid_t pid);

/* Is there a process of that id that is no zombie? */
enum pu_logger_life pu_logger_life(pid_t pid);

/* "alive", "zombie", "stale", "damaged". */
const char *pu_logger_life_word(enum pu_logger_life life);

#endif
