/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/view.h"

#include <stdio.h>

#include "pcp/compat.h"

#define TEXT_MAX 64

static const struct pu_field pid_field = {.key = "pid"};
static const struct pu_field primary_field = {.key = "primary"};
static const struct pu_field port_field = {.key = "port"};
static const struct pu_field socket_field = {.key = "socket"};
static const struct pu_field archive_field = {.key = "archive"};

/* --- loggers ---------------------------------------------------------------------------------- */

static void put_address(struct pu_out *out, const struct pu_logger_address *address)
{
    static const struct pu_field transport_field = {.key = "transport"};
    static const struct pu_field peer_field = {.key = "peer"};

    pu_out_string(out, &transport_field, address->socket ? "unix" : "tcp");
    if (address->socket) {
        pu_out_string(out, &socket_field, address->socket);
        return;
    }
    pu_out_string(out, &peer_field, address->host);
    pu_out_u64(out, &port_field, address->port);
}

void pu_logger_put(struct pu_out *out, const struct pu_logger_view *view, bool shown)
{
    static const struct pu_field hidden = {.key = "logger", .form = PU_FORM_HIDDEN};
    static const struct pu_field block = {.key = "logger", .form = PU_FORM_BLOCK};

    pu_out_object(out, shown ? &block : &hidden);
    pu_out_i64(out, &pid_field, view->pid);
    if (view->port)
        pu_out_bool(out, &primary_field, view->port->primary);
    put_address(out, view->address);
    if (view->port && view->port->archive[0])
        pu_out_string(out, &archive_field, view->port->archive);
    pu_out_end(out);
}

static void put_text(struct pu_out *out, const struct pu_field *field, const char *text)
{
    if (*text)
        pu_out_string(out, field, text);
}

void pu_logger_put_status(struct pu_out *out, const struct pu_logger_status *status)
{
    static const struct pu_field block = {.key = "status", .form = PU_FORM_BLOCK};
    static const struct pu_field started_field = {.key = "started"};
    static const struct pu_field start_field = {"start", "since", NULL, PU_FORM_PLAIN};
    static const struct pu_field last_field = {"last", "last record", NULL, PU_FORM_PLAIN};
    static const struct pu_field now_field = {"now", "its time", NULL, PU_FORM_PLAIN};
    static const struct pu_field volume_field = {.key = "volume"};
    static const struct pu_field size_field = {"size", "size of volume", "bytes", PU_FORM_PLAIN};
    static const struct pu_field texts[] = {
        {"pmcd_host", "logged host", NULL, PU_FORM_PLAIN},
        {"pmcd_connection", "connected to", NULL, PU_FORM_PLAIN},
        {"pmcd_timezone", "its time zone", NULL, PU_FORM_PLAIN},
        {"pmcd_zoneinfo", "its zoneinfo", NULL, PU_FORM_PLAIN},
        {"pmlogger_timezone", "logger's time zone", NULL, PU_FORM_PLAIN},
        {"pmlogger_zoneinfo", "logger's zoneinfo", NULL, PU_FORM_PLAIN},
    };

    pu_out_object(out, &block);
    pu_out_bool(out, &started_field, status->started);
    if (status->started) {
        pu_out_time(out, &start_field, status->start);
        pu_out_time(out, &last_field, status->last);
    }
    pu_out_time(out, &now_field, status->now);
    pu_out_i64(out, &volume_field, status->volume);
    pu_out_i64(out, &size_field, status->size);
    put_text(out, &texts[0], status->pmcd_host);
    put_text(out, &texts[1], status->pmcd_connection);
    put_text(out, &texts[2], status->pmcd_timezone);
    put_text(out, &texts[3], status->pmcd_zoneinfo);
    put_text(out, &texts[4], status->pmlogger_timezone);
    put_text(out, &texts[5], status->pmlogger_zoneinfo);
    pu_out_end(out);
}

