/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Callbacks of sessions, tickets and secrets that both ends know. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callbacks.h"

#include <openssl/core_names.h>
#include <openssl/hmac.h>

static SSL_SESSION *kept[64];
static int kept_count;

static int keep(SSL *s, SSL_SESSION *session)
{
    (void)s;
    callback_work();
    if (kept_count == 64)
        return 0;
    kept[kept_count++] = session;
    return 1;
}

static void forget_kept(void)
{
    while (kept_count > 0)
        SSL_SESSION_free(kept[--kept_count]);
}

static void removed(SSL_CTX *ctx, SSL_SESSION *session)
{
    (void)ctx, (void)session;
    callback_work();
}

static SSL_SESSION *look_up(SSL *s, const unsigned char *id, int n, int *copy)
{
    (void)s;
    callback_work();
    *copy = 1;
    for (int i = 0; i < kept_count; i++) {
        unsigned length;
        const unsigned char *has = SSL_SESSION_get_id(kept[i], &length);
        if (length == (unsigned)n && memcmp(has, id, length) == 0)
            return kept[i];
    }
    return NULL;
}

static int new_id(SSL *s, unsigned char *id, unsigned *n)
{
    static unsigned count;
    (void)s;
    callback_work();
    memset(id, 0, *n);
    memcpy(id, &(unsigned){++count}, sizeof count);
    return 1;
}

static void ctx_keep(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_sess_set_new_cb(own, keep);
}

/* With room for one session, each handshake throws out the one before. */
static void ctx_removed(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_sess_set_cache_size(own, 1);
    SSL_CTX_sess_set_remove_cb(own, removed);
}

static int keep_only(SSL *s, SSL_SESSION *session)
{
    (void)s;
    if (kept_count == 64)
        return 0;
    kept[kept_count++] = session;
    return 1;
}

static void ctx_look_up(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_session_cache_mode(own, SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(own, keep_only);
    SSL_CTX_sess_set_get_cb(own, look_up);
}

static void ctx_new_id(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_generate_session_id(own, new_id);
}
static void ssl_new_id(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_generate_session_id(own, new_id);
}

static int not_resumable(SSL *s, int is_forward_secure)
{
    (void)s, (void)is_forward_secure;
    callback_work();
    return 0;
}

static void ctx_resumable(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_not_resumable_session_callback(own, not_resumable);
}

static void ssl_resumable(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_not_resumable_session_callback(own, not_resumable);
}

static int ticket_made(SSL *s, void *arg)
{
    (void)s, (void)arg;
    callback_work();
    return 1;
}

static SSL_TICKET_RETURN ticket_read(SSL *s, SSL_SESSION *session, const unsigned char *name, size_t n,
                                     SSL_TICKET_STATUS status, void *arg)
{
    (void)s, (void)session, (void)name, (void)n, (void)arg;
    callback_work();
    return status == SSL_TICKET_SUCCESS         ? SSL_TICKET_RETURN_USE
           : status == SSL_TICKET_SUCCESS_RENEW ? SSL_TICKET_RETURN_USE_RENEW
                                                : SSL_TICKET_RETURN_IGNORE_RENEW;
}

static void ctx_ticket(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_session_ticket_cb(own, ticket_made, ticket_read, NULL);
}

static unsigned char secret[32] = "no secret";

static int ticket_keys(SSL *s, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                       int seals)
{
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, secret, sizeof secret),
                           OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){"SHA256"}, 0),
                           OSSL_PARAM_construct_end()};
    (void)s;
    callback_work();
    if (seals) {
        memset(name, 'n', 16);
        memset(iv, 'i', 16);
    }
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, secret, iv, seals) && EVP_MAC_CTX_set_params(mac, params);
}

static void ctx_ticket_keys(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_tlsext_ticket_key_evp_cb(own, ticket_keys);
}

static int ticket_seen(SSL *s, const unsigned char *data, int n, void *arg)
{
    (void)s, (void)data, (void)n, (void)arg;
    callback_work();
    return 1;
}

static int own_secret(SSL *s, void *out, int *n, STACK_OF(SSL_CIPHER) * ciphers, const SSL_CIPHER **cipher, void *arg)
{
    (void)s, (void)out, (void)n, (void)ciphers, (void)cipher, (void)arg;
    callback_work();
    return 0;
}

static void ssl_ticket_seen(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_session_ticket_ext_cb(own, ticket_seen, NULL);
}
static void ssl_secret(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_session_secret_cb(own, own_secret, NULL);
}

