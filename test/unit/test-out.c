/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/selector.h"
#include "out/field.h"
#include "tap.h"

/* A stream whose output ends up in memory. */
struct stage {
    struct pu_buf memory;
    struct pu_sink sink;
    struct pu_out out;
};

static struct pu_out *stage_open(struct stage *stage,
                                 void (*writer)(struct pu_out *out, struct pu_sink *sink))
{
    memset(&stage->memory, 0, sizeof(stage->memory));
    pu_sink_to_memory(&stage->sink, &stage->memory);
    writer(&stage->out, &stage->sink);
    return &stage->out;
}

static const char *stage_text(struct stage *stage)
{
    CHECK_EQ_I64(pu_sink_flush(&stage->sink), 0);
    CHECK_EQ_U64(stage->out.depth, 0);
    return pu_buf_text(&stage->memory);
}

/* Ends the stream, checks every byte of it, and releases everything. */
static void stage_close(struct stage *stage, const char *wanted)
{
    CHECK_EQ_STR(stage_text(stage), wanted);
    pu_buf_free(&stage->memory);
}

/* Ends the stream and reads it back with a reader that is not ours. Released by the caller. */
static json_t *stage_load(struct stage *stage)
{
    json_error_t error;
    json_t *root = json_loads(stage_text(stage), JSON_REJECT_DUPLICATES, &error);

    if (!CHECK(root != NULL))
        printf("# %d:%d: %s\n", error.line, error.column, error.text);
    pu_buf_free(&stage->memory);
    return root;
}

static struct pu_span bytes(const char *text, size_t size)
{
    return (struct pu_span){(const unsigned char *)text, size};
}

/* A field of the given form; the key is "k". */
#define FIELD(name, the_label, the_unit, the_form)                                                 \
    static const struct pu_field name = {"k", the_label, the_unit, the_form}

static void test_sink_add(void)
{
    static struct pu_sink sink;
    struct pu_buf memory = {0};

    pu_sink_to_memory(&sink, &memory);
    pu_sink_add(&sink, NULL, 0);
    pu_sink_add(&sink, "a\0b", 3);
    pu_sink_char(&sink, 'c');
    pu_sink_text(&sink, "text");
    pu_sink_u64(&sink, UINT64_MAX);
    pu_sink_i64(&sink, INT64_MIN);
    pu_sink_hex(&sink, 255);
    pu_sink_printf(&sink, "<%d %s>", 7, "x");
    CHECK_EQ_U64(memory.size, 0);
    CHECK_EQ_I64(pu_sink_flush(&sink), 0);
    CHECK_EQ_BYTES(memory.data, memory.size,
                   "a\0bctext18446744073709551615-92233720368547758080xff<7 x>", 57);
    CHECK_EQ_I64(pu_sink_flush(&sink), 0);
    CHECK_EQ_U64(memory.size, 57);
    pu_buf_free(&memory);
}

static void test_sink_escaped(void)
{
    static struct pu_sink sink;
    struct pu_buf memory = {0};

    pu_sink_to_memory(&sink, &memory);
    pu_sink_escaped(&sink, bytes("a\"\x1b\n", 4));
    pu_sink_quoted(&sink, bytes("a\"\x1b\n", 4));
    pu_sink_escaped(&sink, bytes(NULL, 0));
    pu_sink_quoted(&sink, bytes(NULL, 0));
    CHECK_EQ_I64(pu_sink_flush(&sink), 0);
    CHECK_EQ_STR(pu_buf_text(&memory), "a\"\\x1b\\n\"a\\\"\\x1b\\n\"\"\"");
    pu_buf_free(&memory);
}