void pu_logger_put_port(struct pu_out *out, const struct pu_logger_port *port, const char *reached)
{
    static const struct pu_field line = {.form = PU_FORM_LINE};
    static const struct pu_field reached_field = {.key = "reached"};
    static const struct pu_field said = {.form = PU_FORM_TAG};
    static const struct pu_field labelled[] = {
        {"port", NULL, NULL, PU_FORM_LABELLED}, {"socket", NULL, NULL, PU_FORM_LABELLED},
        {"host", NULL, NULL, PU_FORM_LABELLED}, {"archive", NULL, NULL, PU_FORM_LABELLED},
        {"note", NULL, NULL, PU_FORM_LABELLED},
    };

    static const struct pu_field hidden_primary = {.key = "primary", .form = PU_FORM_HIDDEN};

    pu_out_object(out, &line);
    if (port->pid)
        pu_out_i64(out, &pid_field, port->pid);
    pu_out_string(out, &reached_field, reached);
    pu_out_bool(out, &hidden_primary, port->primary);
    if (port->primary)
        pu_out_string(out, &said, "primary");
    if (port->port)
        pu_out_u64(out, &labelled[0], port->port);
    if (port->socket)
        pu_out_string(out, &labelled[1], port->socket);
    put_text(out, &labelled[2], port->host);
    put_text(out, &labelled[3], port->archive);
    put_text(out, &labelled[4], port->note);
    pu_out_end(out);
}

/* --- items ------------------------------------------------------------------------------------ */

static const char *control_word(uint32_t word)
{
    return PU_PMLC_GET_MAND(word) ? "mandatory" : "advisory";
}

/* Exact, and as -t takes it. */
static const char *interval_text(uint32_t delta, char to[TEXT_MAX / 2])
{
    if (delta == 0)
        return "once";
    if (delta % 1000 == 0)
        snprintf(to, TEXT_MAX / 2, "%us", delta / 1000);
    else
        snprintf(to, TEXT_MAX / 2, "%ums", delta);
    return to;
}

static const char *state_text(uint32_t word, char to[TEXT_MAX])
{
    char interval[TEXT_MAX / 2];

    if (PU_PMLC_GET_ON(word))
        snprintf(to, TEXT_MAX, "%s on %s", control_word(word),
                 interval_text(PU_PMLC_GET_DELTA(word), interval));
    else
        snprintf(to, TEXT_MAX, "%s off", control_word(word));
    return to;
}

/* For programs. `log`: is it known what of it is in the log? */
static void put_state(struct pu_out *out, const struct pu_field *field, uint32_t word, bool log)
{
    static const struct pu_field control_field = {.key = "control"};
    static const struct pu_field state_field = {.key = "state"};
    static const struct pu_field interval_field = {.key = "interval_ms"};
    static const struct pu_field in_log_field = {.key = "in_log"};
    static const struct pu_field available_field = {.key = "available"};

    pu_out_object(out, field);
    pu_out_string(out, &control_field, control_word(word));
    pu_out_string(out, &state_field, PU_PMLC_GET_ON(word) ? "on" : "off");
    if (PU_PMLC_GET_ON(word))
        pu_out_u64(out, &interval_field, PU_PMLC_GET_DELTA(word));
    if (log) {
        pu_out_bool(out, &in_log_field, PU_PMLC_GET_INLOG(word));
        pu_out_bool(out, &available_field, PU_PMLC_GET_AVAIL(word));
    }
    pu_out_end(out);
}

static void put_asked(struct pu_out *out, const struct pu_wish *wish)
{
    static const struct pu_field asked_field = {.key = "asked", .form = PU_FORM_HIDDEN};
    static const struct pu_field control_field = {.key = "control"};
    static const struct pu_field state_field = {.key = "state"};
    static const struct pu_field interval_field = {.key = "interval_ms"};
    static const char *const states[] = {"off", "maybe", "on"};

    pu_out_object(out, &asked_field);
    pu_out_string(out, &control_field,
                  wish->control == PU_LOG_MANDATORY ? "mandatory" : "advisory");
    pu_out_string(out, &state_field, states[wish->state]);
    if (wish->state == PU_LOG_ON)
        pu_out_u64(out, &interval_field, wish->delta);
    pu_out_end(out);
}

static void put_what(struct pu_out *out, const struct pu_plan_metric *metric,
                     const struct pu_plan_item *item)
{
    static const struct pu_field name_field = {.key = "name"};
    static const struct pu_field pmid_field = {.key = "pmid", .form = PU_FORM_HIDDEN};
    static const struct pu_field id_field = {.key = "instance", .form = PU_FORM_HIDDEN};
    static const struct pu_field instance_field = {.key = "instance_name",
                                                   .form = PU_FORM_BRACKETS};
    static const struct pu_field bare_id_field = {.form = PU_FORM_BRACKETS};
    char pmid[TEXT_MAX];

    pu_out_name(out, &name_field, metric->name);
    if (metric->pmid != PM_ID_NULL)
        pu_out_string(out, &pmid_field, pmIDStr_r(metric->pmid, pmid, sizeof(pmid)));
    if (item->has_inst)
        pu_out_i64(out, &id_field, item->inst);
    if (item->name.size > 0)
        pu_out_select(out, &instance_field, item->name);
    else if (item->has_inst)
        pu_out_i64(out, &bare_id_field, item->inst);
}

