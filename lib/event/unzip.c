/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event/unzip.h"

#include <errno.h>
#include <stdlib.h>

#include "pcputils-config.h"

#ifdef PU_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef PU_HAVE_ZSTD
#include <zstd.h>
#endif

const char *const pu_event_unzip_suffixes[] = {".xz", ".zst", NULL};

enum form { PLAIN, XZ, ZSTD };

struct pu_event_unzip {
    enum form form;
#ifdef PU_HAVE_LZMA
    lzma_stream xz;
#endif
#ifdef PU_HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
    bool between; /* zstd: at the end of one frame, and another may follow */
};

static bool begins(struct pu_span bytes, const char *magic, size_t size)
{
    return pu_span_has(bytes, 0, size) && memcmp(bytes.data, magic, size) == 0;
}

static enum form form_of(struct pu_span first)
{
    if (begins(first,
               "\xfd"
               "7zXZ\0",
               6))
        return XZ;
    return begins(first, "\x28\xb5\x2f\xfd", 4) ? ZSTD : PLAIN;
}

#ifdef PU_HAVE_LZMA

static int begin_xz(struct pu_event_unzip *unzip, struct pu_err *err)
{
    unzip->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&unzip->xz, PU_EVENT_UNZIP_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
        return pu_err_system(err, ENOMEM, "cannot unpack");
    return 0;
}

static int run_xz(struct pu_event_unzip *unzip, struct pu_span *in, unsigned char **out,
                  size_t *out_size, bool last, struct pu_err *err)
{
    lzma_stream *xz = &unzip->xz;

    xz->next_in = in->data;
    xz->avail_in = in->size;
    xz->next_out = *out;
    xz->avail_out = *out_size;
    lzma_ret result = lzma_code(xz, last ? LZMA_FINISH : LZMA_RUN);
    *in = (struct pu_span){xz->next_in, xz->avail_in};
    *out = xz->next_out;
    *out_size = xz->avail_out;
    if (result == LZMA_OK)
        return 0;
    if (result == LZMA_STREAM_END)
        return 1;
    if (result == LZMA_MEM_ERROR)
        return pu_err_system(err, ENOMEM, "cannot unpack");
    if (result == LZMA_MEMLIMIT_ERROR)
        return pu_err_set(err, PU_E_LIMIT, "unpacking needs more memory than is allowed");
    return pu_err_set(err, PU_E_DAMAGED, "cannot be unpacked: %s",
                      result == LZMA_BUF_ERROR ? "cut short" : "damaged xz data");
}

#else

static int begin_xz(struct pu_event_unzip *unzip, struct pu_err *err)
{
    (void)unzip;
    return pu_err_set(err, PU_E_LIMIT, "packed by xz: built without liblzma, unpack it first");
}

#endif
#ifdef PU_HAVE_ZSTD

static int begin_zstd(struct pu_event_unzip *unzip, struct pu_err *err)
{
    unzip->zstd = ZSTD_createDStream();
    if (!unzip->zstd || ZSTD_isError(ZSTD_initDStream(unzip->zstd)))
        return pu_err_system(err, ENOMEM, "cannot unpack");
    unzip->between = true;
    return 0;
}

static int run_zstd(struct pu_event_unzip *unzip, struct pu_span *in, unsigned char **out,
                    size_t *out_size, bool last, struct pu_err *err)
{
    ZSTD_inBuffer from = {in->data, in->size, 0};
    ZSTD_outBuffer to = {*out, *out_size, 0};
    bool fed = in->size > 0;

    if (last && !fed && unzip->between)
        return 1;
    size_t result = ZSTD_decompressStream(unzip->zstd, &to, &from);
    if (ZSTD_isError(result))
        return pu_err_set(err, PU_E_DAMAGED, "cannot be unpacked: %s", ZSTD_getErrorName(result));
    *in = (struct pu_span){in->data + from.pos, in->size - from.pos};
    *out += to.pos;
    *out_size -= to.pos;
    unzip->between = result == 0 || (unzip->between && from.pos == 0 && to.pos == 0);
    if (last && !fed && to.pos == 0)
        return pu_err_set(err, PU_E_DAMAGED, "cannot be unpacked: cut short");
    return 0;
}

#else

static int begin_zstd(struct pu_event_unzip *unzip, struct pu_err *err)
{
    (void)unzip;
    return pu_err_set(err, PU_E_LIMIT, "packed by zstd: built without libzstd, unpack it first");
}

#endif

int pu_event_unzip_new(struct pu_event_unzip **unzip, struct pu_span first, struct pu_err *err)
{
    enum form form = form_of(first);

    *unzip = NULL;
    if (form == PLAIN)
        return 0;
    *unzip = calloc(1, sizeof(**unzip));
    if (!*unzip)
        return pu_err_system(err, ENOMEM, "cannot unpack");
    (*unzip)->form = form;
    return form == XZ ? begin_xz(*unzip, err) : begin_zstd(*unzip, err);
}

int pu_event_unzip_run(struct pu_event_unzip *unzip, struct pu_span *in, unsigned char **out,
                       size_t *out_size, bool last, struct pu_err *err)
{
#ifdef PU_HAVE_LZMA
    if (unzip->form == XZ)
        return run_xz(unzip, in, out, out_size, last, err);
#endif
#ifdef PU_HAVE_ZSTD
    if (unzip->form == ZSTD)
        return run_zstd(unzip, in, out, out_size, last, err);
#endif
    (void)unzip;
    (void)in;
    (void)out;
    (void)out_size;
    (void)last;
    return pu_err_set(err, PU_E_LIMIT, "cannot unpack");
}

void pu_event_unzip_free(struct pu_event_unzip *unzip)
{
#ifdef PU_HAVE_LZMA
    if (unzip && unzip->form == XZ)
        lzma_end(&unzip->xz);
#endif
#ifdef PU_HAVE_ZSTD
    if (unzip && unzip->form == ZSTD)
        ZSTD_freeDStream(unzip->zstd);
#endif
    free(unzip);
}
