/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evarray dump: the records of arrays. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/view.h"
#include "event/words.h"
#include "job.h"

struct dump {
    struct taker taker; /* first */
    const struct config *config;
    struct pu_event_view view;
    struct pu_event_param_filter params[PU_EVENT_PARAM_FILTERS_MAX];
    struct pu_sink sink;
    struct pu_out out;
    enum pu_status status;
};

static void tell(struct dump *dump, const char *file, const struct pu_err *err)
{
    /* What came before stands in front of it where both go to one place. */
    (void)pu_sink_flush(&dump->sink);
    dump->status = pu_status_worse(dump->status, (enum pu_status)pu_cli_error(file, err));
}

static void take(struct taker *taker, const struct pu_event_sample *sample)
{
    struct dump *dump = (struct dump *)taker;
    struct pu_err err;

    dump->view.catalog = taker->catalog;
    if (pu_event_view(&dump->view, sample, &err) < 0)
        tell(dump, sample->file, &err);
}

static void extra(struct taker *taker, const struct pu_event_sample *sample, uint64_t size)
{
    struct pu_err err;

    pu_err_damage(&err, sample->offset + sample->bytes.size,
                  "%" PRIu64 " bytes behind the last array", size);
    tell((struct dump *)taker, sample->file, &err);
}

static void fail(struct taker *taker, const char *file, const struct pu_err *err)
{
    tell((struct dump *)taker, file, err);
}

static void pause_output(struct taker *taker)
{
    (void)pu_sink_flush(&((struct dump *)taker)->sink);
}

static bool done(const struct taker *taker)
{
    return ((const struct dump *)taker)->sink.error != 0;
}

/* "start,id", "missed", "none" */
static int read_flags(struct pu_event_filter *filter, const char *list)
{
    while (*list) {
        struct pu_span word = {(const unsigned char *)list, strcspn(list, ",")};
        uint32_t flag = pu_event_flag_parse(word);
        if (pu_span_equal(word, pu_span_text("none")))
            filter->no_flags = true;
        else if (!flag)
            return -1;
        filter->flags |= flag;
        list += word.size;
        list += *list == ',';
    }
    return filter->flags || filter->no_flags ? 0 : -1;
}

/* NAME or NAME=VALUE */
static int read_param(struct pu_event_param_filter *filter, const char *text)
{
    const char *sign = strchr(text, '=');

    filter->name = pu_span_text(text);
    if (sign) {
        filter->name.size = (size_t)(sign - text);
        filter->has_value = true;
        filter->value = pu_span_text(sign + 1);
    }
    return filter->name.size > 0 ? 0 : -1;
}

static int read_filters(struct dump *dump, const struct pu_tool *tool)
{
    const struct config *config = dump->config;
    struct pu_event_filter *filter = &dump->view.filter;

    for (size_t i = 0; i < config->flags.count; i++) {
        if (read_flags(filter, config->flags.items[i]) < 0)
            return pu_cli_usage_error(
                tool, "-F/--flag: '%s' is none of point, start, end, id, parent, missed, none",
                config->flags.items[i]);
    }
    if (config->params.count > PU_EVENT_PARAM_FILTERS_MAX)
        return pu_cli_usage_error(tool, "-p/--param: at most %d of them",
                                  PU_EVENT_PARAM_FILTERS_MAX);
    for (size_t i = 0; i < config->params.count; i++) {
        if (read_param(&dump->params[i], config->params.items[i]) < 0)
            return pu_cli_usage_error(tool, "-p/--param: '%s' has no name",
                                      config->params.items[i]);
    }
    filter->params = dump->params;
    filter->param_count = config->params.count;
    return PU_DONE;
}

static void choose_form(struct dump *dump)
{
    const struct config *config = dump->config;

    pu_sink_to_fd(&dump->sink, STDOUT_FILENO);
    if (config->form == JSON_LINES)
        pu_out_to_json_lines(&dump->out, &dump->sink);
    else if (config->form == CSV && !config->stats)
        pu_out_to_csv(&dump->out, &dump->sink, pu_event_columns);
    else
        pu_out_to_text(&dump->out, &dump->sink);
    dump->view.rows = config->form == CSV;
    dump->view.out = config->stats ? NULL : &dump->out;
}

int evarray_dump(const struct pu_tool *tool, const struct pu_verb *verb, void *config_,
                 char **operands, size_t count)
{
    struct config *config = config_;
    static struct dump dump;

    (void)verb;
    dump.config = config;
    dump.taker = (struct taker){take, extra, fail, pause_output, done, NULL, NULL};
    dump.view.show_empty = config->empty;
    dump.view.show_file = count > 1 && !evarray_has_metrics(config);
    int status = read_filters(&dump, tool);
    if (status == PU_DONE) {
        choose_form(&dump);
        status = evarray_each(tool, config, operands, count, &dump.taker);
        if (config->stats)
            pu_event_put_stats(&dump.out, &dump.view.stats);
        status = pu_status_worse(status, dump.status);
        status = pu_status_worse(status, pu_cli_flush(&dump.sink));
    }
    free(config->specs.items);
    free(config->flags.items);
    free(config->params.items);
    return status;
}
