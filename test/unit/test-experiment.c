/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pieces that read experiments, one by one; whole experiments are tested through the tool. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "experiment/archives.h"
#include "experiment/dynamic.h"
#include "experiment/frames.h"
#include "experiment/name.h"
#include "experiment/overview.h"
#include "experiment/set.h"
#include "experiment/xml.h"
#include "tap.h"

static void test_kinds(void)
{
    static const struct {
        const char *name;
        enum pu_exp_kind kind;
        uint64_t number;
    } names[] = {
        {"test.1.er", PU_EXP_FOUNDER, 0},
        {"a.er", PU_EXP_FOUNDER, 0},
        {".er", PU_EXP_NONE, 0},
        {"er", PU_EXP_NONE, 0},
        {"test.erg", PU_EXP_NONE, 0},
        {"_f1.er", PU_EXP_LINEAGE, 0},
        {"_f3_x1_x0_C12.er", PU_EXP_LINEAGE, 0},
        {"_f1x.er", PU_EXP_ODD, 0},
        {"_f.er", PU_EXP_ODD, 0},
        {"_g1.er", PU_EXP_ODD, 0},
        {"_.er", PU_EXP_ODD, 0},
        {"M_r12.er", PU_EXP_RANK, 12},
        {"M_r.er", PU_EXP_FOUNDER, 0},
        {"M_r1x.er", PU_EXP_FOUNDER, 0},
        {"_sshd_PID_1264.1.er", PU_EXP_PROCESS, 1264},
        {"_a_PID_9_PID_1265.1.er", PU_EXP_PROCESS, 1265},
        {"__f1_PID_7.1.er", PU_EXP_PROCESS, 7},
        {"_sshd_PID_1264.2.er", PU_EXP_ODD, 0},
        {"__PID_1.1.er", PU_EXP_ODD, 0},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_EQ_U64(pu_exp_name_kind(names[i].name), names[i].kind);
        CHECK_EQ_U64(pu_exp_name_number(names[i].name), names[i].number);
    }
}

static void test_parents(void)
{
    char stem[PU_EXP_NAME_MAX];

    CHECK(pu_exp_name_parent("_f3_x1.er", stem));
    CHECK_EQ_STR(stem, "_f3");
    CHECK(pu_exp_name_parent("_f3.er", stem));
    CHECK_EQ_STR(stem, "");
    CHECK(!pu_exp_name_parent("test.1.er", stem));
    CHECK(!pu_exp_name_parent("M_r1.er", stem));
}

static void test_order(void)
{
    CHECK(pu_exp_name_compare("_f2.er", "_f10.er") < 0);
    CHECK(pu_exp_name_compare("M_r10.er", "M_r2.er") > 0);
    CHECK(pu_exp_name_compare("_f1.er", "_f1_f1.er") < 0);
    CHECK(pu_exp_name_compare("_f01.er", "_f1.er") != 0);
    CHECK(pu_exp_name_compare("_f1.er", "_f1.er") == 0);
    CHECK(pu_exp_name_compare("a99999999999999999999.er", "a100000000000000000000.er") < 0);
}

static void test_numbers(void)
{
    int64_t value = 7;

    CHECK(pu_log_parse_time("1304.022562998", &value));
    CHECK_EQ_I64(value, 1304022562998);
    CHECK(pu_log_parse_time("-0.000000001", &value));
    CHECK_EQ_I64(value, -1);
    CHECK(!pu_log_parse_time("0.5", &value));
    CHECK(!pu_log_parse_time("1.0000000001", &value));
    CHECK(!pu_log_parse_time("99999999999999.000000000", &value));
    CHECK(!pu_log_parse_time("1.000000000x", &value));
    CHECK(!pu_log_parse_time(".000000000", &value));
    CHECK(pu_log_parse_number("-9223372036854775807", &value));
    CHECK_EQ_I64(value, -INT64_MAX);
    CHECK(!pu_log_parse_number("9223372036854775808", &value));
    CHECK(!pu_log_parse_number("", &value));
    CHECK(!pu_log_parse_number("1 ", &value));
}

static void check_unescaped(const char *text, const char *expected)
{
    char copy[64];

    strcpy(copy, text);
    size_t size = pu_xml_unescape(copy, strlen(copy));
    CHECK_EQ_BYTES(copy, size, expected, strlen(expected));
}

static void test_escapes(void)
{
    check_unescaped("caf%c3%%a9%", "caf\xc3\xa9");
    check_unescaped("fork%7c%exec", "fork|exec");
    check_unescaped("100%", "100%");
    check_unescaped("%4", "%4");
    check_unescaped("%4z%%0a%", "%4z%\n");
    check_unescaped("%C3%", "%C3%"); /* the collector writes small letters only */
}

