/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json-read.h"

#include <math.h>

#include "tap.h"

/* A document that is there for one check. */
static struct pu_json json;
static struct pu_err err;

static int parse(const char *text)
{
    pu_json_free(&json);
    err = (struct pu_err){0};
    return pu_json_parse(&json, pu_span_text(text), &err);
}

static void must_parse(const char *text)
{
    if (parse(text) < 0)
        CHECK_EQ_STR(err.message, "");
}

static void check_error(unsigned int line, unsigned int column, const char *where,
                        const char *message)
{
    CHECK_EQ_I64(err.code, PU_E_SYNTAX);
    CHECK_EQ_U64(err.line, line);
    CHECK_EQ_U64(err.column, column);
    CHECK_EQ_STR(err.where, where);
    CHECK_EQ_STR(err.message, message);
}

static void test_parse(void)
{
    CHECK_EQ_I64(parse("{\"a\":1}"), 0);
    CHECK(json_is_object(json.root));
    CHECK_EQ_I64(parse(""), -1);
    check_error(1, 1, "", "'[' or '{' expected near end of file");
    CHECK_EQ_I64(parse("{\n \"a\": 1,\n \"a\": 2}"), -1);
    check_error(3, 4, "", "duplicate object key near '\"a\"'");
    CHECK_EQ_I64(parse("{\"a\":\"x\\u0000\"}"), -1);
    check_error(1, 14, "", "a NUL would end the text");
    CHECK_EQ_I64(parse("[1,]"), -1);
    CHECK_EQ_U64(err.line, 1);
    pu_json_free(&json);
    pu_json_free(&json); /* and again */
}

static void test_path(void)
{
    must_parse("{}");
    size_t outer = pu_json_enter(&json, "metrics");
    CHECK_EQ_STR(json.path, "metrics"); /* no dot in front */
    size_t inner = pu_json_enter_item(&json, NULL, 3);
    size_t innermost = pu_json_enter(&json, "units");
    CHECK_EQ_STR(json.path, "metrics[3].units");
    pu_json_leave(&json, innermost);
    CHECK_EQ_STR(json.path, "metrics[3]");
    pu_json_leave(&json, inner);
    CHECK_EQ_STR(json.path, "metrics");
    pu_json_leave(&json, outer);
    CHECK_EQ_STR(json.path, "");
    /* Too long for the room there is: cut, and still undone. */
    for (int i = 0; i < 100; i++)
        (void)pu_json_enter(&json, "member");
    CHECK_EQ_U64(strlen(json.path), sizeof(json.path) - 1);
    pu_json_leave(&json, 0);
    CHECK_EQ_STR(json.path, "");
}

static void locate(const char *text, const char *path, unsigned int line, unsigned int column)
{
    unsigned int found_line = 0;
    unsigned int found_column = 0;

    pu_json_locate(pu_span_text(text), path, &found_line, &found_column);
    CHECK_EQ_U64(found_line, line);
    CHECK_EQ_U64(found_column, column);
}

static void test_locate(void)
{
    locate("{}", "", 1, 1);
    locate(" \n\t{}", "", 2, 2);
    locate("{\"a\":1}", "a", 1, 6);
    locate("{\"a\":1,\"b\":2}", "b", 1, 12);
    locate("{ \"a\"\n :\r\n\t 1 , \"b\" : [ 2 , 3 ] }", "b", 3, 13);
    locate("{ \"a\" : [ 2 ,\n   { \"x\" : 5 } ] }", "a[1]", 2, 4);
    locate("{ \"a\" : [ 2 ,\n   { \"x\" : 5 } ] }", "a[1].x", 2, 12);
    locate("[[1,[2,3]],[4]]", "[0][1][1]", 1, 8);
    locate("[[1,[2,3]],[4]]", "[1][0]", 1, 13);
    /* Brackets, commas and quotes in strings are no structure, and keys in values no keys. */
    locate("{\"a\":\"]},\\\"{[\",\"b\":1}", "b", 1, 20);
    locate("{\"a\":{\"b\":1},\"b\":2}", "b", 1, 18);
    locate("{\"a\":[\"b\"],\"ab\":1,\"b\":2}", "b", 1, 23);
    locate("{\"a\\\\\":1,\"b\":2}", "b", 1, 14);
    /* The nearest thing above what is not there. */
    locate("{\"a\":{\"b\":1}}", "a.c", 1, 6);
    locate("{\"a\":[1]}", "a[7].x", 1, 6);
    locate("{\"a\":[]}", "a[0]", 1, 7);
    locate("{\"a\":5}", "a.b.c", 1, 6);
    locate("{\"a\":5}", "x[1]", 1, 1);
    /* Text that is no JSON at all: somewhere in it. */
    locate("", "a", 1, 1);
    locate("{\"a", "a.b", 1, 1);
    locate("{\"a\":", "a", 1, 6);
    locate("[1", "[1]", 1, 1);
    locate("{\"a\":\"\\", "b", 1, 1);
}

