/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "base/err.h"
#include "tap.h"

/* A value full of rubbish, as an uninitialised one on the stack would be. */
static struct pu_err dirty(void)
{
    struct pu_err err = {0};

    memset(&err, 0x5a, sizeof(err));
    return err;
}

static void test_set(void)
{
    struct pu_err err = dirty();

    CHECK_EQ_I64(pu_err_set(&err, PU_E_SYNTAX, "no %s in %d", "unit", 7), -1);
    CHECK(err.code == PU_E_SYNTAX);
    CHECK_EQ_I64(err.status, 0);
    CHECK(!err.has_offset);
    CHECK_EQ_U64(err.offset, 0);
    CHECK_EQ_U64(err.line, 0);
    CHECK_EQ_U64(err.column, 0);
    CHECK_EQ_STR(err.where, "");
    CHECK_EQ_STR(err.message, "no unit in 7");
}

static void test_place_is_forgotten(void)
{
    struct pu_err err = dirty();

    pu_err_damage(&err, 40, "bad word");
    pu_err_where(&err, "toc[%d]", 2);
    pu_err_set(&err, PU_E_LIMIT, "too large");
    CHECK(!err.has_offset);
    CHECK_EQ_STR(err.where, "");
}

static void test_system(void)
{
    struct pu_err err = dirty();

    CHECK_EQ_I64(pu_err_system(&err, ENOENT, "cannot open %s", "x"), -1);
    CHECK(err.code == PU_E_SYSTEM);
    CHECK_EQ_I64(err.status, ENOENT);
    CHECK_EQ_STR(err.message, "cannot open x: No such file or directory");
    CHECK(!err.has_offset);
}

static void test_damage(void)
{
    struct pu_err err = dirty();

    CHECK_EQ_I64(pu_err_damage(&err, UINT64_MAX, "TOC of %u entries", 3u), -1);
    CHECK(err.code == PU_E_DAMAGED);
    CHECK(err.has_offset);
    CHECK_EQ_U64(err.offset, UINT64_MAX);
    CHECK_EQ_I64(err.status, 0);
    CHECK_EQ_STR(err.message, "TOC of 3 entries");
}

static void test_where(void)
{
    struct pu_err err = dirty();

    pu_err_damage(&err, 8, "bad name");
    CHECK_EQ_I64(pu_err_where(&err, "toc[%d].metric[%d].name", 2, 5), -1);
    CHECK_EQ_STR(err.where, "toc[2].metric[5].name");
    CHECK_EQ_STR(err.message, "bad name");
    CHECK(err.has_offset);
    CHECK_EQ_U64(err.offset, 8);
}

static void test_bounds(void)
{
    struct pu_err err = dirty();
    char text[1000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    pu_err_set(&err, PU_E_LIMIT, "%s", text);
    CHECK_EQ_BYTES(err.message, strlen(err.message), text, sizeof(err.message) - 1);
    pu_err_system(&err, EIO, "%s", text);
    CHECK_EQ_U64(strlen(err.message), sizeof(err.message) - 1);
    pu_err_where(&err, "%s", text);
    CHECK_EQ_BYTES(err.where, strlen(err.where), text, sizeof(err.where) - 1);
    pu_err_system(&err, EIO, "%.250s", text);
    CHECK_EQ_U64(strlen(err.message), sizeof(err.message) - 1);
    CHECK_EQ_STR(err.message + 250, ": Inp");
}

static void test_list(void)
{
    struct pu_errors list = {0};
    struct pu_err err = {0};

    for (unsigned int i = 0; i < PU_ERRORS_KEPT + 5; i++) {
        pu_err_damage(&err, i, "number %u", i);
        pu_errors_add(&list, &err);
    }
    CHECK_EQ_U64(list.kept, PU_ERRORS_KEPT);
    CHECK_EQ_U64(list.count, PU_ERRORS_KEPT + 5);
    CHECK_EQ_STR(list.items[0].message, "number 0");
    CHECK_EQ_STR(list.items[PU_ERRORS_KEPT - 1].message, "number 19");
    CHECK_EQ_U64(list.items[PU_ERRORS_KEPT - 1].offset, 19);
    pu_errors_free(&list);
    CHECK(list.items == NULL);
    CHECK_EQ_U64(list.kept, 0);
    CHECK_EQ_U64(list.count, 0);
    pu_errors_free(&list);
}

int main(void)
{
    test_set();
    test_place_is_forgotten();
    test_system();
    test_damage();
    test_where();
    test_bounds();
    test_list();
    return tap_done();
}
