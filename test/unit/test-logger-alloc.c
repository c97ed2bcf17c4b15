/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that runs out while loggers are found, their answers are read, and a change is planned and
 * made. A logger's answers are in the socket before it is asked; what PCP's library would get from
 * pmcd comes from here, so that its memory is counted too.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "logger/find.h"
#include "logger/plan.h"
#include "pcp/compat.h"
#include "sweep.h"

#define ONE    0x07400001u
#define MANY   0x07400002u
#define INDOM  0x07400003u
#define NOBODY 2147483646u
#define MINUTE 60000u

/* --- what wraps more than the rest of the library needs ----------------------------------------
 */

int __wrap_pmLookupName(int count, const char **names, pmID *ids);
int __wrap_pmLookupDescs(int count, pmID *ids, pmDesc *descs);
int __wrap_pmGetInDom(pmInDom indom, int **ids, char ***names);
int __wrap_pmTraversePMNS_r(const char *name, void (*take)(const char *, void *), void *context);

int __wrap_pmLookupName(int count, const char **names, pmID *ids)
{
    int known = 0;

    for (int i = 0; i < count; i++) {
        ids[i] = PM_ID_NULL;
        if (strcmp(names[i], "a.one") == 0)
            ids[i] = ONE;
        if (strcmp(names[i], "a.many") == 0)
            ids[i] = MANY;
        known += ids[i] != PM_ID_NULL;
    }
    return known ? known : PM_ERR_NAME;
}

int __wrap_pmLookupDescs(int count, pmID *ids, pmDesc *descs)
{
    for (int i = 0; i < count; i++)
        descs[i] = (pmDesc){
            .pmid = ids[i], .type = PM_TYPE_32, .indom = ids[i] == MANY ? INDOM : PM_INDOM_NULL};
    return count;
}

int __wrap_pmGetInDom(pmInDom indom, int **ids, char ***names)
{
    static const char texts[] = "x\0y1\0y2";
    char **list = malloc(3 * sizeof(*list) + sizeof(texts));
    int *numbers = malloc(3 * sizeof(*numbers));

    if (indom != INDOM || !list || !numbers) {
        free(list);
        free(numbers);
        return -ENOMEM;
    }
    char *text = memcpy(list + 3, texts, sizeof(texts));
    for (int i = 0; i < 3; i++) {
        numbers[i] = i + 1;
        list[i] = text;
        text += strlen(text) + 1;
    }
    *ids = numbers;
    *names = list;
    return 3;
}

int __wrap_pmTraversePMNS_r(const char *name, void (*take)(const char *, void *), void *context)
{
    if (*name && strcmp(name, "a") != 0)
        return PM_ERR_NAME;
    take("a.one", context);
    take("a.many", context);
    return 2;
}

/* --- a logger that has answered already --------------------------------------------------------
 */

static void answer(int fd, const uint32_t *words, size_t count)
{
    uint32_t pdu[64] = {htobe32((uint32_t)(12 + 4 * count)), htobe32(PU_LOGGER_RESULT)};

    for (size_t i = 0; i < count; i++)
        pdu[3 + i] = htobe32(words[i]);
    if (write(fd, pdu, 12 + 4 * count) != (ssize_t)(12 + 4 * count))
        abort();
}

#define ANSWER(fd, ...)                                                                            \
    answer(fd, (const uint32_t[]){0, 0, __VA_ARGS__},                                              \
           sizeof((const uint32_t[]){0, 0, __VA_ARGS__}) / 4)

static int ready_logger(struct pu_client *client)
{
    int peers[2];
    uint32_t is = MINUTE << 4 | 3;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, peers) < 0)
        abort();
    *client = (struct pu_client){.fd = peers[0], .version = 3, .timeout = PU_NANOSECONDS};
    ANSWER(peers[1], 2, ONE, 1, 0, UINT32_MAX, 0, MANY, 3, 0, 1, 0, 2, 0, 3, 0); /* how it is */
    ANSWER(peers[1], 1, MANY, 1, 0, NOBODY, 0); /* no entry for all */
    ANSWER(peers[1], 2, ONE, 1, 0, UINT32_MAX, 0, MANY, 3, 0, 1, 0, 2, 0, 3, 0); /* all well? */
    ANSWER(peers[1], 2, ONE, 1, 0, UINT32_MAX, is, MANY, 3, 0, 1, is, 2, is, 3, is);
    return peers[1];
}

static bool is_told(const struct pu_err *err)
{
    return (err->code == PU_E_SYSTEM && err->status == ENOMEM && err->message[0]) ||
           (err->code == PU_E_PMAPI && err->status == -ENOMEM);
}

/* --- the work --------------------------------------------------------------------------------- */

