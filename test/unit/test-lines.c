/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

static struct pu_lines lines;
static struct pu_span line;
static struct pu_err err;

static int file_with(const char *text, size_t size)
{
    int fd = memfd_create("lines", 0);

    if (fd < 0 || write(fd, text, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        exit(1);
    return fd;
}

/* The next line, after as many reads as it takes. */
static bool next(void)
{
    while (!pu_lines_take(&lines, &line)) {
        if (pu_lines_fill(&lines, &err) <= 0)
            return false;
    }
    return true;
}

static void expect(const char *text, uint64_t number)
{
    CHECK(next());
    CHECK_EQ_BYTES(line.data, line.size, text, strlen(text));
    CHECK_EQ_U64(line.data[line.size], 0);
    CHECK_EQ_U64(lines.number, number);
    CHECK(!lines.too_long);
}

static void test_few(void)
{
    static const char text[] = "one\n\nthree\n\n";

    pu_lines_begin(&lines, file_with(text, strlen(text)));
    expect("one", 1);
    expect("", 2);
    expect("three", 3);
    expect("", 4);
    CHECK(!next());
    CHECK_EQ_I64(pu_lines_fill(&lines, &err), 0);
    close(lines.fd);
}

static void test_without_end(void)
{
    pu_lines_begin(&lines, file_with("a\nb", 3));
    expect("a", 1);
    expect("b", 2);
    CHECK(!next());
    close(lines.fd);
    pu_lines_begin(&lines, file_with("", 0));
    CHECK(!next());
    close(lines.fd);
}

static void test_nul(void)
{
    pu_lines_begin(&lines, file_with("a\0b\n", 4));
    CHECK(next());
    CHECK_EQ_BYTES(line.data, line.size, "a\0b", 3);
    close(lines.fd);
}

/* Written in pieces: a line is taken when it is all there, and not before. */
static void test_pieces(void)
{
    int ends[2];

    CHECK_EQ_I64(pipe(ends), 0);
    pu_lines_begin(&lines, ends[0]);
    CHECK_EQ_I64(write(ends[1], "ab", 2), 2);
    CHECK_EQ_I64(pu_lines_fill(&lines, &err), 1);
    CHECK(!pu_lines_take(&lines, &line));
    CHECK_EQ_I64(write(ends[1], "c\nd\ne", 5), 5);
    CHECK_EQ_I64(pu_lines_fill(&lines, &err), 1);
    CHECK(pu_lines_take(&lines, &line));
    CHECK_EQ_BYTES(line.data, line.size, "abc", 3);
    CHECK(pu_lines_take(&lines, &line));
    CHECK_EQ_BYTES(line.data, line.size, "d", 1);
    CHECK(!pu_lines_take(&lines, &line));
    close(ends[1]);
    expect("e", 3);
    CHECK(!next());
    close(ends[0]);
}

/* Lines of every length around the longest one, one after the other. */
static void test_long(void)
{
    static char text[5 * PU_LINES_MAX + 10];
    const size_t sizes[] = {PU_LINES_MAX - 2, PU_LINES_MAX - 1, PU_LINES_MAX, PU_LINES_MAX + 1, 3};
    size_t at = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        memset(text + at, 'a' + (int)i, sizes[i]);
        at += sizes[i];
        text[at++] = '\n';
    }
    pu_lines_begin(&lines, file_with(text, at));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        bool fits = sizes[i] < PU_LINES_MAX;
        CHECK(next());
        CHECK_EQ_U64(lines.number, i + 1);
        CHECK(lines.too_long == !fits);
        CHECK_EQ_U64(line.size, fits ? sizes[i] : 0);
        CHECK(line.size == 0 || line.data[0] == 'a' + i);
    }
    CHECK(!next());
    close(lines.fd);
}

/* One that never ends is a line all the same, at the end. */
static void test_endless(void)
{
    static char text[3 * PU_LINES_MAX];

    memset(text, 'x', sizeof(text));
    for (size_t size = 2 * PU_LINES_MAX - 1; size <= 2 * PU_LINES_MAX + 1; size++) {
        pu_lines_begin(&lines, file_with(text, size));
        CHECK(next());
        CHECK(lines.too_long);
        CHECK_EQ_U64(line.size, 0);
        CHECK(!next());
        close(lines.fd);
    }
}

static void test_error(void)
{
    pu_lines_begin(&lines, -1);
    CHECK_EQ_I64(pu_lines_fill(&lines, &err), -1);
    CHECK_EQ_I64(err.code, PU_E_SYSTEM);
    CHECK_EQ_I64(err.status, EBADF);
    CHECK_EQ_STR(err.message, "cannot read: Bad file descriptor");
}

int main(void)
{
    test_few();
    test_without_end();
    test_nul();
    test_pieces();
    test_long();
    test_endless();
    test_error();
    return tap_done();
}
