/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The RSA private operation by CRT (RFC 8017, 5.1.2, 2b): m1 = c^dp mod p, m2 = c^dq
 * mod q, h = (m1 - m2) * qinv mod p, result m2 + h*q. Fixed windows of WINDOW bits, the table read in full for each
 * window. Include after fold_impl.h and fold_number_impl.h, with WINDOW, PRIME_BITS, and TOGETHER defined: how many
 * sides are raised to their powers at a time, 1 or 2.
 */

enum { SLOT_ACC = PICKED + 1, SLOT_X, SLOT_Y, SLOT_RR, SLOT_COUNT };
_Static_assert(SLOT_COUNT <= SLOTS, "slots");
_Static_assert(BLOCKS *BLOCK_BITS >= PRIME_BITS + 8, "R is at least 2^8 n");

/* Outside, a prime has OUTER limbs, all of 52 bits; R is 2^(52*OUTER) there, 2^EXCESS times what it is here. */
#define OUTER  (PRIME_BITS / 256 * 5)
#define R_BITS (BLOCKS * BLOCK_BITS)
#define EXCESS (52 * OUTER - R_BITS)

struct crt_workspace {
    struct fold side[2];
    v8 inner[LIMBS], m2[OUTER]; /* m2 in blocks and in limbs of 52 bits */
    v8 h[OUTER], q[OUTER];
    v8 column[2 * OUTER];
};

/* The constants of each side, and R^2 mod n below 3n. From outside it comes as 2^(2*EXCESS) times that. */
static void crt_constants(struct fold *s, unsigned vectors, const struct oct_rsa_crt_args *args)
{
    for (unsigned v = 0; v < vectors; v++) {
        fold_load(s[v].n, args->side[v].n, OUTER, 0);
        fold_load(s[v].slot[SLOT_RR], args->side[v].rr, OUTER, 0);
        s[v].k0 = v8_load52(args->side[v].k0[0]);
        fold_constants(&s[v]);
    }
#if EXCESS > 0
    fold_set_power(s, vectors, SLOT_Y, R_BITS - 2 * EXCESS);
    fold_mul(s, vectors, SLOT_RR, SLOT_RR, SLOT_Y);
#elif EXCESS < 0
    fold_mul(s, vectors, SLOT_RR, SLOT_RR, SLOT_RR); /* 2^(4*EXCESS) times R^2 */
    fold_set_power(s, vectors, SLOT_Y, -4 * EXCESS);
    fold_mul(s, vectors, SLOT_RR, SLOT_RR, SLOT_Y);
#endif
}

/* slot[SLOT_X] = c * R mod n, below 8n, from c = lo + hi*R:  lo*R = fold(lo, RR) < 3n + 2n as lo < R,
 * hi*R*R = fold(fold(hi, RR), RR) < 15n^2/R + 2n. */
static void crt_to_mont(struct fold *s, unsigned vectors, const struct oct_rsa_crt_args *args)
{
    for (unsigned v = 0; v < vectors; v++) {
        fold_load(s[v].slot[SLOT_X], args->side[v].c, 2 * OUTER, 0);
        fold_load(s[v].slot[SLOT_Y], args->side[v].c, 2 * OUTER, R_BITS);
    }
    fold_mul(s, vectors, SLOT_Y, SLOT_Y, SLOT_RR);
    fold_mul(s, vectors, SLOT_Y, SLOT_Y, SLOT_RR);
    fold_mul(s, vectors, SLOT_X, SLOT_X, SLOT_RR);
    for (unsigned v = 0; v < vectors; v++) {
        for (int j = 0; j < LIMBS; j++)
            s[v].h[j] = v8_add(s[v].slot[SLOT_X][j], s[v].slot[SLOT_Y][j]);
        fold_carry(&s[v], SLOT_X, s[v].h);
    }
}

/* Entry i (public) of the table = slot[r], and back. */
static void crt_keep(struct fold *s, unsigned vectors, unsigned i, unsigned r)
{
    for (unsigned v = 0; v < vectors; v++)
        for (int j = 0; j < LIMBS; j++)
            s[v].table[j][i] = s[v].slot[r][j];
}

