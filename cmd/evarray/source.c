/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where arrays come from. */

#include "base/io.h"
#include "event/file.h"
#include "event/names.h"
#include "job.h"

/* Larger files of arrays are refused. */
#define FILE_MAX (UINT64_C(1) << 32)

static int each_of_file(const char *path, struct taker *taker)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    const struct pu_span no_magic = {0};
    struct pu_event_sample sample;
    struct pu_err err;

    if (pu_io_read(path, no_magic, FILE_MAX, &blob, &err) < 0)
        return evarray_tell(taker, path, &err);
    struct pu_event_file file = pu_event_file(path, pu_blob_span(&blob));
    while (!taker->done(taker) && pu_event_file_next(&file, &sample))
        taker->take(taker, &sample);
    if (!taker->done(taker) && file.at < file.bytes.size)
        taker->extra(taker, &sample, file.bytes.size - file.at);
    return PU_DONE;
}

int evarray_each(const struct pu_tool *tool, const struct config *config, char **operands,
                 size_t count, struct taker *taker)
{
    PU_CLEANUP(pu_event_selection_free) struct pu_event_selection selection = {0};
    PU_CLEANUP(pu_event_catalog_free) struct pu_event_catalog catalog = {0};
    struct pu_err err;
    int status = PU_DONE;

    taker->catalog = NULL;
    if (config->zone)
        evarray_use_zone(config->zone);
    if (config->names && pu_pcp_names_load(config->names, &err) < 0)
        return evarray_tell(taker, config->names, &err);
    if (evarray_has_metrics(config)) {
        if (pu_event_selection_init(&selection, operands, count, &err) < 0)
            return pu_cli_usage_error(tool, "metric '%s': %s", operands[selection.count - 1],
                                      err.message);
        return config->archive ? evarray_archive(tool, config, &selection, taker)
                               : evarray_live(tool, config, &selection, taker);
    }
    if (count == 0)
        return pu_cli_usage_error(tool, "FILE is missing");
    if (config->host_zone || evarray_has_window(config))
        return pu_cli_usage_error(tool, "%s: arrays in files have neither a zone nor samples",
                                  config->host_zone ? "-z/--hostzone" : "-S, -T, -A, -O");
    pu_event_names_ask(&catalog);
    taker->catalog = config->names ? &catalog : NULL;
    for (size_t i = 0; i < count && !taker->done(taker); i++)
        status = pu_status_worse(status, each_of_file(operands[i], taker));
    taker->catalog = NULL;
    return status;
}
