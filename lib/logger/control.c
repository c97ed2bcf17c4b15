/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/control.h"

#include <errno.h>
#include <unistd.h>

#include "pcp/compat.h"

/* Other requests, 100 and 101, are for PCP's own tests; the latter makes a logger sleep. */
#define NEW_VOLUME 1
#define STATUS     2
#define FLUSH      3

/* Values in one request, so that its length fits its word with room to spare. */
#define VALUES_MAX (UINT32_C(1) << 22)

static int refuse(struct pu_err *err, int status, const char *what)
{
    pu_err_set(err, PU_E_PMAPI, "%s", what);
    err->status = status;
    return -1;
}

static int check_modes(int control, int state, int delta, struct pu_err *err)
{
    if (control < PU_LOG_MANDATORY || control > PU_LOG_ENQUIRE)
        return refuse(err, -EINVAL, "neither mandatory, nor advisory, nor a question");
    if (state < PU_LOG_OFF || state > PU_LOG_ON)
        return refuse(err, -EINVAL, "neither on, nor off, nor maybe");
    if (control == PU_LOG_ADVISORY && state == PU_LOG_MAYBE)
        return refuse(err, -EINVAL, "there is no advisory maybe");
    /* A negative one keeps a logger busy for ever. */
    if (delta < 0 || (uint32_t)delta > PU_PMLC_MAX_DELTA)
        return refuse(err, -EINVAL, "an interval that no logger takes");
    return 0;
}

static int check_request(const struct pu_log_result *request, struct pu_err *err)
{
    uint64_t values = request->numpmid;

    if (request->numpmid == 0)
        return refuse(err, PM_ERR_TOOSMALL, "no metric to ask about");
    for (size_t i = 0; i < request->numpmid; i++) {
        const struct pu_log_set *set = &request->vset[i];
        if (set->numval < 0)
            return refuse(err, PM_ERR_VALUE, "fewer values than none");
        if (set->numval == 0 && set->singular)
            return refuse(err, PM_ERR_VALUE, "all instances of a metric that has none");
        values += (uint64_t)set->numval;
    }
    if (values > VALUES_MAX)
        return pu_err_set(err, PU_E_LIMIT, "too much for one request");
    return 0;
}

int pu_logger_control_ask(struct pu_client *client, const struct pu_log_result *request,
                          int control, int state, int delta, struct pu_err *err)
{
    if (check_request(request, err) < 0 || check_modes(control, state, delta, err) < 0)
        return -1;
    pu_logger_put_control(&client->out, (int32_t)getpid(), request, control, state, delta);
    return pu_client_send(client, err);
}

/* An answer tells of what was asked, one by one. */
static bool fits(const struct pu_log_set *asked, const struct pu_log_set *answer)
{
    if (answer->pmid != asked->pmid)
        return false;
    if (asked->numval == 0 || answer->numval < 0)
        return true;
    if (answer->numval != asked->numval)
        return false;
    for (int32_t i = 0; i < asked->numval; i++) {
        if (answer->vlist[i].inst != asked->vlist[i].inst)
            return false;
    }
    return true;
}

int pu_logger_control_take(struct pu_client *client, const struct pu_log_result *request,
                           struct pu_log_result *status, struct pu_err *err)
{
    static const uint32_t types[] = {PU_LOGGER_RESULT, 0};
    struct pu_logger_header header;

    if (pu_client_receive(client, types, &header, err) < 0 ||
        pu_logger_get_result(pu_buf_span(&client->in), status, err) < 0)
        return -1;
    bool ok = status->numpmid == request->numpmid;
    for (size_t i = 0; ok && i < request->numpmid; i++)
        ok = fits(&request->vset[i], &status->vset[i]);
    if (ok)
        return 0;
    pu_log_result_free(status);
    return pu_err_set(err, PU_E_DAMAGED, "the logger's answer is to another question");
}

int pu_logger_control(struct pu_client *client, const struct pu_log_result *request, int control,
                      int state, int delta, struct pu_log_result *status, struct pu_err *err)
{
    if (pu_logger_control_ask(client, request, control, state, delta, err) < 0)
        return -1;
    return pu_logger_control_take(client, request, status, err);
}

int pu_logger_status(struct pu_client *client, struct pu_logger_status *status, struct pu_err *err)
{
    const uint32_t types[] = {client->version == 2 ? PU_LOGGER_STATUS_2 : PU_LOGGER_STATUS_3, 0};
    struct pu_logger_header header;

    pu_logger_put_request(&client->out, (int32_t)getpid(), STATUS);
    if (pu_client_send(client, err) < 0 || pu_client_receive(client, types, &header, err) < 0)
        return -1;
    return pu_logger_get_status(pu_buf_span(&client->in), status, err);
}

/* A request that is answered with a number. */
static int request(struct pu_client *client, uint32_t what, int32_t *number, struct pu_err *err)
{
    static const uint32_t types[] = {PU_LOGGER_ERROR, 0};
    struct pu_logger_header header;

    pu_logger_put_request(&client->out, (int32_t)getpid(), what);
    if (pu_client_send(client, err) < 0 || pu_client_receive(client, types, &header, err) < 0)
        return -1;
    return pu_logger_get_error(pu_buf_span(&client->in), number, err);
}

int pu_logger_new_volume(struct pu_client *client, int32_t *volume, struct pu_err *err)
{
    return request(client, NEW_VOLUME, volume, err);
}

int pu_logger_flush(struct pu_client *client, struct pu_err *err)
{
    int32_t ignored;

    return request(client, FLUSH, &ignored, err);
}