static void crt_recall(struct fold *s, unsigned vectors, unsigned r, unsigned i)
{
    for (unsigned v = 0; v < vectors; v++)
        for (int j = 0; j < LIMBS; j++)
            s[v].slot[r][j] = s[v].table[j][i];
}

/* The table: x^i in Montgomery form, for i of 0 .. 2^WINDOW-1. */
static void crt_fill_table(struct fold *s, unsigned vectors)
{
    fold_set_power(s, vectors, SLOT_ACC, 0);
    fold_mul(s, vectors, SLOT_ACC, SLOT_ACC, SLOT_RR);
    crt_keep(s, vectors, 0, SLOT_ACC);
    crt_keep(s, vectors, 1, SLOT_X);
    for (unsigned i = 2; i < 1u << WINDOW; i += 2) {
        crt_recall(s, vectors, SLOT_ACC, i / 2);
        fold_square(s, vectors, SLOT_ACC, SLOT_ACC, NULL, 0);
        crt_keep(s, vectors, i, SLOT_ACC);
        fold_mul(s, vectors, SLOT_ACC, SLOT_ACC, SLOT_X);
        crt_keep(s, vectors, i + 1, SLOT_ACC);
    }
}

/* The masks of the WINDOW bits of each lane's exponent from bit `position` (public) on. */
static OCT_NOINLINE void crt_digit(m8 bit[WINDOW], const oct_limb8 *exp, unsigned position)
{
    const v8 digit = fold_bits(exp, OUTER, position, WINDOW);
    for (unsigned i = 0; i < WINDOW; i++)
        bit[i] = v8_test_bit(digit, i);
}

/* slot[SLOT_ACC] = the table's entry for the highest window. */
static OCT_NOINLINE void crt_first_power(struct fold *s, unsigned vectors, m8 bit[2][WINDOW])
{
    for (unsigned v = 0; v < vectors; v++)
        for (unsigned j = 0; j < LIMBS; j++) {
            fold_pick(&s[v], bit[v], j);
            s[v].slot[SLOT_ACC][j] = s[v].slot[PICKED][j];
        }
}

/* slot[SLOT_ACC] = x^(exp >> last), below 3n; `last` is public. s is side `first`, and the next one. */
static void crt_windows(struct fold *s, unsigned vectors, const struct oct_rsa_crt_args *args, unsigned first,
                        unsigned last)
{
    m8 bit[2][WINDOW];
    unsigned position = (PRIME_BITS - last + WINDOW - 1) / WINDOW * WINDOW + last;
    for (int begun = 0; position > last; begun = 1) {
        position -= WINDOW;
        for (unsigned v = 0; v < vectors; v++)
            crt_digit(bit[v], args->side[first + v].exp, position);
        if (!begun) {
            crt_first_power(s, vectors, bit);
            continue;
        }
        for (unsigned i = 0; i < WINDOW; i++)
            fold_square(s, vectors, SLOT_ACC, SLOT_ACC, bit, i * PICKS);
        fold_mul(s, vectors, SLOT_ACC, SLOT_ACC, PICKED);
    }
}

/* slot[SLOT_ACC] out of Montgomery form, below n. By plain 1: below Q + n < 2n, as the product's own part is below 1.
 * At most one subtraction. */
static void crt_leave(struct fold *s, unsigned vectors)
{
    fold_set_power(s, vectors, SLOT_Y, 0);
    fold_mul(s, vectors, SLOT_ACC, SLOT_ACC, SLOT_Y);
    fold_reduce_once(s, vectors, SLOT_ACC);
}

