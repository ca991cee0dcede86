/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Inverses modulo constants by divisions by 2 (Bernstein and Yang, "Fast constant-time gcd computation and modular
 * inversion", 2019), in the variant that starts with delta = 1/2, as libsecp256k1 describes it. Fermat's way would be a
 * chain of hundreds of products, each waiting for the one before; this is three times shorter.
 *
 * Steps go in batches of GCD_STEPS on the low limbs alone; a batch is a matrix (u v; q r) of numbers up to 2^GCD_STEPS
 * in size, which is then applied to all of f, g and, modulo m, to d, e. Number of steps: (45907 * bits + 26313) /
 * 19929, the bound of the variant for any number of that many bits.
 *
 * The numbers are signed. A top limb is stored with GCD_BIAS added, an entry of a matrix with 2^GCD_STEPS, so that all
 * can be multiplied.
 */
#define GCD_STEPS   50
#define GCD_BIAS    ((uint64_t)1 << 51)
#define GCD_BATCHES (((45907 * EC_BITS + 26313) / 19929 + GCD_STEPS - 1) / GCD_STEPS)
/* 2^GCD_ROOM times the modulus is above |d| at the end; of 256 bits there is no room for more. */
#define GCD_ROOM (EC_BITS == 256 ? 3 : 4)
_Static_assert(GCD_BATCHES + 1 <= 2 << GCD_ROOM, "|d| grows by half the modulus in each batch");

struct gcd {
    uint64_t m[LIMBS]; /* the modulus, odd, of EC_BITS bits; a copy, so that every address here is known without reading
                          one */
    uint64_t k0;       /* -1/m mod 2^52 */
    struct num f, g, d, e;
    v8 zeta; /* -(delta + 1/2) */
    v8 u, v, q, r;
};

static void gcd_set(struct num *x, const struct num *value)
{
    *x = *value;
    x->l[LIMBS - 1] = v8_add(x->l[LIMBS - 1], v8_set1(GCD_BIAS));
}

/* Starts the inversion of x, below m. */
static void gcd_start(struct gcd *s, const struct num *x, const uint64_t m[LIMBS], uint64_t k0)
{
    static const uint64_t zero[LIMBS] = {0}, one[LIMBS] = {1};
    struct num t;
    for (int j = 0; j < LIMBS; j++)
        s->m[j] = m[j];
    s->k0 = k0;
    gcd_set(&s->g, x);
    num_constant(&t, m);
    gcd_set(&s->f, &t);
    num_constant(&t, zero);
    gcd_set(&s->d, &t);
    num_constant(&t, one);
    gcd_set(&s->e, &t);
    s->zeta = v8_sub(v8_zero(), v8_set1(1));
}

/* The matrices of the next GCD_STEPS steps, of one or two chains side by side, which hide each other's latency. */
VEC_STEP void gcd_divide(struct gcd *s, unsigned chains)
{
    v8 f[2], g[2], u[2], v[2], q[2], r[2], zeta[2];
    VEC_UNROLL
    for (unsigned c = 0; c < chains; c++) {
        f[c] = s[c].f.l[0];
        g[c] = s[c].g.l[0];
        u[c] = r[c] = v8_set1(1);
        v[c] = q[c] = v8_zero();
        zeta[c] = s[c].zeta;
    }
    for (unsigned i = 0; i < GCD_STEPS; i++) {
        VEC_UNROLL
        for (unsigned c = 0; c < chains; c++) {
            const m8 odd = v8_test_bit(v8_low(g[c], 1), 0), negative = v8_is_negative(zeta[c]);
            const m8 swap = m8_and(odd, negative);
            const v8 x = v8_select(negative, v8_sub(v8_zero(), f[c]), f[c]);
            const v8 y = v8_select(negative, v8_sub(v8_zero(), u[c]), u[c]);
            const v8 z = v8_select(negative, v8_sub(v8_zero(), v[c]), v[c]);
            f[c] = v8_select(swap, g[c], f[c]);
            u[c] = v8_select(swap, q[c], u[c]);
            v[c] = v8_select(swap, r[c], v[c]);
            g[c] = v8_sra(v8_select(odd, v8_add(g[c], x), g[c]), 1);
            q[c] = v8_select(odd, v8_add(q[c], y), q[c]);
            r[c] = v8_select(odd, v8_add(r[c], z), r[c]);
            u[c] = v8_add(u[c], u[c]);
            v[c] = v8_add(v[c], v[c]);
            zeta[c] = v8_sub(v8_select(swap, v8_sub(v8_zero(), v8_add(zeta[c], v8_set1(1))), zeta[c]), v8_set1(1));
        }
    }
    const v8 offset = v8_set1((uint64_t)1 << GCD_STEPS);
    VEC_UNROLL
    for (unsigned c = 0; c < chains; c++) {
        s[c].u = v8_add(u[c], offset);
        s[c].v = v8_add(v[c], offset);
        s[c].q = v8_add(q[c], offset);
        s[c].r = v8_add(r[c], offset);
        s[c].zeta = zeta[c];
    }
}

STEP void gcd_divide_1(struct gcd *s)
{
    gcd_divide(s, 1);
}

STEP void gcd_divide_2(struct gcd *s)
{
    gcd_divide(s, 2);
}

/* Columns u*f + v*g of the numbers as they are stored. */
VEC_STEP void gcd_columns(v8 c[LIMBS + 1], const struct num *f, const struct num *g, v8 u, v8 v)
{
    VEC_UNROLL
    for (int j = 0; j <= LIMBS; j++)
        c[j] = v8_zero();
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        c[j] = v8_madd52lo(v8_madd52lo(c[j], u, f->l[j]), v, g->l[j]);
        c[j + 1] = v8_madd52hi(v8_madd52hi(c[j + 1], u, f->l[j]), v, g->l[j]);
    }
}

