/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets and call stacks, and whether the measurement can be trusted. */
#include <string.h>

#include "experiment/check-private.h"

#define ENOUGH_TICKS 20   /* of CPU time, to tell a wrong tick from a coincidence */
#define SHORT_TICK   4000 /* microseconds: a kernel that ticks 250 times a second */

/* --- files of packets ---------------------------------------------------------------------------
 */

static void check_size(const struct pu_check *check, const char *name)
{
    const struct pu_exp_entry *entry = pu_exp_dir_find(&check->exp->dir, name);
    uint64_t block = check->exp->block_size;
    struct pu_exp_report report;

    if (!entry || entry->type != PU_EXP_FILE || !block || entry->size % block == 0)
        return;
    pu_exp_report_on(check->exp, check->judge, name, &report);
    pu_exp_report_at(&report, R_FILE_CUT, entry->size, "%llu bytes are no whole blocks of %llu",
                     (unsigned long long)entry->size, (unsigned long long)block);
    pu_exp_report_close(&report);
}

static int check_frames(struct pu_check *check, struct pu_err *err)
{
    const struct pu_exp_entry *entry = pu_exp_dir_find(&check->exp->dir, "data.frameinfo");

    if (!entry && check->exp->log.present)
        pu_check_tell(check, "data.frameinfo", R_FRAMES_MISSING, "there is no data.frameinfo");
    check_size(check, "data.frameinfo");
    int found = pu_exp_read_frames(check->exp, check->judge, &check->frames, err);
    check->has_frames = found > 0;
    return found < 0 ? -1 : 0;
}

static void add_threads(struct pu_set *to, const struct pu_set *from)
{
    for (size_t i = 0; i < from->count; i++)
        (void)pu_set_add(to, from->keys[i]);
}

static void take_clock(struct pu_check *check, const struct pu_log_data *data,
                       const struct pu_stats *stats)
{
    check->clock = true;
    check->tick = data->tick;
    check->cpu_ticks = stats->cpu_ticks;
    check->median_gap = pu_stats_median_gap(stats);
    add_threads(&check->clock_threads, &stats->threads);
}

static void check_stacks(const struct pu_check *check, const char *file,
                         const struct pu_stats *stats)
{
    unsigned long long packets = stats->packets;

    if (stats->without_stack > 0)
        pu_check_tell(check, file, R_NO_STACK, "%llu of %llu packets have no call stack",
                      (unsigned long long)stats->without_stack, packets);
    if (stats->truncated > 0)
        pu_check_tell(check, file, R_STACK_TRUNCATED, "%llu of %llu call stacks are cut off",
                      (unsigned long long)stats->truncated, packets);
    if (stats->failed > 0)
        pu_check_tell(check, file, R_STACK_FAILED, "%llu of %llu call stacks end in a failure",
                      (unsigned long long)stats->failed, packets);
}

/* Tracing that was on and saw nothing. */
static void check_tracing(const struct pu_check *check, const struct pu_log_data *data,
                          const struct pu_stats *stats)
{
    static const char *const tracing[] = {"heaptrace", "iotrace", "synctrace"};

    for (size_t i = 0; i < sizeof(tracing) / sizeof(tracing[0]); i++) {
        if (stats->packets == 0 && stats->damages == 0 && strcmp(tracing[i], data->name) == 0)
            pu_check_tell(check, data->file, R_RECORDING, "%s was on, and nothing was traced",
                          data->name);
    }
}

static void check_contents(struct pu_check *check, const struct pu_log_data *data,
                           const struct pu_stats *stats)
{
    check->stacks += stats->packets - stats->without_stack;
    check_stacks(check, data->file, stats);
    check_tracing(check, data, stats);
    if (strcmp(data->name, "profile") == 0)
        take_clock(check, data, stats);
    else
        add_threads(&check->other_threads, &stats->threads);
    if (stats->reallocs > 1 && stats->reallocs_without_old == stats->reallocs)
        pu_check_tell(check, data->file, R_REALLOC, "%llu of %llu reallocs have no old address",
                      (unsigned long long)stats->reallocs_without_old,
                      (unsigned long long)stats->reallocs);
    if (stats->invalid > 0)
        pu_check_tell(check, data->file, R_COUNTER_INVALID, "%llu of %llu values are invalid",
                      (unsigned long long)stats->invalid, (unsigned long long)stats->packets);
}

