/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Digests of the private library context, fetched once, and what RSA must know of them: the object identifier that
 * PKCS#1 v1.5 signatures carry (RFC 8017 section 9.2).
 */
#ifndef OCT_PROVIDER_DIGEST_H
#define OCT_PROVIDER_DIGEST_H

#include <openssl/evp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct oct_prov;

struct oct_digest {
    const char *names[5]; /* as OpenSSL lists them, the canonical one first; ended by NULL */
    uint8_t size;         /* bytes of output */
    uint8_t oid_len;      /* 0: the bare digest is signed (MD5-SHA1 of TLS 1.1 and before) */
    uint8_t oid[10];      /* contents of the OBJECT IDENTIFIER */
};

#define OCT_DIGEST_COUNT 14
/* The longest DigestInfo header: two SEQUENCEs, an OID, NULL, and the head of the OCTET STRING. */
#define OCT_DIGEST_INFO_MAX 32

struct oct_digest_cache {
    _Atomic(EVP_MD *) md[OCT_DIGEST_COUNT];
};

/*
 * A digest by name, and by properties if they are neither NULL nor empty. The caller owns the reference. *info is NULL
 * for a digest that is not in the table (PKCS#1 v1.5 signatures with it are left to OpenSSL). NULL, with an error
 * raised, if there is no such digest.
 */
EVP_MD *oct_digest_fetch(struct oct_prov *prov, const struct oct_digest **info, const char *name, const char *props);

void oct_digest_cache_cleanup(struct oct_digest_cache *cache);

/* Writes the header that goes before the digest in a DigestInfo and returns its length (0 for MD5-SHA1). */
size_t oct_digest_info(const struct oct_digest *info, uint8_t out[OCT_DIGEST_INFO_MAX]);

#endif
