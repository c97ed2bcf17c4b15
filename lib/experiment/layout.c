/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/layout.h"

#include <stddef.h>
#include <string.h>

static const char *const names[PU_KNOWN_COUNT] = {
    [PU_LWP] = "LWPID",          [PU_THREAD] = "THRID",
    [PU_CPU] = "CPUID",          [PU_TSTAMP] = "TSTAMP",
    [PU_FRAME] = "FRINFO",       [PU_STATE] = "MSTATE",
    [PU_TICKS] = "NTICK",        [PU_SYNC_REQUEST] = "SRQST",
    [PU_SYNC_OBJECT] = "SOBJ",   [PU_HEAP_TYPE] = "HTYPE",
    [PU_HEAP_SIZE] = "HSIZE",    [PU_HEAP_ADDRESS] = "HVADDR",
    [PU_HEAP_OLD] = "HOVADDR",   [PU_IO_TYPE] = "IOTYPE",
    [PU_IO_FD] = "IOFD",         [PU_IO_BYTES] = "IONBYTE",
    [PU_IO_REQUEST] = "IORQST",  [PU_IO_OLD_FD] = "IOOFD",
    [PU_IO_SYSTEM] = "IOFSTYPE", [PU_IO_NAME] = "IOFNAME",
    [PU_COUNTER_TAG] = "HWCTAG", [PU_COUNTER_VALUE] = "HWCINT",
};

const char *pu_known_name(enum pu_known known)
{
    return names[known];
}

enum pu_known pu_known_find(const char *name)
{
    int known = 0;

    while (known < PU_KNOWN_COUNT && strcmp(names[known], name) != 0)
        known++;
    return (enum pu_known)known;
}

static void fill(struct pu_layout *layout, const struct pu_log_packet *packet)
{
    layout->packet = packet;
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct pu_log_field *field = &packet->fields[i];
        enum pu_known known = pu_known_find(field->name);
        uint32_t end = field->offset + (uint32_t)pu_log_type_size(field->type);
        if (end > layout->size)
            layout->size = end;
        layout->open_ended |= field->type == PU_LOG_STRING || field->type == PU_LOG_UNKNOWN;
        if (known < PU_KNOWN_COUNT && field->type != PU_LOG_UNKNOWN && !layout->known[known])
            layout->known[known] = field;
    }
}

void pu_layouts_fill(struct pu_layouts *layouts, const struct pu_log_data *data)
{
    memset(layouts, 0, sizeof(*layouts));
    for (size_t i = 0; i < data->packet_count; i++) {
        int64_t kind = data->packets[i].kind;
        if (kind >= 0 && kind < PU_PACKET_TYPES && !layouts->kinds[kind].packet)
            fill(&layouts->kinds[kind], &data->packets[i]);
    }
}

int64_t pu_field_value(const struct pu_log_field *field, struct pu_span packet, enum pu_order order)
{
    struct pu_cursor cursor = pu_cursor(packet, field->offset, order);

    if (pu_log_type_size(field->type) == 8)
        return pu_cursor_i64(&cursor);
    if (field->type == PU_LOG_UINT32)
        return pu_cursor_u32(&cursor);
    return field->type == PU_LOG_INT32 ? pu_cursor_i32(&cursor) : 0;
}

struct pu_span pu_field_text(const struct pu_log_field *field, struct pu_span packet)
{
    return pu_span_until_nul(pu_span_clip(packet, field->offset, packet.size));
}

/* As gprofng declares or decodes them; measured, see the page for what is not. */
static const char *const states[] = {"user",       "system",       "trap",      "text-fault",
                                     "data-fault", "kernel-fault", "user-lock", "sleep",
                                     "wait-cpu",   "stopped",      "linux-cpu", "kernel-cpu"};
static const char *const heap_types[] = {"malloc", "free", "realloc", "mmap", "munmap"};
static const char *const io_types[] = {"read",        "write",      "open",        "close",
                                       "other",       "read-error", "write-error", "open-error",
                                       "close-error", "other-error"};

#define WORD(table, value)                                                                         \
    ((value) >= 0 && (size_t)(value) < sizeof(table) / sizeof((table)[0]) ? (table)[value] : NULL)

const char *pu_known_word(enum pu_known known, int64_t value)
{
    switch (known) {
    case PU_STATE:
        return WORD(states, value);
    case PU_HEAP_TYPE:
        return WORD(heap_types, value);
    case PU_IO_TYPE:
        return WORD(io_types, value);
    default:
        return NULL;
    }
}
