/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent's use of PMDAEVENTARRAY(3). It is compiled twice: with libpcp_pmda, as event-pcp, and
 * with event/pmda.h in front, as event-own. What they write and print must be the same.
 *     PROGRAM arrays DIRECTORY [SEED COUNT]   arrays of all kinds, and COUNT random ones of each
 *     PROGRAM calls                           statuses of calls, right and wrong
 *     PROGRAM undefined                       of calls that libpcp_pmda has no answer to
 */
#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 1700000000

static const pmID some_pmid = UINT32_C(29) << 22 | 130;

/* One of the two kinds, by its index. */
struct target {
    bool ns;
    int index;
};

static struct target target;

static int new_array(void)
{
    return target.ns ? pmdaEventNewHighResArray() : pmdaEventNewArray();
}

static int add_record(int64_t seconds, long fraction, int flags)
{
    struct timeval us = {.tv_sec = seconds, .tv_usec = fraction};
    struct timespec ns = {.tv_sec = seconds, .tv_nsec = fraction};

    return target.ns ? pmdaEventAddHighResRecord(target.index, &ns, flags)
                     : pmdaEventAddRecord(target.index, &us, flags);
}

static int add_missed(int64_t seconds, long fraction, int count)
{
    struct timeval us = {.tv_sec = seconds, .tv_usec = fraction};
    struct timespec ns = {.tv_sec = seconds, .tv_nsec = fraction};

    return target.ns ? pmdaEventAddHighResMissedRecord(target.index, &ns, count)
                     : pmdaEventAddMissedRecord(target.index, &us, count);
}

static int add_param(int type, pmAtomValue *atom)
{
    return target.ns ? pmdaEventAddHighResParam(target.index, some_pmid, type, atom)
                     : pmdaEventAddParam(target.index, some_pmid, type, atom);
}

static int add_number(int type, uint64_t bits)
{
    pmAtomValue atom = {.ull = bits};

    return add_param(type, &atom);
}

static int add_double(int type, double number)
{
    pmAtomValue atom;

    memset(&atom, 0, sizeof(atom));
    if (type == PM_TYPE_FLOAT)
        atom.f = (float)number;
    else
        atom.d = number;
    return add_param(type, &atom);
}

/* Of `size` bytes that begin with `first`, each one more than the one before, none of them NUL. */
static int add_text(int first, size_t size)
{
    char *text = malloc(size + 1);
    pmAtomValue atom = {.cp = text};

    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + (first + (int)i) % 26);
    text[size] = '\0';
    int status = add_param(PM_TYPE_STRING, &atom);
    free(text);
    return status;
}

static int add_bytes(int first, size_t size)
{
    pmValueBlock *block = calloc(1, sizeof(*block) + size);
    pmAtomValue atom = {.vbp = block};

    block->vlen = (unsigned int)(PM_VAL_HDR_SIZE + size);
    for (size_t i = 0; i < size; i++)
        block->vbuf[i] = (char)(first + (int)i);
    int status = add_param(PM_TYPE_AGGREGATE, &atom);
    free(block);
    return status;
}

static void empty(void)
{
}

static void noparam(void)
{
    add_record(SECONDS, 123456, PM_EVENT_FLAG_POINT);
}

static void flags0(void)
{
    add_record(SECONDS, 0, 0);
    add_number(PM_TYPE_U32, 7);
}

static void alltypes(void)
{
    add_record(SECONDS, 999999, PM_EVENT_FLAG_POINT);
    add_number(PM_TYPE_32, 0x80000000u);
    add_number(PM_TYPE_U32, UINT32_MAX);
    add_number(PM_TYPE_64, UINT64_C(1) << 63);
    add_number(PM_TYPE_U64, UINT64_MAX);
    add_double(PM_TYPE_FLOAT, 0.1);
    add_double(PM_TYPE_DOUBLE, -1e300);
    add_text(0, 7);
    add_bytes(0, 5);
}

static void strings(void)
{
    for (int size = 0; size < 10; size++) {
        add_record(SECONDS + size, size, PM_EVENT_FLAG_POINT);
        add_text(size, (size_t)size);
    }
}

static void aggregates(void)
{
    add_record(SECONDS, 0, PM_EVENT_FLAG_POINT);
    for (int size = 0; size < 10; size++)
        add_bytes(250, (size_t)size);
}

static void missed(void)
{
    add_missed(SECONDS, 123456, 7);
    add_record(SECONDS + 1, 123456, PM_EVENT_FLAG_POINT);
    add_number(PM_TYPE_U32, 5);
    add_missed(SECONDS + 2, 123456, 0);
    add_missed(SECONDS + 3, 999999, INT_MAX);
}

static void missed_negative(void)
{
    add_missed(SECONDS, 5, -1);
    add_missed(SECONDS, 5, INT_MIN);
}

