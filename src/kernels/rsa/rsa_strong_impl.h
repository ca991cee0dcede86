/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A power and the strong probable prime test (Miller-Rabin; FIPS 186-5, B.3.1), each lane with a modulus of its own.
 * With exp = n - 1 = 2^s * odd, the test looks for base^(exp >> k) = -1 with some k of 1 .. s, or = 1 with k = s. These
 * are what a power from left to right comes by, so windows serve all bits but the last few, and these go one by one
 * with a look at each. How many zeros the exponent ends with is secret: it is only in masks. Include after
 * rsa_crt_impl.h.
 */

/* While the last bits are looked at, three slots have no other use. The look goes through a copy below n. */
#define SLOT_ONE   PICKED
#define SLOT_MINUS SLOT_RR
#define SLOT_LOOK  SLOT_Y

/* The fence keeps it a loop of vectors: as a call or a string instruction it would pass through other registers. */
static void strong_copy(struct fold *s, unsigned vectors, unsigned r, unsigned a)
{
    for (unsigned v = 0; v < vectors; v++)
        for (unsigned j = 0; j < LIMBS; j++) {
            s[v].slot[r][j] = s[v].slot[a][j];
            VEC_FENCE();
        }
}

/* slot[r] below 3n comes below n. */
static void strong_reduce(struct fold *s, unsigned vectors, unsigned r)
{
    fold_reduce_once(s, vectors, r);
    fold_reduce_once(s, vectors, r);
}

/* slot[SLOT_ONE] = 1 and slot[SLOT_MINUS] = n - 1, both in Montgomery form and below n. */
static void strong_constants(struct fold *s, unsigned vectors)
{
    crt_recall(s, vectors, SLOT_ONE, 0);
    strong_reduce(s, vectors, SLOT_ONE);
    for (unsigned v = 0; v < vectors; v++) {
        for (int j = 0; j < LIMBS; j++)
            s[v].h[j] = v8_sub(s[v].n[j], s[v].slot[SLOT_ONE][j]);
        fold_carry(&s[v], SLOT_MINUS, s[v].h);
    }
}

static m8 strong_equal(const v8 *a, const v8 *b)
{
    v8 difference = v8_zero();
    for (int j = 0; j < LIMBS; j++)
        difference = v8_or(difference, v8_xor(a[j], b[j]));
    return m8_not(v8_is_nonzero(difference));
}

/* Whether slot[SLOT_ACC] = base^(exp >> k) shows a strong probable prime. */
static m8 strong_look(const struct fold *s, v8 exp0, unsigned k)
{
    const m8 lower_zero = m8_not(v8_is_nonzero(v8_low(exp0, k)));
    const m8 minus = strong_equal(s->slot[SLOT_LOOK], s->slot[SLOT_MINUS]);
    const m8 one = m8_and(strong_equal(s->slot[SLOT_LOOK], s->slot[SLOT_ONE]), v8_test_bit(exp0, k));
    return m8_and(lower_zero, m8_or(minus, one));
}

/* slot[SLOT_ACC] = its square, times the base where the bit says so. */
static void strong_bit(struct fold *s, unsigned vectors, const v8 *exp0, unsigned k)
{
    fold_square(s, vectors, SLOT_ACC, SLOT_ACC, NULL, 0);
    fold_mul(s, vectors, SLOT_LOOK, SLOT_ACC, SLOT_X);
    for (unsigned v = 0; v < vectors; v++) {
        const m8 bit = v8_test_bit(exp0[v], k);
        for (int j = 0; j < LIMBS; j++)
            s[v].slot[SLOT_ACC][j] = v8_select(bit, s[v].slot[SLOT_LOOK][j], s[v].slot[SLOT_ACC][j]);
    }
}

/* The last bits of the exponents of side `first` and the next; then the results. What has an index lies in the
 * workspace and not in the frame, so that tools/check-isa can tell it from addresses. */
static void strong_tail(struct crt_workspace *w, unsigned vectors, const struct oct_rsa_strong_args *args,
                        unsigned first)
{
    struct fold *s = &w->side[first];
    v8 *exp0 = w->h, *strong = w->q, *power = w->m2;
    for (unsigned v = 0; v < vectors; v++) {
        exp0[v] = v8_load52(args->crt.side[first + v].exp[0]);
        strong[v] = v8_zero();
    }
    strong_constants(s, vectors);
    for (unsigned k = OCT_RSA_STRONG_BITS; k-- > 0;) {
        strong_bit(s, vectors, exp0, k);
        if (k == 0)
            break;
        strong_copy(s, vectors, SLOT_LOOK, SLOT_ACC);
        strong_reduce(s, vectors, SLOT_LOOK);
        for (unsigned v = 0; v < vectors; v++)
            strong[v] = v8_select(strong_look(&s[v], exp0[v], k), v8_set1(1), strong[v]);
    }
    crt_leave(s, vectors);
    for (unsigned v = 0; v < vectors; v++) {
        fold_unload(power, OUTER, s[v].slot[SLOT_ACC]);
        for (int j = 0; j < OUTER; j++)
            v8_store52(args->result[first + v].power[j], power[j]);
        v8_store52(args->result[first + v].strong[0], strong[v]);
    }
}

/* The powers of `vectors` sides, `first` and the next. */
static void strong_powers(struct crt_workspace *w, unsigned first, unsigned vectors,
                          const struct oct_rsa_strong_args *args)
{
    crt_fill_table(&w->side[first], vectors);
    crt_windows(&w->side[first], vectors, &args->crt, first, OCT_RSA_STRONG_BITS);
    strong_tail(w, vectors, args, first);
}

static OCT_NOINLINE void strong_work(const struct oct_rsa_strong_args *args)
{
    struct crt_workspace *w = args->crt.workspace;
    const unsigned vectors = args->crt.vectors == 2 ? 2 : 1;
    crt_constants(w->side, vectors, &args->crt);
    /* The base is below R: below RR + 2n < 5n. */
    for (unsigned v = 0; v < vectors; v++)
        fold_load(w->side[v].slot[SLOT_X], args->crt.side[v].c, OUTER, 0);
    fold_mul(w->side, vectors, SLOT_X, SLOT_X, SLOT_RR);
    strong_powers(w, 0, vectors < TOGETHER ? vectors : TOGETHER, args);
    if (vectors > TOGETHER)
        strong_powers(w, TOGETHER, 1, args);
    v8_clear_registers();
}

static void strong_run(const struct oct_rsa_strong_args *args)
{
    const struct vec_mode mode = vec_begin();
    strong_work(args);
    vec_end(mode);
}
