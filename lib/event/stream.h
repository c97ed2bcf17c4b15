/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of an archive, read record by record from its beginning: length, body, the same length
 * again; all big-endian, lengths count everything (LOGARCHIVE(5)). Packed files are unpacked on the
 * way. Memory: twice the largest record that there was.
 */
#ifndef PU_EVENT_STREAM_H
#define PU_EVENT_STREAM_H

#include "base/err.h"
#include "base/span.h"
#include "event/unzip.h"

/* Records beyond this are taken for damage. */
#define PU_EVENT_RECORD_MAX (UINT32_C(256) << 20)

/* Start from `{.fd = -1}`; release with pu_event_stream_close(). */
struct pu_event_stream {
    char *path; /* owned */
    int fd;
    struct pu_event_unzip *unzip; /* owned; NULL: plain */
    bool unzipped;                /* to the end */
    bool cut;                     /* the last failure was a record that is not all there */
    unsigned char *packed;        /* owned */
    struct pu_span input;         /* of `packed`, not yet unpacked */
    unsigned char *data;          /* owned */
    size_t size;                  /* bytes in it */
    size_t at;                    /* of these, handed out */
    size_t capacity;
    uint64_t offset; /* in the file, unpacked, of the next record */
};

/* Errors: PU_E_SYSTEM, PU_E_LIMIT. */
int pu_event_stream_open(struct pu_event_stream *stream, const char *path,
                         struct pu_err *err) PU_MUST_CHECK;

/*
 * The next record, both lengths included, until the next call: 1, or 0 at the end of the file. A
 * plain file that grows can be asked again, also after a record that was cut. Errors: PU_E_DAMAGED
 * with the offset, after which only a cut record can come whole, PU_E_SYSTEM, PU_E_LIMIT.
 */
int pu_event_stream_next(struct pu_event_stream *stream, struct pu_span *record,
                         struct pu_err *err) PU_MUST_CHECK;
/*
 * After damage: goes to the next place where a record stands whose two lengths agree, behind which
 * the file ends or another one follows, and which believe() takes for one: 1, or 0 at the end of
 * the file. Larger records than PU_EVENT_SEARCH_MAX are passed over. Errors: as above, for good.
 */
#define PU_EVENT_SEARCH_MAX (UINT32_C(4) << 20)
int pu_event_stream_search(struct pu_event_stream *stream,
                           bool (*believe)(const void *context, struct pu_span record),
                           const void *context, struct pu_err *err) PU_MUST_CHECK;
void pu_event_stream_close(struct pu_event_stream *stream);

#endif
