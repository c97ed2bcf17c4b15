/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvcreate: make an MMV file from a description in JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/finding.h"
#include "base/io.h"
#include "base/replace.h"
#include "base/time.h"
#include "cli/findings.h"
#include "cli/main.h"
#include "mmv/check.h"
#include "mmv/load.h"
#include "mmv/spec.h"

/* Larger descriptions are refused. */
#define SPEC_MAX (UINT64_C(1) << 32)

struct config {
    const char *output;
    const char *mode;
    struct pu_strings allow;
    bool force;
    bool dry_run;
};

#define AT(member) offsetof(struct config, member)

static const struct pu_option options[] = {
    {.letter = 'o',
     .name = "output",
     .kind = PU_OPTION_TEXT,
     .offset = AT(output),
     .argument = "FILE",
     .help = "write this file, not the one that SPEC names"},
    {.letter = 'f',
     .name = "force",
     .kind = PU_OPTION_FLAG,
     .offset = AT(force),
     .help = "replace a file that is there already"},
    {.letter = 'n',
     .name = "dry-run",
     .kind = PU_OPTION_FLAG,
     .offset = AT(dry_run),
     .help = "check SPEC and tell what would be written"},
    {.letter = 'a',
     .name = "allow",
     .kind = PU_OPTION_LIST,
     .offset = AT(allow),
     .argument = "RULE,...",
     .help = "write it though it breaks these rules, or \"all\""},
    {.letter = 'm',
     .name = "mode",
     .kind = PU_OPTION_TEXT,
     .offset = AT(mode),
     .argument = "MODE",
     .help = "permissions of the file, in octal (default 0644)"},
};

static const char *const examples[] = {
    "mmvcreate shop.json",
    "mmvdump --json old | mmvcreate --output new -",
    NULL,
};

/* One run. */
struct job {
    struct pu_judge judge; /* first: takes the findings about what is to be written */
    const struct config *config;
    const char *spec_path;
    struct pu_blob text;
    struct pu_mmv_spec *spec;
    struct pu_buf bytes;
    struct pu_mmv_layout layout;
    struct pu_rule_set allowed;
    char *path; /* owned */
    mode_t mode;
    uint64_t refused; /* findings that stand in the way */
};

/* A label that is never shown is only a warning about a file; here somebody wants it shown. */
static bool stands_in_the_way(const struct pu_rule *rule)
{
    return rule->severity == PU_ERROR || pu_mmv_rule_hides_labels(rule);
}

/* A rule that is broken: told at the place in the description. */
static void refuse(struct pu_judge *judge, const struct pu_finding *finding)
{
    struct job *job = (struct job *)judge;
    struct pu_err err;
    char place[PU_MMV_SPEC_PATH_MAX];

    if (!stands_in_the_way(finding->rule) || pu_rule_set_has(&job->allowed, finding->rule) ||
        job->refused++ >= PU_ERRORS_KEPT)
        return;
    pu_err_set(&err, PU_E_SYNTAX, "%s; %s [%s]", finding->message, finding->rule->effect,
               finding->rule->name);
    pu_mmv_spec_path(job->spec, &job->layout, finding->place.offset, place);
    pu_err_where(&err, "%s", place);
    pu_json_locate(pu_blob_span(&job->text), place, &err.line, &err.column);
    pu_cli_error(job->spec_path, &err);
}

static int refuse_all(const struct job *job)
{
    struct pu_err more;

    if (job->refused > PU_ERRORS_KEPT) {
        pu_err_set(&more, PU_E_SYNTAX, "and %" PRIu64 " more of the kind",
                   job->refused - PU_ERRORS_KEPT);
        pu_cli_error(job->spec_path, &more);
    }
    return PU_DAMAGED;
}

static int read_mode(const char *text, mode_t *mode)
{
    char *end;
    unsigned long number = strtoul(text, &end, 8);

    if (*text < '0' || *text > '7' || *end || number > 0777)
        return -1;
    *mode = (mode_t)number;
    return 0;
}

/* The file to write: as asked for, or where the agent looks, by the name that the description
 * gives. */
static int choose_path(struct job *job, struct pu_err *err)
{
    char directory[PU_MMV_DIRECTORY_MAX];
    struct pu_span file = job->spec->file;
    const void *slash = file.size ? memrchr(file.data, '/', file.size) : NULL;

    if (job->config->output) {
        job->path = strdup(job->config->output);
    } else {
        if (slash) {
            size_t skip = (size_t)((const unsigned char *)slash + 1 - file.data);
            file = (struct pu_span){file.data + skip, file.size - skip};
        }
        if (file.size == 0 || (file.size == 1 && *file.data == '-'))
            return pu_err_set(
                err, PU_E_SYNTAX,
                "no name for the file: give --output, or \"file\" in the description");
        if (*file.data == '.')
            return pu_err_set(err, PU_E_SYNTAX,
                              "\"file\" begins with a dot: the agent ignores such files");
        if (asprintf(&job->path, "%s/%.*s", pu_mmv_directory(directory), (int)file.size,
                     (const char *)file.data) < 0)
            job->path = NULL;
    }
    return job->path ? 0 : pu_err_system(err, ENOMEM, "cannot hold a name");
}

