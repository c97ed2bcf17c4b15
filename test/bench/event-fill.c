/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packs ARRAYS times 1000 records with three parameters, and nothing else: event-fill ARRAYS.
 * Compiled twice, with libpcp_pmda and with event/pmda.h in front.
 */
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <stdio.h>
#include <stdlib.h>

static int fill(int array)
{
    struct timeval time = {.tv_sec = 1700000000};
    pmAtomValue atom;
    int status = 0;

    for (int i = 0; i < 1000; i++) {
        time.tv_usec = i;
        status |= pmdaEventAddRecord(array, &time, PM_EVENT_FLAG_POINT);
        atom.ul = (unsigned int)i;
        status |= pmdaEventAddParam(array, 1, PM_TYPE_U32, &atom);
        atom.ull = (unsigned long long)i << 32;
        status |= pmdaEventAddParam(array, 2, PM_TYPE_U64, &atom);
        atom.cp = (char[]){"twenty-four bytes of it!"};
        status |= pmdaEventAddParam(array, 3, PM_TYPE_STRING, &atom);
    }
    return status;
}

int main(int argc, char **argv)
{
    long arrays = argc == 2 ? atol(argv[1]) : 0;
    int array = pmdaEventNewArray();
    int status = array;

    while (arrays-- > 0 && status == 0) {
        pmdaEventResetArray(array);
        status = fill(array);
        status |= pmdaEventGetAddr(array) == NULL;
    }
    return status == 0 ? 0 : 1;
}
