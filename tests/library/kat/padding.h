/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The paddings of RFC 8017, written a second time and plainly, for comparing what the raw RSA operations return with
 * what a test vector wants. In variable time: nothing is secret in a test. Lengths: `k` is the modulus in bytes.
 */
#ifndef OCT_TESTS_KAT_PADDING_H
#define OCT_TESTS_KAT_PADDING_H

#include "vectors.h"

/* The digest of one or two pieces; returns its length. sha is a name that OpenSSL knows. */
size_t kat_digest(uint8_t out[64], const char *sha, struct kat_bytes a, struct kat_bytes b);

/* EMSA-PKCS1-v1_5 (9.2): em[0..k-1] for a message. */
void kat_emsa_pkcs1(uint8_t *em, size_t k, const char *sha, struct kat_bytes msg);

/* EMSA-PSS-VERIFY (9.1.2) for a modulus whose bits are 8*k: 1 if em is consistent with the message. */
int kat_emsa_pss_verify(const uint8_t *em, size_t k, const char *sha, const char *mgf, size_t salt,
                        struct kat_bytes msg);

/* EME-PKCS1-v1_5 and EME-OAEP decoding (7.2.2, 7.1.2): 1 and the message (in em), or 0. */
int kat_eme_pkcs1(struct kat_bytes *msg, uint8_t *em, size_t k);
int kat_eme_oaep(struct kat_bytes *msg, uint8_t *em, size_t k, const char *sha, const char *mgf,
                 struct kat_bytes label);

#endif
