/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmlogger's control port: the bytes of each message, and the call that __pmControlLog(3) is. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "logger/control.h"
#include "logger/find.h"
#include "logger/plan.h"
#include "logger/pmcd.h"
#include "pcp/compat.h"
#include "tap.h"

#define ok(good, what) tap_report((good), __LINE__, (what))

#define LOAD 0x0f000800u /* kernel.all.load */

/* Words as they go over the wire. */
static struct pu_span words(struct pu_buf *to, const uint32_t *list, size_t count)
{
    to->size = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t word = htobe32(list[i]);
        pu_buf_add(to, &word, sizeof(word));
    }
    return pu_buf_span(to);
}

#define WORDS(to, ...)                                                                             \
    words(to, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* --- messages --------------------------------------------------------------------------------- */

/* As captured between pmlc and pmlogger 6.0.3. */
static void test_requests(void)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf is = {0};
    PU_CLEANUP(pu_buf_free) struct pu_buf due = {0};
    struct pu_log_value value = {1, 0};
    struct pu_log_set sets[] = {{.pmid = LOAD}, {.pmid = 7, .numval = 1, .vlist = &value}};
    struct pu_log_result request = {.numpmid = 1, .vset = sets};

    pu_logger_put_creds(&is, 77, 3);
    ok(pu_span_equal(pu_buf_span(&is), WORDS(&due, 0x14, 0x700c, 77, 1, 0x01030000)),
       "credentials");
    is.size = 0;
    pu_logger_put_control(&is, 0, &request, PU_LOG_ENQUIRE, PU_LOG_OFF, 0);
    ok(pu_span_equal(pu_buf_span(&is), WORDS(&due, 0x24, 0x8000, 0, 0xd, 0, 0, 1, LOAD, 0)),
       "a question about all instances");
    is.size = 0;
    request.numpmid = 2;
    pu_logger_put_control(&is, 0, &request, PU_LOG_MANDATORY, PU_LOG_ON, 1000);
    ok(pu_span_equal(pu_buf_span(&is),
                     WORDS(&due, 0x34, 0x8000, 0, 11, 2, 1000, 2, LOAD, 0, 7, 1, 1, 0)),
       "a change");
    is.size = 0;
    pu_logger_put_request(&is, 5, 2);
    ok(pu_span_equal(pu_buf_span(&is), WORDS(&due, 0x10, 0x8002, 5, 2)), "a request");
}

static void test_result(void)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf buf = {0};
    struct pu_log_result result;
    struct pu_err err;
    struct pu_span pdu = WORDS(&buf, 0x44, 0x7001, 0, 0, 0, 2, LOAD, 3, 0, 1, 0xc, 5, 16015, 15,
                               0xc, 9, (uint32_t)PM_ERR_PMID);

    ok(pu_logger_get_result(pdu, &result, &err) == 0, "a result");
    ok(result.numpmid == 2 && result.vset[0].pmid == LOAD && result.vset[0].numval == 3,
       "its metric");
    uint32_t word = result.vset[0].vlist[1].value;
    ok(result.vset[0].vlist[1].inst == 5 && word == 16015, "a value");
    ok(PU_PMLC_GET_ON(word) == 1 && PU_PMLC_GET_MAND(word) == 1 && PU_PMLC_GET_AVAIL(word) == 1 &&
           PU_PMLC_GET_INLOG(word) == 1 && PU_PMLC_GET_DELTA(word) == 1000,
       "what its word says");
    ok(PU_LOG_STATE(word) == pu_log_word(true, true, 1000) && pu_log_word(true, false, 9) == 2,
       "a word of our own");
    ok(result.vset[1].numval == PM_ERR_PMID && !result.vset[1].vlist, "one that it does not know");
    pu_log_result_free(&result);
    for (size_t size = 0; size < pdu.size; size++) {
        if (pu_logger_get_result(pu_span_clip(pdu, 0, size), &result, &err) == 0) {
            pu_log_result_free(&result);
            ok(false, "cut it is taken");
        }
    }
    ok(err.code == PU_E_DAMAGED && err.has_offset, "cut anywhere it is refused");
}

