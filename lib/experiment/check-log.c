/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What log.xml says, beyond what its reader noticed. */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "experiment/check-private.h"

static void check_version(const struct pu_check *check, struct pu_exp_report *report)
{
    const char *version = check->exp->log.version;

    if (check->converted)
        return;
    if (!*version)
        pu_exp_report_file(report, R_VERSION_MISSING, "no version is told");
    else if (strcmp(version, "12.3") != 0 && strcmp(version, "12.4") != 0)
        pu_exp_report_file(report, R_VERSION, "version \"%.40s\"", version);
}

static void check_identity(const struct pu_check *check, struct pu_exp_report *report)
{
    const struct pu_log *log = &check->exp->log;

    if (check->converted)
        return;
    if (log->word_size == 0)
        pu_exp_report_file(report, R_WORD_SIZE, "no wsize is told; 64 is assumed");
    else if (log->word_size != 32 && log->word_size != 64)
        pu_exp_report_file(report, R_WORD_SIZE, "wsize %lld", (long long)log->word_size);
    if (log->pid < 0)
        pu_exp_report_file(report, R_ATTRIBUTE, "no process id is told");
}

/* The start is written twice, the same both times. */
static void check_runs(const struct pu_check *check, struct pu_exp_report *report)
{
    const struct pu_log *log = &check->exp->log;
    const struct pu_log_event *first = pu_log_find(log, PU_EV_RUN, 0);
    unsigned int count = 0;

    for (size_t i = 0; i < log->event_count; i++) {
        const struct pu_log_event *event = &log->events[i];
        if (event->kind != PU_EV_RUN)
            continue;
        if (!event->has_time)
            pu_exp_report_at(report, R_TIME, event->at, "the run has no start");
        if (++count > 2)
            pu_exp_report_at(report, R_LOG_REPEATED, event->at, "the run begins once more");
        else if (event->time != first->time || event->value != first->value)
            pu_exp_report_at(report, R_LOG_REPEATED, event->at,
                             "the run begins at another time than at offset %llu",
                             (unsigned long long)first->at);
    }
}

static void check_samples(struct pu_check *check, struct pu_exp_report *report)
{
    const struct pu_log *log = &check->exp->log;
    int64_t before = INT64_MIN;
    bool told = false;

    for (size_t i = 0; i < log->event_count; i++) {
        const struct pu_log_event *event = &log->events[i];
        if (event->kind != PU_EV_SAMPLE)
            continue;
        if (event->id != (int64_t)check->samples && !told) {
            pu_exp_report_at(report, R_SAMPLE_ORDER, event->at, "sample %lld where %llu is due",
                             (long long)event->id, (unsigned long long)check->samples);
            told = true;
        }
        if (!event->has_time)
            pu_exp_report_at(report, R_TIME, event->at, "a sample without time");
        else if (event->time < before)
            pu_exp_report_at(report, R_TIME_ORDER, event->at, "a sample before the one before it");
        before = event->has_time ? event->time : before;
        check->samples++;
    }
}

static const char *end_text(enum pu_log_end end)
{
    return end == PU_END_CLOSING ? "it began to close, and did not end"
                                 : "the last record is not that of an end";
}

static void check_end(const struct pu_check *check, struct pu_exp_report *report)
{
    const struct pu_log *log = &check->exp->log;
    uint64_t at = log->event_count ? log->events[log->event_count - 1].at : 0;

    switch (check->end) {
    case PU_END_NEVER:
        pu_exp_report_file(report, R_NEVER_STARTED, "no start of a run is told");
        return;
    case PU_END_OPEN:
    case PU_END_CLOSING:
        pu_exp_report_at(report, R_NOT_CLOSED, at, "%s", end_text(check->end));
        return;
    case PU_END_EXEC:
        if (!check->node->exec_followed)
            pu_exp_report_at(report, R_EXEC_UNFOLLOWED, at, "the exec was not to be followed");
        else if (pu_tree_lacks_exec(check->tree, check->node))
            pu_exp_report_at(report, R_MEMBER_MISSING, at,
                             "process %lld went on by exec, and nothing here has its id",
                             (long long)log->pid);
        return;
    case PU_END_CLOSED:
    case PU_END_CONVERTED:
        return;
    }
}

/* --- messages and pauses ------------------------------------------------------------------------
 */

static void check_message(const struct pu_log_event *event, struct pu_exp_report *report)
{
    const char *meaning = pu_log_message(event->kind, event->id);
    enum pu_exp_rule rule = R_COLLECTOR_WARNING;

    if (event->kind == PU_EV_CERROR)
        rule = R_COLLECTOR_ERROR;
    else if (event->kind != PU_EV_CWARN)
        return;
    if ((event->kind == PU_EV_CERROR && event->id == 14) ||
        (event->kind == PU_EV_CWARN && event->id == 203))
        rule = R_SIZE_LIMIT;
    pu_exp_report_at(report, rule, event->at, "%s %lld: %s \"%.120s\"",
                     event->kind == PU_EV_CERROR ? "error" : "warning", (long long)event->id,
                     meaning ? meaning : "of unknown meaning", event->text);
}

static void check_pause(const struct pu_check *check, const struct pu_log_event *event,
                        struct pu_exp_report *report)
{
    bool limit = strcmp(event->label, "size-limit") == 0;
    double rest = (double)(check->node->last - event->time) / 1e9;

    if (!event->has_time)
        return;
    if (limit)
        pu_exp_report_at(report, R_SIZE_LIMIT, event->at,
                         "data ends at %.3f s; the last %.3f s of the run have none",
                         (double)event->time / 1e9, rest > 0 ? rest : 0);
    else
        pu_exp_report_at(report, R_PAUSED, event->at, "paused at %.3f s by %.40s",
                         (double)event->time / 1e9,
                         *event->label ? event->label : "the way it was started");
}

static void check_events(const struct pu_check *check, struct pu_exp_report *report)
{
    const struct pu_log *log = &check->exp->log;

    for (size_t i = 0; i < log->event_count; i++) {
        check_message(&log->events[i], report);
        if (log->events[i].kind == PU_EV_PAUSE)
            check_pause(check, &log->events[i], report);
    }
}

void pu_check_log(struct pu_check *check)
{
    struct pu_exp_report report;
    const struct pu_exp_entry *entry = pu_exp_dir_find(&check->exp->dir, "log.xml");

    if (!entry || entry->type != PU_EXP_FILE)
        return;
    pu_exp_report_on(check->exp, check->judge, "log.xml", &report);
    if (!check->exp->log.present) {
        pu_exp_report_file(&report, R_XML_EMPTY, "no record can be read");
        pu_exp_report_close(&report);
        return;
    }
    /* The blocks of all versions are multiples of this. */
    if (!check->converted && entry->size % 16384 != 0)
        pu_exp_report_at(&report, R_FILE_CUT, entry->size, "%llu bytes are no whole blocks",
                         (unsigned long long)entry->size);
    check_version(check, &report);
    check_identity(check, &report);
    check_runs(check, &report);
    check_samples(check, &report);
    check_end(check, &report);
    check_events(check, &report);
    pu_exp_report_close(&report);
}
