/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for Ed25519. */
#include "ed25519.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>

#define OFFERS(table)                                                                                                  \
    {                                                                                                                  \
        {OSSL_OP_KEYMGMT,                                                                                              \
         {OCT_ED25519_NAMES, OCT_PROPERTIES, oct_ed25519_keymgmt_table, "Octuple Ed25519 keys"},                       \
         OCT_PROV_SWITCH_ed25519,                                                                                      \
         OCT_OP_ED25519_SIGN,                                                                                          \
         OCT_OP_ED25519_VERIFY},                                                                                       \
            {OSSL_OP_SIGNATURE,                                                                                        \
             {OCT_ED25519_NAMES, OCT_PROPERTIES, (table), "Octuple Ed25519 signatures"},                               \
             OCT_PROV_SWITCH_ed25519,                                                                                  \
             OCT_OP_ED25519_SIGN,                                                                                      \
             OCT_OP_ED25519_VERIFY},                                                                                   \
        {                                                                                                              \
            0, {NULL, NULL, NULL, NULL}, 0, 0, 0                                                                       \
        }                                                                                                              \
    }

/* OpenSSL before 3.4 signs messages by EVP_DigestSign() alone, has no EVP_PKEY_sign() for these keys, and takes a table
 * with half of the entries for it for a broken one. */
static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = OFFERS(oct_ed25519_signature_table);
    static const struct oct_offer before[] = OFFERS(oct_ed25519_signature_table + OCT_ED25519_MESSAGE_ENTRIES);

    return OPENSSL_version_major() > 3 || OPENSSL_version_minor() >= 4 ? all : before;
}

/* OpenSSL's own signatures, for their lists of parameters. */
static void *open_part(const struct oct_fallback *fallback)
{
    return EVP_SIGNATURE_fetch(fallback->ctx, "ED25519", NULL);
}

static void close_part(void *part)
{
    EVP_SIGNATURE_free(part);
}

const struct oct_prov_family oct_prov_family_ed25519 = {
    .offers = offers,
    .keymgmt = "ED25519",
    .open = open_part,
    .close = close_part,
};
