/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/time.h"
#include "pcp/compat.h"

#define OPTIONS_MAX 40
/* Codes for long options without a letter start here, beyond all letters. */
#define LONG_BASE 256
/* pmGetOptions() answers '?' to what it does not know, so --help needs a code of its own. */
#define HELP ('z' + 1)

struct parser {
    const struct pu_tool *tool;
    char *config;
    struct pu_err *err;
    const struct pu_verb *verb;
    /* The options that were met, by their place in the table. */
    const struct pu_option *seen[OPTIONS_MAX];
};

static const char *spell(const struct pu_option *option, char to[64])
{
    if (option->letter)
        snprintf(to, 64, "-%c/--%s", option->letter, option->name);
    else
        snprintf(to, 64, "--%s", option->name);
    return to;
}

static int wrong(struct parser *parser, const struct pu_option *option, const char *value,
                 const char *why)
{
    char name[64];

    return pu_err_set(parser->err, PU_E_SYNTAX, "%s: '%s' %s", spell(option, name), value, why);
}

static int add_string(struct parser *parser, struct pu_strings *list, const char *value)
{
    const char **items = reallocarray(list->items, list->count + 1, sizeof(*items));

    if (!items)
        return pu_err_system(parser->err, ENOMEM, "cannot hold the options");
    list->items = items;
    list->items[list->count++] = value;
    return 0;
}

static int set_word(struct parser *parser, const struct pu_option *option, const char *value,
                    int *word)
{
    char known[128] = "is none of";

    for (int i = 0; option->words[i]; i++) {
        if (strcmp(option->words[i], value) == 0) {
            *word = i;
            return 0;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, " %s", option->words[i]);
    }
    return wrong(parser, option, value, known);
}

static int set_count(struct parser *parser, const struct pu_option *option, const char *value,
                     uint64_t *count)
{
    uint64_t max = option->choice ? (uint64_t)option->choice : INT32_MAX;
    uint64_t number = 0;
    char problem[64] = "is not a number from 1 up";

    if (option->choice)
        snprintf(problem, sizeof(problem), "is not a number from 1 to %d", option->choice);
    if (!pu_num_parse_u64(value, max, &number) || number == 0)
        return wrong(parser, option, value, problem);
    *count = number;
    return 0;
}

static int set_time(struct parser *parser, const struct pu_option *option, const char *value,
                    int64_t *time)
{
    struct pu_err err;
    char name[64];
    int result = option->kind == PU_OPTION_INTERVAL ? pu_time_parse_interval(value, time, &err)
                                                    : pu_time_parse_point(value, time, &err);

    if (result < 0)
        return pu_err_set(parser->err, PU_E_SYNTAX, "%s: %s", spell(option, name), err.message);
    if (option->kind == PU_OPTION_INTERVAL && *time == 0)
        return wrong(parser, option, value, "must be more than 0");
    return 0;
}

static int store(struct parser *parser, const struct pu_option *option, const char *value)
{
    void *to = parser->config + option->offset;

    switch (option->kind) {
    case PU_OPTION_FLAG:
        *(bool *)to = true;
        return 0;
    case PU_OPTION_CHOICE:
        *(int *)to = option->choice;
        return 0;
    case PU_OPTION_WORD:
        return set_word(parser, option, value, to);
    case PU_OPTION_TEXT:
        *(const char **)to = value;
        return 0;
    case PU_OPTION_LIST:
        return add_string(parser, to, value);
    case PU_OPTION_COUNT:
        return set_count(parser, option, value, to);
    case PU_OPTION_INTERVAL:
    case PU_OPTION_POINT:
        return set_time(parser, option, value, to);
    }
    return 0;
}

/* Another option of the group, if one was given. */
static const struct pu_option *other_of_group(const struct parser *parser,
                                              const struct pu_option *option)
{
    for (size_t i = 0; option->group && i < parser->tool->option_count; i++) {
        const struct pu_option *seen = parser->seen[i];
        if (seen && seen != option && seen->group && strcmp(seen->group, option->group) == 0)
            return seen;
    }
    return NULL;
}

/* No two of a group. */
static int check_group(struct parser *parser, const struct pu_option *option)
{
    char name[64];
    char other[64];

    const struct pu_option *seen = other_of_group(parser, option);

    if (seen)
        return pu_err_set(parser->err, PU_E_SYNTAX, "%s and %s exclude each other",
                          spell(seen, other), spell(option, name));
    parser->seen[option - parser->tool->options] = option;
    return 0;
}

