/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for X25519. */
#include "direct.h"
#include "provider/core/provider.h"
#include "x25519.h"

#include <openssl/crypto.h>

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        {OSSL_OP_KEYMGMT,
         {OCT_X25519_NAMES, OCT_PROPERTIES, oct_x25519_keymgmt_table, "Octuple X25519 keys"},
         OCT_PROV_SWITCH_x25519,
         OCT_OP_X25519_DERIVE,
         OCT_OP_X25519_KEYGEN},
        {OSSL_OP_KEYEXCH,
         {OCT_X25519_NAMES, OCT_PROPERTIES, oct_x25519_exchange_table, "Octuple X25519 key exchange"},
         OCT_PROV_SWITCH_x25519,
         OCT_OP_X25519_DERIVE,
         OCT_OP_X25519_DERIVE},
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

/* OpenSSL's X25519 without EVP. */
static void *open_part(const struct oct_fallback *fallback)
{
    struct oct_x25519_direct *direct = OPENSSL_zalloc(sizeof *direct);

    if (direct != NULL)
        (void)oct_x25519_direct_find(direct, fallback->default_provider);
    return direct;
}

static void close_part(void *part)
{
    OPENSSL_free(part);
}

const struct oct_prov_family oct_prov_family_x25519 = {
    .offers = offers,
    .keymgmt = "X25519",
    .has_groups = true,
    .open = open_part,
    .close = close_part,
};
