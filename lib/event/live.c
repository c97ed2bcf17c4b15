/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "event/format.h"
#include "pcp/compat.h"

/* A metric that is asked for. */
struct wish {
    pmID pmid;
    const struct pu_event_metric *metric;
    int told; /* the status that was told last */
};

struct pu_event_live {
    struct pu_event_catalog catalog;
    const char *source; /* borrowed: the host, or "local" */
    int context;        /* below 0: none */
    bool lost;
    struct pu_event_selection *selection;
    struct wish *wishes; /* owned */
    pmID *pmids;         /* owned; as the wishes */
    size_t count;
    pmHighResResult *result; /* owned */
    int set;                 /* of the result, and value in it: next to be looked at */
    int value;
};

static int refused(struct pu_err *err, int status, const char *what)
{
    char reason[PM_MAXERRMSGLEN];

    pu_err_set(err, PU_E_PMAPI, "%s: %s", what, pmErrStr_r(status, reason, sizeof(reason)));
    err->status = status;
    return -1;
}

/* Metadata */

static int add_metric(struct pu_event_catalog *catalog, pmID pmid, const char *name,
                      const struct pu_event_metric **added, struct pu_err *err)
{
    pmDesc desc;
    struct pu_event_metric metric = {.pmid = pmid, .type = -1, .indom = PU_EVENT_NO_INDOM};

    if (pmLookupDesc(pmid, &desc) >= 0) {
        metric.type = desc.type;
        metric.indom = desc.indom;
    }
    if (name)
        metric.names = pu_span_text(name);
    return pu_event_catalog_add(catalog, &metric, added, err);
}

/* A parameter that was never heard of. */
static void ask(struct pu_event_catalog *catalog, uint32_t pmid)
{
    char *name = NULL;
    struct pu_err err;

    if (pmid == PU_EVENT_NO_PMID || pmNameID(pmid, &name) < 0)
        name = NULL;
    (void)!add_metric(catalog, pmid, name, NULL, &err);
    free(name);
}

static struct pu_span instance_name(struct pu_event_live *live, uint32_t indom, int32_t id)
{
    struct pu_span known = pu_event_catalog_instance(&live->catalog, indom, id, 0);
    char *name = NULL;
    struct pu_err err;

    if (known.size > 0 || indom == PU_EVENT_NO_INDOM || pmNameInDom(indom, id, &name) < 0)
        return known;
    (void)!pu_event_catalog_add_instance(&live->catalog, indom, id, 0, pu_span_text(name), &err);
    free(name);
    return pu_event_catalog_instance(&live->catalog, indom, id, 0);
}

/* Beginning and end */

int pu_event_live_open(struct pu_event_live **to, const char *host, const char *const *specs,
                       size_t spec_count, struct pu_err *err)
{
    struct pu_event_live *live = *to = calloc(1, sizeof(*live));

    if (!live)
        return pu_err_system(err, ENOMEM, "cannot connect");
    live->source = host ? host : "local";
    live->context = -1;
    live->catalog.ask = ask;
    for (size_t i = 0; !host && i < spec_count; i++) {
        const char *why = pmSpecLocalPMDA(specs[i]); /* a static message */
        if (why)
            return pu_err_set(err, PU_E_SYNTAX, "'%s': %s", specs[i], why);
    }
    live->context =
        host ? pmNewContext(PM_CONTEXT_HOST, host) : pmNewContext(PM_CONTEXT_LOCAL, NULL);
    return live->context < 0 ? refused(err, live->context, "cannot connect") : 0;
}

void pu_event_live_close(struct pu_event_live *live)
{
    if (!live)
        return;
    if (live->result)
        pu_pcp_free_result(live->result);
    if (live->context >= 0)
        pmDestroyContext(live->context);
    pu_event_catalog_free(&live->catalog);
    free(live->wishes);
    free(live->pmids);
    free(live);
}

int pu_event_live_zone(struct pu_event_live *live, const char **zone, struct pu_err *err)
{
    char *text = NULL;
    int status = pmUseContext(live->context);

    if (status >= 0)
        status = pmNewContextZone();
    if (status >= 0)
        status = pmWhichZone(&text);
    if (status < 0)
        return refused(err, status, "cannot find the time zone");
    *zone = text; /* libpcp's own */
    return 0;
}

int pu_event_live_window(const struct pu_pcp_times *times, int64_t *from, int64_t *to,
                         struct pu_err *err)
{
    return pu_pcp_window(times, pu_time_now(), INT64_MAX, from, to, err);
}

struct pu_event_catalog *pu_event_live_catalog(struct pu_event_live *live)
{
    return &live->catalog;
}

size_t pu_event_live_count(const struct pu_event_live *live)
{
    return live->count;
}

/* Metrics */

/* All names below one, while they are looked for. */
struct names {
    char **items; /* owned */
    size_t count;
    bool failed;
};

static void add_name(const char *name, void *to)
{
    struct names *names = to;
    char **items = reallocarray(names->items, names->count + 1, sizeof(*items));
    char *copy = items ? strdup(name) : NULL;

    if (items)
        names->items = items;
    if (copy)
        names->items[names->count++] = copy;
    else
        names->failed = true;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
}

static bool is_wished(const struct pu_event_live *live, pmID pmid)
{
    for (size_t i = 0; i < live->count; i++) {
        if (live->pmids[i] == pmid)
            return true;
    }
    return false;
}

