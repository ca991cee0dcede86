/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for SM2. */
#include "sm2.h"
#include "provider/core/provider.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/objects.h>

#define SIGNATURES                                                                                                     \
    {OSSL_OP_KEYMGMT,                                                                                                  \
     {OCT_SM2_NAMES, OCT_PROPERTIES, oct_sm2_keymgmt_table, "Octuple SM2 keys"},                                       \
     OCT_PROV_SWITCH_sm2,                                                                                              \
     OCT_OP_SM2_SIGN,                                                                                                  \
     OCT_OP_SM2_VERIFY},                                                                                               \
    {                                                                                                                  \
        OSSL_OP_SIGNATURE, {OCT_SM2_NAMES, OCT_PROPERTIES, oct_sm2_signature_table, "Octuple SM2 signatures"},         \
            OCT_PROV_SWITCH_sm2, OCT_OP_SM2_SIGN, OCT_OP_SM2_VERIFY                                                    \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        0, {NULL, NULL, NULL, NULL}, 0, 0, 0                                                                           \
    }

/* From 4.0 on OpenSSL has SM2 in TLS (RFC 8998), with keys of another type for its group. */
static const struct oct_offer *offers(void)
{
    static const struct oct_offer without_tls[] = {SIGNATURES, END};
    static const struct oct_offer all[] = {
        SIGNATURES,
        {OSSL_OP_KEYMGMT,
         {OCT_SM2_GROUP, OCT_PROPERTIES, oct_sm2_group_table, "Octuple curveSM2 keys"},
         OCT_PROV_SWITCH_sm2,
         OCT_OP_SM2_DERIVE,
         OCT_OP_SM2_DERIVE},
        {OSSL_OP_KEYEXCH,
         {OCT_SM2_GROUP, OCT_PROPERTIES, oct_sm2_exchange_table, "Octuple curveSM2"},
         OCT_PROV_SWITCH_sm2,
         OCT_OP_SM2_DERIVE,
         OCT_OP_SM2_DERIVE},
        END,
    };
    return OPENSSL_version_major() >= 4 ? all : without_tls;
}

static int write_numbers(uint8_t *out, const BIGNUM *const number[4])
{
    int ok = 1;

    for (int i = 0; ok && i < 4; i++)
        ok = number[i] != NULL && BN_bn2binpad(number[i], out + i * OCT_SM2_BYTES, OCT_SM2_BYTES) == OCT_SM2_BYTES;
    return ok;
}

static int read_curve(uint8_t *out, const EC_GROUP *group)
{
    BIGNUM *a = BN_new(), *b = BN_new(), *x = BN_new(), *y = BN_new();
    const BIGNUM *const number[4] = {a, b, x, y};
    const int ok = group != NULL && y != NULL && EC_GROUP_get_curve(group, NULL, a, b, NULL) &&
                   EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), x, y, NULL) &&
                   write_numbers(out, number);

    BN_free(a);
    BN_free(b);
    BN_free(x);
    BN_free(y);
    return ok;
}

static void *open_part(const struct oct_fallback *fallback)
{
    struct oct_sm2_part *part = OPENSSL_zalloc(sizeof *part);
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(fallback->ctx, NULL, NID_sm2);

    if (part != NULL && !read_curve(part->curve, group)) {
        OPENSSL_free(part);
        part = NULL;
    }
    EC_GROUP_free(group);
    return part;
}

static void close_part(void *part)
{
    OPENSSL_free(part);
}

const struct oct_prov_family oct_prov_family_sm2 = {
    .offers = offers,
    .keymgmt = OCT_SM2_NAME,
    .has_groups = true,
    .has_sigalgs = true,
    .open = open_part,
    .close = close_part,
};
