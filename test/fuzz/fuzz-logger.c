/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a logger answers. The input is a message; it is read as one of each type. */
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "fuzz.h"
#include "logger/wire.h"

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-logger: %s\n", what);
    abort();
}

/* Whatever is refused says why, and where in the message. */
static void check_error(const struct pu_err *err, size_t size)
{
    if (err->code != PU_E_DAMAGED || err->message[0] == '\0' || !err->has_offset ||
        err->offset > size)
        broken("an error that does not say what is wrong where");
}

static void run_header(struct pu_span pdu)
{
    struct pu_logger_header header;
    struct pu_err err = {0};
    int32_t code;

    if (pu_logger_get_header(pdu, &header, &err) < 0)
        check_error(&err, pdu.size);
    else if (header.length < PU_LOGGER_HEADER || header.length > PU_LOGGER_RESULT_MAX)
        broken("a length that no message has");
    if (pu_logger_get_error(pdu, &code, &err) < 0)
        check_error(&err, pdu.size);
}

/* All that it claims to hold is there. */
static void run_result(struct pu_span pdu)
{
    struct pu_log_result result;
    struct pu_err err = {0};
    uint64_t sum = 0;
    uint64_t values = 0;

    if (pu_logger_get_result(pdu, &result, &err) < 0) {
        check_error(&err, pdu.size);
        return;
    }
    for (size_t i = 0; i < result.numpmid; i++) {
        const struct pu_log_set *set = &result.vset[i];
        for (int32_t k = 0; k < set->numval; k++)
            sum += (uint32_t)set->vlist[k].inst + set->vlist[k].value;
        values += set->numval > 0 ? (uint64_t)set->numval : 0;
    }
    if (8 * (values + result.numpmid) > pdu.size || (sum > 0 && values == 0))
        broken("more than the message has room for");
    pu_log_result_free(&result);
}

static void check_text(const char *text)
{
    if (strnlen(text, PU_LOGGER_TEXT_MAX) == PU_LOGGER_TEXT_MAX)
        broken("a text without its end");
}

static void run_status(struct pu_span pdu)
{
    struct pu_logger_status status;
    struct pu_err err = {0};

    if (pu_logger_get_status(pdu, &status, &err) < 0) {
        check_error(&err, pdu.size);
        return;
    }
    if (!status.started && (status.start != 0 || status.last != 0))
        broken("times of one that has not begun");
    check_text(status.pmcd_host);
    check_text(status.pmcd_connection);
    check_text(status.pmcd_timezone);
    check_text(status.pmcd_zoneinfo);
    check_text(status.pmlogger_timezone);
    check_text(status.pmlogger_zoneinfo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* At its exact size, so that what reads beyond it is seen. */
    unsigned char *copy = malloc(size + (size == 0));
    struct pu_span pdu = {copy, size};

    if (size > 0)
        memcpy(copy, data, size);
    run_header(pdu);
    run_result(pdu);
    run_status(pdu);
    free(copy);
    return 0;
}
