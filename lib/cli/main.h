/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every tool does the same way: start, help, version, messages, the end.
 */
#ifndef PU_CLI_MAIN_H
#define PU_CLI_MAIN_H

#include "base/err.h"
#include "cli/options.h"
#include "cli/status.h"
#include "out/field.h"

/*
 * Parses the command line into `config` and calls the tool's or the verb's run(), which ends with
 * pu_cli_flush(); answers --help and --version. Returns the exit status.
 */
int pu_cli_main(const struct pu_tool *tool, int argc, char **argv, void *config);

/* "TOOL: message" and "Try ... --help" on stderr. Returns PU_USAGE. */
int pu_cli_usage_error(const struct pu_tool *tool, const char *fmt, ...) PU_PRINTF(2, 3);

/* The status that an error stands for: PU_DAMAGED for what is wrong with the input, or PU_FAILED.
 */
int pu_cli_status(const struct pu_err *err);

/*
 * "TOOL: FILE: where: message (offset 0x..)" on stderr, all of it escaped; `file` may be NULL.
 * Returns the status that the error stands for.
 */
int pu_cli_error(const char *file, const struct pu_err *err);

/* All of a list, and how many more there were. Returns PU_DAMAGED, or PU_DONE when it is empty. */
int pu_cli_errors(const char *file, const struct pu_errors *errors);

/* The member "errors" of a document whose input was damaged; nothing when it was not. */
void pu_cli_put_errors(struct pu_out *out, const struct pu_errors *errors);

/* Flushes what went to standard output. Returns PU_DONE, or PU_FAILED with a message. */
int pu_cli_flush(struct pu_sink *sink);

#endif
