/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static size_t slot_of(const struct pu_set *set, uint64_t key)
{
    uint64_t mixed = (key ^ set->seed) * UINT64_C(0x9e3779b97f4a7c15);

    mixed ^= mixed >> 32;
    mixed *= set->seed | 1;
    mixed ^= mixed >> 29;
    size_t slot = (size_t)mixed & (set->room - 1);
    while (set->slots[slot] != 0 && set->keys[set->slots[slot] - 1] != key)
        slot = (slot + 1) & (set->room - 1);
    return slot;
}

static bool grow(struct pu_set *set)
{
    size_t room = set->room ? set->room * 2 : 64;
    uint64_t *keys = reallocarray(set->keys, room / 2, sizeof(*keys));

    if (keys)
        set->keys = keys;
    uint32_t *slots = keys ? calloc(room, sizeof(*slots)) : NULL;
    if (!slots)
        return false;
    if (!set->seed && getrandom(&set->seed, sizeof(set->seed), GRND_NONBLOCK) < 0)
        set->seed = (uintptr_t)slots;
    free(set->slots);
    set->slots = slots;
    set->room = room;
    for (size_t i = 0; i < set->count; i++)
        set->slots[slot_of(set, set->keys[i])] = (uint32_t)i + 1;
    return true;
}

size_t pu_set_add(struct pu_set *set, uint64_t key)
{
    if (set->count > 0 && set->keys[set->last] == key)
        return set->last;
    size_t found = pu_set_find(set, key);
    if (found != PU_SET_FULL)
        return set->last = found;
    set->full |= set->count == PU_SET_MAX;
    if (set->full)
        return PU_SET_FULL;
    if (set->count * 2 >= set->room && !grow(set)) {
        set->lost = true;
        return PU_SET_FULL;
    }
    set->keys[set->count] = key;
    set->slots[slot_of(set, key)] = (uint32_t)set->count + 1;
    set->last = set->count++;
    return set->last;
}

size_t pu_set_find(const struct pu_set *set, uint64_t key)
{
    size_t slot = set->room ? slot_of(set, key) : 0;

    return set->room && set->slots[slot] != 0 ? set->slots[slot] - 1 : PU_SET_FULL;
}

void pu_set_free(struct pu_set *set)
{
    free(set->keys);
    free(set->slots);
    memset(set, 0, sizeof(*set));
}
