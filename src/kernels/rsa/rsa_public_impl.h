/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The RSA public operation, x^e mod n (RFC 8017, 5.1.1). Nothing in it is secret when it encrypts or verifies, but it
 * also checks private results before they leave: so it is as constant in time as the rest. e is public. Include after
 * mont_impl.h.
 */

enum { PUBLIC_ACC, PUBLIC_X, PUBLIC_RR, PUBLIC_T, PUBLIC_SLOTS };
_Static_assert(PUBLIC_SLOTS <= SLOTS, "slots");

#define PUBLIC_WORKSPACE sizeof(struct mont)

/* e = 65537: x^65536 stays in Montgomery form, and the last product, by plain x, takes it out. */
static void public_power_f4(struct mont *s)
{
    mont_mul(s, PUBLIC_ACC, PUBLIC_X, PUBLIC_RR);
    for (int i = 0; i < 16; i++)
        mont_square(s, PUBLIC_ACC, PUBLIC_ACC);
    mont_mul(s, PUBLIC_ACC, PUBLIC_ACC, PUBLIC_X);
}

/* Any e below 2^32, another in each lane: 32 squarings and as many masked products. */
static void public_power_any(struct mont *s, v8 e)
{
    mont_set_one(s, PUBLIC_T);
    mont_mul(s, PUBLIC_ACC, PUBLIC_T, PUBLIC_RR);
    mont_mul(s, PUBLIC_X, PUBLIC_X, PUBLIC_RR);
    for (unsigned bit = 32; bit-- > 0;) {
        mont_square(s, PUBLIC_ACC, PUBLIC_ACC);
        mont_mul(s, PUBLIC_T, PUBLIC_ACC, PUBLIC_X);
        const m8 take = v8_test_bit(e, bit);
        for (int j = 0; j < LIMBS; j++)
            s->slot[PUBLIC_ACC][j] = v8_select(take, s->slot[PUBLIC_T][j], s->slot[PUBLIC_ACC][j]);
    }
    mont_set_one(s, PUBLIC_T);
    mont_mul(s, PUBLIC_ACC, PUBLIC_ACC, PUBLIC_T);
}

static OCT_NOINLINE void public_work(const struct oct_rsa_public_args *args)
{
    struct mont *s = args->workspace;
    mont_load(s->n, args->n, LIMBS);
    mont_load(s->slot[PUBLIC_RR], args->rr, LIMBS);
    mont_load(s->slot[PUBLIC_X], args->x, LIMBS);
    s->k0 = v8_load52(args->k0[0]);
    if (args->all_f4)
        public_power_f4(s);
    else
        public_power_any(s, v8_load52(args->e[0]));
    /* Below n + x*2n/R: at most one subtraction. */
    mont_reduce_once(s, PUBLIC_ACC);
    for (int j = 0; j < LIMBS; j++)
        v8_store52(args->out[j], s->slot[PUBLIC_ACC][j]);
    v8_clear_registers();
}

static void public_run(const struct oct_rsa_public_args *args)
{
    const struct vec_mode mode = vec_begin();
    public_work(args);
    vec_end(mode);
}
