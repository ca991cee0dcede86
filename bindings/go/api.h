/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the binding uses of include/octuple/, statement by statement as it stands there. A test holds the two against
 * each other. It is here because a Go module is built without the tree around it, and on machines without Octuple.
 */
#ifndef OCTUPLE_GO_API_H
#define OCTUPLE_GO_API_H

#include <stddef.h>
#include <stdint.h>

struct oct_bytes {
    const uint8_t *data;
    size_t len;
};

struct oct_lanes {
    uint8_t ok;
    uint8_t invalid;
};

#define OCT_LANES 8

enum oct_op {
    OCT_OP_RSA2048_PRIVATE = 0,
    OCT_OP_RSA3072_PRIVATE = 1,
    OCT_OP_RSA4096_PRIVATE = 2,
    OCT_OP_P256_SIGN = 8,
    OCT_OP_P384_SIGN = 11,
    OCT_OP_ED25519_SIGN = 14,
    OCT_OP_ED25519_VERIFY = 15,
    OCT_OP_P256_VERIFY = 16,
    OCT_OP_P384_VERIFY = 17,
    OCT_OP_RSA2048_KEYGEN = 43,
    OCT_OP_RSA3072_KEYGEN = 44,
    OCT_OP_RSA4096_KEYGEN = 45
};

int oct_op_is_on(int op);
void oct_counters_note_batch(int op, unsigned lanes, unsigned ok, uint64_t nanoseconds);

struct oct_rsa_key;

struct oct_rsa_numbers {
    struct oct_bytes n;
    struct oct_bytes e;
    struct oct_bytes p, q;
    struct oct_bytes dp;
    struct oct_bytes dq;
    struct oct_bytes qinv;
};

int oct_rsa_key_new(struct oct_rsa_key **key, const struct oct_rsa_numbers *numbers);
void oct_rsa_key_free(struct oct_rsa_key *key);

struct oct_rsa_lane {
    const struct oct_rsa_key *key;
    const uint8_t *in;
    uint8_t *out;
};

int oct_rsa_private_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result);

struct oct_rsa_generated {
    uint8_t *n, *d;
    uint8_t *p, *q;
    uint8_t *dp, *dq, *qinv;
};

struct oct_rsa_generation {
    int (*random_bytes)(void *arg, uint8_t *out, size_t len);
    void *random_arg;
    int (*progress)(void *arg, int potential, int iteration);
    void *progress_arg;
};

int oct_rsa_generate(const struct oct_rsa_generated *out, unsigned bits, const struct oct_rsa_generation *how);

enum oct_ec_curve { OCT_EC_P256 = 0, OCT_EC_P384 = 1, OCT_EC_SM2 = 2, OCT_EC_CURVES = 3 };

struct oct_ecdsa_sign_lane {
    const uint8_t *private_key;
    const uint8_t *digest;
    size_t digest_len;
    uint8_t *signature;
};

int oct_ecdsa_sign_x8(int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes, struct oct_lanes *result);

struct oct_ecdsa_verify_lane {
    const uint8_t *public_key;
    const uint8_t *digest;
    size_t digest_len;
    const uint8_t *signature;
};

int oct_ecdsa_verify_x8(int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes, struct oct_lanes *result);

#define OCT_ED25519_SEED_BYTES      32
#define OCT_ED25519_PUBLIC_BYTES    32
#define OCT_ED25519_SIGNATURE_BYTES 64

struct oct_ed25519_key;

int oct_ed25519_key_new(struct oct_ed25519_key **key, const uint8_t seed[OCT_ED25519_SEED_BYTES]);
void oct_ed25519_key_free(struct oct_ed25519_key *key);
const uint8_t *oct_ed25519_key_public(const struct oct_ed25519_key *key);

struct oct_ed25519_sign_lane {
    const struct oct_ed25519_key *key;
    const uint8_t *message;
    size_t message_len;
    uint8_t *signature;
};

int oct_ed25519_sign_x8(const struct oct_ed25519_sign_lane lane[], unsigned lanes, struct oct_lanes *result);

struct oct_ed25519_verify_lane {
    const uint8_t *public_key;
    const uint8_t *message;
    size_t message_len;
    const uint8_t *signature;
};

int oct_ed25519_verify_x8(const struct oct_ed25519_verify_lane lane[], unsigned lanes, struct oct_lanes *result);

#endif
