/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for RSA. */
#include "provider/core/provider.h"
#include "rsa.h"

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        {OSSL_OP_KEYMGMT,
         {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_keymgmt_table, "Octuple RSA keys"},
         OCT_PROV_SWITCH_rsa,
         OCT_OP_RSA2048_PRIVATE,
         OCT_OP_RSA4096_PUBLIC},
        {OSSL_OP_SIGNATURE,
         {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_signature_table, "Octuple RSA signatures"},
         OCT_PROV_SWITCH_rsa,
         OCT_OP_RSA2048_PRIVATE,
         OCT_OP_RSA4096_PUBLIC},
        {OSSL_OP_ASYM_CIPHER,
         {OCT_RSA_NAMES, OCT_PROPERTIES, oct_rsa_cipher_table, "Octuple RSA encryption"},
         OCT_PROV_SWITCH_rsa,
         OCT_OP_RSA2048_PRIVATE,
         OCT_OP_RSA4096_PUBLIC},
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

const struct oct_prov_family oct_prov_family_rsa = {
    .offers = offers,
    .keymgmt = "RSA",
};
