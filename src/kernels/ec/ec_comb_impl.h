/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * scalar * G by a comb that all lanes share: for each window i of COMB_WINDOW bits the odd multiples 1, 3, 5 .. of
 * 2^(w*i) * G, affine, so that a product is one mixed addition for each window and no doubling. Digits are those of
 * ec_derive_impl.h.
 *
 * From the lowest window up, the sum is below 2^(w*i) in size and what is added is not, so they never meet, but in the
 * top window, where sums wrap round n: only the last addition is complete.
 *
 * The comb is no secret. It is made by these same kernels when first used, rather than checked in as 100 KB of numbers
 * nobody can read: it takes less time than the known-answer test that then proves it.
 */
#define COMB_WINDOW  6
#define COMB_ENTRIES (1 << (COMB_WINDOW - 1))
#define COMB_TOP     ((EC_BITS - 1) / COMB_WINDOW)
#define COMB_WINDOWS (COMB_TOP + 1)
#define COMB_GROUPS  ((COMB_WINDOWS + V8_LANES - 1) / V8_LANES)
_Static_assert(COMB_ENTRIES == 32, "comb_pick");

/* The comb: limb j of x and limb LIMBS + j of y, of all entries side by side. */
typedef uint64_t comb_window[2 * LIMBS][COMB_ENTRIES];
#define COMB_BYTES (COMB_WINDOWS * sizeof(comb_window))

struct comb_workspace {
    struct num x, y;
    struct point sum, scratch[3];
    struct num scalar;
    struct gcd gcd;
};

/* Entry `index` (secret, another one in each lane). Entries are below p, which says how large a top limb is. */
STEP void comb_pick(struct num *x, struct num *y, const comb_window window, v8 index)
{
    const m8 upper = v8_test_bit(index, 4);
    const v8 low = v8_low(index, 4);
    VEC_UNROLL
    for (int j = 0; j < 2 * LIMBS; j++) {
        v8 limb = v8_select(upper, v8_lookup_shared16(window[j] + 16, low), v8_lookup_shared16(window[j], low));
        if (j % LIMBS == LIMBS - 1)
            limb = v8_argument_bound(limb, fp_modulus[LIMBS - 1]);
        *(j < LIMBS ? &x->l[j] : &y->l[j - LIMBS]) = limb;
    }
}

/* sum = scalar * G, for an odd scalar. */
static void comb_multiply(struct comb_workspace *w, const comb_window *comb)
{
    for (unsigned i = 0; i < COMB_WINDOWS; i++) {
        m8 negative = v8_is_negative(v8_zero());
        v8 index = num_bits(&w->scalar, COMB_WINDOW * i + 1, COMB_WINDOW);
        if (i < COMB_TOP)
            index = digit_split(&negative, index, COMB_WINDOW);
        else
            index = v8_low(index, COMB_WINDOW - 1);
        comb_pick(&w->x, &w->y, comb[i], index);
        if (i == 0)
            point_from_affine(&w->sum, &w->x, &w->y, negative);
        else if (EC_ALWAYS_COMPLETE || i == COMB_TOP)
            point_add_mixed_complete(&w->sum, &w->sum, &w->x, &w->y, negative, w->scratch);
        else
            point_add_mixed(&w->sum, &w->sum, &w->x, &w->y, negative);
    }
}

static OCT_NOINLINE unsigned public_run(const struct oct_ec_public_args *args)
{
    struct comb_workspace *w = args->workspace;
    struct num x, y;
    num_load(&w->scalar, args->scalar);
    const m8 was_even = m8_not(v8_test_bit(w->scalar.l[0], 0));
    m8 good = scalar_make_odd(&w->scalar);
    comb_multiply(w, (const comb_window *)args->comb);
    num_negate_if(&w->sum.y, was_even, &w->sum.y);
    fp_settle(&w->sum.y);
    good = m8_and(good, point_to_affine(&x, &y, &w->sum, &w->gcd));
    num_store(args->x, &x, good);
    num_store(args->y, &y, good);
    v8_clear_registers();
    /* Which lanes were refused shows in the status. */
    return m8_declassify(good);
}

