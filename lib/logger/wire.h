/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pmlogger's control port, byte by byte. A message ("PDU") is three big-endian words, its length in
 * bytes, its type and the sender's process id, and a body of big-endian words. What is known of it
 * was measured against pmlogger 6.0.3 and 7.2; it has not changed since 5.3.3, and before that only
 * the status was another.
 *
 * Nothing a logger sends is trusted: every count and length is checked against the message, which
 * is read whole before.
 */
#ifndef PU_LOGGER_WIRE_H
#define PU_LOGGER_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum pu_logger_pdu {
    PU_LOGGER_ERROR = 0x7000,
    PU_LOGGER_RESULT = 0x7001,
    PU_LOGGER_CREDS = 0x700c,
    PU_LOGGER_CONTROL = 0x8000,
    PU_LOGGER_STATUS_2 = 0x8001,
    PU_LOGGER_REQUEST = 0x8002,
    PU_LOGGER_STATUS_3 = 0x8003,
};

#define PU_LOGGER_HEADER 12 /* bytes of a message's header */
/* No message is taken that is larger: a result grows with the instances, all others are short. */
#define PU_LOGGER_RESULT_MAX (UINT32_C(64) << 20)
#define PU_LOGGER_OTHER_MAX  4096

/* What to log, and how it is logged: pmResult(3) with only what this port uses of it. */
struct pu_log_value {
    int32_t inst;   /* -1: the value of a metric without instances */
    uint32_t value; /* replies: how it is logged, see PU_PMLC_GET_ON(); requests: not used */
};

struct pu_log_set {
    uint32_t pmid;
    bool singular;  /* requests: known to have no instances */
    int32_t numval; /* 0: all instances; below 0, in replies: a PMAPI code, there are no values */
    struct pu_log_value *vlist;
};

struct pu_log_result {
    size_t numpmid;
    struct pu_log_set *vset;     /* owned, if it is a reply */
    struct pu_log_value *values; /* owned; what the vlists of a reply point into */
};

/* Of a logger. Times in nanoseconds since 1970; texts are "" where it has none. */
#define PU_LOGGER_TEXT_MAX 257

struct pu_logger_status {
    bool started;  /* if not, `start` and `last` are 0 */
    int64_t start; /* when it began to log */
    int64_t last;  /* when it wrote last */
    int64_t now;   /* its clock */
    int32_t volume;
    int64_t size;                               /* bytes of that volume */
    char pmcd_host[PU_LOGGER_TEXT_MAX];         /* the name of the host that is logged */
    char pmcd_connection[PU_LOGGER_TEXT_MAX];   /* how the logger reaches its pmcd: "local:", ... */
    char pmcd_timezone[PU_LOGGER_TEXT_MAX];     /* as in TZ */
    char pmcd_zoneinfo[PU_LOGGER_TEXT_MAX];     /* as in "Europe/Berlin" */
    char pmlogger_timezone[PU_LOGGER_TEXT_MAX]; /* of the logger itself */
    char pmlogger_zoneinfo[PU_LOGGER_TEXT_MAX];
};

struct pu_logger_header {
    uint32_t length; /* of the whole message */
    uint32_t type;
    int32_t from;
};

/* `bytes` has PU_LOGGER_HEADER of them. Errors: PU_E_DAMAGED for a length that no message has. */
int pu_logger_get_header(struct pu_span bytes, struct pu_logger_header *header,
                         struct pu_err *err) PU_MUST_CHECK;

/*
 * Whole messages, header and all; its type has been looked at. Errors: PU_E_DAMAGED with the offset
 * in the message.
 */
int pu_logger_get_error(struct pu_span pdu, int32_t *code, struct pu_err *err) PU_MUST_CHECK;
int pu_logger_get_status(struct pu_span pdu, struct pu_logger_status *status,
                         struct pu_err *err) PU_MUST_CHECK;
/* Also PU_E_SYSTEM (ENOMEM). Release with pu_log_result_free(), not after an error. */
int pu_logger_get_result(struct pu_span pdu, struct pu_log_result *result,
                         struct pu_err *err) PU_MUST_CHECK;
void pu_log_result_free(struct pu_log_result *result);

/* Messages to send. `from` is our process id. */
void pu_logger_put_creds(struct pu_buf *to, int32_t from, int version);
void pu_logger_put_request(struct pu_buf *to, int32_t from, uint32_t request);
/* The caller has checked that all fits: see pu_logger_control(). */
void pu_logger_put_control(struct pu_buf *to, int32_t from, const struct pu_log_result *request,
                           int control, int state, int delta);

#endif
