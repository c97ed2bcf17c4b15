/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/main.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/usage.h"
#include "pcp/compat.h"

/* One message is one write, so that lines of tools that run side by side do not mix. */
static void say(struct pu_buf *line)
{
    const char *text = pu_buf_text(line);

    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody is left to tell */
}

static void lead(struct pu_buf *line, const char *part)
{
    pu_text_escape(line, pu_span_text(part), false);
    pu_buf_add_text(line, ": ");
}

int pu_cli_usage_error(const struct pu_tool *tool, const char *fmt, ...)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf line = {0};
    char message[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    lead(&line, tool->name);
    pu_text_escape(&line, pu_span_text(message), false);
    pu_buf_printf(&line, "\nTry '%s --help' for more information.\n", tool->name);
    say(&line);
    return PU_USAGE;
}

int pu_cli_status(const struct pu_err *err)
{
    return err->code == PU_E_DAMAGED || err->code == PU_E_SYNTAX ? PU_DAMAGED : PU_FAILED;
}

int pu_cli_error(const char *file, const struct pu_err *err)
{
    PU_CLEANUP(pu_buf_free) struct pu_buf line = {0};

    lead(&line, pmGetProgname());
    if (file)
        lead(&line, file);
    if (err->line)
        pu_buf_printf(&line, "%u:%u: ", err->line, err->column);
    if (err->where[0])
        lead(&line, err->where);
    pu_text_escape(&line, pu_span_text(err->message), false);
    if (err->has_offset)
        pu_buf_printf(&line, " (offset 0x%llx)", (unsigned long long)err->offset);
    pu_buf_add_char(&line, '\n');
    say(&line);
    return pu_cli_status(err);
}

int pu_cli_errors(const char *file, const struct pu_errors *errors)
{
    struct pu_err more;

    if (errors->count == 0)
        return PU_DONE;
    for (size_t i = 0; i < errors->kept; i++)
        pu_cli_error(file, &errors->items[i]);
    if (errors->count > errors->kept) {
        pu_err_set(&more, PU_E_DAMAGED, "and %llu more of the kind",
                   (unsigned long long)(errors->count - errors->kept));
        pu_cli_error(file, &more);
    }
    return PU_DAMAGED;
}

void pu_cli_put_errors(struct pu_out *out, const struct pu_errors *errors)
{
    static const struct pu_field errors_field = {.key = "errors"};
    static const struct pu_field where_field = {.key = "where"};
    static const struct pu_field message_field = {.key = "message"};
    static const struct pu_field offset_field = {.key = "offset"};
    static const struct pu_field more_field = {.key = "more"};

    if (errors->count == 0)
        return;
    pu_out_list(out, &errors_field);
    for (size_t i = 0; i < errors->kept; i++) {
        const struct pu_err *err = &errors->items[i];
        pu_out_object(out, NULL);
        if (err->where[0])
            pu_out_string(out, &where_field, err->where);
        pu_out_string(out, &message_field, err->message);
        if (err->has_offset)
            pu_out_u64(out, &offset_field, err->offset);
        pu_out_end(out);
    }
    if (errors->count > errors->kept) {
        pu_out_object(out, NULL);
        pu_out_u64(out, &more_field, errors->count - errors->kept);
        pu_out_end(out);
    }
    pu_out_end(out);
}

int pu_cli_flush(struct pu_sink *sink)
{
    struct pu_err err;
    int error = pu_sink_flush(sink);

    if (error == 0)
        return PU_DONE;
    pu_err_system(&err, error, "cannot write");
    return pu_cli_error("standard output", &err);
}

static int print(void (*page)(struct pu_sink *sink, const struct pu_tool *tool),
                 const struct pu_tool *tool)
{
    struct pu_sink sink;

    pu_sink_to_fd(&sink, STDOUT_FILENO);
    page(&sink, tool);
    return pu_cli_flush(&sink);
}

/*
 * A file that we open must not land on a standard descriptor that the caller left closed. What
 * takes its place cannot be used in that direction, so that a closed standard output stays an
 * error.
 */
static void occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

/* Some file systems find out only at the end that there was no room. */
static int close_stdout(int status)
{
    struct pu_err err;

    if (close(STDOUT_FILENO) == 0 || errno == EBADF)
        return status;
    pu_err_system(&err, errno, "cannot write");
    return pu_status_worse(status, pu_cli_error("standard output", &err));
}

static int run(const struct pu_tool *tool, const struct pu_command *command, void *config,
               char **operands, size_t count)
{
    if (command->verb)
        return command->verb->run(tool, command->verb, config, operands, count);
    return tool->run(tool, config, operands, count);
}

int pu_cli_main(const struct pu_tool *tool, int argc, char **argv, void *config)
{
    struct pu_err err;
    struct pu_command command = {.operands = argc};

    occupy_standard_descriptors();
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_DFL);
    pmSetProgname(tool->name);
    enum pu_parsed parsed = pu_options_parse(tool, argc, argv, config, &command, &err);
    pmSetProgname(tool->name); /* pmGetOptions() took the verb for it where it was given a rest */
    if (parsed != PU_PARSED)
        pu_options_free(tool, config);
    switch (parsed) {
    case PU_PARSED_HELP:
        return print(pu_usage_help, tool);
    case PU_PARSED_VERSION:
        return print(pu_usage_version, tool);
    case PU_PARSED_WRONG:
        return pu_cli_usage_error(tool, "%s", err.message);
    case PU_PARSED:
        break;
    }
    return close_stdout(
        run(tool, &command, config, argv + command.operands, (size_t)(argc - command.operands)));
}