static int add_wish(struct pu_event_live *live, const struct pu_event_metric *metric,
                    struct pu_err *err)
{
    struct wish *wishes = reallocarray(live->wishes, live->count + 1, sizeof(*wishes));
    pmID *pmids = reallocarray(live->pmids, live->count + 1, sizeof(*pmids));

    if (wishes)
        live->wishes = wishes;
    if (pmids)
        live->pmids = pmids;
    if (!wishes || !pmids)
        return pu_err_system(err, ENOMEM, "cannot hold the metrics");
    wishes[live->count] = (struct wish){metric->pmid, metric, 0};
    pmids[live->count++] = metric->pmid;
    return 0;
}

/* One name: returns 1 when it has event arrays, 0 when it has something else. */
static int look_up(struct pu_event_live *live, size_t index, const char *name, struct pu_err *err)
{
    const struct pu_event_metric *metric = NULL;
    pmID pmid;

    if (pmLookupName(1, &name, &pmid) < 0)
        return 0;
    if (add_metric(&live->catalog, pmid, name, &metric, err) < 0)
        return -1;
    if ((metric->type != PM_TYPE_EVENT && metric->type != PM_TYPE_HIGHRES_EVENT) ||
        !pu_event_selection_names(live->selection, index, metric))
        return 0;
    if (!is_wished(live, pmid) && add_wish(live, metric, err) < 0)
        return -1;
    return 1;
}

int pu_event_live_add(struct pu_event_live *live, struct pu_event_selection *selection,
                      size_t index, struct pu_err *err)
{
    PU_CLEANUP(free_names) struct names names = {0};
    const struct pu_selector *selector = &selection->items[index];
    int found = 0;

    live->selection = selection;
    int status = pmTraversePMNS_r(selector->glob ? "" : selector->metric, add_name, &names);
    if (status < 0)
        return refused(err, status, selection->texts[index]);
    if (names.failed)
        return pu_err_system(err, ENOMEM, "cannot hold the names of metrics");
    for (size_t i = 0; i < names.count; i++) {
        struct pu_span name = pu_span_text(names.items[i]);
        if (selector->glob && !pu_selector_has_metric(selector, name))
            continue;
        int result = look_up(live, index, names.items[i], err);
        if (result < 0)
            return -1;
        found += result;
    }
    if (found == 0)
        return pu_err_set(err, PU_E_NONE, "%s has no event arrays", selection->texts[index]);
    return 0;
}

/* Values */

int pu_event_live_fetch(struct pu_event_live *live, struct pu_err *err)
{
    if (live->result)
        pu_pcp_free_result(live->result);
    live->result = NULL;
    live->set = 0;
    live->value = 0;
    if (live->lost && pmReconnectContext(live->context) >= 0)
        live->lost = false;
    int status = pmFetchHighRes((int)live->count, live->pmids, &live->result);
    if (status >= 0)
        return 0;
    live->result = NULL;
    live->lost = true;
    return refused(err, status, "cannot fetch");
}

/* A metric without an answer; no value at all is one. */
static int tell(struct wish *wish, int status, struct pu_err *err)
{
    char name[128];

    if (status >= 0 || wish->told == status) {
        wish->told = status < 0 ? status : 0;
        return 0;
    }
    wish->told = status;
    snprintf(name, sizeof(name), "%.*s", (int)wish->metric->name.size,
             (const char *)wish->metric->name.data);
    return refused(err, status, name);
}

static void fill(struct pu_event_live *live, const struct pu_event_metric *metric,
                 const pmValue *value, struct pu_event_sample *sample)
{
    const pmValueBlock *block = value->value.pval;
    bool has_instance = metric->indom != PU_EVENT_NO_INDOM;

    *sample = (struct pu_event_sample){
        .file = live->source,
        .metric = metric,
        .has_instance = has_instance,
        .instance = value->inst,
        .has_time = true,
        .time = (int64_t)live->result->timestamp.tv_sec * PU_NANOSECONDS +
                live->result->timestamp.tv_nsec,
        .bytes = {(const unsigned char *)block, block->vlen},
        .order = PU_HOST,
    };
    if (has_instance)
        sample->instance_name = instance_name(live, metric->indom, value->inst);
}

static bool is_wanted(const struct pu_event_live *live, const struct pu_event_sample *sample)
{
    return sample->has_instance
               ? pu_event_selection_has_instance(live->selection, sample->metric, sample->instance,
                                                 sample->instance_name)
               : pu_event_selection_has_singular(live->selection, sample->metric);
}

int pu_event_live_next(struct pu_event_live *live, struct pu_event_sample *sample,
                       struct pu_err *err)
{
    while (live->result && live->set < live->result->numpmid) {
        const pmValueSet *values = live->result->vset[live->set];
        struct wish *wish = &live->wishes[live->set];
        if (live->value >= values->numval) {
            live->set++;
            live->value = 0;
            if (tell(wish, values->numval, err) < 0)
                return -1;
            continue;
        }
        const pmValue *value = &values->vlist[live->value++];
        if (values->valfmt == PM_VAL_INSITU)
            continue;
        fill(live, wish->metric, value, sample);
        if (is_wanted(live, sample))
            return 1;
    }
    return 0;
}
