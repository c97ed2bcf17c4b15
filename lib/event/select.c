/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pu_event_selection_init(struct pu_event_selection *selection, char *const *texts, size_t count,
                            struct pu_err *err)
{
    selection->items = calloc(count + 1, sizeof(*selection->items));
    selection->texts = calloc(count + 1, sizeof(*selection->texts));
    selection->met = calloc(count + 1, sizeof(*selection->met));
    if (!selection->items || !selection->texts || !selection->met)
        return pu_err_system(err, ENOMEM, "cannot hold the names of metrics");
    for (size_t i = 0; i < count; i++) {
        selection->texts[i] = texts[i];
        selection->count++;
        if (pu_selector_parse(texts[i], &selection->items[i], err) < 0)
            return -1;
    }
    return 0;
}

void pu_event_selection_free(struct pu_event_selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        pu_selector_free(&selection->items[i]);
    free(selection->items);
    free(selection->texts);
    free(selection->met);
    memset(selection, 0, sizeof(*selection));
}

/* A metric's name below that of a selector without a pattern. */
static bool is_below(const struct pu_selector *selector, struct pu_span name)
{
    size_t size = strlen(selector->metric);

    return !selector->glob && name.size > size && name.data[size] == '.' &&
           memcmp(name.data, selector->metric, size) == 0;
}

static bool names(const struct pu_selector *selector, const struct pu_event_metric *metric)
{
    struct pu_span rest = metric->names;
    char pmid[PU_EVENT_PMID_MAX];

    while (rest.size > 0) {
        struct pu_span name = pu_span_until_nul(rest);
        size_t used = name.size < rest.size ? name.size + 1 : rest.size;
        if (pu_selector_has_metric(selector, name) || is_below(selector, name))
            return true;
        rest = (struct pu_span){rest.data + used, rest.size - used};
    }
    pu_event_pmid_text(pmid, metric->pmid);
    return strcmp(selector->metric, pmid) == 0;
}

bool pu_event_selection_names(const struct pu_event_selection *selection, size_t index,
                              const struct pu_event_metric *metric)
{
    return names(&selection->items[index], metric);
}

bool pu_event_selection_has(struct pu_event_selection *selection,
                            const struct pu_event_metric *metric)
{
    bool found = selection->count == 0;

    for (size_t i = 0; i < selection->count; i++) {
        if (names(&selection->items[i], metric)) {
            selection->met[i] = true;
            found = true;
        }
    }
    return found;
}

bool pu_event_selection_has_instance(const struct pu_event_selection *selection,
                                     const struct pu_event_metric *metric, int32_t id,
                                     struct pu_span name)
{
    for (size_t i = 0; i < selection->count; i++) {
        if (names(&selection->items[i], metric) &&
            pu_selector_has_instance(&selection->items[i], id, name))
            return true;
    }
    return selection->count == 0;
}

bool pu_event_selection_has_singular(const struct pu_event_selection *selection,
                                     const struct pu_event_metric *metric)
{
    for (size_t i = 0; i < selection->count; i++) {
        if (names(&selection->items[i], metric) && pu_selector_has_singular(&selection->items[i]))
            return true;
    }
    return selection->count == 0;
}
