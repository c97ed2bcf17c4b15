/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static struct pu_err err;

static int put(const char *path, const char *text, bool overwrite)
{
    err = (struct pu_err){0};
    return pu_replace(path, pu_span_text(text), 0640, overwrite, &err);
}

static void check_file(const char *path, const char *wanted)
{
    char found[64];
    int fd = open(path, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, found, sizeof(found));

    CHECK(size >= 0);
    if (size >= 0)
        CHECK_EQ_BYTES(found, (size_t)size, wanted, strlen(wanted));
    if (fd >= 0)
        close(fd);
}

/* How many names are in the folder, dot-files among them. */
static unsigned int count(const char *path)
{
    DIR *directory = opendir(path);
    unsigned int found = 0;

    while (directory && readdir(directory))
        found++;
    if (directory)
        closedir(directory);
    return found - 2;
}

static void test_new(void)
{
    struct stat file;

    umask(077);
    CHECK_EQ_I64(put("new", "text", false), 0);
    check_file("new", "text");
    CHECK(stat("new", &file) == 0 && (file.st_mode & 07777) == 0640);
    CHECK_EQ_I64(put("./empty", "", false), 0);
    check_file("empty", "");
    mkdir("folder", 0700);
    CHECK_EQ_I64(put("folder/file", "deep", true), 0);
    check_file("folder/file", "deep");
    CHECK_EQ_U64(count("."), 3);
    CHECK_EQ_U64(count("folder"), 1);
}

static void test_existing(void)
{
    struct stat before;
    struct stat after;

    CHECK_EQ_I64(put("new", "other", false), -1);
    CHECK_EQ_I64(err.code, PU_E_SYSTEM);
    CHECK_EQ_I64(err.status, EEXIST);
    check_file("new", "text");
    CHECK(stat("new", &before) == 0);
    int fd = open("new", O_RDONLY);
    CHECK_EQ_I64(put("new", "other", true), 0);
    check_file("new", "other");
    /* Another file, so that whoever reads the old one goes on with that. */
    CHECK(stat("new", &after) == 0 && before.st_ino != after.st_ino);
    char old[8];
    CHECK_EQ_I64(read(fd, old, sizeof(old)), 4);
    close(fd);
    CHECK_EQ_U64(count("."), 3);
}

static void test_special(void)
{
    CHECK(mkfifo("pipe", 0600) == 0);
    CHECK(symlink("new", "link") == 0);
    CHECK(symlink("nowhere", "dangling") == 0);
    CHECK_EQ_I64(put("pipe", "x", true), -1);
    CHECK_EQ_STR(err.message, "it is not a regular file");
    CHECK_EQ_I64(put("folder", "x", true), -1);
    CHECK_EQ_STR(err.message, "it is not a regular file");
    CHECK_EQ_I64(put("/dev/null", "x", true), -1);
    CHECK_EQ_STR(err.message, "it is not a regular file");
    CHECK_EQ_I64(put("pipe", "x", false), -1);
    CHECK_EQ_I64(err.status, EEXIST);
    CHECK_EQ_I64(put("dangling", "x", false), -1);
    CHECK_EQ_I64(err.status, EEXIST);
    CHECK_EQ_I64(put("link", "x", true), 0);
    check_file("link", "x");
    check_file("new", "other");
    CHECK_EQ_I64(put("dangling", "y", true), 0);
    check_file("dangling", "y");
    CHECK(access("nowhere", F_OK) < 0);
    CHECK_EQ_U64(count("."), 6);
}

static void test_failures(void)
{
    char name[300];

    CHECK_EQ_I64(put("none/file", "x", true), -1);
    CHECK_EQ_I64(err.status, ENOENT);
    CHECK_EQ_STR(err.message, "cannot write beside it: No such file or directory");
    CHECK_EQ_I64(put("", "x", false), -1);
    CHECK_EQ_I64(err.status, ENOENT);
    CHECK_EQ_I64(put("new/file", "x", true), -1);
    CHECK_EQ_I64(err.status, ENOTDIR);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK_EQ_I64(put(name, "x", true), -1);
    CHECK_EQ_I64(err.status, ENAMETOOLONG);
    CHECK_EQ_U64(count("."), 6);
}

static void test_like(void)
{
    struct stat old, now;

    CHECK_EQ_I64(put("new", "x", true), 0);
    CHECK_EQ_I64(chmod("new", 0640), 0);
    bool root = geteuid() == 0 && chown("new", 1, 2) == 0;
    CHECK_EQ_I64(stat("new", &old), 0);
    CHECK_EQ_I64(pu_replace_like("new", pu_span_text("other"), &old, &err), 0);
    CHECK_EQ_I64(stat("new", &now), 0);
    CHECK(now.st_ino != old.st_ino && now.st_mode == old.st_mode);
    CHECK(now.st_uid == old.st_uid && now.st_gid == old.st_gid && (!root || now.st_uid == 1));
    check_file("new", "other");
    if (root)
        return;
    old.st_uid = 0; /* to give it away is not for everybody */
    CHECK_EQ_I64(pu_replace_like("new", pu_span_text("again"), &old, &err), -1);
    CHECK_EQ_I64(err.status, EPERM);
    check_file("new", "other");
}

static void test_mapped(void)
{
    long page = sysconf(_SC_PAGESIZE);

    CHECK_EQ_I64(pu_mapped_by("none"), 0);
    CHECK_EQ_I64(pu_mapped_by("new"), 0);
    int fd = open("new", O_RDWR);
    void *map = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED);
    CHECK_EQ_I64(pu_mapped_by("new"), 0); /* a reader */
    munmap(map, (size_t)page);
    map = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    CHECK_EQ_I64(pu_mapped_by("new"), 0); /* the file does not change */
    munmap(map, (size_t)page);
    map = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    CHECK(map != MAP_FAILED);
    CHECK_EQ_I64(pu_mapped_by("new"), getpid());
    /* The name is another file's now. */
    CHECK_EQ_I64(put("new", "again", true), 0);
    CHECK_EQ_I64(pu_mapped_by("new"), 0);
    munmap(map, (size_t)page);
}

int main(void)
{
    char folder[] = "/tmp/test-replace.XXXXXX";
    static const char *const names[] = {"new",  "empty", "folder/file", "folder",
                                        "pipe", "link",  "dangling",    NULL};

    if (!mkdtemp(folder) || chdir(folder) < 0) {
        printf("Bail out! no folder\n");
        return 1;
    }
    test_new();
    test_existing();
    test_special();
    test_failures();
    test_like();
    test_mapped();
    for (int i = 0; names[i]; i++)
        (void)remove(names[i]);
    CHECK_EQ_U64(count("."), 0);
    CHECK_EQ_I64(rmdir(folder), 0);
    return tap_done();
}
