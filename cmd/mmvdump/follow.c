/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvdump --follow: files watched. */
#include "base/pace.h"
#include "job.h"
#include "mmv/follow-view.h"

/* One look at every file, those included that have come since the last. */
static void look(struct job *job, struct pu_mmv_followers *followers, bool first)
{
    struct pu_mmv_follow how = {
        .selectors = job->selectors,
        .selector_count = job->config->metrics.count,
        .matched = job->matched,
        .patience = &job->patience,
        .rates = job->config->rates,
        .first = first,
        .now = mmvdump_now(job),
    };
    struct pu_err err;

    job->patience = PU_MMV_PATIENCE_ALL;
    mmvdump_list(job);
    how.show_path = job->many;
    for (size_t i = 0; i < job->paths.count; i++) {
        if (pu_mmv_followers_add(followers, job->paths.items[i], &err) < 0)
            mmvdump_worsen(job, pu_cli_error(job->paths.items[i], &err));
    }
    for (size_t i = 0; i < followers->count; i++) {
        struct pu_mmv_follower *follower = &followers->items[i];
        if (pu_mmv_follow_view(&job->out, follower, &how, &err) < 0)
            mmvdump_worsen(job, pu_cli_error(follower->path, &err));
        if (follower->failed)
            pu_cli_error(follower->path, &follower->err);
        if (follower->file.damage.count > 0)
            mmvdump_worsen(job, PU_DAMAGED);
        if (follower->fresh)
            pu_cli_errors(follower->path, &follower->file.damage);
    }
    pu_mmv_followers_prune(followers);
}

void mmvdump_follow(struct job *job)
{
    struct pu_mmv_followers followers = {0};
    struct timespec next = pu_pace_start();

    for (uint64_t i = 0; job->config->samples == 0 || i < job->config->samples; i++) {
        if (i > 0)
            pu_pace_wait(&next, job->config->interval);
        look(job, &followers, i == 0);
        if (pu_sink_flush(&job->sink) != 0)
            break;
    }
    for (size_t i = 0; i < followers.count; i++) {
        if (!followers.items[i].seen)
            mmvdump_worsen(job, pu_cli_status(&followers.items[i].err));
    }
    pu_mmv_followers_free(&followers);
}
