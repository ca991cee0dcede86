/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See padding.h. */
#include "padding.h"

#include <openssl/evp.h>
#include <string.h>

static const struct kat_bytes nothing = {(uint8_t *)"", 0};

size_t kat_digest(uint8_t out[64], const char *sha, struct kat_bytes a, struct kat_bytes b)
{
    unsigned len = 0;
    EVP_MD *md = EVP_MD_fetch(NULL, sha, NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    KAT_REQUIRE(md && ctx && EVP_DigestInit_ex(ctx, md, NULL));
    KAT_REQUIRE(EVP_DigestUpdate(ctx, a.data, a.len) && EVP_DigestUpdate(ctx, b.data, b.len));
    KAT_REQUIRE(EVP_DigestFinal_ex(ctx, out, &len));
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(md);
    return len;
}

/* The last bytes of the algorithm identifier of a SHA digest, 2.16.840.1.101.3.4.2.x. */
static const struct {
    const char *name;
    uint8_t arc, len;
} sha2[] = {{"sha-256", 1, 32},  {"sha-384", 2, 48},    {"sha-512", 3, 64},    {"sha-224", 4, 28},
            {"sha3-224", 7, 28}, {"sha512-224", 5, 28}, {"sha512-256", 6, 32}, {"sha3-256", 8, 32},
            {"sha3-384", 9, 48}, {"sha3-512", 10, 64}};

/* DigestInfo without the digest. */
static size_t digest_info(uint8_t out[32], const char *sha)
{
    static const uint8_t sha1[] = {0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e,
                                   0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 20};
    static const uint8_t other[] = {0x30, 0x11, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                    0x65, 0x03, 0x04, 0x02, 0,    0x05, 0x00, 0x04, 0};
    if (strcmp(sha, "sha-1") == 0) {
        memcpy(out, sha1, sizeof sha1);
        return sizeof sha1;
    }
    for (unsigned i = 0; i < sizeof sha2 / sizeof sha2[0]; i++) {
        if (strcmp(sha, sha2[i].name) != 0)
            continue;
        memcpy(out, other, sizeof other);
        out[1] = (uint8_t)(out[1] + sha2[i].len);
        out[14] = sha2[i].arc;
        out[18] = sha2[i].len;
        return sizeof other;
    }
    kat_die(sha, "no such digest here", 0);
}

void kat_emsa_pkcs1(uint8_t *em, size_t k, const char *sha, struct kat_bytes msg)
{
    uint8_t hash[64], info[32];
    const size_t hash_len = kat_digest(hash, sha, msg, nothing), info_len = digest_info(info, sha);
    KAT_REQUIRE(k >= hash_len + info_len + 11);
    memset(em, 0xff, k);
    em[0] = 0;
    em[1] = 1;
    em[k - hash_len - info_len - 1] = 0;
    memcpy(em + k - hash_len - info_len, info, info_len);
    memcpy(em + k - hash_len, hash, hash_len);
}

/* out ^= MGF1(seed) */
static void mgf1_xor(uint8_t *out, size_t len, const char *mgf, struct kat_bytes seed)
{
    uint8_t block[64], counter[4] = {0};
    for (size_t at = 0; at < len; counter[3]++) {
        const size_t size = kat_digest(block, mgf, seed, (struct kat_bytes){counter, 4});
        for (size_t i = 0; i < size && at < len; i++)
            out[at++] ^= block[i];
    }
}

int kat_emsa_pss_verify(const uint8_t *em, size_t k, const char *sha, const char *mgf, size_t salt,
                        struct kat_bytes msg)
{
    uint8_t hash[64], again[64], db[512], tail[8 + 64 + 512] = {0};
    const size_t h = kat_digest(hash, sha, msg, nothing), db_len = k - h - 1;
    if (k < h + salt + 2 || em[k - 1] != 0xbc || (em[0] & 0x80))
        return 0;
    memcpy(db, em, db_len);
    mgf1_xor(db, db_len, mgf, (struct kat_bytes){(uint8_t *)em + db_len, h});
    db[0] &= 0x7f;
    for (size_t i = 0; i < db_len - salt - 1; i++)
        if (db[i] != 0)
            return 0;
    if (db[db_len - salt - 1] != 1)
        return 0;
    memcpy(tail + 8, hash, h);
    memcpy(tail + 8 + h, db + db_len - salt, salt);
    kat_digest(again, sha, (struct kat_bytes){tail, 8 + h + salt}, nothing);
    return memcmp(again, em + db_len, h) == 0;
}

int kat_eme_pkcs1(struct kat_bytes *msg, uint8_t *em, size_t k)
{
    size_t at = 2;
    while (at < k && em[at] != 0)
        at++;
    if (em[0] != 0 || em[1] != 2 || at == k || at < 10)
        return 0;
    *msg = (struct kat_bytes){em + at + 1, k - at - 1};
    return 1;
}

int kat_eme_oaep(struct kat_bytes *msg, uint8_t *em, size_t k, const char *sha, const char *mgf, struct kat_bytes label)
{
    uint8_t label_hash[64];
    const size_t h = kat_digest(label_hash, sha, label, nothing);
    uint8_t *seed = em + 1, *db = em + 1 + h;
    const size_t db_len = k - h - 1;
    mgf1_xor(seed, h, mgf, (struct kat_bytes){db, db_len});
    mgf1_xor(db, db_len, mgf, (struct kat_bytes){seed, h});
    size_t at = h;
    while (at < db_len && db[at] == 0)
        at++;
    if (em[0] != 0 || memcmp(db, label_hash, h) != 0 || at == db_len || db[at] != 1)
        return 0;
    *msg = (struct kat_bytes){db + at + 1, db_len - at - 1};
    return 1;
}
