/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "experiment/arena.h"

enum { HEAP_MALLOC, HEAP_FREE, HEAP_REALLOC, HEAP_MMAP, HEAP_MUNMAP };
enum { IO_READ, IO_WRITE };

#define PADDING_MAX 64 /* bytes behind the fields; more are packets that this one lies over */
#define TIME_SLACK  (60 * PU_NANOSECONDS) /* before the start; a sound clock needs none */
#define RUN_MAX     (INT64_C(366) * 86400 * PU_NANOSECONDS)

struct counter {
    const struct pu_exp *exp;
    struct pu_layouts layouts;
    struct pu_frames *frames;
    struct pu_stats *stats;
    struct pu_exp_report *report;
    bool lost; /* memory ran out */
};

static int64_t value(const struct counter *counter, const struct pu_layout *layout,
                     enum pu_known known, const struct pu_packet *packet)
{
    return pu_layout_value(layout, known, packet, counter->exp->order);
}

static void count_clock(struct counter *counter, const struct pu_layout *layout,
                        const struct pu_packet *packet)
{
    int64_t state = value(counter, layout, PU_STATE, packet);
    int64_t ticks = value(counter, layout, PU_TICKS, packet);

    if (ticks < 0 || !pu_known_word(PU_STATE, state)) {
        pu_exp_report_at(counter->report, R_PACKET_VALUE, packet->at, "state %lld, %lld ticks",
                         (long long)state, (long long)ticks);
        return;
    }
    counter->stats->ticks += (uint64_t)ticks;
    if (state == 0 || state == 1 || state == 10 || state == 11)
        counter->stats->cpu_ticks += (uint64_t)ticks;
}

static void count_heap(struct counter *counter, const struct pu_layout *layout,
                       const struct pu_packet *packet)
{
    struct pu_stats *stats = counter->stats;
    int64_t type = value(counter, layout, PU_HEAP_TYPE, packet);
    uint64_t address = (uint64_t)value(counter, layout, PU_HEAP_ADDRESS, packet);

    if (!pu_known_word(PU_HEAP_TYPE, type)) {
        pu_exp_report_at(counter->report, R_PACKET_VALUE, packet->at, "heap operation %lld",
                         (long long)type);
        return;
    }
    if (type == HEAP_FREE || type == HEAP_MUNMAP) {
        stats->frees++;
        return;
    }
    if (type == HEAP_REALLOC) {
        stats->reallocs++;
        stats->reallocs_without_old += value(counter, layout, PU_HEAP_OLD, packet) == 0;
    }
    if (address != 0 && address != UINT64_MAX) {
        stats->allocations++;
        stats->allocated += (uint64_t)value(counter, layout, PU_HEAP_SIZE, packet);
    }
}

static void count_io(struct counter *counter, const struct pu_layout *layout,
                     const struct pu_packet *packet)
{
    struct pu_stats *stats = counter->stats;
    int64_t type = value(counter, layout, PU_IO_TYPE, packet);
    int64_t bytes = value(counter, layout, PU_IO_BYTES, packet);

    if (!pu_known_word(PU_IO_TYPE, type))
        pu_exp_report_at(counter->report, R_PACKET_VALUE, packet->at, "I/O operation %lld",
                         (long long)type);
    if (type == IO_READ) {
        stats->reads++;
        stats->read_bytes += bytes > 0 ? (uint64_t)bytes : 0;
    } else if (type == IO_WRITE) {
        stats->writes++;
        stats->written_bytes += bytes > 0 ? (uint64_t)bytes : 0;
    }
}

static void count_sync(struct counter *counter, const struct pu_layout *layout,
                       const struct pu_packet *packet)
{
    int64_t wait;

    counter->stats->waits++;
    if (!__builtin_sub_overflow(value(counter, layout, PU_TSTAMP, packet),
                                value(counter, layout, PU_SYNC_REQUEST, packet), &wait) &&
        wait > 0 && wait < RUN_MAX)
        counter->stats->wait_time += wait;
}

static bool is_declared_tag(const struct pu_log *log, int64_t tag)
{
    for (size_t i = 0; i < log->counter_count; i++) {
        if (log->counters[i].tag == tag)
            return true;
    }
    return false;
}

/* The top bit marks a value that the collector could not read. */
static void count_counter(struct counter *counter, const struct pu_layout *layout,
                          const struct pu_packet *packet)
{
    int64_t events = value(counter, layout, PU_COUNTER_VALUE, packet);
    int64_t tag = value(counter, layout, PU_COUNTER_TAG, packet);

    if (!is_declared_tag(&counter->exp->log, tag))
        pu_exp_report_at(counter->report, R_PACKET_VALUE, packet->at,
                         "counter %lld, which is not declared", (long long)tag);
    if (events < 0)
        counter->stats->invalid++;
    else
        counter->stats->events += (uint64_t)events;
}