static bool was_seen(const struct parser *parser, const char *name)
{
    for (size_t i = 0; i < parser->tool->option_count; i++) {
        if (parser->seen[i] && strcmp(parser->seen[i]->name, name) == 0)
            return true;
    }
    return false;
}

static bool is_for_verb(const struct parser *parser, const struct pu_option *option)
{
    return !parser->verb || !option->verbs ||
           option->verbs & PU_VERB(parser->verb - parser->tool->verbs);
}

static int check_needs(struct parser *parser)
{
    char name[64];

    for (size_t i = 0; i < parser->tool->option_count; i++) {
        const struct pu_option *option = parser->seen[i];
        if (option && !is_for_verb(parser, option))
            return pu_err_set(parser->err, PU_E_SYNTAX, "%s has no use with '%s'",
                              spell(option, name), parser->verb->name);
        if (option && option->needs && !was_seen(parser, option->needs))
            return pu_err_set(parser->err, PU_E_SYNTAX, "%s needs --%s", spell(option, name),
                              option->needs);
    }
    return 0;
}

/* What pcp(1) was given, for options that were not given here and have a use here. */
static int from_environment(struct parser *parser)
{
    for (size_t i = 0; i < parser->tool->option_count; i++) {
        const struct pu_option *option = &parser->tool->options[i];
        const char *value = option->variable ? getenv(option->variable) : NULL;
        if (!value || parser->seen[i] || !is_for_verb(parser, option) ||
            other_of_group(parser, option) || (option->needs && !was_seen(parser, option->needs)))
            continue;
        parser->seen[i] = option;
        if (store(parser, option, value) < 0)
            return pu_err_set(parser->err, PU_E_SYNTAX, "the environment's %s is '%s'",
                              option->variable, value);
    }
    return 0;
}

/* We look at every option ourselves. */
static int override(int code, pmOptions *options)
{
    (void)code;
    (void)options;
    return 1;
}

struct tables {
    pmLongOptions longs[OPTIONS_MAX + 3];
    char letters[2 * OPTIONS_MAX + 2];
};

/* pmGetOptions() never writes to these strings, though it does not say so. */
static void fill_tables(const struct pu_tool *tool, struct tables *tables)
{
    char *letter = tables->letters;
    size_t i;

    for (i = 0; i < tool->option_count && i < OPTIONS_MAX; i++) {
        const struct pu_option *option = &tool->options[i];
        tables->longs[i] = (pmLongOptions){
            .long_opt = option->name,
            .has_arg = option->argument != NULL,
            .short_opt = option->letter ? option->letter : (int)(LONG_BASE + i),
            .argname = option->argument,
        };
        if (option->letter) {
            *letter++ = (char)option->letter;
            if (option->argument)
                *letter++ = ':';
        }
    }
    *letter++ = 'V'; /* '?' is not there: only as an unknown letter it can be told from an error */
    *letter = '\0';
    tables->longs[i++] = (pmLongOptions){.long_opt = "help", .short_opt = HELP};
    tables->longs[i++] = (pmLongOptions){.long_opt = "version", .short_opt = 'V'};
    tables->longs[i] = (pmLongOptions){0};
}

static const struct pu_option *find(const struct pu_tool *tool, int code)
{
    for (size_t i = 0; i < tool->option_count; i++) {
        int own = tool->options[i].letter ? tool->options[i].letter : (int)(LONG_BASE + i);
        if (own == code)
            return &tool->options[i];
    }
    return NULL;
}

/* What pmGetOptions() could not make sense of. */
static void explain(struct parser *parser, const pmOptions *options, char **argv)
{
    const struct pu_option *known = options->optopt ? find(parser->tool, options->optopt) : NULL;
    const char *word = argv[options->optind > 0 ? options->optind - 1 : 0];
    char name[64];

    if (known && known->argument)
        pu_err_set(parser->err, PU_E_SYNTAX, "%s needs an argument: %s", spell(known, name),
                   known->argument);
    else if (known)
        pu_err_set(parser->err, PU_E_SYNTAX, "%s takes no argument", spell(known, name));
    else if (options->optopt == 'V' || options->optopt == HELP)
        pu_err_set(parser->err, PU_E_SYNTAX, "%s takes no argument",
                   options->optopt == 'V' ? "-V/--version" : "-?/--help");
    else if (options->optopt > ' ' && options->optopt < 0x7f)
        pu_err_set(parser->err, PU_E_SYNTAX, "unknown option -%c", options->optopt);
    else
        pu_err_set(parser->err, PU_E_SYNTAX, "unknown option %s", word);
}