static const char *const long_lists[] = {"files[0].values", "values", NULL};

static int parse_but(const char *text)
{
    pu_json_free(&json);
    err = (struct pu_err){0};
    return pu_json_parse_but(&json, pu_span_text(text), long_lists, &err);
}

/* All elements of "values" in `object` as one text, or NULL with an error that blames the text. */
static const char *read_items(const json_t *object)
{
    static struct pu_buf text;
    struct pu_json_items items = {0};

    text.size = 0;
    CHECK_EQ_I64(pu_json_items(&json, object, "values", &items, &err), 1);
    for (size_t i = 0; i < items.count; i++) {
        json_t *item = pu_json_next(&items, &err);
        if (!item) {
            pu_json_blame_text(&json, &err);
            pu_buf_free(&text);
            return NULL;
        }
        pu_buf_add_text(&text, i ? " " : "");
        pu_json_compact(&text, item);
        json_decref(item);
    }
    return pu_buf_text(&text);
}

/* `in_tree`: how many elements were not left out. */
static void check_items(const char *text, const char *items, size_t in_tree)
{
    CHECK_EQ_I64(parse_but(text), 0);
    const json_t *first = json_array_get(json_object_get(json.root, "files"), 0);
    size_t mark = first ? pu_json_enter(&json, "files[0]") : 0;
    const json_t *object = first ? first : json.root;
    CHECK_EQ_STR(read_items(object), items);
    CHECK_EQ_U64(json_array_size(json_object_get(object, "values")), in_tree);
    pu_json_leave(&json, mark);
}

static void test_items(void)
{
    check_items("{\"values\":[1,\"a,]\",{\"b\":[2,3]},null]}", "1 \"a,]\" {\"b\":[2,3]} null", 0);
    check_items(" { \"a\" : [ { } ] ,\n \"values\" : [ 1 , [ ] ] , \"z\" : 2 } ", "1 []", 0);
    check_items("{\"files\":[{\"values\":[{\"x\":1}]}],\"values\":[7]}", "{\"x\":1}", 0);
    check_items("{\"values\":[]}", "", 0);
    check_items("{\"values\":[ \n]}", "", 0);
    /* Escaped names are not found in the text; a list elsewhere is another one. */
    check_items("{\"v\\u0061lues\":[1,2]}", "1 2", 2);
    check_items("{\"f\\u0069les\":[{\"values\":[1]}],\"values\":[7,8]}", "1", 1);
}

