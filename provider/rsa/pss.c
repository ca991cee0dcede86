/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * EMSA-PSS (RFC 8017 section 9.1). The encoded message has one bit less than the modulus; where that makes it a byte
 * shorter (modulus of 8k + 1 bits) em starts with a zero byte that is no part of it.
 *
 *     EM = maskedDB || H || bc,  DB = zeros || 01 || salt,  H = Hash(eight zeros || mHash || salt)
 */
#include "pad.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

/* The parts of one encoded message, within em. */
struct layout {
    uint8_t *db, *h;
    size_t db_len, hash_len, max_salt;
    uint8_t top_mask; /* the bits of db[0] that belong to it */
};

/* 0 if the key is too small for the digest. A modulus of zero, which OpenSSL takes, has no bits. */
static int lay_out(struct layout *l, const struct oct_pss *pss, uint8_t *em)
{
    const size_t em_bits = pss->bits == 0 ? 0 : pss->bits - 1, em_len = (em_bits + 7) / 8;
    const int hash_len = EVP_MD_get_size(pss->md);

    if (hash_len <= 0 || hash_len > EVP_MAX_MD_SIZE || em_len < (size_t)hash_len + 2)
        return 0;
    l->hash_len = (size_t)hash_len;
    l->db = em + ((pss->bits + 7) / 8 - em_len);
    l->db_len = em_len - l->hash_len - 1;
    l->h = l->db + l->db_len;
    l->max_salt = l->db_len - 1;
    l->top_mask = (uint8_t)(0xff >> (8 * em_len - em_bits));
    return 1;
}

static int hash_salted(const struct oct_pss *pss, uint8_t *out, const uint8_t *hash, size_t hash_len,
                       const uint8_t *salt, size_t salt_len)
{
    static const uint8_t zeros[8];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int ok = ctx != NULL && EVP_DigestInit_ex2(ctx, pss->md, NULL) && EVP_DigestUpdate(ctx, zeros, sizeof zeros) &&
             EVP_DigestUpdate(ctx, hash, hash_len) && EVP_DigestUpdate(ctx, salt, salt_len) &&
             EVP_DigestFinal_ex(ctx, out, NULL);

    EVP_MD_CTX_free(ctx);
    return ok;
}

/* The salt's length when signing; more than max_salt if it is too long. */
static size_t salt_to_sign(const struct oct_pss *pss, const struct layout *l)
{
    switch (pss->salt_len) {
    case RSA_PSS_SALTLEN_DIGEST:
        return l->hash_len;
    case RSA_PSS_SALTLEN_AUTO:
    case RSA_PSS_SALTLEN_MAX:
        return l->max_salt;
    case OCT_SALT_AUTO_DIGEST_MAX:
        return l->hash_len < l->max_salt ? l->hash_len : l->max_salt;
    default:
        return (size_t)pss->salt_len; /* a negative one becomes very long */
    }
}

int oct_pss_pad(struct oct_prov *prov, const struct oct_pss *pss, uint8_t *em, const uint8_t *hash)
{
    OSSL_LIB_CTX *libctx = oct_app_ctx(prov);
    struct layout l;
    size_t salt_len;
    uint8_t *salt;

    if (libctx == NULL || !lay_out(&l, pss, em))
        return OCT_RAISE_RSA(prov, RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE);
    salt_len = salt_to_sign(pss, &l);
    if (salt_len > l.max_salt)
        return OCT_RAISE_RSA(prov, RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE);
    salt = l.db + l.db_len - salt_len;
    memset(em, 0, (size_t)(salt - em));
    salt[-1] = 1;
    if (salt_len > 0 && RAND_bytes_ex(libctx, salt, salt_len, 0) <= 0)
        return OCT_RAISE(prov, OCT_REASON_INTERNAL);
    if (!hash_salted(pss, l.h, hash, l.hash_len, salt, salt_len) ||
        !oct_mgf1_xor(l.db, l.db_len, l.h, l.hash_len, pss->mgf1_md))
        return OCT_RAISE(prov, OCT_REASON_INTERNAL);
    l.db[0] &= l.top_mask;
    l.h[l.hash_len] = 0xbc;
    return 1;
}

/* Whether a salt of that length was found where one of pss->salt_len was asked for. */
static int salt_fits(const struct oct_pss *pss, const struct layout *l, size_t found)
{
    switch (pss->salt_len) {
    case RSA_PSS_SALTLEN_AUTO:
    case OCT_SALT_AUTO_DIGEST_MAX:
        return 1;
    case RSA_PSS_SALTLEN_DIGEST:
        return found == l->hash_len;
    case RSA_PSS_SALTLEN_MAX:
        return found == l->max_salt;
    default:
        return pss->salt_len >= 0 && found == (size_t)pss->salt_len;
    }
}

/* What can be said before the mask is off. */
static int check_ends(const struct layout *l, const uint8_t *em)
{
    if ((l->db > em && em[0] != 0) || (l->db[0] & ~l->top_mask) != 0)
        return RSA_R_FIRST_OCTET_INVALID;
    return l->h[l->hash_len] == 0xbc ? 0 : RSA_R_LAST_OCTET_INVALID;
}

static int check_db(const struct oct_pss *pss, const struct layout *l, const uint8_t *hash)
{
    uint8_t expected[EVP_MAX_MD_SIZE];
    size_t i = 0;

    while (i < l->db_len && l->db[i] == 0)
        i++;
    if (i == l->db_len || l->db[i] != 1)
        return RSA_R_SLEN_RECOVERY_FAILED;
    if (!salt_fits(pss, l, l->db_len - i - 1))
        return RSA_R_SLEN_CHECK_FAILED;
    if (!hash_salted(pss, expected, hash, l->hash_len, l->db + i + 1, l->db_len - i - 1))
        return ERR_R_INTERNAL_ERROR;
    return CRYPTO_memcmp(expected, l->h, l->hash_len) == 0 ? 0 : RSA_R_BAD_SIGNATURE;
}

int oct_pss_verify(const struct oct_pss *pss, uint8_t *em, const uint8_t *hash)
{
    struct layout l;
    int reason;

    if (!lay_out(&l, pss, em))
        return RSA_R_DATA_TOO_LARGE;
    reason = check_ends(&l, em);
    if (reason != 0)
        return reason;
    if (pss->salt_len >= 0 && (size_t)pss->salt_len > l.max_salt)
        return RSA_R_DATA_TOO_LARGE;
    if (!oct_mgf1_xor(l.db, l.db_len, l.h, l.hash_len, pss->mgf1_md))
        return ERR_R_INTERNAL_ERROR;
    l.db[0] &= l.top_mask;
    return check_db(pss, &l, hash);
}
