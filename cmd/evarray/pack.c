/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evarray pack: arrays from JSON lines. */
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "event/jsonl.h"
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

int evarray_pack(const struct pu_tool *tool, const struct pu_verb *verb, void *config_,
                 char **operands, size_t count)
{
    static const uint32_t kinds[] = {0, PU_EVENT_US, PU_EVENT_NS};
    const struct config *config = config_;
    const char *path = count ? operands[0] : "-";
    const struct pu_span no_magic = {0};
    PU_CLEANUP(pu_blob_free) struct pu_blob text = {0};
    PU_CLEANUP(pu_buf_free) struct pu_buf bytes = {0};
    PU_CLEANUP(pu_event_pack_free)
    struct pu_event_pack pack = {
        .kind = kinds[config->resolution],
        .order = config->big_endian ? PU_BIG : PU_HOST,
        .compat = config->compat,
        .truncate = config->truncate,
        .max = (uint32_t)config->max_bytes,
        .to = &bytes,
    };
    struct pu_err err;

    (void)verb;
    if (count > 1)
        return pu_cli_usage_error(tool, "one FILE at a time");
    if (pu_io_read(path, no_magic, LINES_MAX, &text, &err) < 0 ||
        pack_lines(&pack, pu_blob_span(&text), &err) < 0)
        return pu_cli_error(path, &err);
    return write_all(&bytes);
}
