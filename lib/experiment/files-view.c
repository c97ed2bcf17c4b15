/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/files-view.h"

#include <string.h>

#include "experiment/stats.h"

struct view {
    struct pu_out *out;
    const struct pu_exp *exp;
    struct pu_judge *judge;
    int64_t last_packet;
};

static const struct pu_field line = {.form = PU_FORM_LINE};
static const struct pu_field bullet = {.form = PU_FORM_PLAIN};

static void put_span(struct view *view, const struct pu_stats *stats)
{
    static const struct pu_field first = {.key = "first", .form = PU_FORM_LABELLED};
    static const struct pu_field last = {.key = "last", .form = PU_FORM_LABELLED};
    int64_t from;
    int64_t to;

    if (!stats->has_span || __builtin_sub_overflow(stats->first, view->exp->start, &from) ||
        __builtin_sub_overflow(stats->last, view->exp->start, &to))
        return;
    pu_out_double(view->out, &first, (double)from / 1e9);
    pu_out_double(view->out, &last, (double)to / 1e9);
    if (to > view->last_packet)
        view->last_packet = to;
}

static void put_clock(struct view *view, const struct pu_log_data *data,
                      const struct pu_stats *stats)
{
    static const struct pu_field tick = {.key = "tick_us", .form = PU_FORM_LABELLED};
    static const struct pu_field ticks = {.key = "ticks", .form = PU_FORM_LABELLED};
    static const struct pu_field total = {.key = "time", .form = PU_FORM_LABELLED};
    static const struct pu_field cpu = {.key = "cpu_time", .form = PU_FORM_LABELLED};
    double second = (double)data->tick / 1e6;

    pu_out_i64(view->out, &tick, data->tick);
    pu_out_u64(view->out, &ticks, stats->ticks);
    pu_out_double(view->out, &total, (double)stats->ticks * second);
    pu_out_double(view->out, &cpu, (double)stats->cpu_ticks * second);
}

static void put_heap(struct view *view, const struct pu_stats *stats)
{
    static const struct pu_field allocations = {.key = "allocations", .form = PU_FORM_LABELLED};
    static const struct pu_field allocated = {.key = "allocated", .form = PU_FORM_LABELLED};
    static const struct pu_field frees = {.key = "frees", .form = PU_FORM_LABELLED};

    pu_out_u64(view->out, &allocations, stats->allocations);
    pu_out_u64(view->out, &allocated, stats->allocated);
    pu_out_u64(view->out, &frees, stats->frees);
}

static void put_io(struct view *view, const struct pu_stats *stats)
{
    static const struct pu_field reads = {.key = "reads", .form = PU_FORM_LABELLED};
    static const struct pu_field read = {.key = "read_bytes", .form = PU_FORM_LABELLED};
    static const struct pu_field writes = {.key = "writes", .form = PU_FORM_LABELLED};
    static const struct pu_field written = {.key = "written_bytes", .form = PU_FORM_LABELLED};

    pu_out_u64(view->out, &reads, stats->reads);
    pu_out_u64(view->out, &read, stats->read_bytes);
    pu_out_u64(view->out, &writes, stats->writes);
    pu_out_u64(view->out, &written, stats->written_bytes);
}

static void put_kind(struct view *view, const struct pu_log_data *data,
                     const struct pu_stats *stats)
{
    static const struct pu_field waits = {.key = "waits", .form = PU_FORM_LABELLED};
    static const struct pu_field waited = {.key = "wait_time", .form = PU_FORM_LABELLED};
    static const struct pu_field events = {.key = "counted", .form = PU_FORM_LABELLED};

    if (strcmp(data->name, "profile") == 0)
        put_clock(view, data, stats);
    if (strcmp(data->name, "heaptrace") == 0)
        put_heap(view, stats);
    if (strcmp(data->name, "iotrace") == 0)
        put_io(view, stats);
    if (strcmp(data->name, "synctrace") == 0) {
        pu_out_u64(view->out, &waits, stats->waits);
        pu_out_double(view->out, &waited, (double)stats->wait_time / 1e9);
    }
    if (strcmp(data->name, "hwcounter") == 0)
        pu_out_u64(view->out, &events, stats->events);
}