/* Pieces around the size of the buffer: none is lost, none changes places. */
static void test_sink_large(void)
{
    static const size_t sizes[] = {
        10,  PU_SINK_SIZE,     1, PU_SINK_SIZE - 1, 2, PU_SINK_SIZE + 1,
        100, 3 * PU_SINK_SIZE, 5, PU_SINK_SIZE - 6, 1, 1,
    };
    static struct pu_sink sink;
    static char piece[3 * PU_SINK_SIZE];
    struct pu_buf memory = {0};
    unsigned int bad = 0;
    size_t at = 0;

    pu_sink_to_memory(&sink, &memory);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        memset(piece, 'a' + (int)i, sizes[i]);
        pu_sink_add(&sink, piece, sizes[i]);
    }
    CHECK_EQ_I64(pu_sink_flush(&sink), 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t k = 0; k < sizes[i]; k++)
            bad += at >= memory.size || memory.data[at++] != 'a' + (int)i;
    }
    CHECK_EQ_U64(bad, 0);
    CHECK_EQ_U64(memory.size, at);
    pu_buf_free(&memory);
}

static void test_sink_full(void)
{
    static struct pu_sink sink;
    static char piece[PU_SINK_SIZE + 1];
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    CHECK(fd >= 0);
    pu_sink_to_fd(&sink, fd);
    CHECK_EQ_I64(pu_sink_flush(&sink), 0);
    pu_sink_text(&sink, "text");
    CHECK_EQ_I64(sink.error, 0);
    CHECK_EQ_I64(pu_sink_flush(&sink), ENOSPC);
    /* Kept, and no longer tried. */
    CHECK_EQ_I64(pu_sink_flush(&sink), ENOSPC);
    close(fd);
    pu_sink_add(&sink, piece, sizeof(piece));
    pu_sink_text(&sink, "more");
    CHECK_EQ_I64(pu_sink_flush(&sink), ENOSPC);
}

static void test_sink_pipe(void)
{
    static struct pu_sink sink;
    char got[16];
    int ends[2];

    CHECK(pipe(ends) == 0);
    pu_sink_to_fd(&sink, ends[1]);
    pu_sink_text(&sink, "through a pipe");
    CHECK_EQ_I64(pu_sink_flush(&sink), 0);
    CHECK_EQ_I64(read(ends[0], got, sizeof(got)), 14);
    CHECK_EQ_BYTES(got, 14, "through a pipe", 14);
    close(ends[0]);
    close(ends[1]);
    pu_sink_to_fd(&sink, ends[1]);
    pu_sink_char(&sink, 'x');
    CHECK_EQ_I64(pu_sink_flush(&sink), EBADF);
}

static void test_json_document(void)
{
    FIELD(list, NULL, NULL, PU_FORM_PLAIN);
    static const struct pu_field name = {"name", "Name", NULL, PU_FORM_PLAIN};
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json);

    pu_out_document(out, "mmvdump", 1);
    pu_out_list(out, &list);
    for (int i = 0; i < 2; i++) {
        pu_out_object(out, NULL);
        pu_out_string(out, &name, i ? "second" : "first");
        pu_out_null(out, &list);
        pu_out_end(out);
    }
    pu_out_end(out);
    pu_out_bool(out, &name, true);
    pu_out_end(out);
    stage_close(&stage, "{\"schema\":\"pcputils/mmvdump\",\"version\":1,\"k\":[\n"
                        "{\"name\":\"first\",\"k\":null},\n"
                        "{\"name\":\"second\",\"k\":null}],\"name\":true}\n");
}

static void test_json_nesting(void)
{
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json);

    pu_out_object(out, NULL);
    pu_out_list(out, &field);
    pu_out_list(out, &field);
    pu_out_end(out);
    pu_out_list(out, &field);
    pu_out_i64(out, &field, 1);
    pu_out_i64(out, NULL, 2);
    pu_out_end(out);
    pu_out_object(out, &field);
    pu_out_end(out);
    pu_out_end(out);
    pu_out_end(out);
    stage_close(&stage, "{\"k\":[[],[1,2],\n{}]}\n");
}

