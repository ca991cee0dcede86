/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See plain.h. */
#include "provider.h"

#include <openssl/crypto.h>
#include <openssl/rsa.h>

void oct_plain_free(struct oct_plain *plain)
{
    if (plain == NULL)
        return;
    EVP_KEYMGMT_free(plain->rsa);
    EVP_KEYMGMT_free(plain->x25519);
    EVP_KEYMGMT_free(plain->ec);
    EVP_KEYMGMT_free(plain->ed25519);
    EVP_SIGNATURE_free(plain->ed25519_signature);
    for (int kdf = 0; kdf < OCT_PLAIN_KDFS; kdf++)
        EVP_KDF_free(plain->kdf[kdf]);
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        EC_GROUP_free(plain->ec_group[curve]);
    if (plain->default_provider != NULL)
        OSSL_PROVIDER_unload(plain->default_provider);
    OSSL_LIB_CTX_free(plain->ctx);
    OPENSSL_free(plain);
}

static void fetch_all(struct oct_plain *plain)
{
    OSSL_LIB_CTX *ctx = plain->ctx;

    plain->x25519 = EVP_KEYMGMT_fetch(ctx, "X25519", NULL);
    (void)oct_x25519_direct_find(&plain->x25519_direct, plain->default_provider);
    plain->ec = EVP_KEYMGMT_fetch(ctx, "EC", NULL);
    plain->ed25519 = EVP_KEYMGMT_fetch(ctx, "ED25519", NULL);
    plain->ed25519_signature = EVP_SIGNATURE_fetch(ctx, "ED25519", NULL);
    plain->kdf[OCT_PLAIN_TLS13_KDF] = EVP_KDF_fetch(ctx, "TLS13-KDF", NULL);
    plain->kdf[OCT_PLAIN_TLS1_PRF] = EVP_KDF_fetch(ctx, "TLS1-PRF", NULL);
    plain->ec_group[OCT_EC_P256] = EC_GROUP_new_by_curve_name_ex(ctx, NULL, NID_X9_62_prime256v1);
    plain->ec_group[OCT_EC_P384] = EC_GROUP_new_by_curve_name_ex(ctx, NULL, NID_secp384r1);
}

static struct oct_plain *plain_make(void)
{
    struct oct_plain *plain = OPENSSL_zalloc(sizeof *plain);

    if (plain == NULL)
        return NULL;
    plain->ctx = OSSL_LIB_CTX_new();
    if (plain->ctx != NULL)
        plain->default_provider = OSSL_PROVIDER_load(plain->ctx, "default");
    if (plain->default_provider != NULL)
        plain->rsa = EVP_KEYMGMT_fetch(plain->ctx, "RSA", NULL);
    if (plain->rsa == NULL) {
        oct_plain_free(plain);
        return NULL;
    }
    fetch_all(plain);
    return plain;
}

const struct oct_plain *oct_plain_get(struct oct_prov *prov)
{
    struct oct_plain *plain = atomic_load_explicit(&prov->plain, memory_order_acquire), *first = NULL;

    if (plain != NULL)
        return plain;
    plain = plain_make();
    if (plain == NULL) {
        OCT_RAISE(prov, OCT_REASON_PLAIN_CONTEXT);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&prov->plain, &first, plain))
        return plain;
    oct_plain_free(plain);
    return first;
}

OSSL_LIB_CTX *oct_plain_ctx(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->ctx;
}

EVP_KEYMGMT *oct_plain_rsa(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->rsa;
}

EVP_KEYMGMT *oct_plain_x25519(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->x25519;
}

const struct oct_x25519_direct *oct_plain_x25519_direct(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : &plain->x25519_direct;
}

EVP_KEYMGMT *oct_plain_ec(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->ec;
}

EVP_KEYMGMT *oct_plain_ed25519(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->ed25519;
}

EVP_SIGNATURE *oct_plain_ed25519_signature(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->ed25519_signature;
}

EVP_KDF *oct_plain_kdf(struct oct_prov *prov, enum oct_plain_kdf kdf)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->kdf[kdf];
}

const EC_GROUP *oct_plain_ec_group(struct oct_prov *prov, int curve)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->ec_group[curve];
}

static int validate(EVP_PKEY_CTX *ctx, int selection, int quick)
{
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR)
        return EVP_PKEY_pairwise_check(ctx) > 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        return EVP_PKEY_private_check(ctx) > 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0)
        return (quick ? EVP_PKEY_public_check_quick(ctx) : EVP_PKEY_public_check(ctx)) > 0;
    return 1;
}

int oct_plain_validate(struct oct_prov *prov, EVP_PKEY *key, int selection, int type)
{
    OSSL_LIB_CTX *libctx = key == NULL ? NULL : oct_plain_ctx(prov);
    EVP_PKEY_CTX *ctx = libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    const int ok = ctx != NULL && validate(ctx, selection, type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

void oct_plain_spares_free(struct oct_plain_spares *spares)
{
    for (int i = 0; i < OCT_RAW_KINDS; i++)
        EVP_PKEY_CTX_free(atomic_exchange(&spares->ctx[i], NULL));
}

static EVP_PKEY_CTX *raw_ctx_new(struct oct_prov *prov, EVP_PKEY *key, enum oct_raw_kind kind)
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(prov);
    EVP_PKEY_CTX *ctx = libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    int ok;

    if (ctx == NULL)
        return NULL;
    if (kind == OCT_RAW_SIGN)
        ok = EVP_PKEY_sign_init(ctx);
    else if (kind == OCT_RAW_DECRYPT)
        ok = EVP_PKEY_decrypt_init(ctx);
    else
        ok = EVP_PKEY_encrypt_init(ctx);
    if (ok > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int raw_run(EVP_PKEY_CTX *ctx, enum oct_raw_kind kind, uint8_t *out, const uint8_t *in, size_t size)
{
    size_t len = size;
    int ok;

    if (kind == OCT_RAW_SIGN)
        ok = EVP_PKEY_sign(ctx, out, &len, in, size);
    else if (kind == OCT_RAW_DECRYPT)
        ok = EVP_PKEY_decrypt(ctx, out, &len, in, size);
    else
        ok = EVP_PKEY_encrypt(ctx, out, &len, in, size);
    return ok > 0 && len == size;
}

int oct_plain_raw(struct oct_prov *prov, EVP_PKEY *key, struct oct_plain_spares *spares, enum oct_raw_kind kind,
                  uint8_t *out, const uint8_t *in, size_t size)
{
    EVP_PKEY_CTX *ctx = atomic_exchange(&spares->ctx[kind], NULL);
    int ok;

    if (ctx == NULL)
        ctx = raw_ctx_new(prov, key, kind);
    if (ctx == NULL)
        return 0;
    ok = raw_run(ctx, kind, out, in, size);
    EVP_PKEY_CTX_free(atomic_exchange(&spares->ctx[kind], ctx));
    return ok;
}
