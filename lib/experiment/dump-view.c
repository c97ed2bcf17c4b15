/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets and call stacks; records-view.c has the other files. */
#include "experiment/dump-view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STACK_MAX                                                                                  \
    65536 /* words of one stack that are shown: links can make it as long as the file */

void pu_dump_begin(const struct pu_dump *dump, uint64_t at)
{
    static const struct pu_field line = {.form = PU_FORM_LINE};
    static const struct pu_field prefix = {.key = "experiment", .form = PU_FORM_PREFIX};
    static const struct pu_field offset = {.key = "offset", .form = PU_FORM_PREFIX};

    pu_out_object(dump->out, &line);
    if (dump->prefix)
        pu_out_string(dump->out, &prefix, dump->prefix);
    pu_out_u64(dump->out, &offset, at);
}

/* --- call stacks --------------------------------------------------------------------------------
 */

struct stack_view {
    struct pu_out *out;
    uint64_t left; /* words that may still be shown */
    bool open;     /* a stack whose frames are being put */
    enum pu_frame_end end;
    bool broken;
};

static const char *stack_kind(unsigned int kind)
{
    static const char *const words[] = {"", "native", "java", "omp", "mpi", "omp"};

    return words[kind];
}

static void put_native(struct stack_view *view, const struct pu_frame_list *list,
                       const uint64_t *words)
{
    static const struct pu_field frame = {.key = "frame"};

    for (uint32_t i = 0; i < list->count && view->left > 0; i++, view->left--)
        pu_out_hex(view->out, &frame, words[i]);
}

/* Pairs of bytecode index and method. */
static void put_java(struct stack_view *view, const struct pu_frame_list *list,
                     const uint64_t *words)
{
    static const struct pu_field method = {.key = "method"};
    static const struct pu_field index = {.key = "index", .form = PU_FORM_BRACKETS};

    for (uint32_t i = 0; i + 1 < list->count && view->left > 0; i += 2, view->left--) {
        pu_out_object(view->out, NULL);
        pu_out_hex(view->out, &method, words[i + 1]);
        pu_out_i64(view->out, &index, (int32_t)words[i]);
        pu_out_end(view->out);
    }
}

static void open_stack(struct stack_view *view, const struct pu_frame_list *list)
{
    static const struct pu_field kind = {.key = "kind", .form = PU_FORM_PREFIX};
    static const struct pu_field state = {.key = "state"};
    static const struct pu_field frames = {.key = "frames"};

    pu_out_object(view->out, NULL);
    pu_out_string(view->out, &kind, stack_kind(list->kind));
    if (list->kind >= PU_FRAME_OMP)
        pu_out_u64(view->out, &state, list->state);
    pu_out_list(view->out, &frames);
    view->open = true;
    view->end = list->end;
    view->broken = list->broken;
}

static void close_stack(struct stack_view *view)
{
    static const struct pu_field end = {.key = "end", .form = PU_FORM_TAG};
    static const char *const ends[] = {"complete", "truncated", "failed"};

    pu_out_end(view->out);
    if (view->left == 0)
        pu_out_string(view->out, &end, "not-shown");
    else if (view->broken)
        pu_out_string(view->out, &end, "lost");
    else if (view->end != PU_FRAME_COMPLETE)
        pu_out_string(view->out, &end, ends[view->end]);
    pu_out_end(view->out);
    view->open = false;
}

static bool put_list(void *data, const struct pu_frame_list *list, const uint64_t *words,
                     bool goes_on)
{
    struct stack_view *view = data;

    if (!view->open)
        open_stack(view, list);
    if (list->kind == PU_FRAME_JAVA)
        put_java(view, list, words);
    else
        put_native(view, list, words);
    /* A list without words still takes its share, so that long chains end too. */
    view->left -= view->left > 0;
    if (!goes_on || view->left == 0)
        close_stack(view);
    return view->left > 0;
}

void pu_dump_stack(struct pu_out *out, const struct pu_frames *frames,
                   const struct pu_frame_packet *packet)
{
    static const struct pu_field stacks = {.key = "stacks"};
    struct stack_view view = {.out = out, .left = STACK_MAX};

    pu_out_list(out, &stacks);
    pu_frames_walk(frames, packet, put_list, &view);
    pu_out_end(out);
}

int pu_dump_frames(const struct pu_dump *dump, struct pu_err *err)
{
    static const struct pu_field id = {.key = "id"};
    PU_CLEANUP(pu_frames_free) struct pu_frames frames = {0};
    int found = pu_exp_read_frames(dump->exp, dump->judge, &frames, err);

    for (size_t i = 0; found > 0 && i < frames.packet_count; i++) {
        pu_dump_begin(dump, frames.packets[i].at);
        pu_out_hex(dump->out, &id, frames.packets[i].id);
        pu_dump_stack(dump->out, &frames, &frames.packets[i]);
        pu_out_end(dump->out);
    }
    return found < 0 ? -1 : 0;
}

/* --- packets ------------------------------------------------------------------------------------
 */

/* How the value of a known field is shown. */
enum style { NUMBER, UNSIGNED, HEX, WORD, MOMENT, TEXT };

