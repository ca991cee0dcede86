/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for RSA. */
#include "provider/core/provider.h"
#include "rsa.h"

enum { KEYMGMT = 1, SIGNATURE = 2, DECRYPTION = 4 };

static const struct oct_switch switches[] = {
    {"rsa-keymgmt", "RSA keys live in this provider; off switches all of RSA off"},
    {"rsa-signature", "sign and verify: PKCS#1 v1.5, PSS, X9.31, none"},
    {"rsa-decryption", "decrypt and encrypt: PKCS#1 v1.5, OAEP, TLS pre-master secret, none"},
    {NULL, NULL},
};

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        {OSSL_OP_KEYMGMT,
         {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_keymgmt_table, "Octuple RSA keys"},
         KEYMGMT,
         OCT_OP_RSA2048_PRIVATE,
         OCT_OP_RSA4096_PUBLIC},
        {OSSL_OP_SIGNATURE,
         {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_signature_table, "Octuple RSA signatures"},
         KEYMGMT | SIGNATURE,
         OCT_OP_RSA2048_PRIVATE,
         OCT_OP_RSA4096_PUBLIC},
        {OSSL_OP_ASYM_CIPHER,
         {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_cipher_table, "Octuple RSA encryption"},
         KEYMGMT | DECRYPTION,
         OCT_OP_RSA2048_PRIVATE,
         OCT_OP_RSA4096_PUBLIC},
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

const struct oct_prov_family oct_prov_family_rsa = {
    .switches = switches,
    .offers = offers,
    .keymgmt = "RSA",
};
