/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/span.h"
#include "tap.h"

static const unsigned char bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88,
                                      0xff, 0xff, 0xff, 0xfe, 'a',  'b',  0,    'c'};
static const struct pu_span all = {bytes, sizeof(bytes)};
static const struct pu_span none = {NULL, 0};

static void test_has(void)
{
    CHECK(pu_span_has(all, 0, 0));
    CHECK(pu_span_has(all, 0, 16));
    CHECK(pu_span_has(all, 16, 0));
    CHECK(pu_span_has(all, 15, 1));
    CHECK(!pu_span_has(all, 15, 2));
    CHECK(!pu_span_has(all, 16, 1));
    CHECK(!pu_span_has(all, 17, 0));
    CHECK(!pu_span_has(all, 0, 17));
    /* Sums that wrap. */
    CHECK(!pu_span_has(all, UINT64_MAX, 1));
    CHECK(!pu_span_has(all, UINT64_MAX, 2));
    CHECK(!pu_span_has(all, 1, UINT64_MAX));
    CHECK(!pu_span_has(all, UINT64_MAX - 7, 8));
    CHECK(pu_span_has(none, 0, 0));
    CHECK(!pu_span_has(none, 0, 1));
}

static void test_clip(void)
{
    struct pu_span part = pu_span_clip(all, 4, 3);

    CHECK_EQ_BYTES(part.data, part.size, bytes + 4, 3);
    part = pu_span_clip(all, 14, 100);
    CHECK_EQ_BYTES(part.data, part.size, bytes + 14, 2);
    part = pu_span_clip(all, 14, UINT64_MAX);
    CHECK_EQ_U64(part.size, 2);
    CHECK_EQ_U64(pu_span_clip(all, 0, 0).size, 0);
    CHECK_EQ_U64(pu_span_clip(all, 16, 1).size, 0);
    CHECK_EQ_U64(pu_span_clip(all, UINT64_MAX, UINT64_MAX).size, 0);
    CHECK_EQ_U64(pu_span_clip(none, 0, 5).size, 0);
}

static void test_until_nul(void)
{
    struct pu_span text = pu_span_until_nul(pu_span_clip(all, 12, 4));

    CHECK_EQ_BYTES(text.data, text.size, "ab", 2);
    text = pu_span_until_nul(pu_span_clip(all, 12, 2));
    CHECK_EQ_BYTES(text.data, text.size, "ab", 2);
    CHECK_EQ_U64(pu_span_until_nul(pu_span_clip(all, 14, 2)).size, 0);
    CHECK_EQ_U64(pu_span_until_nul(none).size, 0);
}

static void test_equal(void)
{
    CHECK(pu_span_equal(all, all));
    CHECK(pu_span_equal(none, none));
    CHECK(pu_span_equal(none, pu_span_text("")));
    CHECK(pu_span_equal(pu_span_text("ab"), pu_span_clip(all, 12, 2)));
    CHECK(!pu_span_equal(pu_span_text("ab"), pu_span_text("ac")));
    CHECK(!pu_span_equal(pu_span_text("ab"), pu_span_text("abc")));
    CHECK(!pu_span_equal(none, pu_span_text("a")));
    /* A NUL is a byte as any other. */
    CHECK(!pu_span_equal((struct pu_span){bytes + 12, 4}, pu_span_text("ab")));
}

static void test_orders(void)
{
    struct pu_cursor big = pu_cursor(all, 0, PU_BIG);
    struct pu_cursor little = pu_cursor(all, 0, PU_LITTLE);

    CHECK_EQ_U64(pu_cursor_u32(&big), 0x01020304);
    CHECK_EQ_U64(pu_cursor_u32(&little), 0x04030201);
    CHECK_EQ_U64(big.at, 4);
    big.at = little.at = 0;
    CHECK_EQ_U64(pu_cursor_u64(&big), 0x0102030405060788);
    CHECK_EQ_U64(pu_cursor_u64(&little), 0x8807060504030201);
    CHECK_EQ_I64(pu_cursor_i32(&big), -2);
    CHECK_EQ_I64(pu_cursor_i32(&little), (int32_t)0xfeffffff);
    little.at = 0;
    CHECK_EQ_I64(pu_cursor_i64(&little), (int64_t)0x8807060504030201);
    CHECK(!big.bad);
    CHECK(!little.bad);
}

