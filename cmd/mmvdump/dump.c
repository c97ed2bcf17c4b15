/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvdump: files shown once. */
#include <errno.h>
#include <stdlib.h>

#include "job.h"
#include "mmv/openmetrics-view.h"

static struct pu_mmv_view make_view(const struct job *job, const char *path,
                                    struct pu_mmv_file *file)
{
    return (struct pu_mmv_view){
        .path = path,
        .mmv = &file->mmv,
        .now = mmvdump_now(job),
        .selectors = job->selectors,
        .selector_count = job->config->metrics.count,
        .matched = job->matched,
        .damage = &file->damage,
    };
}

/* A file that cannot be read still has its place in the document. */
static void put_failure(struct job *job, const char *path, const struct pu_err *err)
{
    static const struct pu_field file_field = {.key = "file"};
    struct pu_errors errors = {0};

    pu_errors_add(&errors, err);
    pu_out_object(&job->out, NULL);
    pu_out_string(&job->out, &file_field, path);
    pu_cli_put_errors(&job->out, &errors);
    pu_out_end(&job->out);
    pu_errors_free(&errors);
}

static void put_view(struct job *job, struct pu_mmv_view *view)
{
    struct pu_mmv_values how = {.show_path = job->many};
    struct pu_err err;

    switch ((enum mode)job->config->mode) {
    case TEXT:
        if (job->shown++ > 0)
            pu_sink_char(&job->sink, '\n');
        pu_mmv_text_view(&job->sink, view);
        return;
    case JSON:
        if (pu_mmv_json_view(&job->out, view, &err) < 0)
            mmvdump_worsen(job, pu_cli_error(view->path, &err));
        pu_cli_put_errors(&job->out, view->damage);
        pu_out_end(&job->out);
        return;
    default:
        pu_mmv_values_view(&job->out, view, &how);
        return;
    }
}

static void dump_file(struct job *job, const char *path)
{
    struct pu_mmv_file file;
    struct pu_err err;

    if (pu_mmv_load(path, &job->patience, &file, &err) < 0) {
        mmvdump_worsen(job, pu_cli_error(path, &err));
        if (job->config->mode == JSON)
            put_failure(job, path, &err);
        pu_mmv_unload(&file);
        return;
    }
    struct pu_mmv_view view = make_view(job, path, &file);
    if (pu_mmv_view_pick(&view, &err) < 0)
        mmvdump_worsen(job, pu_cli_error(path, &err));
    else
        put_view(job, &view);
    mmvdump_worsen(job, pu_cli_errors(path, &file.damage));
    free(view.picked);
    pu_mmv_unload(&file);
}

static void dump_each(struct job *job)
{
    static const struct pu_field files_field = {.key = "files"};
    bool document = job->config->mode == JSON;

    if (document) {
        pu_out_document(&job->out, "mmvdump", 1);
        pu_out_list(&job->out, &files_field);
    }
    for (size_t i = 0; i < job->paths.count && !job->sink.error; i++)
        dump_file(job, job->paths.items[i]);
    if (document) {
        pu_out_end(&job->out);
        pu_out_end(&job->out);
    }
}

static void dump_openmetrics(struct job *job)
{
    size_t count = job->paths.count;
    struct pu_mmv_file *files = calloc(count + 1, sizeof(*files));
    struct pu_mmv_view *views = calloc(count + 1, sizeof(*views));
    size_t loaded = 0;
    struct pu_err err = {0};

    for (size_t i = 0; files && views && i < count; i++) {
        const char *path = job->paths.items[i];
        int result = pu_mmv_load(path, &job->patience, &files[loaded], &err);
        if (result == 0) {
            views[loaded] = make_view(job, path, &files[loaded]);
            result = pu_mmv_view_pick(&views[loaded], &err);
        }
        if (result == 0) {
            loaded++;
            continue;
        }
        mmvdump_worsen(job, pu_cli_error(path, &err));
        free(views[loaded].picked);
        views[loaded].picked = NULL;
        pu_mmv_unload(&files[loaded]);
    }
    if (!files || !views)
        pu_err_system(&err, ENOMEM, "cannot hold %zu files", count);
    if (!files || !views || pu_mmv_openmetrics_view(&job->sink, views, loaded, &err) < 0)
        mmvdump_worsen(job, pu_cli_error(NULL, &err));
    for (size_t i = 0; i < loaded; i++) {
        mmvdump_worsen(job, pu_cli_errors(views[i].path, &files[i].damage));
        free(views[i].picked);
        pu_mmv_unload(&files[i]);
    }
    free(files);
    free(views);
}

void mmvdump_dump(struct job *job)
{
    mmvdump_list(job);
    if (job->config->mode == OPENMETRICS)
        dump_openmetrics(job);
    else
        dump_each(job);
}