static int allow_early(SSL *s, void *arg)
{
    (void)s, (void)arg;
    callback_work();
    return 1;
}

static void ctx_early(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_max_early_data(own, 1024);
    SSL_CTX_set_allow_early_data_cb(own, allow_early, NULL);
}

static void room_for_early(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_max_early_data(own, 1024);
}

static void peer_is_early(SSL *peer)
{
    size_t n;
    if (SSL_get_session(peer) != NULL)
        callback_tally.wrong += SSL_write_early_data(peer, "early", 5, &n) != 1;
}

static void ssl_peer_is_early(SSL *own, SSL *peer)
{
    (void)own;
    peer_is_early(peer);
}

static void ssl_early(SSL *own, SSL *peer)
{
    SSL_set_allow_early_data_cb(own, allow_early, NULL);
    peer_is_early(peer);
}

/* Early data until there is no more, then the handshake. */
static int read_early(struct pair *p)
{
    static char no_more;
    char bytes[16];
    size_t n;
    while (SSL_get_app_data(p->server) != &no_more) {
        const int value = SSL_read_early_data(p->server, bytes, sizeof bytes, &n);
        if (value == SSL_READ_EARLY_DATA_ERROR)
            return -1;
        if (value == SSL_READ_EARLY_DATA_FINISH)
            SSL_set_app_data(p->server, &no_more);
        else
            callback_tally.wrong += n != 5 || memcmp(bytes, "early", 5) != 0;
    }
    return SSL_do_handshake(p->server);
}

#ifndef OPENSSL_NO_DEPRECATED_3_0
static int ticket_keys_old(SSL *s, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, HMAC_CTX *mac,
                           int seals)
{
    (void)s;
    callback_work();
    if (seals) {
        memset(name, 'n', 16);
        memset(iv, 'i', 16);
    }
    return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, secret, iv, seals) &&
           HMAC_Init_ex(mac, secret, sizeof secret, EVP_sha256(), NULL);
}

static void ctx_ticket_keys_old(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_tlsext_ticket_key_cb(own, ticket_keys_old);
}
#endif

static const struct callback_row rows[] = {
    ROW(SSL_CTX_sess_set_new_cb, .flags = NO_TICKETS, .kind = TLS12_ECDHE, .ctx = ctx_keep, .undo = forget_kept),
    ROW(SSL_CTX_sess_set_remove_cb, .flags = NO_TICKETS, .kind = TLS12_ECDHE, .ctx = ctx_removed),
    ROW(SSL_CTX_sess_set_get_cb, .flags = NO_TICKETS | RESUMES, .kind = TLS12_ECDHE, .ctx = ctx_look_up,
        .undo = forget_kept),
    ROW(SSL_CTX_set_generate_session_id, .flags = NO_TICKETS, .kind = TLS12_ECDHE, .ctx = ctx_new_id),
    ROW(SSL_set_generate_session_id, .flags = NO_TICKETS, .kind = TLS12_ECDHE, .ssl = ssl_new_id),
    ROW(SSL_CTX_set_not_resumable_session_callback, .kind = TLS12_ECDHE, .ctx = ctx_resumable),
    ROW(SSL_set_not_resumable_session_callback, .kind = TLS12_ECDHE, .ssl = ssl_resumable),
    ROW(SSL_CTX_set_session_ticket_cb, .flags = RESUMES, .ctx = ctx_ticket),
    ROW(SSL_CTX_set_tlsext_ticket_key_evp_cb, .flags = RESUMES, .ctx = ctx_ticket_keys),
    ROW(SSL_set_session_ticket_ext_cb, .kind = TLS12_ECDHE, .ssl = ssl_ticket_seen),
    ROW(SSL_set_session_secret_cb, .kind = TLS12_ECDHE, .ssl = ssl_secret),
    ROW(SSL_CTX_set_allow_early_data_cb, .flags = RESUMES | MIXED, .ctx = ctx_early, .ssl = ssl_peer_is_early,
        .drive = read_early),
    ROW(SSL_set_allow_early_data_cb, .flags = RESUMES | MIXED, .ctx = room_for_early, .ssl = ssl_early,
        .drive = read_early),
#ifndef OPENSSL_NO_DEPRECATED_3_0
    ROW(SSL_CTX_set_tlsext_ticket_key_cb, .flags = RESUMES, .kind = TLS12_ECDHE, .ctx = ctx_ticket_keys_old),
#endif
};
const struct callback_table callbacks_sessions = {rows, sizeof rows / sizeof rows[0]};
