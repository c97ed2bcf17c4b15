/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "pcp/compat.h"

#define MILLISECOND INT64_C(1000000)
#define VERSION_MAX 3
#define VERSION_MIN 2
/* Memory is taken as the bytes come, not as a header promises. */
#define PIECE 65536

/* An error with a PMAPI status. */
static int fail(struct pu_err *err, int status, const char *what)
{
    pu_err_set(err, PU_E_PMAPI, "%s", what);
    err->status = status;
    return -1;
}

static int reported(struct pu_err *err, int code)
{
    char text[PM_MAXERRMSGLEN];

    switch (code) {
    case -EADDRINUSE:
        return fail(err, code, "the logger is busy: another client is connected");
    case PM_ERR_PERMISSION:
        return fail(err, code, "the logger denies it: permission denied");
    default:
        pu_err_set(err, PU_E_PMAPI, "the logger reports: %s", pmErrStr_r(code, text, sizeof(text)));
        err->status = code;
        return -1;
    }
}

static void nap(int64_t nanoseconds)
{
    struct timespec span = {nanoseconds / PU_NANOSECONDS, nanoseconds % PU_NANOSECONDS};

    (void)nanosleep(&span, NULL);
}

/* Waits for events on the connection until `deadline`. */
static int await(int fd, short events, int64_t deadline, struct pu_err *err)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};

    for (;;) {
        int64_t left = deadline - pu_time_clock();
        if (left < 0)
            left = 0;
        struct timespec span = {left / PU_NANOSECONDS, left % PU_NANOSECONDS};
        int ready = ppoll(&poll_fd, 1, &span, NULL);
        if (ready > 0)
            return 0;
        if (ready == 0)
            return fail(err, PM_ERR_TIMEOUT, "no answer from the logger in time");
        if (errno != EINTR)
            return pu_err_system(err, errno, "cannot wait for the logger");
    }
}

/* Did the peer end it, rather than the system fail? */
static int broken(int error, struct pu_err *err)
{
    if (error == 0 || error == ECONNRESET || error == EPIPE)
        return fail(err, -ECONNRESET, "the logger has ended the connection");
    return pu_err_system(err, error, "cannot talk to the logger");
}

/* --- connecting ------------------------------------------------------------------------------- */

/* A logger that is busy says so and resets the connection, which may be before we look here; what
 * it has said can still be read. */
static int finish_connect(int fd, int64_t deadline, struct pu_err *err)
{
    int error = 0;
    socklen_t size = sizeof(error);

    if (await(fd, POLLOUT, deadline, err) < 0)
        return -1;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    return error && error != ECONNRESET ? pu_err_system(err, error, "cannot connect") : 0;
}

static int connect_to(int fd, const void *address, socklen_t size, int64_t deadline,
                      struct pu_err *err)
{
    for (;;) {
        if (connect(fd, address, size) == 0)
            return 0;
        if (errno == EINPROGRESS || errno == EINTR)
            return finish_connect(fd, deadline, err);
        /* A unix socket with a full queue does not let us wait for a place in it. */
        if (errno != EAGAIN)
            return pu_err_system(err, errno, "cannot connect");
        if (pu_time_clock() >= deadline)
            return fail(err, PM_ERR_TIMEOUT, "the logger does not take the connection in time");
        nap(5 * MILLISECOND);
    }
}

static int open_unix(struct pu_client *client, const char *path, int64_t deadline,
                     struct pu_err *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path))
        return pu_err_system(err, ENAMETOOLONG, "cannot connect");
    memcpy(address.sun_path, path, strlen(path) + 1);
    client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (client->fd < 0)
        return pu_err_system(err, errno, "cannot make a socket");
    return connect_to(client->fd, &address, sizeof(address), deadline, err);
}

static int open_address(struct pu_client *client, const struct addrinfo *info, int64_t deadline,
                        struct pu_err *err)
{
    int on = 1;

    client->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (client->fd < 0)
        return pu_err_system(err, errno, "cannot make a socket");
    (void)setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect_to(client->fd, info->ai_addr, info->ai_addrlen, deadline, err) == 0)
        return 0;
    close(client->fd);
    client->fd = -1;
    return -1;
}

static int open_tcp(struct pu_client *client, const char *host, uint16_t port, int64_t deadline,
                    struct pu_err *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list;
    char service[8];
    int result = -1;

    snprintf(service, sizeof(service), "%u", port);
    int code = getaddrinfo(host, service, &hints, &list);
    if (code != 0)
        return pu_err_set(err, PU_E_SYSTEM, "no such host: %s", gai_strerror(code));
    for (const struct addrinfo *info = list; info && result < 0; info = info->ai_next)
        result = open_address(client, info, deadline, err);
    freeaddrinfo(list);
    return result;
}

/* The logger's first words: its version, or why not. */
static int greet(struct pu_client *client, const struct pu_logger_address *address,
                 struct pu_err *err)
{
    static const uint32_t types[] = {PU_LOGGER_ERROR, 0};
    struct pu_logger_header header;
    int32_t version;

