/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/num.h"
#include "logger/find-private.h"
#include "pcp/words.h"

#define FILE_MAX 65536

/* --- lists ------------------------------------------------------------------------------------ */

void pu_logger_port_free(struct pu_logger_port *port)
{
    free(port->socket);
    free(port->host);
    free(port->archive);
    free(port->note);
}

void pu_logger_ports_free(struct pu_logger_ports *ports)
{
    for (size_t i = 0; i < ports->count; i++)
        pu_logger_port_free(&ports->items[i]);
    free(ports->items);
    memset(ports, 0, sizeof(*ports));
}

static int by_pid(const void *a, const void *b)
{
    const struct pu_logger_port *left = a;
    const struct pu_logger_port *right = b;

    return (left->pid > right->pid) - (left->pid < right->pid);
}

void pu_logger_ports_sort(struct pu_logger_ports *ports)
{
    if (ports->count > 0)
        qsort(ports->items, ports->count, sizeof(*ports->items), by_pid);
}

int pu_logger_ports_no_memory(struct pu_err *err)
{
    return pu_err_system(err, ENOMEM, "cannot hold the loggers");
}

int pu_logger_ports_add(struct pu_logger_ports *ports, struct pu_logger_port *port,
                        struct pu_err *err)
{
    struct pu_logger_port *items = NULL;

    if (port->host && port->archive && port->note)
        items = reallocarray(ports->items, ports->count + 1, sizeof(*items));
    if (!items) {
        pu_logger_port_free(port);
        return pu_logger_ports_no_memory(err);
    }
    ports->items = items;
    items[ports->count++] = *port;
    return 0;
}

const struct pu_logger_port *pu_logger_ports_get(const struct pu_logger_ports *ports, pid_t pid)
{
    for (size_t i = 0; i < ports->count; i++) {
        if (pid ? ports->items[i].pid == pid : ports->items[i].primary)
            return &ports->items[i];
    }
    return NULL;
}

/* --- processes -------------------------------------------------------------------------------- */

enum pu_logger_life pu_logger_life(pid_t pid)
{
    char path[64];
    char stat[512];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || errno == ESRCH ? PU_LOGGER_STALE : PU_LOGGER_ALIVE;
    size_t size = fread(stat, 1, sizeof(stat) - 1, file);
    fclose(file);
    stat[size] = '\0';
    /* "PID (NAME) STATE", and the name may hold anything. */
    const char *state = strrchr(stat, ')');
    if (!state || size == 0)
        return PU_LOGGER_STALE;
    return state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X') ? PU_LOGGER_ZOMBIE
                                                                   : PU_LOGGER_ALIVE;
}

const char *pu_logger_life_word(enum pu_logger_life life)
{
    static const char *const words[] = {"alive", "zombie", "stale", "damaged"};

    return words[life];
}

static bool is_socket(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISSOCK(about.st_mode);
}

/* Where a logger that could not write to the usual folder puts its socket. */
static bool socket_at_home(pid_t pid, char path[PATH_MAX])
{
    char proc[32];
    struct stat about;
    struct passwd *user;

    snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
    if (stat(proc, &about) < 0 || !(user = getpwuid(about.st_uid)))
        return false;
    return snprintf(path, PATH_MAX, "%s/.pcp/run/pmlogger.%d.socket", user->pw_dir, (int)pid) <
               PATH_MAX &&
           is_socket(path);
}

static bool socket_at_work(pid_t pid, char path[PATH_MAX])
{
    const char *folder = pu_pcp_config("PCP_RUN_DIR");

    return folder &&
           snprintf(path, PATH_MAX, "%s/pmlogger.%d.socket", folder, (int)pid) < PATH_MAX &&
           is_socket(path);
}

/* The path of its socket, if it has one. -1: memory ran out. */
static int find_socket(pid_t pid, char **socket)
{
    char path[PATH_MAX];

    if (!socket_at_work(pid, path) && !socket_at_home(pid, path))
        return 0;
    *socket = strdup(path);
    return *socket ? 0 : -1;
}

/* --- files ------------------------------------------------------------------------------------ */

