/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The RSA private operation by CRT (RFC 8017, 5.1.2, 2b): m1 = c^dp mod p, m2 = c^dq mod q,
 * h = (m1 - m2) * qinv mod p, result m2 + h*q. Fixed windows of WINDOW bits, the table read in full for each window.
 * Include after mont_impl.h, with WINDOW and PRIME_BITS defined.
 */

/* The table of powers is slots 0 .. 2^WINDOW-1; then: */
enum { SLOT_ACC = 1 << WINDOW, SLOT_X, SLOT_Y, SLOT_RR, SLOT_ONE, SLOT_COUNT };
_Static_assert(SLOT_COUNT <= SLOTS, "slots");
_Static_assert(WINDOW == MONT_LOOKUP_BITS, "window");

struct crt_workspace {
    struct mont side[2];
    v8 exp[2][LIMBS];
    v8 column[2 * LIMBS + 1];
};

/* slot[SLOT_X] = c * R mod n, below 4n, from the 2*LIMBS limbs of c = lo + hi*R:  lo*R = mont(lo, RR),
 * hi*R*R = mont(mont(hi, RR), RR). Inputs may be up to R here: mont(x, RR) < R*n/R + n = 2n. */
static void crt_to_mont(struct mont *s, unsigned vectors, const struct oct_rsa_crt_args *args)
{
    for (unsigned v = 0; v < vectors; v++) {
        mont_load(s[v].slot[SLOT_X], args->side[v].c, LIMBS);
        mont_load(s[v].slot[SLOT_Y], args->side[v].c + LIMBS, LIMBS);
    }
    mont_mul(s, vectors, SLOT_Y, SLOT_Y, SLOT_RR);
    mont_mul(s, vectors, SLOT_Y, SLOT_Y, SLOT_RR);
    mont_mul(s, vectors, SLOT_X, SLOT_X, SLOT_RR);
    for (unsigned v = 0; v < vectors; v++) {
        for (int j = 0; j < LIMBS; j++)
            s[v].t[j] = v8_add(s[v].slot[SLOT_X][j], s[v].slot[SLOT_Y][j]);
        mont_carry(s[v].slot[SLOT_X], s[v].t);
    }
}

/* slot[i] = x^i in Montgomery form, for i of 0 .. 2^WINDOW-1. */
static void crt_fill_table(struct mont *s, unsigned vectors)
{
    mont_mul(s, vectors, 0, SLOT_ONE, SLOT_RR);
    for (unsigned v = 0; v < vectors; v++)
        for (int j = 0; j < LIMBS; j++)
            s[v].slot[1][j] = s[v].slot[SLOT_X][j];
    for (unsigned i = 2; i < 1u << WINDOW; i += 2) {
        mont_square(s, vectors, i, i / 2);
        mont_mul(s, vectors, i + 1, i, 1);
    }
}

/* The masks of the WINDOW bits of each lane's exponent from bit `position` (public) on. */
static void crt_digit(m8 bit[WINDOW], const v8 *exp, unsigned position)
{
    const unsigned limb = position / 52, shift = position % 52;
    v8 digit = v8_sra(exp[limb], shift);
    if (shift + WINDOW > 52 && limb + 1 < LIMBS)
        digit = v8_or(digit, v8_sll(v8_low(exp[limb + 1], WINDOW), 52 - shift));
    for (unsigned i = 0; i < WINDOW; i++)
        bit[i] = v8_test_bit(digit, i);
}

/* slot[SLOT_ACC] = x^exp mod n, below n, out of Montgomery form. */
static void crt_exponentiate(struct crt_workspace *w, unsigned vectors)
{
    struct mont *s = w->side;
    m8 bit[2][WINDOW];
    unsigned position = (PRIME_BITS + WINDOW - 1) / WINDOW * WINDOW;
    for (int first = 1; position > 0; first = 0) {
        position -= WINDOW;
        for (unsigned v = 0; v < vectors; v++)
            crt_digit(bit[v], w->exp[v], position);
        if (first) {
            mont_pick(s, vectors, SLOT_ACC, bit);
            continue;
        }
        for (int i = 0; i < WINDOW; i++)
            mont_square(s, vectors, SLOT_ACC, SLOT_ACC);
        mont_mul_lookup(s, vectors, SLOT_ACC, SLOT_ACC, bit);
    }
    /* (a + m*n)/R <= n for a < 2n: at most one subtraction. */
    mont_mul(s, vectors, SLOT_ACC, SLOT_ACC, SLOT_ONE);
    mont_reduce_once(s, vectors, SLOT_ACC);
}

/* out = m2 + q * ((m1 - m2) * qinv mod p), with m1, m2, p, q where the exponentiation left them. */
static void crt_recombine(struct crt_workspace *w, unsigned vectors, const struct oct_rsa_crt_args *args)
{
    struct mont *s = w->side;
    v8 *m2 = w->side[1].slot[SLOT_X], *q = w->side[1].slot[SLOT_Y];
    for (int j = 0; j < LIMBS; j++) {
        m2[j] = vectors == 2 ? s[1].slot[SLOT_ACC][j] : v8_swap_halves(s[0].slot[SLOT_ACC][j]);
        q[j] = vectors == 2 ? s[1].n[j] : v8_swap_halves(s[0].n[j]);
    }
    /* Both primes have PRIME_BITS bits, so m2 < q < 2p, and 0 < m1 - m2 + 2p < 3p. */
    for (int j = 0; j < LIMBS; j++)
        s[0].t[j] = v8_add(v8_sub(s[0].slot[SLOT_ACC][j], m2[j]), v8_add(s[0].n[j], s[0].n[j]));
    mont_carry(s[0].slot[SLOT_ACC], s[0].t);
    mont_load(s[0].slot[SLOT_X], args->qinv, LIMBS);
    mont_mul(s, 1, SLOT_ACC, SLOT_ACC, SLOT_X);
    mont_reduce_once(s, 1, SLOT_ACC);
    const v8 *h = s[0].slot[SLOT_ACC];
    for (int j = 0; j < 2 * LIMBS + 1; j++)
        w->column[j] = j < LIMBS ? m2[j] : v8_zero();
    for (int i = 0; i < LIMBS; i++)
        for (int j = 0; j < LIMBS; j++) {
            w->column[i + j] = v8_madd52lo(w->column[i + j], h[i], q[j]);
            w->column[i + j + 1] = v8_madd52hi(w->column[i + j + 1], h[i], q[j]);
        }
    v8 carry = v8_zero();
    for (int j = 0; j < 2 * LIMBS; j++) {
        const v8 x = v8_add(w->column[j], carry);
        carry = v8_sra(x, 52);
        v8_store52(args->out[j], v8_low52(x));
    }
}

static void crt_run(const struct oct_rsa_crt_args *args)
{
    struct crt_workspace *w = args->workspace;
    const unsigned vectors = args->vectors == 2 ? 2 : 1;
    for (unsigned v = 0; v < vectors; v++) {
        mont_load(w->side[v].n, args->side[v].n, LIMBS);
        mont_load(w->side[v].slot[SLOT_RR], args->side[v].rr, LIMBS);
        mont_load(w->exp[v], args->side[v].exp, LIMBS);
        w->side[v].k0 = v8_load52(args->side[v].k0[0]);
    }
    mont_set_one(w->side, vectors, SLOT_ONE);
    crt_to_mont(w->side, vectors, args);
    crt_fill_table(w->side, vectors);
    crt_exponentiate(w, vectors);
    crt_recombine(w, vectors, args);
    v8_clear_registers();
}