static void test_json_depth(void)
{
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json);

    for (int i = 0; i < PU_OUT_DEPTH; i++)
        pu_out_object(out, &field);
    for (int i = 0; i < PU_OUT_DEPTH; i++)
        pu_out_end(out);
    json_t *root = stage_load(&stage);
    json_t *at = root;
    for (int i = 1; i < PU_OUT_DEPTH; i++)
        at = json_object_get(at, "k");
    CHECK_EQ_U64(json_object_size(at), 0);
    CHECK(json_is_object(at));
    json_decref(root);
}

/* One record a line, whatever is in it. */
static void test_json_lines(void)
{
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static const struct pu_field raw = {"raw", NULL, NULL, PU_FORM_PLAIN};
    static const struct pu_field text = {"text", NULL, NULL, PU_FORM_PLAIN};
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json_lines);

    for (int i = 0; i < 2; i++) {
        pu_out_object(out, NULL);
        pu_out_list(out, &field);
        pu_out_object(out, NULL);
        pu_out_end(out);
        pu_out_object(out, NULL);
        pu_out_end(out);
        pu_out_end(out);
        pu_out_string(out, &text, "a\nb");
        pu_out_raw_json(out, &raw, pu_span_text("{\r\n\"a\":\n1}"));
        pu_out_end(out);
    }
    stage_close(&stage, "{\"k\":[{},{}],\"text\":\"a\\nb\",\"raw\":{  \"a\": 1}}\n"
                        "{\"k\":[{},{}],\"text\":\"a\\nb\",\"raw\":{  \"a\": 1}}\n");
}

/* {"k": and the scalar, as text. */
static void json_scalar(struct pu_scalar scalar, const char *wanted)
{
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json);
    char text[400];

    pu_out_object(out, NULL);
    pu_out_scalar(out, &field, scalar);
    pu_out_end(out);
    snprintf(text, sizeof(text), "{\"k\":%s}\n", wanted);
    stage_close(&stage, text);
}

#define JSON_SCALAR(the_kind, member, value, wanted)                                               \
    json_scalar((struct pu_scalar){.kind = (the_kind), .member = (value)}, (wanted))

static void test_json_numbers(void)
{
    JSON_SCALAR(PU_KIND_I64, i64, INT64_MIN, "-9223372036854775808");
    JSON_SCALAR(PU_KIND_I64, i64, INT64_MAX, "9223372036854775807");
    JSON_SCALAR(PU_KIND_U64, u64, 0, "0");
    JSON_SCALAR(PU_KIND_U64, u64, INT64_MAX, "9223372036854775807");
    JSON_SCALAR(PU_KIND_U64, u64, (uint64_t)INT64_MAX + 1, "\"9223372036854775808\"");
    JSON_SCALAR(PU_KIND_U64, u64, UINT64_MAX, "\"18446744073709551615\"");
    JSON_SCALAR(PU_KIND_HEX, u64, 0xdeadbeef, "\"0xdeadbeef\"");
    JSON_SCALAR(PU_KIND_DOUBLE, number, 5, "5.0");
    JSON_SCALAR(PU_KIND_DOUBLE, number, -0.0, "-0.0");
    JSON_SCALAR(PU_KIND_DOUBLE, number, 0.1, "0.1");
    JSON_SCALAR(PU_KIND_DOUBLE, number, 1e300, "1e+300");
    JSON_SCALAR(PU_KIND_DOUBLE, number, (double)0.1f, "0.10000000149011612");
    JSON_SCALAR(PU_KIND_FLOAT, number, (double)0.1f, "0.1");
    JSON_SCALAR(PU_KIND_DOUBLE, number, (double)NAN, "\"nan\"");
    JSON_SCALAR(PU_KIND_DOUBLE, number, (double)INFINITY, "\"inf\"");
    JSON_SCALAR(PU_KIND_DOUBLE, number, (double)-INFINITY, "\"-inf\"");
    JSON_SCALAR(PU_KIND_FLOAT, number, (double)NAN, "\"nan\"");
    JSON_SCALAR(PU_KIND_FLOAT, number, (double)INFINITY, "\"inf\"");
    JSON_SCALAR(PU_KIND_FLOAT, number, (double)-INFINITY, "\"-inf\"");
}

