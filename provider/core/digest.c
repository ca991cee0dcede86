/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See digest.h. */
#include "provider.h"

#include "base/base.h"

#include <string.h>
#include <strings.h>

/* 2.16.840.1.101.3.4.2.x: the NIST arc of the SHA-2 and SHA-3 families. */
#define NIST_ARC 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02

/* 1.2.840.113549.2.x: RSA Security's digests. */
#define RSADSI_ARC 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02

/* 1.2.840.113549.1.1.x: digests together with RSA. */
#define PKCS1_ARC 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01

/* What RSA signatures of OpenSSL 3.0 know. The last three come from other providers than the default one. MD4 is 4 in
 * its arc (RFC 1320), but OpenSSL signs and verifies it as 3, and so do its peers. */
static const struct oct_digest digest_table[OCT_DIGEST_COUNT] = {
    {{"SHA1", "SHA-1", "SSL3-SHA1"}, 20, 5, {0x2b, 0x0e, 0x03, 0x02, 0x1a}, 0x33, 0, {0}},
    {{"SHA2-224", "SHA-224", "SHA224"}, 28, 9, {NIST_ARC, 4}, 0, 0, {0}},
    {{"SHA2-256", "SHA-256", "SHA256"}, 32, 9, {NIST_ARC, 1}, 0x34, 0, {0}},
    {{"SHA2-384", "SHA-384", "SHA384"}, 48, 9, {NIST_ARC, 2}, 0x36, 0, {0}},
    {{"SHA2-512", "SHA-512", "SHA512"}, 64, 9, {NIST_ARC, 3}, 0x35, 0, {0}},
    {{"SHA2-512/224", "SHA-512/224", "SHA512-224"}, 28, 9, {NIST_ARC, 5}, 0, 0, {0}},
    {{"SHA2-512/256", "SHA-512/256", "SHA512-256"}, 32, 9, {NIST_ARC, 6}, 0, 0, {0}},
    {{"SHA3-224"}, 28, 9, {NIST_ARC, 7}, 0, 0, {0}},
    {{"SHA3-256"}, 32, 9, {NIST_ARC, 8}, 0, 0, {0}},
    {{"SHA3-384"}, 48, 9, {NIST_ARC, 9}, 0, 0, {0}},
    {{"SHA3-512"}, 64, 9, {NIST_ARC, 10}, 0, 0, {0}},
    {{"MD5", "SSL3-MD5"}, 16, 8, {RSADSI_ARC, 5}, 0, 0, {0}},
    {{"MD5-SHA1"}, 36, 0, {0}, 0, 0, {0}},
    {{"RIPEMD-160", "RIPEMD160", "RIPEMD", "RMD160"}, 20, 5, {0x2b, 0x24, 0x03, 0x02, 0x01}, 0, 0, {0}},
    {{"MD4"}, 16, 8, {RSADSI_ARC, 3}, 0, 9, {PKCS1_ARC, 3}},
    {{"MD2"}, 16, 8, {RSADSI_ARC, 2}, 0, 9, {PKCS1_ARC, 2}},
    {{OCT_DIGEST_MDC2}, 16, 4, {0x55, 0x08, 0x03, 0x65}, 0, 5, {0x2b, 0x0e, 0x03, 0x02, 0x0e}},
};

static int find_name(const char *name)
{
    for (int i = 0; i < OCT_DIGEST_COUNT; i++)
        for (int j = 0; digest_table[i].names[j] != NULL; j++)
            if (strcasecmp(name, digest_table[i].names[j]) == 0)
                return i;
    return -1;
}

/* Object identifiers and rarer aliases are OpenSSL's business. Asking it costs a look-up by name each time, so that the
 * name that the application used comes first. */
static const struct oct_digest *find_md(const EVP_MD *md, const char *name)
{
    const int named = find_name(name);

    if (named >= 0 && EVP_MD_is_a(md, digest_table[named].names[0]))
        return &digest_table[named];
    for (int i = 0; i < OCT_DIGEST_COUNT; i++)
        if (EVP_MD_is_a(md, digest_table[i].names[0]))
            return &digest_table[i];
    return NULL;
}

EVP_MD *oct_digest_fetch(struct oct_prov *prov, const struct oct_digest **info, const char *name, const char *props)
{
    OSSL_LIB_CTX *ctx = oct_app_ctx(prov);
    EVP_MD *md = ctx == NULL ? NULL : EVP_MD_fetch(ctx, name, props);

    *info = NULL;
    if (md == NULL)
        OCT_RAISE_DATA(prov, OCT_REASON_DIGEST_UNKNOWN, "%s could not be fetched", name);
    else
        *info = find_md(md, name);
    return md;
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

bool oct_digest_is_default(const struct oct_digest *info)
{
    return info != NULL && info->rsa_oid_len == 0;
}

bool oct_digest_is_mdc2(const struct oct_digest *info)
{
    return info != NULL && strcmp(info->names[0], OCT_DIGEST_MDC2) == 0;
}

size_t oct_digest_info_to_sign(const struct oct_digest *info, uint8_t out[OCT_DIGEST_INFO_MAX])
{
    if (!oct_digest_is_mdc2(info))
        return oct_digest_info(info, out);
    out[0] = 0x04;
    out[1] = info->size;
    return 2;
}
