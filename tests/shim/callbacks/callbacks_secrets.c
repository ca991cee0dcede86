/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Callbacks of secrets that both ends know already, and of extensions that OpenSSL does not know. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callbacks.h"

#include <openssl/srp.h>

static unsigned char secret[32] = "no secret";

static unsigned secret_of_server(SSL *s, const char *identity, unsigned char *psk, unsigned max)
{
    (void)s, (void)identity;
    memcpy(psk, secret, max < 32 ? max : 32);
    return 32;
}

static unsigned secret_of_client(SSL *s, const char *hint, char *identity, unsigned max, unsigned char *psk,
                                 unsigned psk_max)
{
    (void)s, (void)hint;
    strncpy(identity, "it", max);
    memcpy(psk, secret, psk_max < 32 ? psk_max : 32);
    return 32;
}

static unsigned busy_server(SSL *s, const char *identity, unsigned char *psk, unsigned max)
{
    callback_work();
    const unsigned n = secret_of_server(s, identity, psk, max);
    return n;
}

static unsigned busy_client(SSL *s, const char *hint, char *identity, unsigned max, unsigned char *psk,
                            unsigned psk_max)
{
    callback_work();
    const unsigned n = secret_of_client(s, hint, identity, max, psk, psk_max);
    return n;
}

static SSL_SESSION *session_of_both(void)
{
    static const unsigned char aes_128_gcm_sha256[] = {0x13, 0x01};
    SSL *s = SSL_new(world_client_ctx());
    SSL_SESSION *session = SSL_SESSION_new();
    const bool ok = SSL_SESSION_set1_master_key(session, secret, sizeof secret) &&
                    SSL_SESSION_set_cipher(session, SSL_CIPHER_find(s, aes_128_gcm_sha256)) &&
                    SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) &&
                    SSL_SESSION_set1_id_context(session, (const unsigned char *)"it", 2);
    SSL_free(s);
    callback_tally.wrong += !ok;
    return session;
}

static int find_session(SSL *s, const unsigned char *identity, size_t n, SSL_SESSION **session)
{
    (void)s, (void)identity, (void)n;
    *session = session_of_both();
    return 1;
}

static int use_session(SSL *s, const EVP_MD *md, const unsigned char **id, size_t *n, SSL_SESSION **session)
{
    (void)s, (void)md;
    *id = (const unsigned char *)"it";
    *n = 2;
    *session = session_of_both();
    return 1;
}

static int busy_find(SSL *s, const unsigned char *identity, size_t n, SSL_SESSION **session)
{
    callback_work();
    const int ok = find_session(s, identity, n, session);
    return ok;
}

static int busy_use(SSL *s, const EVP_MD *md, const unsigned char **id, size_t *n, SSL_SESSION **session)
{
    callback_work();
    const int ok = use_session(s, md, id, n, session);
    return ok;
}

/* One end has the callback that is tested; the other must have one too. */
#define BOTH(what, type, own_setter, own_function, peer_setter, peer_function)                                         \
    static void what(type *own, type *peer)                                                                            \
    {                                                                                                                  \
        own_setter(own, own_function);                                                                                 \
        peer_setter(peer, peer_function);                                                                              \
    }
BOTH(ctx_server, SSL_CTX, SSL_CTX_set_psk_server_callback, busy_server, SSL_CTX_set_psk_client_callback,
     secret_of_client)
BOTH(ssl_server, SSL, SSL_set_psk_server_callback, busy_server, SSL_set_psk_client_callback, secret_of_client)
BOTH(ctx_client, SSL_CTX, SSL_CTX_set_psk_client_callback, busy_client, SSL_CTX_set_psk_server_callback,
     secret_of_server)
BOTH(ssl_client, SSL, SSL_set_psk_client_callback, busy_client, SSL_set_psk_server_callback, secret_of_server)
BOTH(ctx_find, SSL_CTX, SSL_CTX_set_psk_find_session_callback, busy_find, SSL_CTX_set_psk_use_session_callback,
     use_session)
BOTH(ssl_find, SSL, SSL_set_psk_find_session_callback, busy_find, SSL_set_psk_use_session_callback, use_session)
BOTH(ctx_use, SSL_CTX, SSL_CTX_set_psk_use_session_callback, busy_use, SSL_CTX_set_psk_find_session_callback,
     find_session)
BOTH(ssl_use, SSL, SSL_set_psk_use_session_callback, busy_use, SSL_set_psk_find_session_callback, find_session)

#define OWN_EXTENSION 61000
#define IN_HELLO      (SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_3_ENCRYPTED_EXTENSIONS)

static int add_old(SSL *s, unsigned type, const unsigned char **out, size_t *n, int *alert, void *arg)
{
    (void)s, (void)type, (void)alert, (void)arg;
    callback_work();
    *out = (const unsigned char *)"it";
    *n = 2;
    return 1;
}

static void free_old(SSL *s, unsigned type, const unsigned char *out, void *arg)
{
    (void)s, (void)type, (void)out, (void)arg;
    callback_work();
}

static int parse_old(SSL *s, unsigned type, const unsigned char *in, size_t n, int *alert, void *arg)
{
    (void)s, (void)type, (void)in, (void)n, (void)alert, (void)arg;
    callback_work();
    return 1;
}

static int add(SSL *s, unsigned type, unsigned context, const unsigned char **out, size_t *n, X509 *x, size_t index,
               int *alert, void *arg)
{
    (void)context, (void)x, (void)index;
    if (arg == NULL)
        callback_work();
    (void)s, (void)type, (void)alert;
    *out = (const unsigned char *)"it";
    *n = 2;
    return 1;
}

