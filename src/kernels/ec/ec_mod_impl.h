/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Arithmetic modulo a constant m of a curve, in Montgomery form with R = 2^(52*LIMBS). Included once for the field and
 * once for the order of the group, with `#define MOD_PREFIX fp` or fn, after definitions of MOD(modulus), MOD(rr) limbs
 * of m and of R^2 mod m MOD(carry)(r)          carries columns whose value is not negative MOD(reduce)(r, z, y)    r =
 * columns of (z + y)/R mod m from 2*LIMBS columns z + y, which it overwrites
 *
 * mul and sqr take carried numbers a, b and give columns of a value below a*b/R + m.
 */
#define MOD_PASTE_(prefix, name) prefix##_##name
#define MOD_PASTE(prefix, name)  MOD_PASTE_(prefix, name)
#define MOD(name)                MOD_PASTE(MOD_PREFIX, name)

#if VEC_WHOLE
/* r = a * b, a^2, as columns. r may be an input, here and in all that follows. */
EC_PRODUCT void MOD(mul)(struct num *r, const struct num *a, const struct num *b)
{
    v8 z[2 * LIMBS], y[2 * LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * LIMBS; k++)
        y[k] = v8_zero();
    num_product(z, a->l, b->l);
    MOD(reduce)(r, z, y);
}

EC_PRODUCT void MOD(sqr)(struct num *r, const struct num *a)
{
    v8 z[2 * LIMBS], y[2 * LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * LIMBS; k++)
        y[k] = v8_zero();
    num_square(z, a->l);
    MOD(reduce)(r, z, y);
}
#else
/* r = a * b, as columns. r may be an input, here and in all that follows. */
EC_PRODUCT void MOD(mul)(struct num *r, const struct num *pa, const struct num *pb)
{
    const struct num a = *pa, b = *pb;
    v8 z[2 * LIMBS], y[2 * LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * LIMBS; k++)
        z[k] = y[k] = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        VEC_UNROLL
        for (int j = 0; j < LIMBS; j++) {
            z[i + j] = v8_madd52lo(z[i + j], a.l[i], b.l[j]);
            y[i + j + 1] = v8_madd52hi(y[i + j + 1], a.l[i], b.l[j]);
        }
    }
    MOD(reduce)(r, z, y);
}

/* r = a^2, as columns: twice the products above the diagonal, and the diagonal. */
EC_PRODUCT void MOD(sqr)(struct num *r, const struct num *pa)
{
    const struct num a = *pa;
    v8 z[2 * LIMBS], y[2 * LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * LIMBS; k++)
        z[k] = y[k] = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        VEC_UNROLL
        for (int j = i + 1; j < LIMBS; j++) {
            z[i + j] = v8_madd52lo(z[i + j], a.l[i], a.l[j]);
            y[i + j + 1] = v8_madd52hi(y[i + j + 1], a.l[i], a.l[j]);
        }
    }
    VEC_UNROLL
    for (int k = 1; k < 2 * LIMBS - 1; k++) {
        z[k] = v8_add(z[k], z[k]);
        y[k] = v8_add(y[k], y[k]);
    }
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        z[2 * i] = v8_madd52lo(z[2 * i], a.l[i], a.l[i]);
        y[2 * i + 1] = v8_madd52hi(y[2 * i + 1], a.l[i], a.l[i]);
    }
    MOD(reduce)(r, z, y);
}
#endif

/* The same, carried. */
VEC_STEP void MOD(mul_carry)(struct num *r, const struct num *a, const struct num *b)
{
    MOD(mul)(r, a, b);
    MOD(carry)(r);
}

VEC_STEP void MOD(sqr_carry)(struct num *r, const struct num *a)
{
    MOD(sqr)(r, a);
    MOD(carry)(r);
}

/* The same, out of line: for what is not worth its code. */
STEP void MOD(mul_to)(struct num *r, const struct num *a, const struct num *b)
{
    MOD(mul_carry)(r, a, b);
}

/* The carried a into Montgomery form. */
STEP void MOD(to_mont)(struct num *r, const struct num *a)
{
    struct num rr;
    num_constant(&rr, MOD(rr));
    MOD(mul_to)(r, a, &rr);
}

/* The carried a out of Montgomery form, below m: (a + k*m)/R <= m for a < R, k < R. */
STEP void MOD(from_mont)(struct num *r, const struct num *a)
{
    v8 z[2 * LIMBS], y[2 * LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * LIMBS; k++) {
        z[k] = k < LIMBS ? a->l[k] : v8_zero();
        y[k] = v8_zero();
    }
    MOD(reduce)(r, z, y);
    MOD(carry)(r);
    num_reduce_once(r, MOD(modulus));
}
