/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/summary-view.h"

#include <string.h>

#include "base/time.h"
#include "experiment/files-view.h"

struct view {
    struct pu_out *out;
    const struct pu_exp *exp;
    const struct pu_tree *tree;
    const struct pu_tree_node *node;
    struct pu_judge *judge;
    int64_t overview; /* latest times since the start; -1 = none */
    int64_t packets;
    struct pu_overview_record first; /* of the overview */
    struct pu_overview_record last;
    size_t records;
};

static const struct pu_field line = {.form = PU_FORM_LINE};
static const struct pu_field bullet = {.form = PU_FORM_PLAIN};

static void put_text(struct view *view, const struct pu_field *field, const char *text)
{
    if (*text)
        pu_out_string(view->out, field, text);
}

static void put_number(struct view *view, const struct pu_field *field, int64_t number)
{
    if (number >= 0)
        pu_out_i64(view->out, field, number);
}

static void put_seconds(struct view *view, const struct pu_field *field, int64_t time)
{
    if (time >= 0)
        pu_out_double(view->out, field, (double)time / 1e9);
}

/* --- notes --------------------------------------------------------------------------------------
 */

static void put_note_lines(struct view *view, struct pu_span text)
{
    static const struct pu_field note = {.label = "  note"};

    while (text.size > 0) {
        const unsigned char *feed = memchr(text.data, '\n', text.size);
        size_t size = feed ? (size_t)(feed - text.data) : text.size;
        pu_out_bytes(view->out, &note, pu_span_clip(text, 0, size));
        size += feed != NULL;
        text.data += size;
        text.size -= size;
    }
}

static int put_notes(struct view *view, struct pu_err *err)
{
    static const struct pu_field notes = {.key = "notes", .form = PU_FORM_HIDDEN};
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    struct pu_exp_report report;

    pu_exp_report_on(view->exp, view->judge, "notes", &report);
    int found = pu_exp_read(view->exp, "notes", &report, &blob, err);
    pu_exp_report_close(&report);
    if (found <= 0)
        return found;
    pu_out_bytes(view->out, &notes, pu_blob_span(&blob));
    put_note_lines(view, pu_blob_span(&blob));
    return 0;
}

/* --- what the log says --------------------------------------------------------------------------
 */

static void put_identity(struct view *view)
{
    static const struct pu_field path = {.key = "path", .label = "experiment"};
    static const struct pu_field name = {.key = "name", .form = PU_FORM_HIDDEN};
    static const struct pu_field kind = {.key = "kind", .label = "  kind"};
    const struct pu_exp_dir *dir = &view->exp->dir;

    pu_out_string(view->out, &path, dir->path);
    pu_out_string(view->out, &name, dir->name);
    pu_out_string(view->out, &kind,
                  pu_exp_kind_word(dir->kind == PU_EXP_NONE ? PU_EXP_FOUNDER : dir->kind));
}

static void put_end(struct view *view)
{
    static const struct pu_field ended = {.key = "ended", .label = "  ended"};
    static const struct pu_field cut = {.key = "log_cut", .label = "  log cut"};
    static const struct pu_field goes_on = {.key = "goes_on_in", .label = "  goes on in"};
    static const struct pu_field followed = {.key = "exec_followed", .label = "  exec followed"};
    const struct pu_log *log = &view->exp->log;
    enum pu_log_end end = pu_log_end(log);

    if (!log->present)
        return;
    pu_out_string(view->out, &ended, pu_log_end_word(end));
    if (log->cut)
        pu_out_bool(view->out, &cut, true);
    if (end != PU_END_EXEC)
        return;
    pu_out_bool(view->out, &followed, view->node->exec_followed);
    if (view->node->next_exec != PU_NO_NODE)
        pu_out_string(view->out, &goes_on, view->tree->nodes[view->node->next_exec].name);
}

