/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the provider offers for EC keys, and the curves with lanes, a row each. */
#include "base/base.h"
#include "ec.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <openssl/objects.h>
#include <strings.h>

/* OpenSSL's own P-256 is quick: a vector for one derivation takes a third longer on any CPU that we know. */
const struct oct_prov_curve oct_prov_curves[OCT_ECDSA_CURVES] = {
    [OCT_EC_P256] = {{"prime256v1", "P-256", "1.2.840.10045.3.1.7"}, NID_X9_62_prime256v1, 256, 128, 72, false},
    [OCT_EC_P384] = {{"secp384r1", "P-384", "1.3.132.0.34"}, NID_secp384r1, 384, 192, 104, true},
};

int oct_ec_curve_by_name(const char *name)
{
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
        for (size_t i = 0; i < OCT_ARRAY_LEN(oct_prov_curves[curve].names); i++)
            if (strcasecmp(name, oct_prov_curves[curve].names[i]) == 0)
                return curve;
    return -1;
}

#define ENCODER_OFFER(name, form)                                                                                      \
    {OSSL_OP_ENCODER,                                                                                                  \
     {OCT_EC_NAMES, OCT_PROPERTIES form, oct_ec_encoder_##name, "Octuple EC keys, written"},                           \
     OCT_PROV_SWITCH_ec,                                                                                               \
     OCT_OP_P256_SIGN,                                                                                                 \
     OCT_OP_P384_DERIVE},
#define ENCODER(name, output, structure, selection) ENCODER_OFFER(name, ",output=" output ",structure=" structure)
#define FALLBACK_ENCODER(name, output, selection)   ENCODER_OFFER(name, ",output=" output)

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        {OSSL_OP_KEYMGMT,
         {OCT_EC_NAMES, OCT_PROPERTIES, oct_ec_keymgmt_table, "Octuple EC keys"},
         OCT_PROV_SWITCH_ec,
         OCT_OP_P256_SIGN,
         OCT_OP_P384_DERIVE},
        {OSSL_OP_KEYEXCH,
         {"ECDH", OCT_PROPERTIES, oct_ec_exchange_table, "Octuple ECDH"},
         OCT_PROV_SWITCH_ec,
         OCT_OP_P256_SIGN,
         OCT_OP_P384_DERIVE},
        {OSSL_OP_SIGNATURE,
         {"ECDSA", OCT_PROPERTIES, oct_ec_signature_table, "Octuple ECDSA"},
         OCT_PROV_SWITCH_ec,
         OCT_OP_P256_SIGN,
         OCT_OP_P384_DERIVE},
#include "encoders.def"
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

/* The groups of the private context, to tell what is a point. */
struct part {
    EC_GROUP *group[OCT_ECDSA_CURVES];
};

static void close_part(void *vpart)
{
    struct part *part = vpart;

    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
        EC_GROUP_free(part->group[curve]);
    OPENSSL_free(part);
}

static void *open_part(const struct oct_fallback *fallback)
{
    struct part *part = OPENSSL_zalloc(sizeof *part);

    for (int curve = 0; part != NULL && curve < OCT_ECDSA_CURVES; curve++) {
        part->group[curve] = EC_GROUP_new_by_curve_name_ex(fallback->ctx, NULL, oct_prov_curves[curve].nid);
        if (part->group[curve] != NULL)
            continue;
        close_part(part);
        part = NULL;
    }
    return part;
}

const EC_GROUP *oct_ec_fallback_group(struct oct_prov *prov, int curve)
{
    const struct part *part = oct_fallback_part(prov, OCT_FAMILY_ec);
    return part == NULL ? NULL : part->group[curve];
}

const struct oct_prov_family oct_prov_family_ec = {
    .offers = offers,
    .keymgmt = "EC",
    .has_groups = true,
    .open = open_part,
    .close = close_part,
};
