/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a log says, taken together; log-read.c fills it. */
#include "experiment/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/time.h"

static const char *const event_words[] = {
    "run",           "sample",   "pause",      "resume",       "thread_pause",
    "thread_resume", "exit",     "desc_start", "desc_started", "exec_start",
    "exec_error",    "cerror",   "cwarn",      "comment",      "jthread_start",
    "jthread_end",   "gc_start", "gc_end",     "archive_run",  "unknown",
};

const char *pu_log_event_word(enum pu_log_event_kind kind)
{
    return event_words[kind];
}

size_t pu_log_type_size(enum pu_log_type type)
{
    switch (type) {
    case PU_LOG_INT32:
    case PU_LOG_UINT32:
        return 4;
    case PU_LOG_INT64:
    case PU_LOG_UINT64:
    case PU_LOG_DOUBLE:
    case PU_LOG_DATE:
        return 8;
    case PU_LOG_STRING:
    case PU_LOG_UNKNOWN:
        break;
    }
    return 0;
}

const struct pu_log_event *pu_log_find(const struct pu_log *log, enum pu_log_event_kind kind,
                                       size_t from)
{
    for (size_t i = from; i < log->event_count; i++) {
        if (log->events[i].kind == kind)
            return &log->events[i];
    }
    return NULL;
}

const char *pu_log_state(const struct pu_log *log, const struct pu_log_field *field, int64_t value)
{
    for (size_t i = 0; i < field->state_count; i++) {
        if (log->states[field->first_state + i].value == value)
            return log->states[field->first_state + i].name;
    }
    return NULL;
}

const char *pu_log_setting(const struct pu_log *log, const char *name)
{
    for (size_t i = 0; i < log->setting_count; i++) {
        if (strcmp(log->settings[i].name, name) == 0)
            return log->settings[i].value;
    }
    return NULL;
}

bool pu_log_is_converted(const struct pu_log *log)
{
    return log->present && !*log->collector && !*log->version && log->pid < 0 &&
           log->data_count > 0;
}

/* Did the last exec that was started succeed, so that nothing but its sample follows? */
static bool ended_by_exec(const struct pu_log *log)
{
    for (size_t i = log->event_count; i > 0; i--) {
        const struct pu_log_event *event = &log->events[i - 1];
        if (event->kind == PU_EV_EXEC_START)
            return true;
        if (event->kind == PU_EV_CWARN || event->kind == PU_EV_CERROR ||
            event->kind == PU_EV_COMMENT)
            continue;
        if (event->kind != PU_EV_SAMPLE || strcmp(event->label, "suspend_for_exec") != 0)
            return false;
    }
    return false;
}

static bool was_closing(const struct pu_log *log)
{
    const struct pu_log_event *run = pu_log_find(log, PU_EV_RUN, 0);

    for (size_t i = 0; i < log->event_count; i++) {
        const struct pu_log_event *event = &log->events[i];
        if (event->kind == PU_EV_RUN && event != run)
            return true;
        if (event->kind == PU_EV_SAMPLE && strcmp(event->label, "collector_close_experiment") == 0)
            return true;
    }
    return false;
}

enum pu_log_end pu_log_end(const struct pu_log *log)
{
    if (pu_log_is_converted(log))
        return PU_END_CONVERTED;
    if (pu_log_find(log, PU_EV_EXIT, 0))
        return PU_END_CLOSED;
    if (!pu_log_find(log, PU_EV_RUN, 0))
        return PU_END_NEVER;
    if (ended_by_exec(log))
        return PU_END_EXEC;
    return was_closing(log) ? PU_END_CLOSING : PU_END_OPEN;
}

const char *pu_log_end_word(enum pu_log_end end)
{
    static const char *const words[] = {
        "closed", "exec", "killed-closing", "killed-or-running", "never-started", "converted"};

    return words[end];
}

/* As gprofng takes it before version 2.46: what is not one of these is SPARC. */
bool pu_log_is_big_endian(const struct pu_log *log)
{
    static const char *const little[] = {"x86_64", "i686", "i386", "i86pc", "aarch64", ""};

    if (log->big_endian >= 0)
        return log->big_endian > 0;
    for (size_t i = 0; i < sizeof(little) / sizeof(little[0]); i++) {
        if (strcmp(little[i], log->architecture) == 0)
            return false;
    }
    return true;
}

bool pu_log_is_64(const struct pu_log *log)
{
    return log->word_size != 32;
}

bool pu_log_is_studio(const struct pu_log *log)
{
    return strstr(log->collector, "Analyzer") || strstr(log->collector, "Studio");
}

uint64_t pu_log_block_size(const struct pu_log *log)
{
    if (pu_log_is_converted(log))
        return 0;
    return strcmp(log->version, "12.3") == 0 ? 16384 : 65536;
}

static const char *digits(const char *text, uint64_t max, uint64_t *value)
{
    *value = 0;
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        unsigned int digit = (unsigned int)(*text - '0');
        if (*value > (max - digit) / 10)
            return NULL;
        *value = *value * 10 + digit;
    }
    return text;
}

bool pu_log_parse_number(const char *text, int64_t *number)
{
    bool negative = *text == '-';
    uint64_t value;
    const char *end = digits(text + negative, INT64_MAX, &value);

    if (!end || *end)
        return false;
    *number = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

bool pu_log_parse_time(const char *text, int64_t *time)
{
    bool negative = *text == '-';
    uint64_t seconds;
    uint64_t fraction;
    const char *dot = digits(text + negative, INT64_MAX / PU_NANOSECONDS - 1, &seconds);
    const char *end = dot && *dot == '.' ? digits(dot + 1, PU_NANOSECONDS - 1, &fraction) : NULL;

    if (!end || *end || end - dot != 10)
        return false;
    *time = (int64_t)seconds * PU_NANOSECONDS + (int64_t)fraction;
    if (negative)
        *time = -*time;
    return true;
}

void pu_log_free(struct pu_log *log)
{
    for (size_t i = 0; i < log->data_count; i++) {
        for (size_t j = 0; j < log->data[i].packet_count; j++)
            free(log->data[i].packets[j].fields);
        free(log->data[i].packets);
    }
    free(log->data);
    free(log->settings);
    free(log->states);
    free(log->counters);
    free(log->events);
    pu_arena_free(&log->strings);
    memset(log, 0, sizeof(*log));
}
