/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of an archive's files: version, time, zone; and from when to when it goes. */
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/time.h"
#include "event/archive.h"

#define MAGIC_V2 UINT32_C(0x50052602)
#define MAGIC_V3 UINT32_C(0x50052603)

/* Times and labels */

int64_t pu_event_archive_time(struct pu_cursor *in, int version)
{
    uint64_t low = pu_cursor_u32(in);
    uint64_t high = version == 3 ? pu_cursor_u32(in) : 0;
    int64_t seconds = version == 3 ? (int64_t)(high << 32 | low) : (int32_t)low;
    int64_t fraction = pu_cursor_u32(in);
    int64_t time;

    if (__builtin_mul_overflow(seconds, PU_NANOSECONDS, &time) ||
        __builtin_add_overflow(time, version == 3 ? fraction : fraction * 1000, &time))
        return seconds < 0 ? INT64_MIN : INT64_MAX;
    return time;
}

int pu_event_archive_label(struct pu_event_archive *archive, struct pu_span record, int64_t *time,
                           struct pu_err *err)
{
    struct pu_cursor in = pu_cursor(record, 4, PU_BIG);
    uint32_t magic = pu_cursor_u32(&in);

    if (magic != MAGIC_V2 && magic != MAGIC_V3)
        return pu_err_damage(err, 4, "not a PCP archive of version 2 or 3: 0x%" PRIx32, magic);
    archive->version = magic == MAGIC_V2 ? 2 : 3;
    (void)pu_cursor_u32(&in);
    *time = pu_event_archive_time(&in, archive->version);
    return in.bad ? pu_err_damage(err, 0, "a label that is too small") : 0;
}

/* Range */

/* Behind the host's name: offset and size by version. */
static void copy_zone(const struct pu_event_archive *archive, struct pu_span label, char *zone)
{
    struct pu_span text =
        archive->version == 2 ? pu_span_clip(label, 88, 40) : pu_span_clip(label, 292, 255);

    text = pu_span_until_nul(text);
    memcpy(zone, text.data, text.size);
    zone[text.size] = '\0';
}

/* The time of the last record of a plain file, by the length at its end; -1 when there is none. */
static int last_time(const char *path, int version, int64_t *time)
{
    unsigned char bytes[16];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    int result = -1;

    if (size > 8 && pread(fd, bytes, 4, size - 4) == 4) {
        struct pu_cursor in = pu_cursor((struct pu_span){bytes, 4}, 0, PU_BIG);
        uint32_t length = pu_cursor_u32(&in);
        if (length >= 24 && length <= size && pread(fd, bytes, 16, size - length) == 16) {
            in = pu_cursor((struct pu_span){bytes, 16}, 0, PU_BIG);
            result = pu_cursor_u32(&in) == length ? 0 : -1;
            *time = pu_event_archive_time(&in, version);
        }
    }
    if (fd >= 0)
        close(fd);
    return result;
}

static bool is_packed(const char *path)
{
    size_t size = strlen(path);

    return size > 0 && (path[size - 1] < '0' || path[size - 1] > '9');
}

/* What the label of the first volume says. `zone` may be NULL. */
static int first_label(struct pu_event_archive *archive, int64_t *time, char *zone,
                       struct pu_err *err)
{
    struct pu_event_stream stream = {.fd = -1};
    struct pu_span record;
    int result = pu_event_stream_open(&stream, archive->volumes.items[0], err);
    int more = result == 0 ? pu_event_stream_next(&stream, &record, err) : -1;

    if (more == 0)
        result = pu_err_damage(err, 0, "too small: no label");
    else if (more < 0)
        result = -1;
    else
        result = pu_event_archive_label(archive, record, time, err);
    if (result == 0 && zone)
        copy_zone(archive, record, zone);
    pu_event_stream_close(&stream);
    return result;
}

/* Would TZ take it for no more than it is? A name with a slash in front is a file to the system. */
static bool is_zone(const char *zone)
{
    size_t size = strlen(zone);

    return size > 0 && zone[0] != '/' && !strstr(zone, "..") && !strstr(zone, ":/") &&
           strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789+-:,./<>_") == size;
}

int pu_event_archive_zone(struct pu_event_archive *archive, char zone[PU_EVENT_ZONE_MAX],
                          struct pu_err *err)
{
    int64_t time;

    if (first_label(archive, &time, zone, err) < 0)
        return -1;
    return is_zone(zone) ? 0 : pu_err_damage(err, 0, "no time zone in the label: '%.40s'", zone);
}

int pu_event_archive_range(struct pu_event_archive *archive, int64_t *first, int64_t *last,
                           struct pu_err *err)
{
    const char *path = archive->volumes.items[archive->volumes.count - 1];

    if (first_label(archive, first, NULL, err) < 0)
        return -1;
    *last = INT64_MAX;
    if (!is_packed(path) && last_time(path, archive->version, last) < 0)
        *last = INT64_MAX;
    return 0;
}

int pu_event_archive_window(struct pu_event_archive *archive, const struct pu_pcp_times *times,
                            struct pu_err *err)
{
    int64_t first;
    int64_t last;

    if (!times->start && !times->finish && !times->align && !times->origin)
        return 0;
    if (pu_event_archive_range(archive, &first, &last, err) < 0)
        return -1;
    return pu_pcp_window(times, first, last, &archive->from, &archive->to, err);
}
