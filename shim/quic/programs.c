/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which programs bear a pause in a handshake of QUIC. This is knowledge of their sources, version by version, and no
 * program is tried in the hope that it does. Each tells its version by a symbol that it exports for its own modules.
 *
 * nginx (ngx_event_quic_ssl.c): behind the call that reads the client's hello nothing happens. The callbacks only make
 * frames, and post the event that sends them; posted events run whenever epoll_wait() has returned, also if it returned
 * no event. That is legal while a timer is set, and a connection always has one. Before 1.29.1 it does not use these
 * callbacks.
 *
 * HAProxy (quic_ssl.c, quic_sock.c): "want read" means "in progress". A connection has a socket of its own, registered
 * with the poller of its thread. What follows the read there sends what the callbacks have queued. With
 * `quic-socket listener` there is no such socket, and handshakes stay synchronous. Before 3.2 it does not use these
 * callbacks.
 */
#include "quic/quic.h"

#include "base/settings.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum oct_quic_way oct_quic_way;

static const char *said = "";

OCT_AT_START void oct_quic_start(const char *setting)
{
    static const char *const ways[] = {"off", "wait", "socket"};
    size_t n;
    const char *value = oct_setting_option(setting, "quic", &n);
    for (size_t i = 0; value != NULL && i < sizeof ways / sizeof ways[0]; i++)
        if (n == strlen(ways[i]) && strncmp(value, ways[i], n) == 0)
            said = ways[i];
}

/* The head of any module of nginx's, up to what it says of its version; that is 1030006 in 1.30.6. */
struct nginx_module {
    uintptr_t indices[2];
    char *name;
    uintptr_t spare[2];
    uintptr_t version;
};

static unsigned nginx_version(const void *symbol)
{
    const struct nginx_module *module = symbol;
    return (unsigned)module->version;
}

#define NUMBERS 3

/* "3.2.26-1+b1" as 3002026. */
static unsigned haproxy_version(const void *symbol)
{
    const char *text = symbol;
    unsigned version = 0;
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        version = version * 1000 + (unsigned)strtoul(text, &end, 10);
        text = *end == '.' ? end + 1 : end;
    }
    return version;
}

/* From this version on, and before that one. */
struct program {
    const char *symbol;
    unsigned (*version)(const void *symbol);
    unsigned first, end;
    enum oct_quic_way way;
};

static const struct program programs[] = {
    {"ngx_core_module", nginx_version, 1029001, 1032000, OCT_QUIC_IN_WAIT},
    {"haproxy_version", haproxy_version, 3002000, 3005000, OCT_QUIC_BY_SOCKET},
};

enum oct_quic_state oct_quic_state(void)
{
    static const enum oct_quic_state states[] = {
        [OCT_QUIC_IN_WAIT] = OCT_QUIC_STATE_WAIT, [OCT_QUIC_BY_SOCKET] = OCT_QUIC_STATE_SOCKET};
    if (oct_quic_way != OCT_QUIC_STAYS)
        return states[oct_quic_way];
    return strcmp(said, "off") == 0 ? OCT_QUIC_STATE_OFF : OCT_QUIC_STATE_UNKNOWN;
}

void oct_quic_decide(void)
{
    if (strcmp(said, "off") == 0)
        return;
    if (strcmp(said, "wait") == 0)
        oct_quic_way = OCT_QUIC_IN_WAIT;
    else if (strcmp(said, "socket") == 0)
        oct_quic_way = OCT_QUIC_BY_SOCKET;
    for (size_t i = 0; oct_quic_way == OCT_QUIC_STAYS && i < sizeof programs / sizeof programs[0]; i++) {
        const void *symbol = dlsym(RTLD_DEFAULT, programs[i].symbol);
        const unsigned version = symbol != NULL ? programs[i].version(symbol) : 0;
        if (version >= programs[i].first && version < programs[i].end)
            oct_quic_way = programs[i].way;
    }
    if (oct_quic_way != OCT_QUIC_STAYS)
        oct_way_quic = &oct_quic_led;
}
