/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA keys: from big-endian numbers to limbs, with every relation between the numbers checked. The checks run in
 * constant time; only their common verdict leaves.
 */
#include "api/operation.h"
#include "api/rsa_internal.h"
#include "api/workspace.h"
#include "base/big.h"
#include "base/checkmem.h"
#include "base/guarded.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS       64
#define MAX_PRIME_WORDS 32

/* The numbers as words while they are checked: in the thread's workspace, which is in no core dump. */
struct parsed {
    size_t words, prime_words;
    uint64_t n[MAX_WORDS];
    uint64_t prime[2][MAX_PRIME_WORDS], exp[2][MAX_PRIME_WORDS], qinv[MAX_PRIME_WORDS];
    uint64_t scratch[4 * MAX_PRIME_WORDS], rest[MAX_PRIME_WORDS + 1];
};

/* The bits of a public number, by its bytes. */
static size_t public_bits(struct oct_bytes b)
{
    size_t i = 0;
    while (i < b.len && b.data[i] == 0)
        i++;
    return i == b.len ? 0 : 8 * (b.len - i) - ((size_t)__builtin_clz(b.data[i]) - 24);
}

static int present(struct oct_bytes b)
{
    return b.data && b.len > 0;
}

static bool find_size(unsigned *size, size_t bits)
{
    for (*size = 0; *size < OCT_RSA_SIZES; ++*size)
        if (oct_rsa_bits(*size) == bits)
            return true;
    return false;
}

/* n and e are public: plain code. */
static int parse_public(struct oct_rsa_key *key, struct parsed *x, const struct oct_rsa_numbers *numbers)
{
    const size_t bits = public_bits(numbers->n), e_bits = public_bits(numbers->e);
    uint64_t e;
    if (bits == 0 || e_bits == 0)
        return OCT_ERR_KEY;
    if ((numbers->n.data[numbers->n.len - 1] & 1) == 0 || (numbers->e.data[numbers->e.len - 1] & 1) == 0)
        return OCT_ERR_KEY;
    if (!find_size(&key->size, bits) || e_bits > 32)
        return OCT_ERR_UNSUPPORTED;
    if (e_bits < 2)
        return OCT_ERR_KEY;
    x->words = bits / 64;
    x->prime_words = x->words / 2;
    (void)oct_big_from_bytes(x->n, x->words, numbers->n.data, numbers->n.len);
    (void)oct_big_from_bytes(&e, 1, numbers->e.data, numbers->e.len);
    key->e = (uint32_t)e;
    return OCT_OK;
}

/* The private numbers: they fit, the primes are odd and have their top bit set. The mask says whether. */
static uint64_t parse_private(struct parsed *x, const struct oct_rsa_numbers *numbers)
{
    const struct oct_bytes prime[2] = {numbers->p, numbers->q}, exp[2] = {numbers->dp, numbers->dq};
    const size_t words = x->prime_words;
    uint64_t good = oct_big_from_bytes(x->qinv, words, numbers->qinv.data, numbers->qinv.len);
    for (int i = 0; i < 2; i++) {
        good &= oct_big_from_bytes(x->prime[i], words, prime[i].data, prime[i].len);
        good &= oct_big_from_bytes(x->exp[i], words, exp[i].data, exp[i].len);
        good &= oct_mask_nonzero(x->prime[i][0] & 1) & oct_mask_nonzero(x->prime[i][words - 1] >> 63);
    }
    return good;
}

/* exp < prime and e * exp = 1 mod (prime - 1). */
static uint64_t check_exponent(struct parsed *x, int i, uint32_t e)
{
    const size_t words = x->prime_words;
    const uint64_t e_word = e;
    uint64_t less_one[MAX_PRIME_WORDS];
    uint64_t good = oct_big_less(x->exp[i], x->prime[i], words);
    memcpy(less_one, x->prime[i], sizeof less_one);
    less_one[0] ^= 1; /* odd: the lowest bit goes */
    oct_big_mul(x->scratch, x->exp[i], words, &e_word, 1);
    oct_big_mod(x->rest, x->scratch, words + 1, less_one, words);
    x->rest[0] ^= 1;
    good &= oct_big_is_zero(x->rest, words);
    oct_cleanse(less_one, sizeof less_one);
    return good;
}

static uint64_t check_private(struct parsed *x, uint32_t e)
{
    const size_t words = x->prime_words;
    uint64_t good = ~oct_big_equal(x->prime[0], x->prime[1], words);
    oct_big_mul(x->scratch, x->prime[0], words, x->prime[1], words);
    good &= oct_big_equal(x->scratch, x->n, x->words);
    good &= check_exponent(x, 0, e) & check_exponent(x, 1, e);
    good &= oct_big_less(x->qinv, x->prime[0], words);
    oct_big_mul(x->scratch, x->qinv, words, x->prime[1], words);
    oct_big_mod(x->rest, x->scratch, 2 * words, x->prime[0], words);
    x->rest[0] ^= 1;
    return good & oct_big_is_zero(x->rest, words);
}

