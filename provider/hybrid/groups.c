/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The groups, a row each, with the names and numbers of IANA and OpenSSL 3.5, that of SM2 with those of OpenSSL 4.0;
 * and their announcement to libssl. Groups that OpenSSL has are announced as it does (provider/groups.c).
 */
#include "hybrid.h"
#include "keymgmt.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

/* What a row has of the layouts that the C API has too. */
enum {
#define OCT_HYBRID_LAYOUT(group, set, curve, point, secret, curve_first)                                               \
    SET_##group = (set), POINT_##group = (point), NUMBER_##group = (secret), CURVE_FIRST_##group = (curve_first),
#include "base/hybrid.def"
#undef OCT_HYBRID_LAYOUT
};
#define LAYOUT(group)                                                                                                  \
    .set = SET_##group, .point = POINT_##group, .number = NUMBER_##group, .curve_first = CURVE_FIRST_##group,          \
    .server_op = OCT_OP_##group##_SERVER, .client_op = OCT_OP_##group##_CLIENT

const struct oct_prov_group oct_prov_groups[OCT_PROV_GROUPS] = {
    {.name = "X25519MLKEM768",
     .id = 0x11ec,
     .security_bits = 192,
     LAYOUT(X25519MLKEM768),
     .algorithm = "X25519",
     .pair_op = OCT_OP_X25519_KEYGEN,
     .keymgmt = oct_x25519mlkem768_keymgmt},
    {.name = "SecP256r1MLKEM768",
     .id = 0x11eb,
     .security_bits = 192,
     LAYOUT(SECP256R1MLKEM768),
     .algorithm = "EC",
     .curve = "P-256",
     .pair_op = OCT_OP_P256_KEYGEN,
     .keymgmt = oct_secp256r1mlkem768_keymgmt},
    {.name = "SecP384r1MLKEM1024",
     .id = 0x11ed,
     .security_bits = 256,
     LAYOUT(SECP384R1MLKEM1024),
     .algorithm = "EC",
     .curve = "P-384",
     .pair_op = OCT_OP_P384_KEYGEN,
     .keymgmt = oct_secp384r1mlkem1024_keymgmt},
    {.name = "curveSM2MLKEM768",
     .id = 0x11ee,
     .security_bits = 192,
     LAYOUT(CURVESM2MLKEM768),
     .algorithm = "curveSM2",
     .curve = "SM2",
     .pair_op = OCT_OP_SM2_KEYGEN,
     .keymgmt = oct_curvesm2mlkem768_keymgmt},
    {.name = "MLKEM768",
     .id = 0x0201,
     .security_bits = 192,
     .set = OCT_MLKEM_768,
     .server_op = OCT_OP_MLKEM768_ENCAPS,
     .client_op = OCT_OP_MLKEM768_DECAPS,
     .keymgmt = oct_mlkem768_keymgmt},
    {.name = "MLKEM1024",
     .id = 0x0202,
     .security_bits = 256,
     .set = OCT_MLKEM_1024,
     .server_op = OCT_OP_MLKEM1024_ENCAPS,
     .client_op = OCT_OP_MLKEM1024_DECAPS,
     .keymgmt = oct_mlkem1024_keymgmt},
};

static OSSL_PARAM text(const char *key, const char *value)
{
    return OSSL_PARAM_construct_utf8_string(key, (char *)value, 0);
}

static int announce(const struct oct_prov_group *group, OSSL_CALLBACK *callback, void *arg)
{
    unsigned id = (unsigned)group->id, bits = (unsigned)group->security_bits, is_kem = 1;
    int min_tls = TLS1_3_VERSION, max_tls = 0, no_dtls = -1;
    const OSSL_PARAM params[] = {
        text(OSSL_CAPABILITY_TLS_GROUP_NAME, group->name),
        text(OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL, group->name),
        text(OSSL_CAPABILITY_TLS_GROUP_ALG, group->name),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_GROUP_ID, &id),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS, &bits),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_GROUP_IS_KEM, &is_kem),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, &min_tls),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MAX_TLS, &max_tls),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, &no_dtls),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS, &no_dtls),
        OSSL_PARAM_construct_end(),
    };
    return callback(params, arg);
}

int oct_hybrid_announce(struct oct_prov *prov, OSSL_CALLBACK *callback, void *arg)
{
    int ok = 1;

    (void)prov;
    if (oct_hybrid_openssl_has())
        return 1;
    for (int i = 0; ok && i < OCT_PROV_GROUPS; i++)
        ok = i == OCT_PROV_SM2_GROUP || announce(&oct_prov_groups[i], callback, arg);
    return ok;
}
