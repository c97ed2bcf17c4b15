/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as call stacks: every one can be gone through to its end. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "experiment/frames.h"
#include "fuzz.h"

static void broken(const char *what)
{
    fprintf(stderr, "fuzz-exp-frames: %s\n", what);
    abort();
}

struct walk {
    uint64_t words;
    uint64_t lists;
};

static bool step(void *data, const struct pu_frame_list *list, const uint64_t *words, bool goes_on)
{
    struct walk *walk = data;

    (void)goes_on;
    for (uint32_t i = 0; i < list->count; i++)
        walk->words += words[i] != 0;
    return ++walk->lists < 1000;
}

static void walk_all(struct pu_frames *frames)
{
    struct walk walk = {0};

    for (size_t i = 0; i < frames->packet_count && i < 100; i++) {
        const struct pu_frame_packet *packet = &frames->packets[i];
        walk.lists = 0;
        pu_frames_walk(frames, packet, step, &walk);
        if (!pu_frames_find(frames, packet->id))
            broken("a stack that cannot be found");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pu_exp_report report = {0};
    struct pu_packets packets;
    struct pu_frames frames = {0};
    struct pu_err err;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (size == 0 || fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) {
        close(fd);
        return 0;
    }
    if (pu_packets_open(&packets, fd, data[0] & 1 ? PU_BIG : PU_LITTLE, data[0] & 2 ? 0 : 65536,
                        &report, &err) < 0 ||
        pu_frames_read(&packets, !(data[0] & 4), &frames, &err) < 0)
        broken(err.message);
    walk_all(&frames);
    pu_frames_free(&frames);
    pu_packets_free(&packets);
    close(fd);
    return 0;
}
