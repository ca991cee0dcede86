/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for ML-DSA. OpenSSL's own code is the fallback, so nothing is offered before 3.5. */
#include "mldsa.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>

#define HAS_IT 0x30500000u

#define OFFERS(set, id)                                                                                                \
    {OSSL_OP_KEYMGMT,                                                                                                  \
     {"ML-DSA-" #set ":MLDSA" #set ":" id, OCT_PROPERTIES, oct_mldsa##set##_keymgmt_table,                             \
      "Octuple ML-DSA-" #set " keys"},                                                                                 \
     OCT_PROV_SWITCH_mldsa,                                                                                            \
     OCT_OP_MLDSA##set##_SIGN,                                                                                         \
     OCT_OP_MLDSA##set##_VERIFY},                                                                                      \
    {                                                                                                                  \
        OSSL_OP_SIGNATURE,                                                                                             \
            {"ML-DSA-" #set ":MLDSA" #set ":" id, OCT_PROPERTIES, oct_mldsa##set##_signature_table,                    \
             "Octuple ML-DSA-" #set " signatures"},                                                                    \
            OCT_PROV_SWITCH_mldsa, OCT_OP_MLDSA##set##_SIGN, OCT_OP_MLDSA##set##_VERIFY                                \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        0, {NULL, NULL, NULL, NULL}, 0, 0, 0                                                                           \
    }

const char *oct_mldsa_name(int set)
{
    return set == OCT_MLDSA_44 ? "ML-DSA-44" : "ML-DSA-65";
}

int oct_mldsa_openssl_has(void)
{
    return OpenSSL_version_num() >= HAS_IT;
}

static const struct oct_offer *offers(void)
{
    static const struct oct_offer none[] = {END};
    static const struct oct_offer all[] = {OFFERS(44, "2.16.840.1.101.3.4.3.17:id-ml-dsa-44"),
                                           OFFERS(65, "2.16.840.1.101.3.4.3.18:id-ml-dsa-65"), END};

    return oct_mldsa_openssl_has() ? all : none;
}

static void close_part(void *vpart)
{
    struct oct_mldsa_part *part = vpart;

    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        EVP_KEYMGMT_free(part->keymgmt[set]);
        EVP_SIGNATURE_free(part->signature[set]);
    }
    OPENSSL_free(part);
}

static void *open_part(const struct oct_fallback *fallback)
{
    struct oct_mldsa_part *part = OPENSSL_zalloc(sizeof *part);

    for (int set = 0; part != NULL && set < OCT_MLDSA_SETS; set++) {
        part->keymgmt[set] = EVP_KEYMGMT_fetch(fallback->ctx, oct_mldsa_name(set), NULL);
        part->signature[set] = EVP_SIGNATURE_fetch(fallback->ctx, oct_mldsa_name(set), NULL);
        if (part->keymgmt[set] != NULL && part->signature[set] != NULL)
            continue;
        close_part(part);
        part = NULL;
    }
    return part;
}

const struct oct_mldsa_part *oct_mldsa_part(struct oct_prov *prov)
{
    return oct_fallback_part(prov, OCT_FAMILY_mldsa);
}

const struct oct_prov_family oct_prov_family_mldsa = {
    .offers = offers,
    .keymgmt = "ML-DSA-44",
    .has_sigalgs = true,
    .open = open_part,
    .close = close_part,
};
