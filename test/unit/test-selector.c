/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <locale.h>

#include "base/buf.h"
#include "base/selector.h"
#include "base/text.h"
#include "tap.h"

/* Parses what has to parse; released by the caller. */
static struct pu_selector parsed(const char *text)
{
    struct pu_selector selector;
    struct pu_err err = {0};

    if (!CHECK(pu_selector_parse(text, &selector, &err) == 0))
        printf("# %s: column %u: %s\n", text, err.column, err.message);
    return selector;
}

static void test_metric(void)
{
    struct pu_selector selector = parsed("disk.dev.read");

    CHECK_EQ_STR(selector.metric, "disk.dev.read");
    CHECK(!selector.glob);
    CHECK(selector.instances == NULL);
    CHECK_EQ_U64(selector.count, 0);
    CHECK(pu_selector_has_metric(&selector, pu_span_text("disk.dev.read")));
    CHECK(!pu_selector_has_metric(&selector, pu_span_text("disk.dev.reads")));
    CHECK(!pu_selector_has_metric(&selector, pu_span_text("disk.dev")));
    CHECK(!pu_selector_has_metric(&selector, pu_span_text("Disk.dev.read")));
    CHECK(!pu_selector_has_metric(&selector, (struct pu_span){NULL, 0}));
    CHECK(pu_selector_has_instance(&selector, 3, pu_span_text("sda")));
    CHECK(pu_selector_has_instance(&selector, -1, (struct pu_span){NULL, 0}));
    CHECK(pu_selector_has_singular(&selector));
    pu_selector_free(&selector);
    CHECK(selector.metric == NULL);
    pu_selector_free(&selector);
}

static void test_metric_glob(void)
{
    struct pu_selector selector = parsed("disk.*.rea?");

    CHECK(selector.glob);
    CHECK(pu_selector_has_metric(&selector, pu_span_text("disk.dev.read")));
    CHECK(pu_selector_has_metric(&selector, pu_span_text("disk..rea.")));
    CHECK(!pu_selector_has_metric(&selector, pu_span_text("disk.dev.reads")));
    pu_selector_free(&selector);
}

static void test_names(void)
{
    struct pu_selector selector = parsed("m[sda, sdb 1 ,\tx\"y\t,a[b,a\\b,-,1a,-1a,+1]");
    static const char *const wanted[] = {"sda", "sdb 1", "x\"y", "a[b", "a\\b",
                                         "-",   "1a",    "-1a",  "+1"};

    CHECK_EQ_STR(selector.metric, "m");
    CHECK_EQ_U64(selector.count, 9);
    for (size_t i = 0; i < selector.count; i++) {
        CHECK(selector.instances[i].pick == PU_PICK_NAME);
        CHECK_EQ_BYTES(selector.instances[i].name, selector.instances[i].name_size, wanted[i],
                       strlen(wanted[i]));
    }
    CHECK(!pu_selector_has_singular(&selector));
    CHECK(pu_selector_has_instance(&selector, 0, pu_span_text("sda")));
    CHECK(pu_selector_has_instance(&selector, 0, pu_span_text("sdb 1")));
    /* Neither the part before a blank, nor another case. */
    CHECK(!pu_selector_has_instance(&selector, 0, pu_span_text("sdb")));
    CHECK(!pu_selector_has_instance(&selector, 0, pu_span_text("SDA")));
    CHECK(!pu_selector_has_instance(&selector, 0, pu_span_text("sda ")));
    CHECK(!pu_selector_has_instance(&selector, 0, (struct pu_span){NULL, 0}));
    pu_selector_free(&selector);
}

static void test_ids(void)
{
    struct pu_selector selector = parsed("m[0,-1, 007 ,2147483647,-2147483648]");
    static const int32_t wanted[] = {0, -1, 7, INT32_MAX, INT32_MIN};

    CHECK_EQ_U64(selector.count, 5);
    for (size_t i = 0; i < selector.count; i++) {
        CHECK(selector.instances[i].pick == PU_PICK_ID);
        CHECK_EQ_I64(selector.instances[i].id, wanted[i]);
        CHECK(pu_selector_has_instance(&selector, wanted[i], pu_span_text("x")));
    }
    CHECK(!pu_selector_has_instance(&selector, 1, pu_span_text("0")));
    pu_selector_free(&selector);
}

