/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What OpenSSL's own EC and SM2 keys take and give; there is no public way to ask it without a key. */
#include "ec_forms.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#define PUBLIC  OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0)
#define PRIVATE OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0)
#define DOMAIN                                                                                                         \
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),                                                       \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_ENCODING, NULL, 0),                                                  \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, NULL, 0),                                   \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_FIELD_TYPE, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_P, NULL, 0),  \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_A, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_B, NULL, 0),                    \
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_EC_GENERATOR, NULL, 0),                                                \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_ORDER, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_COFACTOR, NULL, 0),         \
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_EC_SEED, NULL, 0)
#define OTHER                                                                                                          \
    OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL), OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, NULL)

static const OSSL_PARAM none[] = {OSSL_PARAM_END};
static const OSSL_PARAM key[] = {PRIVATE, PUBLIC, OSSL_PARAM_END};
static const OSSL_PARAM domain[] = {DOMAIN, OSSL_PARAM_END};
static const OSSL_PARAM domain_key[] = {PRIVATE, PUBLIC, DOMAIN, OSSL_PARAM_END};
static const OSSL_PARAM other[] = {OTHER, OSSL_PARAM_END};
static const OSSL_PARAM other_key[] = {PRIVATE, PUBLIC, OTHER, OSSL_PARAM_END};
static const OSSL_PARAM other_domain[] = {DOMAIN, OTHER, OSSL_PARAM_END};
static const OSSL_PARAM all[] = {PRIVATE, PUBLIC, DOMAIN, OTHER, OSSL_PARAM_END};

const OSSL_PARAM *oct_ec_types(int selection)
{
    static const OSSL_PARAM *const types[8] = {none, key, domain, domain_key, other, other_key, other_domain, all};
    return types[((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0) +
                 2 * ((selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) != 0) +
                 4 * ((selection & OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS) != 0)];
}