/* 2^(64*words) mod m is m's complement. */
void oct_rsa_set_rr(uint64_t *rr_limbs, size_t limbs, const uint64_t *m, size_t words)
{
    uint64_t rr[MAX_WORDS] = {0};
    (void)oct_big_sub(rr, rr, m, words);
    oct_big_double_mod(rr, 2 * 52 * limbs - 64 * words, m, words);
    oct_big_to_limbs52(rr_limbs, limbs, rr, words);
    oct_cleanse(rr, sizeof rr);
}

static void fill_public(struct oct_rsa_key *key, const struct parsed *x)
{
    const size_t limbs = oct_rsa_limbs(key->size);
    key->k0 = oct_big_montgomery_k0(x->n[0]);
    oct_big_to_limbs52(key->n, limbs, x->n, x->words);
    oct_rsa_set_rr(key->rr, limbs, x->n, x->words);
}

static void fill_private(struct oct_rsa_key *key, struct parsed *x)
{
    const size_t limbs = oct_rsa_prime_limbs(key->size), words = x->prime_words;
    for (int i = 0; i < 2; i++) {
        struct oct_rsa_prime *prime = &key->prime[i];
        prime->k0 = oct_big_montgomery_k0(x->prime[i][0]);
        oct_big_to_limbs52(prime->n, limbs, x->prime[i], words);
        oct_big_to_limbs52(prime->exp, limbs, x->exp[i], words);
        oct_rsa_set_rr(prime->rr, limbs, x->prime[i], words);
    }
    oct_big_double_mod(x->qinv, 52 * limbs, x->prime[0], words);
    oct_big_to_limbs52(key->qinv, limbs, x->qinv, words);
    key->is_private = 1;
}

/* How many of the five private numbers there are. */
static int count_private(const struct oct_rsa_numbers *numbers)
{
    const struct oct_bytes secret[5] = {numbers->p, numbers->q, numbers->dp, numbers->dq, numbers->qinv};
    int have = 0;
    for (int i = 0; i < 5; i++)
        have += present(secret[i]);
    return have;
}

static int build(struct oct_rsa_key *key, struct parsed *x, const struct oct_rsa_numbers *numbers)
{
    const int have = count_private(numbers);
    int status = parse_public(key, x, numbers);
    if (status != OCT_OK)
        return status;
    if (have != 0 && have != 5)
        return OCT_ERR_KEY;
    fill_public(key, x);
    if (have == 0)
        return OCT_OK;
    uint64_t good = parse_private(x, numbers);
    good &= check_private(x, key->e);
    /* Whether the key is a good one is no secret. */
    OCT_DECLASSIFY(&good, sizeof good);
    if (!good)
        return OCT_ERR_KEY;
    fill_private(key, x);
    return OCT_OK;
}

static struct oct_rsa_key *allocate(int is_guarded)
{
    struct oct_rsa_key *key = is_guarded ? oct_guarded_new(sizeof *key) : calloc(1, sizeof *key);
    if (!key)
        return NULL;
    atomic_init(&key->references, 1);
    key->is_guarded = is_guarded;
    return key;
}

int oct_rsa_key_new(struct oct_rsa_key **key, const struct oct_rsa_numbers *numbers)
{
    if (!key || !numbers || !numbers->n.data || !numbers->e.data)
        return OCT_ERR_ARGUMENT;
    struct oct_workspace *w = oct_workspace_open(sizeof(struct parsed));
    struct oct_rsa_key *fresh = w ? allocate(count_private(numbers) > 0) : NULL;
    int status = OCT_ERR_MEMORY;
    if (fresh) {
        struct parsed *x = oct_workspace_take(w, sizeof *x);
        memset(x, 0, sizeof *x);
        status = build(fresh, x, numbers);
        oct_workspace_close(w);
    }
    if (status == OCT_OK)
        *key = fresh;
    else
        oct_rsa_key_free(fresh);
    return status;
}

void oct_rsa_key_up_ref(struct oct_rsa_key *key)
{
    atomic_fetch_add_explicit(&key->references, 1, memory_order_relaxed);
}

void oct_rsa_key_free(struct oct_rsa_key *key)
{
    if (!key || atomic_fetch_sub_explicit(&key->references, 1, memory_order_acq_rel) > 1)
        return;
    if (key->is_guarded) {
        oct_guarded_free(key, sizeof *key);
        return;
    }
    oct_cleanse(key, sizeof *key);
    free(key);
}

unsigned oct_rsa_key_bits(const struct oct_rsa_key *key)
{
    return oct_rsa_bits(key->size);
}

int oct_rsa_key_is_private(const struct oct_rsa_key *key)
{
    return key->is_private;
}

size_t oct_rsa_key_memory(const struct oct_rsa_key *key)
{
    return sizeof *key;
}

int oct_rsa_private_op(const struct oct_rsa_key *key)
{
    return oct_operation_find(&oct_family_rsa_crt, (int)key->size);
}

int oct_rsa_public_op(const struct oct_rsa_key *key)
{
    return oct_operation_find(&oct_family_rsa_public, (int)key->size);
}