static void test_globs(void)
{
    struct pu_selector selector = parsed("m[*]");

    CHECK(selector.instances[0].pick == PU_PICK_GLOB);
    CHECK(pu_selector_has_instance(&selector, 1, pu_span_text("anything")));
    CHECK(pu_selector_has_instance(&selector, 1, pu_span_text("")));
    CHECK(!pu_selector_has_singular(&selector));
    pu_selector_free(&selector);
    selector = parsed("m[sd?,\"sd*\",7]");
    CHECK(selector.instances[0].pick == PU_PICK_GLOB);
    CHECK(selector.instances[1].pick == PU_PICK_NAME);
    CHECK(pu_selector_has_instance(&selector, 1, pu_span_text("sda")));
    CHECK(pu_selector_has_instance(&selector, 1, pu_span_text("sd*")));
    CHECK(!pu_selector_has_instance(&selector, 1, pu_span_text("sdaa")));
    CHECK(pu_selector_has_instance(&selector, 7, pu_span_text("sdaa")));
    pu_selector_free(&selector);
}

static void quoted(const char *text, const char *wanted, size_t size)
{
    struct pu_selector selector = parsed(text);

    CHECK_EQ_U64(selector.count, 1);
    CHECK(selector.instances[0].pick == PU_PICK_NAME);
    CHECK_EQ_BYTES(selector.instances[0].name, selector.instances[0].name_size, wanted, size);
    CHECK(pu_selector_has_instance(&selector, 0,
                                   (struct pu_span){(const unsigned char *)wanted, size}));
    pu_selector_free(&selector);
}

static void test_quoted(void)
{
    quoted("m[\"\"]", "", 0);
    quoted("m[ \"a\" ]", "a", 1);
    quoted("m[\" a \"]", " a ", 3);
    quoted("m[\"12\"]", "12", 2);
    quoted("m[\"a,b]c[d*?\"]", "a,b]c[d*?", 9);
    quoted("m[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "\"\\/\b\f\n\r\t", 8);
    quoted("m[\"\\u0041\\u00e4\\u4E00\\uFFFF\"]", "A\xc3\xa4\xe4\xb8\x80\xef\xbf\xbf", 9);
    quoted("m[\"\\u0001\\u007f\\u0080\\u07ff\\u0800\"]", "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80", 9);
    quoted("m[\"\\ud83d\\ude00\"]", "\xf0\x9f\x98\x80", 4);
    quoted("m[\"\\uD800\\uDC00\\uDBFF\\uDFFF\"]", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8);
    quoted("m[\"\\x1b\\xff\\xAb\"]", "\x1b\xff\xab", 3);
    quoted("m[\"raw \xff\x01\n\"]", "raw \xff\x01\n", 7);
}

static void bad(const char *text, unsigned int column, const char *message)
{
    struct pu_selector selector;
    struct pu_err err = {0};

    CHECK_EQ_I64(pu_selector_parse(text, &selector, &err), -1);
    CHECK(err.code == PU_E_SYNTAX);
    CHECK_EQ_U64(err.column, column);
    CHECK_EQ_STR(err.message, message);
    pu_selector_free(&selector);
}

static void test_errors(void)
{
    bad("", 1, "the name of a metric is missing");
    bad("[a]", 1, "the name of a metric is missing");
    bad("m]", 2, "']' without '[' before it");
    bad("m[", 3, "an instance is missing");
    bad("m[]", 3, "an instance is missing");
    bad("m[ ]", 4, "an instance is missing");
    bad("m[a,]", 5, "an instance is missing");
    bad("m[,a]", 3, "an instance is missing");
    bad("m[a,,b]", 5, "an instance is missing");
    bad("m[a", 2, "the closing ']' is missing");
    bad("m[a,\"b\" ", 2, "the closing ']' is missing");
    bad("m[a]b", 5, "nothing can follow the closing ']'");
    bad("m[a] ", 5, "nothing can follow the closing ']'");
    bad("m[a][b]", 5, "nothing can follow the closing ']'");
    bad("m[\"a\"b]", 6, "',' or ']' is missing after the quoted name");
    bad("m[2147483648]", 3, "the id has more than 32 bits: quote it if it is a name");
    bad("m[1, -2147483649]", 6, "the id has more than 32 bits: quote it if it is a name");
    bad("m[99999999999999999999999]", 3, "the id has more than 32 bits: quote it if it is a name");
}

static void test_quoted_errors(void)
{
    bad("m[\"a]", 3, "the closing '\"' is missing");
    bad("m[\"", 3, "the closing '\"' is missing");
    bad("m[\"a\\", 5, "nothing follows the backslash");
    bad("m[\"a\\\"]", 3, "the closing '\"' is missing");
    bad("m[\"a\\q\"]", 5, "unknown escape in a quoted name");
    bad("m[\"\\u12\"]", 4, "\\u without four hexadecimal digits");
    bad("m[\"\\u12", 4, "\\u without four hexadecimal digits");
    bad("m[\"\\uzzzz\"]", 4, "\\u without four hexadecimal digits");
    bad("m[\"a\\u0000\"]", 5, "a name cannot hold a NUL");
    bad("m[\"\\ud83d\"]", 4, "half of a surrogate pair");
    bad("m[\"\\ud83d\\n\"]", 4, "half of a surrogate pair");
    bad("m[\"\\ud83d\\u0041\"]", 4, "half of a surrogate pair");
    bad("m[\"\\ud83d\\ud83d\"]", 4, "half of a surrogate pair");
    bad("m[\"\\ud83d\\u", 4, "half of a surrogate pair");
    bad("m[\"\\ude00\"]", 4, "half of a surrogate pair");
    bad("m[\"\\x4\"]", 4, "\\x without two hexadecimal digits");
    bad("m[\"\\x00\"]", 4, "a name cannot hold a NUL");
}

