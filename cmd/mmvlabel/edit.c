/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mmvlabel set, unset and clear. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "edit.h"

static int fail(const struct edit *edit, const struct pu_err *err)
{
    return pu_cli_error(edit->name, err);
}

/* Reading */

static int open_file(struct edit *edit)
{
    int64_t patience = PU_MMV_PATIENCE_ALL;
    struct pu_err err;

    edit->path = strcmp(edit->name, "-") == 0 ? NULL : realpath(edit->name, NULL);
    if (!edit->path && strcmp(edit->name, "-") == 0)
        pu_err_set(&err, PU_E_NONE, "standard input cannot be changed");
    else if (!edit->path)
        pu_err_system(&err, errno, "cannot open");
    if (!edit->path || pu_lock_take(edit->path, &edit->lock, &err) < 0 ||
        pu_mmv_load(edit->path, &patience, &edit->file, &err) < 0)
        return fail(edit, &err);
    if (edit->file.blob.inode == edit->lock.was.st_ino &&
        edit->file.blob.device == edit->lock.was.st_dev)
        return PU_DONE;
    pu_err_set(&err, PU_E_NONE, "it was replaced meanwhile: try again");
    return fail(edit, &err);
}

/* What is damaged is not touched, unless it is no more than a change that was interrupted. */
static int check_file(struct edit *edit)
{
    struct pu_mmv *mmv = &edit->file.mmv;
    struct pu_errors *damage = &edit->file.damage;
    struct pu_err err;

    edit->interrupted = edit->file.unsettled && pu_mmv_is_interrupted(&mmv->header);
    if (edit->interrupted && damage->count == 1)
        pu_errors_free(damage);
    pu_mmv_look_through(mmv, damage);
    if (damage->count > 0) {
        int status = pu_cli_errors(edit->name, damage);
        if (edit->file.unsettled)
            pu_err_set(&err, PU_E_NONE,
                       "labels can be changed once its application has finished, or starts anew");
        else
            pu_err_set(&err, PU_E_NONE, "the labels of a damaged file are not changed");
        fail(edit, &err);
        return status;
    }
    if (pu_mmv_labels_check(mmv, &err) < 0 || pu_mmv_labels_read(mmv, &edit->old, &err) < 0 ||
        pu_mmv_labels_read(mmv, &edit->labels, &err) < 0)
        return fail(edit, &err);
    if (edit->interrupted)
        pu_mmv_labels_tidy(&edit->labels);
    return PU_DONE;
}

/* Changing */

static int choose_cluster(struct edit *edit, struct pu_err *err)
{
    int32_t old = edit->file.mmv.header.cluster;

    edit->cluster = old;
    if (edit->config->cluster == 0)
        return 0;
    if (old != 0 && old != (int32_t)edit->config->cluster)
        return pu_err_set(err, PU_E_NONE,
                          "its cluster is %" PRId32 " already: another one would make other "
                          "metrics of its metrics",
                          old);
    edit->cluster = (int32_t)edit->config->cluster;
    for (size_t i = 0; i < edit->labels.count; i++) {
        struct pu_mmv_label_record *record = &edit->labels.records[i];
        uint32_t level = record->flags & ~(uint32_t)PU_MMV_LABEL_OPTIONAL;
        if (level == PU_MMV_LABEL_REGISTRY && record->identity == 0)
            record->identity = (uint32_t)edit->cluster;
    }
    return 0;
}

static int set(struct edit *edit, const char **word, struct pu_err *err)
{
    for (size_t i = 0; i < edit->targets.count; i++) {
        struct pu_mmv_label_target *target = &edit->targets.items[i];
        if (target->level == PU_MMV_LABEL_REGISTRY)
            target->identity = (uint32_t)edit->cluster;
        if (target->level == PU_MMV_LABEL_REGISTRY && edit->cluster == 0)
            return pu_err_set(err, PU_E_NONE,
                              "its cluster is 0, so that PCP's agent chooses one, and never shows "
                              "labels of the registry: --cluster gives it one");
        for (size_t n = 0; n < edit->word_count; n++) {
            *word = edit->words[n];
            if (pu_mmv_labels_set(&edit->labels, target, &edit->assignments[n],
                                  edit->config->optional, err) < 0)
                return -1;
        }
    }
    *word = NULL;
    return 0;
}

