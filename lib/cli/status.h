/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exit statuses, one table for all tools; pcputils(7) explains them. */
#ifndef PU_CLI_STATUS_H
#define PU_CLI_STATUS_H

enum pu_status {
    PU_DONE = 0,
    PU_FAILED = 1,  /* cannot read, write, connect; refused */
    PU_USAGE = 2,   /* the command line is wrong */
    PU_DAMAGED = 3, /* the input is damaged, or a check found something */
    PU_NOT_AS_WISHED = 4,
    PU_BUSY = 5,
    PU_TIMED_OUT = 6,
    PU_DENIED = 7,
    PU_LOST = 8,
    PU_NOT_CONFIRMED = 9,
};

/* The one that a run over many inputs ends with. */
enum pu_status pu_status_worse(enum pu_status a, enum pu_status b);

#endif
