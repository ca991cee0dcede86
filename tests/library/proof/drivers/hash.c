/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Compression functions of SHA-512 and SM3, and the permutation of Keccak: all of a kernel. */
#include "base/sha512.c"
#include "kernels/hash/sha512.c"
#include "kernels/hash/sm3.c"
#include "kernels/lattice/keccak_impl.h"

#include "proof.h"

static uint64_t input(const char *name, int i)
{
    printf("input:%s:%d ", name, i);
    return PROOF_TAG ^ (uint64_t)oct_proof_record("", 0, 0, 0, UINT64_MAX);
}
static uint32_t input32(const char *name, int i)
{
    return PROOF_TAG32 ^ (uint32_t)(input(name, i) ^ PROOF_TAG);
}
static void output(const char *name, int line)
{
    const v8 x = {line};
    proof_output(&x, 1, name);
}

int main(void)
{
    static oct_limb8 state[25];
    static uint64_t block[16];
    static oct_word16 state32[8];
    static uint32_t block32[16];
    const uint8_t *p = (const uint8_t *)block, *p32 = (const uint8_t *)block32;
    w8 a[25];

    proof_begin("sha512");
    for (int i = 0; i < 8; i++)
        state[i][0] = input("h", i);
    for (int i = 0; i < 16; i++)
        block[i] = input("m", i);
    OCT_NAME(sha512)(&(struct oct_sha512_args){.state = state, .block = {p, p, p, p, p, p, p, p}});
    for (int i = 0; i < 8; i++)
        output("h", w8_load(state[i]).line);

    proof_begin("sm3");
    for (int i = 0; i < 8; i++)
        state32[i][0] = input32("h", i);
    for (int i = 0; i < 16; i++)
        block32[i] = input32("m", i);
    OCT_NAME(sm3)(&(struct oct_sm3_args){.state = state32, .block = {p32}, .blocks = 1});
    for (int i = 0; i < 8; i++)
        output("h", u32x16_load(state32[i]).line);

    proof_begin("keccak");
    for (int i = 0; i < 25; i++)
        a[i].line = (int)(input("a", i) ^ PROOF_TAG);
    keccak_permute(a, a);
    for (int i = 0; i < 25; i++)
        output("a", a[i].line);
    return 0;
}
