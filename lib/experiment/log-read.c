/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>

#include "experiment/log.h"
#include "experiment/xml.h"

#define STATES_MAX 256 /* of a field; they are gone through for each packet */

struct reader {
    struct pu_xml_handler handler; /* first */
    struct pu_log *log;
    struct pu_exp_report *report;
    struct pu_log_data *data;     /* the <profile> that is being read, or NULL */
    struct pu_log_packet *packet; /* likewise */
    unsigned int data_depth;
    bool in_field; /* the last <field> was taken: a <state> belongs to it */
    bool lost;     /* memory ran out */
};

static const char *keep(struct reader *reader, const struct pu_span *text)
{
    return text ? pu_arena_text(&reader->log->strings, *text) : "";
}

static const char *keep_attribute(struct reader *reader, const struct pu_xml_record *record,
                                  const char *name)
{
    return keep(reader, pu_xml_get_span(record, name));
}

/* A number that must be one when it is there. */
static bool number(struct reader *reader, const struct pu_xml_record *record, const char *name,
                   int64_t *value)
{
    const char *text = pu_xml_get(record, name);

    if (!text)
        return false;
    if (pu_log_parse_number(text, value))
        return true;
    pu_exp_report_at(reader->report, R_ATTRIBUTE, record->offset, "%s: %s \"%.60s\" is no number",
                     record->element, name, text);
    return false;
}

static void take_experiment(struct reader *reader, const struct pu_xml_record *record)
{
    if (*reader->log->version)
        pu_exp_report_at(reader->report, R_LOG_REPEATED, record->offset,
                         "a second <experiment> element");
    reader->log->version = keep_attribute(reader, record, "version");
}

static void take_system(struct reader *reader, const struct pu_xml_record *record)
{
    int64_t big;
    struct pu_log *log = reader->log;

    log->hostname = keep_attribute(reader, record, "hostname");
    log->architecture = keep_attribute(reader, record, "arch");
    log->system = keep_attribute(reader, record, "os");
    (void)number(reader, record, "pagesz", &log->page_size);
    (void)number(reader, record, "npages", &log->pages);
    if (number(reader, record, "bigendian", &big))
        log->big_endian = big != 0;
}

static void take_cpu(struct reader *reader, const struct pu_xml_record *record)
{
    int64_t clock;
    struct pu_log *log = reader->log;

    log->cpus++;
    if (!number(reader, record, "clk", &clock))
        return;
    if (log->clock_low == 0 || clock < log->clock_low)
        log->clock_low = clock;
    if (clock > log->clock_high)
        log->clock_high = clock;
}

/* One element with all attributes, or one element for each. */
static void take_process(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log *log = reader->log;

    (void)number(reader, record, "pid", &log->pid);
    (void)number(reader, record, "ppid", &log->ppid);
    (void)number(reader, record, "pgrp", &log->pgrp);
    (void)number(reader, record, "sid", &log->sid);
    (void)number(reader, record, "wsize", &log->word_size);
    if (pu_xml_get(record, "cwd"))
        log->directory = keep_attribute(reader, record, "cwd");
    if (record->text.size > 0)
        log->command = keep(reader, &record->text);
}

static void take_setting(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log *log = reader->log;

    for (size_t i = 0; i < record->attribute_count; i++) {
        if (!pu_exp_grow(&log->settings, &log->setting_room, log->setting_count,
                         sizeof(*log->settings))) {
            reader->lost = true;
            return;
        }
        log->settings[log->setting_count++] = (struct pu_log_setting){
            pu_arena_text(&log->strings, pu_span_text(record->attributes[i].name)),
            keep(reader, &record->attributes[i].value), record->offset};
    }
}

static struct pu_log_data *add_data(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log *log = reader->log;

    reader->packet = NULL;
    reader->data = NULL;
    if (!pu_exp_grow(&log->data, &log->data_room, log->data_count, sizeof(*log->data))) {
        reader->lost = true;
        return NULL;
    }
    reader->data = &log->data[log->data_count++];
    *reader->data = (struct pu_log_data){.name = "", .file = "", .at = record->offset};
    reader->data_depth = record->depth;
    return reader->data;
}

