/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of one file of an experiment, one object each, written as they are read. */
#ifndef PU_EXPERIMENT_DUMP_VIEW_H
#define PU_EXPERIMENT_DUMP_VIEW_H

#include "experiment/experiment.h"
#include "out/field.h"

struct pu_dump {
    struct pu_out *out;
    const struct pu_exp *exp;
    const char *file;
    const char *prefix; /* what each record says it is from; NULL = nothing */
    struct pu_judge *judge;
    bool has_thread; /* only packets of this thread */
    uint64_t thread;
    int64_t from; /* only packets of this stretch: nanoseconds since the start */
    int64_t to;
};

/*
 * Puts one object a record; the list they stand in is the caller's. Errors: PU_E_SYSTEM when the
 * file is not there or of a kind that cannot be shown, or memory runs out.
 */
int pu_dump_put(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;

/* Begins a record: a line, with its prefix and offset. */
void pu_dump_begin(const struct pu_dump *dump, uint64_t at);

/* The parts of it. */
int pu_dump_packets(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;
int pu_dump_frames(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;
int pu_dump_xml(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;
int pu_dump_overview(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;
int pu_dump_dyntext(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;
int pu_dump_classes(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;
int pu_dump_text(const struct pu_dump *dump, struct pu_err *err) PU_MUST_CHECK;

/* A call stack as the member "stacks" of the record that is open. */
void pu_dump_stack(struct pu_out *out, const struct pu_frames *frames,
                   const struct pu_frame_packet *packet);

#endif