static bool all_have(const struct pu_plan *plan, enum pu_verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->item_count; i++)
        count += plan->items[i].verdict == verdict;
    return count == 4 && plan->item_count == 6;
}

/* Once something has been sent, no verdict says that nothing was. */
static bool is_judged(const struct pu_plan *plan)
{
    for (size_t i = 0; i < plan->item_count; i++) {
        if (plan->items[i].verdict == PU_VERDICT_PLANNED)
            return false;
    }
    return true;
}

static bool make_change(void)
{
    struct pu_plan plan = {.wish = {PU_LOG_MANDATORY, PU_LOG_ON, MINUTE}};
    struct pu_client client;
    struct pu_err err = {0};
    int peer = ready_logger(&client);
    bool sound = true;
    bool refused = pu_plan_add(&plan, "a.one", &err) < 0 ||
                   pu_plan_add(&plan, "a.many[x,3,y*,nobody]", &err) < 0 ||
                   pu_plan_add(&plan, "nosuch", &err) < 0 || pu_plan_add(&plan, "a.o*", &err) < 0 ||
                   pu_plan_resolve(&plan, &err) < 0 || pu_plan_enquire(&plan, &client, &err) < 0;

    if (!refused) {
        pu_plan_predict(&plan);
        sound = all_have(&plan, PU_VERDICT_PLANNED);
        refused = pu_plan_apply(&plan, &client, NULL, NULL, &err) < 0;
        sound = sound && is_judged(&plan);
    }
    bool told = refused && is_told(&err);
    sound = sound && (refused || all_have(&plan, PU_VERDICT_CHANGED));
    pu_plan_free(&plan);
    pu_client_close(&client);
    close(peer);
    return told || !sound;
}

/* A subtree with all instances, looked at. */
static bool look(void)
{
    struct pu_plan plan = {.wish.control = PU_LOG_ENQUIRE};
    struct pu_client client;
    struct pu_err err = {0};
    int peer = ready_logger(&client);
    bool refused = pu_plan_add(&plan, "a", &err) < 0 || pu_plan_resolve(&plan, &err) < 0 ||
                   pu_plan_enquire(&plan, &client, &err) < 0;
    bool sound = refused || plan.item_count == 4;

    pu_plan_free(&plan);
    pu_client_close(&client);
    close(peer);
    return (refused && is_told(&err)) || !sound;
}

/* Two patterns of all names: they are fetched once. */
static bool look_everywhere(void)
{
    struct pu_plan plan = {.wish.control = PU_LOG_ENQUIRE};
    struct pu_client client;
    struct pu_err err = {0};
    int peer = ready_logger(&client);
    bool refused = pu_plan_add(&plan, "?.one", &err) < 0 ||
                   pu_plan_add(&plan, "nosuch", &err) < 0 || pu_plan_add(&plan, "*.m*", &err) < 0 ||
                   pu_plan_resolve(&plan, &err) < 0 || pu_plan_enquire(&plan, &client, &err) < 0;
    bool sound = refused || (plan.item_count == 5 && plan.metric_count == 3);

    pu_plan_free(&plan);
    pu_client_close(&client);
    close(peer);
    return (refused && is_told(&err)) || !sound;
}

static char folder[] = "/tmp/logger-alloc.XXXXXX";
static char file[sizeof(folder) + 32];

static void prepare_files(void)
{
    char path[sizeof(folder) + 16];

    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof(path), "%s/pmlogger", folder);
    snprintf(file, sizeof(file), "%s/%d", path, (int)getpid());
    setenv("PCP_TMP_DIR", folder, 1);
    setenv("PCP_RUN_DIR", folder, 1);
    FILE *to = mkdir(path, 0700) == 0 ? fopen(file, "w") : NULL;
    if (!to || fputs("4330\nhost\n/archive\nnote\n", to) < 0 || fclose(to) != 0)
        abort();
}

static void remove_files(void)
{
    char path[sizeof(folder) + 16];

    snprintf(path, sizeof(path), "%s/pmlogger", folder);
    CHECK(unlink(file) == 0 && rmdir(path) == 0 && rmdir(folder) == 0);
}

static bool find(void)
{
    struct pu_logger_ports ports = {0};
    struct pu_err err = {0};
    bool refused = pu_logger_find_local(&ports, &err) < 0;
    bool sound = refused || (ports.count == 1 && ports.items[0].port == 4330 &&
                             strcmp(ports.items[0].note, "note") == 0);

    pu_logger_ports_free(&ports);
    return (refused && is_told(&err)) || !sound;
}

int main(void)
{
    sweep(make_change, 25);
    sweep(look, 15);
    sweep(look_everywhere, 20);
    prepare_files();
    sweep(find, 5);
    remove_files();
    return tap_done();
}
