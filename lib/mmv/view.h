/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ways an MMV file is shown. Each takes what mmv/walk.h describes and may add to its `damage`.
 */
#ifndef PU_MMV_VIEW_H
#define PU_MMV_VIEW_H

#include "mmv/walk.h"
#include "out/field.h"
#include "out/sink.h"

/* The layout of PCP's own dumper, section by section; mmvdump(1) says where it differs. */
void pu_mmv_text_view(struct pu_sink *sink, const struct pu_mmv_view *view);

/*
 * Everything in the file, as the object {"file":PATH,...}. It stays open for members of the
 * caller's: pu_out_end() closes it. Errors: PU_E_SYSTEM (ENOMEM) when something had to be left out.
 */
int pu_mmv_json_view(struct pu_out *out, const struct pu_mmv_view *view,
                     struct pu_err *err) PU_MUST_CHECK;

/* A decoded value as a member; nothing for one of an unknown type, or a text that is lost. */
void pu_mmv_put_atom(struct pu_out *out, const struct pu_field *field,
                     const struct pu_mmv_atom *atom);

/* What stands in front of the values of pu_mmv_values_view(), and which of them are meant. */
struct pu_mmv_values {
    bool show_path;      /* in text; for programs it is always there */
    const int64_t *time; /* when the file was read, or NULL to leave it out */
};

/* One record a value: file, time, name, instance, value. */
void pu_mmv_values_view(struct pu_out *out, const struct pu_mmv_view *view,
                        const struct pu_mmv_values *how);

/* One record: `reading` of `view`, with `rate` (per second) in place of the value unless it is
 * NULL. */
void pu_mmv_value_record(struct pu_out *out, const struct pu_mmv_view *view,
                         const struct pu_mmv_values *how, const struct pu_mmv_reading *reading,
                         const double *rate);

#endif
