/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The Ed25519 calls on a given table: for src/api and for tests. */
#ifndef OCT_API_ED25519_INTERNAL_H
#define OCT_API_ED25519_INTERNAL_H

#include "api/sha512_lanes.h"
#include "api/workspace.h"
#include "ops/ops.h"

#include <octuple/ed25519.h>

struct oct_ed25519_key {
    uint64_t scalar[4]; /* clamped; secret */
    uint8_t prefix[32]; /* of what the nonces are hashed from; secret */
    uint8_t public_key[OCT_ED25519_PUBLIC_BYTES];
};

int oct_ed25519_key_new_on(const struct oct_ops *ops, struct oct_ed25519_key **key, const uint8_t *seed);
int oct_ed25519_sign_on(const struct oct_ops *ops, const struct oct_ed25519_sign_lane lane[], unsigned lanes,
                        struct oct_lanes *result);
int oct_ed25519_verify_on(const struct oct_ops *ops, const struct oct_ed25519_verify_lane lane[], unsigned lanes,
                          struct oct_lanes *result);

/* What signing and key set-up share: one batch in its workspace. Lanes without an operation repeat operation 0. */
struct oct_ed25519_batch {
    const struct oct_ops *ops;
    const uint64_t *comb;
    unsigned lanes;
    struct oct_workspace *workspace;
    struct oct_sha512_space *hash;
    uint8_t (*head)[2 * 32];             /* [OCT_LANES] what is hashed before the message: R and A */
    oct_limb8 *wide;                     /* [10] */
    oct_limb8 *scalar, *point, *a, *sum; /* [5] each */
    void *kernel;                        /* the kernel's own workspace */
};

/* Opens the workspace, for a kernel that wants `kernel` bytes: 0, or OCT_ERR_MEMORY. */
int oct_ed25519_batch_open(struct oct_ed25519_batch *b, size_t kernel);
/* Clears all of it. */
void oct_ed25519_batch_close(struct oct_ed25519_batch *b);
/* Hashes, and puts the digests where the kernels want them: into `wide`. */
void oct_ed25519_batch_hash(struct oct_ed25519_batch *b, const struct oct_hash_message message[]);

#endif