/* The next line; what is missing is empty. */
static struct pu_span next_line(struct pu_span *rest)
{
    if (rest->size == 0)
        return *rest;
    const unsigned char *end = memchr(rest->data, '\n', rest->size);
    struct pu_span line = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
    size_t size = line.size + (end != NULL);

    rest->data += size;
    rest->size -= size;
    return line;
}

/* As a string of its own. */
static char *take_line(struct pu_span *rest)
{
    struct pu_span line = next_line(rest);

    return strndup(line.size ? (const char *)line.data : "", line.size);
}

static uint16_t read_port(struct pu_span *rest)
{
    struct pu_span line = next_line(rest);
    uint64_t number;
    char text[8] = "";

    if (line.size > 0 && line.size < sizeof(text))
        memcpy(text, line.data, line.size);
    return pu_num_parse_u64(text, UINT16_MAX, &number) ? (uint16_t)number : 0;
}

/* A file that cannot be read is as good as one that makes no sense. -1: memory ran out. */
static int read_file(const char *path, struct pu_logger_port *port)
{
    struct pu_blob blob = {0};
    struct pu_err err;
    struct pu_span rest = {0};

    if (pu_io_read(path, rest, FILE_MAX, &blob, &err) == 0)
        rest = pu_blob_span(&blob);
    else if (err.code == PU_E_SYSTEM && err.status == ENOMEM)
        return -1;
    port->port = read_port(&rest);
    port->host = take_line(&rest);
    port->archive = take_line(&rest);
    port->note = take_line(&rest);
    if (port->port == 0 || !port->archive || !port->archive[0])
        port->life = PU_LOGGER_DAMAGED;
    pu_blob_free(&blob);
    return 0;
}

static bool read_pid(const char *name, pid_t *pid)
{
    uint64_t number;

    if (!pu_num_parse_u64(name, INT_MAX, &number) || number == 0)
        return false;
    *pid = (pid_t)number;
    return true;
}

static int add_file(const char *folder, const char *name, struct pu_logger_ports *ports,
                    struct pu_err *err)
{
    struct pu_logger_port port = {0};
    char path[PATH_MAX + NAME_MAX + 2];

    if (!read_pid(name, &port.pid))
        return 0;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    port.life = pu_logger_life(port.pid);
    if (read_file(path, &port) < 0 || find_socket(port.pid, &port.socket) < 0) {
        pu_logger_port_free(&port);
        return pu_logger_ports_no_memory(err);
    }
    return pu_logger_ports_add(ports, &port, err);
}

/* The link tells by the last part of where it leads to. */
static void mark_primary(const char *folder, struct pu_logger_ports *ports)
{
    char path[PATH_MAX + 16];
    char target[PATH_MAX];
    pid_t pid;

    snprintf(path, sizeof(path), "%s/primary", folder);
    ssize_t size = readlink(path, target, sizeof(target) - 1);
    if (size < 0)
        return;
    target[size] = '\0';
    const char *slash = strrchr(target, '/');
    if (!read_pid(slash ? slash + 1 : target, &pid))
        return;
    for (size_t i = 0; i < ports->count; i++)
        ports->items[i].primary = ports->items[i].pid == pid;
}

static int read_folder(const char *folder, DIR *directory, struct pu_logger_ports *ports,
                       struct pu_err *err)
{
    struct dirent *entry;

    while ((entry = readdir(directory))) {
        if (add_file(folder, entry->d_name, ports, err) < 0)
            return -1;
    }
    pu_logger_ports_sort(ports);
    mark_primary(folder, ports);
    return 0;
}

int pu_logger_find_local(struct pu_logger_ports *ports, struct pu_err *err)
{
    const char *base = pu_pcp_config("PCP_TMP_DIR");
    char folder[PATH_MAX];

    if (!base)
        return 0;
    if ((size_t)snprintf(folder, sizeof(folder), "%s/pmlogger", base) >= sizeof(folder) - 16)
        return pu_err_system(err, ENAMETOOLONG, "cannot look for loggers");
    DIR *directory = opendir(folder);
    if (!directory)
        return errno == ENOENT ? 0 : pu_err_system(err, errno, "cannot look into %.100s", folder);
    int result = read_folder(folder, directory, ports, err);
    closedir(directory);
    return result;
}
