/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 65536

static ssize_t read_some(int fd, unsigned char *to, size_t size)
{
    ssize_t got;

    do
        got = read(fd, to, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Bytes as they are in the file: how many, 0 at its end, -1. */
static ssize_t read_plain(struct pu_event_stream *stream, unsigned char *to, size_t size,
                          struct pu_err *err)
{
    ssize_t got = read_some(stream->fd, to, size);

    return got < 0 ? pu_err_system(err, errno, "cannot read") : got;
}

/* The same, unpacked. */
static ssize_t read_packed(struct pu_event_stream *stream, unsigned char *to, size_t size,
                           struct pu_err *err)
{
    unsigned char *end = to;
    bool last = false;

    while (end == to && !stream->unzipped) {
        if (stream->input.size == 0) {
            ssize_t got = read_plain(stream, stream->packed, PIECE, err);
            if (got < 0)
                return -1;
            stream->input = (struct pu_span){stream->packed, (size_t)got};
            last = got == 0;
        }
        int result = pu_event_unzip_run(stream->unzip, &stream->input, &end, &size, last, err);
        if (result < 0)
            return -1;
        stream->unzipped = result > 0;
    }
    return end - to;
}

/* Grows only behind what was really read, so that a length that lies costs nothing. */
static int make_room(struct pu_event_stream *stream, struct pu_err *err)
{
    size_t capacity = stream->capacity ? stream->capacity * 2 : PIECE;

    if (stream->at > 0) {
        memmove(stream->data, stream->data + stream->at, stream->size - stream->at);
        stream->size -= stream->at;
        stream->at = 0;
    }
    if (stream->size < stream->capacity)
        return 0;
    unsigned char *data = realloc(stream->data, capacity);
    if (!data)
        return pu_err_system(err, ENOMEM, "cannot hold a record");
    stream->data = data;
    stream->capacity = capacity;
    return 0;
}

/* Are `want` bytes there? 1, 0 when the file ends before, -1. */
static int fill(struct pu_event_stream *stream, size_t want, struct pu_err *err)
{
    while (stream->size - stream->at < want) {
        if (make_room(stream, err) < 0)
            return -1;
        unsigned char *to = stream->data + stream->size;
        size_t room = stream->capacity - stream->size;
        ssize_t got =
            stream->unzip ? read_packed(stream, to, room, err) : read_plain(stream, to, room, err);
        if (got <= 0)
            return (int)got;
        stream->size += (size_t)got;
    }
    return 1;
}

static int begin_unzip(struct pu_event_stream *stream, struct pu_err *err)
{
    unsigned char *packed = malloc(PIECE);
    ssize_t got = packed ? read_plain(stream, packed, PIECE, err) : -1;

    if (!packed)
        return pu_err_system(err, ENOMEM, "cannot read");
    stream->packed = packed;
    if (got < 0)
        return -1;
    stream->input = (struct pu_span){packed, (size_t)got};
    if (pu_event_unzip_new(&stream->unzip, stream->input, err) < 0)
        return -1;
    if (stream->unzip)
        return 0;
    /* It is plain: what was read is the beginning of the data. */
    stream->data = packed;
    stream->capacity = PIECE;
    stream->size = (size_t)got;
    stream->packed = NULL;
    return 0;
}

int pu_event_stream_open(struct pu_event_stream *stream, const char *path, struct pu_err *err)
{
    struct stat status;

    *stream = (struct pu_event_stream){.fd = -1};
    stream->path = strdup(path);
    if (!stream->path)
        return pu_err_system(err, ENOMEM, "cannot open");
    stream->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (stream->fd < 0)
        return pu_err_system(err, errno, "cannot open");
    if (fstat(stream->fd, &status) < 0)
        return pu_err_system(err, errno, "cannot read");
    if (!S_ISREG(status.st_mode))
        return pu_err_set(err, PU_E_SYSTEM, "cannot read: not a regular file");
    return begin_unzip(stream, err);
}

static uint32_t word_at(const struct pu_event_stream *stream, size_t at)
{
    struct pu_cursor in =
        pu_cursor((struct pu_span){stream->data, stream->size}, stream->at + at, PU_BIG);

    return pu_cursor_u32(&in);
}

static int cut_short(struct pu_event_stream *stream, struct pu_err *err)
{
    stream->cut = true;
    return pu_err_damage(err, stream->offset, "a record is cut short: there are %zu bytes",
                         stream->size - stream->at);
}

int pu_event_stream_next(struct pu_event_stream *stream, struct pu_span *record, struct pu_err *err)
{
    int result = fill(stream, 4, err);

    stream->cut = false;
    if (result == 0 && stream->size > stream->at)
        return cut_short(stream, err);
    if (result <= 0)
        return result;
    uint32_t length = word_at(stream, 0);
    if (length < 8 || length > PU_EVENT_RECORD_MAX)
        return pu_err_damage(err, stream->offset, "a record cannot have %u bytes", length);
    result = fill(stream, length, err);
    if (result <= 0)
        return result < 0 ? -1 : cut_short(stream, err);
    if (word_at(stream, length - 4) != length)
        return pu_err_damage(err, stream->offset,
                             "a record of %u bytes ends with another length, %u", length,
                             word_at(stream, length - 4));
    *record = (struct pu_span){stream->data + stream->at, length};
    stream->at += length;
    stream->offset += length;
    return 1;
}

/* What stands `at` bytes further on: the end of the file, or the beginning of a record? */
static bool goes_on(const struct pu_event_stream *stream, size_t at, bool ended)
{
    size_t rest = stream->size - stream->at - at;
    uint32_t length = rest < 4 ? 0 : word_at(stream, at);

    if (rest < 4)
        return true; /* there is more in memory unless it is the end */
    if (length < 8 || length > PU_EVENT_RECORD_MAX)
        return false;
    return length > rest ? ended : word_at(stream, at + length - 4) == length;
}

static bool is_record(const struct pu_event_stream *stream, bool ended)
{
    size_t rest = stream->size - stream->at;
    uint32_t length = word_at(stream, 0);

    return length >= 16 && length <= PU_EVENT_SEARCH_MAX && length <= rest &&
           word_at(stream, length - 4) == length && goes_on(stream, length, ended);
}

int pu_event_stream_search(struct pu_event_stream *stream,
                           bool (*believe)(const void *context, struct pu_span record),
                           const void *context, struct pu_err *err)
{
    bool ended = false;

    stream->cut = false;
    for (bool first = true;; first = false) {
        /* Twice as much as is looked at, so that memory is not moved for each step. */
        if (!ended && stream->size - stream->at <= PU_EVENT_SEARCH_MAX + 8) {
            int more = fill(stream, 2 * PU_EVENT_SEARCH_MAX, err);
            if (more < 0)
                return -1;
            ended = more == 0;
        }
        if (stream->size == stream->at)
            return 0;
        if (!first && stream->data[stream->at] == 0 && is_record(stream, ended)) {
            struct pu_span record = {stream->data + stream->at, word_at(stream, 0)};
            if (believe(context, record))
                return 1;
        }
        /* A length that is looked for has a zero in front. */
        size_t rest = stream->size - stream->at - 1;
        const unsigned char *zero = memchr(stream->data + stream->at + 1, 0, rest);
        size_t step = zero ? (size_t)(zero - stream->data) - stream->at : rest + 1;
        stream->at += step;
        stream->offset += step;
    }
}

void pu_event_stream_close(struct pu_event_stream *stream)
{
    if (stream->fd >= 0)
        close(stream->fd);
    free(stream->path);
    free(stream->packed);
    free(stream->data);
    pu_event_unzip_free(stream->unzip);
    *stream = (struct pu_event_stream){.fd = -1};
}