static void count_kind(struct counter *counter, const struct pu_layout *layout,
                       const struct pu_packet *packet)
{
    if (layout->known[PU_TICKS])
        count_clock(counter, layout, packet);
    else if (layout->known[PU_HEAP_TYPE])
        count_heap(counter, layout, packet);
    else if (layout->known[PU_IO_TYPE])
        count_io(counter, layout, packet);
    else if (layout->known[PU_SYNC_REQUEST])
        count_sync(counter, layout, packet);
    else if (layout->known[PU_COUNTER_VALUE])
        count_counter(counter, layout, packet);
}

/* --- stacks, threads, times ---------------------------------------------------------------------
 */

/* Does one of a packet's stacks, native or Java, end so? */
static bool ends_in(const struct pu_frames *frames, const struct pu_frame_packet *stack,
                    enum pu_frame_end end)
{
    for (size_t i = 0; i < stack->count; i++) {
        if (frames->lists[stack->first + i].end == end)
            return true;
    }
    return false;
}

static void count_stack(struct counter *counter, const struct pu_layout *layout,
                        const struct pu_packet *packet)
{
    struct pu_stats *stats = counter->stats;
    uint64_t id = (uint64_t)value(counter, layout, PU_FRAME, packet);

    if (!layout->known[PU_FRAME])
        return;
    if (id == 0) {
        stats->without_stack++;
        return;
    }
    if (!counter->frames)
        return;
    const struct pu_frame_packet *stack = pu_frames_find(counter->frames, id);
    if (!stack) {
        stats->lost_stack++;
        pu_exp_report_at(counter->report, R_STACK_MISSING, packet->at, "call stack 0x%llx",
                         (unsigned long long)id);
    } else {
        stats->truncated += ends_in(counter->frames, stack, PU_FRAME_TRUNCATED);
        stats->failed += ends_in(counter->frames, stack, PU_FRAME_FAILED);
    }
}

/* Sixteen buckets to a doubling: the four bits behind the leading one. */
static size_t bucket_of(uint64_t gap)
{
    unsigned int top = gap > 16 ? 63 - (unsigned int)__builtin_clzll(gap) : 4;

    return (top - 4) * 16 + (size_t)(gap >> (top - 4) & 15);
}

static void count_gap(struct counter *counter, size_t thread, int64_t time, int64_t ticks)
{
    struct pu_stats *stats = counter->stats;
    int64_t gap;

    if (thread == PU_SET_FULL)
        return;
    if (thread >= stats->thread_room) {
        size_t room = thread * 2 + 16;
        int64_t *last = reallocarray(stats->thread_last, room, sizeof(*last));
        if (!last) {
            counter->lost = true;
            return;
        }
        for (size_t i = stats->thread_room; i < room; i++)
            last[i] = INT64_MIN;
        stats->thread_last = last;
        stats->thread_room = room;
    }
    int64_t before = stats->thread_last[thread];
    stats->thread_last[thread] = time;
    if (before == INT64_MIN || ticks <= 0 || __builtin_sub_overflow(time, before, &gap) || gap <= 0)
        return;
    stats->gaps[bucket_of((uint64_t)(gap / ticks))]++;
    stats->gap_count++;
}

static void count_time(struct counter *counter, int64_t time, const struct pu_packet *packet)
{
    struct pu_stats *stats = counter->stats;
    const struct pu_exp *exp = counter->exp;
    int64_t since;

    if (exp->has_start && !pu_log_is_converted(&exp->log) &&
        (__builtin_sub_overflow(time, exp->start, &since) || since < -TIME_SLACK ||
         since > RUN_MAX)) {
        pu_exp_report_at(counter->report, R_PACKET_TIME, packet->at,
                         "time stamp %lld, the run began at %lld", (long long)time,
                         (long long)exp->start);
        return;
    }
    if (!stats->has_span || time < stats->first)
        stats->first = time;
    if (!stats->has_span || time > stats->last)
        stats->last = time;
    stats->has_span = true;
}

/* Ids of CPUs have gaps: only what no machine has is wrong. */
static void check_cpu(struct counter *counter, const struct pu_layout *layout,
                      const struct pu_packet *packet)
{
    int64_t cpu = value(counter, layout, PU_CPU, packet);

    if (cpu < -1 || cpu > 65535)
        pu_exp_report_at(counter->report, R_PACKET_VALUE, packet->at, "CPU %lld", (long long)cpu);
}

