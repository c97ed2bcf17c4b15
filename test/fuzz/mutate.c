/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Damages good files in every simple way and runs each result through a fuzz target. Always the
 * same files, from a generator with a fixed seed. The one that was tried when the program died is
 * left in "mutate-crash", and its story stands in the last comment.
 *
 * mutate-TARGET [--rounds N] FILE...: N of each kind of change that is by chance, 200 by default
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define SEEDS_MAX     64
#define SIZE_MAX_SEED 16384

struct seed {
    const char *path;
    uint8_t *data;
    size_t size;
};

static struct seed seeds[SEEDS_MAX];
static size_t seed_count;
static uint8_t trial[SIZE_MAX_SEED];
static size_t trial_size;
static unsigned int trials;
static int rounds = 200;
static char story[256];

/* xorshift64*: the same numbers everywhere. */
static uint64_t random_word(void)
{
    static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static size_t random_below(size_t limit)
{
    return limit > 0 ? (size_t)(random_word() % limit) : 0;
}

static void keep_trial(void)
{
    FILE *file = fopen("mutate-crash", "wb");

    if (file) {
        fwrite(trial, 1, trial_size, file);
        fclose(file);
    }
    printf("# died with %s\n", story);
    fflush(stdout);
}

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

static void on_signal(int number)
{
    keep_trial();
    signal(number, SIG_DFL);
    raise(number);
}

#ifdef WITH_ASAN
void __sanitizer_set_death_callback(void (*callback)(void));

static void watch(void)
{
    __sanitizer_set_death_callback(keep_trial);
    signal(SIGABRT, on_signal); /* of our own checks, which it leaves alone */
}
#else
static void watch(void)
{
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
    signal(SIGABRT, on_signal);
}
#endif

static void take(const struct seed *seed)
{
    memcpy(trial, seed->data, seed->size);
    trial_size = seed->size;
}

static void try_it(void)
{
    trials++;
    LLVMFuzzerTestOneInput(trial, trial_size);
}

static void report(const struct seed *seed, const char *what)
{
    static unsigned int points;
    static unsigned int before;
    const char *slash = strrchr(seed->path, '/');

    printf("ok %u - %s: %u times %s\n", ++points, slash ? slash + 1 : seed->path, trials - before,
           what);
    before = trials;
}

static void truncate_it(const struct seed *seed)
{
    for (size_t size = 0; size <= seed->size; size++) {
        snprintf(story, sizeof(story), "%s cut to %zu bytes", seed->path, size);
        take(seed);
        trial_size = size;
        try_it();
    }
    report(seed, "cut short");
}

/* Texts and padding are most of a file and the least of its structure: of those only some is tried.
 */
static bool is_worth_it(const struct seed *seed, size_t at)
{
    size_t end = at + 16 < seed->size ? at + 16 : seed->size;
    size_t zeros = 0;
    size_t letters = 0;

    for (size_t i = at; i < end; i++) {
        zeros += seed->data[i] == 0;
        letters += seed->data[i] >= ' ' && seed->data[i] <= '~';
    }
    return at % 64 == 0 || (zeros < end - at && letters < end - at);
}

static void overwrite(const struct seed *seed, size_t width)
{
    const uint64_t size = seed->size;
    const uint64_t words[] = {
        0,    1,          UINT64_MAX, INT32_MAX,       UINT64_C(1) << 31, size - 1,
        size, size - 255, size + 1,   UINT64_MAX - 31, UINT64_C(1) << 63};

    for (size_t at = 0; at + width <= seed->size; at += width) {
        for (size_t i = 0; is_worth_it(seed, at) && i < sizeof(words) / sizeof(words[0]); i++) {
            uint32_t half = (uint32_t)words[i];
            snprintf(story, sizeof(story), "%s with 0x%llx in the %zu bytes at %zu", seed->path,
                     (unsigned long long)words[i], width, at);
            take(seed);
            if (width == sizeof(half))
                memcpy(trial + at, &half, width);
            else
                memcpy(trial + at, &words[i], width);
            try_it();
        }
    }
}

static void overwrite_it(const struct seed *seed)
{
    overwrite(seed, 4);
    overwrite(seed, 8);
    report(seed, "with another number somewhere");
}

static void flip_it(const struct seed *seed)
{
    for (int i = 0; i < rounds; i++) {
        snprintf(story, sizeof(story), "%s, bit flips no. %d", seed->path, i);
        take(seed);
        for (size_t n = 1 + random_below(8); n > 0; n--)
            trial[random_below(trial_size)] ^= (uint8_t)(1 << random_below(8));
        try_it();
    }
    report(seed, "with bits flipped");
}

/* The beginning of one and the end of another, or a piece of another in the middle. */
static void splice_it(const struct seed *seed)
{
    for (int i = 0; i < rounds; i++) {
        const struct seed *other = &seeds[random_below(seed_count)];
        size_t from = random_below(other->size);
        size_t to = random_below(seed->size);
        size_t size = random_below(other->size - from) + 1;
        snprintf(story, sizeof(story), "%s, splice no. %d", seed->path, i);
        take(seed);
        if (i % 2 == 0)
            size = other->size - from;
        if (size > sizeof(trial) - to)
            size = sizeof(trial) - to;
        memcpy(trial + to, other->data + from, size);
        if (i % 2 == 0 || to + size > trial_size)
            trial_size = to + size;
        try_it();
    }
    report(seed, "spliced");
}

static void fill_it(const struct seed *seed)
{
    static const uint8_t fillings[] = {0, 0xff, 0x7f, 0x80, '{'};

    for (int i = 0; i < rounds; i++) {
        size_t at = random_below(seed->size);
        size_t size = random_below(seed->size - at) + 1;
        snprintf(story, sizeof(story), "%s, filled block no. %d", seed->path, i);
        take(seed);
        memset(trial + at, fillings[random_below(sizeof(fillings))], size < 300 ? size : 300);
        try_it();
    }
    report(seed, "with a block overwritten");
}

static int read_seed(const char *path)
{
    struct seed *seed = &seeds[seed_count];
    FILE *file = fopen(path, "rb");

    seed->path = path;
    seed->data = malloc(SIZE_MAX_SEED);
    if (!file || !seed->data)
        return -1;
    seed->size = fread(seed->data, 1, SIZE_MAX_SEED, file);
    fclose(file);
    seed_count++;
    return seed->size > 0 ? 0 : -1;
}

static void release(void)
{
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].data);
}

int main(int argc, char **argv)
{
    int first = 1;

    watch();
    if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
        rounds = atoi(argv[2]);
        first = 3;
    }
    for (int i = first; i < argc && i < first + SEEDS_MAX; i++) {
        if (read_seed(argv[i]) < 0) {
            printf("Bail out! cannot read %s\n", argv[i]);
            return 1;
        }
    }
    for (size_t i = 0; i < seed_count; i++) {
        truncate_it(&seeds[i]);
        overwrite_it(&seeds[i]);
        flip_it(&seeds[i]);
        splice_it(&seeds[i]);
        fill_it(&seeds[i]);
    }
    printf("# %u files\n1..%zu\n", trials, 5 * seed_count);
    release();
    return 0;
}
