/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "experiment/packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_SIZE  (1u << 20)
#define PACKET_MAX   65535u
#define SMALL_BLOCK  16384u /* that of 12.3; those of 12.4 are a multiple */
#define HEAD_SIZE    4u
#define FLAGS        0xc0u /* Java, OpenMP: in old data */
#define PACKET_ALIGN 4u

int pu_packets_open(struct pu_packets *packets, int fd, enum pu_order order, uint64_t block_size,
                    struct pu_exp_report *report, struct pu_err *err)
{
    struct stat status;

    *packets =
        (struct pu_packets){.fd = fd, .order = order, .block_size = block_size, .report = report};
    if (fstat(fd, &status) < 0)
        return pu_err_system(err, errno, "cannot read");
    packets->size = (uint64_t)status.st_size;
    packets->window_room = packets->size < WINDOW_SIZE ? (size_t)packets->size : WINDOW_SIZE;
    packets->window = malloc(packets->window_room ? packets->window_room : 1);
    if (!packets->window)
        return pu_err_system(err, ENOMEM, "cannot read");
    return 0;
}

void pu_packets_free(struct pu_packets *packets)
{
    free(packets->window);
    packets->window = NULL;
}

static ssize_t read_at(int fd, unsigned char *to, size_t size, uint64_t at)
{
    ssize_t got;

    do {
        got = pread(fd, to, size, (off_t)at);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Makes the window begin at `at`. */
static void fill(struct pu_packets *packets, uint64_t at)
{
    uint64_t left = packets->size - at;
    size_t want = left < packets->window_room ? (size_t)left : packets->window_room;

    packets->window_at = at;
    packets->window_size = 0;
    while (packets->window_size < want) {
        ssize_t got = read_at(packets->fd, packets->window + packets->window_size,
                              want - packets->window_size, at + packets->window_size);
        if (got < 0)
            packets->error = errno;
        if (got <= 0) {
            /* Shorter than it was, or not to be read: what there is has to do. */
            packets->size = at + packets->window_size;
            return;
        }
        packets->window_size += (size_t)got;
    }
}

/* At most `size` bytes at `at`, less at the end of the file. */
static struct pu_span view(struct pu_packets *packets, uint64_t at, size_t size)
{
    if (at >= packets->size)
        return (struct pu_span){packets->window, 0};
    if (size > packets->size - at)
        size = (size_t)(packets->size - at);
    bool inside = at >= packets->window_at && at - packets->window_at <= packets->window_size &&
                  packets->window_size - (at - packets->window_at) >= size;
    if (!inside)
        fill(packets, at);
    return pu_span_clip((struct pu_span){packets->window, packets->window_size},
                        at - packets->window_at, size);
}

static unsigned int u16_at(struct pu_span span, size_t at, enum pu_order order)
{
    unsigned int low = span.data[at + (order == PU_BIG)];
    unsigned int high = span.data[at + (order == PU_LITTLE)];

    return low | high << 8;
}

static uint64_t round_up(uint64_t at, uint64_t unit)
{
    return (at / unit + 1) * unit;
}

/* Holes of a sparse file read as zeros: jump over them. */
static uint64_t after_hole(const struct pu_packets *packets, uint64_t at)
{
    off_t data = lseek(packets->fd, (off_t)at, SEEK_DATA);

    if (data < 0)
        return errno == ENXIO ? packets->size : at;
    uint64_t start = (uint64_t)data / SMALL_BLOCK * SMALL_BLOCK;
    return start > at ? start : at;
}

static bool is_zero(struct pu_span span)
{
    return span.size == 0 ||
           (span.data[0] == 0 && memcmp(span.data, span.data + 1, span.size - 1) == 0);
}

/* A size of 0: nothing was written from here to the end of the small block. */
static void pass_unwritten(struct pu_packets *packets)
{
    uint64_t next = round_up(packets->at, SMALL_BLOCK);

    if (!is_zero(view(packets, packets->at, (size_t)(next - packets->at)))) {
        packets->damages++;
        packets->skipped += next - packets->at;
        pu_exp_report_at(packets->report, R_PACKET_LOST, packets->at,
                         "a packet of size 0 with data behind it");
    }
    packets->at = after_hole(packets, next);
}

static void pass_damage(struct pu_packets *packets)
{
    uint64_t next =
        packets->block_size ? round_up(packets->at, packets->block_size) : packets->size;

    if (next > packets->size)
        next = packets->size;
    packets->damages++;
    packets->skipped += next - packets->at;
    packets->at = next;
}

/* NULL when a packet of this size can stand here. */
static const char *judge_size(const struct pu_packets *packets, uint64_t size)
{
    uint64_t at = packets->at;

    if (size < HEAD_SIZE)
        return "too small";
    if (size % PACKET_ALIGN != 0)
        return "not a multiple of 4";
    if (packets->block_size && size > packets->block_size - at % packets->block_size)
        return "over the end of its block";
    return size > packets->size - at ? "over the end of the file" : NULL;
}

/* What is not used reaches to the end of the block; anything else was a packet once. */
static void judge_filler(struct pu_packets *packets, unsigned int size)
{
    if (!packets->block_size || packets->at % packets->block_size == 0)
        return;
    packets->damages++;
    packets->skipped += size;
    pu_exp_report_at(packets->report, R_PACKET_LOST, packets->at - size,
                     "an empty packet of %u bytes that does not reach the end of its block", size);
}

/* Reads the packet that stands here and steps behind it. False: it is none to be shown. */
static bool take(struct pu_packets *packets, struct pu_span head, struct pu_packet *packet)
{
    unsigned int size = u16_at(head, 0, packets->order);
    unsigned int type = u16_at(head, 2, packets->order);
    const char *wrong;

    if (size == 0) {
        pass_unwritten(packets);
        return false;
    }
    wrong = judge_size(packets, size);
    if (wrong) {
        pu_exp_report_at(packets->report, R_PACKET_BROKEN, packets->at, "packet of size %u: %s",
                         size, wrong);
        pass_damage(packets);
        return false;
    }
    *packet = (struct pu_packet){view(packets, packets->at, size), packets->at, type};
    packets->at += size;
    if (type == PU_PACKET_EMPTY || type == PU_PACKET_CLOSED) {
        packets->closed += type == PU_PACKET_CLOSED ? size : 0;
        judge_filler(packets, size);
        return false;
    }
    packet->type = (type & ~FLAGS) < PU_PACKET_TYPES ? type & ~FLAGS : type;
    packets->used += size;
    return true;
}

bool pu_packets_next(struct pu_packets *packets, struct pu_packet *packet)
{
    while (packets->at < packets->size) {
        struct pu_span head = view(packets, packets->at, HEAD_SIZE);
        if (head.size < HEAD_SIZE) {
            if (packets->at >= packets->size)
                break;
            pu_exp_report_at(packets->report, R_PACKET_BROKEN, packets->at,
                             "the file ends inside of a packet");
            pass_damage(packets);
            break;
        }
        if (take(packets, head, packet))
            return true;
    }
    return false;
}

bool pu_packets_is_swapped(struct pu_packets *packets)
{
    struct pu_span head = view(packets, 0, HEAD_SIZE);
    enum pu_order other = packets->order == PU_BIG ? PU_LITTLE : PU_BIG;

    if (head.size < HEAD_SIZE)
        return false;
    unsigned int type = u16_at(head, 2, packets->order);
    unsigned int other_type = u16_at(head, 2, other);
    unsigned int other_size = u16_at(head, 0, other);
    return type >= PU_PACKET_TYPES && type != PU_PACKET_CLOSED && other_type > 0 &&
           other_type < PU_PACKET_TYPES && other_size >= HEAD_SIZE &&
           other_size % PACKET_ALIGN == 0;
}