static void test_json_words(void)
{
    JSON_SCALAR(PU_KIND_NULL, u64, 0, "null");
    JSON_SCALAR(PU_KIND_BOOL, boolean, true, "true");
    JSON_SCALAR(PU_KIND_BOOL, boolean, false, "false");
    JSON_SCALAR(PU_KIND_TIME, i64, 0, "\"1970-01-01T00:00:00Z\"");
    JSON_SCALAR(PU_KIND_TIME, i64, 1500000000, "\"1970-01-01T00:00:01.5Z\"");
    JSON_SCALAR(PU_KIND_TIME, i64, INT64_MIN, "\"1677-09-21T00:12:43.145224192Z\"");
}

static void json_bytes(const char *text, size_t size, const char *wanted)
{
    JSON_SCALAR(PU_KIND_BYTES, bytes, bytes(text, size), wanted);
    JSON_SCALAR(PU_KIND_SELECT, bytes, bytes(text, size), wanted);
}

static void test_json_strings(void)
{
    json_bytes(NULL, 0, "\"\"");
    json_bytes("plain [x]", 9, "\"plain [x]\"");
    json_bytes("\"\\/", 3, "\"\\\"\\\\/\"");
    json_bytes("\n\t\r\b\f", 5, "\"\\n\\t\\r\\u0008\\u000c\"");
    json_bytes("\0\x1b\x1f\x7f", 4, "\"\\u0000\\u001b\\u001f\\u007f\"");
    json_bytes("\xc3\xa4\xe4\xb8\x80\xf0\x9f\x98\x80", 9,
               "\"\xc3\xa4\xe4\xb8\x80\xf0\x9f\x98\x80\"");
    /* Valid, but a terminal obeys them. */
    json_bytes("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", 8, "\"\\u0080\\u009b\\u009f\xc2\xa0\"");
    json_bytes("\xe2\x80\xae\xe2\x80\xa8\xd8\x9c\xef\xbb\xbf", 11,
               "\"\\u202e\\u2028\\u061c\\ufeff\"");
}

/* Bytes that are not UTF-8: readable as far as possible, and exact beside it. */
static void test_json_not_utf8(void)
{
    json_bytes("\xff", 1, "\"\xef\xbf\xbd\",\"k_b64\":\"/w==\"");
    json_bytes("a\xff", 2, "\"a\xef\xbf\xbd\",\"k_b64\":\"Yf8=\"");
    json_bytes("a\xffz", 3, "\"a\xef\xbf\xbdz\",\"k_b64\":\"Yf96\"");
    json_bytes("\xe2\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\",\"k_b64\":\"4oA=\"");
    json_bytes("\xed\xa0\x80\0", 4,
               "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u0000\",\"k_b64\":\"7aCAAA==\"");
}

/* In a list there is no place beside it. */
static void test_json_not_utf8_in_list(void)
{
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json);

    pu_out_list(out, NULL);
    pu_out_bytes(out, &field, bytes("\xff", 1));
    pu_out_string(out, NULL, "b");
    pu_out_end(out);
    stage_close(&stage, "[\"\xef\xbf\xbd\",\"b\"]\n");
}

static void test_json_raw(void)
{
    static const char raw[] = "{\"a\": [1.50, \"\xc3\xa4\"],\n \"b\":\"\\u00e4\\n\"}";

    JSON_SCALAR(PU_KIND_JSON, bytes, pu_span_text(raw),
                "{\"a\": [1.50, \"\xc3\xa4\"],  \"b\":\"\\u00e4\\n\"}");
    JSON_SCALAR(PU_KIND_JSON, bytes, pu_span_text("\"\xc2\x9b\xe2\x80\xae\x7f\""),
                "\"\\u009b\\u202e\\u007f\"");
    JSON_SCALAR(PU_KIND_JSON, bytes, pu_span_text("17"), "17");
}

