/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mmv/view.h"

static const struct pu_field record_field = {.form = PU_FORM_LINE};
static const struct pu_field time_field = {.key = "time"};
static const struct pu_field file_field = {.key = "file", .form = PU_FORM_PREFIX};
static const struct pu_field quiet_file_field = {.key = "file", .form = PU_FORM_HIDDEN};
static const struct pu_field name_field = {.key = "name"};
static const struct pu_field instance_field = {.key = "instance", .form = PU_FORM_HIDDEN};
static const struct pu_field instance_name_field = {.key = "instance_name",
                                                    .form = PU_FORM_BRACKETS};
static const struct pu_field value_field = {.key = "value", .form = PU_FORM_QUOTED};
static const struct pu_field raw_field = {.key = "raw"};
static const struct pu_field rate_field = {.key = "rate", .unit = "/s", .form = PU_FORM_ROUNDED};

void pu_mmv_put_atom(struct pu_out *out, const struct pu_field *field,
                     const struct pu_mmv_atom *atom)
{
    switch (atom->kind) {
    case PU_MMV_ATOM_NONE:
        pu_out_null(out, field);
        return;
    case PU_MMV_ATOM_UNKNOWN:
    case PU_MMV_ATOM_LOST:
        return;
    case PU_MMV_ATOM_I64:
    case PU_MMV_ATOM_ELAPSED:
        pu_out_i64(out, field, atom->i64);
        return;
    case PU_MMV_ATOM_U64:
        pu_out_u64(out, field, atom->u64);
        return;
    case PU_MMV_ATOM_FLOAT:
        pu_out_float(out, field, atom->number32);
        return;
    case PU_MMV_ATOM_DOUBLE:
        pu_out_double(out, field, atom->number64);
        return;
    case PU_MMV_ATOM_TEXT:
        pu_out_bytes(out, field, atom->text);
        return;
    }
}

/* What is not there is '?' for people, and not there for programs. */
static void put_name(struct pu_out *out, const struct pu_mmv_reading *reading)
{
    static const struct pu_field no_name_field = {.key = NULL};
    static const struct pu_field no_instance_field = {.form = PU_FORM_BRACKETS};

    if (reading->metric)
        pu_out_name(out, &name_field, reading->metric->name);
    else
        pu_out_string(out, &no_name_field, "?");
    if (reading->instance_index != PU_MMV_NONE) {
        pu_out_i64(out, &instance_field, reading->instance.id);
        pu_out_select(out, &instance_name_field, reading->instance.name);
    } else if (reading->has_instance) {
        pu_out_string(out, &no_instance_field, "?");
    }
}

static void put_content(struct pu_out *out, const struct pu_mmv_reading *reading)
{
    static const struct pu_field lost_field = {.key = NULL};

    if (reading->atom.kind == PU_MMV_ATOM_UNKNOWN)
        pu_out_hex(out, &raw_field, reading->value.raw);
    else if (reading->atom.kind == PU_MMV_ATOM_LOST)
        pu_out_string(out, &lost_field, "?");
    else
        pu_mmv_put_atom(out, &value_field, &reading->atom);
}

void pu_mmv_value_record(struct pu_out *out, const struct pu_mmv_view *view,
                         const struct pu_mmv_values *how, const struct pu_mmv_reading *reading,
                         const double *rate)
{
    pu_out_object(out, &record_field);
    if (how->time)
        pu_out_time(out, &time_field, *how->time);
    pu_out_string(out, how->show_path ? &file_field : &quiet_file_field, view->path);
    put_name(out, reading);
    if (rate)
        pu_out_double(out, &rate_field, *rate);
    else
        put_content(out, reading);
    pu_out_end(out);
}

void pu_mmv_values_view(struct pu_out *out, const struct pu_mmv_view *view,
                        const struct pu_mmv_values *how)
{
    struct pu_mmv_walk walk;
    struct pu_mmv_reading reading;

    for (size_t toc = 0; toc < view->mmv->section_count; toc++) {
        if (view->mmv->sections[toc].kind != PU_MMV_VALUES)
            continue;
        pu_mmv_walk_section(&walk, view, toc);
        while (pu_mmv_walk_next(&walk, &reading))
            pu_mmv_value_record(out, view, how, &reading, NULL);
    }
}
