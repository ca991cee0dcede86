/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See mldsa_zetas.h; FIPS 204, 7.5, appendix B, and algorithm 15 for noise. */
#include "kernels/lattice/mldsa_zetas.h"

#include "kernels/lattice/mldsa_numbers.h"
#include "vec/vec.h"

/* 1753^(2^n) mod q, n = 0 .. 7. */
#define SQUARE(x) ((int64_t)(x) * (x) % MLDSA_Q)
enum {
    R0 = 1753,
    R1 = SQUARE(R0),
    R2 = SQUARE(R1),
    R3 = SQUARE(R2),
    R4 = SQUARE(R3),
    R5 = SQUARE(R4),
    R6 = SQUARE(R5),
    R7 = SQUARE(R6)
};
/* 1753 to the power of the eight bits of i in reverse: bit n of i stands for 2^(7 - n). */
#define TIMES(x, i, n, root) ((x) * ((i) >> (n)&1 ? (root) : 1) % MLDSA_Q)
#define LOW_POWER(i)         TIMES(TIMES(TIMES(TIMES((int64_t)1, i, 0, R7), i, 1, R6), i, 2, R5), i, 3, R4)
#define POWER(i)             TIMES(TIMES(TIMES(TIMES(LOW_POWER(i), i, 4, R3), i, 5, R2), i, 6, R1), i, 7, R0)
#define ZETA(i)              MLDSA_FACTOR(POWER(i))
#define ZETA_Q(i)            MLDSA_TIMES_QINV(ZETA(i))
#define LAST_OUTER           MLDSA_FACTOR(POWER(1) * MLDSA_DOWN_256 % MLDSA_Q)

#define FOUR(F, l, h, u) F(l, h, u), F(l, h, u + 1), F(l, h, u + 2), F(l, h, u + 3)
#define SIXTEEN(F, l, h)                                                                                               \
    {                                                                                                                  \
        FOUR(F, l, h, 0), FOUR(F, l, h, 4), FOUR(F, l, h, 8), FOUR(F, l, h, 12)                                        \
    }
/* In the state of inner layer l, lane u of vector pair h belongs to block (16 h + u) / 2^(3 - l) of the layer. */
#define FORWARD_AT(l, h, u)   ((16 << (l)) + ((16 * (h) + (u)) >> (3 - (l))))
#define BACK_AT(l, h, u)      ((32 << (l)) - 1 - ((16 * (h) + (u)) >> (3 - (l))))
#define FORWARD(l, h, u)      ZETA(FORWARD_AT(l, h, u))
#define FORWARD_Q(l, h, u)    ZETA_Q(FORWARD_AT(l, h, u))
#define BACK(l, h, u)         ZETA(BACK_AT(l, h, u))
#define BACK_Q(l, h, u)       ZETA_Q(BACK_AT(l, h, u))
#define OUTER(l, h, u)        ((u) == 0 ? 0 : ZETA(u))
#define OUTER_Q(l, h, u)      ((u) == 0 ? 0 : ZETA_Q(u))
#define OUTER_BACK(l, h, u)   ((u) == 1 ? LAST_OUTER : OUTER(l, h, u))
#define OUTER_BACK_Q(l, h, u) MLDSA_TIMES_QINV(OUTER_BACK(l, h, u))
/* Those that are not taken are zero. */
#define NOISE2(l, h, u) ((u) < 15 ? 2 - (u) % 5 : 0)
#define NOISE4(l, h, u) ((u) < 9 ? 4 - (u) : 0)

#define PAIR(F, l, h)                                                                                                  \
    {                                                                                                                  \
        SIXTEEN(F, l, h), SIXTEEN(F##_Q, l, h)                                                                         \
    }
#define LAYER(F, l)                                                                                                    \
    {                                                                                                                  \
        PAIR(F, l, 0), PAIR(F, l, 1), PAIR(F, l, 2), PAIR(F, l, 3), PAIR(F, l, 4), PAIR(F, l, 5), PAIR(F, l, 6),       \
            PAIR(F, l, 7)                                                                                              \
    }

const struct oct_mldsa_zetas OCT_NAME(mldsa_zetas) OCT_ALIGN64 = {
    .inner = {LAYER(FORWARD, 0), LAYER(FORWARD, 1), LAYER(FORWARD, 2), LAYER(FORWARD, 3)},
    .inner_back = {LAYER(BACK, 0), LAYER(BACK, 1), LAYER(BACK, 2), LAYER(BACK, 3)},
    .outer = SIXTEEN(OUTER, 0, 0),
    .outer_q = SIXTEEN(OUTER_Q, 0, 0),
    .outer_back = SIXTEEN(OUTER_BACK, 0, 0),
    .outer_back_q = SIXTEEN(OUTER_BACK_Q, 0, 0),
    .noise2 = SIXTEEN(NOISE2, 0, 0),
    .noise4 = SIXTEEN(NOISE4, 0, 0),
};