static int base64_digit(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    return (int)(strchr(digits, digit) - digits);
}

/* Reads base64 back, into `to`; returns the number of bytes. */
static size_t from_base64(const char *text, unsigned char *to)
{
    size_t size = 0;

    for (; *text; text += 4) {
        int word = base64_digit(text[0]) << 18 | base64_digit(text[1]) << 12;
        word |= text[2] == '=' ? 0 : base64_digit(text[2]) << 6;
        word |= text[3] == '=' ? 0 : base64_digit(text[3]);
        to[size++] = (unsigned char)(word >> 16);
        if (text[2] != '=')
            to[size++] = (unsigned char)(word >> 8);
        if (text[3] != '=')
            to[size++] = (unsigned char)word;
    }
    return size;
}

static bool same_bytes(json_t *root, struct pu_span wanted)
{
    unsigned char exact[64];
    json_t *text = json_object_get(root, "k");
    json_t *base64 = json_object_get(root, "k_b64");

    if (!base64)
        return pu_span_equal((struct pu_span){(const unsigned char *)json_string_value(text),
                                              json_string_length(text)},
                             wanted);
    size_t size = from_base64(json_string_value(base64), exact);
    return pu_span_equal((struct pu_span){exact, size}, wanted);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Random strings, some of them close to UTF-8: jansson reads every one, and it is the same. */
static void test_json_random_strings(void)
{
    static const unsigned char likely[] = {'a',  '"',  '\\', '\n', 0xc3, 0xa4, 0xe2, 0x80,
                                           0xae, 0xf0, 0x9f, 0x98, 0xed, 0xa0, 0xff, 0x1b};
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static struct stage stage;
    uint64_t state = 88172645463325252;
    unsigned int bad = 0;
    unsigned char text[32];

    for (int i = 0; i < 20000; i++) {
        size_t size = next_random(&state) % sizeof(text);
        for (size_t k = 0; k < size; k++) {
            uint64_t random = next_random(&state);
            text[k] = random % 3 ? likely[random >> 8 & 15] : (unsigned char)(random >> 16);
        }
        struct pu_out *out = stage_open(&stage, pu_out_to_json);
        pu_out_object(out, NULL);
        pu_out_bytes(out, &field, (struct pu_span){text, size});
        pu_out_end(out);
        bad += pu_sink_flush(&stage.sink) != 0;
        json_t *root = json_loads(pu_buf_text(&stage.memory), JSON_ALLOW_NUL, NULL);
        bad += !root || !same_bytes(root, (struct pu_span){text, size});
        json_decref(root);
        pu_buf_free(&stage.memory);
    }
    CHECK_EQ_U64(bad, 0);
}

static void test_json_random_numbers(void)
{
    FIELD(field, NULL, NULL, PU_FORM_PLAIN);
    static struct stage stage;
    uint64_t state = 2463534242;
    unsigned int bad = 0;
    double number;

    struct pu_out *out = stage_open(&stage, pu_out_to_json);
    pu_out_list(out, NULL);
    for (int i = 0; i < 10000; i++) {
        uint64_t bits = next_random(&state);
        memcpy(&number, &bits, sizeof(number));
        pu_out_double(out, &field, number);
        pu_out_i64(out, &field, (int64_t)bits);
        pu_out_u64(out, &field, bits);
    }
    pu_out_end(out);
    json_t *root = stage_load(&stage);
    state = 2463534242;
    for (size_t i = 0; i < 30000; i += 3) {
        uint64_t bits = next_random(&state);
        json_t *item = json_array_get(root, i);
        memcpy(&number, &bits, sizeof(number));
        bad += isfinite(number) ? !json_is_real(item) || json_real_value(item) != number
                                : !json_is_string(item);
        bad += json_integer_value(json_array_get(root, i + 1)) != (int64_t)bits;
        item = json_array_get(root, i + 2);
        bad += bits > INT64_MAX ? strtoull(json_string_value(item), NULL, 10) != bits
                                : (uint64_t)json_integer_value(item) != bits;
    }
    CHECK_EQ_U64(bad, 0);
    json_decref(root);
}

/* One scalar of each kind, in a document, through jansson. */
static void test_json_loaded(void)
{
    static const struct pu_field text = {"text", NULL, NULL, PU_FORM_PLAIN};
    static const struct pu_field real = {"real", NULL, NULL, PU_FORM_PLAIN};
    static const struct pu_field raw = {"raw", NULL, NULL, PU_FORM_PLAIN};
    static const struct pu_field flag = {"flag", NULL, NULL, PU_FORM_HIDDEN};
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_json);

    pu_out_document(out, "evarray", 3);
    pu_out_string(out, &text, "a\"\\\n\x1b\xc2\x9b");
    pu_out_float(out, &real, 3.3f);
    pu_out_raw_json(out, &raw, pu_span_text("{\"x\":[1,{\"y\":\"\xe2\x80\xae\"}]}"));
    pu_out_bool(out, &flag, false);
    pu_out_end(out);
    json_t *root = stage_load(&stage);
    CHECK_EQ_STR(json_string_value(json_object_get(root, "schema")), "pcputils/evarray");
    CHECK_EQ_I64(json_integer_value(json_object_get(root, "version")), 3);
    CHECK_EQ_STR(json_string_value(json_object_get(root, "text")), "a\"\\\n\x1b\xc2\x9b");
    CHECK((float)json_real_value(json_object_get(root, "real")) == 3.3f);
    json_t *list = json_object_get(json_object_get(root, "raw"), "x");
    CHECK_EQ_I64(json_integer_value(json_array_get(list, 0)), 1);
    CHECK_EQ_STR(json_string_value(json_object_get(json_array_get(list, 1), "y")), "\xe2\x80\xae");
    CHECK(json_is_false(json_object_get(root, "flag")));
    json_decref(root);
}

