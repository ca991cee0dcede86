/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The groups, a row each, with the names and numbers of IANA and OpenSSL 3.5, that of SM2 with those of OpenSSL 4.0;
 * and their announcement to libssl. Groups that OpenSSL has are announced as it does (provider/groups.c).
 */
#include "hybrid.h"
#include "keymgmt.h"
#include "provider/async/pool.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

const struct oct_prov_group oct_prov_groups[OCT_PROV_GROUPS] = {
    {.name = "X25519MLKEM768",
     .id = 0x11ec,
     .security_bits = 192,
     .set = OCT_MLKEM_768,
     .algorithm = "X25519",
     .pool = &oct_pool_x25519,
     .point = 32,
     .number = 32,
     .server_op = OCT_OP_X25519MLKEM768_SERVER,
     .client_op = OCT_OP_X25519MLKEM768_CLIENT,
     .share = 1216,
     .reply = 1120,
     .secret = 64,
     .keymgmt = oct_x25519mlkem768_keymgmt},
    {.name = "SecP256r1MLKEM768",
     .id = 0x11eb,
     .security_bits = 192,
     .set = OCT_MLKEM_768,
     .algorithm = "EC",
     .curve = "P-256",
     .pool = &oct_pool_p256,
     .point = 65,
     .number = 32,
     .curve_first = true,
     .server_op = OCT_OP_SECP256R1MLKEM768_SERVER,
     .client_op = OCT_OP_SECP256R1MLKEM768_CLIENT,
     .share = 1249,
     .reply = 1153,
     .secret = 64,
     .keymgmt = oct_secp256r1mlkem768_keymgmt},
    {.name = "SecP384r1MLKEM1024",
     .id = 0x11ed,
     .security_bits = 256,
     .set = OCT_MLKEM_1024,
     .algorithm = "EC",
     .curve = "P-384",
     .pool = &oct_pool_p384,
     .point = 97,
     .number = 48,
     .curve_first = true,
     .server_op = OCT_OP_SECP384R1MLKEM1024_SERVER,
     .client_op = OCT_OP_SECP384R1MLKEM1024_CLIENT,
     .share = 1665,
     .reply = 1665,
     .secret = 80,
     .keymgmt = oct_secp384r1mlkem1024_keymgmt},
    {.name = "curveSM2MLKEM768",
     .id = 0x11ee,
     .security_bits = 192,
     .set = OCT_MLKEM_768,
     .algorithm = "curveSM2",
     .curve = "SM2",
     .pool = &oct_pool_sm2,
     .point = 65,
     .number = 32,
     .curve_first = true,
     .server_op = OCT_OP_CURVESM2MLKEM768_SERVER,
     .client_op = OCT_OP_CURVESM2MLKEM768_CLIENT,
     .share = 1249,
     .reply = 1153,
     .secret = 64,
     .keymgmt = oct_curvesm2mlkem768_keymgmt},
    {.name = "MLKEM768",
     .id = 0x0201,
     .security_bits = 192,
     .set = OCT_MLKEM_768,
     .server_op = OCT_OP_MLKEM768_ENCAPS,
     .client_op = OCT_OP_MLKEM768_DECAPS,
     .share = 1184,
     .reply = 1088,
     .secret = 32,
     .keymgmt = oct_mlkem768_keymgmt},
    {.name = "MLKEM1024",
     .id = 0x0202,
     .security_bits = 256,
     .set = OCT_MLKEM_1024,
     .server_op = OCT_OP_MLKEM1024_ENCAPS,
     .client_op = OCT_OP_MLKEM1024_DECAPS,
     .share = 1568,
     .reply = 1568,
     .secret = 32,
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
