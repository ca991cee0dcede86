/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA (FIPS 204) with the parameter sets 44 and 65, up to eight operations at a time, each with a key of its own:
 * signatures of messages with a context string, as FIPS 204 calls them pure, their verification, and key pairs.
 *
 * Keys and signatures are bytes as FIPS 204 encodes them. Seeds, private keys and randomness are secret, and so is a
 * message that is signed: the time and the addresses touched depend on lengths only, and on how many attempts a
 * signature took, which is public. In verification everything is public.
 */
#ifndef OCTUPLE_MLDSA_H
#define OCTUPLE_MLDSA_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parameter sets; the values are stable. */
enum oct_mldsa_set { OCT_MLDSA_44 = 0, OCT_MLDSA_65 = 1, OCT_MLDSA_SETS = 2 };

#define OCT_MLDSA_KEYGEN_BYTES 32 /* the seed xi */
#define OCT_MLDSA_RANDOM_BYTES 32
/* Context strings have at most this many bytes. */
#define OCT_MLDSA_CONTEXT_MAX 255
/* Messages are shorter than this many bytes. */
#define OCT_MLDSA_MESSAGE_LIMIT ((uint64_t)1 << 60)

/* Bytes of a public key (1312, 1952), a private key (2560, 4032) and a signature (2420, 3309); 0 for a number that is
 * no set. */
OCT_API size_t oct_mldsa_pk_bytes(int set);
OCT_API size_t oct_mldsa_sk_bytes(int set);
OCT_API size_t oct_mldsa_signature_bytes(int set);

/*
 * A key, expanded: with its matrix, and all that is transformed at every use. That takes 20 KB (set 44) or 36 KB (65),
 * and 13 or 18 KB more of a private key. A key does not change, so threads may share it.
 */
struct oct_mldsa_key;

/*
 * *key from the bytes of a private key, or of a public one; they are read and not kept. Errors, with *key untouched:
 * OCT_ERR_ARGUMENT, OCT_ERR_MEMORY, OCT_ERR_UNSUPPORTED (no table on this CPU, or signing or verification is off), and
 * of a private key OCT_ERR_RANGE: a secret number is out of its range, or the key does not fit its public key.
 */
OCT_API OCT_MUST_USE int oct_mldsa_key_new_private(struct oct_mldsa_key **key, int set, const uint8_t *sk);
OCT_API OCT_MUST_USE int oct_mldsa_key_new_public(struct oct_mldsa_key **key, int set, const uint8_t *pk);

/* Wipes and frees. NULL is allowed. */
OCT_API void oct_mldsa_key_free(struct oct_mldsa_key *key);

/* The bytes of the public key, for the life of the key; NULL for NULL. */
OCT_API const uint8_t *oct_mldsa_key_public(const struct oct_mldsa_key *key);

/* No output may overlap anything else of the call. */
struct oct_mldsa_keygen_lane {
    const uint8_t *seed; /* OCT_MLDSA_KEYGEN_BYTES; secret. NULL: drawn from the kernel, for all such lanes at once */
    uint8_t *pk;         /* oct_mldsa_pk_bytes() */
    uint8_t *sk;         /* oct_mldsa_sk_bytes(); secret. The caller wipes it after use */
};

struct oct_mldsa_sign_lane {
    const struct oct_mldsa_key *key; /* a private one */
    const uint8_t *message;          /* may be NULL if it is empty */
    size_t message_len;              /* below OCT_MLDSA_MESSAGE_LIMIT */
    const uint8_t *context;          /* may be NULL if it is empty */
    size_t context_len;              /* at most OCT_MLDSA_CONTEXT_MAX */
    const uint8_t *random;           /* OCT_MLDSA_RANDOM_BYTES; zeros: deterministic. NULL: drawn, as above (hedged) */
    uint8_t *signature;              /* oct_mldsa_signature_bytes() */
};

struct oct_mldsa_verify_lane {
    const struct oct_mldsa_key *key; /* or NULL: public_key instead, of which everything is made anew */
    const uint8_t *public_key;       /* oct_mldsa_pk_bytes(); not looked at where there is a key */
    const uint8_t *message, *context;
    size_t message_len, context_len; /* as above */
    const uint8_t *signature;        /* exactly oct_mldsa_signature_bytes(): another length is the caller's to refuse */
};

/*
 * Runs 1 to 8 lanes of one set. Returns OCT_OK when they were run: look at *result. Errors, with nothing written:
 * OCT_ERR_ARGUMENT (also a key of another set, or a public one to sign with), OCT_ERR_LENGTH (of a message or context),
 * OCT_ERR_UNSUPPORTED (no table on this CPU, the operation is off, or the kernel has no randomness), OCT_ERR_MEMORY
 * (workspace).
 *
 * A key pair is never invalid. A signature is never invalid either. Each is verified before it leaves. If it does not
 * verify, or 814 attempts make none, which tells of a defect and not of bad luck, the lane is neither ok nor invalid,
 * and its signature is zero. A lane of a verification is invalid if its signature is not valid, or its hints are not in
 * the one encoding that FIPS 204 has for them. Each lane takes as long as the longest message: messages are hashed
 * together.
 */
OCT_API OCT_MUST_USE int oct_mldsa_keygen_x8(int set, const struct oct_mldsa_keygen_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);
OCT_API OCT_MUST_USE int oct_mldsa_sign_x8(int set, const struct oct_mldsa_sign_lane lane[], unsigned lanes,
                                           struct oct_lanes *result);
OCT_API OCT_MUST_USE int oct_mldsa_verify_x8(int set, const struct oct_mldsa_verify_lane lane[], unsigned lanes,
                                             struct oct_lanes *result);

/* The operations (enum oct_op) of a set; -1 for a number that is none. For programs that ask whether they are on. */
OCT_API int oct_mldsa_keygen_op(int set);
OCT_API int oct_mldsa_sign_op(int set);
OCT_API int oct_mldsa_verify_op(int set);

#ifdef __cplusplus
}
#endif
#endif
