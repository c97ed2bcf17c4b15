/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of 64-bit keys that gives each a number, from 0 up, in the order in which they come. */
#ifndef PU_EXPERIMENT_SET_H
#define PU_EXPERIMENT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PU_SET_MAX  65536 /* keys; more are not told apart */
#define PU_SET_FULL SIZE_MAX

/* Start from zeros; release with pu_set_free(). */
struct pu_set {
    uint64_t *keys;  /* owned; `count` of them, by number */
    uint32_t *slots; /* owned; number + 1, 0 = empty */
    size_t room;     /* slots: a power of two */
    size_t count;
    uint64_t seed; /* chosen at random: nobody can prepare keys that collide */
    size_t last;   /* the key that was asked for last: keys come in runs */
    bool full;     /* keys were left out: there are PU_SET_MAX */
    bool lost;     /* memory ran out: keys were left out as well */
};

/* The number of a key, new or not; PU_SET_FULL when it is left out. */
size_t pu_set_add(struct pu_set *set, uint64_t key);
/* The number of a key that is there, or PU_SET_FULL. */
size_t pu_set_find(const struct pu_set *set, uint64_t key);
void pu_set_free(struct pu_set *set);

#endif