static void take_counter(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log *log = reader->log;
    struct pu_log_counter counter = {.tag = -1, .at = record->offset};

    if (!pu_exp_grow(&log->counters, &log->counter_room, log->counter_count,
                     sizeof(*log->counters))) {
        reader->lost = true;
        return;
    }
    counter.name = keep_attribute(reader, record, "hwcname");
    counter.internal_name = keep_attribute(reader, record, "int_name");
    (void)number(reader, record, "interval", &counter.interval);
    if (!number(reader, record, "tag", &counter.tag) || counter.tag < 0 || counter.tag > 255)
        pu_exp_report_at(reader->report, R_COUNTER_TAG, record->offset,
                         "counter \"%.60s\" has tag %lld", counter.name, (long long)counter.tag);
    log->counters[log->counter_count++] = counter;
}

static bool is_known_data(const char *name)
{
    static const char *const names[] = {"profile",  "heaptrace", "iotrace",  "synctrace",
                                        "omptrace", "hwcounter", "hwsimctr", "datarace",
                                        "deadlock", "jprofile",  "dversion"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/*
 * Nobody says which schemes of race detection there are. gprofng 2.40 was seen to crash on 9; this
 * bound between what may be and what is not is a guess.
 */
static void check_scheme(struct reader *reader, const struct pu_xml_record *record)
{
    int64_t scheme;

    if (number(reader, record, "scheme", &scheme) && (scheme < 0 || scheme > 3))
        pu_exp_report_at(reader->report, R_SCHEME, record->offset, "scheme %lld",
                         (long long)scheme);
}

static void take_profile(struct reader *reader, const struct pu_xml_record *record)
{
    const char *name = pu_xml_get(record, "name");

    if (!name) {
        pu_exp_report_at(reader->report, R_ATTRIBUTE, record->offset, "<profile> without name");
        return;
    }
    if (!is_known_data(name))
        pu_exp_report_at(reader->report, R_PROFILE_UNKNOWN, record->offset,
                         "data is called \"%.60s\"", name);
    if (strcmp(name, "jprofile") == 0)
        reader->log->java = keep_attribute(reader, record, "jversion");
    if (strcmp(name, "hwcounter") == 0)
        take_counter(reader, record);
    struct pu_log_data *data = add_data(reader, record);
    if (!data)
        return;
    data->name = keep_attribute(reader, record, "name");
    (void)number(reader, record, "ptimer", &data->tick);
    (void)number(reader, record, "numstates", &data->states);
    if (strcmp(name, "datarace") == 0)
        check_scheme(reader, record);
}

/* For counters it stands at top level, behind the last of them. */
static void take_profdata(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log_data *data = reader->data;

    if (!data || *data->file)
        data = add_data(reader, record);
    if (data)
        data->file = keep_attribute(reader, record, "fname");
}

static void take_profpckt(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log_data *data = reader->data ? reader->data : add_data(reader, record);
    int64_t kind = -1;

    if (!data)
        return;
    if (!number(reader, record, "kind", &kind) || kind < 0 || kind > 31)
        pu_exp_report_at(reader->report, R_PACKET_KIND, record->offset, "packets of kind %lld",
                         (long long)kind);
    if (!pu_exp_grow(&data->packets, &data->packet_room, data->packet_count,
                     sizeof(*data->packets))) {
        reader->lost = true;
        return;
    }
    reader->packet = &data->packets[data->packet_count++];
    reader->in_field = false;
    *reader->packet = (struct pu_log_packet){.kind = kind};
}

static enum pu_log_type type_of(const char *word)
{
    static const char *const words[] = {"INT32",  "UINT32", "INT64", "UINT64",
                                        "STRING", "DOUBLE", "DATE"};

    for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], word) == 0)
            return (enum pu_log_type)i;
    }
    return PU_LOG_UNKNOWN;
}

