/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evarray pack: arrays from JSON lines. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "event/jsonl.h"
#include "event/live.h"
#include "event/names.h"
#include "job.h"

/* Larger inputs are refused. */
#define LINES_MAX (UINT64_C(1) << 32)

/* The text up to the next line break, which is taken off with it. */
static struct pu_span next_line(struct pu_span *text)
{
    const unsigned char *end = memchr(text->data, '\n', text->size);
    struct pu_span line = {text->data, end ? (size_t)(end - text->data) : text->size};
    size_t used = line.size + (end ? 1 : 0);

    *text = (struct pu_span){text->data + used, text->size - used};
    return line;
}

static bool is_blank(struct pu_span line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (!memchr(" \t\r", line.data[i], 3))
            return false;
    }
    return true;
}

static int pack_lines(struct pu_event_pack *pack, struct pu_span text, struct pu_err *err)
{
    for (unsigned int number = 1; text.size > 0; number++) {
        struct pu_span line = next_line(&text);
        if (!is_blank(line) && pu_event_pack_line(pack, line, err) < 0) {
            err->line = number;
            err->column = err->column ? err->column : 1;
            return -1;
        }
    }
    return pu_event_pack_end(pack, err);
}

static int write_all(const struct pu_buf *bytes)
{
    struct pu_sink sink;

    pu_sink_to_fd(&sink, STDOUT_FILENO);
    pu_sink_add(&sink, bytes->data, bytes->size);
    return pu_cli_flush(&sink);
}

static int pack_file(const char *path, struct pu_event_pack *pack)
{
    const struct pu_span no_magic = {0};
    PU_CLEANUP(pu_blob_free) struct pu_blob text = {0};
    struct pu_err err;

    if (pu_io_read(path, no_magic, LINES_MAX, &text, &err) < 0 ||
        pack_lines(pack, pu_blob_span(&text), &err) < 0)
        return pu_cli_error(path, &err);
    return write_all(pack->to);
}

static void close_live(struct pu_event_live **live)
{
    pu_event_live_close(*live);
}

static int take_archive(struct pu_event_names *names, const char *path)
{
    PU_CLEANUP(pu_event_archive_close) struct pu_event_archive archive;
    PU_CLEANUP(pu_errors_free) struct pu_errors damage = {0};
    struct pu_err err;

    if (pu_event_archive_open(&archive, path, &damage, &err) < 0)
        return pu_cli_error(path, &err);
    int status = pu_cli_errors(path, &damage);
    if (pu_event_names_take(names, &archive.catalog, &err) < 0)
        status = pu_cli_error(path, &err);
    return status;
}

/* Whom to ask for the PMIDs of names. */
static int find_names(const struct pu_tool *tool, const struct config *config,
                      struct pu_event_names *names, struct pu_event_live **live)
{
    struct pu_err err;

    if (config->names && pu_pcp_names_load(config->names, &err) < 0)
        return pu_cli_error(config->names, &err);
    names->asks = config->names || !config->archive;
    if (config->archive)
        return take_archive(names, config->archive);
    if (!evarray_has_metrics(config) ||
        pu_event_live_open(live, config->host, config->specs.items, config->specs.count, &err) == 0)
        return PU_DONE;
    return evarray_live_error(tool, config, &err);
}

int evarray_pack(const struct pu_tool *tool, const struct pu_verb *verb, void *config_,
                 char **operands, size_t count)
{
    static const uint32_t kinds[] = {0, PU_EVENT_US, PU_EVENT_NS};
    struct config *config = config_;
    const char *path = count ? operands[0] : "-";
    PU_CLEANUP(pu_buf_free) struct pu_buf bytes = {0};
    PU_CLEANUP(pu_event_pack_free)
    struct pu_event_pack pack = {
        .kind = kinds[config->resolution],
        .fixed = config->resolution != AUTO,
        .order = config->big_endian ? PU_BIG : PU_HOST,
        .compat = config->compat,
        .truncate = config->truncate,
        .max = (uint32_t)config->max_bytes,
        .to = &bytes,
    };
    PU_CLEANUP(pu_event_names_free) struct pu_event_names names = {0};
    PU_CLEANUP(close_live) struct pu_event_live *live = NULL;
    int status = PU_DONE;

    (void)verb;
    if (count > 1)
        return pu_cli_usage_error(tool, "one FILE at a time");
    if (evarray_has_metrics(config) || config->names) {
        status = find_names(tool, config, &names, &live);
        pack.find = pu_event_names_find;
        pack.context = &names;
    }
    free(config->specs.items);
    if (status == PU_DONE)
        status = pack_file(path, &pack);
    return status;
}