static int describe(struct job *job, struct pu_err *err)
{
    struct pu_mmv_moment moment = {pu_time_now(), (int32_t)getpid(), (int32_t)getppid()};
    const struct pu_span no_magic = {0};

    if (pu_io_read(job->spec_path, no_magic, SPEC_MAX, &job->text, err) < 0 ||
        pu_mmv_spec_read(pu_blob_span(&job->text), &moment, job->spec, err) < 0 ||
        pu_mmv_encode(&job->spec->model, &job->bytes, &job->layout, err) < 0)
        return -1;
    return choose_path(job, err);
}

static int write_file(struct job *job)
{
    struct pu_err err;
    pid_t user = job->config->force ? pu_mapped_by(job->path) : 0;

    if (user > 0) {
        pu_err_set(&err, PU_E_NONE, "process %d is using it: it will go on with the old file",
                   (int)user);
        pu_cli_error(job->path, &err);
    }
    if (pu_replace(job->path, pu_buf_span(&job->bytes), job->mode, job->config->force, &err) < 0) {
        if (err.status == EEXIST)
            pu_err_set(&err, PU_E_NONE, "it is there already: --force replaces it");
        return pu_cli_error(job->path, &err);
    }
    return PU_DONE;
}

static int write_stdout(const struct job *job)
{
    struct pu_sink sink;

    pu_sink_to_fd(&sink, STDOUT_FILENO);
    pu_sink_add(&sink, job->bytes.data, job->bytes.size);
    return pu_cli_flush(&sink);
}

static int tell(const struct job *job)
{
    const struct pu_mmv_model *model = &job->spec->model;
    struct pu_sink sink;

    pu_sink_to_fd(&sink, STDOUT_FILENO);
    pu_sink_text(&sink, "would write ");
    pu_sink_escaped(&sink, pu_span_text(job->path));
    pu_sink_printf(&sink, ": %zu bytes, version %d, %zu metrics, %zu values, %zu labels\n",
                   job->bytes.size, job->layout.version, model->metric_count, model->value_count,
                   model->label_count);
    return pu_cli_flush(&sink);
}

static int create(struct job *job)
{
    struct pu_mmv_check check = {&job->judge, PU_MMV_READER_7};
    struct pu_err err;

    if (describe(job, &err) < 0)
        return pu_cli_error(job->spec_path, &err);
    if (pu_mmv_check_bytes(&check, job->path, pu_buf_span(&job->bytes), &err) < 0)
        return pu_cli_error(job->path, &err);
    if (job->refused)
        return refuse_all(job);
    if (job->config->dry_run)
        return tell(job);
    return strcmp(job->path, "-") == 0 ? write_stdout(job) : write_file(job);
}

static void release(struct job *job)
{
    free(job->path);
    free(job->config->allow.items);
    pu_rule_set_free(&job->allowed);
    pu_buf_free(&job->bytes);
    pu_blob_free(&job->text);
}

static int run(const struct pu_tool *tool, void *config, char **operands, size_t count)
{
    /* Left to the end of the process: to release it piece by piece takes longer than all checks. */
    static struct pu_mmv_spec spec;
    PU_CLEANUP(release) struct job job = {.judge.report = refuse, .config = config, .mode = 0644};
    struct pu_err err;

    job.spec = &spec;
    if (count != 1)
        return pu_cli_usage_error(tool, count ? "one SPEC at a time" : "SPEC is missing");
    if (job.config->mode && read_mode(job.config->mode, &job.mode) < 0)
        return pu_cli_usage_error(tool, "-m/--mode: '%s' is not an octal number up to 0777",
                                  job.config->mode);
    if (pu_rule_set_init(&job.allowed, pu_mmv_rules, pu_mmv_rule_count, &job.config->allow, &err) <
        0)
        return pu_cli_usage_error(tool, "-a/--allow: %s: see 'mmvcheck --rules'", err.message);
    job.spec_path = operands[0];
    return create(&job);
}

int main(int argc, char **argv)
{
    static const struct pu_tool tool = {
        .name = "mmvcreate",
        .synopsis = "SPEC",
        .purpose = "Make an MMV file from a description in JSON",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .examples = examples,
        .takes_operands = true,
        .run = run,
    };
    struct config config = {0};

    return pu_cli_main(&tool, argc, argv, &config);
}
