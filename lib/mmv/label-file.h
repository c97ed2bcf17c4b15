/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changed labels back into their file.
 *
 * A file that nobody has mapped is made anew beside the old one and renamed. One that an
 * application goes on writing to is changed in place, where that is safe (measured): it is of
 * version 3 with a section of labels, nothing but labels and their count changes, and it does not
 * grow over the end of its last page, since at its end PCP's library gives back as many pages as
 * the file then has. Readers are kept out meanwhile by generations that differ.
 *
 * Generation 2 is then the complement of generation 1, which no application writes: so a change
 * that was interrupted can be told from an application that is at work. All writes but those of
 * records are inside one page, and so done or not when the process is killed; each state in between
 * has all labels that the one before it had, but for one that was being replaced.
 */
#ifndef PU_MMV_LABEL_FILE_H
#define PU_MMV_LABEL_FILE_H

#include <sys/types.h>

#include "base/buf.h"
#include "mmv/label-edit.h"
#include "mmv/load.h"

/* An interrupted change in place left it like this. */
static inline bool pu_mmv_is_interrupted(const struct pu_mmv_header *header)
{
    return header->generation1 != 0 && header->generation2 == ~header->generation1;
}

/* The generation after this one: never 0. */
static inline uint64_t pu_mmv_next_generation(uint64_t generation)
{
    return generation == UINT64_MAX ? 1 : generation + 1;
}

/*
 * Can the labels of this file be changed at all? Errors: PU_E_DAMAGED; PU_E_NONE when it is in the
 * other byte order, or has several sections of labels. Damage inside the file is for the caller to
 * see, with pu_mmv_look_through().
 */
int pu_mmv_labels_check(struct pu_mmv *mmv, struct pu_err *err) PU_MUST_CHECK;

/* Adds damage that only values show to `damage`. `path` as in struct pu_mmv_view. */
void pu_mmv_look_through(struct pu_mmv *mmv, struct pu_errors *damage);

/*
 * What an interrupted change may have left twice: the same label, one behind the other.
 */
void pu_mmv_labels_tidy(struct pu_mmv_labels *labels);

/*
 * The bytes of the file with these labels and this cluster; `bytes` must be empty. Nothing else
 * changes, which is checked. `settle`: with a new generation, both numbers equal. Errors: PU_E_NONE
 * when it can not be done without changing more; PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_labels_rebuild(struct pu_mmv *mmv, const struct pu_mmv_labels *labels, int32_t cluster,
                          bool settle, struct pu_buf *bytes, struct pu_err *err) PU_MUST_CHECK;

/*
 * The same where an application has the file mapped: `bytes` are as long as the file or longer.
 * Errors: PU_E_NONE with the reason when that is not safe; PU_E_SYSTEM (ENOMEM).
 */
int pu_mmv_labels_plan_live(struct pu_mmv *mmv, const struct pu_mmv_labels *labels, int32_t cluster,
                            struct pu_buf *bytes, struct pu_err *err) PU_MUST_CHECK;

/*
 * Does what was planned to the file, open as `fd`, which `mmv` holds as it was. Errors:
 * PU_E_SYSTEM; PU_E_NONE when the application has rewritten the file meanwhile.
 */
int pu_mmv_labels_write_live(int fd, const struct pu_mmv *mmv, struct pu_span bytes,
                             struct pu_err *err) PU_MUST_CHECK;

/*
 * The process that would not notice if another file took the place of this one: it has the file
 * mapped to write to it, or the file says that it belongs to it and it is alive. 0: none.
 */
pid_t pu_mmv_user(const char *path, const struct pu_mmv_header *header);

#endif
