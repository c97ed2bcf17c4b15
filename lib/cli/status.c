/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/status.h"

enum pu_status pu_status_worse(enum pu_status a, enum pu_status b)
{
    /* The higher, the worse. */
    static const int rank[] = {
        [PU_DONE] = 0,   [PU_NOT_CONFIRMED] = 1, [PU_NOT_AS_WISHED] = 2, [PU_DAMAGED] = 3,
        [PU_FAILED] = 4, [PU_BUSY] = 5,          [PU_DENIED] = 6,        [PU_TIMED_OUT] = 7,
        [PU_LOST] = 8,   [PU_USAGE] = 9,
    };

    return rank[a] >= rank[b] ? a : b;
}