/* As the parser has it for the whole text, even when something else is wrong before. */
static void test_wrong_items(void)
{
    static const char *const wrong[] = {
        "{\"values\":[1,]}",
        "{\"values\":[,1]}",
        "{\"values\":[1 2]}",
        "{\"values\":[{\"a\":1,\n\"a\":2}]}",
        "{\"values\":[1,\n\"\xff\"]}",
        "{\"values\":[1,\n{]}",
        "{\"values\":[99999999999999999999]}",
        "{\"values\":[\"x\\u0000\"]}",
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_EQ_I64(parse(wrong[i]), -1);
        struct pu_err want = err;
        if (parse_but(wrong[i]) == 0)
            CHECK(!read_items(json.root));
        check_error(want.line, want.column, "", want.message);
    }
    CHECK_EQ_I64(parse_but("{\"values\":[1]}x"), -1);
    check_error(1, 15, "", "end of file expected near 'x'");
    CHECK_EQ_I64(parse_but("{\"values\":[1"), -1);
    CHECK_EQ_I64(parse_but("{\"values\":[1],\"values\":[2]}"), -1);
    check_error(1, 22, "", "duplicate object key near '\"values\"'");
    CHECK_EQ_I64(parse_but(""), -1);
    check_error(1, 1, "", "'[' or '{' expected near end of file");
    /* What is said otherwise stays where the text is right. */
    CHECK_EQ_I64(parse_but("{\"values\":[1]}"), 0);
    (void)pu_json_wrong(&json, &err, "no");
    pu_json_blame_text(&json, &err);
    check_error(1, 1, "", "no");
}

static void test_hold(void)
{
    CHECK_EQ_I64(parse_but("{\"values\":[\"text\"]}"), 0);
    struct pu_json_items items = {0};
    CHECK_EQ_I64(pu_json_items(&json, json.root, "values", &items, &err), 1);
    json_t *item = pu_json_next(&items, &err);
    const char *text = json_string_value(item);
    CHECK(pu_json_hold(&json, item));
    json_decref(item);
    CHECK_EQ_STR(text, "text");
}

static void test_i64(void)
{
    int64_t number = 7;

    must_parse(
        "{\"a\":-5,\"b\":\"12\",\"c\":9223372036854775807,\"d\":\"-9223372036854775808\","
        "\"e\":1.0,\"f\":\"x\",\"g\":null,\"h\":\"9223372036854775808\",\"i\":\"-\",\"j\":\"\"}");
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "none", 0, 9, &number, &err), 0);
    CHECK_EQ_I64(number, 7);
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "a", -5, 9, &number, &err), 1);
    CHECK_EQ_I64(number, -5);
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "b", 0, 12, &number, &err), 1);
    CHECK_EQ_I64(number, 12);
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "c", 0, INT64_MAX, &number, &err), 1);
    CHECK_EQ_I64(number, INT64_MAX);
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "d", INT64_MIN, 0, &number, &err), 1);
    CHECK_EQ_I64(number, INT64_MIN);
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "a", -4, 9, &number, &err), -1);
    check_error(1, 6, "a", "-5 is not from -4 to 9");
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "b", 0, 11, &number, &err), -1);
    check_error(1, 13, "b", "12 is not from 0 to 11");
    CHECK_EQ_I64(number, INT64_MIN);
    for (const char *key = "e\0f\0h\0i\0j\0"; *key; key += 2) {
        CHECK_EQ_I64(pu_json_i64(&json, json.root, key, INT64_MIN, INT64_MAX, &number, &err), -1);
        CHECK_EQ_STR(err.where, key);
    }
    CHECK_EQ_STR(err.message, "an integer is due, this is a string");
    CHECK_EQ_I64(pu_json_i64(&json, json.root, "g", 0, 9, &number, &err), -1);
    CHECK_EQ_STR(err.message, "an integer is due, this is null");
    CHECK_EQ_I64(number, INT64_MIN);
    CHECK_EQ_STR(json.path, "");
}

static void test_u64(void)
{
    uint64_t number = 7;

    must_parse("{\"a\":5,\"b\":\"18446744073709551615\",\"c\":-1,\"d\":\"18446744073709551616\","
               "\"e\":1.5,\"f\":[]}");
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "none", 9, &number, &err), 0);
    CHECK_EQ_U64(number, 7);
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "a", 5, &number, &err), 1);
    CHECK_EQ_U64(number, 5);
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "b", UINT64_MAX, &number, &err), 1);
    CHECK_EQ_U64(number, UINT64_MAX);
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "a", 4, &number, &err), -1);
    check_error(1, 6, "a", "5 is not from 0 to 4");
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "c", UINT64_MAX, &number, &err), -1);
    CHECK_EQ_STR(err.message, "-1 is not from 0 to 18446744073709551615");
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "d", UINT64_MAX, &number, &err), -1);
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "e", UINT64_MAX, &number, &err), -1);
    CHECK_EQ_I64(pu_json_u64(&json, json.root, "f", 9, &number, &err), -1);
    CHECK_EQ_STR(err.message, "an integer from 0 to 9 is due, this is a list");
    CHECK_EQ_U64(number, UINT64_MAX);
}

