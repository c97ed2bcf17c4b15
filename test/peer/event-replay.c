/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that answers with whatever array stands in the file $EVENT_REPLAY, read at each fetch:
 * replay.us (domain 245, cluster 0, item 1) and replay.ns (item 2), by the type that it has.
 */
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void replay_init(pmdaInterface *dispatch);

static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, 1), PM_TYPE_EVENT, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 2), PM_TYPE_HIGHRES_EVENT, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
};

static int answer(pmdaMetric *metric, unsigned int instance, pmAtomValue *atom)
{
    static union {
        pmValueBlock block;
        char bytes[1 << 20];
    } array;
    const char *path = getenv("EVENT_REPLAY");
    FILE *file = path ? fopen(path, "rb") : NULL;

    (void)instance;
    if (!file)
        return PMDA_FETCH_NOVALUES;
    memset(&array, 0, PM_VAL_HDR_SIZE);
    size_t size = fread(array.bytes, 1, sizeof(array.bytes), file);
    fclose(file);
    if (size < PM_VAL_HDR_SIZE || array.block.vtype != metric->m_desc.type)
        return PMDA_FETCH_NOVALUES;
    atom->vbp = &array.block;
    return PMDA_FETCH_STATIC;
}

void replay_init(pmdaInterface *dispatch)
{
    static char name[] = "replay";

    pmdaDSO(dispatch, PMDA_INTERFACE_7, name, NULL);
    pmdaSetFetchCallBack(dispatch, answer);
    pmdaInit(dispatch, NULL, 0, metrics, sizeof(metrics) / sizeof(metrics[0]));
}
