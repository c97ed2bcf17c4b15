/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from bytes to a number, whose keys nobody can choose so that they collide. */
#ifndef PU_BASE_TABLE_H
#define PU_BASE_TABLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/*
 * A polynomial of the bytes at a secret point, modulo the prime 2^61 - 1: two texts of n bytes have
 * the same hash for at most n of all points, so nobody can prepare texts that do. Below 2^61.
 */
uint64_t pu_hash(uint64_t key, struct pu_span text);
uint64_t pu_hash_key(void); /* a new point, not to be known beforehand */

#define PU_TABLE_NONE SIZE_MAX

struct pu_table_entry {
    uint64_t hash;
    size_t key; /* offset in `keys` */
    size_t key_size;
    size_t value; /* PU_TABLE_NONE = the entry is free */
};

/* Start from zeros; release with pu_table_free(). */
struct pu_table {
    struct pu_table_entry *entries; /* owned; `capacity` of them, a power of two, or 0 */
    size_t capacity;
    size_t count;
    struct pu_buf keys; /* owned; all of them */
    uint64_t hash_key;
};

/* The value of a key, or PU_TABLE_NONE. */
size_t pu_table_find(const struct pu_table *table, struct pu_span key);

/* A key that is not there yet. Errors: PU_E_SYSTEM (ENOMEM), and the table is as it was. */
int pu_table_add(struct pu_table *table, struct pu_span key, size_t value,
                 struct pu_err *err) PU_MUST_CHECK;

/* Forgets all keys; keeps the memory. */
void pu_table_clear(struct pu_table *table);
void pu_table_free(struct pu_table *table);

#endif
