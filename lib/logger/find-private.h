/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two ways of finding loggers share. */
#ifndef PU_LOGGER_FIND_PRIVATE_H
#define PU_LOGGER_FIND_PRIVATE_H

#include "logger/find.h"

/* Takes the texts of `port` over, in any case; one that is NULL means that memory ran out. Errors:
 * PU_E_SYSTEM (ENOMEM). */
int pu_logger_ports_add(struct pu_logger_ports *ports, struct pu_logger_port *port,
                        struct pu_err *err) PU_MUST_CHECK;
int pu_logger_ports_no_memory(struct pu_err *err);
void pu_logger_port_free(struct pu_logger_port *port);
void pu_logger_ports_sort(struct pu_logger_ports *ports);

#endif