/* Of a logger of PCP 6.0.3; seconds have their lower half first. */
static void test_status(void)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf buf = {0};
    struct pu_logger_status status;
    struct pu_err err;
    struct pu_span pdu = WORDS(&buf, 0x6c, 0x8003, 0, 0x6b0d9ff2, 0, 0x313778d8, 0x6b0d9ff2, 0,
                               0x31377b9c, 0x6b0da38e, 0, 0x3b622316, 1, 1, 0, 0x84, 3, 7, 4, 0, 4,
                               0, 0x766d006c, 0x6f63616c, 0x3a005554, 0x43005554, 0x43007e7e);

    ok(pu_logger_get_status(pdu, &status, &err) == 0, "a status of version 3");
    ok(status.start == INT64_C(0x6b0d9ff2) * PU_NANOSECONDS + 0x313778d8 && status.started,
       "its start");
    ok(status.volume == 1 && status.size == 132, "its volume");
    ok(strcmp(status.pmcd_host, "vm") == 0 && strcmp(status.pmcd_connection, "local:") == 0 &&
           strcmp(status.pmlogger_timezone, "UTC") == 0 && !*status.pmcd_zoneinfo,
       "its texts");
    for (size_t size = 0; size < pdu.size - 2; size++) {
        if (pu_logger_get_status(pu_span_clip(pdu, 0, size), &status, &err) == 0)
            ok(false, "cut it is taken");
    }
    ok(err.code == PU_E_DAMAGED, "cut anywhere it is refused");
    /* It has not begun: its times are anything. */
    memset(buf.data + 12, 0xff, 24);
    memset(buf.data + 48, 0, 4);
    ok(pu_logger_get_status(pu_buf_span(&buf), &status, &err) == 0 && !status.started &&
           status.start == 0 && status.last == 0,
       "one that has not begun");
}

static void test_status_2(void)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf buf = {0};
    struct pu_logger_status status;
    struct pu_err err;
    char texts[264 - 56] = {0};

    words(&buf, (const uint32_t[]){264, 0x8001, 0, 0, 10, 5, 20, 6, 30, 7, 1, 4, 0, 132}, 14);
    memset(texts, 'h', 64);
    strcpy(texts + 64, "local:");
    strcpy(texts + 168, "UTC-1");
    pu_buf_add(&buf, texts, sizeof(texts));
    ok(pu_logger_get_status(pu_buf_span(&buf), &status, &err) == 0, "a status of version 2");
    ok(status.start == 10 * PU_NANOSECONDS + 5000 && status.last == 20 * PU_NANOSECONDS + 6000 &&
           status.now == 30 * PU_NANOSECONDS + 7000 && status.volume == 4 && status.size == 132,
       "its figures");
    ok(strlen(status.pmcd_host) == 64 && strcmp(status.pmcd_connection, "local:") == 0 &&
           strcmp(status.pmlogger_timezone, "UTC-1") == 0,
       "its texts, one without a NUL");
    buf.size--;
    ok(pu_logger_get_status(pu_buf_span(&buf), &status, &err) < 0, "one byte less is refused");
}

/* --- the call --------------------------------------------------------------------------------- */

/* Nothing may be sent: there is no connection. */
static int refused(struct pu_log_result *request, int control, int state, int delta)
{
    struct pu_client client = {.fd = -1, .timeout = 0};
    struct pu_log_result status;
    struct pu_err err = {0};

    if (pu_logger_control(&client, request, control, state, delta, &status, &err) == 0)
        return 0;
    return err.code == PU_E_PMAPI && client.out.size == 0 ? err.status : 1;
}