static enum pu_parsed take_all(struct parser *parser, pmOptions *options, int argc, char **argv)
{
    int code;

    while ((code = pmGetOptions(argc, argv, options)) != EOF) {
        if (code == HELP || (code == '?' && options->optopt == '?'))
            return PU_PARSED_HELP;
        if (code == 'V')
            return PU_PARSED_VERSION;
        const struct pu_option *option = code == '?' ? NULL : find(parser->tool, code);
        if (!option) {
            explain(parser, options, argv);
            return PU_PARSED_WRONG;
        }
        if (check_group(parser, option) < 0 || store(parser, option, options->optarg) < 0)
            return PU_PARSED_WRONG;
    }
    return PU_PARSED;
}

/* `first` becomes the index of the first operand. */
static enum pu_parsed parse(struct parser *parser, int argc, char **argv, int *first)
{
    struct tables tables;
    pmOptions options = {
        .version = PMAPI_VERSION,
        .flags = PM_OPTFLAG_QUIET | PM_OPTFLAG_NOFLUSH,
        .short_options = tables.letters,
        .long_options = tables.longs,
        .override = override,
    };

    fill_tables(parser->tool, &tables);
    enum pu_parsed parsed = take_all(parser, &options, argc, argv);
    *first = options.optind;
    pmFreeOptions(&options);
    return parsed;
}

static const struct pu_verb *find_verb(const struct pu_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->verb_count; i++) {
        if (name && strcmp(tool->verbs[i].name, name) == 0)
            return &tool->verbs[i];
    }
    return NULL;
}

/* Where the environment wants options first, a verb's own may still follow it. */
static enum pu_parsed parse_behind_verb(struct parser *parser, int argc, char **argv, int *operands)
{
    int verb = *operands;
    int more;

    if (!getenv("POSIXLY_CORRECT") || strcmp(argv[verb - 1], "--") == 0) {
        *operands = verb + 1;
        return PU_PARSED;
    }
    enum pu_parsed parsed = parse(parser, argc - verb, argv + verb, &more);
    *operands = verb + more;
    return parsed;
}

static enum pu_parsed parse_verb(struct parser *parser, int argc, char **argv, int *operands)
{
    const struct pu_tool *tool = parser->tool;
    const char *name = *operands < argc ? argv[*operands] : NULL;

    parser->verb = find_verb(tool, name);
    if (parser->verb)
        return parse_behind_verb(parser, argc, argv, operands);
    parser->verb = find_verb(tool, tool->default_verb);
    if (parser->verb)
        return PU_PARSED;
    if (name)
        pu_err_set(parser->err, PU_E_SYNTAX, "there is no verb '%s'", name);
    else
        pu_err_set(parser->err, PU_E_SYNTAX, "VERB is missing");
    return PU_PARSED_WRONG;
}

enum pu_parsed pu_options_parse(const struct pu_tool *tool, int argc, char **argv, void *config,
                                struct pu_command *command, struct pu_err *err)
{
    struct parser parser = {.tool = tool, .config = config, .err = err};
    int *operands = &command->operands;

    enum pu_parsed parsed = parse(&parser, argc, argv, operands);
    if (parsed == PU_PARSED && tool->verb_count)
        parsed = parse_verb(&parser, argc, argv, operands);
    if (parsed != PU_PARSED)
        return parsed;
    if (check_needs(&parser) < 0 || from_environment(&parser) < 0)
        return PU_PARSED_WRONG;
    bool takes_operands = parser.verb ? parser.verb->synopsis != NULL : tool->takes_operands;
    if (!takes_operands && *operands < argc) {
        pu_err_set(err, PU_E_SYNTAX, "too many operands: '%s'", argv[*operands]);
        return PU_PARSED_WRONG;
    }
    command->verb = parser.verb;
    return PU_PARSED;
}

void pu_options_free(const struct pu_tool *tool, void *config)
{
    for (size_t i = 0; i < tool->option_count; i++) {
        struct pu_strings *list = (void *)((char *)config + tool->options[i].offset);
        if (tool->options[i].kind != PU_OPTION_LIST)
            continue;
        free(list->items);
        *list = (struct pu_strings){0};
    }
}
