/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Poly1305 from the blocks of a message to the number that the tag is made of, before its last reduction, which is not
 * on vectors. */
#include "kernels/chacha/poly1305_rows_impl.h"

#include "proof.h"

static v8 key[3], block[64][3];
static int key_limb;

v8 oct_proof_key(void)
{
    return key[key_limb++];
}
v8 oct_proof_block(const uint8_t *p, int k)
{
    const uint64_t number = tier_load64(p);
    return number < 64 ? block[number][k] : number == 64 ? key[k] : v8_zero();
}
static void inputs(int blocks)
{
    static const uint64_t most[3] = {((uint64_t)1 << 44) - 1, ((uint64_t)1 << 44) - 1, ((uint64_t)1 << 40) - 1};
    key_limb = 0;
    for (int k = 0; k < 3; k++)
        proof_input(&key[k], 1, "r", most[k]);
    proof_number_is("key", key, 3, 44);
    for (int j = 0; j < blocks; j++)
        for (int k = 0; k < 3; k++)
            proof_input(&block[j][k], 1, "m", most[k]);
}
static void put(uint8_t *p, int number)
{
    tier_store64(p, (uint64_t)number);
    tier_store64(p + 8, 0);
}
/* Lane 0's or all lanes' sum as the output. */
static void output(const quads h[POLY_LIMBS])
{
    v8 sum[POLY_LIMBS];
    for (int k = 0; k < POLY_LIMBS; k++)
        sum[k] = quads_sum(h[k]).lane[0];
    proof_output(sum, POLY_LIMBS, "h");
}

/* `blocks` blocks at once, whole vectors first; as poly_fold() with its last step left out. */
static void message(const char *name, int blocks, unsigned bulk)
{
    static struct poly p;
    static uint8_t data[64 * 16];
    const int whole = blocks / QUADS_LANES, last = blocks % QUADS_LANES;
    proof_begin(name);
    inputs(blocks);
    for (int j = 0; j < 64; j++)
        put(data + 16 * j, j < blocks ? j : 65);
    poly_make_powers(&p);
    if (bulk)
        poly_make_far(&p);
    poly_vectors(&p, 0, bulk, data, (size_t)whole);
    quads h[POLY_LIMBS], m[POLY_LIMBS];
    struct poly_sum sum;
    poly_sum_zero(&sum);
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[k] = quads_load(p.sum[k], POLY_BITS);
    poly_multiply_falling(&sum, &p.powers, h, QUADS_LANES - (unsigned)last);
    memcpy(p.pending, data + whole * POLY_BYTES, POLY_BYTES);
    poly_load_blocks(m, p.pending);
    poly_multiply_falling(&sum, &p.powers, m, 2 * QUADS_LANES - (unsigned)last);
    poly_carry(h, &sum);
    output(h);
}

/* A message of `blocks` blocks in a row, which ends with the row. */
static void rows(const char *name, int blocks)
{
    static struct poly_rows p;
    proof_begin(name);
    inputs(blocks);
    for (int lane = 0; lane < QUADS_LANES; lane++) {
        const int first = POLY_ROW_BLOCKS - (lane == 0 ? blocks : 0);
        p.blocks[lane] = (uint64_t)(POLY_ROW_BLOCKS - first);
        put((uint8_t *)p.row[lane].r, 64);
        for (int j = 0; j < POLY_ROW_BLOCKS; j++)
            put(p.row[lane].block[j], j < first ? 65 : j - first);
    }
    poly_rows_add(&p, 0, 8, 1, 0);
    poly_rows_add(&p, 8, POLY_ROW_BLOCKS, 0, 1);
    for (int k = 0; k < POLY_LIMBS; k++) {
        const v8 h = v8_load52((const uint64_t[V8_LANES]){p.sum[0][k][0]});
        proof_output(&h, 1, "h");
    }
}

static void powers(void)
{
    static struct poly p;
    proof_begin("powers");
    inputs(0);
    poly_make_powers(&p);
    poly_make_far(&p);
    for (int i = 0; i <= 2 * QUADS_LANES; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", 2 * QUADS_LANES - i);
        for (int k = 0; k < POLY_LIMBS; k++) {
            const v8 x = v8_load52((const uint64_t[V8_LANES]){p.powers.power[k][i]});
            proof_output(&x, 1, name);
        }
    }
    for (int n = 1; n <= 4; n++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", QUADS_LANES * n);
        for (int k = 0; k < POLY_LIMBS; k++) {
            const v8 x = v8_load52((const uint64_t[V8_LANES]){p.powers.far[n - 1][k][0]});
            proof_output(&x, 1, name);
        }
    }
}

int main(void)
{
    powers();
    message("blocks8", 8, 0);
    message("blocks21", 21, 0);
    message("bulk43", 43, 1);
    rows("rows_full", POLY_ROW_BLOCKS);
    rows("rows_13", 13);
    rows("rows_1", 1);
    return 0;
}
