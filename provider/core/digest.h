/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Digests that the application has, and what RSA must know of them: the object identifier that PKCS#1 v1.5 signatures
 * carry (RFC 8017 section 9.2).
 *
 * Each is fetched anew: OpenSSL keeps what it has found, and forgets it when providers come and go or the default
 * properties change. A second memory here would not hear of that.
 */
#ifndef OCT_PROVIDER_DIGEST_H
#define OCT_PROVIDER_DIGEST_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oct_prov;

struct oct_digest {
    const char *names[5]; /* as OpenSSL lists them, the canonical one first; ended by NULL */
    uint8_t size;         /* bytes of output */
    uint8_t oid_len;      /* 0: the bare digest is signed (MD5-SHA1 of TLS 1.1 and before) */
    uint8_t oid[10];      /* contents of the OBJECT IDENTIFIER */
    uint8_t x931_id;      /* the trailer of X9.31 signatures (ISO/IEC 10118); 0: none there */
    uint8_t rsa_oid_len;  /* 0 but for digests that the default provider has not */
    uint8_t rsa_oid[9];   /* the object identifier of such a digest with RSA */
};

#define OCT_DIGEST_COUNT 17
/* PKCS#1 v1.5 signatures with it have a form of their own. */
#define OCT_DIGEST_MDC2 "MDC2"
/* The longest DigestInfo header: two SEQUENCEs, an OID, NULL, and the head of the OCTET STRING. */
#define OCT_DIGEST_INFO_MAX 32

/*
 * A digest by name from the application's context, and by properties if they are neither NULL nor empty. The caller
 * owns the reference. *info is NULL for a digest that is not in the table (PKCS#1 v1.5 signatures with it are left to
 * OpenSSL). NULL, with an error raised, if there is no such digest.
 */
EVP_MD *oct_digest_fetch(struct oct_prov *prov, const struct oct_digest **info, const char *name, const char *props);

/* Writes the header that goes before the digest in a DigestInfo and returns its length (0 for MD5-SHA1). */
size_t oct_digest_info(const struct oct_digest *info, uint8_t out[OCT_DIGEST_INFO_MAX]);

/* The header to sign with: OpenSSL signs MDC2 as a bare OCTET STRING, and verifies either form. */
size_t oct_digest_info_to_sign(const struct oct_digest *info, uint8_t out[OCT_DIGEST_INFO_MAX]);
/* Whether it is in the table, and OpenSSL's default provider has it. */
bool oct_digest_is_default(const struct oct_digest *info);
bool oct_digest_is_mdc2(const struct oct_digest *info);

#endif