static void put_versions(struct view *view)
{
    static const struct pu_field version = {.key = "version", .label = "  version"};
    static const struct pu_field collector = {.key = "collector", .label = "  collector"};
    static const struct pu_field java = {.key = "java", .label = "  java"};
    const struct pu_log *log = &view->exp->log;

    put_text(view, &version, log->version);
    put_text(view, &collector, log->collector);
    put_text(view, &java, log->java);
}

static void put_host(struct view *view)
{
    static const struct pu_field host = {.key = "host", .label = "  host"};
    static const struct pu_field arch = {.key = "architecture", .label = "  architecture"};
    static const struct pu_field system = {.key = "os", .label = "  os"};
    static const struct pu_field bits = {.key = "word_size", .label = "  word size"};
    static const struct pu_field big = {.key = "big_endian", .label = "  big-endian"};
    static const struct pu_field cpus = {.key = "cpus", .label = "  CPUs"};
    static const struct pu_field clock = {.key = "clock_mhz", .label = "  clock", .unit = "MHz"};
    static const struct pu_field low = {.key = "clock_low_mhz", .form = PU_FORM_HIDDEN};
    static const struct pu_field memory = {.key = "memory", .label = "  memory", .unit = "bytes"};
    const struct pu_log *log = &view->exp->log;
    int64_t size;

    put_text(view, &host, log->hostname);
    put_text(view, &arch, log->architecture);
    put_text(view, &system, log->system);
    pu_out_i64(view->out, &bits, view->exp->is_64 ? 64 : 32);
    pu_out_bool(view->out, &big, view->exp->order == PU_BIG);
    if (log->cpus > 0) {
        pu_out_u64(view->out, &cpus, log->cpus);
        pu_out_i64(view->out, &clock, log->clock_high);
        pu_out_i64(view->out, &low, log->clock_low);
    }
    if (log->pages > 0 && !__builtin_mul_overflow(log->pages, log->page_size, &size))
        pu_out_i64(view->out, &memory, size);
}

/* What the collector noted of the CPUs' frequency, before the run. */
static int put_power(struct view *view, struct pu_err *err)
{
    static const struct pu_field scaling = {.key = "frequency_scaling",
                                            .label = "  frequency scaling"};
    static const struct pu_field turbo = {.key = "turbo_mode", .label = "  turbo mode"};
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(pu_log_free) struct pu_log log = {0};

    pu_exp_report_on(view->exp, view->judge, "warnings.xml", &report);
    int found = pu_exp_read(view->exp, "warnings.xml", &report, &blob, err);
    if (found <= 0)
        return found;
    if (pu_log_read(pu_blob_span(&blob), &log, &report, err) < 0)
        return -1;
    put_text(view, &scaling, log.scaling);
    put_text(view, &turbo, log.turbo);
    return 0;
}

static void put_process(struct view *view)
{
    static const struct pu_field command = {.key = "command", .label = "  command"};
    static const struct pu_field directory = {.key = "directory", .label = "  directory"};
    static const struct pu_field pid = {.key = "pid", .label = "  pid"};
    static const struct pu_field ppid = {.key = "ppid", .label = "  parent's pid"};
    const struct pu_log *log = &view->exp->log;

    put_text(view, &command, log->command);
    put_text(view, &directory, log->directory);
    put_number(view, &pid, log->pid);
    put_number(view, &ppid, log->ppid);
}

static void put_settings(struct view *view)
{
    static const struct pu_field settings = {
        .key = "settings", .label = "  settings", .form = PU_FORM_BLOCK};
    static const struct pu_field name = {.key = "name"};
    static const struct pu_field value = {.key = "value", .form = PU_FORM_QUOTED};
    const struct pu_log *log = &view->exp->log;

    if (log->setting_count == 0)
        return;
    pu_out_list(view->out, &settings);
    for (size_t i = 0; i < log->setting_count; i++) {
        pu_out_object(view->out, &line);
        pu_out_string(view->out, &bullet, "-");
        pu_out_string(view->out, &name, log->settings[i].name);
        pu_out_string(view->out, &value, log->settings[i].value);
        pu_out_end(view->out);
    }
    pu_out_end(view->out);
}

