/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file of packets, counted in one pass. */
#ifndef PU_EXPERIMENT_STATS_H
#define PU_EXPERIMENT_STATS_H

#include "experiment/experiment.h"
#include "experiment/set.h"

#define PU_STATS_GAPS 1024 /* buckets, sixteen to a doubling */

/* Start from zeros; release with pu_stats_free(). */
struct pu_stats {
    uint64_t packets;
    uint64_t used;    /* bytes in packets */
    uint64_t closed;  /* bytes lost in tails of blocks */
    uint64_t skipped; /* bytes in damaged blocks */
    uint64_t damages;
    struct pu_set threads;
    bool has_span;
    int64_t first; /* nanoseconds of the run's clock */
    int64_t last;

    uint64_t without_stack; /* packets whose stack is 0 */
    uint64_t lost_stack;    /* whose stack is not in data.frameinfo */
    uint64_t truncated;     /* whose stack is, or failed */
    uint64_t failed;

    uint64_t ticks; /* clock profile: all, and those in which a CPU was used */
    uint64_t cpu_ticks;
    uint64_t allocations; /* heap */
    uint64_t allocated;   /* bytes */
    uint64_t frees;
    uint64_t reallocs;
    uint64_t reallocs_without_old;
    uint64_t waits; /* synchronization */
    int64_t wait_time;
    uint64_t reads; /* I/O */
    uint64_t read_bytes;
    uint64_t writes;
    uint64_t written_bytes;
    uint64_t events; /* counters: the sum of the intervals */
    uint64_t invalid;

    int64_t *thread_last; /* owned: by number of the thread */
    size_t thread_room;
    uint64_t gap_count;
    uint32_t gaps[PU_STATS_GAPS]; /* between two packets of one thread, per tick */
};

/*
 * Counts a file that the log declares. `frames` may be NULL: then stacks are not looked for.
 * Returns as pu_exp_read(): 1, 0 when there is no such file, -1 when memory runs out.
 */
int pu_stats_read(const struct pu_exp *exp, const struct pu_log_data *data,
                  struct pu_frames *frames, struct pu_judge *judge, struct pu_stats *stats,
                  struct pu_err *err) PU_MUST_CHECK;
void pu_stats_free(struct pu_stats *stats);

/* The middle one of the gaps in nanoseconds, exact to one part in thirty; 0 = none. */
int64_t pu_stats_median_gap(const struct pu_stats *stats);

/* The unused rest of a file that the log does not declare, or of call stacks: packets only. */
int pu_stats_count(const struct pu_exp *exp, const char *file, struct pu_judge *judge,
                   struct pu_stats *stats, struct pu_err *err) PU_MUST_CHECK;

#endif