/* Test vectors: names that collectors gave. */
static void test_archive_names(void)
{
    static const char *const vectors[][2] = {
        {"/usr/lib/x86_64-linux-gnu/", "dnWuQRcLhw9"},
        {"/lib64/", "aP_8v-wjLK7"},
        {"/usr/lib64/", "OCEC1bthLm2"},
        {"/home/demo/x/", "d0Iowhcicje"},
    };
    char hash[PU_ARCHIVE_HASH + 1];
    struct pu_arena strings = {0};

    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        pu_archive_hash(pu_span_text(vectors[i][0]), hash);
        CHECK_EQ_STR(hash, vectors[i][1]);
    }
    CHECK_EQ_STR(pu_archive_name(&strings, "/home/demo/x/fx_spin", '_'), "fx_spin_d0Iowhcicje");
    CHECK_EQ_STR(pu_archive_name(&strings, "/lib64/ld.so", '.'), "ld.so.aP_8v-wjLK7");
    char path[400];
    memset(path, 'x', sizeof(path));
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    CHECK_EQ_U64(strlen(pu_archive_name(&strings, path, '_')), 243 + 12 + 12);
    pu_arena_free(&strings);
}

static void test_set(void)
{
    struct pu_set set = {0};

    CHECK_EQ_U64(pu_set_find(&set, 1), PU_SET_FULL);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < 70000; i++)
        wrong += pu_set_add(&set, i << 32) != (i < PU_SET_MAX ? i : PU_SET_FULL);
    CHECK_EQ_U64(wrong, 0);
    CHECK(set.full);
    CHECK_EQ_U64(pu_set_add(&set, UINT64_C(5) << 32), 5);
    CHECK_EQ_U64(pu_set_find(&set, UINT64_C(65535) << 32), 65535);
    CHECK_EQ_U64(pu_set_find(&set, 1), PU_SET_FULL);
    pu_set_free(&set);
}

/* --- XML ----------------------------------------------------------------------------------------
 */

struct notes {
    struct pu_xml_handler handler;
    char text[512];
};

static int note_record(struct pu_xml_handler *handler, const struct pu_xml_record *record)
{
    struct notes *notes = (struct notes *)handler;
    size_t used = strlen(notes->text);

    used += (size_t)snprintf(notes->text + used, sizeof(notes->text) - used, "%d:%s@%d",
                             (int)record->depth, record->element, (int)record->offset);
    for (size_t i = 0; i < record->attribute_count; i++)
        used += (size_t)snprintf(notes->text + used, sizeof(notes->text) - used, " %s=%s",
                                 record->attributes[i].name,
                                 (const char *)record->attributes[i].value.data);
    snprintf(notes->text + used, sizeof(notes->text) - used, " [%s]\n",
             (const char *)record->text.data);
    return strcmp(record->element, "stop") == 0 ? 3 : 0;
}

static void note_damage(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                        const char *what)
{
    struct notes *notes = (struct notes *)handler;
    size_t used = strlen(notes->text);

    (void)what;
    snprintf(notes->text + used, sizeof(notes->text) - used, "damage %d@%d\n", (int)kind,
             (int)offset);
}

static void check_xml(const char *text, size_t size, int expected_result, const char *expected)
{
    struct notes notes = {.handler = {note_record, note_damage}};
    struct pu_err err;
    int result =
        pu_xml_read((struct pu_span){(const unsigned char *)text, size}, &notes.handler, &err);

    CHECK_EQ_I64(result, expected_result);
    CHECK_EQ_STR(notes.text, expected);
}

#define XML(text, expected) check_xml(text, sizeof(text) - 1, 0, expected)

static void test_xml(void)
{
    XML("", "");
    XML("\0\0\0\n", "");
    XML("<a/>\n<b x=\"1\" y=\"&lt;\">t<c/>u</b>\n\0\0\0\n",
        "0:a@0 []\n0:b@5 x=1 y=< [t]\n1:c@24 []\n");
    XML("<a/></a>\n<b/>", "0:a@0 []\ndamage 2@4\n0:b@9 []\n");
    XML("<a x=1/>\n<b/>\n", "damage 0@5\n0:b@9 []\n");
    XML("<a x=\"1", "damage 1@0\n");
    XML("<a><b>", "0:a@0 []\n1:b@3 []\ndamage 1@6\n");
    XML("<a/>\njunk\n<b/>", "0:a@0 []\ndamage 3@5\n0:b@10 []\n");
    XML("<a/>\n\0\0<b/>", "damage 4@5\n0:a@0 []\n0:b@7 []\n");
    XML("<a x=\"\xe9\">\xc3\xa9%0a%</a>", "0:a@0 x=\xe9 [\xc3\xa9]\n");
    XML("<!DOCTYPE a [<!ENTITY b \"c\">]>\n<d/>", "damage 0@2\n0:d@31 []\n");
    check_xml("<a/><stop/><b/>", 15, 3, "0:a@0 []\n0:stop@4 []\n");
}

