/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "logger/pmcd.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "pcp/compat.h"

_Static_assert(PU_PMCD_TIMEOUT == PM_ERR_TIMEOUT && PU_PMCD_DENIED == PM_ERR_PERMISSION,
               "PCP's numbers are others");

int pu_pmcd_open(const char *host, int *context, struct pu_err *err)
{
    char text[PM_MAXERRMSGLEN];
    int code = pmNewContext(PM_CONTEXT_HOST, host);

    if (code < 0) {
        pu_err_set(err, PU_E_PMAPI, "cannot connect: %s", pmErrStr_r(code, text, sizeof(text)));
        err->status = code;
        return -1;
    }
    *context = code;
    return 0;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The local protocols name no host. */
static bool is_unix(const char *connection)
{
    return begins(connection, "local:") || begins(connection, "unix:");
}

/* The host in a specification: what stands before its port, a proxy, attributes. An address of IPv6
 * has colons of its own, and should be in brackets. */
static struct pu_span host_in(const char *spec)
{
    static const char *const schemes[] = {"pcp://", "pcps://"};

    for (size_t i = 0; i < 2; i++)
        spec += begins(spec, schemes[i]) ? strlen(schemes[i]) : 0;
    if (*spec == '[') {
        spec++;
        return pu_span_clip(pu_span_text(spec), 0, strcspn(spec, "]"));
    }
    size_t size = strcspn(spec, "@?/");
    const char *colon = memchr(spec, ':', size);
    if (colon && !memchr(colon + 1, ':', size - (size_t)(colon + 1 - spec)))
        size = (size_t)(colon - spec);
    return pu_span_clip(pu_span_text(spec), 0, size);
}

int pu_pmcd_host(const char *spec, char host[PU_PMCD_HOST_MAX])
{
    struct pu_span name = is_unix(spec) ? pu_span_text("localhost") : host_in(spec);

    if (name.size == 0 || name.size >= PU_PMCD_HOST_MAX)
        return -1;
    memcpy(host, name.data, name.size);
    host[name.size] = '\0';
    return 0;
}

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || begins(host, "localhost.") || begins(host, "127.") ||
           strcmp(host, "::1") == 0;
}

enum pu_pmcd_place pu_pmcd_seen_from(const char *connection, const char *host,
                                     char spec[PU_PMCD_SPEC_MAX])
{
    char name[PU_PMCD_HOST_MAX];

    if (is_unix(connection))
        return PU_PMCD_THERE;
    if (pu_pmcd_host(connection, name) < 0 || !is_loopback(name))
        return PU_PMCD_ELSEWHERE;
    const char *rest = strstr(connection, name) + strlen(name);
    rest += *rest == ']';
    if (!*rest)
        return PU_PMCD_THERE;
    snprintf(spec, PU_PMCD_SPEC_MAX, strchr(host, ':') ? "[%s]%s" : "%s%s", host, rest);
    return PU_PMCD_AT;
}