static void count(struct counter *counter, const struct pu_packet *packet)
{
    struct pu_stats *stats = counter->stats;
    const struct pu_layout *layout =
        packet->type < PU_PACKET_TYPES ? &counter->layouts.kinds[packet->type] : NULL;

    stats->packets++;
    if (!layout || !layout->packet) {
        pu_exp_report_at(counter->report, R_PACKET_UNDECLARED, packet->at,
                         "a packet of kind %u, %zu bytes", packet->type, packet->bytes.size);
        return;
    }
    if (layout->size > packet->bytes.size) {
        pu_exp_report_at(counter->report, R_PACKET_SHORT, packet->at,
                         "%zu bytes, the fields take %u", packet->bytes.size, layout->size);
        return;
    }
    if (!layout->open_ended && packet->bytes.size - layout->size > PADDING_MAX)
        pu_exp_report_at(counter->report, R_PACKET_BROKEN, packet->at,
                         "packet of size %zu, the fields take %u", packet->bytes.size,
                         layout->size);
    size_t thread = PU_SET_FULL;
    if (layout->known[PU_THREAD])
        thread = pu_set_add(&stats->threads, (uint64_t)value(counter, layout, PU_THREAD, packet));
    if (layout->known[PU_TSTAMP]) {
        int64_t time = value(counter, layout, PU_TSTAMP, packet);
        count_time(counter, time, packet);
        count_gap(counter, thread, time, value(counter, layout, PU_TICKS, packet));
    }
    check_cpu(counter, layout, packet);
    count_stack(counter, layout, packet);
    count_kind(counter, layout, packet);
}

static void finish(struct pu_packets *packets, struct pu_exp_report *report, struct pu_stats *stats)
{
    if (packets->error)
        pu_exp_report_at(report, R_UNREADABLE, packets->size, "reading fails: %s",
                         strerrordesc_np(packets->error));
    stats->used = packets->used;
    stats->closed = packets->closed;
    stats->skipped = packets->skipped;
    stats->damages = packets->damages;
}

int pu_stats_read(const struct pu_exp *exp, const struct pu_log_data *data,
                  struct pu_frames *frames, struct pu_judge *judge, struct pu_stats *stats,
                  struct pu_err *err)
{
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(pu_packets_free) struct pu_packets packets = {0};
    PU_CLEANUP(pu_io_close) int fd = -1;
    struct counter counter = {.exp = exp, .frames = frames, .stats = stats, .report = &report};
    struct pu_packet packet;

    pu_exp_report_on(exp, judge, data->file, &report);
    int found = pu_exp_open_packets(exp, data->file, &report, &fd, &packets, err);
    if (found <= 0)
        return found;
    pu_layouts_fill(&counter.layouts, data);
    if (pu_packets_is_swapped(&packets))
        pu_exp_report_at(&report, R_BYTE_ORDER, 0, "packets are %s-endian, log.xml says %s",
                         exp->order == PU_BIG ? "little" : "big",
                         exp->order == PU_BIG ? "big" : "little");
    while (!counter.lost && !stats->threads.lost && pu_packets_next(&packets, &packet))
        count(&counter, &packet);
    finish(&packets, &report, stats);
    if (counter.lost || stats->threads.lost)
        return pu_err_system(err, ENOMEM, "cannot count threads");
    return 1;
}

int pu_stats_count(const struct pu_exp *exp, const char *file, struct pu_judge *judge,
                   struct pu_stats *stats, struct pu_err *err)
{
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(pu_packets_free) struct pu_packets packets = {0};
    PU_CLEANUP(pu_io_close) int fd = -1;
    struct pu_packet packet;

    pu_exp_report_on(exp, judge, file, &report);
    int found = pu_exp_open_packets(exp, file, &report, &fd, &packets, err);
    if (found <= 0)
        return found;
    while (pu_packets_next(&packets, &packet))
        stats->packets++;
    finish(&packets, &report, stats);
    return 1;
}

int64_t pu_stats_median_gap(const struct pu_stats *stats)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < PU_STATS_GAPS; i++) {
        seen += stats->gaps[i];
        if (seen * 2 > stats->gap_count)
            return (int64_t)((UINT64_C(33) + 2 * (i & 15)) << (i >> 4)) / 2;
    }
    return 0;
}

void pu_stats_free(struct pu_stats *stats)
{
    pu_set_free(&stats->threads);
    free(stats->thread_last);
    memset(stats, 0, sizeof(*stats));
}
