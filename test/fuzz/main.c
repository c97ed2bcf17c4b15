/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target over the files, and the files in the folders, that it is given: what libFuzzer
 * does with a corpus, for compilers without it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static unsigned int files;

static int complain(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return -1;
}

static int run_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");

    if (!file)
        return complain(path);
    size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    /* Known before it crashes. */
    printf("# %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    files++;
    return 0;
}

static int run_directory(const char *path, DIR *directory)
{
    struct dirent *entry;
    int result = 0;

    while ((entry = readdir(directory))) {
        char *full;
        if (entry->d_name[0] == '.')
            continue;
        if (asprintf(&full, "%s/%s", path, entry->d_name) < 0)
            return complain(path);
        result |= run_file(full);
        free(full);
    }
    closedir(directory);
    return result;
}

int main(int argc, char **argv)
{
    int result = 0;

    for (int i = 1; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        result |= directory ? run_directory(argv[i], directory) : run_file(argv[i]);
    }
    printf("%sok 1 - %u files\n1..1\n", result == 0 && files > 0 ? "" : "not ", files);
    return result == 0 && files > 0 ? 0 : 1;
}
