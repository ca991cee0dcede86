/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Blocks of ChaCha20 in lanes and in rows, from the key to the bytes that go to memory. */
#include "kernels/chacha/chacha20_impl.h"

typedef struct {
    int line;
} v8;
#include "proof.h"

static struct chacha c;
static int counter;

int oct_proof_counter(uint32_t plus)
{
    const int number = oct_proof_record("word32_constant", 0, 0, 0, plus);
    return oct_proof_record("word32_add", counter, number, 0, 0);
}
static uint32_t input(const char *name, int i)
{
    printf("input:%s:%d ", name, i);
    return PROOF_TAG32 ^ (uint32_t)oct_proof_record("", 0, 0, 0, UINT32_MAX);
}
static void begin(const char *name)
{
    uint8_t key[32], nonce[12];
    proof_begin(name);
    for (int i = 0; i < 8; i++)
        tier_store32(key + 4 * i, input("key", i));
    counter = (int)(input("counter", 0) ^ PROOF_TAG32);
    for (int i = 0; i < 3; i++)
        tier_store32(nonce + 4 * i, input("nonce", i));
    chacha_set_key(&c, key);
    chacha_set_nonce(&c, nonce);
}
static void output(const uint8_t *p, int blocks)
{
    for (int i = 0; i < 16 * blocks; i++) {
        const v8 x = {(int)(tier_load32(p + 4 * i) ^ PROOF_TAG32)};
        proof_output(&x, 1, "block");
    }
}

/* Texts of all sets of lanes, of one, and of rows, less a few; with a key of Poly1305 from the first block. */
static void text(const char *name, unsigned blocks, size_t len, int bulk, int key)
{
    static uint8_t in[64 * 32], out[64 * 32], poly[64];
    begin(name);
    for (size_t i = 0; i < len; i += 4)
        tier_store32(in + i, input("text", (int)(i / 4)));
    if (bulk)
        chacha_bulk(&c, PROOF_COUNTER32 | 5, out, in, 1);
    else if (blocks > WORDS_LANES / 2)
        chacha_lanes(&c, PROOF_COUNTER32 | 5, key ? poly : NULL, out, in, len);
    else if (blocks > WORDS_ROWS)
        chacha_rows2(&c, PROOF_COUNTER32 | 5, key ? poly : NULL, out, in, len);
    else
        chacha_rows1(&c, PROOF_COUNTER32 | 5, key ? poly : NULL, out, in, len);
    for (int i = 0; i < 16 * key; i++)
        proof_output(&(v8){(int)(tier_load32(poly + 4 * i) ^ PROOF_TAG32)}, 1, "key");
    for (size_t i = 0; i < len; i += 4)
        proof_output(&(v8){(int)(tier_load32(out + i) ^ PROOF_TAG32)}, 1, "text");
}

int main(void)
{
    enum { ALL = CHACHA_SETS * WORDS_LANES };
    static uint8_t out[64 * 32];
    words x[CHACHA_SETS][16], rows[2][4];
    struct chacha_pairs pairs;

    begin("lanes");
    chacha_lane_blocks(x, CHACHA_SETS, &c, NULL, PROOF_COUNTER32 | 5);
    chacha_store(out, x[0], 16 * CHACHA_SETS);
    output(out, ALL);

    begin("rows");
    chacha_counted_rows(rows, 2, &c, PROOF_COUNTER32 | 5);
    chacha_store(out, rows[0], 8);
    output(out, 2 * WORDS_ROWS);

    /* Lane i has the counter and the nonce of pair i; here all nonces are one, and pair i's counter is i more. */
    begin("pairs");
    uint8_t nonce[12];
    for (int i = 0; i < 3; i++)
        tier_store32(nonce + 4 * i, c.word[13 + i]);
    for (uint32_t lane = 0; lane < ALL; lane++)
        chacha_set_pair(&pairs, lane, PROOF_COUNTER32 | lane, nonce);
    chacha_next_pairs(&pairs, 5);
    chacha_all_pairs(&c, &pairs, out);
    output(out, ALL);

    begin("half_pairs");
    for (uint32_t lane = 0; lane < WORDS_LANES; lane++)
        chacha_set_pair(&pairs, lane, PROOF_COUNTER32 | (5 + lane), nonce);
    for (int i = 0; i < 3; i++)
        for (uint32_t lane = 0; lane < WORDS_LANES; lane++)
            tier_store32(pairs.word[1 + i] + 4 * lane, c.word[13 + i]);
    chacha_half_pairs(&c, &pairs, out);
    output(out, WORDS_LANES);

    text("bulk", ALL, CHACHA_BULK, 1, 0);
    text("lanes_full", WORDS_LANES, 64 * WORDS_LANES, 0, 0);
    text("lanes_some", WORDS_LANES * 3 / 4, 64 * (WORDS_LANES * 3 / 4 - 1) - 12, 0, 1);
    text("rows_half", WORDS_LANES / 2 - 1, 64 * (WORDS_LANES / 2 - 2) + 4, 0, 1);
    text("rows_key", WORDS_ROWS, 64 * (WORDS_ROWS - 1) - 4, 0, 1);
    text("rows_part", 2, 64 * 2 - 60, 0, 0);
    return 0;
}