/* More than the array that grows begins with. */
static void test_many(void)
{
    struct pu_buf text = {0};
    unsigned int wrong = 0;

    pu_buf_add_text(&text, "m[0");
    for (int i = 1; i < 1000; i++)
        pu_buf_printf(&text, i % 2 ? ",%d" : ",n%d", i);
    pu_buf_add_text(&text, "]");
    struct pu_selector selector = parsed(pu_buf_text(&text));
    CHECK_EQ_U64(selector.count, 1000);
    for (int32_t i = 1; i < 1000; i += 2)
        wrong += selector.instances[i].pick != PU_PICK_ID || selector.instances[i].id != i;
    CHECK_EQ_U64(wrong, 0);
    CHECK(pu_selector_has_instance(&selector, -1, pu_span_text("n998")));
    CHECK(!pu_selector_has_instance(&selector, -1, pu_span_text("n999")));
    pu_selector_free(&selector);
    pu_buf_free(&text);
}

/* What our text shows as a quoted name selects that very name, whatever bytes it has. */
static void test_shown_name_is_a_selector(void)
{
    struct pu_buf text = {0};
    unsigned char name[255];

    for (size_t i = 0; i < sizeof(name); i++)
        name[i] = (unsigned char)(i + 1);
    pu_buf_add_text(&text, "m[\"");
    pu_text_escape(&text, (struct pu_span){name, sizeof(name)}, true);
    pu_text_escape(&text, pu_span_text("\xe2\x80\xae\xc3\xa4"), true);
    pu_buf_add_text(&text, "\"]");
    struct pu_selector selector = parsed(pu_buf_text(&text));
    CHECK_EQ_BYTES(selector.instances[0].name, 255, name, 255);
    CHECK_EQ_STR(selector.instances[0].name + 255, "\xe2\x80\xae\xc3\xa4");
    pu_selector_free(&selector);
    pu_buf_free(&text);
}

static bool glob(const char *pattern, const char *text)
{
    return pu_glob_match(pu_span_text(pattern), pu_span_text(text));
}

static void test_glob(void)
{
    CHECK(glob("", ""));
    CHECK(!glob("", "a"));
    CHECK(!glob("a", ""));
    CHECK(glob("*", ""));
    CHECK(glob("***", ""));
    CHECK(glob("*", "abc"));
    CHECK(!glob("?", ""));
    CHECK(glob("?", "a"));
    CHECK(!glob("?", "ab"));
    CHECK(glob("?*", "a"));
    CHECK(!glob("?*?", "a"));
    CHECK(glob("a*c", "abcbc"));
    CHECK(!glob("a*c", "abcb"));
    CHECK(glob("*a*b*", "xxaxxbxx"));
    CHECK(!glob("*a*b*", "xxbxxaxx"));
    CHECK(glob("*ab", "aab"));
    CHECK(glob("*.?.x", "a.b.c.x"));
    CHECK(!glob("abc", "abcd"));
    CHECK(!glob("A", "a"));
    CHECK(glob("[a]\\*", "[a]\\b"));
    CHECK(!glob("[a]", "a"));
    CHECK(glob("??", "\xc3\xa4"));
    CHECK(pu_glob_match(pu_span_text("a?b"), (struct pu_span){(const unsigned char *)"a\0b", 3}));
    CHECK(pu_glob_match((struct pu_span){NULL, 0}, (struct pu_span){NULL, 0}));
}

/* The definition, word for word: too slow for anything but this. */
static bool slow_glob(const char *pattern, const char *text)
{
    if (*pattern == '*')
        return slow_glob(pattern + 1, text) || (*text && slow_glob(pattern, text + 1));
    if (*pattern == '\0' || *text == '\0')
        return *pattern == *text;
    return (*pattern == '?' || *pattern == *text) && slow_glob(pattern + 1, text + 1);
}

static void spell(unsigned int number, const char *letters, char *to)
{
    unsigned int base = (unsigned int)strlen(letters) + 1;

    for (; number > 0 && number % base > 0; number /= base)
        *to++ = letters[number % base - 1];
    *to = '\0';
}

