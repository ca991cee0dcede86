/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See mlkem_zetas.h; FIPS 203, 4.3 and appendix A. */
#include "kernels/lattice/mlkem_zetas.h"

#include "kernels/lattice/mlkem_numbers.h"
#include "vec/vec.h"

/* The seven bits of i in reverse. */
#define REVERSED(i)                                                                                                    \
    (((i)&1) << 6 | ((i)&2) << 4 | ((i)&4) << 2 | ((i)&8) | ((i)&16) >> 2 | ((i)&32) >> 4 | ((i)&64) >> 6)
/* 17^e mod q, from its powers 1, 2, 4, ... 64. */
#define P1  17
#define P2  (P1 * P1 % MLKEM_Q)
#define P4  (P2 * P2 % MLKEM_Q)
#define P8  (P4 * P4 % MLKEM_Q)
#define P16 (P8 * P8 % MLKEM_Q)
#define P32 (P16 * P16 % MLKEM_Q)
#define P64 (P32 * P32 % MLKEM_Q)
enum { R1 = P1, R2 = P2, R4 = P4, R8 = P8, R16 = P16, R32 = P32, R64 = P64 };
#define BIT(e, bit, value) ((e) & (bit) ? (value) : 1)
#define POWER(e)                                                                                                       \
    (BIT(e, 1, R1) * BIT(e, 2, R2) % MLKEM_Q * BIT(e, 4, R4) % MLKEM_Q * BIT(e, 8, R8) % MLKEM_Q * BIT(e, 16, R16) %   \
     MLKEM_Q * BIT(e, 32, R32) % MLKEM_Q * BIT(e, 64, R64) % MLKEM_Q)
#define ZETA(i)    MLKEM_FACTOR(POWER(REVERSED(i)))
#define LAST_OUTER MLKEM_FACTOR(POWER(REVERSED(1)) * MLKEM_DOWN_128 % MLKEM_Q)

/* Thirty-two lanes, a function of vector and unit, each twice (or as a pair). */
#define TWICE(F, a, b, u) F(a, b, u), F(a, b, u)
#define ODD(F, a, b, u)   MLKEM_ONE, F(a, b, u)
#define ODD_Q(F, a, b, u) MLKEM_TIMES_QINV(MLKEM_ONE), F(a, b, u)
#define UNITS(P, F, a, b)                                                                                              \
    {                                                                                                                  \
        P(F, a, b, 0), P(F, a, b, 1), P(F, a, b, 2), P(F, a, b, 3), P(F, a, b, 4), P(F, a, b, 5), P(F, a, b, 6),       \
            P(F, a, b, 7), P(F, a, b, 8), P(F, a, b, 9), P(F, a, b, 10), P(F, a, b, 11), P(F, a, b, 12),               \
            P(F, a, b, 13), P(F, a, b, 14), P(F, a, b, 15)                                                             \
    }
/* In the state of inner layer l, unit u of vector pair h belongs to block (16 h + u) / 2^(3 - l) of the layer. */
#define FORWARD(l, h, u)   ZETA((8 << (l)) + ((16 * (h) + (u)) >> (3 - (l))))
#define FORWARD_Q(l, h, u) MLKEM_TIMES_QINV(FORWARD(l, h, u))
#define BACK(l, h, u)      ZETA((16 << (l)) - 1 - ((16 * (h) + (u)) >> (3 - (l))))
#define BACK_Q(l, h, u)    MLKEM_TIMES_QINV(BACK(l, h, u))
/* Unit u of vector i is modulo X^2 - 17^(2 rev(16 i + u) + 1): half of them are the negatives of the other half. */
#define GAMMA(i, unused, u)   ((u) % 2 ? -ZETA(64 + 8 * (i) + (u) / 2) : ZETA(64 + 8 * (i) + (u) / 2))
#define GAMMA_Q(i, unused, u) MLKEM_TIMES_QINV(GAMMA(i, unused, u))

#define FACTOR(F, l, h)                                                                                                \
    {                                                                                                                  \
        UNITS(TWICE, F, l, h), UNITS(TWICE, F##_Q, l, h)                                                               \
    }
#define LAYER(F, l)                                                                                                    \
    {                                                                                                                  \
        FACTOR(F, l, 0), FACTOR(F, l, 1), FACTOR(F, l, 2), FACTOR(F, l, 3)                                             \
    }
#define GAMMAS(i)                                                                                                      \
    {                                                                                                                  \
        UNITS(ODD, GAMMA, i, 0), UNITS(ODD_Q, GAMMA_Q, i, 0)                                                           \
    }
#define OUTER(i)   ZETA(i)
#define OUTER_Q(i) MLKEM_TIMES_QINV(ZETA(i))

const struct oct_mlkem_zetas OCT_NAME(mlkem_zetas) OCT_ALIGN64 = {
    .inner = {LAYER(FORWARD, 0), LAYER(FORWARD, 1), LAYER(FORWARD, 2), LAYER(FORWARD, 3)},
    .inner_back = {LAYER(BACK, 0), LAYER(BACK, 1), LAYER(BACK, 2), LAYER(BACK, 3)},
    .gamma = {GAMMAS(0), GAMMAS(1), GAMMAS(2), GAMMAS(3), GAMMAS(4), GAMMAS(5), GAMMAS(6), GAMMAS(7)},
    .outer = {0, OUTER(1), OUTER(2), OUTER(3), OUTER(4), OUTER(5), OUTER(6), OUTER(7)},
    .outer_q = {0, OUTER_Q(1), OUTER_Q(2), OUTER_Q(3), OUTER_Q(4), OUTER_Q(5), OUTER_Q(6), OUTER_Q(7)},
    .outer_back = {0, LAST_OUTER, OUTER(2), OUTER(3), OUTER(4), OUTER(5), OUTER(6), OUTER(7)},
    .outer_back_q = {0, MLKEM_TIMES_QINV(LAST_OUTER), OUTER_Q(2), OUTER_Q(3), OUTER_Q(4), OUTER_Q(5), OUTER_Q(6),
                     OUTER_Q(7)},
    .cbd = {0, 1, 1, 2, -1, 0, 0, 1, -1, 0, 0, 1, -2, -1, -1, 0, 0, 1, 1, 2, -1, 0, 0, 1, -1, 0, 0, 1, -2, -1, -1, 0},
};
