/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is shown of loggers and plans, as text and JSON. pmlcctl(1) describes the members. */
#ifndef PU_LOGGER_VIEW_H
#define PU_LOGGER_VIEW_H

#include "logger/find.h"
#include "logger/plan.h"
#include "out/field.h"

/* A logger that is connected to, or would be. */
struct pu_logger_view {
    const struct pu_logger_port *port; /* NULL: nothing is known but the address */
    const struct pu_logger_address *address;
    pid_t pid; /* as it said itself */
};

/* The member "logger"; `shown`: in text as well. */
void pu_logger_put(struct pu_out *out, const struct pu_logger_view *view, bool shown);

/* The member "status", a block in text. */
void pu_logger_put_status(struct pu_out *out, const struct pu_logger_status *status);

/* One of a list of loggers. `reached`: what came of the attempt to connect, a word. */
void pu_logger_put_port(struct pu_out *out, const struct pu_logger_port *port, const char *reached);

/* The member "items", one line an item in text; then, of a change, "summary". */
void pu_plan_put(struct pu_out *out, const struct pu_plan *plan);

#endif