static void test_hex(void)
{
    static const char *const bad[] = {"", "0x", "1f", "0X1", "0x1g", "0x12345678901234567", "-0x1"};
    char text[64];
    uint64_t word = 7;

    must_parse("{\"a\":\"0x1F\",\"b\":\"0xffffffffffffffff\",\"c\":31}");
    CHECK_EQ_I64(pu_json_hex(&json, json.root, "none", &word, &err), 0);
    CHECK_EQ_U64(word, 7);
    CHECK_EQ_I64(pu_json_hex(&json, json.root, "a", &word, &err), 1);
    CHECK_EQ_U64(word, 31);
    CHECK_EQ_I64(pu_json_hex(&json, json.root, "b", &word, &err), 1);
    CHECK_EQ_U64(word, UINT64_MAX);
    CHECK_EQ_I64(pu_json_hex(&json, json.root, "c", &word, &err), -1);
    CHECK_EQ_STR(err.where, "c");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text), "{\"a\":\"%s\"}", bad[i]);
        must_parse(text);
        CHECK_EQ_I64(pu_json_hex(&json, json.root, "a", &word, &err), -1);
        check_error(1, 6, "a", "a hexadecimal number in quotes is due, as in \"0x1f\"");
    }
    CHECK_EQ_U64(word, UINT64_MAX);
}

static void test_others(void)
{
    bool flag = true;
    json_t *list = NULL;

    must_parse("{\"t\":true,\"f\":false,\"n\":1,\"l\":[1],\"o\":{}}");
    CHECK_EQ_I64(pu_json_bool(&json, json.root, "none", &flag, &err), 0);
    CHECK(flag);
    CHECK_EQ_I64(pu_json_bool(&json, json.root, "f", &flag, &err), 1);
    CHECK(!flag);
    CHECK_EQ_I64(pu_json_bool(&json, json.root, "t", &flag, &err), 1);
    CHECK(flag);
    CHECK_EQ_I64(pu_json_bool(&json, json.root, "n", &flag, &err), -1);
    check_error(1, 25, "n", "true or false is due, this is a number");
    pu_json_leave(&json, 0);
    CHECK_EQ_I64(pu_json_list(&json, json.root, "none", &list, &err), 0);
    CHECK(!list);
    CHECK_EQ_I64(pu_json_list(&json, json.root, "l", &list, &err), 1);
    CHECK_EQ_U64(json_array_size(list), 1);
    CHECK_EQ_I64(pu_json_list(&json, json.root, "o", &list, &err), -1);
    check_error(1, 39, "o", "a list is due, this is an object");
}

static void test_double(void)
{
    double number = 7;

    must_parse("[1, 0.1, -0.0, \"nan\", \"inf\", \"-inf\", \"NaN\", \"1\", true]");
    static const double wanted[] = {1, 0.1, -0.0, 0, INFINITY, -INFINITY};
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQ_I64(pu_json_value_double(&json, json_array_get(json.root, i), &number, &err), 1);
        CHECK(i == 3 ? isnan(number) : number == wanted[i]);
    }
    for (size_t i = 6; i < 9; i++)
        CHECK_EQ_I64(pu_json_value_double(&json, json_array_get(json.root, i), &number, &err), -1);
    CHECK_EQ_STR(err.message, "a number is due, this is a boolean");
    CHECK(number == -INFINITY);
}

static void check_text(const char *key, const char *wanted, size_t size)
{
    struct pu_span text = {0};

    CHECK_EQ_I64(pu_json_text(&json, json.root, key, &text, &err), 1);
    CHECK_EQ_BYTES(text.data, text.size, wanted, size);
}

