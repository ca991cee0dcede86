/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See kex.h. */
#include "kex.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "crypto.h"

struct shape {
    enum load_group group;
    const char *type, *curve; /* for EVP_PKEY_Q_keygen() */
    int nid;
    size_t share_len, secret_len;
};

static const struct shape shapes[] = {
    {LOAD_GROUP_X25519, "X25519", NULL, NID_X25519, 32, 32},
    {LOAD_GROUP_P256, "EC", "P-256", NID_X9_62_prime256v1, 65, 32},
    {LOAD_GROUP_P384, "EC", "P-384", NID_secp384r1, 97, 48},
    {LOAD_GROUP_P521, "EC", "P-521", NID_secp521r1, LOAD_SHARE_MAX, LOAD_SHARED_MAX},
};

static const struct shape *shape_of(enum load_group group)
{
    const struct shape *shape = shapes;
    while (shape->group != group)
        shape++;
    return shape;
}

static void write_generator(uint8_t *share, size_t len, enum load_group id)
{
    memset(share, 0, len);
    if (id == LOAD_GROUP_X25519) {
        share[0] = 9; /* RFC 7748, section 4.1 */
        return;
    }
    EC_GROUP *group = EC_GROUP_new_by_curve_name(shape_of(id)->nid);
    load_crypto_require(group && EC_POINT_point2oct(group, EC_GROUP_get0_generator(group),
                                                    POINT_CONVERSION_UNCOMPRESSED, share, len, NULL) == len,
                        "the group's generator");
    EC_GROUP_free(group);
}

static void make_pair(struct load_kex *kex, unsigned i)
{
    const struct shape *shape = shape_of(kex->group);
    kex->key[i] = EVP_PKEY_Q_keygen(NULL, NULL, shape->type, shape->curve);
    load_crypto_require(kex->key[i] != NULL, "making a key share");
    uint8_t *encoded = NULL;
    size_t len = EVP_PKEY_get1_encoded_public_key(kex->key[i], &encoded);
    load_crypto_require(len == kex->share_len, "encoding a key share");
    memcpy(kex->share[i], encoded, len);
    OPENSSL_free(encoded);
    kex->ctx[i] = EVP_PKEY_CTX_new_from_pkey(NULL, kex->key[i], NULL);
    load_crypto_require(kex->ctx[i] && EVP_PKEY_derive_init(kex->ctx[i]) > 0, "preparing a key share");
}

void load_kex_init(struct load_kex *kex, enum load_group group, unsigned count)
{
    unsigned shares = count ? count : 1;
    const struct shape *shape = shape_of(group);
    *kex = (struct load_kex){
        .group = group,
        .share_len = shape->share_len,
        .secret_len = shape->secret_len,
        .count = count,
        .share = calloc(shares, sizeof *kex->share),
        .key = calloc(shares, sizeof *kex->key),
        .ctx = calloc(shares, sizeof *kex->ctx),
    };
    load_crypto_require(kex->share && kex->key && kex->ctx, "memory for key shares");
    if (!count)
        write_generator(kex->share[0], kex->share_len, group);
    for (unsigned i = 0; i < count; i++)
        make_pair(kex, i);
}

void load_kex_clear(struct load_kex *kex)
{
    for (unsigned i = 0; i < kex->count; i++) {
        EVP_PKEY_CTX_free(kex->ctx[i]);
        EVP_PKEY_free(kex->key[i]);
    }
    free(kex->share);
    free(kex->key);
    free(kex->ctx);
    *kex = (struct load_kex){0};
}

const uint8_t *load_kex_share(const struct load_kex *kex, uint64_t n)
{
    return kex->share[kex->count ? n % kex->count : 0];
}

static bool derive_real(const struct load_kex *kex, uint8_t *secret, unsigned i, const uint8_t *peer_share, size_t len)
{
    size_t secret_len = kex->secret_len;
    EVP_PKEY *peer = EVP_PKEY_new();
    bool ok = peer && EVP_PKEY_copy_parameters(peer, kex->key[i]) > 0 &&
              EVP_PKEY_set1_encoded_public_key(peer, peer_share, len) > 0 &&
              EVP_PKEY_derive_set_peer(kex->ctx[i], peer) > 0 &&
              EVP_PKEY_derive(kex->ctx[i], secret, &secret_len) > 0 && secret_len == kex->secret_len;
    EVP_PKEY_free(peer);
    if (!ok)
        ERR_clear_error();
    return ok;
}

bool load_kex_derive(const struct load_kex *kex, uint8_t *secret, uint64_t n, const uint8_t *peer, size_t peer_len)
{
    if (peer_len != kex->share_len)
        return false;
    if (kex->count)
        return derive_real(kex, secret, (unsigned)(n % kex->count), peer, peer_len);
    if (kex->group == LOAD_GROUP_X25519) {
        memcpy(secret, peer, kex->secret_len);
        return true;
    }
    /* The secret of ECDH is the x coordinate; a false point shows in the Finished messages. */
    memcpy(secret, peer + 1, kex->secret_len);
    return peer[0] == POINT_CONVERSION_UNCOMPRESSED;
}

/* Encrypts the whole pool for a key; false if it is not a usable RSA key. */
static bool encrypt_pool(struct load_premasters *pool, EVP_PKEY *key)
{
    if (!EVP_PKEY_is_a(key, "RSA") || EVP_PKEY_get_size(key) > LOAD_RSA_BYTES_MAX)
        return false;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    bool ok = ctx && EVP_PKEY_encrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0;
    for (unsigned i = 0; ok && i < LOAD_PREMASTER_COUNT; i++) {
        pool->encrypted_len = LOAD_RSA_BYTES_MAX;
        ok = RAND_bytes(pool->secret[i], LOAD_PREMASTER_LEN) > 0;
        pool->secret[i][0] = pool->secret[i][1] = 3; /* the version that the ClientHello offered */
        ok = ok &&
             EVP_PKEY_encrypt(ctx, pool->encrypted[i], &pool->encrypted_len, pool->secret[i], LOAD_PREMASTER_LEN) > 0;
    }
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

bool load_premasters_make(struct load_premasters *pool, const uint8_t *certificate, size_t len)
{
    if (pool->certificate && pool->certificate_len == len && !memcmp(pool->certificate, certificate, len))
        return true;
    load_premasters_clear(pool);
    const uint8_t *at = certificate;
    X509 *x509 = d2i_X509(NULL, &at, (long)len);
    EVP_PKEY *key = x509 ? X509_get0_pubkey(x509) : NULL;
    uint8_t *copy = key && encrypt_pool(pool, key) ? malloc(len) : NULL;
    X509_free(x509);
    ERR_clear_error();
    if (!copy)
        return false;
    memcpy(copy, certificate, len);
    pool->certificate = copy;
    pool->certificate_len = len;
    return true;
}

void load_premasters_clear(struct load_premasters *pool)
{
    free(pool->certificate);
    pool->certificate = NULL;
    pool->certificate_len = 0;
}