static void test_host(void)
{
    uint32_t word = 0x11223344;
    struct pu_span span = {(const unsigned char *)&word, sizeof(word)};
    struct pu_cursor host = pu_cursor(span, 0, PU_HOST);
    struct pu_cursor foreign = pu_cursor(span, 0, PU_FOREIGN);

    CHECK_EQ_U64(pu_cursor_u32(&host), 0x11223344);
    CHECK_EQ_U64(pu_cursor_u32(&foreign), 0x44332211);
}

static void test_unaligned(void)
{
    struct pu_cursor cursor = pu_cursor(all, 1, PU_BIG);

    CHECK_EQ_U64(pu_cursor_u32(&cursor), 0x02030405);
    CHECK_EQ_U64(pu_cursor_u64(&cursor), 0x060788fffffffe61);
}

/* A read that does not fit yields 0, stays where it is, and no later one succeeds. */
static void test_bad(void)
{
    struct pu_cursor cursor = pu_cursor(all, 12, PU_BIG);
    unsigned char copy[5] = {9, 9, 9, 9, 9};

    CHECK_EQ_U64(pu_cursor_u64(&cursor), 0);
    CHECK(cursor.bad);
    CHECK_EQ_U64(cursor.at, 12);
    CHECK_EQ_U64(pu_cursor_u32(&cursor), 0);
    CHECK(cursor.bad);
    pu_cursor_copy(&cursor, copy, 4);
    CHECK_EQ_BYTES(copy, 5, "\0\0\0\0\t", 5);
    CHECK_EQ_U64(pu_cursor_bytes(&cursor, 1).size, 0);
    cursor = pu_cursor(all, UINT64_MAX, PU_BIG);
    CHECK_EQ_U64(pu_cursor_u32(&cursor), 0);
    CHECK(cursor.bad);
    cursor = pu_cursor(none, 0, PU_BIG);
    CHECK_EQ_U64(pu_cursor_u32(&cursor), 0);
    CHECK(cursor.bad);
}

static void test_bytes(void)
{
    struct pu_cursor cursor = pu_cursor(all, 12, PU_BIG);
    struct pu_span got = pu_cursor_bytes(&cursor, 2);

    CHECK_EQ_BYTES(got.data, got.size, "ab", 2);
    CHECK_EQ_U64(cursor.at, 14);
    got = pu_cursor_bytes(&cursor, 2);
    CHECK_EQ_U64(got.size, 2);
    got = pu_cursor_bytes(&cursor, 0);
    CHECK_EQ_U64(got.size, 0);
    CHECK(!cursor.bad);
    got = pu_cursor_bytes(&cursor, UINT64_MAX);
    CHECK_EQ_U64(got.size, 0);
    CHECK(cursor.bad);
}

static int compare(const char *a, const char *b)
{
    int order = pu_span_compare(pu_span_text(a), pu_span_text(b));

    return (order > 0) - (order < 0);
}

static void test_compare(void)
{
    CHECK_EQ_I64(compare("", ""), 0);
    CHECK_EQ_I64(compare("", "a"), -1);
    CHECK_EQ_I64(compare("a", "ab"), -1);
    CHECK_EQ_I64(compare("b", "ab"), 1);
    CHECK_EQ_I64(compare("ab", "ab"), 0);
    CHECK_EQ_I64(compare("\xff", "a"), 1);
    CHECK_EQ_I64(pu_span_compare((struct pu_span){0}, (struct pu_span){0}), 0);
}

int main(void)
{
    test_compare();
    test_has();
    test_clip();
    test_until_nul();
    test_equal();
    test_orders();
    test_host();
    test_unaligned();
    test_bad();
    test_bytes();
    return tap_done();
}
