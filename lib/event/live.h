/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event arrays of running agents, through libpcp: those of a host's pmcd, or of agents loaded into
 * this process. What libpcp does with what it receives is outside of our promises: it walks the
 * counts of an array that pmcd sends before we see it. In a local context nobody does.
 */
#ifndef PU_EVENT_LIVE_H
#define PU_EVENT_LIVE_H

#include "base/err.h"
#include "event/sample.h"
#include "event/select.h"
#include "pcp/window.h"

struct pu_event_live;

/*
 * A connection to `host`, or agents loaded as the `specs` say (PMAPI(3), -K of PCP's tools) if that
 * is NULL. Errors: PU_E_PMAPI, PU_E_SYNTAX for a spec, PU_E_SYSTEM. Release *live in any case.
 */
int pu_event_live_open(struct pu_event_live **live, const char *host, const char *const *specs,
                       size_t spec_count, struct pu_err *err) PU_MUST_CHECK;
void pu_event_live_close(struct pu_event_live *live);

/* Asks as questions come; as long as `live`. */
struct pu_event_catalog *pu_event_live_catalog(struct pu_event_live *live);

/*
 * Looks for the metrics that the selector at `index` names. Errors: PU_E_PMAPI when there are none,
 * PU_E_NONE when none of them has event arrays, PU_E_SYSTEM. `selection` is borrowed until the end.
 */
int pu_event_live_add(struct pu_event_live *live, struct pu_event_selection *selection,
                      size_t index, struct pu_err *err) PU_MUST_CHECK;

/* The time zone of the host, as TZ takes it; stays until `live` ends. Errors: PU_E_PMAPI. */
int pu_event_live_zone(struct pu_event_live *live, const char **zone,
                       struct pu_err *err) PU_MUST_CHECK;

/* What these times mean from now on, as pu_pcp_window() says. Errors: PU_E_SYNTAX. */
int pu_event_live_window(const struct pu_pcp_times *times, int64_t *from, int64_t *to,
                         struct pu_err *err) PU_MUST_CHECK;

/* How many metrics were found. */
size_t pu_event_live_count(const struct pu_event_live *live);

/* Asks for their values. Errors: PU_E_PMAPI; a later call tries to connect again. */
int pu_event_live_fetch(struct pu_event_live *live, struct pu_err *err) PU_MUST_CHECK;

/*
 * The next array of what was fetched: 1, or 0 at the end. -1 when a metric has no answer,
 * PU_E_PMAPI with its name, told once until there is another; the next call goes on behind it.
 */
int pu_event_live_next(struct pu_event_live *live, struct pu_event_sample *sample,
                       struct pu_err *err) PU_MUST_CHECK;

#endif
