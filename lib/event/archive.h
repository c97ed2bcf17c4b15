/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PCP archives, versions 2 and 3, read by ourselves: libpcp follows the counts in an array before
 * anybody can look at them, and dies of bad ones. NAME.meta has descriptors and instances, NAME.0,
 * NAME.1 and so on the values, each perhaps packed (.xz, .zst). All numbers are big-endian.
 *
 *   label   version 2: magic 0x50052602, pid, seconds, microseconds, volume, ... 132 bytes
 *           version 3: magic 0x50052603, pid, seconds low, high, nanoseconds, volume, ... 808 bytes
 *   .meta   1 descriptor: PMID, type, indom, semantics, units, number of names, (size, bytes) each;
 *           2 instances: time, indom, n, n ids, n offsets of names, names with NULs; 5 the same
 *           and 6 changes of them in version 3, where an offset below 0 is an instance that left
 *   values  time, number of metrics; each: PMID, number of values, and if that is above 0 a format
 *           (1 and 2: blocks) and (instance, index) per value; blocks behind it, at 4 * index - 8
 *           bytes of the record. No metrics: a mark.
 *
 * A time is 2 words in version 2, and seconds low, high and nanoseconds in version 3.
 */
#ifndef PU_EVENT_ARCHIVE_H
#define PU_EVENT_ARCHIVE_H

#include "base/buf.h"
#include "base/io.h"
#include "event/format.h"
#include "event/sample.h"
#include "event/select.h"
#include "event/stream.h"
#include "pcp/window.h"

#define PU_EVENT_ZONE_MAX 256

/* Start from `{.data.fd = -1, .meta.fd = -1}`, which pu_event_archive_open() does itself. */
struct pu_event_archive {
    char *base;                      /* owned: the name without .meta, .0 and so on */
    struct pu_event_catalog catalog; /* owned; filled from .meta */
    int version;                     /* 2 or 3; of what is being read */
    int64_t from;                    /* records before and behind these are not looked at */
    int64_t to;
    bool follow; /* at the end more may come: set it before the first sample */
    struct pu_event_selection *selection; /* borrowed */

    struct pu_buf indoms; /* uint32_t: those of event metrics */
    struct pu_event_stream meta;
    struct pu_paths volumes; /* owned; in their order */
    size_t volume;           /* of these, the next one to be opened */
    struct pu_event_stream data;
    bool given_up;    /* the volume's framing is lost */
    uint64_t records; /* that had an array which was wanted */

    struct pu_span record; /* being read */
    uint64_t record_offset;
    struct pu_cursor in; /* at its next metric, or value */
    uint32_t metrics;    /* metrics and values yet to come */
    uint32_t values;
    uint32_t format;
    uint64_t budget; /* bytes that the arrays of a record may have together: they do not overlap */
    bool wanted;     /* the record has had one that was wanted */
    int64_t time;
    const struct pu_event_metric *metric;
    struct pu_event_metric unknown; /* the one without a descriptor */
};

/*
 * `name` may be the archive's, or that of any of its files. What is wrong with .meta goes to
 * `damage` and the rest is read without it. Release with pu_event_archive_close() in any case.
 * Errors: PU_E_SYSTEM.
 */
int pu_event_archive_open(struct pu_event_archive *archive, const char *name,
                          struct pu_errors *damage, struct pu_err *err) PU_MUST_CHECK;

/* When it begins, by the label, and when its last record was made, as far as that is known. */
int pu_event_archive_range(struct pu_event_archive *archive, int64_t *first, int64_t *last,
                           struct pu_err *err) PU_MUST_CHECK;

/* Sets `from` and `to` by what these times of PCP's tools mean. Errors: those of reading a label,
 * and PU_E_SYNTAX. */
int pu_event_archive_window(struct pu_event_archive *archive, const struct pu_pcp_times *times,
                            struct pu_err *err) PU_MUST_CHECK;

/* The time zone of the host that it is of, as TZ takes it. Errors: as above, PU_E_DAMAGED. */
int pu_event_archive_zone(struct pu_event_archive *archive, char zone[PU_EVENT_ZONE_MAX],
                          struct pu_err *err) PU_MUST_CHECK;

/*
 * The next array of a wanted metric that is of type event or highres_event or, without a
 * descriptor, looks like one: 1, or 0 at the end. -1 for damage, with an error about
 * pu_event_archive_file(): the next call goes on behind it.
 */
int pu_event_archive_next(struct pu_event_archive *archive, struct pu_event_sample *sample,
                          struct pu_err *err) PU_MUST_CHECK;

/* The file that was read last. */
const char *pu_event_archive_file(const struct pu_event_archive *archive);
void pu_event_archive_close(struct pu_event_archive *archive);

/* For event/archive-meta.c and event/archive.c: */

/* Reads a label. Errors: PU_E_DAMAGED. */
int pu_event_archive_label(struct pu_event_archive *archive, struct pu_span record, int64_t *time,
                           struct pu_err *err) PU_MUST_CHECK;

/* A time of the archive's version. One that 64 bits of nanoseconds do not hold is the nearest. */
int64_t pu_event_archive_time(struct pu_cursor *in, int version);

/*
 * After `damage` to a stream: looks for a record behind it, as pu_event_stream_search() does and
 * returns, and fills `err` with the damage and what came of it.
 */
int pu_event_archive_go_on(struct pu_event_stream *stream, const struct pu_err *damage,
                           bool (*believe)(const void *context, struct pu_span record),
                           const void *context, struct pu_err *err) PU_MUST_CHECK;

/*
 * Reads .meta from where it stands to its end; with `instances`, instances of event metrics. After
 * PU_E_DAMAGED the next call goes on behind it.
 */
int pu_event_archive_meta(struct pu_event_archive *archive, bool descriptors, bool instances,
                          struct pu_err *err) PU_MUST_CHECK;

/* Opens .meta, or what it is packed as, in place of what is open. Errors: PU_E_SYSTEM, PU_E_LIMIT,
 * PU_E_DAMAGED. */
int pu_event_archive_open_meta(struct pu_event_archive *archive, struct pu_err *err) PU_MUST_CHECK;

static inline bool pu_event_is_event(const struct pu_event_metric *metric)
{
    return metric->type == PU_EVENT_US || metric->type == PU_EVENT_NS;
}

#endif
