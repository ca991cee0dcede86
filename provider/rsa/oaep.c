/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * EME-OAEP (RFC 8017 section 7.1): EM = 00 || maskedSeed || maskedDB, DB = lHash || zeros || 01 || message.
 * Everything in a decrypted block is secret until the verdict; the steps here do not depend on it, and the search for
 * the message is in unpad.c.
 */
#include "pad.h"

#include "ct.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

static int hash_label(const struct oct_oaep *oaep, uint8_t *out)
{
    return EVP_Digest(oaep->label == NULL ? (const uint8_t *)"" : oaep->label, oaep->label_len, out, NULL, oaep->md,
                      NULL);
}

/* The digest's size if the modulus has room for it, else 0. */
static size_t usable_hash_len(const struct oct_oaep *oaep, size_t size)
{
    const int len = EVP_MD_get_size(oaep->md);
    return len <= 0 || len > EVP_MAX_MD_SIZE || size < 2 * (size_t)len + 2 ? 0 : (size_t)len;
}

int oct_oaep_pad(struct oct_prov *prov, const struct oct_oaep *oaep, uint8_t *em, size_t size, const uint8_t *data,
                 size_t len)
{
    OSSL_LIB_CTX *libctx = oct_app_ctx(prov);
    const size_t hash_len = usable_hash_len(oaep, size);
    uint8_t *seed = em + 1, *db = seed + hash_len;
    const size_t db_len = size - hash_len - 1;

    if (libctx == NULL || hash_len == 0)
        return OCT_RAISE(prov, OCT_REASON_KEY_TOO_SMALL);
    if (len > db_len - hash_len - 1)
        return OCT_RAISE(prov, ERR_PACK(ERR_LIB_RSA, 0, RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE));
    em[0] = 0;
    if (RAND_bytes_ex(libctx, seed, hash_len, 0) <= 0 || !hash_label(oaep, db))
        return OCT_RAISE(prov, OCT_REASON_INTERNAL);
    memset(db + hash_len, 0, db_len - hash_len - len - 1);
    db[db_len - len - 1] = 1;
    memcpy(db + db_len - len, data, len);
    if (!oct_mgf1_xor(db, db_len, seed, hash_len, oaep->mgf1_md) ||
        !oct_mgf1_xor(seed, hash_len, db, db_len, oaep->mgf1_md))
        return OCT_RAISE(prov, OCT_REASON_INTERNAL);
    return 1;
}

int oct_oaep_unpad(struct oct_prov *prov, const struct oct_oaep *oaep, uint8_t *out, size_t *len, uint64_t *good,
                   uint8_t *em, size_t size)
{
    const size_t hash_len = usable_hash_len(oaep, size);
    uint8_t *seed = em + 1, *db = seed + hash_len;
    const size_t db_len = size - hash_len - 1;
    uint8_t expected[EVP_MAX_MD_SIZE];

    if (hash_len == 0)
        return OCT_RAISE(prov, OCT_REASON_OAEP_DECODING);
    if (!oct_mgf1_xor(seed, hash_len, db, db_len, oaep->mgf1_md) ||
        !oct_mgf1_xor(db, db_len, seed, hash_len, oaep->mgf1_md) || !hash_label(oaep, expected))
        return OCT_RAISE(prov, OCT_REASON_INTERNAL);
    *good = oct_unpad_oaep(out, len, db, db_len, expected, hash_len, ct_is_zero(em[0]));
    return 1;
}