FIELD(line_field, NULL, NULL, PU_FORM_LINE);
FIELD(block_field, NULL, NULL, PU_FORM_BLOCK);
FIELD(named_block, "Part", NULL, PU_FORM_BLOCK);
FIELD(plain_field, NULL, NULL, PU_FORM_PLAIN);
FIELD(hidden_field, NULL, NULL, PU_FORM_HIDDEN);

static void test_text_line(void)
{
    FIELD(prefix, NULL, NULL, PU_FORM_PREFIX);
    FIELD(brackets, NULL, NULL, PU_FORM_BRACKETS);
    FIELD(quoted, NULL, NULL, PU_FORM_QUOTED);
    FIELD(labelled, "count", NULL, PU_FORM_LABELLED);
    FIELD(unlabelled, NULL, NULL, PU_FORM_LABELLED);
    FIELD(slash, NULL, NULL, PU_FORM_SLASH);
    FIELD(measured, NULL, "ms", PU_FORM_PLAIN);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_object(out, &line_field);
    pu_out_string(out, &prefix, "file");
    pu_out_string(out, &plain_field, "name");
    pu_out_string(out, &brackets, "inst");
    pu_out_i64(out, &brackets, 5);
    pu_out_string(out, &hidden_field, "secret");
    pu_out_string(out, &quoted, "say \"x\"");
    pu_out_u64(out, &labelled, 3);
    pu_out_u64(out, &unlabelled, 4);
    pu_out_string(out, &labelled, "a \"b\"");
    pu_out_string(out, &slash, "c");
    pu_out_double(out, &measured, 1.5);
    pu_out_string(out, NULL, "for programs");
    pu_out_end(out);
    stage_close(
        &stage,
        "file: name[inst][5] \"say \\\"x\\\"\" count=3 k=4 count=\"a \\\"b\\\"\"/c 1.5 ms\n");
}