struct shown {
    struct pu_field field;
    enum style style;
};

#define SHOWN(key_, style_)                                                                        \
    {                                                                                              \
        {.key = key_, .form = PU_FORM_LABELLED}, style_                                            \
    }

static const struct shown shown[PU_KNOWN_COUNT] = {
    [PU_LWP] = SHOWN("lwp", UNSIGNED),
    [PU_THREAD] = SHOWN("thread", UNSIGNED),
    [PU_CPU] = SHOWN("cpu", NUMBER),
    [PU_TSTAMP] = SHOWN("tstamp", NUMBER),
    [PU_FRAME] = SHOWN("frame", HEX),
    [PU_STATE] = SHOWN("state", WORD),
    [PU_TICKS] = SHOWN("ticks", NUMBER),
    [PU_SYNC_REQUEST] = SHOWN("requested", MOMENT),
    [PU_SYNC_OBJECT] = SHOWN("object", HEX),
    [PU_HEAP_TYPE] = SHOWN("operation", WORD),
    [PU_HEAP_SIZE] = SHOWN("bytes", UNSIGNED),
    [PU_HEAP_ADDRESS] = SHOWN("address", HEX),
    [PU_HEAP_OLD] = SHOWN("old_address", HEX),
    [PU_IO_TYPE] = SHOWN("operation", WORD),
    [PU_IO_FD] = SHOWN("fd", NUMBER),
    [PU_IO_BYTES] = SHOWN("bytes", NUMBER),
    [PU_IO_REQUEST] = SHOWN("requested", MOMENT),
    [PU_IO_OLD_FD] = SHOWN("old_fd", NUMBER),
    [PU_IO_SYSTEM] = SHOWN("file_system", NUMBER),
    [PU_IO_NAME] = {{.key = "file_name", .label = "file_name", .form = PU_FORM_QUOTED}, TEXT},
    [PU_COUNTER_TAG] = SHOWN("counter", NUMBER),
    [PU_COUNTER_VALUE] = SHOWN("count", NUMBER),
};

struct packet_view {
    const struct pu_dump *dump;
    struct pu_layouts layouts;
    struct pu_frames *frames;
    struct pu_exp_report *report;
};

/* Since the start of the run; what is no time of this run overflows and is left out. */
static void put_moment(const struct packet_view *view, const struct pu_field *field, int64_t time)
{
    int64_t since;

    if (view->dump->exp->has_start && !__builtin_sub_overflow(time, view->dump->exp->start, &since))
        pu_out_double(view->dump->out, field, (double)since / 1e9);
}

/* Our own word, which is the same for all collectors; else the log's; else the number. */
static void put_word(const struct packet_view *view, enum pu_known known,
                     const struct pu_log_field *field, int64_t value)
{
    const char *word = pu_known_word(known, value);
    char number[32];

    if (!word)
        word = pu_log_state(&view->dump->exp->log, field, value);
    snprintf(number, sizeof(number), "%lld", (long long)value);
    pu_out_string(view->dump->out, &shown[known].field, word ? word : number);
}

static void put_known(const struct packet_view *view, enum pu_known known,
                      const struct pu_log_field *field, struct pu_span packet)
{
    struct pu_out *out = view->dump->out;
    const struct pu_field *to = &shown[known].field;
    int64_t value = pu_field_value(field, packet, view->dump->exp->order);

    switch (shown[known].style) {
    case NUMBER:
        pu_out_i64(out, to, value);
        return;
    case UNSIGNED:
        pu_out_u64(out, to, (uint64_t)value);
        return;
    case HEX:
        pu_out_hex(out, to, (uint64_t)value);
        return;
    case WORD:
        put_word(view, known, field, value);
        return;
    case MOMENT:
        put_moment(view, to, value);
        return;
    case TEXT:
        pu_out_bytes(out, to, pu_field_text(field, packet));
        return;
    }
}

