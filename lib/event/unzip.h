/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unpacks what xz(1) and zstd(1) have packed, as far as liblzma and libzstd were there when this
 * was built. Both work in bounded memory: PU_EVENT_UNZIP_MEMORY at most.
 */
#ifndef PU_EVENT_UNZIP_H
#define PU_EVENT_UNZIP_H

#include "base/err.h"
#include "base/span.h"

#define PU_EVENT_UNZIP_MEMORY (UINT64_C(256) << 20)

struct pu_event_unzip;

/* The names of the two at the end of a file's name, with the dot; NULL ends the list. */
extern const char *const pu_event_unzip_suffixes[];

/*
 * By the first bytes: *unzip becomes one that unpacks them, or NULL when they are not packed at
 * all. Errors: PU_E_LIMIT for what was not built in, PU_E_SYSTEM.
 */
int pu_event_unzip_new(struct pu_event_unzip **unzip, struct pu_span first,
                       struct pu_err *err) PU_MUST_CHECK;

/*
 * Unpacks from `*in` to `*out`, and takes off what was used of both: 1 at the end of what was
 * packed, else 0. `last`: no input will follow. Errors: PU_E_DAMAGED, PU_E_LIMIT.
 */
int pu_event_unzip_run(struct pu_event_unzip *unzip, struct pu_span *in, unsigned char **out,
                       size_t *out_size, bool last, struct pu_err *err) PU_MUST_CHECK;
void pu_event_unzip_free(struct pu_event_unzip *unzip);

#endif