static int check_declared(struct pu_check *check, const struct pu_log_data *data,
                          struct pu_err *err)
{
    PU_CLEANUP(pu_stats_free) struct pu_stats stats = {0};

    if (!*data->file || pu_exp_declared(check->exp, data->file) != data)
        return 0;
    if (!pu_exp_dir_find(&check->exp->dir, data->file))
        pu_check_tell(check, data->file, R_DATA_MISSING, "%.60s data is declared, there is no file",
                      *data->name ? data->name : "some");
    check_size(check, data->file);
    int found = pu_stats_read(check->exp, data, check->has_frames ? &check->frames : NULL,
                              check->judge, &stats, err);
    if (found > 0)
        check_contents(check, data, &stats);
    return found < 0 ? -1 : 0;
}

/* A file of packets that no word of the log explains. */
static int check_undeclared(struct pu_check *check, const struct pu_exp_entry *entry,
                            struct pu_err *err)
{
    PU_CLEANUP(pu_stats_free) struct pu_stats stats = {0};

    if (entry->role != PU_EXP_DATA || pu_exp_declared(check->exp, entry->name))
        return 0;
    check_size(check, entry->name);
    int found = pu_stats_count(check->exp, entry->name, check->judge, &stats, err);
    if (found > 0 && stats.packets > 0)
        pu_check_tell(check, entry->name, R_PACKET_UNDECLARED,
                      "log.xml does not declare this file of %llu packets",
                      (unsigned long long)stats.packets);
    return found < 0 ? -1 : 0;
}

int pu_check_data(struct pu_check *check, struct pu_err *err)
{
    const struct pu_log *log = &check->exp->log;

    if (check_frames(check, err) < 0)
        return -1;
    for (size_t i = 0; i < log->data_count; i++) {
        if (check_declared(check, &log->data[i], err) < 0)
            return -1;
    }
    for (size_t i = 0; i < check->exp->dir.count; i++) {
        if (check_undeclared(check, &check->exp->dir.entries[i], err) < 0)
            return -1;
    }
    return 0;
}

/* --- plausibility -------------------------------------------------------------------------------
 */

static uint64_t unsampled_threads(const struct pu_check *check)
{
    uint64_t count = 0;

    for (size_t i = 0; i < check->other_threads.count; i++)
        count += pu_set_find(&check->clock_threads, check->other_threads.keys[i]) == PU_SET_FULL;
    return count;
}

/* The profile's CPU time against the kernel's: what is wrong, the interval or the coverage? */
static void check_coverage(const struct pu_check *check, double share)
{
    double gap = (double)check->median_gap / 1e6;
    double tick = (double)check->tick / 1e3;
    double cpu = (double)check->cpu_time / 1e9;
    uint64_t threads = unsampled_threads(check);

    if (gap > 1.5 * tick || gap < tick / 1.5)
        pu_check_tell(check, "profile", R_TICK,
                      "a tick is declared as %.3f ms and was %.3f ms; the profile tells %.0f%% of "
                      "%.3f s of CPU time",
                      tick, gap, share * 100, cpu);
    else
        pu_check_tell(check, "profile", R_CPU_COVERAGE,
                      "the profile tells %.0f%% of %.3f s of CPU time", share * 100, cpu);
    if (threads > 0)
        pu_check_tell(check, "profile", R_THREAD_UNSAMPLED,
                      "%llu threads are in other data and not here", (unsigned long long)threads);
}

void pu_check_measurement(struct pu_check *check)
{
    double declared = (double)check->tick * 1e3;
    double cpu = (double)check->cpu_time;

    if (!check->clock || check->tick <= 0)
        return;
    if (check->tick < SHORT_TICK)
        pu_check_tell(check, "profile", R_TICK_SHORT, "a tick of %lld us", (long long)check->tick);
    /* An idle program, or one that was paused, has nothing to compare. */
    if (!check->has_usage || pu_log_find(&check->exp->log, PU_EV_PAUSE, 0) ||
        cpu < ENOUGH_TICKS * declared)
        return;
    if (check->cpu_ticks == 0) {
        pu_check_tell(check, "profile", R_NO_SAMPLES, "%.3f s of CPU time, and no sample",
                      cpu / 1e9);
        return;
    }
    double share = (double)check->cpu_ticks * declared / cpu;
    if (share < 0.5 || share > 1.5)
        check_coverage(check, share);
}
