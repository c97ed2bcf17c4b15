/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program to record experiments of.
 * usage: exp-work spin MILLISECONDS | trace | tree PROGRAM | pause | wait FILE | heap N | forks N
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void __attribute__((noinline)) spin(int milliseconds)
{
    double end = cpu_seconds() + milliseconds / 1e3;

    while (cpu_seconds() < end)
        for (int i = 0; i < 1000; i++)
            sink += i;
}

static void *lock_and_spin(void *data)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        spin(5);
        pthread_mutex_unlock(&mutex);
    }
    return data;
}

static void heap(void)
{
    char *blocks[10];
    char *grown = NULL;

    for (int i = 0; i < 10; i++) {
        blocks[i] = malloc((size_t)(100 + i));
        if (blocks[i])
            *(volatile char *)blocks[i] = 1; /* or a compiler does without it */
    }
    for (int i = 0; i < 5; i++) {
        void *more = realloc(grown, (size_t)(1000 * (i + 1)));
        if (more)
            grown = more;
    }
    for (int i = 0; i < 8; i++)
        free(blocks[i]);
    sink += (double)(size_t)blocks[8] + (double)(size_t)blocks[9];
    free(grown);
}

static void files(void)
{
    char buffer[64];
    int fd = open("exp-work.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);

    for (int i = 0; i < 4; i++)
        sink += (double)write(fd, "twelve bytes", 12);
    lseek(fd, 0, SEEK_SET);
    for (int i = 0; i < 3; i++)
        sink += (double)read(fd, buffer, 16);
    close(fd);
    unlink("exp-work.tmp");
}

static void trace(void)
{
    pthread_t threads[2];

    heap();
    files();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, lock_and_spin, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void await(pid_t pid)
{
    int status;

    waitpid(pid, &status, 0);
}

/* Forks, a fork of a fork, an exec in a fork, a shell, and an exec of its own at the end. */
static void tree(const char *program)
{
    char command[4096];
    pid_t pid = fork();

    if (pid == 0) {
        pid_t inner = fork();
        spin(30);
        if (inner != 0)
            await(inner);
        exit(0);
    }
    await(pid);
    pid = fork();
    if (pid == 0) {
        execl(program, program, "spin", "30", (char *)NULL);
        exit(1);
    }
    await(pid);
    snprintf(command, sizeof(command), "'%s' spin 30", program);
    sink += system(command);
    execl(program, program, "spin", "30", (char *)NULL);
}

static void allocate(long count)
{
    for (long i = 0; i < count / 2; i++) {
        char *block = malloc((size_t)(i % 100 + 1));
        if (block)
            *(volatile char *)block = 1;
        free(block);
    }
}

static void fork_often(long count)
{
    for (long i = 0; i < count; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            allocate(2);
            exit(0);
        }
        await(pid);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    if (strcmp(mode, "spin") == 0 && argc > 2) {
        spin(atoi(argv[2]));
    } else if (strcmp(mode, "trace") == 0) {
        trace();
    } else if (strcmp(mode, "tree") == 0 && argc > 2) {
        tree(argv[2]);
    } else if (strcmp(mode, "pause") == 0) {
        spin(20);
        raise(SIGUSR1);
        spin(150);
        raise(SIGUSR1);
        spin(20);
    } else if (strcmp(mode, "wait") == 0 && argc > 2) {
        spin(250);
        close(open(argv[2], O_WRONLY | O_CREAT, 0600));
        for (;;)
            pause();
    } else if (strcmp(mode, "heap") == 0 && argc > 2) {
        allocate(atol(argv[2]));
    } else if (strcmp(mode, "forks") == 0 && argc > 2) {
        fork_often(atol(argv[2]));
    } else {
        return 2;
    }
    return 0;
}