static void test_text_scalars(void)
{
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_object(out, &line_field);
    pu_out_null(out, &plain_field);
    pu_out_bool(out, &plain_field, true);
    pu_out_bool(out, &plain_field, false);
    pu_out_i64(out, &plain_field, INT64_MIN);
    pu_out_u64(out, &plain_field, UINT64_MAX);
    pu_out_hex(out, &plain_field, 4096);
    pu_out_double(out, &plain_field, (double)NAN);
    pu_out_float(out, &plain_field, 0.1f);
    pu_out_time(out, &plain_field, 1500000000);
    pu_out_raw_json(out, &plain_field, pu_span_text("{\"a\":\n1}"));
    pu_out_end(out);
    stage_close(&stage, "- yes no -9223372036854775808 18446744073709551615 0x1000 nan 0.1 "
                        "1970-01-01 00:00:01.500 {\"a\":\\n1}\n");
}

static void test_text_escaping(void)
{
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_object(out, &line_field);
    pu_out_string(out, &plain_field, "\x1b[2J\nforged: line\t\\");
    pu_out_bytes(out, &plain_field, bytes("\xff\xc2\x9b\xe2\x80\xae", 6));
    pu_out_bytes(out, &plain_field, bytes("a\0b", 3));
    pu_out_end(out);
    stage_close(&stage, "\\x1b[2J\\nforged: line\\t\\\\ \\xff\\xc2\\x9b\\u202e a\\x00b\n");
}

/* Containers without a form of their own leave no trace: their members go to the line around them.
 */
static void test_text_plain_containers(void)
{
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_document(out, "mmvdump", 1);
    pu_out_string(out, &plain_field, "in no line: not shown");
    pu_out_list(out, &plain_field);
    for (int i = 0; i < 2; i++) {
        pu_out_object(out, &line_field);
        pu_out_list(out, &plain_field);
        pu_out_i64(out, &plain_field, i);
        pu_out_i64(out, &plain_field, i + 10);
        pu_out_end(out);
        pu_out_object(out, NULL);
        pu_out_bool(out, &plain_field, true);
        pu_out_end(out);
        pu_out_end(out);
    }
    pu_out_object(out, &line_field);
    pu_out_end(out);
    pu_out_end(out);
    pu_out_end(out);
    stage_close(&stage, "0 10 yes\n1 11 yes\n");
}

static void test_text_hidden_container(void)
{
    FIELD(label, "label", NULL, PU_FORM_PLAIN);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_object(out, &block_field);
    pu_out_object(out, &hidden_field);
    pu_out_i64(out, &label, 1);
    pu_out_object(out, &named_block);
    pu_out_i64(out, &label, 2);
    pu_out_end(out);
    pu_out_object(out, &line_field);
    pu_out_i64(out, &plain_field, 3);
    pu_out_end(out);
    pu_out_end(out);
    pu_out_i64(out, &label, 4);
    pu_out_end(out);
    stage_close(&stage, "label: 4\n");
}

static void test_text_block(void)
{
    FIELD(label, "Size", "bytes", PU_FORM_PLAIN);
    FIELD(quoted, "Name", NULL, PU_FORM_QUOTED);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_object(out, &block_field);
    pu_out_u64(out, &label, 7);
    pu_out_string(out, &quoted, "x");
    pu_out_object(out, &named_block);
    pu_out_u64(out, &label, 8);
    pu_out_u64(out, &plain_field, 9);
    pu_out_object(out, &named_block);
    pu_out_u64(out, &label, 10);
    pu_out_end(out);
    pu_out_end(out);
    pu_out_string(out, &hidden_field, "secret");
    pu_out_end(out);
    stage_close(&stage, "Size: 7 bytes\nName: \"x\"\nPart:\n  Size: 8 bytes\n  k: 9\n"
                        "  Part:\n    Size: 10 bytes\n");
}

