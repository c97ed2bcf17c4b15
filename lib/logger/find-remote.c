/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "logger/find-private.h"
#include "pcp/compat.h"

/* pmcd's instance for the primary logger; all others are process ids. */
#define PRIMARY 0

enum { PORT, HOST, ARCHIVE, NOTE, METRICS };

static int wrong(int code, struct pu_err *err)
{
    char text[PM_MAXERRMSGLEN];

    pu_err_set(err, PU_E_PMAPI, "pmcd does not tell of its loggers: %s",
               pmErrStr_r(code, text, sizeof(text)));
    err->status = code;
    return -1;
}

/* The text that a metric (NULL: there is none) has for an instance, or "". */
static char *text_of(const pmValueSet *set, int inst)
{
    pmAtomValue atom;

    for (int i = 0; set && i < set->numval; i++) {
        if (set->vlist[i].inst == inst &&
            pmExtractValue(set->valfmt, &set->vlist[i], PM_TYPE_STRING, &atom, PM_TYPE_STRING) == 0)
            return atom.cp;
    }
    return strdup("");
}

static uint16_t port_of(const pmValueSet *set, const pmValue *value)
{
    pmAtomValue atom;

    if (pmExtractValue(set->valfmt, value, PM_TYPE_U32, &atom, PM_TYPE_U32) < 0 ||
        atom.ul > UINT16_MAX)
        return 0;
    return (uint16_t)atom.ul;
}

static int take(const pmResult *result, int count, struct pu_logger_ports *ports,
                struct pu_err *err)
{
    const pmValueSet *set = result->vset[PORT];
    const pmValueSet *notes = count == METRICS ? result->vset[NOTE] : NULL;

    for (int i = 0; i < set->numval; i++) {
        int inst = set->vlist[i].inst;
        struct pu_logger_port port = {
            .pid = inst,
            .primary = inst == PRIMARY,
            .port = port_of(set, &set->vlist[i]),
            .host = text_of(result->vset[HOST], inst),
            .archive = text_of(result->vset[ARCHIVE], inst),
            .note = text_of(notes, inst),
        };
        if (inst >= 0 && pu_logger_ports_add(ports, &port, err) < 0)
            return -1;
    }
    return 0;
}

/* The primary logger is told of twice. Its port alone is not its own: another may have the same. */
static void merge_primary(struct pu_logger_ports *ports)
{
    struct pu_logger_port *items = ports->items;

    if (ports->count == 0 || items[0].pid != PRIMARY)
        return;
    for (size_t i = 1; i < ports->count; i++) {
        if (items[i].port != items[0].port || strcmp(items[i].archive, items[0].archive) != 0)
            continue;
        items[i].primary = true;
        pu_logger_port_free(&items[0]);
        memmove(items, items + 1, --ports->count * sizeof(*items));
        return;
    }
}

/* Metrics by name; the note is new in PCP 7.1. */
static int look_up(pmID ids[METRICS], int *count, struct pu_err *err)
{
    static const char *const names[METRICS] = {"pmcd.pmlogger.port", "pmcd.pmlogger.host",
                                               "pmcd.pmlogger.archive", "pmcd.pmlogger.note"};
    const char *copy[METRICS];

    memcpy(copy, names, sizeof(copy));
    for (int i = 0; i < METRICS; i++)
        ids[i] = PM_ID_NULL;
    int code = pmLookupName(METRICS, copy, ids);
    if (ids[PORT] == PM_ID_NULL || ids[HOST] == PM_ID_NULL || ids[ARCHIVE] == PM_ID_NULL)
        return wrong(code < 0 ? code : PM_ERR_NAME, err);
    *count = ids[NOTE] == PM_ID_NULL ? NOTE : METRICS;
    return 0;
}

int pu_logger_find_remote(int context, struct pu_logger_ports *ports, struct pu_err *err)
{
    pmID ids[METRICS];
    int count;
    pmResult *result;

    int code = pmUseContext(context);
    if (code < 0)
        return wrong(code, err);
    if (look_up(ids, &count, err) < 0)
        return -1;
    code = pmFetch(count, ids, &result);
    if (code < 0)
        return wrong(code, err);
    int done = take(result, count, ports, err);
    pmFreeResult(result);
    if (done < 0)
        return -1;
    pu_logger_ports_sort(ports);
    merge_primary(ports);
    return 0;
}
