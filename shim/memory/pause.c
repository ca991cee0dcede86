/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * When a handshake may pause whose bytes come through memory. The record that will wake it has to come where a record
 * may begin, and may be dropped: libssl has all that the program has read, nothing of it is half a record, there is no
 * early data, and the version is known to be 1.3. Anything else stays synchronous.
 */
#include "memory/memory.h"

#include "handshake/socket.h"
#include "handshake/thread.h"

#include "base/settings.h"

#include <string.h>

#define SWITCH "memory"

enum { UNKNOWN, OFF, ON };
static int state;

static bool says(const char *value, size_t length, const char *word)
{
    return value != NULL && length == strlen(word) && strncmp(value, word, length) == 0;
}

OCT_AT_START void oct_memory_start(const char *setting)
{
    size_t length;
    const char *value = oct_setting_option(setting, SWITCH, &length);
    state = says(value, length, "off") ? OFF : says(value, length, "on") ? ON : UNKNOWN;
    oct_way_memory = &oct_memory_way;
}

/* Asked when the first such connection comes: the program has loaded by then what it is known by. */
static bool is_on(void)
{
    int now = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (__builtin_expect(now == UNKNOWN, 0)) {
        now = oct_memory_program() ? ON : OFF;
        __atomic_store_n(&state, now, __ATOMIC_RELAXED);
    }
    return now == ON;
}

/* A program that lets libssl write to the socket will let it read there too (socket.c). */
static bool will_show(struct oct_conn *conn, const struct oct_thread *t)
{
    if (t->hellos == NULL || conn->socket.away_fd >= 0 || !oct_ssl()->SSL_is_server(conn->ssl))
        return false;
    const bool on = is_on();
    __atomic_store_n(&oct_memory_counters()->state, on ? OCT_MEMORY_STATE_ON : OCT_MEMORY_STATE_OFF, __ATOMIC_RELAXED);
    if (!on)
        return false;
    const struct oct_hello *hello = oct_hello_of(t, t->hellos->last_fd);
    return hello != NULL && hello->conn == NULL && oct_way_wakes(conn, t, hello->fd);
}

bool oct_memory_has_more(const struct oct_conn *conn)
{
    BIO *bio = oct_ssl()->SSL_get_rbio(conn->ssl);
    const struct oct_hello *hello = conn->hello;
    return hello->ended || bio == NULL || oct_ssl()->BIO_number_read(bio) != hello->bytes;
}

/* It may not pause. */
static bool stays(enum oct_memory_stay why)
{
    OCT_MEMORY_COUNT(stayed[why]);
    return false;
}

static bool may_pause(struct oct_conn *conn)
{
    if (oct_socket_blocks(conn))
        return false;
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_hello *hello = conn->hello;
    if (hello == NULL) {
        hello = oct_hello_find(conn, conn->thread);
        if (hello == NULL)
            return stays(OCT_MEMORY_STAY_SOCKET);
        OCT_MEMORY_COUNT(connections);
        hello->conn = conn;
        conn->hello = hello;
        conn->way = &oct_memory_way;
        conn->socket.hidden_fd = hello->fd;
    }
    if (ssl->SSL_version(conn->ssl) != TLS1_3_VERSION)
        return stays(OCT_MEMORY_STAY_VERSION);
    if (ssl->SSL_get_early_data_status(conn->ssl) != SSL_EARLY_DATA_NOT_SENT)
        return stays(OCT_MEMORY_STAY_EARLY);
    /* The record of the last pause has to be behind us: one more would come before its rest. */
    if ((hello->given != 0 && hello->given != OCT_MEMORY_RECORD) || ssl->SSL_has_pending(conn->ssl) ||
        oct_memory_has_more(conn))
        return stays(OCT_MEMORY_STAY_MORE);
    hello->given = 0;
    hello->taken = false;
    if (!oct_way_is_open(conn))
        return false;
    OCT_MEMORY_COUNT(pauses);
    return true;
}

static bool may_wait(const struct oct_conn *conn)
{
    return !oct_memory_has_more(conn);
}

const struct oct_way oct_memory_way = {
    .fed = true,
    .is_on = is_on,
    .will_show = will_show,
    .may_begin = oct_way_may_begin,
    .may_pause = may_pause,
    .may_wait = may_wait,
    .takes = oct_memory_take,
    .calls = oct_memory_again,
    .moved = oct_hello_moved,
    .left = oct_hello_leave,
};