struct comb_make_workspace {
    struct point base[COMB_GROUPS]; /* lane l of base[g]: 2^(w*(8g+l)) * G */
    struct point entry[COMB_ENTRIES], twice;
    struct num product[COMB_ENTRIES]; /* of the Z of entries 0 .. e */
    struct gcd gcd;
};

/* A mask of one lane. */
static m8 lane_mask(unsigned lane)
{
    uint64_t word[V8_LANES] OCT_ALIGN64 = {0};
    word[lane] = 1;
    return v8_test_bit(v8_load52(word), 0);
}

static void comb_make_bases(struct comb_make_workspace *w, const struct num *x, const struct num *y)
{
    point_from_affine(&w->twice, x, y, v8_is_negative(v8_zero()));
    for (unsigned i = 0; i < COMB_GROUPS * V8_LANES; i++) {
        struct point *base = &w->base[i / V8_LANES];
        if (i % V8_LANES == 0)
            *base = w->twice;
        else
            point_select(base, lane_mask(i % V8_LANES), &w->twice, base);
        for (unsigned j = 0; j < COMB_WINDOW; j++)
            point_double(&w->twice, &w->twice);
    }
}

/* One coordinate of entry e in the windows of group g, below p. */
static void comb_put(comb_window *comb, unsigned g, unsigned e, int y, const struct num *a)
{
    uint64_t word[V8_LANES] OCT_ALIGN64;
    /* A product, so below 2p. */
    struct num x = *a;
    num_reduce_once(&x, fp_modulus);
    for (int j = 0; j < LIMBS; j++) {
        v8_store52(word, x.l[j]);
        for (unsigned lane = 0; lane < V8_LANES && V8_LANES * g + lane < COMB_WINDOWS; lane++)
            comb[V8_LANES * g + lane][y ? LIMBS + j : j][e] = word[lane];
    }
}

/* The entries of eight windows: odd multiples of their bases, made affine with one inversion (Montgomery's trick). */
static void comb_make_group(struct comb_make_workspace *w, comb_window *comb, unsigned g)
{
    const m8 plus = v8_is_negative(v8_zero());
    struct num inverse, zi, zi2;
    w->entry[0] = w->base[g];
    w->product[0] = w->entry[0].z;
    point_double(&w->twice, &w->base[g]);
    for (unsigned e = 1; e < COMB_ENTRIES; e++) {
        point_add(&w->entry[e], &w->entry[e - 1], &w->twice, plus);
        fp_mul_to(&w->product[e], &w->product[e - 1], &w->entry[e].z);
    }
    fp_from_mont(&inverse, &w->product[COMB_ENTRIES - 1]);
    gcd_start(&w->gcd, &inverse, fp_modulus, EC_FIELD_K0);
    gcd_run(&w->gcd, 1);
    gcd_finish(&inverse, &w->gcd);
    fp_to_mont(&inverse, &inverse);
    for (unsigned e = COMB_ENTRIES; e-- > 0;) {
        struct point *p = &w->entry[e];
        zi = inverse;
        if (e > 0) {
            fp_mul_to(&zi, &inverse, &w->product[e - 1]);
            fp_mul_to(&inverse, &inverse, &p->z);
        }
        fp_mul_to(&zi2, &zi, &zi);
        fp_mul_to(&p->x, &p->x, &zi2);
        fp_mul_to(&zi2, &zi2, &zi);
        fp_mul_to(&p->y, &p->y, &zi2);
        comb_put(comb, g, e, 0, &p->x);
        comb_put(comb, g, e, 1, &p->y);
    }
}

/* The comb of the point (x, y), in Montgomery form, whose order is no small number. */
static void comb_make(struct comb_make_workspace *w, comb_window *comb, const struct num *x, const struct num *y)
{
    comb_make_bases(w, x, y);
    for (unsigned g = 0; g < COMB_GROUPS; g++)
        comb_make_group(w, comb, g);
}

static OCT_NOINLINE void comb_run(const struct oct_ec_comb_args *args)
{
    struct num x, y;
    num_constant(&x, ec_gx);
    num_constant(&y, ec_gy);
    fp_to_mont(&x, &x);
    fp_to_mont(&y, &y);
    comb_make(args->workspace, (comb_window *)args->comb, &x, &y);
}
