/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* From two primes to the other numbers of an RSA key with e = 65537. Words are little-endian; all but n is secret, and
 * nothing branches on it. */
#ifndef OCT_API_RSA_DERIVE_H
#define OCT_API_RSA_DERIVE_H

#include "base/base.h"

#define OCT_RSA_E               65537
#define OCT_RSA_MAX_WORDS       64
#define OCT_RSA_MAX_PRIME_WORDS 32
#define OCT_RSA_MIN_APART       100 /* FIPS 186-5, A.1.3: |p-q| > 2^(half of the bits - 100) */
#define OCT_RSA_MAX_COMMON_TWOS 16  /* p-1 or q-1 has fewer factors 2 */

struct oct_rsa_derived {
    uint64_t n[OCT_RSA_MAX_WORDS], d[OCT_RSA_MAX_WORDS];
    uint64_t exp[2][OCT_RSA_MAX_PRIME_WORDS]; /* d mod (p-1), d mod (q-1) */
    uint64_t scratch[8 * OCT_RSA_MAX_PRIME_WORDS + 8];
};

/* x mod 65537, x of `words` words. */
uint64_t oct_rsa_mod_e(const uint64_t *x, size_t words);

/* The mask says whether |p-q| is large enough. `words` are those of a prime. */
uint64_t oct_rsa_far_apart(const uint64_t *p, const uint64_t *q, size_t words);

/* n = p*q, d = 1/e mod lcm(p-1, q-1), and d's rests. p and q are odd, and neither is 1 modulo e. The mask says whether
 * d > 2^(64*words). */
uint64_t oct_rsa_derive(struct oct_rsa_derived *r, const uint64_t *p, const uint64_t *q, size_t words);

#endif
