/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evarray verify: what is wrong with arrays. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/findings.h"
#include "event/verify.h"
#include "job.h"

struct check {
    struct taker taker; /* first */
    struct pu_event_verify verify;
    struct pu_findings findings;
    struct pu_sink sink;
    struct pu_out out;
    struct pu_errors errors; /* of the sources */
    enum pu_status status;
};

static void take(struct taker *taker, const struct pu_event_sample *sample)
{
    struct check *check = (struct check *)taker;

    check->verify.catalog = taker->catalog;
    pu_event_verify(&check->verify, sample);
}

static void extra(struct taker *taker, const struct pu_event_sample *sample, uint64_t size)
{
    pu_event_verify_extra(&((struct check *)taker)->verify, sample, size);
}

static void fail(struct taker *taker, const char *file, const struct pu_err *err)
{
    struct check *check = (struct check *)taker;

    (void)pu_sink_flush(&check->sink);
    check->status = pu_status_worse(check->status, (enum pu_status)evarray_tell(taker, file, err));
}

static void pause_output(struct taker *taker)
{
    (void)pu_sink_flush(&((struct check *)taker)->sink);
}

static bool done(const struct taker *taker)
{
    return ((const struct check *)taker)->sink.error != 0;
}

static void list_rules(struct check *check, bool json)
{
    if (json)
        pu_out_document(&check->out, "evarray-rules", 1);
    pu_findings_put_rules(&check->out, pu_event_rules, PU_EVENT_RULES);
    if (json)
        pu_out_end(&check->out);
}

static int check_all(const struct pu_tool *tool, struct check *check, const struct config *config,
                     char **operands, size_t count)
{
    bool json = config->form == JSON;
    static const struct pu_field arrays_field = {.key = "arrays", .form = PU_FORM_HIDDEN};
    static const struct pu_field records_field = {.key = "records", .form = PU_FORM_HIDDEN};

    if (json)
        pu_out_document(&check->out, "evarray-verify", 1);
    pu_findings_begin(&check->findings);
    int status = evarray_each(tool, config, operands, count, &check->taker);
    pu_findings_end(&check->findings);
    if (json) {
        pu_out_u64(&check->out, &arrays_field, check->verify.arrays);
        pu_out_u64(&check->out, &records_field, check->verify.records);
        pu_cli_put_errors(&check->out, &check->errors);
        pu_out_end(&check->out);
    }
    status = pu_status_worse(status, (int)check->status);
    return pu_status_worse(status, pu_findings_status(&check->findings, config->strict));
}

static int run(const struct pu_tool *tool, struct check *check, const struct config *config,
               char **operands, size_t count)
{
    struct pu_err err;
    int status = PU_DONE;

    pu_sink_to_fd(&check->sink, STDOUT_FILENO);
    if (config->form == JSON)
        pu_out_to_json(&check->out, &check->sink);
    else
        pu_out_to_text(&check->out, &check->sink);
    if (pu_findings_init(&check->findings, &check->out, pu_event_rules, PU_EVENT_RULES,
                         &config->ignore, &err) < 0)
        return pu_cli_usage_error(tool, "-i/--ignore: %s", err.message);
    check->verify.judge = &check->findings.judge;
    check->verify.forgiving = (config->archive || config->host) && !config->all;
    check->taker = (struct taker){take, extra, fail, pause_output, done, NULL, &check->errors};
    if (config->rules)
        list_rules(check, config->form == JSON);
    else
        status = check_all(tool, check, config, operands, count);
    return pu_status_worse(status, pu_cli_flush(&check->sink));
}

int evarray_verify(const struct pu_tool *tool, const struct pu_verb *verb, void *config_,
                   char **operands, size_t count)
{
    struct config *config = config_;
    static struct check check;

    (void)verb;
    int status = run(tool, &check, config, operands, count);
    pu_findings_free(&check.findings);
    pu_event_verify_free(&check.verify);
    pu_errors_free(&check.errors);
    free(config->specs.items);
    free(config->ignore.items);
    return status;
}
