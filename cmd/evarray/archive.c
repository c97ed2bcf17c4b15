/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays from an archive. */
#include "base/pace.h"
#include "event/names.h"
#include "job.h"

/* Metrics that were asked for, and are not there or have no arrays. */
static int check_names(const struct pu_event_archive *archive, const char *name,
                       struct taker *taker)
{
    const struct pu_event_selection *selection = archive->selection;
    int status = PU_DONE;
    struct pu_err err;

    for (size_t i = 0; i < selection->count; i++) {
        const struct pu_event_metric *metric;
        bool there = false;
        bool event = false;
        uint32_t pmid;
        for (size_t at = 0; (metric = pu_event_catalog_walk(&archive->catalog, &at));) {
            bool named = pu_event_selection_names(selection, i, metric);
            there |= named;
            event |= named && (pu_event_is_event(metric) || metric->type < 0);
        }
        if (event || (!there && pu_event_pmid_parse(pu_span_text(selection->texts[i]), &pmid)))
            continue;
        pu_err_set(&err, PU_E_NONE, there ? "%s has no event arrays" : "no metric %s",
                   selection->texts[i]);
        status = evarray_tell(taker, name, &err);
    }
    return status;
}

static int set_window(const struct pu_tool *tool, const struct config *config,
                      struct pu_event_archive *archive, struct taker *taker)
{
    char zone[PU_EVENT_ZONE_MAX];
    struct pu_err err;

    if (config->host_zone && pu_event_archive_zone(archive, zone, &err) < 0)
        return evarray_tell(taker, archive->volumes.items[0], &err);
    if (config->host_zone)
        evarray_use_zone(zone);
    if (pu_event_archive_window(archive, &config->times, &err) == 0)
        return PU_DONE;
    return err.code == PU_E_SYNTAX ? evarray_window_error(tool, &err)
                                   : evarray_tell(taker, pu_event_archive_file(archive), &err);
}

static bool is_enough(const struct config *config, const struct pu_event_archive *archive)
{
    return config->samples > 0 && archive->records > config->samples;
}

/* Nothing new: wait for it, unless there will be none. */
static bool wait_for_more(const struct config *config, struct taker *taker, struct timespec *next)
{
    if (!config->follow || taker->done(taker))
        return false;
    taker->pause(taker);
    pu_pace_wait(next, config->interval);
    return true;
}

static void read_all(const struct config *config, struct pu_event_archive *archive,
                     struct taker *taker)
{
    struct timespec next = pu_pace_start();
    struct pu_event_sample sample;
    struct pu_err err;

    while (!taker->done(taker)) {
        int result = pu_event_archive_next(archive, &sample, &err);
        if (is_enough(config, archive))
            break;
        if (result > 0)
            taker->take(taker, &sample);
        else if (result < 0)
            taker->fail(taker, pu_event_archive_file(archive), &err);
        else if ((config->samples > 0 && archive->records == config->samples) ||
                 !wait_for_more(config, taker, &next))
            break;
    }
}

int evarray_archive(const struct pu_tool *tool, const struct config *config,
                    struct pu_event_selection *selection, struct taker *taker)
{
    PU_CLEANUP(pu_event_archive_close) struct pu_event_archive archive;
    PU_CLEANUP(pu_errors_free) struct pu_errors damage = {0};
    struct pu_err err;

    if (pu_event_archive_open(&archive, config->archive, &damage, &err) < 0)
        return evarray_tell(taker, config->archive, &err);
    int status = pu_cli_errors(config->archive, &damage);
    for (size_t i = 0; i < damage.kept; i++)
        evarray_keep(taker, config->archive, &damage.items[i]);
    archive.selection = selection;
    archive.follow = config->follow;
    taker->catalog = &archive.catalog;
    if (config->names) {
        pu_event_names_ask(&archive.catalog);
        pu_event_names_add(&archive.catalog, selection);
    }
    status = pu_status_worse(status, check_names(&archive, config->archive, taker));
    int window = set_window(tool, config, &archive, taker);
    if (window == PU_DONE)
        read_all(config, &archive, taker);
    return pu_status_worse(status, window);
}
