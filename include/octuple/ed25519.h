/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 (RFC 8032, PureEdDSA: no context, no prehash), up to eight at a time: signatures, each with a key of its own,
 * and their verification.
 *
 * Keys and signatures are the RFC's bytes: a seed and a public key of 32, a signature R || S of 64. Seeds, and what is
 * derived from them, are secret, and so is a message that is signed: the time and the addresses touched depend on
 * lengths only. In verification everything is public.
 */
#ifndef OCTUPLE_ED25519_H
#define OCTUPLE_ED25519_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_ED25519_SEED_BYTES      32
#define OCT_ED25519_PUBLIC_BYTES    32
#define OCT_ED25519_SIGNATURE_BYTES 64
/* Messages are shorter than this many bytes. */
#define OCT_ED25519_MESSAGE_LIMIT ((uint64_t)1 << 60)

/*
 * A private key, made once and then signed with: the scalar, the prefix of the nonces, and the public key, all from the
 * seed. Nobody can pair a seed with a public key that is not its own, which would give the scalar away: two signatures
 * of one message under two public keys share the nonce. A key does not change, so threads may share it.
 */
struct oct_ed25519_key;

/* *key from a seed, which is read and not kept. Errors, with *key untouched: OCT_ERR_ARGUMENT, OCT_ERR_MEMORY,
 * OCT_ERR_UNSUPPORTED (no table on this CPU, or signing is off), OCT_ERR_FAULT (the public key failed its check twice).
 */
OCT_API OCT_MUST_USE int oct_ed25519_key_new(struct oct_ed25519_key **key, const uint8_t seed[OCT_ED25519_SEED_BYTES]);

/* Wipes and frees. NULL is allowed. */
OCT_API void oct_ed25519_key_free(struct oct_ed25519_key *key);

/* The public key, OCT_ED25519_PUBLIC_BYTES of it, for the life of the key; NULL for NULL. */
OCT_API const uint8_t *oct_ed25519_key_public(const struct oct_ed25519_key *key);

struct oct_ed25519_sign_lane {
    const struct oct_ed25519_key *key;
    const uint8_t *message; /* may be NULL if it is empty */
    size_t message_len;     /* below OCT_ED25519_MESSAGE_LIMIT */
    uint8_t *signature;     /* OCT_ED25519_SIGNATURE_BYTES */
};

/*
 * Signs in each of `lanes` (1 to 8) lanes; none is ever invalid. The same key and message give the same signature, as
 * the RFC has it. No signature may overlap anything else of the call. Each lane takes as long as the longest message:
 * the messages are hashed together. Returns OCT_OK when the lanes were run: look at *result. Errors, with nothing
 * written: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH, OCT_ERR_UNSUPPORTED (no table on this CPU, or the operation is off),
 * OCT_ERR_MEMORY.
 */
OCT_API OCT_MUST_USE int oct_ed25519_sign_x8(const struct oct_ed25519_sign_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);

struct oct_ed25519_verify_lane {
    const uint8_t *public_key; /* OCT_ED25519_PUBLIC_BYTES */
    const uint8_t *message;    /* may be NULL if it is empty */
    size_t message_len;        /* below OCT_ED25519_MESSAGE_LIMIT */
    const uint8_t *signature;  /* OCT_ED25519_SIGNATURE_BYTES */
};

/*
 * A lane is ok if its signature is valid, and invalid if not. Valid means: S is below the order of the base point; the
 * public key is the canonical encoding of a point of the curve; and S B - k A, encoded, is R byte for byte. That is the
 * RFC's equation without its optional factor of 8, as OpenSSL checks it; a key or an R of small order is not refused
 * for that alone. Nothing is written but *result. Returns and errors as oct_ed25519_sign_x8(). A job of the queue whose
 * signature is not valid ends with OCT_ERR_RANGE.
 */
OCT_API OCT_MUST_USE int oct_ed25519_verify_x8(const struct oct_ed25519_verify_lane lane[], unsigned lanes,
                                               struct oct_lanes *result);

#ifdef __cplusplus
}
#endif
#endif
