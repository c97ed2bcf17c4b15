/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of experiments and sub-experiments. A founder is any NAME.er; what lies directly in its
 * directory and is one of these is a sub-experiment:
 *
 *   _f1.er _f3_x1.er _x0_f1.er   lineage: steps of fork (f), exec (x), combo (c, C) and a number
 *   M_r2.er                      MPI rank
 *   _sshd_PID_1264.1.er          process that er_kernel followed
 *   _zz.er                       odd: readers take it, no collector writes it
 *
 * The grammar was derived from Oracle's manuals and from recorded experiments.
 */
#ifndef PU_EXPERIMENT_NAME_H
#define PU_EXPERIMENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PU_EXP_NAME_MAX 256 /* with the NUL: the file systems' limit */

enum pu_exp_kind {
    PU_EXP_NONE, /* not the name of an experiment */
    PU_EXP_FOUNDER,
    PU_EXP_LINEAGE,
    PU_EXP_RANK,
    PU_EXP_PROCESS,
    PU_EXP_ODD,
};

/* The kind of a last path component, without slashes. PU_EXP_FOUNDER for any other NAME.er. */
enum pu_exp_kind pu_exp_name_kind(const char *name);
const char *pu_exp_kind_word(enum pu_exp_kind kind); /* "founder", "lineage", "rank", ... */

static inline bool pu_exp_kind_is_sub(enum pu_exp_kind kind)
{
    return kind >= PU_EXP_LINEAGE;
}

/* The process id of PU_EXP_PROCESS, the rank of PU_EXP_RANK; 0 for others. */
uint64_t pu_exp_name_number(const char *name);

/* The name without ".er". Returns `to`. */
const char *pu_exp_name_stem(const char *name, char to[PU_EXP_NAME_MAX]);

/*
 * The stem of the one a lineage comes from: "_f3" for "_f3_x1.er", "" (the founder) for "_f3.er".
 * False when `name` is no lineage.
 */
bool pu_exp_name_parent(const char *name, char to[PU_EXP_NAME_MAX]);

/* Natural order: runs of digits compare as numbers, so that _f2 comes before _f10. */
int pu_exp_name_compare(const char *a, const char *b);

#endif
