/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define FIRST_CAPACITY 64

#define PRIME ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 wide;

/* One step of the polynomial, `part` being below 2^60: by 2^61 is by 1 when it is modulo PRIME. */
static uint64_t step(uint64_t sum, uint64_t key, uint64_t part)
{
    wide product = (wide)sum * key;

    sum = ((uint64_t)product & PRIME) + (uint64_t)(product >> 61) + part;
    return sum >= PRIME ? sum % PRIME : sum;
}

uint64_t pu_hash(uint64_t key, struct pu_span text)
{
    uint64_t size = text.size % PRIME;
    uint64_t sum = 1;

    for (; text.size >= 7; text.data += 7, text.size -= 7) {
        uint64_t part = 0;
        memcpy(&part, text.data, 7);
        sum = step(sum, key, PU_HOST == PU_LITTLE ? part : part >> 8);
    }
    for (; text.size > 0; text.data++, text.size--)
        sum = step(sum, key, *text.data);
    return step(sum, key, size);
}

uint64_t pu_hash_key(void)
{
    uint64_t key;

    if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
        key = (uintptr_t)&key; /* better than nothing */
    return key % PRIME;
}

/* The entry of the key, or the free one where it would go. There is always a free one. */
static struct pu_table_entry *probe(const struct pu_table *table, uint64_t hash, struct pu_span key)
{
    for (size_t at = (size_t)hash;; at++) {
        struct pu_table_entry *entry = &table->entries[at & (table->capacity - 1)];
        if (entry->value == PU_TABLE_NONE)
            return entry;
        if (entry->hash == hash && entry->key_size == key.size &&
            memcmp(table->keys.data + entry->key, key.data, key.size) == 0)
            return entry;
    }
}

size_t pu_table_find(const struct pu_table *table, struct pu_span key)
{
    if (table->count == 0)
        return PU_TABLE_NONE;
    return probe(table, pu_hash(table->hash_key, key), key)->value;
}

static void set_free(struct pu_table_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i].value = PU_TABLE_NONE;
}

static int grow(struct pu_table *table, struct pu_err *err)
{
    size_t capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    struct pu_table_entry *entries = calloc(capacity, sizeof(*entries));

    if (!entries)
        return pu_err_system(err, ENOMEM, "cannot hold %zu names", capacity);
    set_free(entries, capacity);
    for (size_t i = 0; i < table->capacity; i++) {
        size_t at = (size_t)table->entries[i].hash;
        if (table->entries[i].value == PU_TABLE_NONE)
            continue;
        while (entries[at & (capacity - 1)].value != PU_TABLE_NONE)
            at++;
        entries[at & (capacity - 1)] = table->entries[i];
    }
    free(table->entries);
    table->entries = entries;
    table->capacity = capacity;
    return 0;
}

int pu_table_add(struct pu_table *table, struct pu_span key, size_t value, struct pu_err *err)
{
    if (table->capacity == 0)
        table->hash_key = pu_hash_key();
    if (table->count >= table->capacity / 2 && grow(table, err) < 0)
        return -1;
    if (!pu_buf_room(&table->keys, key.size + 1)) {
        table->keys.failed = false; /* the next may fit */
        return pu_err_system(err, ENOMEM, "cannot hold a name");
    }
    uint64_t hash = pu_hash(table->hash_key, key);
    *probe(table, hash, key) = (struct pu_table_entry){hash, table->keys.size, key.size, value};
    pu_buf_add(&table->keys, key.data, key.size);
    table->count++;
    return 0;
}

void pu_table_clear(struct pu_table *table)
{
    set_free(table->entries, table->capacity);
    table->count = 0;
    table->keys.size = 0;
}

void pu_table_free(struct pu_table *table)
{
    free(table->entries);
    pu_buf_free(&table->keys);
    memset(table, 0, sizeof(*table));
}