static int unset(struct edit *edit, const char **word, struct pu_err *err)
{
    for (size_t n = 0; n < edit->word_count; n++) {
        *word = edit->words[n];
        int removed = pu_mmv_labels_unset(&edit->labels, &edit->targets, *word, err);
        if (removed < 0)
            return -1;
        if (removed == 0)
            return pu_err_set(err, PU_E_NONE, "there is no such label");
    }
    *word = NULL;
    return 0;
}

/* With no level said, labels are the registry's; `clear` wants it said. */
static int change(struct edit *edit, const char **word, struct pu_err *err)
{
    struct pu_mmv_label_target fallback = {.level = edit->config->all ? 0 : PU_MMV_LABEL_REGISTRY,
                                           .any = edit->verb != SET,
                                           .identity = (uint32_t)edit->file.mmv.header.cluster,
                                           .internal = -1};

    *word = NULL;
    if (mmvlabel_find(edit->config, &edit->file.mmv, edit->path, edit->verb != SET, &edit->targets,
                      word, err) < 0 ||
        choose_cluster(edit, err) < 0)
        return -1;
    if (edit->targets.count == 0 && pu_mmv_label_targets_add(&edit->targets, fallback, err) < 0)
        return -1;
    if (edit->verb == SET)
        return set(edit, word, err);
    if (edit->verb == UNSET)
        return unset(edit, word, err);
    pu_mmv_labels_clear(&edit->labels, &edit->targets);
    return 0;
}

static int edit_file(struct edit *edit)
{
    const char *word = NULL;
    struct pu_err err;
    int status = open_file(edit);

    if (status == PU_DONE)
        status = check_file(edit);
    if (status != PU_DONE)
        return status;
    if (change(edit, &word, &err) < 0)
        return mmvlabel_complain(edit->tool, edit->name, word, &err);
    if (!edit->interrupted && edit->cluster == edit->file.mmv.header.cluster &&
        pu_mmv_labels_equal(&edit->old, &edit->labels))
        return mmvlabel_tell_nothing(edit);
    return mmvlabel_write(edit);
}

static void release(struct edit *edit)
{
    for (size_t i = 0; edit->assignments && i < edit->word_count; i++)
        free(edit->assignments[i].name);
    free(edit->assignments);
    free(edit->targets.items);
    pu_mmv_labels_free(&edit->old);
    pu_mmv_labels_free(&edit->labels);
    pu_buf_free(&edit->bytes);
    pu_mmv_unload(&edit->file);
    pu_lock_release(&edit->lock);
    free(edit->path);
}

static int parse_assignments(struct edit *edit, const struct pu_tool *tool)
{
    struct pu_err err;

    if (edit->verb != SET)
        return PU_DONE;
    edit->assignments = calloc(edit->word_count, sizeof(*edit->assignments));
    if (!edit->assignments) {
        pu_err_system(&err, ENOMEM, "cannot hold labels");
        return pu_cli_error(NULL, &err);
    }
    for (size_t i = 0; i < edit->word_count; i++) {
        if (pu_mmv_assignment_parse(edit->words[i], &edit->assignments[i], &err) < 0)
            return pu_cli_usage_error(tool, "'%.60s%s': %s", edit->words[i],
                                      strlen(edit->words[i]) > 60 ? "..." : "", err.message);
    }
    return PU_DONE;
}

int mmvlabel_edit(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
                  char **operands, size_t count)
{
    PU_CLEANUP(release)
    struct edit edit = {.tool = tool, .config = config, .verb = verb->code, .lock.fd = -1};
    const struct config *asked = config;

    if (count == 0)
        return pu_cli_usage_error(tool, "FILE is missing");
    edit.name = operands[0];
    edit.words = (const char *const *)operands + 1;
    edit.word_count = count - 1;
    if (verb->code == CLEAR && count > 1)
        return pu_cli_usage_error(tool, "too many operands: '%s'", operands[1]);
    if (verb->code == CLEAR && !asked->all && !asked->registry && asked->metrics.count == 0 &&
        asked->indoms.count == 0 && asked->instances.count == 0)
        return pu_cli_usage_error(tool, "clear needs --registry, --metric, --indom, --instance or "
                                        "--all");
    if (verb->code != CLEAR && edit.word_count == 0)
        return pu_cli_usage_error(tool,
                                  verb->code == SET ? "NAME=VALUE is missing" : "NAME is missing");
    int status = parse_assignments(&edit, tool);
    return status == PU_DONE ? edit_file(&edit) : status;
}
