/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>

#include "base/text.h"
#include "tap.h"

static struct pu_span span(const char *text)
{
    return pu_span_text(text);
}

static void check_utf8(const char *text, size_t size, uint32_t wanted)
{
    uint32_t character = 0xdead;

    CHECK_EQ_U64(pu_text_utf8(span(text), &character), size);
    CHECK_EQ_U64(character, size > 0 ? wanted : 0xdead);
}

static void test_utf8_good(void)
{
    check_utf8("a", 1, 'a');
    check_utf8("\x7f", 1, 0x7f);
    check_utf8("\xc2\x80", 2, 0x80);
    check_utf8("\xc3\xa4rest", 2, 0xe4);
    check_utf8("\xdf\xbf", 2, 0x7ff);
    check_utf8("\xe0\xa0\x80", 3, 0x800);
    check_utf8("\xed\x9f\xbf", 3, 0xd7ff);
    check_utf8("\xee\x80\x80", 3, 0xe000);
    check_utf8("\xef\xbf\xbf", 3, 0xffff);
    check_utf8("\xf0\x90\x80\x80", 4, 0x10000);
    check_utf8("\xf4\x8f\xbf\xbf", 4, 0x10ffff);
}

static void test_utf8_bad(void)
{
    check_utf8("", 0, 0);
    check_utf8("\x80", 0, 0);
    check_utf8("\xbf\x80", 0, 0);
    check_utf8("\xff", 0, 0);
    check_utf8("\xfe\x80\x80\x80", 0, 0);
    /* Cut short. */
    check_utf8("\xc3", 0, 0);
    check_utf8("\xe2\x80", 0, 0);
    check_utf8("\xf0\x9f\x98", 0, 0);
    check_utf8("\xe2\x80z", 0, 0);
    check_utf8("\xc3z", 0, 0);
    /* Longer than needed. */
    check_utf8("\xc0\x80", 0, 0);
    check_utf8("\xc1\xbf", 0, 0);
    check_utf8("\xe0\x9f\xbf", 0, 0);
    check_utf8("\xf0\x8f\xbf\xbf", 0, 0);
    /* Surrogates, and beyond the last character. */
    check_utf8("\xed\xa0\x80", 0, 0);
    check_utf8("\xed\xbf\xbf", 0, 0);
    check_utf8("\xf4\x90\x80\x80", 0, 0);
    check_utf8("\xf5\x80\x80\x80", 0, 0);
    check_utf8("\xf8\x88\x80\x80\x80", 0, 0);
}

static size_t encode(uint32_t character, unsigned char *to)
{
    if (character < 0x80) {
        to[0] = (unsigned char)character;
        return 1;
    }
    size_t size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, character >>= 6)
        to[i] = (unsigned char)(0x80 | (character & 0x3f));
    to[0] = (unsigned char)((0xf00u >> size) | character);
    return size;
}

static void test_utf8_all(void)
{
    unsigned char text[4];
    unsigned int bad = 0;

    for (uint32_t wanted = 0; wanted <= 0x10ffff; wanted++) {
        uint32_t character = 0;
        size_t size = encode(wanted, text);
        size_t got = pu_text_utf8((struct pu_span){text, size}, &character);
        bool surrogate = wanted >= 0xd800 && wanted <= 0xdfff;
        bad += surrogate ? got != 0 : got != size || character != wanted;
        bad += pu_text_utf8((struct pu_span){text, size - 1}, &character) != 0;
    }
    CHECK_EQ_U64(bad, 0);
}

static void test_unsafe(void)
{
    static const uint32_t bad[] = {0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029,
                                   0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0xfeff};
    static const uint32_t good[] = {'a',    0xe4,   0x061b, 0x200a, 0x2010, 0x2027,
                                    0x202f, 0x2070, 0x4e00, 0xfffd, 0x1f600};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(pu_text_is_unsafe(bad[i]));
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        CHECK(!pu_text_is_unsafe(good[i]));
}