static void put_counters(struct view *view)
{
    static const struct pu_field counters = {
        .key = "counters", .label = "  counters", .form = PU_FORM_BLOCK};
    static const struct pu_field tag = {.key = "tag"};
    static const struct pu_field name = {.key = "name"};
    static const struct pu_field internal = {.key = "internal_name", .form = PU_FORM_HIDDEN};
    static const struct pu_field interval = {.key = "interval", .form = PU_FORM_LABELLED};
    const struct pu_log *log = &view->exp->log;

    if (log->counter_count == 0)
        return;
    pu_out_list(view->out, &counters);
    for (size_t i = 0; i < log->counter_count; i++) {
        pu_out_object(view->out, &line);
        pu_out_string(view->out, &bullet, "-");
        pu_out_i64(view->out, &tag, log->counters[i].tag);
        pu_out_string(view->out, &name, log->counters[i].name);
        pu_out_string(view->out, &internal, log->counters[i].internal_name);
        pu_out_i64(view->out, &interval, log->counters[i].interval);
        pu_out_end(view->out);
    }
    pu_out_end(view->out);
}

static bool is_message(const struct pu_log_event *event)
{
    return event->kind == PU_EV_CERROR || event->kind == PU_EV_CWARN ||
           event->kind == PU_EV_COMMENT;
}

static void put_message(struct view *view, const struct pu_log_event *event)
{
    static const struct pu_field kind = {.key = "kind"};
    static const struct pu_field id = {.key = "id", .form = PU_FORM_PREFIX};
    static const struct pu_field meaning = {.key = "meaning", .form = PU_FORM_CLAUSE};
    static const struct pu_field text = {.key = "text", .form = PU_FORM_QUOTED};
    static const struct pu_field number = {.key = "errno", .form = PU_FORM_LABELLED};
    static const char *const words[] = {"error", "warning", "comment"};
    const char *known = pu_log_message(event->kind, event->id);

    pu_out_object(view->out, &line);
    pu_out_string(view->out, &bullet, "-");
    pu_out_string(view->out, &kind, words[event->kind - PU_EV_CERROR]);
    pu_out_i64(view->out, &id, event->id);
    if (known)
        pu_out_string(view->out, &meaning, known);
    pu_out_string(view->out, &text, event->text);
    if (event->value != 0)
        pu_out_i64(view->out, &number, event->value);
    pu_out_end(view->out);
}

static void put_messages(struct view *view)
{
    static const struct pu_field messages = {
        .key = "messages", .label = "  messages", .form = PU_FORM_BLOCK};
    const struct pu_log *log = &view->exp->log;
    bool open = false;

    for (size_t i = 0; i < log->event_count; i++) {
        if (!is_message(&log->events[i]))
            continue;
        if (!open)
            pu_out_list(view->out, &messages);
        open = true;
        put_message(view, &log->events[i]);
    }
    if (open)
        pu_out_end(view->out);
}

/* How often each kind of event happened. */
static void put_events(struct view *view)
{
    static const struct pu_field events = {
        .key = "events", .label = "  events", .form = PU_FORM_BLOCK};
    static const struct pu_field kind = {.key = "kind"};
    static const struct pu_field count = {.key = "count"};
    const struct pu_log *log = &view->exp->log;
    uint64_t counts[PU_EV_UNKNOWN + 1] = {0};

    for (size_t i = 0; i < log->event_count; i++)
        counts[log->events[i].kind]++;
    if (log->event_count == 0)
        return;
    pu_out_list(view->out, &events);
    for (int i = 0; i <= PU_EV_UNKNOWN; i++) {
        if (counts[i] == 0)
            continue;
        pu_out_object(view->out, &line);
        pu_out_string(view->out, &bullet, "-");
        pu_out_string(view->out, &kind, pu_log_event_word((enum pu_log_event_kind)i));
        pu_out_u64(view->out, &count, counts[i]);
        pu_out_end(view->out);
    }
    pu_out_end(view->out);
}

