/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmlcctl: control a live pmlogger from scripts. */
#include <stddef.h>

#include "job.h"

#define AT(member) offsetof(struct config, member)

/* The places of the verbs below. */
enum { QUERY, ON, OFF, MAYBE, ADV_ON, ADV_OFF, STATUS, LIST, NEW_VOLUME, FLUSH };

#define TURN_ON (PU_VERB(ON) | PU_VERB(ADV_ON))
#define CHANGES (TURN_ON | PU_VERB(OFF) | PU_VERB(MAYBE) | PU_VERB(ADV_OFF))
#define ONE     (~PU_VERB(LIST))

static const struct pu_verb verbs[] = {
    [QUERY] = {.name = "query",
               .synopsis = "METRIC ...",
               .help = "show how metrics are logged",
               .run = pmlcctl_query},
    [ON] = {.name = "mandatory-on",
            .synopsis = "METRIC ...",
            .help = "log them, come what may",
            .code = MANDATORY_ON,
            .run = pmlcctl_change},
    [OFF] = {.name = "mandatory-off",
             .synopsis = "METRIC ...",
             .help = "do not log them, come what may",
             .code = MANDATORY_OFF,
             .run = pmlcctl_change},
    [MAYBE] = {.name = "mandatory-maybe",
               .synopsis = "METRIC ...",
               .help = "leave it to advisory requests",
               .code = MANDATORY_MAYBE,
               .run = pmlcctl_change},
    [ADV_ON] = {.name = "advisory-on",
                .synopsis = "METRIC ...",
                .help = "log them, if nothing mandatory is set",
                .code = ADVISORY_ON,
                .run = pmlcctl_change},
    [ADV_OFF] = {.name = "advisory-off",
                 .synopsis = "METRIC ...",
                 .help = "do not log them, likewise",
                 .code = ADVISORY_OFF,
                 .run = pmlcctl_change},
    [STATUS] = {.name = "status", .help = "show how the logger is", .run = pmlcctl_status},
    [LIST] = {.name = "list", .help = "show which loggers there are", .run = pmlcctl_list},
    [NEW_VOLUME] = {.name = "new-volume",
                    .help = "have it start a new volume",
                    .run = pmlcctl_new_volume},
    [FLUSH] = {.name = "flush",
               .help = "nothing any more: loggers keep nothing back",
               .run = pmlcctl_flush},
};

static const struct pu_option options[] = {
    {.letter = 'P',
     .name = "primary",
     .kind = PU_OPTION_FLAG,
     .offset = AT(primary),
     .group = "which",
     .verbs = ONE,
     .help = "the primary logger (default)"},
    {.name = "pid",
     .kind = PU_OPTION_COUNT,
     .offset = AT(pid),
     .group = "which",
     .verbs = ONE,
     .argument = "PID",
     .help = "the logger that is this process"},
    {.letter = 'h',
     .name = "host",
     .kind = PU_OPTION_TEXT,
     .offset = AT(host),
     .group = "where",
     .variable = "PCP_HOST",
     .argument = "HOST",
     .help = "a logger of this host, over TCP"},
    {.letter = 'p',
     .name = "port",
     .kind = PU_OPTION_COUNT,
     .offset = AT(port),
     .choice = UINT16_MAX,
     .verbs = ONE,
     .argument = "PORT",
     .help = "the logger at this TCP port"},
    {.name = "socket",
     .kind = PU_OPTION_TEXT,
     .offset = AT(socket),
     .group = "where",
     .verbs = ONE,
     .argument = "PATH",
     .help = "the logger at this unix socket"},
    {.letter = 't',
     .name = "interval",
     .kind = PU_OPTION_TEXT,
     .offset = AT(interval),
     .verbs = TURN_ON,
     .argument = "INTERVAL",
     .help = "how often to log, or \"once\""},
    {.name = "force",
     .kind = PU_OPTION_FLAG,
     .offset = AT(force),
     .verbs = TURN_ON,
     .help = "take intervals below 10 ms"},
    {.letter = 'n',
     .name = "dry-run",
     .kind = PU_OPTION_FLAG,
     .offset = AT(dry_run),
     .verbs = CHANGES,
     .help = "show what would become of it"},
    {.name = "timeout",
     .kind = PU_OPTION_INTERVAL,
     .offset = AT(timeout),
     .argument = "INTERVAL",
     .help = "how long an answer may take (default 5s)"},
    {.name = "busy-wait",
     .kind = PU_OPTION_TEXT,
     .offset = AT(busy_wait),
     .verbs = ONE,
     .argument = "INTERVAL",
     .help = "how long to try while it is busy (5s)"},
    {.letter = 'j',
     .name = "json",
     .kind = PU_OPTION_FLAG,
     .offset = AT(json),
     .help = "print JSON"},
};

static const char *const examples[] = {
    "pmlcctl list",
    "pmlcctl query kernel.all.load",
    "pmlcctl mandatory-on -t 10sec kernel.all.nprocs 'kernel.percpu.cpu.user[cpu0]'",
    NULL,
};

int main(int argc, char **argv)
{
    static const struct pu_tool tool = {
        .name = "pmlcctl",
        .synopsis = "VERB [METRIC ...]",
        .purpose = "Control a live pmlogger",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .examples = examples,
        .verbs = verbs,
        .verb_count = sizeof(verbs) / sizeof(verbs[0]),
    };
    struct config config = {.timeout = 5 * INT64_C(1000000000)};

    return pu_cli_main(&tool, argc, argv, &config);
}
