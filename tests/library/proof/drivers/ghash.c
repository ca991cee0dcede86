/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* GHASH: products, reductions, sums with the powers of a key, and how these are made. */
#include "kernels/gcm/ghash_impl.h"

typedef struct {
    int line;
} v8;
#include "proof.h"

/* The powers by what products are proved to be. */
static b1 model_mul(b1 x, b1 h)
{
    return proof_block("block_field", x, h, 0);
}
#define ghash_mul       model_mul
#define ghash_lanes_mul model_mul
#include "kernels/gcm/ghash_expand_impl.h"
#undef ghash_mul
#undef ghash_lanes_mul

static b1 input(const char *name, int i)
{
    printf("input:%s:%d ", name, i);
    return (b1){oct_proof_record("", 0, 0, 0, UINT64_MAX)};
}
static void output(const char *name, b1 a)
{
    const v8 x = {a.line};
    proof_output(&x, 1, name);
}

int main(void)
{
    static struct gcm_key key;
    struct products p;
    bv x[3], h[3];

    proof_begin("mul");
    x[0] = input("x", 0), h[0] = input("h", 0);
    output("r", ghash_mul(x[0], h[0]));

    proof_begin("lanes_mul");
    x[0] = input("x", 0), h[0] = input("h", 0);
    output("r", ghash_lanes_mul(x[0], h[0]));

    for (int whole = 0; whole < 2; whole++) {
        proof_begin(whole ? "sum_whole" : "sum");
        for (int i = 0; i < 3; i++)
            x[i] = input("x", i), h[i] = input("h", i);
        p = products_zero();
        if (whole) {
            ghash_mul2_whole(&p, x[0], x[1], h[0], h[1]);
            ghash_mul1_whole(&p, x[2], h[2]);
            output("r", ghash_reduce_whole(&p));
        } else {
            ghash_mul2(&p, x[0], x[1], h[0], h[1], ghash_middle(h[0], h[1]));
            ghash_mul1(&p, x[2], h[2]);
            output("r", ghash_reduce(&p));
        }
    }

    proof_begin("consecutive");
    for (int i = 0; i < 3; i++) {
        x[i] = input("x", i), h[i] = input("h", i);
        b1_store(key.power[GHASH_POWERS - 3 + i], h[i]);
    }
    p = products_zero();
    ghash_consecutive(&p, x, 3, &key, 3);
    output("r", ghash_reduce(&p));

    for (int odd = 0; odd < 2; odd++) {
        proof_begin(odd ? "pair_odd" : "pair_even");
        for (int i = 0; i < 3; i++) {
            x[i] = input("x", i), h[i] = input("h", i);
            bv_store(key.wide[BV_BULK - 4 + odd + i], h[i]);
        }
        bv_store(key.middle[(BV_BULK - 4) / 2],
                 ghash_middle(bv_load(key.wide[BV_BULK - 4]), bv_load(key.wide[BV_BULK - 3])));
        p = products_zero();
        if (odd)
            ghash_pair(&p, x[0], x[1], &key, 1, 4);
        else
            ghash_pair(&p, x[0], x[1], &key, 0, 4);
        output("r", ghash_reduce(&p));
    }

    proof_begin("expand");
    ghash_expand(&key, input("h", 0));
    for (int i = 0; i < GHASH_POWERS; i++)
        output("power", b1_load(key.power[i]));
    for (int i = 0; i < BV_BULK; i++)
        output("wide", bv_load(key.wide[i]));
    for (int i = 0; i < BV_BULK / 2; i++)
        output("middle", bv_load(key.middle[i]));
    return 0;
}
