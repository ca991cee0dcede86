/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See input.h. Keys come from libcrypto, anew for each run of a fuzzer: what a fuzzer finds must not hang on one key.
 */
#include "input.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>

unsigned fuzz_byte(struct fuzz_input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->data++;
}

unsigned fuzz_below(struct fuzz_input *in, unsigned limit)
{
    const unsigned high = fuzz_byte(in);
    return (high << 8 | fuzz_byte(in)) % limit;
}

void fuzz_bytes(struct fuzz_input *in, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)fuzz_byte(in);
}

_Noreturn void fuzz_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, condition);
    abort();
}

static void make(struct fuzz_key *key, unsigned bits)
{
    static const char *const name[FUZZ_NUMBERS] = {OSSL_PKEY_PARAM_RSA_N,           OSSL_PKEY_PARAM_RSA_E,
                                                   OSSL_PKEY_PARAM_RSA_FACTOR1,     OSSL_PKEY_PARAM_RSA_FACTOR2,
                                                   OSSL_PKEY_PARAM_RSA_EXPONENT1,   OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                                   OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    EVP_PKEY *pkey = EVP_RSA_gen(bits);
    FUZZ_CHECK(pkey);
    for (int i = 0; i < FUZZ_NUMBERS; i++) {
        BIGNUM *bn = NULL;
        FUZZ_CHECK(EVP_PKEY_get_bn_param(pkey, name[i], &bn) && BN_num_bytes(bn) <= (int)sizeof key->byte[i]);
        key->len[i] = (size_t)BN_bn2bin(bn, key->byte[i]);
        BN_clear_free(bn);
    }
    EVP_PKEY_free(pkey);
    struct oct_rsa_numbers numbers = fuzz_numbers(key);
    FUZZ_CHECK(oct_rsa_key_new(&key->private, &numbers) == OCT_OK);
    numbers = (struct oct_rsa_numbers){.n = numbers.n, .e = numbers.e};
    FUZZ_CHECK(oct_rsa_key_new(&key->public, &numbers) == OCT_OK);
}

const struct fuzz_key *fuzz_keys(void)
{
    static struct fuzz_key keys[FUZZ_SIZES];
    if (!keys[0].private)
        for (unsigned i = 0; i < FUZZ_SIZES; i++)
            make(&keys[i], 2048 + 1024 * i);
    return keys;
}

struct oct_rsa_numbers fuzz_numbers(const struct fuzz_key *key)
{
    return (struct oct_rsa_numbers){.n = {key->byte[0], key->len[0]},
                                    .e = {key->byte[1], key->len[1]},
                                    .p = {key->byte[2], key->len[2]},
                                    .q = {key->byte[3], key->len[3]},
                                    .dp = {key->byte[4], key->len[4]},
                                    .dq = {key->byte[5], key->len[5]},
                                    .qinv = {key->byte[6], key->len[6]}};
}
