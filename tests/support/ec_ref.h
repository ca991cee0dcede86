/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The curves as libcrypto's big numbers have them, and the numbers at which implementations break. */
#ifndef OCT_TESTS_EC_REF_H
#define OCT_TESTS_EC_REF_H

#include <octuple/ec.h>

#include <openssl/bn.h>
#include <openssl/ec.h>

struct ec_ref {
    int curve;
    size_t bytes;
    EC_GROUP *group;
    BIGNUM *p, *n;
    BN_CTX *ctx;
};

void ec_ref_open(struct ec_ref *ref, int curve);
void ec_ref_close(struct ec_ref *ref);

/* A number as the curve's bytes; it must fit. */
void ec_ref_put(const struct ec_ref *ref, uint8_t *out, const BIGNUM *x);

/* 1 if the scalar is 1 .. n-1. */
int ec_ref_scalar_ok(const struct ec_ref *ref, const uint8_t *scalar);

/* secret = x(scalar * peer): 1, or 0 and zeros if scalar or peer is refused. */
int ec_ref_derive(const struct ec_ref *ref, uint8_t *secret, const uint8_t *scalar, const uint8_t *peer);
/* public_key = scalar * G, the same way. */
int ec_ref_public(const struct ec_ref *ref, uint8_t *public_key, const uint8_t *scalar);
/* 1 if the key can sign: 1 .. n-1, or n-2 on SM2's curve. */
int ec_ref_signs(const struct ec_ref *ref, const uint8_t *key);
/* signature with the nonce k = the 64 bytes mod n: 1, or 0 and zeros if the key is refused or a zero comes up. */
int ec_ref_sign(const struct ec_ref *ref, uint8_t *signature, const uint8_t *key, const uint8_t nonce[64],
                const uint8_t *digest, size_t digest_len);
/* 1 if libcrypto's own ECDSA, or SM2, accepts the signature. SM2 takes digests of 32 bytes alone. */
int ec_ref_verify(const struct ec_ref *ref, const uint8_t *signature, const uint8_t *public_key, const uint8_t *digest,
                  size_t digest_len);

/* Scalars: 0, 1, 2, 3, n-2, n-1, n, n+1, all ones, those that make the last addition a doubling, powers of 2, random.
 */
enum { EC_REF_SCALARS = 20 };
void ec_ref_scalar(const struct ec_ref *ref, uint8_t *out, unsigned kind);

/* Peers: random points, G, -G; then bad ones: (0, 0), off by one, coordinates not below p of points that are fine
 * modulo p, all ones, a point of the same curve with another b, x and y exchanged. */
enum { EC_REF_PEERS = 12 };
void ec_ref_peer(const struct ec_ref *ref, uint8_t *out, unsigned kind);

#endif