static void test_text_lines_in_block(void)
{
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);

    pu_out_object(out, &block_field);
    pu_out_list(out, &named_block);
    for (int i = 0; i < 2; i++) {
        pu_out_object(out, &line_field);
        pu_out_i64(out, &plain_field, i);
        pu_out_string(out, &plain_field, "x");
        pu_out_end(out);
    }
    pu_out_end(out);
    pu_out_end(out);
    stage_close(&stage, "Part:\n  0 x\n  1 x\n");
}

static void select_as(const char *name, size_t size, const char *wanted)
{
    FIELD(brackets, NULL, NULL, PU_FORM_BRACKETS);
    static struct stage stage;
    struct pu_out *out = stage_open(&stage, pu_out_to_text);
    struct pu_selector selector = {0};
    struct pu_err err = {0};
    char text[100];

    pu_out_object(out, &line_field);
    pu_out_string(out, &plain_field, "m");
    pu_out_select(out, &brackets, bytes(name, size));
    pu_out_end(out);
    CHECK_EQ_I64(pu_sink_flush(&stage.sink), 0);
    snprintf(text, sizeof(text), "m[%s]\n", wanted);
    CHECK_EQ_STR(pu_buf_text(&stage.memory), text);
    /* And back: what is shown selects this name. */
    text[strlen(text) - 1] = '\0';
    CHECK_EQ_I64(pu_selector_parse(text, &selector, &err), 0);
    CHECK(selector.count == 1 && selector.instances[0].pick == PU_PICK_NAME);
    CHECK(pu_selector_has_instance(&selector, 0, bytes(name, size)));
    pu_selector_free(&selector);
    pu_buf_free(&stage.memory);
}

static void test_text_select(void)
{
    select_as("sda", 3, "sda");
    select_as("a b", 3, "a b");
    select_as("1a", 2, "1a");
    select_as("-", 1, "\"-\"");
    select_as("1-2", 3, "1-2");
    select_as("12", 2, "\"12\"");
    select_as("-12", 3, "\"-12\"");
    select_as("", 0, "\"\"");
    select_as(" a", 2, "\" a\"");
    select_as("a ", 2, "\"a \"");
    select_as("a,b", 3, "\"a,b\"");
    select_as("a]", 2, "\"a]\"");
    select_as("[a", 2, "\"[a\"");
    select_as("a*", 2, "\"a*\"");
    select_as("a?", 2, "\"a?\"");
    select_as("a\"b", 3, "\"a\\\"b\"");
    select_as("a\\b", 3, "\"a\\\\b\"");
    select_as("a\tb", 3, "\"a\\tb\"");
    select_as("a\x1b", 2, "\"a\\x1b\"");
    select_as("a\x7f", 2, "\"a\\x7f\"");
    select_as("\xff", 1, "\"\\xff\"");
    select_as("\xe2\x80\xae", 3, "\"\\u202e\"");
    select_as("\xc3\xa4", 2, "\"\\xc3\\xa4\"");
    CHECK(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    select_as("\xc3\xa4", 2, "\xc3\xa4");
    select_as("\xc3\xa4\xc3", 3, "\"\xc3\xa4\\xc3\"");
    CHECK(setlocale(LC_CTYPE, "C") != NULL);
}

int main(void)
{
    setenv("TZ", "UTC0", 1);
    tzset();
    test_sink_add();
    test_sink_escaped();
    test_sink_large();
    test_sink_full();
    test_sink_pipe();
    test_json_document();
    test_json_nesting();
    test_json_depth();
    test_json_lines();
    test_json_numbers();
    test_json_words();
    test_json_strings();
    test_json_not_utf8();
    test_json_not_utf8_in_list();
    test_json_raw();
    test_json_random_strings();
    test_json_random_numbers();
    test_json_loaded();
    test_text_line();
    test_text_scalars();
    test_text_escaping();
    test_text_plain_containers();
    test_text_hidden_container();
    test_text_block();
    test_text_lines_in_block();
    test_text_select();
    return tap_done();
}
