/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of an experiment with their sizes, and what is in those that hold packets. */
#ifndef PU_EXPERIMENT_FILES_VIEW_H
#define PU_EXPERIMENT_FILES_VIEW_H

#include "experiment/experiment.h"
#include "out/field.h"

/*
 * Members "files", "bytes", "disk" and "last_written" of the object that is open. `last_packet`
 * becomes the latest time of all packets, in nanoseconds since the start; -1 = none. What is wrong
 * is reported. Errors: PU_E_SYSTEM when memory runs out.
 */
int pu_files_put(struct pu_out *out, const struct pu_exp *exp, struct pu_judge *judge,
                 int64_t *last_packet, struct pu_err *err) PU_MUST_CHECK;

#endif
