/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The inside of an RSA key, and the batch calls on a given table: for src/api and for tests that break things on
 * purpose. */
#ifndef OCT_API_RSA_INTERNAL_H
#define OCT_API_RSA_INTERNAL_H

#include "ops/ops.h"

#include <octuple/rsa.h>

#include <stdatomic.h>

#define OCT_RSA_MAX_LIMBS       80
#define OCT_RSA_MAX_PRIME_LIMBS 40

/* All numbers in limbs of 52 bits, least significant first, ready to be spread over lanes. */
struct oct_rsa_key {
    atomic_uint references;
    unsigned size; /* its place among the sizes (kernels/rsa/rsa.h) */
    int is_private;
    int is_guarded; /* lies in guarded memory */
    uint32_t e;
    uint64_t k0;
    uint64_t n[OCT_RSA_MAX_LIMBS], rr[OCT_RSA_MAX_LIMBS];
    struct oct_rsa_prime {
        uint64_t k0;
        uint64_t n[OCT_RSA_MAX_PRIME_LIMBS];
        uint64_t rr[OCT_RSA_MAX_PRIME_LIMBS];
        uint64_t exp[OCT_RSA_MAX_PRIME_LIMBS];
    } prime[2];                             /* p, q: secret */
    uint64_t qinv[OCT_RSA_MAX_PRIME_LIMBS]; /* 1/q mod p in Montgomery form: secret */
};

/* rr = 2^(104*limbs) mod m as limbs, for m of 64*words bits, odd, top bit set. */
void oct_rsa_set_rr(uint64_t *rr, size_t limbs, const uint64_t *m, size_t words);

/* oct_rsa_generate() on a given table. */
int oct_rsa_generate_on(const struct oct_ops *ops, const struct oct_rsa_generated *out, unsigned bits,
                        const struct oct_rsa_generation *how);

int oct_rsa_private_on(const struct oct_ops *ops, const struct oct_rsa_lane lane[], unsigned lanes,
                       struct oct_lanes *result);
int oct_rsa_public_on(const struct oct_ops *ops, const struct oct_rsa_lane lane[], unsigned lanes,
                      struct oct_lanes *result);

#endif
