/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS avx512 */
/*
 * oct_rsa_generate() with random bytes, sizes and callbacks made of fuzz: bytes that are none, or a stream with pieces
 * of fuzz in it, callbacks that give up at any step, null pointers. A key is checked by libcrypto; an error leaves all
 * places as they were.
 */
#include "input.h"

#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILL 0xa7

struct caller {
    struct fuzz_input *in;
    uint64_t state;
    unsigned left, odd; /* calls until it gives up; how many of its pools have pieces of fuzz */
    int is_constant;
};

static struct {
    uint8_t n[512], d[512], p[256], q[256], dp[256], dq[256], qinv[256];
} made;

static uint64_t stream(struct caller *c)
{
    uint64_t z = c->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static int random_bytes(void *arg, uint8_t *out, size_t len)
{
    struct caller *c = arg;
    FUZZ_CHECK(len > 0 && len <= 4096);
    for (size_t i = 0; i < len; i++)
        out[i] = c->is_constant ? (uint8_t)c->state : (uint8_t)stream(c);
    if (c->odd > 0) {
        c->odd--;
        fuzz_bytes(c->in, out + fuzz_below(c->in, (unsigned)len - 1), 1);
    }
    return c->left-- > 0;
}

static int progress(void *arg, int potential, int iteration)
{
    struct caller *c = arg;
    FUZZ_CHECK(potential == 0 || potential == 1 || potential == 3);
    FUZZ_CHECK(iteration >= 0 && (potential != 3 || iteration < 2));
    return c->left-- > 0;
}

static int is_untouched(void)
{
    const uint8_t *byte = (const uint8_t *)&made;
    for (size_t i = 0; i < sizeof made; i++)
        if (byte[i] != FILL)
            return 0;
    return 1;
}

static void check_key(unsigned bits)
{
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *n = BN_bin2bn(made.n, (int)bits / 8, NULL), *product = BN_new();
    BIGNUM *p = BN_bin2bn(made.p, (int)bits / 16, NULL), *q = BN_bin2bn(made.q, (int)bits / 16, NULL);
    FUZZ_CHECK(BN_check_prime(p, ctx, NULL) == 1 && BN_check_prime(q, ctx, NULL) == 1);
    FUZZ_CHECK(BN_mul(product, p, q, ctx) == 1 && BN_cmp(product, n) == 0 && BN_num_bits(n) == (int)bits);
    FUZZ_CHECK(BN_cmp(p, q) > 0);
    BN_free(n);
    BN_free(product);
    BN_free(p);
    BN_free(q);
    BN_CTX_free(ctx);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!oct_op_is_on(OCT_OP_RSA2048_KEYGEN)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_RSA2048_KEYGEN));
        exit(77);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned sizes[] = {2048, 2048, 3072, 4096, 1024, 2049, 0};
    struct fuzz_input in = {data, size};
    const unsigned how = fuzz_byte(&in), bits = sizes[fuzz_below(&in, 14) % 7];
    struct caller c = {.in = &in, .odd = fuzz_below(&in, 64), .is_constant = how % 16 == 1};
    fuzz_bytes(&in, (uint8_t *)&c.state, sizeof c.state);
    c.left = how & 0x10 ? fuzz_below(&in, 400) : 1u << 20;
    const struct oct_rsa_generation generation = {how & 0x20 ? NULL : random_bytes, &c, how & 0x40 ? NULL : progress,
                                                  &c};
    struct oct_rsa_generated out = {made.n, made.d, made.p, made.q, made.dp, made.dq, made.qinv};
    const int is_wrong = how % 16 == 2;
    if (is_wrong)
        ((uint8_t **)&out)[fuzz_below(&in, 7)] = NULL;
    memset(&made, FILL, sizeof made);
    const int status = oct_rsa_generate(&out, bits, how % 16 == 3 ? NULL : &generation);
    if (status == OCT_OK) {
        check_key(bits);
        return 0;
    }
    FUZZ_CHECK(is_untouched() && is_wrong == (status == OCT_ERR_ARGUMENT));
    FUZZ_CHECK(is_wrong || (oct_rsa_keygen_op(bits) < 0) == (status == OCT_ERR_UNSUPPORTED));
    FUZZ_CHECK(status != OCT_ERR_STOPPED || c.left == ~0u);
    FUZZ_CHECK(status != OCT_ERR_FAULT || c.is_constant);
    return 0;
}
