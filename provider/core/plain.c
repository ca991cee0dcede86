/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See plain.h. */
#include "provider.h"

#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

void oct_plain_free(struct oct_plain *plain)
{
    if (plain == NULL)
        return;
    for (int f = 0; f < OCT_FAMILIES; f++) {
        EVP_KEYMGMT_free(plain->keymgmt[f]);
        if (plain->part[f] != NULL)
            oct_prov_families[f]->close(plain->part[f]);
    }
    if (plain->default_provider != NULL)
        OSSL_PROVIDER_unload(plain->default_provider);
    OSSL_LIB_CTX_free(plain->ctx);
    OPENSSL_free(plain);
}

/* An OpenSSL that was built without an algorithm has no key management of it: its family then finds NULL. */
static void fetch_all(struct oct_plain *plain)
{
    for (int f = 0; f < OCT_FAMILIES; f++) {
        const struct oct_prov_family *family = oct_prov_families[f];

        if (family->keymgmt != NULL)
            plain->keymgmt[f] = EVP_KEYMGMT_fetch(plain->ctx, family->keymgmt, NULL);
        if (family->open != NULL)
            plain->part[f] = family->open(plain);
    }
}

static struct oct_plain *plain_make(void)
{
    struct oct_plain *plain = OPENSSL_zalloc(sizeof *plain);

    if (plain == NULL)
        return NULL;
    plain->ctx = OSSL_LIB_CTX_new();
    if (plain->ctx != NULL)
        plain->default_provider = OSSL_PROVIDER_load(plain->ctx, "default");
    if (plain->default_provider == NULL) {
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

/* Failures come again where it is used. One fetch makes all of a provider's methods of a kind, which children would
 * each make anew. */
void oct_plain_warm(OSSL_LIB_CTX *ctx)
{
    unsigned char byte;

    (void)RAND_priv_bytes_ex(ctx, &byte, sizeof byte, 0);
    EVP_MD_free(EVP_MD_fetch(ctx, "SHA2-256", NULL));
    EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(ctx, "RSA", NULL));
    EVP_KEYEXCH_free(EVP_KEYEXCH_fetch(ctx, "X25519", NULL));
    EVP_KDF_free(EVP_KDF_fetch(ctx, "TLS13-KDF", NULL));
    EVP_MAC_free(EVP_MAC_fetch(ctx, "HMAC", NULL));
    EVP_ASYM_CIPHER_free(EVP_ASYM_CIPHER_fetch(ctx, "RSA", NULL));
    EVP_CIPHER_free(EVP_CIPHER_fetch(ctx, "AES-256-GCM", NULL));
}

OSSL_LIB_CTX *oct_plain_ctx(struct oct_prov *prov)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->ctx;
}

void *oct_plain_part(struct oct_prov *prov, int family)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->part[family];
}

EVP_KEYMGMT *oct_plain_keymgmt(struct oct_prov *prov, int family)
{
    const struct oct_plain *plain = oct_plain_get(prov);
    return plain == NULL ? NULL : plain->keymgmt[family];
}

const OSSL_PARAM *oct_plain_gettable(struct oct_prov *prov, int family)
{
    const EVP_KEYMGMT *keymgmt = oct_plain_keymgmt(prov, family);
    return keymgmt == NULL ? NULL : EVP_KEYMGMT_gettable_params(keymgmt);
}

const OSSL_PARAM *oct_plain_settable(struct oct_prov *prov, int family)
{
    const EVP_KEYMGMT *keymgmt = oct_plain_keymgmt(prov, family);
    return keymgmt == NULL ? NULL : EVP_KEYMGMT_settable_params(keymgmt);
}

const OSSL_PARAM *oct_plain_gen_settable(struct oct_prov *prov, int family)
{
    const EVP_KEYMGMT *keymgmt = oct_plain_keymgmt(prov, family);
    return keymgmt == NULL ? NULL : EVP_KEYMGMT_gen_settable_params(keymgmt);
}

EVP_PKEY_CTX *oct_plain_named_ctx(struct oct_prov *prov, const char *name)
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(prov);
    return libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_name(libctx, name, NULL);
}

EVP_PKEY_CTX *oct_plain_new_ctx(struct oct_prov *prov, int family)
{
    return oct_plain_named_ctx(prov, oct_prov_families[family]->keymgmt);
}

EVP_PKEY_CTX *oct_plain_key_ctx(struct oct_prov *prov, EVP_PKEY *key)
{
    OSSL_LIB_CTX *libctx = key == NULL ? NULL : oct_plain_ctx(prov);
    return libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
}

EVP_PKEY *oct_plain_import_named(struct oct_prov *prov, const char *name, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY_CTX *ctx = oct_plain_named_ctx(prov, name);
    EVP_PKEY *key = NULL;

    if (ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0 &&
        EVP_PKEY_fromdata(ctx, &key, selection, (OSSL_PARAM *)params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

EVP_PKEY *oct_plain_import(struct oct_prov *prov, int family, int selection, const OSSL_PARAM params[])
{
    return oct_plain_import_named(prov, oct_prov_families[family]->keymgmt, selection, params);
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
    EVP_PKEY_CTX *ctx = oct_plain_key_ctx(prov, key);
    const int ok = ctx != NULL && validate(ctx, selection, type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}