    if (pu_client_receive(client, types, &header, err) < 0) {
        if (err->code == PU_E_PMAPI && err->status == -ECONNRESET)
            pu_err_system(err, ECONNRESET, "the logger does not say who it is");
        return -1;
    }
    if (pu_logger_get_error(pu_buf_span(&client->in), &version, err) < 0)
        return -1;
    client->pid = header.from;
    if (address->pid && client->pid != address->pid) {
        pu_err_set(err, PU_E_PMAPI, "another logger answers there: its process is %d, not %d",
                   (int)client->pid, (int)address->pid);
        err->status = PM_ERR_NOTHOST;
        return -1;
    }
    if (version < VERSION_MIN)
        return pu_err_damage(err, PU_LOGGER_HEADER, "protocol version %d", (int)version);
    client->version = version < VERSION_MAX ? version : VERSION_MAX;
    pu_logger_put_creds(&client->out, (int32_t)getpid(), client->version);
    return pu_client_send(client, err);
}

static int try_open(struct pu_client *client, const struct pu_logger_address *address,
                    struct pu_err *err)
{
    int64_t deadline = pu_time_clock() + client->timeout;
    int result = address->socket ? open_unix(client, address->socket, deadline, err)
                                 : open_tcp(client, address->host, address->port, deadline, err);

    return result < 0 ? -1 : greet(client, address, err);
}

int pu_client_open(struct pu_client *client, const struct pu_logger_address *address,
                   int64_t timeout, int64_t busy_wait, struct pu_err *err)
{
    int64_t until = pu_time_clock() + busy_wait;
    int64_t pause = 5 * MILLISECOND;

    *client = (struct pu_client){.fd = -1, .timeout = timeout};
    for (;;) {
        if (try_open(client, address, err) == 0)
            return 0;
        pu_client_close(client);
        if (err->code != PU_E_PMAPI || err->status != -EADDRINUSE || pu_time_clock() >= until)
            return -1;
        nap(pause);
        if (pause < 40 * MILLISECOND)
            pause *= 2;
    }
}

void pu_client_close(struct pu_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    pu_buf_free(&client->out);
    pu_buf_free(&client->in);
}

/* --- messages --------------------------------------------------------------------------------- */

int pu_client_send(struct pu_client *client, struct pu_err *err)
{
    int64_t deadline = pu_time_clock() + client->timeout;
    size_t sent = 0;

    if (client->out.failed)
        return pu_err_system(err, ENOMEM, "cannot hold the request");
    while (sent < client->out.size) {
        ssize_t more =
            send(client->fd, client->out.data + sent, client->out.size - sent, MSG_NOSIGNAL);
        if (more > 0)
            sent += (size_t)more;
        else if (errno != EAGAIN && errno != EINTR)
            return broken(errno, err);
        else if (await(client->fd, POLLOUT, deadline, err) < 0)
            return -1;
    }
    client->out.size = 0;
    return 0;
}

/* Until `size` bytes are there. */
static int fill(struct pu_client *client, size_t size, int64_t deadline, struct pu_err *err)
{
    while (client->in.size < size) {
        size_t piece = size - client->in.size < PIECE ? size - client->in.size : PIECE;
        char *to = pu_buf_room(&client->in, piece);
        if (!to)
            return pu_err_system(err, ENOMEM, "cannot hold the logger's answer");
        ssize_t more = recv(client->fd, to, piece, 0);
        if (more > 0)
            client->in.size += (size_t)more;
        else if (more == 0)
            return broken(0, err);
        else if (errno != EAGAIN && errno != EINTR)
            return broken(errno, err);
        else if (await(client->fd, POLLIN, deadline, err) < 0)
            return -1;
    }
    return 0;
}

static int read_message(struct pu_client *client, struct pu_logger_header *header,
                        struct pu_err *err)
{
    int64_t deadline = pu_time_clock() + client->timeout;

    client->in.size = 0;
    if (fill(client, PU_LOGGER_HEADER, deadline, err) < 0 ||
        pu_logger_get_header(pu_buf_span(&client->in), header, err) < 0)
        return -1;
    if (header->type != PU_LOGGER_RESULT && header->length > PU_LOGGER_OTHER_MAX)
        return pu_err_damage(err, 0, "the logger's answer claims to have %u bytes", header->length);
    return fill(client, header->length, deadline, err);
}

int pu_client_receive(struct pu_client *client, const uint32_t *types,
                      struct pu_logger_header *header, struct pu_err *err)
{
    int32_t code = 0;

    if (read_message(client, header, err) < 0)
        return -1;
    if (header->type == PU_LOGGER_ERROR) {
        if (pu_logger_get_error(pu_buf_span(&client->in), &code, err) < 0)
            return -1;
        if (code < 0)
            return reported(err, code);
    }
    for (const uint32_t *type = types; *type; type++) {
        if (header->type == *type)
            return 0;
    }
    return pu_err_damage(err, 4, "an answer of type 0x%x, which does not belong here",
                         header->type);
}
