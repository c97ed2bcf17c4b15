/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that other programs have mapped too, to be changed in place. It is guarded: when another
 * program cuts the file, what is written to the part that is gone goes nowhere, and the mapping
 * says that it is lost; without that, SIGBUS would end us.
 */
#ifndef PU_BASE_MAPPING_H
#define PU_BASE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

struct pu_mapping_guard;

/* Start from zeros; release with pu_mapping_close(), the one opened last first. */
struct pu_mapping {
    unsigned char *data; /* shared with the file; NULL when the file is empty */
    size_t size;
    uint64_t device; /* which file it is: st_dev and st_ino */
    uint64_t inode;
    struct pu_mapping_guard *guard; /* owned; ours alone */
};

/*
 * Maps the regular file at `path`, of at most `max` bytes, to read and to write. The signal SIGBUS
 * and the alternate signal stack are the mapping's until it is closed. Errors: PU_E_SYSTEM,
 * PU_E_LIMIT.
 */
int pu_mapping_open(const char *path, uint64_t max, struct pu_mapping *mapping,
                    struct pu_err *err) PU_MUST_CHECK;
void pu_mapping_close(struct pu_mapping *mapping);

/* Has a part been touched that is not in the file any more? */
bool pu_mapping_is_lost(const struct pu_mapping *mapping);

/*
 * The eight bytes at `offset` of bytes that begin on a page or in memory of malloc()'s, for atomic
 * access; NULL when they are not aligned for that.
 */
uint64_t *pu_mapping_word(unsigned char *data, uint64_t offset);

#endif
