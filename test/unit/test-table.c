/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/table.h"

#include "tap.h"

static struct pu_table table;
static struct pu_err err;

static size_t find(const char *key)
{
    return pu_table_find(&table, pu_span_text(key));
}

static int add(const char *key, size_t value)
{
    return pu_table_add(&table, pu_span_text(key), value, &err);
}

static void test_few(void)
{
    CHECK_EQ_U64(find("a"), PU_TABLE_NONE);
    CHECK_EQ_I64(add("a", 0), 0);
    CHECK_EQ_I64(add("", 7), 0);
    CHECK_EQ_I64(add("ab", 2), 0);
    CHECK_EQ_U64(find("a"), 0);
    CHECK_EQ_U64(find(""), 7);
    CHECK_EQ_U64(find("ab"), 2);
    CHECK_EQ_U64(find("b"), PU_TABLE_NONE);
    CHECK_EQ_U64(find("abc"), PU_TABLE_NONE);
    pu_table_clear(&table);
    CHECK_EQ_U64(find("a"), PU_TABLE_NONE);
    CHECK_EQ_I64(add("a", 3), 0);
    CHECK_EQ_U64(find("a"), 3);
    CHECK_EQ_U64(table.count, 1);
    pu_table_free(&table);
    CHECK_EQ_U64(find("a"), PU_TABLE_NONE);
}

/* Through many times of growing, and again after all was forgotten. */
static void test_many(void)
{
    const size_t count = 100000;
    char key[32];
    size_t wrong = 0;

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            snprintf(key, sizeof(key), "metric%zu[instance-%zu]", i % 100, i);
            wrong += add(key, i) != 0;
        }
        for (size_t i = 0; i < count; i++) {
            snprintf(key, sizeof(key), "metric%zu[instance-%zu]", i % 100, i);
            wrong += find(key) != i;
            snprintf(key, sizeof(key), "metric%zu[instance-%zu]", i % 100 + 1, i);
            wrong += find(key) != PU_TABLE_NONE;
        }
        pu_table_clear(&table);
    }
    CHECK_EQ_U64(wrong, 0);
    pu_table_free(&table);
}

/* What the hash has to tell apart whatever its key: lengths, zeros, where a byte stands. */
static void test_hash(void)
{
    static const unsigned char zeros[40];
    const struct pu_span all = {zeros, sizeof(zeros)};
    unsigned char bytes[16] = {0};
    size_t same = 0;

    for (int round = 0; round < 100; round++) {
        uint64_t key = pu_hash_key();
        CHECK(key < (UINT64_C(1) << 61) - 1);
        for (size_t i = 0; i + 1 < sizeof(zeros); i++)
            same +=
                pu_hash(key, pu_span_clip(all, 0, i)) == pu_hash(key, pu_span_clip(all, 0, i + 1));
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bytes[i] = 1;
            uint64_t one = pu_hash(key, (struct pu_span){bytes, sizeof(bytes)});
            same += one == pu_hash(key, pu_span_clip(all, 0, sizeof(bytes)));
            bytes[i] = 0;
            bytes[(i + 1) % sizeof(bytes)] = 1;
            same += one == pu_hash(key, (struct pu_span){bytes, sizeof(bytes)});
            bytes[(i + 1) % sizeof(bytes)] = 0;
        }
    }
    CHECK_EQ_U64(same, 0);
}

/* By hand: 1 at the front, seven bytes at a time, single bytes, the size; at the point 2. */
static void test_polynomial(void)
{
    CHECK_EQ_U64(pu_hash(2, pu_span_text("")), 2);
    CHECK_EQ_U64(pu_hash(2, pu_span_text("a")), (2 + 'a') * 2 + 1);
    CHECK_EQ_U64(pu_hash(2, pu_span_text("a\1")), ((2 + 'a') * 2 + 1) * 2 + 2);
    uint64_t seven = PU_HOST == PU_LITTLE ? UINT64_C(0x67666564636261) : UINT64_C(0x61626364656667);
    CHECK_EQ_U64(pu_hash(2, pu_span_text("abcdefgh")), ((2 + seven) * 2 + 'h') * 2 + 8);
    /* Sums that reach the prime. */
    uint64_t prime = (UINT64_C(1) << 61) - 1;
    CHECK(pu_hash(prime - 1, pu_span_text("abcdefghijklmnopqrstu")) < prime);
}

int main(void)
{
    test_few();
    test_many();
    test_hash();
    test_polynomial();
    return tap_done();
}
