/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See digest.h. */
#include "provider.h"

#include "base/base.h"

#include <string.h>
#include <strings.h>

/* 2.16.840.1.101.3.4.2.x: the NIST arc of the SHA-2 and SHA-3 families. */
#define NIST_ARC 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02

static const struct oct_digest digest_table[OCT_DIGEST_COUNT] = {
    {{"SHA1", "SHA-1", "SSL3-SHA1"}, 20, 5, {0x2b, 0x0e, 0x03, 0x02, 0x1a}},
    {{"SHA2-224", "SHA-224", "SHA224"}, 28, 9, {NIST_ARC, 4}},
    {{"SHA2-256", "SHA-256", "SHA256"}, 32, 9, {NIST_ARC, 1}},
    {{"SHA2-384", "SHA-384", "SHA384"}, 48, 9, {NIST_ARC, 2}},
    {{"SHA2-512", "SHA-512", "SHA512"}, 64, 9, {NIST_ARC, 3}},
    {{"SHA2-512/224", "SHA-512/224", "SHA512-224"}, 28, 9, {NIST_ARC, 5}},
    {{"SHA2-512/256", "SHA-512/256", "SHA512-256"}, 32, 9, {NIST_ARC, 6}},
    {{"SHA3-224"}, 28, 9, {NIST_ARC, 7}},
    {{"SHA3-256"}, 32, 9, {NIST_ARC, 8}},
    {{"SHA3-384"}, 48, 9, {NIST_ARC, 9}},
    {{"SHA3-512"}, 64, 9, {NIST_ARC, 10}},
    {{"MD5", "SSL3-MD5"}, 16, 8, {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05}},
    {{"MD5-SHA1"}, 36, 0, {0}},
    {{"RIPEMD-160", "RIPEMD160", "RIPEMD", "RMD160"}, 20, 5, {0x2b, 0x24, 0x03, 0x02, 0x01}},
};

static int find_name(const char *name)
{
    for (int i = 0; i < OCT_DIGEST_COUNT; i++)
        for (int j = 0; digest_table[i].names[j] != NULL; j++)
            if (strcasecmp(name, digest_table[i].names[j]) == 0)
                return i;
    return -1;
}

/* Object identifiers and rarer aliases are OpenSSL's business. */
static int find_md(const EVP_MD *md)
{
    for (int i = 0; i < OCT_DIGEST_COUNT; i++)
        if (EVP_MD_is_a(md, digest_table[i].names[0]))
            return i;
    return -1;
}

static EVP_MD *fetch(struct oct_prov *prov, const char *name, const char *props)
{
    OSSL_LIB_CTX *ctx = oct_plain_ctx(prov);
    EVP_MD *md;

    if (ctx == NULL)
        return NULL;
    md = EVP_MD_fetch(ctx, name, props);
    if (md == NULL)
        OCT_RAISE_DATA(prov, OCT_REASON_DIGEST_UNKNOWN, "digest=%s", name);
    return md;
}

/* The cache holds one reference of its own for each digest; threads that race keep the first one stored. */
static EVP_MD *fetch_cached(struct oct_prov *prov, int index)
{
    _Atomic(EVP_MD *) *slot = &prov->digests.md[index];
    EVP_MD *md = atomic_load_explicit(slot, memory_order_acquire), *none = NULL;

    if (md == NULL) {
        md = fetch(prov, digest_table[index].names[0], NULL);
        if (md == NULL)
            return NULL;
        if (!atomic_compare_exchange_strong(slot, &none, md)) {
            EVP_MD_free(md);
            md = none;
        }
    }
    return EVP_MD_up_ref(md) ? md : NULL;
}

EVP_MD *oct_digest_fetch(struct oct_prov *prov, const struct oct_digest **info, const char *name, const char *props)
{
    int index = find_name(name);
    EVP_MD *md;

    if (index >= 0 && (props == NULL || props[0] == '\0')) {
        md = fetch_cached(prov, index);
    } else {
        md = fetch(prov, name, props);
        if (md != NULL)
            index = find_md(md);
    }
    *info = index < 0 ? NULL : &digest_table[index];
    return md;
}

void oct_digest_cache_cleanup(struct oct_digest_cache *cache)
{
    for (int i = 0; i < OCT_DIGEST_COUNT; i++)
        EVP_MD_free(atomic_exchange(&cache->md[i], NULL));
}

size_t oct_digest_info(const struct oct_digest *info, uint8_t out[OCT_DIGEST_INFO_MAX])
{
    const uint8_t n = info->oid_len;
    const uint8_t head[6] = {0x30, (uint8_t)(8 + n + info->size), 0x30, (uint8_t)(4 + n), 0x06, n};
    const uint8_t tail[4] = {0x05, 0x00, 0x04, info->size};

    if (n == 0)
        return 0;
    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, info->oid, n);
    memcpy(out + sizeof head + n, tail, sizeof tail);
    return sizeof head + n + sizeof tail;
}
