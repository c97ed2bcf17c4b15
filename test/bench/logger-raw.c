/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one request that a change of many metrics would be if nothing could go wrong: mandatory on
 * for each name of a file, without a look at how things are. logger-raw SOCKET PID MINUTES FILE
 */
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logger/control.h"
#include "pcp/compat.h"

#define NAMES_MAX 10000

static int read_names(const char *path, const char **names)
{
    FILE *file = fopen(path, "r");
    int count = 0;

    while (file && count < NAMES_MAX) {
        char *line = NULL;
        size_t capacity = 0;
        if (getline(&line, &capacity, file) <= 0)
            break;
        line[strcspn(line, "\n")] = '\0';
        names[count++] = line;
    }
    return count;
}

static int change(struct pu_client *client, const struct pu_log_result *request, int minutes)
{
    struct pu_log_result status;
    struct pu_err err;

    if (pu_logger_control(client, request, PU_LOG_MANDATORY, PU_LOG_ON, minutes * 60000, &status,
                          &err) < 0) {
        fprintf(stderr, "logger-raw: %s\n", err.message);
        return 1;
    }
    pu_log_result_free(&status);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *names[NAMES_MAX];
    static pmID pmids[NAMES_MAX];
    static pmDesc descs[NAMES_MAX];
    static struct pu_log_set sets[NAMES_MAX];
    struct pu_log_value single = {.inst = -1};

    if (argc != 5 || pmNewContext(PM_CONTEXT_HOST, "local:") < 0)
        return 2;
    int count = read_names(argv[4], names);
    if (count == 0 || pmLookupName(count, names, pmids) != count ||
        pmLookupDescs(count, pmids, descs) != count)
        return 2;
    for (int i = 0; i < count; i++) {
        bool singular = descs[i].indom == PM_INDOM_NULL;
        sets[i] = (struct pu_log_set){pmids[i], singular, singular, singular ? &single : NULL};
    }
    struct pu_logger_address address = {.socket = argv[1], .pid = atoi(argv[2])};
    struct pu_log_result request = {.numpmid = (size_t)count, .vset = sets};
    struct pu_client client;
    struct pu_err err;
    int status = 1;
    if (pu_client_open(&client, &address, INT64_C(60000000000), 0, &err) == 0)
        status = change(&client, &request, atoi(argv[3]));
    pu_client_close(&client);
    return status;
}
