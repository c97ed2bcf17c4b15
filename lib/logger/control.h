/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What can be asked of a logger: __pmControlLog(3) under names of our own, and its kin. The library
 * call itself is private to PCP, changed in PCP 6 without a new name, and waits for ever.
 *
 * Where this one differs from the manual page, because pmlogger 6.0 to 7.2 does:
 * - The page has "maybe" leave an advisory state as it was. The logger turns it off, unless it is
 *   one for all instances.
 * - The page has each metric answered with values. One that the logger cannot look up comes with
 *   `numval` below 0, a PMAPI code; the logger looks them up only where `numval` was 0.
 * - A refusal is no error: the answer then has the state as it was. Compare.
 * - A change for a metric that the logger cannot look up makes it exit. So ask first, with
 *   PU_LOG_ENQUIRE and `numval` 0, and never send what is answered with a code.
 * - An interval of more than PU_PMLC_MAX_DELTA is refused here; the logger would take it and show
 *   another.
 */
#ifndef PU_LOGGER_CONTROL_H
#define PU_LOGGER_CONTROL_H

#include "logger/client.h"

enum pu_log_control { PU_LOG_MANDATORY = 11, PU_LOG_ADVISORY = 12, PU_LOG_ENQUIRE = 13 };
enum pu_log_state { PU_LOG_OFF = 0, PU_LOG_MAYBE = 1, PU_LOG_ON = 2 };

/* How a value is logged, from the word that the logger answers with. */
#define PU_PMLC_GET_ON(word)    ((word)&1)
#define PU_PMLC_GET_MAND(word)  ((word) >> 1 & 1)
#define PU_PMLC_GET_AVAIL(word) ((word) >> 2 & 1)
#define PU_PMLC_GET_INLOG(word) ((word) >> 3 & 1)
#define PU_PMLC_GET_DELTA(word) ((word) >> 4) /* milliseconds; 0 while on: once */
#define PU_PMLC_MAX_DELTA       UINT32_C(0x0fffffff)

/* A state without what is known of the log. */
static inline uint32_t pu_log_word(bool mandatory, bool on, uint32_t delta)
{
    return (on ? delta << 4 | 1 : 0) | (mandatory ? 2 : 0);
}
#define PU_LOG_STATE(word) ((word) & ~UINT32_C(0xc))

/*
 * Asks for a change, or (PU_LOG_ENQUIRE) how things are; `delta` in milliseconds counts with
 * PU_LOG_ON only. `status`: the answer, a set for each of the request, in its order, with the same
 * instances if those were given. Release it with pu_log_result_free(), not after an error.
 *
 * Errors with PU_E_PMAPI, before anything is sent: PM_ERR_TOOSMALL for no metric; PM_ERR_VALUE for
 * a `numval` below 0, or 0 for one that is `singular`; -EINVAL for a control or state that there is
 * not, "maybe" with PU_LOG_ADVISORY, and a `delta` out of range. PU_E_LIMIT: the request is too
 * large. Others as of the client.
 */
int pu_logger_control(struct pu_client *client, const struct pu_log_result *request, int control,
                      int state, int delta, struct pu_log_result *status,
                      struct pu_err *err) PU_MUST_CHECK;

/* The same in two steps, to do something else while the logger is at work. */
int pu_logger_control_ask(struct pu_client *client, const struct pu_log_result *request,
                          int control, int state, int delta, struct pu_err *err) PU_MUST_CHECK;
int pu_logger_control_take(struct pu_client *client, const struct pu_log_result *request,
                           struct pu_log_result *status, struct pu_err *err) PU_MUST_CHECK;

int pu_logger_status(struct pu_client *client, struct pu_logger_status *status,
                     struct pu_err *err) PU_MUST_CHECK;

/* Starts a new volume of the archive; its number. */
int pu_logger_new_volume(struct pu_client *client, int32_t *volume,
                         struct pu_err *err) PU_MUST_CHECK;

/* Asks to write what is not on disk yet. No logger since PCP 3.9.3 keeps anything back. */
int pu_logger_flush(struct pu_client *client, struct pu_err *err) PU_MUST_CHECK;

#endif
