/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the provider offers of post-quantum groups.
 *
 * Where OpenSSL has none of its own they are offered on every CPU, on portable code if need be, whatever else is
 * switched off: a server whose configuration names a group does not start where it is missing. From 3.5 on OpenSSL's
 * own serve what lanes do not, and its keys of ML-KEM alone can be written and read, so those stay its own.
 */
#include "hybrid.h"
#include "keymgmt.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>

/* Before 3.0.10 libssl could choose a group of TLS 1.3 in TLS 1.2. */
#define FIRST_VERSION 0x300000a0u
#define HAS_THEM      0x30500000u

int oct_hybrid_openssl_has(void)
{
    return OpenSSL_version_num() >= HAS_THEM;
}

static bool serves(int op, bool asked)
{
    (void)asked;
    return !oct_hybrid_openssl_has() || oct_op_is_possible(op);
}

#define GROUP(name, table, op)                                                                                         \
    {OSSL_OP_KEYMGMT, {name, OCT_PROPERTIES, table, "Octuple " name " keys"}, OCT_PROV_SWITCH_hybrid, (op), (op)},     \
    {                                                                                                                  \
        OSSL_OP_KEM, {name, OCT_PROPERTIES, oct_hybrid_kem_table, "Octuple " name}, OCT_PROV_SWITCH_hybrid, (op), (op) \
    }
#define WITH_CURVE                                                                                                     \
    GROUP("X25519MLKEM768", oct_x25519mlkem768_keymgmt, OCT_OP_X25519MLKEM768_SERVER),                                 \
        GROUP("SecP256r1MLKEM768", oct_secp256r1mlkem768_keymgmt, OCT_OP_SECP256R1MLKEM768_SERVER),                    \
        GROUP("SecP384r1MLKEM1024", oct_secp384r1mlkem1024_keymgmt, OCT_OP_SECP384R1MLKEM1024_SERVER)
#define END                                                                                                            \
    {                                                                                                                  \
        0, {NULL, NULL, NULL, NULL}, 0, 0, 0                                                                           \
    }

static const struct oct_offer *offers(void)
{
    static const struct oct_offer none[] = {END}, hybrids[] = {WITH_CURVE, END},
                                  with_sm2[] = {WITH_CURVE,
                                                GROUP("curveSM2MLKEM768", oct_curvesm2mlkem768_keymgmt,
                                                      OCT_OP_CURVESM2MLKEM768_SERVER),
                                                END},
                                  all[] = {WITH_CURVE, GROUP("MLKEM768", oct_mlkem768_keymgmt, OCT_OP_MLKEM768_ENCAPS),
                                           GROUP("MLKEM1024", oct_mlkem1024_keymgmt, OCT_OP_MLKEM1024_ENCAPS), END};

    if (OpenSSL_version_num() < FIRST_VERSION)
        return none;
    if (OPENSSL_version_major() >= 4)
        return with_sm2;
    return oct_hybrid_openssl_has() ? hybrids : all;
}

const struct oct_prov_family oct_prov_family_hybrid = {
    .offers = offers,
    .serves = serves,
    .has_groups = true,
    .announce = oct_hybrid_announce,
};
