/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "out/field.h"

#include <assert.h>
#include <stdio.h>

static void push(struct pu_out *out, const struct pu_field *field, bool list)
{
    assert(out->depth < PU_OUT_DEPTH);
    out->writer->open(out, field, list);
    out->levels[out->depth++] = (struct pu_level){.field = field, .list = list};
}

void pu_out_object(struct pu_out *out, const struct pu_field *field)
{
    push(out, field, false);
}

void pu_out_list(struct pu_out *out, const struct pu_field *field)
{
    push(out, field, true);
}

void pu_out_end(struct pu_out *out)
{
    assert(out->depth > 0);
    out->writer->close(out);
    out->depth--;
}

void pu_out_document(struct pu_out *out, const char *tool, unsigned int version)
{
    static const struct pu_field schema_field = {"schema", NULL, NULL, PU_FORM_HIDDEN};
    static const struct pu_field version_field = {"version", NULL, NULL, PU_FORM_HIDDEN};
    char schema[64];

    snprintf(schema, sizeof(schema), "pcputils/%s", tool);
    pu_out_object(out, NULL);
    pu_out_string(out, &schema_field, schema);
    pu_out_u64(out, &version_field, version);
}
