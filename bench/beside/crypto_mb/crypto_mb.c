/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Intel's crypto_mb (of Integrated Performance Primitives Cryptography). Its own dispatcher takes CPUs of Intel's only
 * for applicable, so it is not asked: the functions themselves run wherever AVX-512 IFMA is.
 */
#include "crypto_mb.h"

#include <crypto_mb/cpu_features.h>
#include <crypto_mb/version.h>
#include <octuple/aead.h>
#include <stdio.h>
#include <string.h>

static const char *version(void)
{
    static char text[64];
    const mbxVersion *v = mbx_getversion();
    snprintf(text, sizeof text, "%s %d.%d.%d", v->name, v->major, v->minor, v->revision);
    return text;
}

static const char *why_not(void)
{
    if (!__builtin_cpu_supports("avx512ifma") || beside_without_avx512())
        return "this CPU has no AVX-512 IFMA, which crypto_mb needs";
    return oct_op_is_on(OCT_OP_RSA2048_PRIVATE) ? NULL : "Octuple has no table for this CPU";
}

static const char *note(void)
{
    return mbx_is_crypto_mb_applicable(mbx_get_cpu_features())
               ? NULL
               : "crypto_mb's dispatcher does not take this CPU; its functions run if they are called";
}

static const struct beside_row *const families[] = {crypto_mb_rsa, crypto_mb_25519, crypto_mb_p256, crypto_mb_p384,
                                                    crypto_mb_sm2, crypto_mb_sm3,   crypto_mb_sm4,  NULL};

/* SM4 needs more of a CPU than public keys do. */
static const char *off(const struct beside_row *row)
{
    const int is_sm4 = strncmp(row->name, "sm4", 3) == 0;
    return is_sm4 && !oct_aead_is_on(OCT_AEAD_SM4_GCM) ? oct_aead_reason(OCT_AEAD_SM4_GCM) : NULL;
}

const struct beside_peer beside_peer = {version, families, why_not, note, off};