static void put_packets(struct view *view, const struct pu_log_data *data,
                        const struct pu_stats *stats)
{
    static const struct pu_field packets = {.key = "packets", .form = PU_FORM_LABELLED};
    static const struct pu_field used = {.key = "used", .form = PU_FORM_LABELLED};
    static const struct pu_field tails = {.key = "tails", .form = PU_FORM_LABELLED};
    static const struct pu_field skipped = {.key = "skipped", .form = PU_FORM_LABELLED};
    static const struct pu_field threads = {.key = "threads", .form = PU_FORM_LABELLED};

    pu_out_u64(view->out, &packets, stats->packets);
    pu_out_u64(view->out, &used, stats->used);
    pu_out_u64(view->out, &tails, stats->closed);
    if (stats->skipped > 0)
        pu_out_u64(view->out, &skipped, stats->skipped);
    if (!data)
        return;
    pu_out_u64(view->out, &threads, stats->threads.count);
    put_span(view, stats);
    put_kind(view, data, stats);
}

/* What is in a file of packets. */
static int put_data(struct view *view, const struct pu_exp_entry *entry, struct pu_err *err)
{
    const struct pu_log_data *data = pu_exp_declared(view->exp, entry->name);
    PU_CLEANUP(pu_stats_free) struct pu_stats stats = {0};
    int found = 0;

    if (data)
        found = pu_stats_read(view->exp, data, NULL, view->judge, &stats, err);
    else if (entry->role == PU_EXP_DATA || entry->role == PU_EXP_FRAMES)
        found = pu_stats_count(view->exp, entry->name, view->judge, &stats, err);
    if (found > 0)
        put_packets(view, data, &stats);
    return found < 0 ? -1 : 0;
}

static int put_file(struct view *view, const struct pu_exp_entry *entry, struct pu_err *err)
{
    static const struct pu_field name = {.key = "name"};
    static const struct pu_field kind = {.key = "kind", .form = PU_FORM_TAG};
    static const struct pu_field type = {.key = "type", .form = PU_FORM_HIDDEN};
    static const struct pu_field size = {.key = "bytes", .form = PU_FORM_LABELLED};
    static const struct pu_field disk = {.key = "disk", .form = PU_FORM_LABELLED};
    static const char *const types[] = {"file", "directory", "link", "special"};

    pu_out_object(view->out, &line);
    pu_out_string(view->out, &bullet, "-");
    pu_out_string(view->out, &name, entry->name);
    pu_out_string(
        view->out, &kind,
        pu_exp_role_word(pu_exp_declared(view->exp, entry->name) ? PU_EXP_DATA : entry->role));
    pu_out_string(view->out, &type, types[entry->type]);
    pu_out_u64(view->out, &size, entry->size);
    pu_out_u64(view->out, &disk, entry->disk);
    int result = put_data(view, entry, err);
    pu_out_end(view->out);
    return result;
}

int pu_files_put(struct pu_out *out, const struct pu_exp *exp, struct pu_judge *judge,
                 int64_t *last_packet, struct pu_err *err)
{
    static const struct pu_field files = {
        .key = "files", .label = "  files", .form = PU_FORM_BLOCK};
    static const struct pu_field size = {.key = "bytes", .label = "  size", .unit = "bytes"};
    static const struct pu_field disk = {.key = "disk", .label = "  on disk", .unit = "bytes"};
    /* Of one that was not closed: does it still run? */
    static const struct pu_field last = {.key = "last_written", .label = "  last written"};
    const struct pu_exp_dir *dir = &exp->dir;
    struct view view = {out, exp, judge, -1};
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    int64_t written = 0;
    int result = 0;

    pu_out_list(out, &files);
    for (size_t i = 0; i < dir->count && result == 0; i++) {
        const struct pu_exp_entry *entry = &dir->entries[i];
        if (pu_exp_entry_is_member(entry))
            continue;
        result = put_file(&view, entry, err);
        bytes += entry->size;
        blocks += entry->disk;
        if (entry->type == PU_EXP_FILE && entry->mtime > written)
            written = entry->mtime;
    }
    pu_out_end(out);
    pu_out_u64(out, &size, bytes);
    pu_out_u64(out, &disk, blocks);
    if (written > 0)
        pu_out_time(out, &last, written);
    *last_packet = view.last_packet;
    return result;
}