static void freed(SSL *s, unsigned type, unsigned context, const unsigned char *out, void *arg)
{
    (void)s, (void)type, (void)context, (void)out;
    if (arg == NULL)
        callback_work();
}

static int parse(SSL *s, unsigned type, unsigned context, const unsigned char *in, size_t n, X509 *x, size_t index,
                 int *alert, void *arg)
{
    (void)s, (void)type, (void)context, (void)in, (void)n, (void)x, (void)index, (void)alert;
    if (arg == NULL)
        callback_work();
    return 1;
}

static void quiet_extension(SSL_CTX *ctx, unsigned context)
{
    SSL_CTX_add_custom_ext(ctx, OWN_EXTENSION, context, add, freed, ctx, parse, ctx);
}

static void ctx_extension(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_add_custom_ext(own, OWN_EXTENSION, IN_HELLO, add, freed, NULL, parse, NULL);
    quiet_extension(peer, IN_HELLO);
}

static void client_extension(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_add_client_custom_ext(own, OWN_EXTENSION, add_old, free_old, NULL, parse_old, NULL);
    quiet_extension(peer, SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO);
}

static void server_extension(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_add_server_custom_ext(own, OWN_EXTENSION, add_old, free_old, NULL, parse_old, NULL);
    quiet_extension(peer, SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO);
}

#if !defined(OPENSSL_NO_SRP) && !defined(OPENSSL_NO_DEPRECATED_3_0)
static int quiet_user(SSL *s, int *alert, void *arg)
{
    (void)alert, (void)arg;
    return SSL_set_srp_server_param_pw(s, "it", "secret", "2048") > 0 ? SSL_ERROR_NONE : SSL3_AL_FATAL;
}

static int busy_user(SSL *s, int *alert, void *arg)
{
    callback_work();
    const int value = quiet_user(s, alert, arg);
    return value;
}

static char *busy_password(SSL *s, void *arg)
{
    (void)s, (void)arg;
    callback_work();
    return OPENSSL_strdup("secret");
}

static int busy_group(SSL *s, void *arg)
{
    (void)s, (void)arg;
    callback_work();
    return 1;
}

static void srp(SSL_CTX *server, SSL_CTX *client)
{
    SSL_CTX_set_srp_username_callback(server, quiet_user);
    SSL_CTX_set_srp_username(client, (char[]){"it"});
    SSL_CTX_set_srp_password(client, (char[]){"secret"});
}

static void srp_user(SSL_CTX *own, SSL_CTX *peer)
{
    srp(own, peer);
    SSL_CTX_set_srp_username_callback(own, busy_user);
}
static void srp_group(SSL_CTX *own, SSL_CTX *peer)
{
    srp(peer, own);
    SSL_CTX_set_srp_verify_param_callback(own, busy_group);
}

static void srp_password(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_set_srp_username_callback(peer, quiet_user);
    SSL_CTX_set_srp_username(own, (char[]){"it"});
    SSL_CTX_set_srp_client_pwd_callback(own, busy_password);
}
#endif

static const struct callback_row rows[] = {
    ROW(SSL_CTX_set_psk_server_callback, .kind = TLS12_ECDHE, .ciphers = "kECDHEPSK", .ctx = ctx_server),
    ROW(SSL_set_psk_server_callback, .kind = TLS12_ECDHE, .ciphers = "kECDHEPSK", .ssl = ssl_server),
    ROW(SSL_CTX_set_psk_client_callback, .kind = TLS12_ECDHE, .flags = OWN_CONNECTS, .ciphers = "kECDHEPSK",
        .ctx = ctx_client),
    ROW(SSL_set_psk_client_callback, .kind = TLS12_ECDHE, .flags = OWN_CONNECTS, .ciphers = "kECDHEPSK",
        .ssl = ssl_client),
    ROW(SSL_CTX_set_psk_find_session_callback, .flags = REUSED, .ctx = ctx_find),
    ROW(SSL_set_psk_find_session_callback, .flags = REUSED, .ssl = ssl_find),
    ROW(SSL_CTX_set_psk_use_session_callback, .flags = OWN_CONNECTS | REUSED, .ctx = ctx_use),
    ROW(SSL_set_psk_use_session_callback, .flags = OWN_CONNECTS | REUSED, .ssl = ssl_use),
    ROW(SSL_CTX_add_custom_ext, .ctx = ctx_extension),
    ROW(SSL_CTX_add_server_custom_ext, .kind = TLS12_ECDHE, .ctx = server_extension),
    ROW(SSL_CTX_add_client_custom_ext, .kind = TLS12_ECDHE, .flags = OWN_CONNECTS, .ctx = client_extension),
#if !defined(OPENSSL_NO_SRP) && !defined(OPENSSL_NO_DEPRECATED_3_0)
    ROW(SSL_CTX_set_srp_username_callback, .kind = TLS12_ECDHE, .ciphers = "aSRP", .ctx = srp_user),
    ROW(SSL_CTX_set_srp_client_pwd_callback, .kind = TLS12_ECDHE, .flags = OWN_CONNECTS, .ciphers = "aSRP",
        .ctx = srp_password),
    ROW(SSL_CTX_set_srp_verify_param_callback, .kind = TLS12_ECDHE, .flags = OWN_CONNECTS, .ciphers = "aSRP",
        .ctx = srp_group),
#endif
};
const struct callback_table callbacks_secrets = {rows, sizeof rows / sizeof rows[0]};