static void put_reason(struct pu_out *out, const struct pu_plan_metric *metric,
                       const struct pu_plan_item *item)
{
    static const struct pu_field reason_field = {.key = "reason", .form = PU_FORM_TAG};
    char text[PM_MAXERRMSGLEN];

    if (item->reason)
        pu_out_string(out, &reason_field, item->reason);
    else if (metric->code < 0 && !pu_verdict_good(item->verdict))
        pu_out_string(out, &reason_field, pmErrStr_r(metric->code, text, sizeof(text)));
}

static void put_looked_at(struct pu_out *out, const struct pu_plan_item *item)
{
    static const struct pu_field state_field = {.key = "state", .form = PU_FORM_HIDDEN};
    static const struct pu_field text_field = {.form = PU_FORM_PLAIN};
    char text[TEXT_MAX];

    put_state(out, &state_field, item->before, true);
    pu_out_string(out, &text_field, state_text(item->before, text));
    if (PU_PMLC_GET_INLOG(item->before))
        pu_out_string(out, &text_field,
                      PU_PMLC_GET_AVAIL(item->before) ? "in-log" : "in-log not-available");
}

static void put_judged(struct pu_out *out, const struct pu_wish *wish,
                       const struct pu_plan_metric *metric, const struct pu_plan_item *item)
{
    static const struct pu_field before_field = {.key = "before", .form = PU_FORM_HIDDEN};
    static const struct pu_field after_field = {.key = "after", .form = PU_FORM_HIDDEN};
    static const struct pu_field all_field = {.key = "all", .form = PU_FORM_HIDDEN};
    static const struct pu_field text_field = {.form = PU_FORM_PLAIN};
    char text[TEXT_MAX];

    if (item->has_before) {
        if (metric->pmindom != PM_INDOM_NULL)
            pu_out_bool(out, &all_field, metric->all);
        put_state(out, &before_field, item->before, true);
        pu_out_string(out, &text_field, state_text(item->before, text));
    }
    put_asked(out, wish);
    if (!item->has_after)
        return;
    put_state(out, &after_field, item->after, item->verdict != PU_VERDICT_PLANNED);
    if (PU_LOG_STATE(item->after) != PU_LOG_STATE(item->before)) {
        pu_out_string(out, &text_field, "->");
        pu_out_string(out, &text_field, state_text(item->after, text));
    }
}

static void put_item(struct pu_out *out, const struct pu_plan *plan,
                     const struct pu_plan_item *item)
{
    static const struct pu_field line = {.form = PU_FORM_LINE};
    static const struct pu_field verdict_field = {.key = "verdict"};
    const struct pu_plan_metric *metric = &plan->metrics[item->metric];

    pu_out_object(out, &line);
    put_what(out, metric, item);
    if (item->verdict)
        pu_out_string(out, &verdict_field, pu_verdict_word(item->verdict));
    if (plan->wish.control != PU_LOG_ENQUIRE)
        put_judged(out, &plan->wish, metric, item);
    else if (item->has_before)
        put_looked_at(out, item);
    put_reason(out, metric, item);
    pu_out_end(out);
}

static void put_summary(struct pu_out *out, const struct pu_plan *plan)
{
    static const struct pu_field summary_field = {.key = "summary", .form = PU_FORM_HIDDEN};

    pu_out_object(out, &summary_field);
    for (int verdict = PU_VERDICT_CHANGED; verdict <= PU_VERDICT_UNSENT; verdict++) {
        char key[TEXT_MAX];
        struct pu_field field = {.key = key};
        uint64_t count = 0;
        for (size_t i = 0; i < plan->item_count; i++)
            count += (int)plan->items[i].verdict == verdict;
        snprintf(key, sizeof(key), "%s", pu_verdict_word((enum pu_verdict)verdict));
        for (char *byte = key; *byte; byte++)
            *byte = *byte == '-' ? '_' : *byte;
        if (count > 0)
            pu_out_u64(out, &field, count);
    }
    pu_out_end(out);
}

void pu_plan_put(struct pu_out *out, const struct pu_plan *plan)
{
    static const struct pu_field items_field = {.key = "items"};

    pu_out_list(out, &items_field);
    for (size_t i = 0; i < plan->item_count; i++)
        put_item(out, plan, &plan->items[i]);
    pu_out_end(out);
    if (plan->wish.control != PU_LOG_ENQUIRE)
        put_summary(out, plan);
}
