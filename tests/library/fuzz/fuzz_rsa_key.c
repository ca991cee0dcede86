/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c */
/*
 * oct_rsa_key_new() on numbers that are made of fuzz: bytes as they come, or a good key with a few edits. What it
 * accepts must satisfy the relations that its header promises, reckoned by libcrypto; what it refuses must leave *key
 * untouched.
 */
#include "input.h"

#include <openssl/bn.h>
#include <string.h>

struct number {
    uint8_t byte[1024];
    size_t len;
};

static void edit(struct fuzz_input *in, struct number *number)
{
    const unsigned at = number->len ? fuzz_below(in, (unsigned)number->len) : 0;
    switch (fuzz_below(in, 6)) {
    case 0: /* a bit */
        number->byte[at] ^= (uint8_t)(1u << fuzz_below(in, 8));
        break;
    case 1: /* shorter */
        number->len = at;
        break;
    case 2: /* leading zeros */
        memmove(number->byte + 3, number->byte, number->len);
        memset(number->byte, 0, 3);
        number->len += 3;
        break;
    case 3: /* all zero, or all ones */
        memset(number->byte, fuzz_byte(in) & 1 ? 0xff : 0, number->len);
        break;
    case 4: /* as it comes */
        number->len = fuzz_below(in, 600);
        fuzz_bytes(in, number->byte, number->len);
        break;
    default: /* one more or one less, without a carry */
        if (number->len)
            number->byte[number->len - 1]++;
    }
}

static BIGNUM *big(struct oct_bytes b)
{
    BIGNUM *bn = BN_bin2bn(b.data, (int)b.len, NULL);
    FUZZ_CHECK(bn);
    return bn;
}

/* e*d = 1 mod (prime-1) and d < prime */
static void check_exponent(const BIGNUM *e, const BIGNUM *d, const BIGNUM *prime, BN_CTX *ctx)
{
    BIGNUM *less = BN_dup(prime), *r = BN_new();
    FUZZ_CHECK(less && r && BN_sub_word(less, 1) && BN_mod_mul(r, e, d, less, ctx));
    FUZZ_CHECK(BN_is_one(r) && BN_cmp(d, prime) < 0);
    BN_free(less);
    BN_free(r);
}

static void check_accepted(const struct oct_rsa_key *key, const struct oct_rsa_numbers *x)
{
    BIGNUM *n = big(x->n), *e = big(x->e), *p = big(x->p), *q = big(x->q), *dp = big(x->dp), *dq = big(x->dq),
           *qinv = big(x->qinv), *r = BN_new();
    BN_CTX *ctx = BN_CTX_new();
    const int bits = BN_num_bits(n);
    FUZZ_CHECK(r && ctx && (unsigned)bits == oct_rsa_key_bits(key) && BN_is_odd(n) && BN_is_odd(e));
    FUZZ_CHECK((bits == 2048 || bits == 3072 || bits == 4096) && BN_num_bits(e) <= 32 && !BN_is_one(e));
    if (oct_rsa_key_is_private(key)) {
        FUZZ_CHECK(BN_num_bits(p) == bits / 2 && BN_num_bits(q) == bits / 2 && BN_cmp(p, q) != 0);
        FUZZ_CHECK(BN_mul(r, p, q, ctx) && BN_cmp(r, n) == 0);
        check_exponent(e, dp, p, ctx);
        check_exponent(e, dq, q, ctx);
        FUZZ_CHECK(BN_mod_mul(r, q, qinv, p, ctx) && BN_is_one(r) && BN_cmp(qinv, p) < 0);
    }
    BIGNUM *all[] = {n, e, p, q, dp, dq, qinv, r};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        BN_clear_free(all[i]);
    BN_CTX_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct number number[FUZZ_NUMBERS];
    struct fuzz_input in = {data, size};
    const struct fuzz_key *good = &fuzz_keys()[fuzz_below(&in, FUZZ_SIZES)];
    const unsigned without = fuzz_byte(&in); /* bit i: number i is absent; most often none */
    struct oct_rsa_key *const untouched = (struct oct_rsa_key *)(void *)number;
    for (int i = 0; i < FUZZ_NUMBERS; i++) {
        number[i].len = good->len[i];
        memcpy(number[i].byte, good->byte[i], good->len[i]);
    }
    for (unsigned edits = fuzz_below(&in, 4); edits > 0; edits--)
        edit(&in, &number[fuzz_below(&in, FUZZ_NUMBERS)]);
    struct oct_rsa_numbers numbers;
    struct oct_bytes *const field[FUZZ_NUMBERS] = {&numbers.n,  &numbers.e,  &numbers.p,   &numbers.q,
                                                   &numbers.dp, &numbers.dq, &numbers.qinv};
    for (int i = 0; i < FUZZ_NUMBERS; i++)
        *field[i] = (struct oct_bytes){number[i].byte, without >> 7 && (without >> i & 1) ? 0 : number[i].len};
    struct oct_rsa_key *key = untouched;
    const int status = oct_rsa_key_new(&key, &numbers);
    if (status == OCT_OK) {
        check_accepted(key, &numbers);
        oct_rsa_key_free(key);
    } else {
        FUZZ_CHECK(key == untouched);
        FUZZ_CHECK(status == OCT_ERR_KEY || status == OCT_ERR_UNSUPPORTED);
    }
    return 0;
}
