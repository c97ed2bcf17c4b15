/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/buf.h"
#include "tap.h"

static void test_empty(void)
{
    struct pu_buf buf = {0};

    CHECK_EQ_U64(pu_buf_span(&buf).size, 0);
    CHECK_EQ_STR(pu_buf_text(&buf), "");
    CHECK_EQ_U64(buf.size, 0);
    CHECK(!buf.failed);
    pu_buf_free(&buf);
    CHECK(buf.data == NULL);
    pu_buf_free(&buf);
}

static void test_add(void)
{
    struct pu_buf buf = {0};

    pu_buf_add(&buf, NULL, 0);
    CHECK_EQ_U64(buf.size, 0);
    pu_buf_add(&buf, "a\0b", 3);
    pu_buf_add_char(&buf, '\xff');
    pu_buf_add_text(&buf, "text");
    pu_buf_add_text(&buf, "");
    CHECK_EQ_BYTES(buf.data, buf.size, "a\0b\xfftext", 8);
    struct pu_span span = pu_buf_span(&buf);
    CHECK_EQ_BYTES(span.data, span.size, "a\0b\xfftext", 8);
    CHECK(!buf.failed);
    pu_buf_free(&buf);
}

static void test_printf(void)
{
    struct pu_buf buf = {0};
    char text[300];

    memset(text, 'y', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    pu_buf_printf(&buf, "%d-%s", 42, "x");
    pu_buf_printf(&buf, "%s", "");
    CHECK_EQ_STR(pu_buf_text(&buf), "42-x");
    pu_buf_printf(&buf, "%s", text);
    CHECK_EQ_U64(buf.size, 4 + 299);
    CHECK_EQ_STR(pu_buf_text(&buf) + 4, text);
    pu_buf_free(&buf);
}

static void test_room(void)
{
    struct pu_buf buf = {0};
    char *to = pu_buf_room(&buf, 1000);

    CHECK(to != NULL);
    memset(to, 'r', 1000);
    CHECK_EQ_U64(buf.size, 0);
    buf.size += 1000;
    CHECK(buf.capacity >= 1000);
    CHECK(pu_buf_room(&buf, 1) == buf.data + 1000);
    CHECK_EQ_U64(strspn(pu_buf_text(&buf), "r"), 1000);
    pu_buf_free(&buf);
}

/* The NUL of pu_buf_text() fits at every size, and does not count. */
static void test_text_at_each_size(void)
{
    struct pu_buf buf = {0};
    unsigned int bad = 0;

    for (size_t size = 0; size < 5000; size++) {
        bad += strlen(pu_buf_text(&buf)) != size || buf.size != size;
        pu_buf_add_char(&buf, 'z');
    }
    CHECK_EQ_U64(bad, 0);
    pu_buf_free(&buf);
}

/* A size no memory has: what was there stays, what comes later is ignored. */
static void test_failure(size_t first)
{
    struct pu_buf buf = {0};
    char text[64];

    memset(text, 'k', sizeof(text));
    pu_buf_add(&buf, text, first);
    CHECK(pu_buf_room(&buf, SIZE_MAX) == NULL);
    CHECK(buf.failed);
    CHECK(pu_buf_room(&buf, 1) == NULL);
    pu_buf_add_text(&buf, "later");
    pu_buf_printf(&buf, "%d", 5);
    CHECK_EQ_BYTES(buf.data, buf.size, text, first);
    CHECK_EQ_U64(strlen(pu_buf_text(&buf)), first);
    CHECK_EQ_U64(strspn(pu_buf_text(&buf), "k"), first);
    pu_buf_free(&buf);
    CHECK(!buf.failed);
}

int main(void)
{
    test_empty();
    test_add();
    test_printf();
    test_room();
    test_text_at_each_size();
    test_failure(0);
    test_failure(3);
    test_failure(63);
    test_failure(64);
    return tap_done();
}