/* slot[SLOT_ACC] of side 0 = h = (m1 - m2) * qinv mod p. qinv comes with the outer R. */
static void crt_quotient(struct fold *s, const v8 *m2, const struct oct_rsa_crt_args *args)
{
    fold_load(s->slot[SLOT_X], args->qinv, OUTER, 0);
#if EXCESS > 0
    fold_set_power(s, 1, SLOT_Y, R_BITS - EXCESS);
    fold_mul(s, 1, SLOT_X, SLOT_X, SLOT_Y);
#elif EXCESS < 0
    fold_set_power(s, 1, SLOT_Y, -EXCESS);
    fold_mul(s, 1, SLOT_Y, SLOT_Y, SLOT_RR);
    fold_mul(s, 1, SLOT_X, SLOT_X, SLOT_Y);
#endif
    /* Both primes have PRIME_BITS bits, so m2 < q < 2p, and 0 < m1 - m2 + 2p < 3p. */
    for (int j = 0; j < LIMBS; j++)
        s->h[j] = v8_add(v8_sub(s->slot[SLOT_ACC][j], m2[j]), v8_add(s->n[j], s->n[j]));
    fold_carry(s, SLOT_ACC, s->h);
    /* Below 9p^2/R + 2p < 3p: at most two subtractions. */
    fold_mul(s, 1, SLOT_ACC, SLOT_ACC, SLOT_X);
    fold_reduce_once(s, 1, SLOT_ACC);
    fold_reduce_once(s, 1, SLOT_ACC);
}

/* out = m2 + q*h, in limbs of 52 bits. */
static void crt_sum(struct crt_workspace *w, const struct oct_rsa_crt_args *args)
{
    for (int j = 0; j < 2 * OUTER; j++)
        w->column[j] = j < OUTER ? w->m2[j] : v8_zero();
    for (int i = 0; i < OUTER; i++)
        for (int j = 0; j < OUTER; j++) {
            w->column[i + j] = v8_madd52lo(w->column[i + j], w->h[i], w->q[j]);
            w->column[i + j + 1] = v8_madd52hi(w->column[i + j + 1], w->h[i], w->q[j]);
        }
    v8 carry = v8_zero();
    for (int j = 0; j < 2 * OUTER; j++) {
        const v8 x = v8_add(w->column[j], carry);
        carry = v8_sra(x, 52);
        v8_store52(args->out[j], v8_low52(x));
    }
}

/* out = m2 + q * ((m1 - m2) * qinv mod p), with m1 and m2 where the exponentiation left them. */
static void crt_recombine(struct crt_workspace *w, unsigned vectors, const struct oct_rsa_crt_args *args)
{
    struct fold *s = w->side;
    for (int j = 0; j < LIMBS; j++) {
        const v8 m2 = s[vectors - 1].slot[SLOT_ACC][j];
        w->inner[j] = vectors == 2 ? m2 : v8_swap_halves(m2);
    }
    for (int j = 0; j < OUTER; j++) {
        const v8 q = v8_load52(args->side[vectors - 1].n[j]);
        w->q[j] = vectors == 2 ? q : v8_swap_halves(q);
    }
    fold_unload(w->m2, OUTER, w->inner);
    crt_quotient(s, w->inner, args);
    fold_unload(w->h, OUTER, s->slot[SLOT_ACC]);
    crt_sum(w, args);
}

/* The powers of `vectors` sides, `first` and the next. */
static void crt_powers(struct crt_workspace *w, unsigned first, unsigned vectors, const struct oct_rsa_crt_args *args)
{
    crt_fill_table(&w->side[first], vectors);
    crt_windows(&w->side[first], vectors, args, first, 0);
    crt_leave(&w->side[first], vectors);
}

static OCT_NOINLINE void crt_work(const struct oct_rsa_crt_args *args)
{
    struct crt_workspace *w = args->workspace;
    const unsigned vectors = args->vectors == 2 ? 2 : 1;
    crt_constants(w->side, vectors, args);
    crt_to_mont(w->side, vectors, args);
    crt_powers(w, 0, vectors < TOGETHER ? vectors : TOGETHER, args);
    if (vectors > TOGETHER)
        crt_powers(w, TOGETHER, 1, args);
    crt_recombine(w, vectors, args);
    v8_clear_registers();
}

static void crt_run(const struct oct_rsa_crt_args *args)
{
    const struct vec_mode mode = vec_begin();
    crt_work(args);
    vec_end(mode);
}