static void take_field(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log_packet *packet = reader->packet;
    const char *type = pu_xml_get(record, "type");
    struct pu_log_field field = {.type = type_of(type), .at = record->offset};
    int64_t offset = -1;

    reader->in_field = false;
    if (!packet)
        return;
    field.name = keep_attribute(reader, record, "name");
    /* A packet's size has 16 bits. */
    if (!number(reader, record, "offset", &offset) || offset < 0 ||
        offset + (int64_t)pu_log_type_size(field.type) > 65535) {
        pu_exp_report_at(reader->report, R_FIELD, record->offset, "field \"%.60s\" at offset %lld",
                         field.name, (long long)offset);
        return;
    }
    if (field.type == PU_LOG_UNKNOWN)
        pu_exp_report_at(reader->report, R_FIELD, record->offset,
                         "field \"%.60s\" is of type \"%.60s\"", field.name, type ? type : "");
    field.offset = (uint32_t)offset;
    if (!pu_exp_grow(&packet->fields, &packet->field_room, packet->field_count,
                     sizeof(*packet->fields))) {
        reader->lost = true;
        return;
    }
    packet->fields[packet->field_count++] = field;
    reader->in_field = true;
}

/* It stands in its field: the states of one field follow each other. */
static void take_state(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log *log = reader->log;
    struct pu_log_packet *packet = reader->packet;
    struct pu_log_state state;

    if (!packet || !reader->in_field || !pu_xml_get(record, "name") ||
        !number(reader, record, "value", &state.value))
        return;
    struct pu_log_field *field = &packet->fields[packet->field_count - 1];
    if (field->state_count == STATES_MAX) {
        pu_exp_report_at(reader->report, R_FIELD, record->offset,
                         "field \"%.60s\" has more than %d states", field->name, STATES_MAX);
        return;
    }
    state.name = keep_attribute(reader, record, "name");
    if (!pu_exp_grow(&log->states, &log->state_room, log->state_count, sizeof(state))) {
        reader->lost = true;
        return;
    }
    if (field->state_count == 0)
        field->first_state = log->state_count;
    field->state_count++;
    log->states[log->state_count++] = state;
}

static void take_frequency(struct reader *reader, const struct pu_xml_record *record)
{
    if (pu_xml_get(record, "frequency_scaling"))
        reader->log->scaling = keep_attribute(reader, record, "frequency_scaling");
    if (pu_xml_get(record, "turbo_mode"))
        reader->log->turbo = keep_attribute(reader, record, "turbo_mode");
}

static enum pu_log_event_kind event_kind(const char *word)
{
    int kind = 0;

    while (kind < PU_EV_UNKNOWN && strcmp(pu_log_event_word((enum pu_log_event_kind)kind), word))
        kind++;
    return (enum pu_log_event_kind)kind;
}

static void take_time(struct reader *reader, const struct pu_xml_record *record,
                      struct pu_log_event *event)
{
    const char *text = pu_xml_get(record, "tstamp");

    if (!text)
        return;
    event->has_time = pu_log_parse_time(text, &event->time);
    if (!event->has_time)
        pu_exp_report_at(reader->report, R_TIME, record->offset,
                         "tstamp \"%.60s\": not seconds with nine decimals", text);
    else if (event->time < 0)
        pu_exp_report_at(reader->report, R_TIME, record->offset, "tstamp \"%.60s\" is negative",
                         text);
}

static const char *label_name(enum pu_log_event_kind kind)
{
    switch (kind) {
    case PU_EV_SAMPLE:
        return "label";
    case PU_EV_RUN:
        return "tm_zone";
    case PU_EV_PAUSE:
    case PU_EV_JTHREAD_START:
        return "name";
    default:
        return "variant";
    }
}

