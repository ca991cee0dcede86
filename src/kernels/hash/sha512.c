/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SHA-512's compression function (FIPS 180-4, 6.4.2), eight messages at once, one per lane. Sixteen rounds are a
 * straight line in which the state and sixteen words of the schedule stay in registers, and nothing is moved from
 * variable to variable: they wander.
 */
#include "kernels/hash/sha512.h"

#include "base/sha512.h"
#include "vec/vec.h"

#define ROUNDS 80
#define WORDS  16

struct sha_block {
    w8 s[8];     /* variable a of round t is number -t mod 8 */
    w8 w[WORDS]; /* word t of the schedule is number t mod 16 */
};

VEC_STEP w8 sha_sum(w8 a, unsigned x, unsigned y, unsigned z)
{
    return w8_xor3(w8_ror(a, x), w8_ror(a, y), w8_ror(a, z));
}

/* Word t + 16 of the schedule takes the place of word t. */
VEC_STEP void sha_expand(struct sha_block *b, unsigned t)
{
    const w8 x = b->w[(t + 1) % WORDS], y = b->w[(t + 14) % WORDS];
    const w8 sigma0 = w8_xor3(w8_ror(x, 1), w8_ror(x, 8), w8_srl(x, 7));
    const w8 sigma1 = w8_xor3(w8_ror(y, 19), w8_ror(y, 61), w8_srl(y, 6));
    b->w[t] = w8_add(w8_add(b->w[t], sigma0), w8_add(b->w[(t + 9) % WORDS], sigma1));
}

VEC_STEP void sha_round(struct sha_block *b, unsigned t, w8 input)
{
    const w8 a = b->s[(0 - t) % 8], e = b->s[(4 - t) % 8];
    w8 *d = &b->s[(3 - t) % 8], *h = &b->s[(7 - t) % 8];
    const w8 choice = w8_choose(e, b->s[(5 - t) % 8], b->s[(6 - t) % 8]);
    const w8 majority = w8_majority(a, b->s[(1 - t) % 8], b->s[(2 - t) % 8]);
    const w8 t1 = w8_add(w8_add(w8_add(*h, input), choice), sha_sum(e, 14, 18, 41));
    *d = w8_add(*d, t1);
    *h = w8_add(t1, w8_add(sha_sum(a, 28, 34, 39), majority));
}

/* Sixteen rounds, and the schedule of the next sixteen. */
static OCT_NOINLINE void sha_rounds(struct sha_block *block, const uint64_t constant[WORDS])
{
    struct sha_block b = *block;
    VEC_UNROLL
    for (unsigned t = 0; t < WORDS; t++) {
        sha_round(&b, t, w8_add(b.w[t], w8_set1(constant[t])));
        sha_expand(&b, t);
    }
    *block = b;
}

/* The last sixteen rounds. */
static OCT_NOINLINE void sha_rounds_last(struct sha_block *block, const uint64_t constant[WORDS])
{
    struct sha_block b = *block;
    VEC_UNROLL
    for (unsigned t = 0; t < WORDS; t++)
        sha_round(&b, t, w8_add(b.w[t], w8_set1(constant[t])));
    *block = b;
}

void OCT_NAME(sha512)(const struct oct_sha512_args *args)
{
    struct sha_block b;
    w8_load_be(b.w, args->block, 0);
    w8_load_be(b.w + 8, args->block, 64);
    for (int i = 0; i < 8; i++)
        b.s[i] = w8_load(args->state[i]);
    for (unsigned t = 0; t + WORDS < ROUNDS; t += WORDS)
        sha_rounds(&b, oct_sha512_constant + t);
    sha_rounds_last(&b, oct_sha512_constant + ROUNDS - WORDS);
    for (int i = 0; i < 8; i++)
        w8_store(args->state[i], w8_add(b.s[i], w8_load(args->state[i])));
    v8_clear_registers();
}