static void allflags(void)
{
    add_record(SECONDS, 1, PM_EVENT_FLAG_START | PM_EVENT_FLAG_ID);
    add_text(3, 5);
    add_record(SECONDS, 2, PM_EVENT_FLAG_END | PM_EVENT_FLAG_ID | PM_EVENT_FLAG_PARENT);
    add_number(PM_TYPE_U64, 1);
    add_number(PM_TYPE_U64, 2);
    add_record(SECONDS, 3, 0x7fffffe0);
}

static void growing(void)
{
    for (int i = 0; i < 60; i++) {
        add_record(SECONDS + i, i, PM_EVENT_FLAG_POINT);
        add_number(PM_TYPE_U32, (uint64_t)i);
        add_text(i, 11);
    }
}

static void large(void)
{
    add_record(SECONDS, 0, PM_EVENT_FLAG_POINT);
    add_text(0, 70001);
}

static void late(void)
{
    add_record(INT64_C(4102444800), 5, PM_EVENT_FLAG_POINT);
    add_missed(INT64_C(4102444800), 5, 3);
    add_record(-1, 999999, PM_EVENT_FLAG_POINT);
    add_missed(-1, -1, 3);
}

static void odd_time(void)
{
    add_record(SECONDS, 1000000000, PM_EVENT_FLAG_POINT);
    add_record(SECONDS, -1, PM_EVENT_FLAG_POINT);
}

/* Bit patterns must survive. */
static void numbers(void)
{
    add_record(SECONDS, 0, PM_EVENT_FLAG_POINT);
    add_number(PM_TYPE_FLOAT, 0x7fc12345);
    add_number(PM_TYPE_FLOAT, 0x80000000);
    add_number(PM_TYPE_DOUBLE, UINT64_C(0xfff8000000000001));
    add_number(PM_TYPE_DOUBLE, UINT64_C(0x7ff0000000000000));
    add_double(PM_TYPE_DOUBLE, 5e-324);
}

static const struct {
    const char *name;
    void (*make)(void);
} kinds[] = {
    {"empty", empty},       {"noparam", noparam},     {"flags0", flags0},
    {"alltypes", alltypes}, {"strings", strings},     {"aggregates", aggregates},
    {"missed", missed},     {"neg", missed_negative}, {"allflags", allflags},
    {"growing", growing},   {"large", large},         {"late", late},
    {"oddtime", odd_time},  {"numbers", numbers},
};

/* xorshift64*: the same numbers everywhere. */
static uint64_t state;

static uint64_t some(uint64_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * UINT64_C(0x2545f4914f6cdd1d) >> 11) % limit;
}

static void random_param(void)
{
    int type = (int)some(8);

    if (type == PM_TYPE_STRING)
        add_text((int)some(26), some(40));
    else if (type == PM_TYPE_AGGREGATE)
        add_bytes((int)some(256), some(40));
    else
        add_number(type, some(UINT64_C(1) << 53) << 11 | some(2048));
}

static void random_array(void)
{
    for (uint64_t records = some(50); records > 0; records--) {
        int64_t seconds = SECONDS + (int64_t)some(1000);
        if (some(8) == 0) {
            add_missed(seconds, (long)some(1000000), (int)some(INT_MAX));
            continue;
        }
        add_record(seconds, (long)some(1000000), (int)some(32));
        for (uint64_t params = some(6); params > 0; params--)
            random_param();
    }
}

static void fail(const char *what)
{
    fprintf(stderr, "event-arrays: %s\n", what);
    exit(1);
}

/* Whatever its kind, an array tells its length in its first word. */
static void save(const char *directory, const char *name, uint64_t number)
{
    char path[4096];
    uint32_t word;
    const void *array = target.ns ? (const void *)pmdaEventGetHighResAddr(target.index)
                                  : (const void *)pmdaEventGetAddr(target.index);

    if (!array)
        fail("no address");
    memcpy(&word, array, sizeof(word));
    snprintf(path, sizeof(path), "%s/%s%" PRIu64 "-%s", directory, name, number,
             target.ns ? "ns" : "us");
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(array, word & 0xffffff, 1, file) != 1 || fclose(file) != 0)
        fail(path);
}

static void make(const char *directory, const char *name, uint64_t number, void (*fill)(void))
{
    target.index = new_array();
    fill();
    save(directory, name, number);
    /* Once more in what is there already, and with the address taken in between. */
    if (target.ns) {
        pmdaEventResetHighResArray(target.index);
        pmdaEventGetHighResAddr(target.index);
        pmdaEventReleaseHighResArray(target.index);
    } else {
        pmdaEventResetArray(target.index);
        pmdaEventGetAddr(target.index);
        pmdaEventReleaseArray(target.index);
    }
}

static void arrays(const char *directory, uint64_t seed, uint64_t count)
{
    for (int ns = 0; ns < 2; ns++) {
        target.ns = ns;
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
            make(directory, kinds[i].name, 0, kinds[i].make);
        state = seed;
        for (uint64_t i = 0; i < count; i++)
            make(directory, "random", i, random_array);
    }
}