/* All patterns of up to six characters against all texts of up to six. */
static void test_glob_all(void)
{
    unsigned int wrong = 0;
    char pattern[16];
    char text[16];

    for (unsigned int i = 0; i < 15625; i++) {
        spell(i, "ab*?", pattern);
        for (unsigned int k = 0; k < 729; k++) {
            spell(k, "ab", text);
            wrong += glob(pattern, text) != slow_glob(pattern, text);
        }
    }
    CHECK_EQ_U64(wrong, 0);
}

/* Time goes with the product of the sizes: the recursive way would not end here. */
static void test_glob_hostile(void)
{
    char pattern[401];
    char text[4001];

    for (size_t i = 0; i < 400; i += 2)
        memcpy(pattern + i, "*a", 2);
    memcpy(pattern + 398, "*b", 3);
    memset(text, 'a', 4000);
    text[4000] = '\0';
    CHECK(!glob(pattern, text));
    text[3999] = 'b';
    CHECK(glob(pattern, text));
}

/* `text` is TARGET, '=' or '+=', VALUE. */
static void split(const char *text, const char *target, bool add, const char *value)
{
    struct pu_assignment assignment;

    CHECK(pu_assignment_split(pu_span_text(text), &assignment));
    CHECK_EQ_BYTES(assignment.target.data, assignment.target.size, target, strlen(target));
    CHECK(assignment.add == add);
    CHECK_EQ_BYTES(assignment.value.data, assignment.value.size, value, strlen(value));
}

static void does_not_split(const char *text)
{
    struct pu_assignment assignment;

    CHECK(!pu_assignment_split(pu_span_text(text), &assignment));
}

static void test_assignments(void)
{
    split("a=1", "a", false, "1");
    split("a+=1", "a", true, "1");
    split("a=", "a", false, "");
    split("a+=", "a", true, "");
    split("=", "", false, "");
    split("+=x", "", true, "x");
    split("a =  b = c ", "a ", false, "  b = c ");
    split("a++=1", "a+", true, "1");
    split("a+b=1", "a+b", false, "1");
    split("a==1", "a", false, "=1");
    split("a=+=1", "a", false, "+=1");
    split("m[x]=1", "m[x]", false, "1");
    split("m[x=y]+=1", "m[x=y]", true, "1");
    split("m[x=,+=y]=]", "m[x=,+=y]", false, "]");
    split("m[\"]=\"]=2", "m[\"]=\"]", false, "2");
    split("m[a, \t\"\\\"]=\" ,b]=2", "m[a, \t\"\\\"]=\" ,b]", false, "2");
    split("m[a\"]=2\"]", "m[a\"]", false, "2\"]"); /* a quote inside a name is a byte of it */
    split("\"a=b\"=1", "\"a=b\"", false, "1");
    split("\"a\\\"+=\"+=1", "\"a\\\"+=\"", true, "1");
    split("\"a\"[=]=1", "\"a\"[=]", false, "1");
    split("a\"b=c\"=1", "a\"b", false, "c\"=1");
    split("m[x][y=z]=1", "m[x][y=z]", false, "1");
    split("m]=1", "m]", false, "1");
}

static void test_no_assignments(void)
{
    does_not_split("");
    does_not_split("a");
    does_not_split("a+");
    does_not_split("m[=]");
    does_not_split("m[=");
    does_not_split("m[\"]=");
    does_not_split("m[\"\\");
    does_not_split("\"=");
    does_not_split("\"a=\\");
    does_not_split("\"a=\\\"=");
    does_not_split("m[a,");
    does_not_split("m[ ");
}

/* Whatever ends a target for the one ends it for the other: a target that parses is taken whole. */
static void test_split_agrees(void)
{
    static const char *const targets[] = {
        "a",          "a+b",          "m[x=y]", "m[\"]=\"]",    "\"a=b\"",
        "\"a\\\"=\"", "m[1, \"=\" ]", "m[=,=]", "\"=\"[\"=\"]", "m[a\"=b]"};
    struct pu_selector selector;
    struct pu_err err;
    char text[64];

    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        CHECK_EQ_I64(pu_selector_parse(targets[i], &selector, &err), 0);
        pu_selector_free(&selector);
        snprintf(text, sizeof(text), "%s=v", targets[i]);
        split(text, targets[i], false, "v");
        snprintf(text, sizeof(text), "%s+=v", targets[i]);
        split(text, targets[i], true, "v");
    }
}

int main(void)
{
    test_assignments();
    test_no_assignments();
    test_split_agrees();
    test_metric();
    test_metric_glob();
    test_names();
    test_ids();
    test_globs();
    test_quoted();
    test_errors();
    test_quoted_errors();
    test_many();
    test_shown_name_is_a_selector();
    CHECK(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    test_shown_name_is_a_selector();
    test_glob();
    test_glob_all();
    test_glob_hostile();
    return tap_done();
}
