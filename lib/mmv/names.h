/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the agent and we call things in an MMV file.
 */
#ifndef PU_MMV_NAMES_H
#define PU_MMV_NAMES_H

#include "base/buf.h"
#include "mmv/decode.h"

/* Words for numbers; NULL for a number without one. */
const char *pu_mmv_kind_word(int32_t kind);           /* "indoms", "metrics", ... */
const char *pu_mmv_type_word(int32_t type);           /* PCP's words, "elapsed", "nosupport" */
const char *pu_mmv_flag_word(uint32_t bit);           /* "noprefix", "process", "sentinel" */
const char *pu_mmv_label_level(uint32_t label_flags); /* "registry", "indom", "item", "instance" */

/*
 * The name under which the agent exports a metric of the file at `path`: mmv.FILE.NAME. The name of
 * a file that comes from standard input, "-", is not known: it is left out.
 */
void pu_mmv_full_name(struct pu_buf *to, const char *path, const struct pu_mmv_header *header,
                      struct pu_span name);

/*
 * The identifiers that the agent forms, as PCP prints them. An indom's serial spills into the bits
 * of the cluster above 11 bits, and the whole is cut to 22. False when there is none: the agent
 * chooses the cluster, or cluster or item are out of range.
 */
#define PU_MMV_ID_MAX 24
bool pu_mmv_pmid(const struct pu_mmv_header *header, uint32_t item, char to[PU_MMV_ID_MAX]);
bool pu_mmv_indom_id(const struct pu_mmv_header *header, uint32_t serial, char to[PU_MMV_ID_MAX]);

/*
 * The time that a generation number seems to hold, in nanoseconds since 1970: seconds << 32 |
 * microseconds from C and Python, plain seconds from Go, Java and Rust. False when it looks like
 * neither.
 */
bool pu_mmv_generation_time(uint64_t generation, int64_t *time);

#endif