static void take_event(struct reader *reader, const struct pu_xml_record *record)
{
    struct pu_log *log = reader->log;
    const char *word = pu_xml_get(record, "kind");
    struct pu_log_event event = {.at = record->offset, .id = -1};
    const char *follow = pu_xml_get(record, "follow");

    event.kind = event_kind(word ? word : "");
    if (event.kind == PU_EV_UNKNOWN)
        pu_exp_report_at(reader->report, R_EVENT_UNKNOWN, record->offset, "event \"%.60s\"",
                         word ? word : "");
    take_time(reader, record, &event);
    (void)number(reader, record, "id", &event.id);
    (void)number(reader, record, event.kind == PU_EV_RUN ? "time" : "ec", &event.value);
    event.label = keep_attribute(reader, record, label_name(event.kind));
    event.text = pu_xml_get(record, "msg") ? keep_attribute(reader, record, "msg")
                                           : keep(reader, &record->text);
    if (!*event.text)
        event.text = keep_attribute(reader, record, "text");
    event.lineage = keep_attribute(reader, record, "lineage");
    event.follow = follow && strcmp(follow, "0") != 0;
    if (!pu_exp_grow(&log->events, &log->event_room, log->event_count, sizeof(*log->events)))
        reader->lost = true;
    else
        log->events[log->event_count++] = event;
}

struct element {
    const char *name;
    void (*take)(struct reader *reader, const struct pu_xml_record *record);
};

static void take_collector(struct reader *reader, const struct pu_xml_record *record)
{
    reader->log->collector = keep(reader, &record->text);
}

static void take_nothing(struct reader *reader, const struct pu_xml_record *record)
{
    (void)reader;
    (void)record;
}

static const struct element elements[] = {
    {"collector", take_collector}, {"cpu", take_cpu},
    {"dataptr", take_nothing},     {"dtracefatal", take_nothing},
    {"event", take_event},         {"experiment", take_experiment},
    {"field", take_field},         {"frequency", take_frequency},
    {"powerm", take_nothing},      {"process", take_process},
    {"profdata", take_profdata},   {"profile", take_profile},
    {"profpckt", take_profpckt},   {"setting", take_setting},
    {"state", take_state},         {"system", take_system},
};

/* What lies deeper than a <profile> belongs to it; what does not, ends it, but for counters. */
static void leave_profile(struct reader *reader, const struct pu_xml_record *record)
{
    bool loose =
        strcmp(record->element, "profdata") == 0 || strcmp(record->element, "profpckt") == 0;

    if (reader->data && record->depth <= reader->data_depth && !loose) {
        reader->data = NULL;
        reader->packet = NULL;
    }
}

static int take(struct pu_xml_handler *handler, const struct pu_xml_record *record)
{
    struct reader *reader = (struct reader *)handler;

    reader->log->present = true;
    reader->log->records++;
    leave_profile(reader, record);
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        if (strcmp(elements[i].name, record->element) == 0) {
            elements[i].take(reader, record);
            return reader->lost || reader->log->strings.failed ? -1 : 0;
        }
    }
    pu_exp_report_at(reader->report, R_ELEMENT_UNKNOWN, record->offset, "element <%.60s>",
                     record->element);
    return 0;
}

static void take_damage(struct pu_xml_handler *handler, enum pu_xml_damage kind, uint64_t offset,
                        const char *what)
{
    struct reader *reader = (struct reader *)handler;

    if (kind == PU_XML_CUT)
        reader->log->cut = true;
    if (kind != PU_XML_STRAY_END)
        reader->log->damages++;
    pu_exp_report_at(reader->report, pu_exp_xml_rule((int)kind), offset, "%s", what);
}

int pu_log_read(struct pu_span bytes, struct pu_log *log, struct pu_exp_report *report,
                struct pu_err *err)
{
    struct reader reader = {.handler = {take, take_damage}, .log = log, .report = report};

    log->version = log->collector = log->hostname = log->architecture = log->system = "";
    log->directory = log->command = log->java = log->scaling = log->turbo = "";
    log->big_endian = -1;
    log->pid = log->ppid = log->pgrp = log->sid = -1;
    return pu_xml_read(bytes, &reader.handler, err);
}
