/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The NIST curves P-256 and P-384 (SP 800-186) and the curve of SM2 (GB/T 32918.5): ECDH (SP 800-56A, 5.7.1.2), key
 * pairs, signatures and their verification, up to eight at a time with a key of its own for each. Signatures are
 * ECDSA's (FIPS 186-5), but on the curve of SM2, which has its own (octuple/sm2.h).
 *
 * All numbers are big-endian byte strings of oct_ec_bytes(curve) bytes: 32 or 48. A private key is a number of 1 ..
 * n-1; a public key is its coordinates x and y one after the other, without the 0x04 of the usual encoding. Private
 * keys, shared secrets and nonces are secret: the time and the addresses touched do not depend on them. Public keys,
 * digests, signatures, and whether a lane is refused, are public.
 *
 * In all calls: `lanes` is 1 to 8; no output may overlap another output, inputs may be outputs of the same call. OCT_OK
 * is returned when the lanes were run: look at *result. Errors, with nothing written: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH,
 * OCT_ERR_UNSUPPORTED (no table on this CPU, or the operation is off), OCT_ERR_MEMORY.
 */
#ifndef OCTUPLE_EC_H
#define OCTUPLE_EC_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum oct_ec_curve { OCT_EC_P256 = 0, OCT_EC_P384 = 1, OCT_EC_SM2 = 2, OCT_EC_CURVES = 3 };

/* The curves whose signatures are ECDSA's: the first ones. */
#define OCT_ECDSA_CURVES 2

#define OCT_EC_MAX_BYTES  48
#define OCT_EC_MAX_DIGEST 64

/* The bytes of a number: 32 or 48; 0 for a number that is no curve. */
OCT_API size_t oct_ec_bytes(int curve);

/* The operations (enum oct_op) on a curve; -1 for a number that is no curve. */
OCT_API int oct_ec_derive_op(int curve);
OCT_API int oct_ec_keygen_op(int curve);
OCT_API int oct_ecdsa_sign_op(int curve);
OCT_API int oct_ecdsa_verify_op(int curve);

struct oct_ec_derive_lane {
    const uint8_t *private_key;
    const uint8_t *peer; /* the other side's public key, 2 * bytes */
    uint8_t *secret;     /* the x coordinate of the shared point */
};

/* The public key is fully validated: coordinates below p, a point of the curve; or its lane is invalid, as it is when
 * the private key is not 1 .. n-1. An invalid lane's secret is zero. */
OCT_API OCT_MUST_USE int oct_ec_derive_x8(int curve, const struct oct_ec_derive_lane lane[], unsigned lanes,
                                          struct oct_lanes *result);

struct oct_ec_public_lane {
    const uint8_t *private_key;
    uint8_t *public_key; /* 2 * bytes */
};

/* The public keys of given private keys. A private key that is not 1 .. n-1 makes its lane invalid, its output zero. */
OCT_API OCT_MUST_USE int oct_ec_public_x8(int curve, const struct oct_ec_public_lane lane[], unsigned lanes,
                                          struct oct_lanes *result);

struct oct_ec_keygen_lane {
    uint8_t *private_key; /* bytes */
    uint8_t *public_key;  /* 2 * bytes */
};

/* New key pairs, the private ones drawn evenly from 1 .. n-1 with getrandom(2), a candidate out of range drawn again.
 * All lanes are ok, unless the system has no randomness: OCT_ERR_UNSUPPORTED. */
OCT_API OCT_MUST_USE int oct_ec_keygen_x8(int curve, const struct oct_ec_keygen_lane lane[], unsigned lanes,
                                          struct oct_lanes *result);

struct oct_ecdsa_sign_lane {
    const uint8_t *private_key;
    const uint8_t *digest; /* of the message; its leftmost 8 * bytes bits are signed */
    size_t digest_len;     /* 1 .. OCT_EC_MAX_DIGEST; 32 for SM2 */
    uint8_t *signature;    /* r and s one after the other, 2 * bytes */
};

/*
 * The nonce is hedged: SHA-512 of private key, digest, and 32 bytes fresh from getrandom(2) for each signature, reduced
 * modulo n. So it is a secret of the key and never repeats for two messages even where the randomness does, and a fork
 * can repeat neither. A private key that is not 1 .. n-1 (for SM2: n-2) makes its lane invalid, its signature zero.
 * OCT_ERR_UNSUPPORTED also without randomness.
 */
OCT_API OCT_MUST_USE int oct_ecdsa_sign_x8(int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes,
                                           struct oct_lanes *result);

struct oct_ecdsa_verify_lane {
    const uint8_t *public_key; /* 2 * bytes */
    const uint8_t *digest;     /* of the message; its leftmost 8 * bytes bits were signed */
    size_t digest_len;         /* 1 .. OCT_EC_MAX_DIGEST; 32 for SM2 */
    const uint8_t *signature;  /* r and s one after the other, 2 * bytes */
};

/*
 * FIPS 186-5, 6.4.2, or for SM2 GB/T 32918.2, 7. A lane is ok if its signature is valid, and invalid otherwise,
 * whatever the reason: r or s is not 1 .. n-1, the public key is not a point of the curve with coordinates below p (the
 * check that oct_ec_derive_x8() makes), or the signature is not this key's for this digest. Nothing is written but
 * *result. All inputs are public.
 */
OCT_API OCT_MUST_USE int oct_ecdsa_verify_x8(int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);

#ifdef __cplusplus
}
#endif
#endif