/* --- times --------------------------------------------------------------------------------------
 */

static int read_overview(struct view *view, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    struct pu_exp_report report;
    uint64_t size = pu_overview_size(view->exp->is_64);

    pu_exp_report_on(view->exp, view->judge, "overview", &report);
    int found = pu_exp_read(view->exp, "overview", &report, &blob, err);
    pu_exp_report_close(&report);
    view->records = blob.size / size;
    if (found <= 0 || view->records == 0)
        return found < 0 ? -1 : 0;
    view->first = pu_overview_at(pu_blob_span(&blob), 0, view->exp->is_64, view->exp->order);
    view->last = pu_overview_at(pu_blob_span(&blob), (view->records - 1) * size, view->exp->is_64,
                                view->exp->order);
    if (view->last.time > view->exp->start)
        view->overview = view->last.time - view->exp->start;
    return 0;
}

static void put_times(struct view *view)
{
    static const struct pu_field start = {.key = "start", .label = "  start"};
    static const struct pu_field log = {
        .key = "log_duration", .label = "  duration by log", .unit = "s", .form = PU_FORM_ROUNDED};
    static const struct pu_field overview = {.key = "overview_duration",
                                             .label = "  duration by overview",
                                             .unit = "s",
                                             .form = PU_FORM_ROUNDED};
    static const struct pu_field packets = {.key = "packet_duration",
                                            .label = "  duration by packets",
                                            .unit = "s",
                                            .form = PU_FORM_ROUNDED};

    if (view->exp->wall_start > 0)
        pu_out_time(view->out, &start, view->exp->wall_start);
    if (!view->exp->has_start)
        return;
    put_seconds(view, &log, view->node->last);
    put_seconds(view, &overview, view->overview);
    put_seconds(view, &packets, view->packets);
}

static void put_usage(struct view *view)
{
    static const struct pu_field samples = {.key = "samples", .label = "  samples"};
    static const struct pu_field user = {
        .key = "user_time", .label = "  user time", .unit = "s", .form = PU_FORM_ROUNDED};
    static const struct pu_field system = {
        .key = "system_time", .label = "  system time", .unit = "s", .form = PU_FORM_ROUNDED};

    if (view->records == 0)
        return;
    pu_out_u64(view->out, &samples, view->records);
    put_seconds(view, &user,
                view->last.times[PU_OVERVIEW_USER] - view->first.times[PU_OVERVIEW_USER]);
    put_seconds(view, &system,
                view->last.times[PU_OVERVIEW_SYSTEM] - view->first.times[PU_OVERVIEW_SYSTEM]);
}

static void tell_missing_log(struct view *view)
{
    struct pu_exp_report report;

    if (view->exp->log.present)
        return;
    pu_exp_report_open(&report, view->judge, view->exp->dir.path, NULL, 0);
    pu_exp_report_file(&report, R_LOG_MISSING, "no readable record of a log.xml");
    pu_exp_report_close(&report);
}

int pu_summary_put(struct pu_out *out, const struct pu_exp *exp, const struct pu_tree *tree,
                   const struct pu_tree_node *node, struct pu_judge *judge, struct pu_err *err)
{
    static const struct pu_field block = {.form = PU_FORM_BLOCK};
    struct view view = {.out = out,
                        .exp = exp,
                        .tree = tree,
                        .node = node,
                        .judge = judge,
                        .overview = -1,
                        .packets = -1};

    pu_out_object(out, &block);
    put_identity(&view);
    int result = put_notes(&view, err);
    tell_missing_log(&view);
    put_end(&view);
    put_versions(&view);
    put_host(&view);
    if (result == 0)
        result = put_power(&view, err);
    put_process(&view);
    put_settings(&view);
    put_counters(&view);
    put_messages(&view);
    put_events(&view);
    if (result == 0)
        result = read_overview(&view, err);
    if (result == 0)
        result = pu_files_put(out, exp, judge, &view.packets, err);
    put_usage(&view);
    put_times(&view);
    pu_out_end(out);
    return result;
}
