/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options, declared once in a table: the parser, the usage text and the tests read it. Parsing is
 * pmGetOptions(3)'s, so operands and options may be mixed as PCP's tools allow, and POSIXLY_CORRECT
 * is honoured.
 */
#ifndef PU_CLI_OPTIONS_H
#define PU_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum pu_option_kind {
    PU_OPTION_FLAG,     /* bool: set */
    PU_OPTION_CHOICE,   /* int: becomes `choice` */
    PU_OPTION_WORD,     /* int: which of `words` the argument is */
    PU_OPTION_TEXT,     /* const char *: the argument */
    PU_OPTION_LIST,     /* struct pu_strings: the argument is added */
    PU_OPTION_COUNT,    /* uint64_t: from 1 to `choice`, or to INT32_MAX if that is 0 */
    PU_OPTION_INTERVAL, /* int64_t: nanoseconds, more than 0 */
    PU_OPTION_POINT,    /* int64_t: nanoseconds since 1970 */
};

struct pu_option {
    int letter;       /* 0 = long form only */
    const char *name; /* long form, without dashes */
    enum pu_option_kind kind;
    size_t offset;            /* of its member in the tool's configuration */
    int choice;               /* see PU_OPTION_CHOICE, PU_OPTION_COUNT */
    const char *const *words; /* see PU_OPTION_WORD; ends with NULL */
    const char *group;        /* options of one group exclude each other; NULL = none */
    const char *needs;        /* long form of the option without which it has no use; NULL = none */
    const char *variable; /* environment variable that stands in for it, set by pcp(1); or NULL */
    uint32_t verbs;       /* PU_VERB() of all that it is for; 0 = every one */
    const char *argument; /* as the usage text calls it; NULL = takes none */
    const char *help;     /* one line */
};

/* Arguments of a repeatable option, borrowed from argv. The array is owned: free(items). */
struct pu_strings {
    const char **items;
    size_t count;
};

struct pu_tool;

/* What a tool can be told to do, by its first operand. */
struct pu_verb {
    const char *name;
    const char *synopsis; /* the operands that follow it; NULL = none */
    const char *help;     /* one line */
    int code;             /* for verbs that share a function */
    /* Does it: returns an enum pu_status. */
    int (*run)(const struct pu_tool *tool, const struct pu_verb *verb, void *config,
               char **operands, size_t operand_count);
};

/* The place of a verb in its tool's table, for an option's mask. */
#define PU_VERB(index) (UINT32_C(1) << (index))

/* All that is the same for one tool in every run. */
struct pu_tool {
    const char *name;
    const char *synopsis; /* operands, as in "[FILE|DIRECTORY]...", or "VERB ..." */
    const char *purpose;  /* one line, no final stop */
    const struct pu_option *options;
    size_t option_count;
    const char *const *examples; /* command lines; ends with NULL */
    bool takes_operands;         /* of a tool with verbs, each verb says so */
    const struct pu_verb *verbs; /* at most 32 */
    size_t verb_count;
    const char *default_verb; /* when the first operand is not the name of one; NULL = an error */
    /* A tool without verbs: returns an enum pu_status. */
    int (*run)(const struct pu_tool *tool, void *config, char **operands, size_t operand_count);
};

enum pu_parsed { PU_PARSED, PU_PARSED_HELP, PU_PARSED_VERSION, PU_PARSED_WRONG };

struct pu_command {
    const struct pu_verb *verb; /* NULL = the tool has none */
    int operands;               /* index in argv of the first operand; all others follow it */
};

/*
 * Fills `config` and `command` from the command line. PU_PARSED_WRONG: `err` says what is wrong,
 * for a usage error.
 */
enum pu_parsed pu_options_parse(const struct pu_tool *tool, int argc, char **argv, void *config,
                                struct pu_command *command, struct pu_err *err);

/* Frees the lists in `config`, for a command line that led to nothing. */
void pu_options_free(const struct pu_tool *tool, void *config);

#endif
