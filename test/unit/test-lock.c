/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/replace.h"
#include "tap.h"

static struct pu_err err;

static void put(const char *path, const char *text)
{
    CHECK_EQ_I64(pu_replace(path, pu_span_text(text), 0644, true, &err), 0);
}

static char first_byte(const struct pu_lock *lock)
{
    char byte = 0;

    CHECK_EQ_I64(pread(lock->fd, &byte, 1, 0), 1);
    return byte;
}

static void test_take(void)
{
    struct pu_lock lock = {.fd = -1};

    put("file", "one");
    CHECK_EQ_I64(pu_lock_take("file", &lock, &err), 0);
    CHECK_EQ_I64(lock.was.st_size, 3);
    CHECK_EQ_I64(first_byte(&lock), 'o');
    pu_lock_release(&lock);
    CHECK_EQ_I64(lock.fd, -1);
    pu_lock_release(&lock);
}

/* Who waits while the file is replaced gets the new one. */
static void test_replaced(void)
{
    struct pu_lock lock = {.fd = -1};
    int ready[2];
    char byte;

    put("file", "old");
    CHECK_EQ_I64(pu_lock_take("file", &lock, &err), 0);
    CHECK_EQ_I64(pipe(ready), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct pu_lock own = {.fd = -1};
        pu_lock_release(&lock); /* the parent's stays */
        (void)!write(ready[1], "x", 1);
        int result = pu_lock_take("file", &own, &err);
        char found = 0;
        (void)!pread(own.fd, &found, 1, 0);
        _exit(result == 0 && found == 'n' && own.was.st_size == 5 ? 0 : 1);
    }
    CHECK_EQ_I64(read(ready[0], &byte, 1), 1);
    put("file", "newer");
    pu_lock_release(&lock);
    int status = -1;
    CHECK_EQ_I64(waitpid(child, &status, 0), child);
    CHECK_EQ_I64(status, 0);
    close(ready[0]);
    close(ready[1]);
}

static void test_failures(void)
{
    struct pu_lock lock = {.fd = -1};

    CHECK_EQ_I64(pu_lock_take("none", &lock, &err), -1);
    CHECK_EQ_STR(err.message, "cannot open for writing: No such file or directory");
    CHECK_EQ_I64(pu_lock_take(".", &lock, &err), -1);
    CHECK_EQ_I64(err.status, EISDIR);
    CHECK_EQ_I64(mkfifo("pipe", 0600), 0);
    CHECK_EQ_I64(pu_lock_take("pipe", &lock, &err), -1);
    CHECK_EQ_STR(err.message, "it is not a regular file");
    pu_lock_release(&lock);
}

int main(void)
{
    char folder[] = "/tmp/test-lock.XXXXXX";

    alarm(60);
    if (!mkdtemp(folder) || chdir(folder) < 0) {
        printf("Bail out! no folder\n");
        return 1;
    }
    test_take();
    test_replaced();
    test_failures();
    unlink("file");
    unlink("pipe");
    CHECK_EQ_I64(rmdir(folder), 0);
    return tap_done();
}
