/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/usage.h"

#include <stdio.h>

#include "pcp/words.h"
#include "pcputils-config.h"

/* "  -m, --metric GLOB" and the length of it. */
static int spell(char *to, size_t size, int letter, const char *name, const char *argument)
{
    char start[8] = "    ";

    if (letter)
        snprintf(start, sizeof(start), "-%c, ", letter);
    return snprintf(to, size, "  %s--%s%s%s", start, name, argument ? " " : "",
                    argument ? argument : "");
}

static void put_option(struct pu_sink *sink, int width, int letter, const char *name,
                       const char *argument, const char *help)
{
    char left[80];

    spell(left, sizeof(left), letter, name, argument);
    pu_sink_printf(sink, "%-*s  %s\n", width, left, help);
}

static int spell_verb(char *to, size_t size, const struct pu_verb *verb)
{
    return snprintf(to, size, "  %s%s%s", verb->name, verb->synopsis ? " " : "",
                    verb->synopsis ? verb->synopsis : "");
}

static void put_verbs(struct pu_sink *sink, const struct pu_tool *tool)
{
    char left[80];
    int width = 0;

    for (size_t i = 0; i < tool->verb_count; i++) {
        int own = spell_verb(left, sizeof(left), &tool->verbs[i]);
        width = own > width ? own : width;
    }
    pu_sink_text(sink, "Verbs:\n");
    for (size_t i = 0; i < tool->verb_count; i++) {
        spell_verb(left, sizeof(left), &tool->verbs[i]);
        pu_sink_printf(sink, "%-*s  %s\n", width, left, tool->verbs[i].help);
    }
    pu_sink_char(sink, '\n');
}

void pu_usage_help(struct pu_sink *sink, const struct pu_tool *tool)
{
    char left[80];
    int width = spell(left, sizeof(left), 'V', "version", NULL);

    for (size_t i = 0; i < tool->option_count; i++) {
        const struct pu_option *option = &tool->options[i];
        int own = spell(left, sizeof(left), option->letter, option->name, option->argument);
        width = own > width ? own : width;
    }
    pu_sink_printf(sink, "Usage: %s [options] %s\n\n%s.\n\n", tool->name, tool->synopsis,
                   tool->purpose);
    if (tool->verb_count)
        put_verbs(sink, tool);
    pu_sink_text(sink, "Options:\n");
    for (size_t i = 0; i < tool->option_count; i++) {
        const struct pu_option *option = &tool->options[i];
        put_option(sink, width, option->letter, option->name, option->argument, option->help);
    }
    put_option(sink, width, '?', "help", NULL, "print this and end");
    put_option(sink, width, 'V', "version", NULL, "print the version and end");
    pu_sink_text(sink, "\nExamples:\n");
    for (const char *const *example = tool->examples; *example; example++)
        pu_sink_printf(sink, "  %s\n", *example);
    pu_sink_printf(sink, "\nThe manual page, %s(1), has the details.\n", tool->name);
}

void pu_usage_version(struct pu_sink *sink, const struct pu_tool *tool)
{
    const char *libpcp = pu_pcp_config("PCP_VERSION");

    pu_sink_printf(sink, "%s (pcputils) %s\n", tool->name, PU_VERSION);
    if (libpcp) {
        pu_sink_text(sink, "libpcp ");
        pu_sink_escaped(sink, pu_span_text(libpcp));
        pu_sink_char(sink, '\n');
    }
}
