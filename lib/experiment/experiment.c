/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/experiment.h"

#include <errno.h>
#include <string.h>

#include "base/time.h"

void pu_exp_report_on(const struct pu_exp *exp, struct pu_judge *judge, const char *name,
                      struct pu_exp_report *report)
{
    const struct pu_exp_entry *entry = pu_exp_dir_find(&exp->dir, name);

    pu_exp_report_open(report, judge, exp->dir.path, name, entry ? entry->size : 0);
}

/* A file that is there and cannot be opened. Returns 0, or -1 when memory ran out. */
static int tell(struct pu_exp_report *report, const struct pu_err *err)
{
    if (err->code == PU_E_SYSTEM && err->status == ENOMEM)
        return -1;
    if (err->code == PU_E_SYSTEM && err->status == ELOOP)
        pu_exp_report_file(report, R_LINK, "a symbolic link in place of a file");
    else if (err->code == PU_E_SYSTEM && err->status == 0)
        pu_exp_report_file(report, R_NOT_A_FILE, "%s", err->message);
    else
        pu_exp_report_file(report, R_UNREADABLE, "%s", err->message);
    return 0;
}

void pu_exp_tell_unopened(const struct pu_exp *exp, struct pu_judge *judge,
                          const struct pu_err *err)
{
    struct pu_exp_report report;

    pu_exp_report_open(&report, judge, exp->dir.path, NULL, 0);
    /* O_DIRECTORY with O_NOFOLLOW says ENOTDIR of a link. */
    if (err->status == ELOOP || err->status == ENOTDIR)
        pu_exp_report_file(&report, R_LINK, "a symbolic link in place of a directory");
    else
        pu_exp_report_file(&report, R_UNREADABLE, "%s", err->message);
    pu_exp_report_close(&report);
}

int pu_exp_read(const struct pu_exp *exp, const char *name, struct pu_exp_report *report,
                struct pu_blob *blob, struct pu_err *err)
{
    if (!pu_exp_dir_find(&exp->dir, name))
        return 0;
    if (pu_exp_dir_read(&exp->dir, name, PU_EXP_TEXT_MAX, blob, err) == 0)
        return 1;
    pu_blob_free(blob);
    return tell(report, err);
}

int pu_exp_open_packets(const struct pu_exp *exp, const char *name, struct pu_exp_report *report,
                        int *fd, struct pu_packets *packets, struct pu_err *err)
{
    *packets = (struct pu_packets){.fd = -1};
    *fd = -1;
    if (!pu_exp_dir_find(&exp->dir, name))
        return 0;
    *fd = pu_exp_dir_open_file(&exp->dir, name, err);
    if (*fd < 0)
        return tell(report, err);
    if (pu_packets_open(packets, *fd, exp->order, exp->block_size, report, err) < 0)
        return tell(report, err);
    return 1;
}

/* A read that failed in the middle, which the packets cannot tell of themselves. */
static void tell_failure(const struct pu_packets *packets, struct pu_exp_report *report)
{
    if (packets->error)
        pu_exp_report_at(report, R_UNREADABLE, packets->size, "reading fails: %s",
                         strerrordesc_np(packets->error));
}

int pu_exp_read_frames(const struct pu_exp *exp, struct pu_judge *judge, struct pu_frames *frames,
                       struct pu_err *err)
{
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};
    PU_CLEANUP(pu_packets_free) struct pu_packets packets = {0};
    PU_CLEANUP(pu_io_close) int fd = -1;

    pu_exp_report_on(exp, judge, "data.frameinfo", &report);
    int found = pu_exp_open_packets(exp, "data.frameinfo", &report, &fd, &packets, err);
    if (found <= 0)
        return found;
    if (pu_frames_read(&packets, exp->is_64, frames, err) < 0)
        return -1;
    tell_failure(&packets, &report);
    return 1;
}

const struct pu_log_data *pu_exp_declared(const struct pu_exp *exp, const char *file)
{
    for (size_t i = 0; i < exp->log.data_count; i++) {
        if (*file && strcmp(exp->log.data[i].file, file) == 0)
            return &exp->log.data[i];
    }
    return NULL;
}

static void take_start(struct pu_exp *exp)
{
    const struct pu_log_event *run = pu_log_find(&exp->log, PU_EV_RUN, 0);

    if (!run || !run->has_time)
        return;
    exp->has_start = true;
    exp->start = run->time;
    if (run->value > 0 && run->value < INT64_MAX / PU_NANOSECONDS)
        exp->wall_start = run->value * PU_NANOSECONDS;
}

int pu_exp_load(struct pu_exp *exp, struct pu_judge *judge, struct pu_err *err)
{
    PU_CLEANUP(pu_blob_free) struct pu_blob blob = {0};
    PU_CLEANUP(pu_exp_report_close) struct pu_exp_report report = {0};

    pu_exp_report_on(exp, judge, "log.xml", &report);
    int found = pu_exp_read(exp, "log.xml", &report, &blob, err);
    if (found < 0 || pu_log_read(pu_blob_span(&blob), &exp->log, &report, err) < 0)
        return -1;
    exp->order = pu_log_is_big_endian(&exp->log) ? PU_BIG : PU_LITTLE;
    exp->is_64 = pu_log_is_64(&exp->log);
    exp->block_size = pu_log_block_size(&exp->log);
    take_start(exp);
    return 0;
}

void pu_exp_free(struct pu_exp *exp)
{
    pu_exp_dir_free(&exp->dir);
    pu_log_free(&exp->log);
}