static void test_diagnostics(void)
{
    struct pu_log_set set = {.pmid = LOAD};
    struct pu_log_result request = {.numpmid = 0, .vset = &set};

    ok(refused(&request, PU_LOG_ENQUIRE, PU_LOG_OFF, 0) == PM_ERR_TOOSMALL, "no metric");
    request.numpmid = 1;
    set.numval = -1;
    ok(refused(&request, PU_LOG_MANDATORY, PU_LOG_OFF, 0) == PM_ERR_VALUE,
       "fewer values than none");
    set.numval = 0;
    set.singular = true;
    ok(refused(&request, PU_LOG_MANDATORY, PU_LOG_OFF, 0) == PM_ERR_VALUE,
       "all instances of one that has none");
    set.singular = false;
    ok(refused(&request, 10, PU_LOG_ON, 1) == -EINVAL, "no control");
    ok(refused(&request, 14, PU_LOG_ON, 1) == -EINVAL, "nor this");
    ok(refused(&request, PU_LOG_MANDATORY, 7, 1) == -EINVAL, "no state");
    ok(refused(&request, PU_LOG_MANDATORY, -1, 1) == -EINVAL, "nor this");
    ok(refused(&request, PU_LOG_ADVISORY, PU_LOG_MAYBE, 0) == -EINVAL, "advisory maybe");
    ok(refused(&request, PU_LOG_MANDATORY, PU_LOG_ON, -1) == -EINVAL, "less than no time");
    ok(refused(&request, PU_LOG_MANDATORY, PU_LOG_ON, (int)PU_PMLC_MAX_DELTA + 1) == -EINVAL,
       "too much time");
}

/* A logger whose answer is there before the question. */
static void test_answers(void)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf buf = {0};
    struct pu_log_value value = {.inst = 4};
    struct pu_log_set set = {.pmid = LOAD, .numval = 1, .vlist = &value};
    struct pu_log_result request = {.numpmid = 1, .vset = &set};
    struct pu_client client = {.timeout = PU_NANOSECONDS};
    struct pu_log_result status;
    struct pu_err err;
    int peers[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, peers) < 0)
        abort();
    client.fd = peers[0];
    struct pu_span good = WORDS(&buf, 0x28, 0x7001, 0, 0, 0, 1, LOAD, 1, 0, 4, 3);
    buf.data[3] = 44;
    ok(write(peers[1], good.data, good.size) == 44, "an answer");
    ok(pu_logger_control(&client, &request, PU_LOG_MANDATORY, PU_LOG_ON, 0, &status, &err) == 0 &&
           status.vset[0].vlist[0].value == 3,
       "is taken");
    pu_log_result_free(&status);
    buf.data[39] = 5;
    ok(write(peers[1], good.data, good.size) == 44, "one about another instance");
    ok(pu_logger_control(&client, &request, PU_LOG_MANDATORY, PU_LOG_ON, 0, &status, &err) < 0 &&
           err.code == PU_E_DAMAGED,
       "is not");
    good = WORDS(&buf, 16, 0x7000, 0, (uint32_t)PM_ERR_PERMISSION);
    ok(write(peers[1], good.data, good.size) == 16, "a refusal");
    ok(pu_logger_control(&client, &request, PU_LOG_MANDATORY, PU_LOG_ON, 0, &status, &err) < 0 &&
           err.code == PU_E_PMAPI && err.status == PM_ERR_PERMISSION,
       "has its status");
    close(peers[1]);
    ok(pu_logger_control(&client, &request, PU_LOG_MANDATORY, PU_LOG_ON, 0, &status, &err) < 0 &&
           err.code == PU_E_PMAPI && err.status == -ECONNRESET,
       "and so has the end");
    pu_client_close(&client);
}

/* --- hosts ------------------------------------------------------------------------------------ */

static bool leads_to(const char *spec, const char *host)
{
    char is[PU_PMCD_HOST_MAX];

    if (pu_pmcd_host(spec, is) < 0)
        return host == NULL;
    return host && strcmp(is, host) == 0;
}

