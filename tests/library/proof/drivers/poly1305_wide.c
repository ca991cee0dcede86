/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Poly1305 on words of 64 bits, from the blocks of a message to the number that the tag is made of, before its last
 * reduction. */
#include "kernels/chacha/poly1305_rows_impl.h"

typedef digit v8;
#include "proof.h"

void oct_proof_digits(const digit *digits, int n)
{
    proof_number_is("", digits, n, 64);
}

static digit block[64][2];
static uint64_t key[2];

digit oct_proof_bytes(const uint8_t *p)
{
    const uint64_t number = tier_load64(p);
    return block[number / 2][number % 2];
}
static void inputs(int blocks)
{
    digit r[3];
    proof_input(&r[0], 1, "r", POLY_R0_MOST);
    proof_input(&r[2], 1, "r", POLY_R1_MOST / 4);
    r[1] = (digit){oct_proof_record("times", r[2].line, 0, 0, 4)};
    proof_number_is("key", r, 2, 64);
    for (int k = 0; k < 2; k++)
        digit_store(&key[k], r[k], k ? POLY_R1_MOST : POLY_R0_MOST);
    for (int j = 0; j < blocks; j++)
        for (int k = 0; k < 2; k++)
            proof_input(&block[j][k], 1, "m", ~(uint64_t)0);
}
/* Where block `first` and those after it stand, `blocks` in all. */
static void put(uint8_t *p, int first, int blocks)
{
    for (int i = 0; i < 2 * blocks; i++)
        tier_store64(p + 8 * i, (uint64_t)(2 * first + i));
}
static void output(const uint64_t sum[3])
{
    for (int k = 0; k < 3; k++) {
        const digit h = digit_load(&sum[k], 0);
        proof_output(&h, 1, "h");
    }
}

/* Blocks at once, and the last of them when the message ends. */
static void message(const char *name, int vectors, int last)
{
    static struct poly p;
    static uint8_t data[64 * 16];
    const int whole = vectors * (POLY_BYTES / 16);
    proof_begin(name);
    inputs(whole + last);
    memcpy(p.r, key, sizeof key);
    poly_begin(&p);
    put(data, 0, whole);
    put(p.pending, whole, last);
    poly_vectors(&p, 0, 0, data, (size_t)vectors);
    poly_blocks(p.sum, p.r, p.pending, (size_t)last);
    output(p.sum);
}

/* A message of `blocks` blocks in a row, which ends with the row. */
static void row(const char *name, int blocks)
{
    static struct poly_rows p;
    proof_begin(name);
    inputs(blocks);
    memcpy(p.row[0].r, key, sizeof key);
    put(p.row[0].block[POLY_ROW_BLOCKS - blocks], 0, blocks);
    poly_row_add(&p, 0, (size_t)(POLY_ROW_BLOCKS - blocks));
    output(p.sum[0]);
}

int main(void)
{
    message("blocks4", 1, 0);
    message("blocks11", 2, 3);
    row("row_13", 13);
    row("row_1", 1);
    return 0;
}
