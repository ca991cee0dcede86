/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * From OpenSSL's numbers to a lane key. The numbers of a private key pass through heap memory that is cleared; a key
 * that lanes do not serve (another size, more than two primes, no CRT values, a long exponent) has no lane key, which
 * is not an error: OpenSSL's own code serves it.
 */
#include "rsa.h"

#include "api/verdict.h"
#include "provider/async/aside.h"
#include "provider/core/provider.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

#define MAX_SIZE          (4096 / 8)
#define MAX_EXPONENT_BITS 32

/* What one pass over the exported parameters collects. Secret when the key is private. */
struct numbers {
    size_t size; /* of the modulus */
    int is_multiprime;
    struct oct_rsa_numbers set;
    uint8_t n[MAX_SIZE], e[MAX_EXPONENT_BITS / 8], p[MAX_SIZE / 2], q[MAX_SIZE / 2];
    uint8_t dp[MAX_SIZE / 2], dq[MAX_SIZE / 2], qinv[MAX_SIZE / 2];
};

/* *bn is NULL for a number that is missing. False: there is one, and no memory for it. */
static bool get_number(BIGNUM **bn, const OSSL_PARAM params[], const char *name)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, name);

    *bn = NULL;
    return p == NULL || OSSL_PARAM_get_BN(p, bn);
}

/* Stores a number as `size` bytes; one that is missing or longer leaves `bytes` empty. False as above. */
static bool take(struct oct_bytes *bytes, uint8_t *to, size_t size, const OSSL_PARAM params[], const char *name)
{
    BIGNUM *bn;
    const bool ok = get_number(&bn, params, name);

    if (bn != NULL && BN_bn2binpad(bn, to, (int)size) >= 0) {
        bytes->data = to;
        bytes->len = size;
    }
    BN_clear_free(bn);
    return ok;
}

/* SHA-256 of d as a string of the modulus's length. OpenSSL takes keys whose d is longer than that: they have none. */
static int hash_d(struct oct_prov_rsa *key, const BIGNUM *d)
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(key->base.prov);
    EVP_MD *sha256 = libctx == NULL ? NULL : EVP_MD_fetch(libctx, "SHA2-256", NULL);
    uint8_t *bytes = OPENSSL_malloc(key->size + 1); /* OpenSSL takes a modulus of zero, too */
    int ok = sha256 != NULL && bytes != NULL;

    key->has_d_hash = ok && BN_bn2binpad(d, bytes, (int)key->size) >= 0;
    if (key->has_d_hash)
        ok = EVP_Digest(bytes, key->size, key->d_hash, NULL, sha256, NULL);

    OPENSSL_clear_free(bytes, key->size);
    EVP_MD_free(sha256);
    return ok;
}

/* What is known of a key when it is loaded. */
struct facts {
    struct oct_prov_rsa *key;
    bool fits_lanes; /* as far as its size and its public exponent say */
};

/* What OpenSSL notes of a key's size is 0 where it had no memory: the modulus says it. */
static void take_size(struct oct_prov_rsa *key, const BIGNUM *n)
{
    key->bits = n == NULL ? 0 : (unsigned)BN_num_bits(n);
    key->size = (key->bits + 7) / 8;
}

static int collect_facts(const OSSL_PARAM params[], void *arg)
{
    struct facts *facts = arg;
    struct oct_prov_rsa *key = facts->key;
    BIGNUM *n = NULL, *e = NULL, *d = NULL;
    int ok = get_number(&n, params, OSSL_PKEY_PARAM_RSA_N) && get_number(&e, params, OSSL_PKEY_PARAM_RSA_E) &&
             get_number(&d, params, OSSL_PKEY_PARAM_RSA_D);

    if (ok) {
        take_size(key, n);
        ok = d == NULL || hash_d(key, d);
        facts->fits_lanes =
            oct_rsa_op(key->bits, OCT_RAW_SIGN) >= 0 && e != NULL && BN_num_bits(e) <= MAX_EXPONENT_BITS;
        key->base.has_private = d != NULL;
        key->base.has_public = n != NULL && e != NULL;
    }
    BN_clear_free(d);
    BN_free(e);
    BN_free(n);
    return ok;
}

static int collect(const OSSL_PARAM params[], void *arg)
{
    struct numbers *numbers = arg;
    struct oct_rsa_numbers *set = &numbers->set;
    const size_t size = numbers->size, half = size / 2;

    numbers->is_multiprime = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_FACTOR3) != NULL;
    return take(&set->n, numbers->n, size, params, OSSL_PKEY_PARAM_RSA_N) &&
           take(&set->e, numbers->e, sizeof numbers->e, params, OSSL_PKEY_PARAM_RSA_E) &&
           take(&set->p, numbers->p, half, params, OSSL_PKEY_PARAM_RSA_FACTOR1) &&
           take(&set->q, numbers->q, half, params, OSSL_PKEY_PARAM_RSA_FACTOR2) &&
           take(&set->dp, numbers->dp, half, params, OSSL_PKEY_PARAM_RSA_EXPONENT1) &&
           take(&set->dq, numbers->dq, half, params, OSSL_PKEY_PARAM_RSA_EXPONENT2) &&
           take(&set->qinv, numbers->qinv, half, params, OSSL_PKEY_PARAM_RSA_COEFFICIENT1);
}