/* --- packets and stacks -------------------------------------------------------------------------
 */

static void put(unsigned char *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("packets", 0);

    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

static void count_packets(const unsigned char *bytes, size_t size, uint64_t block, uint64_t packets,
                          uint64_t damages)
{
    struct pu_exp_report report = {0};
    struct pu_packets reader;
    struct pu_packet packet;
    struct pu_err err;
    uint64_t count = 0;
    int fd = file_of(bytes, size);

    CHECK(pu_packets_open(&reader, fd, PU_LITTLE, block, &report, &err) == 0);
    while (pu_packets_next(&reader, &packet))
        count++;
    CHECK_EQ_U64(count, packets);
    CHECK_EQ_U64(reader.damages, damages);
    pu_packets_free(&reader);
    close(fd);
}

static void test_packets(void)
{
    static unsigned char bytes[4 * 16384];

    put(bytes, 16, 2);
    put(bytes + 2, 8, 2);
    put(bytes + 16, 16384 - 16, 2); /* an empty rest */
    put(bytes + 16384, 8, 2);
    put(bytes + 16386, 5, 2);
    count_packets(bytes, sizeof(bytes), 16384, 2, 0);
    count_packets(bytes, 2 * 16384, 16384, 2, 0);
    count_packets(bytes, 16384 + 2, 16384, 1, 1); /* cut inside of a head */
    put(bytes + 16384, 3, 2);
    count_packets(bytes, sizeof(bytes), 16384, 1, 1); /* the next blocks are empty */
    put(bytes + 16384, 16388, 2);
    count_packets(bytes, sizeof(bytes), 16384, 1, 1); /* over the end of its block */
    count_packets(bytes, sizeof(bytes), 0, 2, 0);     /* where there are none */
    put(bytes + 16, 64, 2);
    count_packets(bytes, sizeof(bytes), 16384, 1, 2); /* an empty rest that is none */
    put(bytes, 0, 2);
    count_packets(bytes, 16384, 16384, 0, 1); /* data behind a packet of size 0 */
}

static uint64_t fold(uint64_t seed, uint64_t word)
{
    return (seed + word) * UINT64_C(0x0b1f3c4b5701d8bd);
}

static void test_frames(void)
{
    unsigned char bytes[48] = {0};
    struct pu_exp_report report = {0};
    struct pu_packets reader;
    struct pu_frames frames = {0};
    struct pu_err err;
    uint64_t id = fold(fold(UINT64_C(0x0b1f3c4b5701d8bd), 0x402000), 0x401000);

    put(bytes, 48, 2);
    put(bytes + 2, PU_PACKET_FRAME, 2);
    put(bytes + 4, 16, 4);
    put(bytes + 8, id, 8);
    put(bytes + 16, 32, 4);
    put(bytes + 20, PU_FRAME_STACK, 4);
    put(bytes + 24, fold(fold(1, 0x402000), 0x401000), 8);
    put(bytes + 32, 0x401000, 8);
    put(bytes + 40, 0x402000, 8);
    int fd = file_of(bytes, sizeof(bytes));
    CHECK(pu_packets_open(&reader, fd, PU_LITTLE, 0, &report, &err) == 0);
    CHECK(pu_frames_read(&reader, true, &frames, &err) == 0);
    CHECK_EQ_U64(reader.damages, 0);
    CHECK(pu_frames_find(&frames, id) == &frames.packets[0]);
    CHECK(!pu_frames_find(&frames, id + 1));
    CHECK_EQ_U64(frames.lists[0].depth, 2);
    pu_frames_free(&frames);
    pu_packets_free(&reader);
    close(fd);
}

static void test_overview(void)
{
    unsigned char bytes[504] = {0};

    put(bytes, 4711, 4);
    put(bytes + 8, 100, 8);
    put(bytes + 16, 5, 8);
    put(bytes + 72, 1, 8);
    put(bytes + 80, 2000000000, 8); /* no nanoseconds */
    struct pu_overview_record record =
        pu_overview_at((struct pu_span){bytes, sizeof(bytes)}, 0, true, PU_LITTLE);
    CHECK_EQ_I64(record.pid, 4711);
    CHECK_EQ_I64(record.time, 100000000005);
    CHECK_EQ_I64(record.times[PU_OVERVIEW_USER], 0);
    CHECK_EQ_U64(pu_overview_size(false), 256);
}

int main(void)
{
    test_kinds();
    test_parents();
    test_order();
    test_numbers();
    test_escapes();
    test_archive_names();
    test_set();
    test_xml();
    test_packets();
    test_frames();
    test_overview();
    return tap_done();
}
