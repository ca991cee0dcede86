/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * libssl chooses a certificate late: by the name that the client asks for, and by what it can verify. So the method
 * stands in for the key when libssl has come to the state in which it is used, which the info callback tells. It goes
 * as soon as libssl has its result. While it stands there the program is in no callback but that of the call's end, and
 * whoever else looks at the object forces the operation first. SSL_set_private_key_method() takes the object's key
 * away, which is put back; a callback that asks for it gets it all the same.
 */
#include "method/method.h"

#include "handshake/above.h"
#include "handshake/known.h"
#include "handshake/slice.h"

#include "base/policy.h"

#include <stdlib.h>
#include <string.h>

#define EVP_PKEY_RSA_ID  6 /* in AWS-LC too */
#define WANT_PRIVATE_KEY 13

/* Where libssl signs or decrypts: in the second, only where the key exchange is RSA's own; in the first, never. */
static bool is_at_operation(const SSL *s)
{
    static const struct {
        const char *state;
        bool rsa, other;
    } points[] = {
        {"TLS 1.3 server send_server_certificate_verify", true, true},
        {"TLS server send_server_key_exchange", false, true},
        {"TLS server read_client_key_exchange", true, false},
    };
    const struct oct_awslc *awslc = oct_awslc();
    const char *state = awslc->SSL_state_string_long(s);
    size_t i = 0;
    while (i < sizeof points / sizeof points[0] && strcmp(state, points[i].state) != 0)
        i++;
    if (i == sizeof points / sizeof points[0] || points[i].rsa == points[i].other)
        return i < sizeof points / sizeof points[0];
    const SSL_CIPHER *cipher = awslc->SSL_get_pending_cipher(s);
    return cipher != NULL && (strcmp(awslc->SSL_CIPHER_get_kx_name(cipher), "RSA") == 0) == points[i].rsa;
}

static RSA *rsa_of(const EVP_PKEY *key)
{
    const struct oct_awslc *awslc = oct_awslc();
    RSA *rsa = key != NULL && awslc->EVP_PKEY_id(key) == EVP_PKEY_RSA_ID ? awslc->EVP_PKEY_get0_RSA(key) : NULL;
    return rsa != NULL && oct_method_may_serve(rsa) ? rsa : NULL;
}

/* So many more calls of handshakes may come to such a key. */
static __thread unsigned more;

/* A look at the key before a call is a guess: libssl has not chosen yet. Where it has chosen another one, the second
 * call finds that, and the next handshakes are followed. */
static bool serves(const SSL *s)
{
    const bool found = rsa_of(oct_awslc()->SSL_get_privatekey(s)) != NULL, follows = found || more > 0;
    more = found ? OCT_POLICY_KEY_CALLS : more - follows;
    return follows;
}

static void offer(struct oct_conn *conn)
{
    const struct oct_awslc *awslc = oct_awslc();
    struct oct_operation *o = conn->operation;
    if (o->state != OCT_OPERATION_NONE || conn->state != OCT_CONN_RUNNING || !is_at_operation(conn->ssl))
        return;
    EVP_PKEY *key = awslc->SSL_get_privatekey(conn->ssl);
    RSA *rsa = rsa_of(key);
    if (rsa == NULL || (o->lanes = oct_method_lanes(rsa)) == NULL)
        return;
    more = OCT_POLICY_KEY_CALLS;
    (void)awslc->EVP_PKEY_up_ref(key);
    o->key = key;
    o->rsa = rsa;
    o->size = awslc->RSA_bits(rsa) / 8;
    oct_operation_is(o, OCT_OPERATION_OFFERED);
    awslc->SSL_set_private_key_method(conn->ssl, &oct_operation_method);
}

static void let_go(struct oct_operation *o)
{
    oct_operation_end(o);
    oct_awslc()->EVP_PKEY_free(o->key);
    oct_rsa_key_free(o->lanes);
    o->key = NULL;
    o->lanes = NULL;
}

/* Older releases leave the key where it is. */
void oct_method_withdraw(struct oct_conn *conn)
{
    const struct oct_awslc *awslc = oct_awslc();
    struct oct_operation *o = conn->operation;
    awslc->SSL_set_private_key_method(conn->ssl, NULL);
    if (awslc->SSL_get_privatekey(conn->ssl) == NULL)
        (void)awslc->SSL_use_PrivateKey(conn->ssl, o->key);
    let_go(o);
    oct_operation_is(o, OCT_OPERATION_NONE);
}

static bool is_away(const struct oct_conn *conn)
{
    const enum oct_operation_state state = __atomic_load_n(&conn->operation->state, __ATOMIC_ACQUIRE);
    return state == OCT_OPERATION_WAITS || state == OCT_OPERATION_DONE;
}

static bool run(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value)
{
    if (conn->operation == NULL && (conn->operation = calloc(1, sizeof *conn->operation)) == NULL)
        return false;
    const bool resumes = is_away(conn);
    oct_veil_put_on(conn);
    offer(conn);
    *value = call != NULL ? call(conn->ssl, arg) : oct_ssl()->SSL_do_handshake(conn->ssl);
    oct_veil_take_off(conn);
    if (conn->operation->state == OCT_OPERATION_OFFERED)
        oct_method_withdraw(conn);
    if (is_away(conn) && oct_ssl()->SSL_want(conn->ssl) != WANT_PRIVATE_KEY) { /* the object has got another key */
        let_go(conn->operation);
        oct_operation_is(conn->operation, OCT_OPERATION_NONE);
    }
    const bool away = is_away(conn);
    if (away != resumes)
        oct_known_away(conn->ssl, away ? 1 : -1);
    return !away;
}

static void cancel(struct oct_conn *conn)
{
    struct oct_operation *o = conn->operation;
    oct_known_away(conn->ssl, -1);
    oct_method_withdraw(conn);
    oct_operation_is(o, OCT_OPERATION_GIVEN_UP);
}

static void end(struct oct_conn *conn)
{
    let_go(conn->operation);
    free(conn->operation);
    conn->operation = NULL;
}

static EVP_PKEY *key_of(const struct oct_conn *conn)
{
    return conn->operation != NULL ? conn->operation->key : NULL;
}

static const struct oct_method_part part = {
    .serves = serves, .run = run, .is_away = is_away, .key = key_of, .step = offer, .cancel = cancel, .free = end};

bool oct_method_setup(void)
{
    if (oct_method_keys_setup())
        oct_method_part = &part;
    return oct_method_part != NULL;
}
