/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static struct pu_mapping mapping;
static struct pu_err err;
static size_t page;

static void make(const char *path, size_t size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
        exit(1);
    close(fd);
}

static void test_shared(void)
{
    char byte = 0;
    struct stat file;

    make("file", 3 * page);
    CHECK_EQ_I64(pu_mapping_open("file", 3 * page, &mapping, &err), 0);
    CHECK(stat("file", &file) == 0 && file.st_ino == mapping.inode &&
          file.st_dev == mapping.device);
    CHECK_EQ_U64(mapping.size, 3 * page);
    mapping.data[3 * page - 1] = 'x';
    int fd = open("file", O_RDONLY);
    CHECK_EQ_I64(pread(fd, &byte, 1, (off_t)(3 * page - 1)), 1);
    CHECK_EQ_I64(byte, 'x');
    close(fd);
    CHECK(!pu_mapping_is_lost(&mapping));
    pu_mapping_close(&mapping);
    CHECK(mapping.data == NULL && mapping.guard == NULL);
    pu_mapping_close(&mapping);
}

static void test_empty(void)
{
    make("file", 0);
    CHECK_EQ_I64(pu_mapping_open("file", 10, &mapping, &err), 0);
    CHECK(mapping.data == NULL && mapping.size == 0 && !pu_mapping_is_lost(&mapping));
    pu_mapping_close(&mapping);
}

static void fails(const char *path, enum pu_code code, int status, const char *message)
{
    err = (struct pu_err){0};
    CHECK_EQ_I64(pu_mapping_open(path, 10, &mapping, &err), -1);
    CHECK_EQ_I64(err.code, code);
    CHECK_EQ_I64(err.status, status);
    CHECK_EQ_STR(err.message, message);
    CHECK(mapping.data == NULL);
}

static void test_errors(void)
{
    make("file", 11);
    fails("file", PU_E_LIMIT, 0, "larger than 10 bytes");
    fails("none", PU_E_SYSTEM, ENOENT, "cannot open: No such file or directory");
    fails(".", PU_E_SYSTEM, EISDIR, "cannot open: Is a directory");
    fails("/dev/zero", PU_E_REFUSED, 0, "it is not a regular file");
    CHECK(mkfifo("pipe", 0600) == 0);
    fails("pipe", PU_E_REFUSED, 0, "it is not a regular file");
}

/* What is written behind the end goes nowhere, what is before it goes to the file. */
static void test_cut(void)
{
    char byte = 0;

    make("file", 3 * page);
    CHECK_EQ_I64(pu_mapping_open("file", 3 * page, &mapping, &err), 0);
    mapping.data[2 * page] = 'a';
    CHECK_EQ_I64(truncate("file", (off_t)page), 0);
    mapping.data[0] = 'b';
    CHECK(!pu_mapping_is_lost(&mapping));
    mapping.data[2 * page + 5] = 'c';
    CHECK(pu_mapping_is_lost(&mapping));
    CHECK_EQ_U64(mapping.data[2 * page], 0);
    CHECK_EQ_U64(mapping.data[2 * page + 5], 'c');
    CHECK_EQ_U64(mapping.data[page], 0); /* the next page, once more */
    int fd = open("file", O_RDONLY);
    CHECK_EQ_I64(pread(fd, &byte, 1, 0), 1);
    CHECK_EQ_I64(byte, 'b');
    CHECK_EQ_I64(lseek(fd, 0, SEEK_END), (off_t)page);
    close(fd);
    pu_mapping_close(&mapping);
}

/* In a process of its own: the signal that ends it, or 0. */
static int ends_with(void (*what)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        fclose(stderr);
        what();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void touch_another(void)
{
    int fd = open("other", O_RDWR);
    unsigned char *other = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    signal(SIGBUS, SIG_DFL);
    if (pu_mapping_open("file", 3 * page, &mapping, &err) == 0 && ftruncate(fd, 0) == 0)
        other[0] = 1;
}

static void be_killed(void)
{
    signal(SIGBUS, SIG_DFL);
    if (pu_mapping_open("file", 3 * page, &mapping, &err) == 0)
        raise(SIGBUS);
}

static volatile sig_atomic_t seen;

static void see(int number)
{
    (void)number;
    seen++;
}

/* The signal is about us only where it is; afterwards everything is as it was before. */
static void test_others(void)
{
    stack_t before, after;
    struct sigaction action;

    make("file", page);
    make("other", page);
    CHECK_EQ_I64(ends_with(touch_another), SIGBUS);
    CHECK_EQ_I64(ends_with(be_killed), SIGBUS);
    sigaltstack(NULL, &before);
    signal(SIGBUS, see);
    CHECK_EQ_I64(pu_mapping_open("file", page, &mapping, &err), 0);
    raise(SIGBUS);
    CHECK_EQ_I64(seen, 1);
    pu_mapping_close(&mapping);
    sigaction(SIGBUS, NULL, &action);
    CHECK(action.sa_handler == see);
    sigaltstack(NULL, &after);
    CHECK(before.ss_flags == after.ss_flags);
    CHECK(before.ss_flags == SS_DISABLE || before.ss_sp == after.ss_sp);
    signal(SIGBUS, SIG_DFL);
}

static void test_word(void)
{
    static uint64_t words[2];
    unsigned char *data = (unsigned char *)words;

    CHECK(pu_mapping_word(data, 8) == &words[1]);
    CHECK(pu_mapping_word(data, 0) == words);
    for (uint64_t offset = 1; offset < 8; offset++)
        CHECK(pu_mapping_word(data, offset) == NULL);
}

int main(void)
{
    char folder[] = "/tmp/test-mapping.XXXXXX";

    page = (size_t)sysconf(_SC_PAGESIZE);
    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    test_shared();
    test_empty();
    test_errors();
    test_cut();
    test_others();
    test_word();
    unlink("file");
    unlink("other");
    unlink("pipe");
    if (chdir("/") == 0)
        rmdir(folder);
    return tap_done();
}
