/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/search.h"

#include "tap.h"

static int by_value(const void *a, const void *b)
{
    const int *left = a;
    const int *right = b;

    return (*left > *right) - (*left < *right);
}

/* What a look at each element finds. */
static size_t first_not_below(const int *list, size_t count, int key)
{
    size_t at = 0;

    while (at < count && list[at] < key)
        at++;
    return at;
}

/* Lists of every length, with every number doubled, tripled, or missing. */
static void test_all(void)
{
    int list[40];
    unsigned int wrong = 0;

    for (size_t count = 0; count <= 40; count++) {
        for (int repeat = 1; repeat <= 3; repeat++) {
            for (size_t i = 0; i < count; i++)
                list[i] = 2 * ((int)i / repeat);
            for (int key = -1; key <= 81; key++)
                wrong += pu_lower_bound(&key, list, count, sizeof(*list), by_value) !=
                         first_not_below(list, count, key);
        }
    }
    CHECK_EQ_U64(wrong, 0);
}

int main(void)
{
    int key = 1;

    CHECK_EQ_U64(pu_lower_bound(&key, NULL, 0, sizeof(key), by_value), 0);
    test_all();
    return tap_done();
}
