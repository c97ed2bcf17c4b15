/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/archives-view.h"

static void put_item(struct pu_out *out, const struct pu_archive *item, bool missing,
                     const char *experiment)
{
    static const struct pu_field line = {.form = PU_FORM_LINE};
    static const struct pu_field status = {.key = "status", .form = PU_FORM_PREFIX};
    static const struct pu_field hidden_status = {.key = "status", .form = PU_FORM_HIDDEN};
    static const struct pu_field path = {.key = "path"};
    static const struct pu_field name = {.key = "archive", .form = PU_FORM_LABELLED};
    static const struct pu_field wanted = {.key = "wanted", .form = PU_FORM_HIDDEN};
    static const struct pu_field size = {.key = "bytes", .form = PU_FORM_LABELLED};
    static const struct pu_field hidden_size = {.key = "bytes", .form = PU_FORM_HIDDEN};
    static const struct pu_field hidden_name = {.key = "archive", .form = PU_FORM_HIDDEN};
    static const struct pu_field mtime = {.key = "modified", .form = PU_FORM_HIDDEN};
    static const struct pu_field prefix = {.form = PU_FORM_PREFIX};

    pu_out_object(out, &line);
    if (experiment)
        pu_out_string(out, &prefix, experiment);
    pu_out_string(out, missing ? &hidden_status : &status, pu_archive_status_word(item->status));
    if (*item->path)
        pu_out_string(out, &path, item->path);
    if (*item->wanted)
        pu_out_string(out, &wanted, item->wanted);
    if (*item->name) {
        pu_out_string(out, missing ? &hidden_name : &name, item->name);
        pu_out_u64(out, missing ? &hidden_size : &size, item->size);
        pu_out_time(out, &mtime, item->mtime);
    }
    pu_out_end(out);
}

bool pu_archives_put(struct pu_out *out, const char *path, const struct pu_archives *archives,
                     bool missing, bool many)
{
    static const struct pu_field path_field = {.key = "path", .form = PU_FORM_HIDDEN};
    static const struct pu_field objects = {.key = "objects"};
    bool bad = false;

    pu_out_object(out, NULL);
    pu_out_string(out, &path_field, path);
    pu_out_list(out, &objects);
    for (size_t i = 0; i < archives->count; i++) {
        bad |= pu_archive_is_bad(&archives->items[i]);
        if (!missing || pu_archive_is_bad(&archives->items[i]))
            put_item(out, &archives->items[i], missing, many && !missing ? path : NULL);
    }
    pu_out_end(out);
    pu_out_end(out);
    return bad;
}
