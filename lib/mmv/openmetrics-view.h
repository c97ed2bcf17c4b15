/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MMV files as one OpenMetrics 1.0 exposition (its text format), of all files together, since a
 * metric family must stand in one place and only once.
 *
 * The name is the one that the agent exports, with '_' for what OpenMetrics does not allow, and
 * ends with the unit. Counters without negative or NaN values are counters, other counters
 * "unknown", numbers else are gauges, strings are "info" with the text in the label "value". Labels
 * are merged as the agent does: indom, registry, item, instance; later ones win; instances get
 * instname and instid. "No value", and types without meaning, are left out.
 */
#ifndef PU_MMV_OPENMETRICS_VIEW_H
#define PU_MMV_OPENMETRICS_VIEW_H

#include "mmv/walk.h"
#include "out/sink.h"

/* Errors: PU_E_SYSTEM (ENOMEM). What cannot be exported is reported in the view's `damage`. */
int pu_mmv_openmetrics_view(struct pu_sink *sink, const struct pu_mmv_view *views, size_t count,
                            struct pu_err *err) PU_MUST_CHECK;

#endif
