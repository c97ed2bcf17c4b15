/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "job.h"

#include "base/time.h"

void mmvdump_worsen(struct job *job, enum pu_status status)
{
    job->status = pu_status_worse(job->status, status);
}

int64_t mmvdump_now(const struct job *job)
{
    return job->config->now == INT64_MIN ? pu_time_now() : job->config->now;
}

static void add_operand(struct job *job, struct operand *operand)
{
    struct pu_err err;

    operand->directory |= pu_io_is_directory(operand->path);
    job->many |= operand->directory;
    int result = operand->directory ? pu_io_list(operand->path, &job->paths, &err)
                                    : pu_paths_add(&job->paths, operand->path, &err);
    if (result < 0 && !operand->told)
        mmvdump_worsen(job, pu_cli_error(operand->path, &err));
    operand->told = result < 0;
}

void mmvdump_list(struct job *job)
{
    pu_paths_free(&job->paths);
    job->many |= job->operand_count > 1;
    for (size_t i = 0; i < job->operand_count; i++)
        add_operand(job, &job->operands[i]);
}
