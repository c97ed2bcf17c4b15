/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which metrics and instances are wanted. Beside what base/selector.h says, a name stands for all
 * metrics below it, and a PMID, as in 29.0.136, for the metric that has it.
 */
#ifndef PU_EVENT_SELECT_H
#define PU_EVENT_SELECT_H

#include "base/selector.h"
#include "event/catalog.h"

/* Start from zeros, which want everything; release with pu_event_selection_free(). */
struct pu_event_selection {
    struct pu_selector *items; /* owned */
    const char **texts;        /* owned; what they were made of is borrowed */
    bool *met;                 /* owned: which of them have named a metric */
    size_t count;
};

/* Errors: PU_E_SYNTAX, about one of `texts`, with the column; PU_E_SYSTEM. */
int pu_event_selection_init(struct pu_event_selection *selection, char *const *texts, size_t count,
                            struct pu_err *err) PU_MUST_CHECK;
void pu_event_selection_free(struct pu_event_selection *selection);

/* Does the one at `index` name the metric? */
bool pu_event_selection_names(const struct pu_event_selection *selection, size_t index,
                              const struct pu_event_metric *metric);

/* Is a metric wanted, or some instance of it? Marks what names it as met. */
bool pu_event_selection_has(struct pu_event_selection *selection,
                            const struct pu_event_metric *metric);

/* Of a wanted metric: this instance too? */
bool pu_event_selection_has_instance(const struct pu_event_selection *selection,
                                     const struct pu_event_metric *metric, int32_t id,
                                     struct pu_span name);
bool pu_event_selection_has_singular(const struct pu_event_selection *selection,
                                     const struct pu_event_metric *metric);

#endif