static bool has_crt(const struct numbers *numbers)
{
    const struct oct_rsa_numbers *s = &numbers->set;
    return !numbers->is_multiprime && s->p.len && s->q.len && s->dp.len && s->dq.len && s->qinv.len;
}

/* A private key without CRT values, or one that lanes decline, may still run its public operation in lanes. False:
 * there is no memory, and the next request is to try again. */
static bool make_lanes(struct oct_prov_rsa *key, const struct numbers *numbers)
{
    const struct oct_rsa_numbers public_set = {.n = numbers->set.n, .e = numbers->set.e};
    struct oct_rsa_key *lanes = NULL, *none = NULL;
    int status = OCT_ERR_UNSUPPORTED;

    if (numbers->set.n.len == 0 || numbers->set.e.len == 0)
        return true;
    if (has_crt(numbers) && oct_op_may_be_on(oct_rsa_op(key->bits, OCT_RAW_SIGN)))
        status = oct_rsa_key_new(&lanes, &numbers->set);
    if (status != OCT_OK && status != OCT_ERR_MEMORY && oct_op_may_be_on(oct_rsa_op(key->bits, OCT_RAW_PUBLIC)))
        status = oct_rsa_key_new(&lanes, &public_set);
    if (status == OCT_OK && !atomic_compare_exchange_strong(&key->lanes, &none, lanes))
        oct_rsa_key_free(lanes);
    return status != OCT_ERR_MEMORY;
}

/* Later, when other threads may be reading the object: it writes key->lanes alone. Without lanes the fallback serves,
 * so what went wrong is no error of the caller's. False as above. */
static bool make_lanes_of(struct oct_prov_rsa *key, int selection)
{
    struct numbers *numbers = OPENSSL_zalloc(sizeof *numbers);
    bool ok = numbers != NULL;

    ERR_set_mark();
    if (ok) {
        numbers->size = key->size;
        ok = EVP_PKEY_export(key->fallback, selection, collect, numbers) && make_lanes(key, numbers);
    }
    ERR_pop_to_mark();
    OPENSSL_clear_free(numbers, sizeof *numbers);
    return ok;
}

/* False if somebody else has done so, or does just now, or if there is no memory. */
static bool make_if_later(struct oct_prov_rsa *key)
{
    enum oct_rsa_later due = OCT_RSA_LATER;
    bool made;

    if (!atomic_compare_exchange_strong(&key->later, &due, OCT_RSA_BEING_MADE))
        return false;
    made = make_lanes_of(key, EVP_PKEY_KEYPAIR);
    atomic_store(&key->later, made ? OCT_RSA_NOT_LATER : OCT_RSA_LATER);
    return made;
}

int oct_prov_rsa_load_numbers(struct oct_prov_rsa *key)
{
    struct facts facts = {.key = key};

    if (!EVP_PKEY_export(key->fallback, EVP_PKEY_KEYPAIR, collect_facts, &facts))
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    if (key->base.has_private && facts.fits_lanes)
        atomic_store(&key->later, OCT_RSA_LATER);
    return 1;
}

/* In this order: who finds that nothing is to come any more finds what has come. */
int oct_prov_rsa_has_lanes(struct oct_prov_rsa *key)
{
    return atomic_load(&key->later) != OCT_RSA_NOT_LATER ||
           atomic_load_explicit(&key->lanes, memory_order_relaxed) != NULL;
}

const struct oct_rsa_key *oct_prov_rsa_lanes(struct oct_prov_rsa *key)
{
    struct oct_rsa_key *lanes = atomic_load_explicit(&key->lanes, memory_order_acquire);

    if (lanes == NULL && atomic_load_explicit(&key->later, memory_order_relaxed) == OCT_RSA_LATER &&
        !oct_aside_is_due() && make_if_later(key))
        lanes = atomic_load_explicit(&key->lanes, memory_order_acquire);
    if (lanes != NULL || key->base.has_private || oct_rsa_op(key->bits, OCT_RAW_PUBLIC) < 0)
        return lanes;
    if (atomic_load_explicit(&key->lane_requests, memory_order_relaxed) > 1)
        return NULL;
    if (atomic_fetch_add(&key->lane_requests, 1) == 1 && !make_lanes_of(key, EVP_PKEY_PUBLIC_KEY))
        atomic_store(&key->lane_requests, 1);
    return atomic_load_explicit(&key->lanes, memory_order_acquire);
}