static void test_text(void)
{
    struct pu_span text = {0};

    must_parse("{\"a\":\"x\\\"\",\"e\":\"\",\"b\":\"?\",\"b_b64\":\"/wBB\",\"c_b64\":\"QQ==\","
               "\"d_b64\":\"\",\"f_b64\":\"QUI=\",\"n\":5}");
    CHECK_EQ_I64(pu_json_text(&json, json.root, "none", &text, &err), 0);
    CHECK(!text.data);
    check_text("a", "x\"", 2);
    check_text("e", "", 0);
    check_text("b", "\xff\0A", 3);
    check_text("c", "A", 1);
    check_text("d", "", 0);
    check_text("f", "AB", 2);
    CHECK_EQ_I64(pu_json_text(&json, json.root, "n", &text, &err), -1);
    CHECK_EQ_STR(err.message, "a string is due, this is a number");
}

/* All lengths and all bytes, against an encoder of our own. */
static void test_base64(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned int bad = 0;

    for (size_t size = 0; size < 300; size++) {
        unsigned char bytes[300];
        char document[500] = "{\"a_b64\":\"";
        size_t at = strlen(document);
        struct pu_span text = {0};
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)(i * 7 + size);
        for (size_t i = 0; i < size; i += 3) {
            uint32_t bits = (uint32_t)bytes[i] << 16 | (i + 1 < size ? bytes[i + 1] << 8 : 0) |
                            (i + 2 < size ? bytes[i + 2] : 0);
            for (size_t n = 0; n < 4; n++)
                document[at++] = i + n <= size ? digits[bits >> (18 - 6 * n) & 63] : '=';
        }
        strcpy(document + at, "\"}");
        must_parse(document);
        bad += pu_json_text(&json, json.root, "a", &text, &err) != 1 || text.size != size ||
               (size && memcmp(text.data, bytes, size) != 0);
    }
    CHECK_EQ_U64(bad, 0);
}

static void test_bad_base64(void)
{
    static const char *const bad[] = {"A",    "AA",   "AAA",       "A===",     "====",     "=AAA",
                                      "AA=A", "A A=", "AAAA\\n==", "AA==AA==", "AAAA====", "AA-_"};
    struct pu_span text = {0};
    char document[64];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(document, sizeof(document), "{\"a\":\"\",\"a_b64\":\"%s\"}", bad[i]);
        must_parse(document);
        CHECK_EQ_I64(pu_json_text(&json, json.root, "a", &text, &err), -1);
        CHECK_EQ_STR(err.message, "a_b64 is not base64");
    }
    must_parse("{\"a_b64\":[]}");
    CHECK_EQ_I64(pu_json_text(&json, json.root, "a", &text, &err), -1);
    CHECK_EQ_STR(err.message, "a_b64 is not a string");
    CHECK(!text.data);
}

static void test_compact(void)
{
    static const char *const same[] = {"[]",
                                       "{}",
                                       "[1,-2,9223372036854775807]",
                                       "{\"a\":{\"b\":[true,false,null]},\"c\":\"x y\"}",
                                       "[\"\\\"\\\\\\n\\u0001\",\"\xc3\xa4\"]",
                                       "[0.1,-0.0,5e-324]",
                                       "{\"\":\"\"}"};
    struct pu_buf text = {0};

    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        must_parse(same[i]);
        text.size = 0;
        pu_json_compact(&text, json.root);
        CHECK_EQ_STR(pu_buf_text(&text), same[i]);
    }
    must_parse(" { \"b\" : [ 1 , 1.50e3 , { } ] , \"a\" : \"\\u00e4\\/\" } ");
    text.size = 0;
    pu_json_compact(&text, json.root);
    CHECK_EQ_STR(pu_buf_text(&text), "{\"b\":[1,1500.0,{}],\"a\":\"\xc3\xa4/\"}");
    pu_buf_free(&text);
}

int main(void)
{
    test_parse();
    test_path();
    test_locate();
    test_items();
    test_wrong_items();
    test_hold();
    test_i64();
    test_u64();
    test_hex();
    test_others();
    test_double();
    test_text();
    test_base64();
    test_bad_base64();
    test_compact();
    pu_json_free(&json);
    return tap_done();
}
