/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The RSA key object: references, import, and what the provider offers for RSA. See rsa.h. */
#include "rsa.h"

#include "provider.h"

#include <openssl/crypto.h>

const struct oct_offer oct_rsa_offers[] = {
    {OSSL_OP_KEYMGMT,
     {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_keymgmt_table, "Octuple RSA keys"},
     1u << OCT_SETTING_RSA_KEYMGMT,
     OCT_OP_RSA2048_PRIVATE,
     OCT_OP_RSA4096_PUBLIC},
    {OSSL_OP_SIGNATURE,
     {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_signature_table, "Octuple RSA signatures"},
     1u << OCT_SETTING_RSA_KEYMGMT | 1u << OCT_SETTING_RSA_SIGNATURE,
     OCT_OP_RSA2048_PRIVATE,
     OCT_OP_RSA4096_PUBLIC},
    {OSSL_OP_ASYM_CIPHER,
     {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_cipher_table, "Octuple RSA encryption"},
     1u << OCT_SETTING_RSA_KEYMGMT | 1u << OCT_SETTING_RSA_DECRYPTION,
     OCT_OP_RSA2048_PRIVATE,
     OCT_OP_RSA4096_PUBLIC},
    {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
};

static void rsa_destroy(void *vkey)
{
    struct oct_prov_rsa *key = vkey;

    oct_plain_spares_free(&key->spares);
    EVP_PKEY_free(key->plain);
    oct_rsa_key_free(atomic_load(&key->lanes));
    OPENSSL_clear_free(key, sizeof *key);
}

void *oct_prov_rsa_new(void *prov)
{
    return oct_prov_key_new(prov, sizeof(struct oct_prov_rsa), rsa_destroy);
}

int oct_prov_rsa_set_plain(struct oct_prov_rsa *key, EVP_PKEY *plain)
{
    oct_plain_spares_free(&key->spares);
    EVP_PKEY_free(key->plain);
    oct_rsa_key_free(atomic_exchange(&key->lanes, NULL));
    atomic_store(&key->lane_requests, 0);
    key->plain = plain;
    key->bits = (unsigned)EVP_PKEY_get_bits(plain);
    key->size = (key->bits + 7) / 8;
    return oct_prov_rsa_load_numbers(key);
}

int oct_prov_rsa_import(struct oct_prov_rsa *key, int selection, const OSSL_PARAM params[])
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(key->base.prov);
    EVP_PKEY_CTX *ctx = libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_name(libctx, "RSA", NULL);
    EVP_PKEY *plain = NULL;
    int ok = ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0 &&
             EVP_PKEY_fromdata(ctx, &plain, selection, (OSSL_PARAM *)params) > 0;

    EVP_PKEY_CTX_free(ctx);
    if (!ok)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    ok = oct_prov_rsa_set_plain(key, plain);
    if (ok && key->base.has_private)
        oct_prov_key_expect_handshakes(&key->base, oct_rsa_op(key->bits, OCT_RAW_SIGN));
    return ok;
}

int oct_rsa_op(unsigned bits, enum oct_raw_kind kind)
{
    int is_public = kind == OCT_RAW_PUBLIC;

    if (bits == 2048)
        return is_public ? OCT_OP_RSA2048_PUBLIC : OCT_OP_RSA2048_PRIVATE;
    if (bits == 3072)
        return is_public ? OCT_OP_RSA3072_PUBLIC : OCT_OP_RSA3072_PRIVATE;
    if (bits == 4096)
        return is_public ? OCT_OP_RSA4096_PUBLIC : OCT_OP_RSA4096_PRIVATE;
    return -1;
}