static void show(const char *what, int status)
{
    printf("%s %s: %d\n", target.ns ? "ns" : "us", what, status);
}

static bool has_address(int index)
{
    return target.ns ? pmdaEventGetHighResAddr(index) != NULL : pmdaEventGetAddr(index) != NULL;
}

static int release(int index)
{
    return target.ns ? pmdaEventReleaseHighResArray(index) : pmdaEventReleaseArray(index);
}

static int reset(int index)
{
    return target.ns ? pmdaEventResetHighResArray(index) : pmdaEventResetArray(index);
}

static void calls_on_nothing(const char *what)
{
    pmAtomValue atom = {.ul = 1};

    printf("%s\n", what);
    show("record", add_record(SECONDS, 0, 1));
    show("record, missed", add_record(SECONDS, 0, INT_MIN));
    show("missed", add_missed(SECONDS, 0, 1));
    show("param", add_param(PM_TYPE_U32, &atom));
    show("param, type", add_param(PM_TYPE_EVENT, &atom));
    show("reset", reset(target.index));
    show("release", release(target.index));
    show("address", has_address(target.index));
}

static void wrong_arguments(void)
{
    show("record, missed", add_record(SECONDS, 0, INT_MIN | 1));
    show("record", add_record(SECONDS, 0, 0x60));
    show("param, static", add_number(PM_TYPE_AGGREGATE_STATIC, 1));
    show("param, event", add_number(PM_TYPE_EVENT, 1));
    show("param, highres", add_number(PM_TYPE_HIGHRES_EVENT, 1));
    show("param, unknown", add_number(PM_TYPE_UNKNOWN, 1));
    show("param, nosupport", add_number(PM_TYPE_NOSUPPORT, 1));
    show("param, 11", add_number(11, 1));
    show("param", add_number(PM_TYPE_U32, 1));
    show("aggregate, empty", add_bytes(0, 0));
    show("missed, 0", add_missed(SECONDS, 0, 0));
    show("missed, -1", add_missed(SECONDS, 0, -1));
    show("address", has_address(target.index));
}

static void calls(void)
{
    for (int ns = 0; ns < 2; ns++) {
        target.ns = ns;
        target.index = new_array();
        show("first", target.index);
        int second = new_array();
        show("second", second);
        wrong_arguments();
        show("release", release(target.index));
        calls_on_nothing("released");
        show("again", new_array());
        show("third", new_array());
        show("release", release(0));
        show("release", release(2));
        show("release", release(second));
        target.index = -1;
        calls_on_nothing("below 0");
        target.index = 99;
        calls_on_nothing("never made");
    }
}

static void undefined(void)
{
    char short_block[PM_VAL_HDR_SIZE] = {0};
    pmAtomValue atom = {.cp = NULL};

    for (int ns = 0; ns < 2; ns++) {
        target.ns = ns;
        target.index = new_array();
        show("param before any record", add_number(PM_TYPE_U32, 1));
        add_record(SECONDS, 0, 1);
        show("no string", add_param(PM_TYPE_STRING, &atom));
        show("no block", add_param(PM_TYPE_AGGREGATE, &atom));
        show("no atom", add_param(PM_TYPE_U32, NULL));
        atom.vbp = (pmValueBlock *)(void *)short_block;
        show("block without room for its header", add_param(PM_TYPE_AGGREGATE, &atom));
        atom.vbp = NULL;
        add_missed(SECONDS, 0, 1);
        show("param behind missed events", add_number(PM_TYPE_U32, 1));
        reset(target.index);
        show("param after reset", add_number(PM_TYPE_U32, 1));
        show("no time", ns ? pmdaEventAddHighResRecord(target.index, NULL, 1)
                           : pmdaEventAddRecord(target.index, NULL, 1));
        show("no time, missed", ns ? pmdaEventAddHighResMissedRecord(target.index, NULL, 1)
                                   : pmdaEventAddMissedRecord(target.index, NULL, 1));
        target.ns = !ns;
        show("record in an array of the other kind", add_record(SECONDS, 0, 1));
        show("missed in an array of the other kind", add_missed(SECONDS, 0, 1));
        show("address of an array of the other kind", has_address(target.index));
        target.ns = ns;
        add_record(SECONDS, 0, 1);
        show("16777171 bytes", add_text(0, 16777171));
        show("1 byte too many", add_text(0, ns ? 1 : 5));
        release(target.index);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "calls") == 0)
        calls();
    else if (argc == 2 && strcmp(argv[1], "undefined") == 0)
        undefined();
    else if (argc >= 3 && strcmp(argv[1], "arrays") == 0)
        arrays(argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 1,
               argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
    else
        fail("usage: arrays DIRECTORY [SEED COUNT] | calls | undefined");
    return fflush(stdout) == 0 ? 0 : 1;
}
