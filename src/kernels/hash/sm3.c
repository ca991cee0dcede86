/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM3's compression function (GB/T 32905, 5.3), sixteen messages at once, one per lane. All rounds are a straight line
 * in which the state and sixteen words of the schedule stay in registers. Variables wander instead of being moved: A to
 * D are a ring of four, and E to H another.
 *
 * The time is that of the chain from round to round through A and E, which come last. So everything else is added up
 * before them, in the order that is written: the compiler is told not to choose another one.
 */
#include "kernels/hash/sm3.h"

#include "vec/u32x16.h"

#define ROUNDS 64
#define WORDS  16

struct sm3_block {
    u32x16 s[8];     /* variables A and E of round t are numbers -t mod 4 and 4 + (-t mod 4) */
    u32x16 w[WORDS]; /* word t of the schedule is number t mod 16 */
};

#define T_(x, bits) ((uint32_t)(x) << (bits) % 32 | (uint32_t)((uint64_t)(x) >> (32 - (bits) % 32)))
#define EARLY(t)    T_(0x79cc4519, t)
#define LATE(t)     T_(0x7a879d8a, t)
#define FOUR(T, t)  T(t), T((t) + 1), T((t) + 2), T((t) + 3)
static const uint32_t sm3_constant[ROUNDS] = {
    FOUR(EARLY, 0), FOUR(EARLY, 4), FOUR(EARLY, 8), FOUR(EARLY, 12), FOUR(LATE, 16), FOUR(LATE, 20),
    FOUR(LATE, 24), FOUR(LATE, 28), FOUR(LATE, 32), FOUR(LATE, 36),  FOUR(LATE, 40), FOUR(LATE, 44),
    FOUR(LATE, 48), FOUR(LATE, 52), FOUR(LATE, 56), FOUR(LATE, 60),
};
#undef T_
#undef EARLY
#undef LATE
#undef FOUR

/* Word t + 16 of the schedule takes the place of word t. */
VEC_STEP void sm3_expand(struct sm3_block *b, unsigned t)
{
    const u32x16 x = u32x16_xor3(b->w[t], b->w[(t + 7) % WORDS], u32x16_rol(b->w[(t + 13) % WORDS], 15));
    const u32x16 p1 = u32x16_xor3(x, u32x16_rol(x, 15), u32x16_rol(x, 23));
    b->w[t] = u32x16_xor3(p1, u32x16_rol(b->w[(t + 3) % WORDS], 7), b->w[(t + 10) % WORDS]);
}

/* Round t mod 16, with FF and GG of its variables. */
VEC_STEP void sm3_round(struct sm3_block *b, unsigned t, uint32_t constant, u32x16 ff, u32x16 gg)
{
    u32x16 *up = b->s, *down = b->s + 4;
    const u32x16 e = down[(0 - t) % 4], word = b->w[t];
    const u32x16 a12 = u32x16_rol(up[(0 - t) % 4], 12);
    const u32x16 ss1 = u32x16_rol(u32x16_add(u32x16_add(a12, u32x16_set1(constant)), e), 7);
    const u32x16 ff_d = u32x16_add(ff, u32x16_add(up[(3 - t) % 4], u32x16_xor(word, b->w[(t + 4) % WORDS])));
    const u32x16 gg_h = u32x16_add(gg, u32x16_add(down[(3 - t) % 4], word));
    const u32x16 tt2 = u32x16_add(gg_h, ss1);
    up[(3 - t) % 4] = u32x16_add(ff_d, u32x16_xor(ss1, a12));
    down[(3 - t) % 4] = u32x16_xor3(tt2, u32x16_rol(tt2, 9), u32x16_rol(tt2, 17));
    up[(1 - t) % 4] = u32x16_rol(up[(1 - t) % 4], 9);
    down[(1 - t) % 4] = u32x16_rol(down[(1 - t) % 4], 19);
}

/* Rounds 0 to 15, and the schedule of the next sixteen. */
VEC_STEP void sm3_rounds_early(struct sm3_block *block)
{
    struct sm3_block b = *block;
    VEC_UNROLL
    for (unsigned t = 0; t < WORDS; t++) {
        const u32x16 *up = b.s, *down = b.s + 4;
        const u32x16 ff = u32x16_xor3(up[(0 - t) % 4], up[(1 - t) % 4], up[(2 - t) % 4]);
        const u32x16 gg = u32x16_xor3(down[(0 - t) % 4], down[(1 - t) % 4], down[(2 - t) % 4]);
        sm3_round(&b, t, sm3_constant[t], ff, gg);
        sm3_expand(&b, t);
    }
    *block = b;
}

/* Sixteen later ones, and the next `expand` words of the schedule: 16, or at the end 4, which are used in pairs only.
 */
VEC_STEP void sm3_rounds(struct sm3_block *block, const uint32_t constant[WORDS], unsigned expand)
{
    struct sm3_block b = *block;
    VEC_UNROLL
    for (unsigned t = 0; t < WORDS; t++) {
        const u32x16 *up = b.s, *down = b.s + 4;
        const u32x16 ff = u32x16_majority(up[(0 - t) % 4], up[(1 - t) % 4], up[(2 - t) % 4]);
        const u32x16 gg = u32x16_choose(down[(0 - t) % 4], down[(1 - t) % 4], down[(2 - t) % 4]);
        sm3_round(&b, t, constant[t], ff, gg);
        if (t < expand)
            sm3_expand(&b, t);
    }
    *block = b;
}

const size_t OCT_NAME(sm3_workspace) = 8 * sizeof(oct_word16);

void OCT_NAME(sm3)(const struct oct_sm3_args *args)
{
    struct sm3_block b;
    for (size_t n = 0; n < args->blocks; n++) {
        u32x16_load_be(b.w, args->block, 64 * n);
        for (int i = 0; i < 8; i++)
            b.s[i] = u32x16_load(args->state[i]);
        sm3_rounds_early(&b);
        sm3_rounds(&b, sm3_constant + 16, WORDS);
        sm3_rounds(&b, sm3_constant + 32, WORDS);
        sm3_rounds(&b, sm3_constant + 48, 4);
        for (int i = 0; i < 8; i++)
            u32x16_store(args->state[i], u32x16_xor(b.s[i], u32x16_load(args->state[i])));
    }
    v8_clear_registers();
}
