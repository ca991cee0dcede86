/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA paddings around the raw operation (RFC 8017). `em` is always a buffer of the modulus's length. Functions return
 * 1, or 0 with an error raised, unless they say otherwise.
 */
#ifndef OCT_PROVIDER_RSA_PAD_H
#define OCT_PROVIDER_RSA_PAD_H

#include "provider/core/digest.h"
#include "unpad.h"

#include <openssl/rsa.h>
#include <stddef.h>
#include <stdint.h>

struct oct_prov;

/* OpenSSL 3.0 has no name for this salt length: signing, the digest's length if there is room for it, else the longest
 * possible; verifying, whatever is found. From 3.1 on it is the default. */
#define OCT_SALT_AUTO_DIGEST_MAX (-4)

/* data ^= MGF1(seed); -> 0 if the digest fails. */
int oct_mgf1_xor(uint8_t *data, size_t len, const uint8_t *seed, size_t seed_len, const EVP_MD *md);

/* EMSA-PKCS1-v1_5: 00 01 ff.. 00, the header of `info` unless NULL, and data. */
int oct_pkcs1_sign_pad(struct oct_prov *prov, uint8_t *em, size_t size, const struct oct_digest *info,
                       const uint8_t *data, size_t len);

/* Takes it off again, data being public: *data points into em. 0, or the reason (RSA_R_...) why it is not of that form;
 * no error is raised. */
int oct_pkcs1_sign_unpad(const uint8_t **data, size_t *len, const uint8_t *em, size_t size);

/* EME-PKCS1-v1_5 for encryption: 00 02, random bytes that are not zero, 00, data. */
int oct_pkcs1_encrypt_pad(struct oct_prov *prov, uint8_t *em, size_t size, const uint8_t *data, size_t len);

/* EMSA-PSS. salt_len is a length or one of RSA_PSS_SALTLEN_DIGEST, _AUTO, _MAX, OCT_SALT_AUTO_DIGEST_MAX. */
struct oct_pss {
    const EVP_MD *md, *mgf1_md;
    int salt_len;
    unsigned bits; /* of the modulus */
};
int oct_pss_pad(struct oct_prov *prov, const struct oct_pss *pss, uint8_t *em, const uint8_t *hash);

/* 0 if em is a PSS encoding of hash, else the reason (RSA_R_...) why not; no error is raised. em is overwritten. */
int oct_pss_verify(const struct oct_pss *pss, uint8_t *em, const uint8_t *hash);

/* EME-OAEP. */
struct oct_oaep {
    const EVP_MD *md, *mgf1_md;
    const uint8_t *label;
    size_t label_len;
};
int oct_oaep_pad(struct oct_prov *prov, const struct oct_oaep *oaep, uint8_t *em, size_t size, const uint8_t *data,
                 size_t len);

/* em is secret and is overwritten; out has room for `size` bytes. *good is a mask: *len and out are only then written.
 */
int oct_oaep_unpad(struct oct_prov *prov, const struct oct_oaep *oaep, uint8_t *out, size_t *len, uint64_t *good,
                   uint8_t *em, size_t size);

/* What a bad PKCS#1 v1.5 block of this ciphertext (size bytes) decrypts to: see reject.c. Secret outputs. */
#define OCT_REJECT_HASH 32
void oct_reject_make(uint8_t *synthetic, uint8_t lengths[OCT_REJECT_LENGTHS], const uint8_t d_hash[OCT_REJECT_HASH],
                     const uint8_t *ciphertext, size_t size);

#endif
