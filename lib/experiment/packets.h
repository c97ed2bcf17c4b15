/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of packets, read from the start to the end through one window: a file of any size takes the
 * same memory, and holes in it no time. The rest of a damaged block is passed over.
 */
#ifndef PU_EXPERIMENT_PACKETS_H
#define PU_EXPERIMENT_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/span.h"
#include "experiment/log.h"
#include "experiment/rules.h"

#define PU_PACKET_EMPTY  0
#define PU_PACKET_CLOSED 65535
#define PU_PACKET_FRAME  11
#define PU_PACKET_UID    17
#define PU_PACKET_FRAME2 18
#define PU_PACKET_TYPES  32 /* types are less than this, without the flags */

struct pu_packet {
    struct pu_span bytes; /* all of it, the head included; borrowed, until the next one */
    uint64_t at;          /* in the file */
    unsigned int type;    /* without the flags of old data */
};

struct pu_packets {
    int fd; /* borrowed */
    enum pu_order order;
    uint64_t block_size;          /* 0: no blocks, packets back to back */
    uint64_t size;                /* of the file when it was opened */
    struct pu_exp_report *report; /* borrowed */
    uint64_t at;                  /* the next packet */
    unsigned char *window;        /* owned */
    uint64_t window_at;
    size_t window_size;
    size_t window_room;
    uint64_t used;    /* bytes in packets so far */
    uint64_t closed;  /* bytes lost in tails of blocks */
    uint64_t skipped; /* bytes in damaged blocks */
    uint64_t damages;
    int error; /* errno of a read that failed */
};

/* Errors: PU_E_SYSTEM. Release with pu_packets_free() in any case. */
int pu_packets_open(struct pu_packets *packets, int fd, enum pu_order order, uint64_t block_size,
                    struct pu_exp_report *report, struct pu_err *err) PU_MUST_CHECK;
void pu_packets_free(struct pu_packets *packets);

/* The next packet that is not empty. False at the end; `error` tells when it is a failure's. */
bool pu_packets_next(struct pu_packets *packets, struct pu_packet *packet);

/*
 * Is the first packet's size more likely one of the other byte order? Only with enough to tell;
 * leaves the packets where they are.
 */
bool pu_packets_is_swapped(struct pu_packets *packets);

#endif
