/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

/* What a handler needs on a machine with many large registers, and a sanitizer's frames. */
#define STACK_SIZE 65536

/*
 * A handler is given nothing of ours, but it runs on a stack that we choose, and the system tells
 * it where that is: this stands at the foot of it. So there is no variable for all to share.
 */
struct pu_mapping_guard {
    uintptr_t start, size, page;
    volatile sig_atomic_t lost;
    struct sigaction action_before;
    stack_t stack_before;
    unsigned char stack[STACK_SIZE];
};

/* Puts memory of ours where the file has an end now, so that the access which failed succeeds. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    struct pu_mapping_guard *guard = ((ucontext_t *)context)->uc_stack.ss_sp;
    uintptr_t at = (uintptr_t)info->si_addr; /* not of our memory, nor an address, if it was sent */
    uintptr_t page = at - at % guard->page;

    if (info->si_code > 0 && at - guard->start < guard->size &&
        mmap((void *)page, guard->page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
        guard->lost = 1;
        return;
    }
    /* It is about something else. */
    sigaction(number, &guard->action_before, NULL);
    raise(number);
}

static int start_guard(struct pu_mapping *mapping, struct pu_err *err)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct pu_mapping_guard *guard = calloc(1, sizeof(*guard));

    if (!guard)
        return pu_err_system(err, ENOMEM, "cannot map");
    stack_t stack = {.ss_sp = guard, .ss_size = sizeof(*guard)};
    guard->start = (uintptr_t)mapping->data;
    guard->size = mapping->size;
    guard->page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&stack, &guard->stack_before) < 0 ||
        sigaction(SIGBUS, &action, &guard->action_before) < 0) {
        int errnum = errno;
        free(guard);
        return pu_err_system(err, errnum, "cannot map");
    }
    mapping->guard = guard;
    return 0;
}

static int map(int fd, uint64_t max, struct pu_mapping *mapping, struct pu_err *err)
{
    struct stat file;

    if (fstat(fd, &file) < 0)
        return pu_err_system(err, errno, "cannot map");
    if (!S_ISREG(file.st_mode))
        return pu_err_set(err, PU_E_REFUSED, "it is not a regular file");
    if ((uint64_t)file.st_size > max)
        return pu_err_set(err, PU_E_LIMIT, "larger than %llu bytes", (unsigned long long)max);
    mapping->device = file.st_dev;
    mapping->inode = file.st_ino;
    if (file.st_size == 0)
        return 0;
    void *data = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        return pu_err_system(err, errno, "cannot map");
    mapping->data = data;
    mapping->size = (size_t)file.st_size;
    return start_guard(mapping, err);
}

int pu_mapping_open(const char *path, uint64_t max, struct pu_mapping *mapping, struct pu_err *err)
{
    struct stat file;

    memset(mapping, 0, sizeof(*mapping));
    /* Opening a device, or a pipe, can do something. */
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode))
        return pu_err_set(err, PU_E_REFUSED, "it is not a regular file");
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return pu_err_system(err, errno, "cannot open");
    int result = map(fd, max, mapping, err);
    close(fd);
    if (result < 0)
        pu_mapping_close(mapping);
    return result;
}

void pu_mapping_close(struct pu_mapping *mapping)
{
    struct pu_mapping_guard *guard = mapping->guard;

    if (mapping->data)
        munmap(mapping->data, mapping->size);
    if (guard) {
        sigaction(SIGBUS, &guard->action_before, NULL);
        sigaltstack(&guard->stack_before, NULL);
        free(guard);
    }
    memset(mapping, 0, sizeof(*mapping));
}

bool pu_mapping_is_lost(const struct pu_mapping *mapping)
{
    return mapping->guard && mapping->guard->lost;
}

uint64_t *pu_mapping_word(unsigned char *data, uint64_t offset)
{
    return offset % sizeof(uint64_t) == 0 ? (uint64_t *)(void *)(data + offset) : NULL;
}