/*
 * r = (u*f + v*g)/2^GCD_STEPS from the columns of the stored numbers. With F, U for the true ones, f = F + bias (at the
 * top limb) and u = U + 2^GCD_STEPS, the columns are UF + VG + (F + G)*2^GCD_STEPS + (u + v)*bias, so F + G and twice u
 * + v are taken away after the division. What the top limb reaches is not for intervals to see: |f| and |g| stay within
 * m, and |d| and |e| grow by m/2 in each batch, to 6.5 m on 256 bits, which have room for 8*2^256, and to 9.5 m on 384.
 */
VEC_STEP void gcd_shift(struct num *r, v8 c[LIMBS + 1], const struct num *f, const struct num *g, v8 u, v8 v)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        c[j + 1] = v8_add(c[j + 1], v8_sra(c[j], 52));
        c[j] = v8_low52(c[j]);
    }
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        const v8 upper = j + 1 < LIMBS ? v8_low(c[j + 1], GCD_STEPS) : c[j + 1];
        const v8 x = v8_add(v8_sra(c[j], GCD_STEPS), v8_sll(upper, 52 - GCD_STEPS));
        r->l[j] = v8_sub(x, v8_add(f->l[j], g->l[j]));
    }
    v8 top = v8_sub(r->l[LIMBS - 1], v8_sll(v8_add(u, v), 1));
    r->l[LIMBS - 1] = v8_add(top, v8_set1(3 * GCD_BIAS));
    num_carry(r);
    r->l[LIMBS - 1] = v8_proved_bound(r->l[LIMBS - 1], V8_LIMB_MASK);
}

STEP void gcd_update_fg(struct gcd *s)
{
    v8 c[LIMBS + 1];
    struct num f;
    gcd_columns(c, &s->f, &s->g, s->u, s->v);
    gcd_shift(&f, c, &s->f, &s->g, s->u, s->v);
    gcd_columns(c, &s->f, &s->g, s->q, s->r);
    gcd_shift(&s->g, c, &s->f, &s->g, s->q, s->r);
    s->f = f;
}

/* Adds k*m to the columns, with k of -2^(GCD_STEPS-1) .. 2^(GCD_STEPS-1) - 1 such that they become divisible by
 * 2^GCD_STEPS. */
VEC_STEP void gcd_add_multiple(v8 c[LIMBS + 1], const uint64_t m[LIMBS], uint64_t k0)
{
    const uint64_t half = (uint64_t)1 << (GCD_STEPS - 1);
    const v8 k = v8_low(v8_add(v8_mul52lo_trunc(c[0], v8_set1(k0)), v8_set1(half)), GCD_STEPS);
    uint64_t below = 0;
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        /* Limbs of half*m. */
        const uint64_t lower = (m[j] << (GCD_STEPS - 1)) & V8_LIMB_MASK;
        c[j] = v8_sub(v8_madd52lo(c[j], k, v8_set1(m[j])), v8_set1(lower + below));
        c[j + 1] = v8_madd52hi(c[j + 1], k, v8_set1(m[j]));
        below = m[j] >> (52 - (GCD_STEPS - 1));
    }
    c[LIMBS] = v8_sub(c[LIMBS], v8_set1(below));
}

STEP void gcd_update_de(struct gcd *s)
{
    v8 c[LIMBS + 1];
    struct num d;
    gcd_columns(c, &s->d, &s->e, s->u, s->v);
    gcd_add_multiple(c, s->m, s->k0);
    gcd_shift(&d, c, &s->d, &s->e, s->u, s->v);
    gcd_columns(c, &s->d, &s->e, s->q, s->r);
    gcd_add_multiple(c, s->m, s->k0);
    gcd_shift(&s->e, c, &s->d, &s->e, s->q, s->r);
    s->d = d;
}

/* r = 1/x mod m (0 for 0), carried, between 0 and 2*2^GCD_ROOM m: f is now 1 or -1, and d is f/x. */
static void gcd_finish(struct num *r, const struct gcd *s)
{
    const m8 negative = v8_is_negative(v8_sub(s->f.l[LIMBS - 1], v8_set1(GCD_BIAS)));
    struct num d = s->d, m;
    d.l[LIMBS - 1] = v8_sub(d.l[LIMBS - 1], v8_set1(GCD_BIAS));
    num_negate_if(&d, negative, &d);
    num_constant(&m, s->m);
    num_sll(&m, &m, GCD_ROOM);
    num_add(r, &d, &m);
    num_carry(r);
    r->l[LIMBS - 1] = v8_proved_bound(r->l[LIMBS - 1], V8_LIMB_MASK);
}

/* The inverses of what one or two chains were started with. */
static void gcd_run(struct gcd *s, unsigned chains)
{
    for (unsigned i = 0; i < GCD_BATCHES; i++) {
        if (chains == 2)
            gcd_divide_2(s);
        else
            gcd_divide_1(s);
        for (unsigned c = 0; c < chains; c++) {
            gcd_update_fg(&s[c]);
            gcd_update_de(&s[c]);
        }
    }
}