/* As in PCPIntro(1). */
static void test_hosts(void)
{
    char longest[PU_PMCD_HOST_MAX + 8];

    ok(leads_to("nas1", "nas1") && leads_to("192.168.0.103", "192.168.0.103"), "a plain host");
    ok(leads_to("nas1:44321", "nas1") && leads_to("nas1:44321,4321", "nas1"), "with pmcd's ports");
    ok(leads_to("nas1@gate", "nas1") && leads_to("nas1:44321@gate:44322", "nas1"), "with a proxy");
    ok(leads_to("pcp://nas1:1?container=x:y", "nas1") && leads_to("pcps://nas1", "nas1"),
       "with all that there can be");
    ok(leads_to("[fe80::1%p2p1]", "fe80::1%p2p1") && leads_to("[::1]:44321", "::1") &&
           leads_to("::1", "::1") && leads_to("::1@gate:1", "::1"),
       "an address of IPv6");
    ok(leads_to("local:", "localhost") && leads_to("local:?container=x", "localhost") &&
           leads_to("unix:/run/pcp/pmcd.socket", "localhost"),
       "this host");
    ok(leads_to("", NULL) && leads_to(":44321", NULL) && leads_to("@gate", NULL) &&
           leads_to("pcp://", NULL) && leads_to("[]", NULL),
       "no host");
    memset(longest, 'h', sizeof(longest));
    longest[PU_PMCD_HOST_MAX] = '\0';
    ok(leads_to(longest, NULL), "one that is too long");
    longest[PU_PMCD_HOST_MAX - 1] = '\0';
    ok(leads_to(longest, longest), "one that is not");
}

static bool is_at(const char *connection, const char *host, const char *spec)
{
    char is[PU_PMCD_SPEC_MAX];

    return pu_pmcd_seen_from(connection, host, is) == PU_PMCD_AT && strcmp(is, spec) == 0;
}

static void test_places(void)
{
    char spec[PU_PMCD_SPEC_MAX];

    ok(pu_pmcd_seen_from("local:", "nas1", spec) == PU_PMCD_THERE &&
           pu_pmcd_seen_from("unix:/a", "nas1", spec) == PU_PMCD_THERE &&
           pu_pmcd_seen_from("localhost", "nas1", spec) == PU_PMCD_THERE &&
           pu_pmcd_seen_from("[::1]", "nas1", spec) == PU_PMCD_THERE &&
           pu_pmcd_seen_from("127.0.0.1", "nas1", spec) == PU_PMCD_THERE,
       "a logger of its own host");
    ok(pu_pmcd_seen_from("nas2", "nas1", spec) == PU_PMCD_ELSEWHERE &&
           pu_pmcd_seen_from("localhosts:1", "nas1", spec) == PU_PMCD_ELSEWHERE &&
           pu_pmcd_seen_from("", "nas1", spec) == PU_PMCD_ELSEWHERE,
       "one of another");
    ok(is_at("localhost:4", "nas1", "nas1:4") && is_at("[::1]:4", "nas1", "nas1:4") &&
           is_at("localhost:4@gate", "fe80::1", "[fe80::1]:4@gate") &&
           is_at("pcp://localhost:4", "nas1", "nas1:4"),
       "one of another pmcd there");
}

/* --- the rest --------------------------------------------------------------------------------- */

static void test_life(void)
{
    fflush(stdout); /* or the child may print it once more */
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    while (pu_logger_life(child) == PU_LOGGER_ALIVE)
        usleep(1000);
    ok(pu_logger_life(child) == PU_LOGGER_ZOMBIE, "a zombie is no process");
    ok(pu_logger_life(getpid()) == PU_LOGGER_ALIVE, "we are");
    ok(pu_logger_life(0x7fffffff) == PU_LOGGER_STALE, "nobody has this id");
    for (int life = PU_LOGGER_ALIVE; life <= PU_LOGGER_DAMAGED; life++)
        ok(*pu_logger_life_word((enum pu_logger_life)life), "a word for it");
    for (int verdict = PU_VERDICT_CHANGED; verdict <= PU_VERDICT_UNSENT; verdict++)
        ok(*pu_verdict_word((enum pu_verdict)verdict), "a word for it");
}

int main(void)
{
    test_requests();
    test_result();
    test_status();
    test_status_2();
    test_diagnostics();
    test_answers();
    test_hosts();
    test_places();
    test_life();
    return tap_done();
}
