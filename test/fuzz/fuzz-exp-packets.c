/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as packets: each lies inside of the file and behind the one before it. The first byte
 * chooses byte order and blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "experiment/packets.h"
#include "fuzz.h"

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-exp-packets: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t blocks[] = {65536, 16384, 0, 65536};
    struct pu_exp_report report = {0};
    struct pu_packets packets;
    struct pu_packet packet;
    struct pu_err err;
    uint64_t end = 0;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (size == 0 || fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) {
        close(fd);
        return 0;
    }
    if (pu_packets_open(&packets, fd, data[0] & 1 ? PU_BIG : PU_LITTLE, blocks[data[0] >> 1 & 3],
                        &report, &err) < 0)
        broken(err.message);
    (void)pu_packets_is_swapped(&packets);
    while (pu_packets_next(&packets, &packet)) {
        if (packet.at < end || packet.bytes.size < 4 || packet.at + packet.bytes.size > size - 1)
            broken("a packet out of place");
        end = packet.at + packet.bytes.size;
    }
    if (packets.used + packets.closed > size)
        broken("more bytes than there are");
    pu_packets_free(&packets);
    close(fd);
    return 0;
}