static double to_double(int64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static void put_other(const struct packet_view *view, const struct pu_log_field *field,
                      struct pu_span packet)
{
    static const struct pu_field name = {.key = "name"};
    static const struct pu_field value = {.key = "value"};
    static const struct pu_field text = {.key = "value", .form = PU_FORM_QUOTED};
    static const struct pu_field state = {.key = "state", .form = PU_FORM_QUOTED};
    struct pu_out *out = view->dump->out;
    int64_t number = pu_field_value(field, packet, view->dump->exp->order);
    const char *word = pu_log_state(&view->dump->exp->log, field, number);

    pu_out_object(out, NULL);
    pu_out_string(out, &name, field->name);
    if (field->type == PU_LOG_STRING)
        pu_out_bytes(out, &text, pu_field_text(field, packet));
    else if (field->type == PU_LOG_UINT32 || field->type == PU_LOG_UINT64)
        pu_out_u64(out, &value, (uint64_t)number);
    else if (field->type == PU_LOG_DOUBLE)
        pu_out_double(out, &value, to_double(number));
    else if (field->type == PU_LOG_UNKNOWN)
        pu_out_null(out, &value);
    else
        pu_out_i64(out, &value, number);
    if (word)
        pu_out_string(out, &state, word);
    pu_out_end(out);
}

/* In the order of the declaration: what is understood, and then the rest by its names. */
static void put_fields(const struct packet_view *view, const struct pu_layout *layout,
                       const struct pu_packet *packet)
{
    static const struct pu_field fields = {.key = "fields"};
    bool open = false;

    for (int known = 0; known < PU_KNOWN_COUNT; known++) {
        if (layout->known[known])
            put_known(view, (enum pu_known)known, layout->known[known], packet->bytes);
    }
    for (size_t i = 0; i < layout->packet->field_count; i++) {
        const struct pu_log_field *field = &layout->packet->fields[i];
        enum pu_known known = pu_known_find(field->name);
        if (known < PU_KNOWN_COUNT && layout->known[known] == field)
            continue;
        if (!open)
            pu_out_list(view->dump->out, &fields);
        open = true;
        put_other(view, field, packet->bytes);
    }
    if (open)
        pu_out_end(view->dump->out);
}

static void put_stack(const struct packet_view *view, const struct pu_layout *layout,
                      const struct pu_packet *packet)
{
    static const struct pu_field missing = {.key = "stack_missing", .form = PU_FORM_LABELLED};
    uint64_t id = (uint64_t)pu_layout_value(layout, PU_FRAME, packet, view->dump->exp->order);
    const struct pu_frame_packet *stack = id ? pu_frames_find(view->frames, id) : NULL;

    if (stack) {
        pu_dump_stack(view->dump->out, view->frames, stack);
    } else if (layout->known[PU_FRAME]) {
        pu_out_bool(view->dump->out, &missing, true);
        if (id)
            pu_exp_report_at(view->report, R_FRAME_LINK, packet->at,
                             "call stack 0x%llx is not there", (unsigned long long)id);
    }
}

static bool is_wanted(const struct packet_view *view, const struct pu_layout *layout,
                      const struct pu_packet *packet)
{
    const struct pu_dump *dump = view->dump;
    enum pu_order order = dump->exp->order;
    int64_t since;

    if (dump->has_thread &&
        (!layout || (uint64_t)pu_layout_value(layout, PU_THREAD, packet, order) != dump->thread))
        return false;
    if (dump->from == INT64_MIN && dump->to == INT64_MAX)
        return true;
    return layout && layout->known[PU_TSTAMP] && dump->exp->has_start &&
           !__builtin_sub_overflow(pu_layout_value(layout, PU_TSTAMP, packet, order),
                                   dump->exp->start, &since) &&
           since >= dump->from && since <= dump->to;
}

static void put_packet(const struct packet_view *view, const struct pu_packet *packet)
{
    static const struct pu_field kind = {.key = "kind", .form = PU_FORM_LABELLED};
    static const struct pu_field size = {.key = "size", .form = PU_FORM_LABELLED};
    static const struct pu_field time = {.key = "time", .form = PU_FORM_PLAIN};
    const struct pu_layout *layout =
        packet->type < PU_PACKET_TYPES ? &view->layouts.kinds[packet->type] : NULL;

    if (layout && (!layout->packet || layout->size > packet->bytes.size))
        layout = NULL;
    if (!layout)
        pu_exp_report_at(view->report, R_PACKET_UNDECLARED, packet->at,
                         "a packet of kind %u, %zu bytes, that log.xml does not describe",
                         packet->type, packet->bytes.size);
    if (!is_wanted(view, layout, packet))
        return;
    pu_dump_begin(view->dump, packet->at);
    if (layout && layout->known[PU_TSTAMP])
        put_moment(view, &time, pu_layout_value(layout, PU_TSTAMP, packet, view->dump->exp->order));
    pu_out_u64(view->dump->out, &kind, packet->type);
    pu_out_u64(view->dump->out, &size, packet->bytes.size);
    if (layout) {
        put_fields(view, layout, packet);
        put_stack(view, layout, packet);
    }
    pu_out_end(view->dump->out);
}

int pu_dump_packets(const struct pu_dump *dump, struct pu_err *err)
{
    const struct pu_log_data *data = pu_exp_declared(dump->exp, dump->file);
    PU_CLEANUP(pu_frames_free) struct pu_frames frames = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(pu_packets_free) struct pu_packets packets = {0};
    PU_CLEANUP(pu_io_close) int fd = -1;
    struct packet_view view = {.dump = dump, .frames = &frames, .report = &report};
    struct pu_packet packet;

    pu_exp_report_on(dump->exp, dump->judge, dump->file, &report);
    int found = pu_exp_open_packets(dump->exp, dump->file, &report, &fd, &packets, err);
    if (found > 0)
        found = pu_exp_read_frames(dump->exp, dump->judge, &frames, err) < 0 ? -1 : 1;
    if (found <= 0)
        return found;
    if (data)
        pu_layouts_fill(&view.layouts, data);
    while (pu_packets_next(&packets, &packet))
        put_packet(&view, &packet);
    if (packets.error)
        pu_exp_report_at(&report, R_UNREADABLE, packets.size, "reading fails: %s",
                         strerrordesc_np(packets.error));
    return 0;
}