static void test_plain(void)
{
    CHECK_EQ_U64(pu_text_plain(span("")), 0);
    CHECK_EQ_U64(pu_text_plain(span("plain text ~")), 12);
    CHECK_EQ_U64(pu_text_plain(span("ab\\c")), 2);
    CHECK_EQ_U64(pu_text_plain(span("ab\"c")), 2);
    CHECK_EQ_U64(pu_text_plain(span("ab\nc")), 2);
    CHECK_EQ_U64(pu_text_plain(span("ab\x7f")), 2);
    CHECK_EQ_U64(pu_text_plain(span("ab\xc3\xa4")), 2);
    CHECK_EQ_U64(pu_text_plain((struct pu_span){(const unsigned char *)"ab\0c", 4}), 2);
}

static void check_escape(const char *text, size_t size, bool quote, const char *wanted)
{
    struct pu_buf buf = {0};

    pu_text_escape(&buf, (struct pu_span){(const unsigned char *)text, size}, quote);
    CHECK_EQ_STR(pu_buf_text(&buf), wanted);
    pu_buf_free(&buf);
}

/* What is the same in every locale. */
static void test_escape_anywhere(void)
{
    check_escape("", 0, false, "");
    check_escape("plain [text]", 12, false, "plain [text]");
    check_escape("a\\b", 3, false, "a\\\\b");
    check_escape("a\nb\tc\rd", 7, false, "a\\nb\\tc\\rd");
    check_escape("say \"x\"", 7, false, "say \"x\"");
    check_escape("say \"x\"", 7, true, "say \\\"x\\\"");
    check_escape("\x1b[2J\a\x7f", 6, false, "\\x1b[2J\\x07\\x7f");
    check_escape("a\0b", 3, false, "a\\x00b");
    check_escape("\xff\xc3", 2, false, "\\xff\\xc3");
    check_escape("\xc2\x9b", 2, false, "\\xc2\\x9b");
    check_escape("\xe2\x80\xae"
                 "abc",
                 6, false, "\\u202eabc");
    check_escape("\xe2\x80\xa8", 3, false, "\\u2028");
    check_escape("\xd8\x9c\xef\xbb\xbf", 5, false, "\\u061c\\ufeff");
    check_escape("\xed\xa0\x80", 3, false, "\\xed\\xa0\\x80");
}

static void test_escape_c(void)
{
    CHECK(setlocale(LC_CTYPE, "C") != NULL);
    test_escape_anywhere();
    check_escape("\xc3\xa4", 2, false, "\\xc3\\xa4");
}

static void test_escape_utf8(void)
{
    CHECK(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    test_escape_anywhere();
    check_escape("\xc3\xa4 \xe4\xb8\x80 \xf0\x9f\x98\x80", 11, false,
                 "\xc3\xa4 \xe4\xb8\x80 \xf0\x9f\x98\x80");
    check_escape("\xc3\xa4\xc3", 3, false, "\xc3\xa4\\xc3");
    CHECK(setlocale(LC_CTYPE, "C") != NULL);
}

/* Every pair of bytes, in the C locale: what comes out is printable ASCII without exception. */
static void test_all_pairs(void)
{
    unsigned int bad = 0;
    char to[PU_ESCAPE_MAX];
    size_t used;

    for (unsigned int pair = 0; pair < 0x10000; pair++) {
        unsigned char text[2] = {(unsigned char)(pair >> 8), (unsigned char)pair};
        size_t size = pu_text_escape_one((struct pu_span){text, 2}, true, to, &used);
        bad += size == 0 || size > sizeof(to) || used == 0 || used > 2;
        for (size_t i = 0; i < size; i++)
            bad += to[i] < ' ' || to[i] > '~';
    }
    CHECK_EQ_U64(bad, 0);
}

int main(void)
{
    test_utf8_good();
    test_utf8_bad();
    test_utf8_all();
    test_unsafe();
    test_plain();
    test_escape_c();
    test_escape_utf8();
    test_all_pairs();
    return tap_done();
}
