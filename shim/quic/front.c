/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * In front of the callbacks of SSL_set_quic_tls_cbs(). They are called as they would be, until the program frees a
 * connection that is paused: it may have freed what the callbacks work on before (HAProxy does). libssl unwinds then,
 * and finds callbacks that fail.
 */
#include "quic/quic.h"

#include "fds/fds.h"
#include "handshake/known.h"
#include "libssl/hook.h"

#include <openssl/core.h>

/* From 3.5 on these are in <openssl/core_dispatch.h>. */
enum { CRYPTO_SEND = 2001, CRYPTO_RECV, CRYPTO_RELEASE, YIELD_SECRET, GOT_PARAMS, ALERT, END };
#define CALLBACKS (END - CRYPTO_SEND)

typedef int send_function(SSL *s, const unsigned char *buf, size_t n, size_t *consumed, void *arg);
typedef int recv_function(SSL *s, const unsigned char **buf, size_t *n, void *arg);
typedef int release_function(SSL *s, size_t n, void *arg);
typedef int secret_function(SSL *s, uint32_t level, int direction, const unsigned char *secret, size_t n, void *arg);
typedef int params_function(SSL *s, const unsigned char *params, size_t n, void *arg);
typedef int alert_function(SSL *s, unsigned char alert, void *arg);

/* It lives as long as its SSL object. */
struct oct_quic {
    void (*program[CALLBACKS])(void);
    void *arg; /* the program's */
    bool cut;
    int fd;
    uint32_t fd_generation;
};

#define PROGRAM(quic, name, type) ((type *)(quic)->program[(name)-CRYPTO_SEND])

static int front_send(SSL *s, const unsigned char *buf, size_t n, size_t *consumed, void *arg)
{
    const struct oct_quic *quic = arg;
    return quic->cut ? 0 : PROGRAM(quic, CRYPTO_SEND, send_function)(s, buf, n, consumed, quic->arg);
}

static int front_recv(SSL *s, const unsigned char **buf, size_t *n, void *arg)
{
    const struct oct_quic *quic = arg;
    return quic->cut ? 0 : PROGRAM(quic, CRYPTO_RECV, recv_function)(s, buf, n, quic->arg);
}

static int front_release(SSL *s, size_t n, void *arg)
{
    const struct oct_quic *quic = arg;
    return quic->cut ? 1 : PROGRAM(quic, CRYPTO_RELEASE, release_function)(s, n, quic->arg);
}

static int front_secret(SSL *s, uint32_t level, int direction, const unsigned char *secret, size_t n, void *arg)
{
    const struct oct_quic *quic = arg;
    return quic->cut ? 0 : PROGRAM(quic, YIELD_SECRET, secret_function)(s, level, direction, secret, n, quic->arg);
}

static int front_params(SSL *s, const unsigned char *params, size_t n, void *arg)
{
    const struct oct_quic *quic = arg;
    return quic->cut ? 0 : PROGRAM(quic, GOT_PARAMS, params_function)(s, params, n, quic->arg);
}

static int front_alert(SSL *s, unsigned char alert, void *arg)
{
    const struct oct_quic *quic = arg;
    return quic->cut ? 1 : PROGRAM(quic, ALERT, alert_function)(s, alert, quic->arg);
}

static const OSSL_DISPATCH front[] = {
    {CRYPTO_SEND, (void (*)(void))front_send},
    {CRYPTO_RECV, (void (*)(void))front_recv},
    {CRYPTO_RELEASE, (void (*)(void))front_release},
    {YIELD_SECRET, (void (*)(void))front_secret},
    {GOT_PARAMS, (void (*)(void))front_params},
    {ALERT, (void (*)(void))front_alert},
    {0, NULL},
};

void oct_quic_cut(struct oct_conn *conn, bool cut)
{
    if (cut)
        OCT_QUIC_COUNT(freed);
    conn->quic->cut = cut;
}

int oct_quic_socket(const struct oct_quic *quic)
{
    return quic->fd >= 0 && oct_fd_is_same(quic->fd, quic->fd_generation) ? quic->fd : -1;
}

/* NULL unless these are the callbacks that we know, and all of them: a later release may have others, which would get
 * an argument that is not theirs. The same object may get other callbacks later. */
static struct oct_quic *made_for(SSL *s, const OSSL_DISPATCH *table, void *arg)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_quic taken = {.arg = arg, .fd = -1}, *quic = oct_known(s, OCT_KNOWN_QUIC);
    unsigned found = 0;

    for (; table != NULL && table->function_id != 0; table++) {
        if (table->function_id < CRYPTO_SEND || table->function_id >= END || table->function == NULL)
            return NULL;
        taken.program[table->function_id - CRYPTO_SEND] = table->function;
        found |= 1u << (table->function_id - CRYPTO_SEND);
    }
    if (found != (1u << CALLBACKS) - 1)
        return NULL;
    if (quic == NULL) {
        quic = ssl->CRYPTO_zalloc(sizeof *quic, __FILE__, __LINE__);
        if (quic == NULL || !oct_known_set(s, OCT_KNOWN_QUIC, quic)) {
            ssl->CRYPTO_free(quic, __FILE__, __LINE__);
            return NULL;
        }
    }
    taken.fd = oct_quic_take_socket(&taken.fd_generation);
    *quic = taken;
    return quic;
}

OCT_HOOK int SSL_set_quic_tls_cbs(SSL *s, const OSSL_DISPATCH *table, void *arg)
{
    OCT_OWN(SSL_set_quic_tls_cbs(s, table, arg));
    struct oct_conn *conn = oct_shim_serves(own) && s != NULL ? oct_conn_get(s) : NULL;
    if (conn == NULL || conn->state != OCT_CONN_RUNNING)
        return own->SSL_set_quic_tls_cbs(s, table, arg);
    __atomic_store_n(&oct_quic_counters()->state, oct_quic_state(), __ATOMIC_RELAXED);
    OCT_QUIC_COUNT(connections);
    conn->quic = oct_way_quic != NULL ? made_for(s, table, arg) : NULL;
    conn->way = conn->quic != NULL ? oct_way_quic : &oct_way_socket;
    if (conn->quic == NULL)
        oct_conn_leave(conn);
    return own->SSL_set_quic_tls_cbs(s, conn->quic != NULL ? front : table, conn->quic != NULL ? conn->quic : arg);
}
