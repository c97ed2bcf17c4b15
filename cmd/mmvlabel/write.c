/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changed labels on their way into the file: in place of it, or in it. */
#include <inttypes.h>
#include <unistd.h>

#include "base/replace.h"
#include "edit.h"

static void tell_risk(const struct edit *edit, pid_t user)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    bool grows = (edit->bytes.size + page - 1) / page > (edit->file.blob.size + page - 1) / page;
    struct pu_err err;

    pu_err_set(&err, PU_E_NONE,
               "process %d is using it: the values that it writes from now on are lost%s",
               (int)user, grows ? ", and it may crash when it stops" : "");
    pu_cli_error(edit->name, &err);
}

/* What the file becomes: `live` if it is changed in place. -1 with an error. */
static int plan(struct edit *edit, bool *live, struct pu_err *err)
{
    pid_t user = pu_mmv_user(edit->path, &edit->file.mmv.header);
    struct pu_err reason;

    *live = false;
    if (user > 0) {
        if (pu_mmv_labels_plan_live(&edit->file.mmv, &edit->labels, edit->cluster, &edit->bytes,
                                    err) == 0) {
            *live = true;
            return 0;
        }
        reason = *err;
        if (!edit->config->force)
            return pu_err_set(err, reason.code == PU_E_SYSTEM ? PU_E_SYSTEM : PU_E_NONE,
                              "process %d is using it, and %s: stop it first, or see --force",
                              (int)user, reason.message);
        edit->bytes.size = 0;
    }
    if (pu_mmv_labels_rebuild(&edit->file.mmv, &edit->labels, edit->cluster, edit->interrupted,
                              &edit->bytes, err) < 0)
        return -1;
    if (user > 0)
        tell_risk(edit, user);
    return 0;
}

static int tell(const struct edit *edit, bool live)
{
    struct pu_cursor version = pu_cursor(pu_buf_span(&edit->bytes), 4, PU_HOST);
    struct pu_sink sink;

    pu_sink_to_fd(&sink, STDOUT_FILENO);
    pu_sink_text(&sink, live ? "would change " : "would replace ");
    pu_sink_escaped(&sink, pu_span_text(edit->name));
    pu_sink_printf(&sink,
                   "%s: %zu labels (now %zu), %zu bytes (now %zu), version %d (now %d), cluster %d "
                   "(now %d)\n",
                   live ? " in place" : "", edit->labels.count, edit->old.count, edit->bytes.size,
                   edit->file.blob.size, (int)pu_cursor_i32(&version),
                   (int)edit->file.mmv.header.version, (int)edit->cluster,
                   (int)edit->file.mmv.header.cluster);
    return pu_cli_flush(&sink);
}

int mmvlabel_tell_nothing(const struct edit *edit)
{
    struct pu_sink sink;

    if (!edit->config->dry_run)
        return PU_DONE;
    pu_sink_to_fd(&sink, STDOUT_FILENO);
    pu_sink_text(&sink, "would leave ");
    pu_sink_escaped(&sink, pu_span_text(edit->name));
    pu_sink_text(&sink, " as it is\n");
    return pu_cli_flush(&sink);
}

int mmvlabel_write(struct edit *edit)
{
    struct pu_err err;
    bool live;

    if (plan(edit, &live, &err) < 0)
        return pu_cli_error(edit->name, &err);
    if (edit->config->dry_run)
        return tell(edit, live);
    int result =
        live ? pu_mmv_labels_write_live(edit->lock.fd, &edit->file.mmv, pu_buf_span(&edit->bytes),
                                        &err)
             : pu_replace_like(edit->path, pu_buf_span(&edit->bytes), &edit->lock.was, &err);
    if (result < 0)
        return pu_cli_error(edit->name, &err);
    if (edit->interrupted) {
        pu_err_set(&err, PU_E_NONE,
                   "an earlier mmvlabel was killed while it changed the labels: "
                   "see with 'mmvlabel list' whether they are as wanted");
        pu_cli_error(edit->name, &err);
    }
    return PU_DONE;
}
