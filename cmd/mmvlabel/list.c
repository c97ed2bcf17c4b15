/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvlabel list. */
#include <stdlib.h>
#include <unistd.h>

#include "job.h"
#include "mmv/label-view.h"

/* One run. */
struct list {
    const struct pu_tool *tool;
    const struct config *config;
    struct pu_sink sink;
    struct pu_out out;
    int64_t patience; /* with files that are being rewritten */
    bool many;
};

/* A file that cannot be read still has its place in the document. */
static int put_failure(struct list *list, const char *path, const struct pu_err *err)
{
    static const struct pu_field file_field = {.key = "file", .form = PU_FORM_HIDDEN};
    struct pu_errors errors = {0};

    if (list->config->json) {
        pu_errors_add(&errors, err);
        pu_out_object(&list->out, NULL);
        pu_out_string(&list->out, &file_field, path);
        pu_cli_put_errors(&list->out, &errors);
        pu_out_end(&list->out);
        pu_errors_free(&errors);
    }
    return pu_cli_error(path, err);
}

static int put_file(struct list *list, const char *path, struct pu_mmv_file *file,
                    const struct pu_mmv_label_targets *targets)
{
    const struct pu_mmv_label_view view = {
        .path = path,
        .file = file,
        .targets = targets,
        .show_path = list->many,
        .effective = list->config->effective,
    };
    struct pu_err err;
    int status = PU_DONE;

    if (pu_mmv_label_view(&list->out, &view, &err) < 0)
        status = pu_cli_error(path, &err);
    if (list->config->json)
        pu_cli_put_errors(&list->out, &file->damage);
    pu_out_end(&list->out);
    return pu_status_worse(status, pu_cli_errors(path, &file->damage));
}

static int list_file(struct list *list, const char *path)
{
    PU_CLEANUP(pu_mmv_unload) struct pu_mmv_file file;
    struct pu_mmv_label_targets targets = {0};
    const char *word;
    struct pu_err err;
    int status;

    if (pu_mmv_load(path, &list->patience, &file, &err) < 0)
        return put_failure(list, path, &err);
    if (mmvlabel_find(list->config, &file.mmv, path, true, &targets, &word, &err) < 0)
        status = mmvlabel_complain(list->tool, path, word, &err);
    else
        status = put_file(list, path, &file, &targets);
    free(targets.items);
    return status;
}

int mmvlabel_list(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count)
{
    static const struct pu_field files_field = {.key = "files"};
    struct list list = {
        .tool = tool, .config = config, .patience = PU_MMV_PATIENCE_ALL, .many = count > 1};
    int status = PU_DONE;

    (void)verb;
    if (count == 0)
        return pu_cli_usage_error(tool, "FILE is missing");
    pu_sink_to_fd(&list.sink, STDOUT_FILENO);
    if (list.config->json) {
        pu_out_to_json(&list.out, &list.sink);
        pu_out_document(&list.out, "mmvlabel", 1);
        pu_out_list(&list.out, &files_field);
    } else {
        pu_out_to_text(&list.out, &list.sink);
    }
    for (size_t i = 0; i < count; i++)
        status = pu_status_worse(status, list_file(&list, operands[i]));
    if (list.config->json) {
        pu_out_end(&list.out);
        pu_out_end(&list.out);
    }
    return pu_status_worse(status, pu_cli_flush(&list.sink));
}
