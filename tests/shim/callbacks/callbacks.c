/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See callbacks.h. */
#include "callbacks.h"

#include <octuple/queue.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/x509v3.h>
#include <stdio.h>

/* Some callbacks are called hundreds of times in a handshake. */
#define VISITS_ON_FIBRES 60
#define VISITS_ELSEWHERE 20
#define DEEP             16

struct callback_tally callback_tally;
struct callback_credentials callback_credentials;

/* The visits that have not ended yet, innermost last. */
static struct visit {
    const void *fibre;
    long turn;
    unsigned waiting;
} visits[DEEP];
static int depth;

static long turns; /* of the event loop */

void callback_loop_goes_on(void)
{
    turns++;
}

static unsigned waiting_now(void)
{
    const struct oct_queue *queue = oct_queue_thread_peek();
    return queue != NULL ? oct_queue_waiting(queue) : 0;
}

void callback_forget(void)
{
    callback_tally = (struct callback_tally){0};
    depth = 0;
}

static bool has_had_enough(const void *fibre)
{
    const struct callback_tally *t = &callback_tally;
    return fibre != NULL ? t->on_fibre >= VISITS_ON_FIBRES : t->visits - t->on_fibre >= VISITS_ELSEWHERE;
}

bool callback_enter(void)
{
    const void *fibre = world_slice();
    if (depth == DEEP || has_had_enough(fibre) || (depth > 0 && visits[depth - 1].fibre == fibre))
        return false;
    callback_tally.twice += depth > 0;
    callback_tally.visits++;
    callback_tally.on_fibre += fibre != NULL;
    visits[depth++] = (struct visit){fibre, turns, waiting_now()};
    return true;
}

void callback_leave(bool worked)
{
    const void *fibre = world_slice();
    int at = depth - 1;
    while (at >= 0 && visits[at].fibre != fibre)
        at--;
    callback_tally.wrong += !worked;
    callback_tally.moved += at < 0;
    if (at < 0)
        return;
    callback_tally.left += turns != visits[at].turn;
    callback_tally.queued += waiting_now() != visits[at].waiting;
    memmove(&visits[at], &visits[at + 1], (size_t)(--depth - at) * sizeof visits[0]);
}

static bool sign(EVP_PKEY *key)
{
    static const unsigned char text[] = "a callback's own";
    unsigned char signature[512];
    size_t length = sizeof signature;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = EVP_DigestSignInit(md, NULL, EVP_sha256(), NULL, key) > 0 &&
              EVP_DigestSign(md, signature, &length, text, sizeof text) > 0;
    EVP_MD_CTX_free(md);
    md = EVP_MD_CTX_new();
    ok = ok && EVP_DigestVerifyInit(md, NULL, EVP_sha256(), NULL, key) > 0 &&
         EVP_DigestVerify(md, signature, length, text, sizeof text) > 0;
    EVP_MD_CTX_free(md);
    return ok;
}

bool callback_sign_both(void)
{
    const bool rsa = sign(callback_credentials.leaf_key), ec = sign(callback_credentials.ec_key);
    return rsa && ec;
}

void callback_work(void)
{
    if (callback_enter())
        callback_leave(callback_sign_both());
}

static X509 *certificate(EVP_PKEY *key, const char *name, long serial, EVP_PKEY *signer, X509 *issuer)
{
    X509 *x = X509_new();
    X509_NAME *subject = X509_NAME_new();
    X509_EXTENSION *basic;
    X509V3_CTX v3;
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), serial);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 86400);
    X509_set_pubkey(x, key);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_subject_name(x, subject);
    X509_set_issuer_name(x, issuer != NULL ? X509_get_subject_name(issuer) : subject);
    X509_NAME_free(subject);
    X509V3_set_ctx_nodb(&v3);
    basic = X509V3_EXT_conf_nid(NULL, &v3, NID_basic_constraints, issuer != NULL ? "CA:FALSE" : "critical,CA:TRUE");
    X509_add_ext(x, basic, -1);
    X509_EXTENSION_free(basic);
    assert_true(X509_sign(x, signer, EVP_sha256()) > 0);
    return x;
}

static X509_CRL *nobody_revoked(X509 *issuer, EVP_PKEY *key)
{
    X509_CRL *crl = X509_CRL_new();
    ASN1_TIME *before = X509_gmtime_adj(NULL, -3600), *after = X509_gmtime_adj(NULL, 86400);
    X509_CRL_set_version(crl, 1);
    X509_CRL_set_issuer_name(crl, X509_get_subject_name(issuer));
    X509_CRL_set1_lastUpdate(crl, before);
    X509_CRL_set1_nextUpdate(crl, after);
    ASN1_TIME_free(before);
    ASN1_TIME_free(after);
    assert_true(X509_CRL_sign(crl, key, EVP_sha256()) > 0);
    return crl;
}

static void save_encrypted(struct callback_credentials *c)
{
    strcpy(c->folder, "/tmp/octuple-callbacks-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->encrypted_key, sizeof c->encrypted_key, "%s/key.pem", c->folder);
    FILE *pem = fopen(c->encrypted_key, "w");
    assert_non_null(pem);
    assert_true(PEM_write_PKCS8PrivateKey(pem, c->leaf_key, EVP_aes_128_cbc(), "secret", 6, NULL, NULL));
    fclose(pem);
}

static void is_ours(const EVP_PKEY *key)
{
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_PKEY_get0_provider(key)), "octuple");
}

void callbacks_start(void)
{
    struct callback_credentials *c = &callback_credentials;
    c->leaf_key = EVP_RSA_gen(2048);
    c->ec_key = EVP_EC_gen("P-256");
    c->authority_key = EVP_EC_gen("P-256");
    is_ours(c->leaf_key);
    is_ours(c->ec_key);
    c->authority = certificate(c->authority_key, "authority", 1, c->authority_key, NULL);
    c->leaf = certificate(c->leaf_key, "localhost", 2, c->authority_key, c->authority);
    c->revoked = nobody_revoked(c->authority, c->authority_key);
    save_encrypted(c);
}

void callbacks_end(void)
{
    unlink(callback_credentials.encrypted_key);
    rmdir(callback_credentials.folder);
}

SSL_CTX *callback_ctx(enum kind kind, unsigned flags, const char *ciphers)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    const int version = kind == TLS13 ? TLS1_3_VERSION : TLS1_2_VERSION;
    assert_non_null(ctx);
    assert_int_equal(SSL_CTX_use_certificate(ctx, callback_credentials.leaf), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, callback_credentials.leaf_key), 1);
    SSL_CTX_set_min_proto_version(ctx, version);
    SSL_CTX_set_max_proto_version(ctx, version);
    assert_int_equal(SSL_CTX_set_cipher_list(ctx, ciphers != NULL ? ciphers : "ECDHE"), 1);
    if (flags & REUSED)
        assert_int_equal(SSL_CTX_set_ciphersuites(ctx, "TLS_AES_128_GCM_SHA256"), 1);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), callback_credentials.authority);
    SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"it", 2);
    SSL_CTX_set_session_cache_mode(ctx, flags & (RESUMES | NO_TICKETS) ? SSL_SESS_CACHE_BOTH : SSL_SESS_CACHE_OFF);
    if (flags & NO_TICKETS)
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    return ctx;
}
