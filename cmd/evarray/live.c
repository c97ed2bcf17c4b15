/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays from running agents. */
#include "event/live.h"
#include "base/pace.h"
#include "base/time.h"
#include "job.h"

static void close_live(struct pu_event_live **live)
{
    pu_event_live_close(*live);
}

static const char *name_of(const struct config *config)
{
    return config->host ? config->host : "local";
}

int evarray_live_error(const struct pu_tool *tool, const struct config *config,
                       const struct pu_err *err)
{
    return err->code == PU_E_SYNTAX ? pu_cli_usage_error(tool, "-K/--spec-local: %s", err->message)
                                    : pu_cli_error(name_of(config), err);
}

/* All arrays of one fetch. */
static int fetch(const struct config *config, struct pu_event_live *live, struct taker *taker,
                 bool *lost)
{
    struct pu_event_sample sample;
    struct pu_err err;
    int status = PU_DONE;
    int more;

    if (pu_event_live_fetch(live, &err) < 0) {
        /* Said once; while it is followed it may come back. */
        if (!*lost)
            status = evarray_tell(taker, name_of(config), &err);
        *lost = true;
        return status;
    }
    *lost = false;
    while (!taker->done(taker) && (more = pu_event_live_next(live, &sample, &err)) != 0) {
        if (more > 0)
            taker->take(taker, &sample);
        else
            status = pu_status_worse(status, evarray_tell(taker, name_of(config), &err));
    }
    taker->pause(taker);
    return status;
}

/* Is it over before `delay` has passed? */
static bool is_over(int64_t end, int64_t delay)
{
    int64_t then;

    return !__builtin_add_overflow(pu_time_now(), delay, &then) && then > end;
}

static int fetch_all(const struct config *config, int64_t from, int64_t to,
                     struct pu_event_live *live, struct taker *taker)
{
    struct timespec next = pu_pace_start();
    bool endless = (config->follow || config->times.finish) && !config->samples;
    uint64_t samples = config->samples ? config->samples : 1;
    bool lost = false;
    int status = PU_DONE;

    int64_t ahead = from == INT64_MIN ? 0 : from - pu_time_now();
    if (ahead > 0)
        pu_pace_wait(&next, ahead);
    for (uint64_t i = 0; (endless || i < samples) && !taker->done(taker); i++) {
        if (is_over(to, i > 0 ? config->interval : 0))
            break;
        if (i > 0)
            pu_pace_wait(&next, config->interval);
        status = pu_status_worse(status, fetch(config, live, taker, &lost));
        if (lost && !config->follow)
            break;
    }
    return status;
}

/* From now on, if nothing else is said. */
static int set_window(const struct pu_tool *tool, const struct config *config,
                      struct pu_event_live *live, struct taker *taker, int64_t *from, int64_t *to)
{
    const char *zone = NULL;
    struct pu_err err;

    if (config->host_zone && pu_event_live_zone(live, &zone, &err) < 0)
        return evarray_tell(taker, name_of(config), &err);
    if (zone)
        evarray_use_zone(zone);
    if (pu_event_live_window(&config->times, from, to, &err) < 0)
        return evarray_window_error(tool, &err);
    return PU_DONE;
}

int evarray_live(const struct pu_tool *tool, const struct config *config,
                 struct pu_event_selection *selection, struct taker *taker)
{
    PU_CLEANUP(close_live) struct pu_event_live *live = NULL;
    struct pu_err err;
    int64_t from;
    int64_t to;
    int status;

    if (selection->count == 0)
        return pu_cli_usage_error(tool, "METRIC is missing");
    if (pu_event_live_open(&live, config->host, config->specs.items, config->specs.count, &err) <
        0) {
        evarray_keep(taker, name_of(config), &err);
        return evarray_live_error(tool, config, &err);
    }
    taker->catalog = pu_event_live_catalog(live);
    status = set_window(tool, config, live, taker, &from, &to);
    if (status != PU_DONE)
        return status;
    for (size_t i = 0; i < selection->count; i++) {
        if (pu_event_live_add(live, selection, i, &err) < 0)
            status = pu_status_worse(status, evarray_tell(taker, name_of(config), &err));
    }
    if (pu_event_live_count(live) > 0)
        status = pu_status_worse(status, fetch_all(config, from, to, live, taker));
    return status;
}
