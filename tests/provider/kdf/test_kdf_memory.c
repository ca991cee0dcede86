/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c TIMEOUT 300 */
/*
 * What key derivations do with memory: nothing is allocated for one but EVP's own context, secrets do not stay in what
 * is freed, and where there is no memory there is an error.
 */
#include "kdf_peer.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

/* --- OpenSSL's memory, counted. Blocks know their size, so that they can be looked through when they are freed. */

#define SECRET     0xa7
#define SECRET_RUN 16
#define HEADER     16

static long allocations, fail_at = -1, secrets_freed;

static void *counted_malloc(size_t size, const char *file, int line)
{
    uint8_t *block;

    (void)file, (void)line;
    if (allocations++ == fail_at || (block = malloc(size + HEADER)) == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEADER;
}

static void look_through(const uint8_t *data, size_t size)
{
    size_t run = 0;
    for (size_t i = 0; i < size; i++) {
        run = data[i] == SECRET ? run + 1 : 0;
        secrets_freed += run == SECRET_RUN;
    }
}

static void counted_free(void *data, const char *file, int line)
{
    size_t size;

    (void)file, (void)line;
    if (data == NULL)
        return;
    memcpy(&size, (uint8_t *)data - HEADER, sizeof size);
    look_through(data, size);
    free((uint8_t *)data - HEADER);
}

static void *counted_realloc(void *data, size_t size, const char *file, int line)
{
    size_t old = 0;
    void *larger;

    if (size == 0) {
        counted_free(data, file, line);
        return NULL;
    }
    if ((larger = counted_malloc(size, file, line)) == NULL || data == NULL)
        return larger;
    memcpy(&old, (uint8_t *)data - HEADER, sizeof old);
    memcpy(larger, data, old < size ? old : size);
    counted_free(data, file, line);
    return larger;
}

/* --- what libssl derives */

static uint8_t secret[48];

static struct kdf_params *libssl_params(struct kdf_params *p, int is_prf, int mode, const char *digest)
{
    const size_t size = strcmp(digest, "SHA2-256") == 0 ? 32 : 48;

    p->count = 0;
    add_text(p, OSSL_KDF_PARAM_DIGEST, digest);
    if (is_prf) {
        add_octets(p, OSSL_KDF_PARAM_SECRET, secret, 48);
        add_octets(p, OSSL_KDF_PARAM_SEED, "master secret", 13);
        add_octets(p, OSSL_KDF_PARAM_SEED, "the randoms of both sides, and of either", 40);
        return p;
    }
    add_mode(p, mode);
    add_octets(p, OSSL_KDF_PARAM_KEY, secret, size);
    if (mode == EXTRACT)
        add_octets(p, OSSL_KDF_PARAM_SALT, secret, size);
    else
        add_octets(p, OSSL_KDF_PARAM_DATA, "the hash of the messages so far", 32);
    add_octets(p, OSSL_KDF_PARAM_PREFIX, "tls13 ", 6);
    add_octets(p, OSSL_KDF_PARAM_LABEL, "derived", 7);
    return p;
}

static int derive_once(EVP_KDF *kdf, const struct kdf_params *p, size_t len)
{
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    uint8_t out[48];
    const int ok = ctx != NULL && EVP_KDF_derive(ctx, out, len, p->list) > 0;

    EVP_KDF_CTX_free(ctx);
    return ok;
}

/* The allocations of 100 derivations. */
static long count(OSSL_LIB_CTX *libctx, int is_prf, int mode, const char *digest)
{
    EVP_KDF *kdf = EVP_KDF_fetch(libctx, is_prf ? "TLS1-PRF" : "TLS13-KDF", NULL);
    const size_t len = strcmp(digest, "SHA2-256") == 0 ? 32 : 48;
    struct kdf_params p;
    long before;

    libssl_params(&p, is_prf, mode, digest);
    assert_int_equal(derive_once(kdf, &p, len), 1); /* a kept context is there from now on */
    before = allocations;
    for (int i = 0; i < 100; i++)
        assert_int_equal(derive_once(kdf, &p, len), 1);
    EVP_KDF_free(kdf);
    return allocations - before;
}

static void test_no_allocation(void **state)
{
    static const char *const digests[] = {"SHA2-256", "SHA2-384"};

    (void)state;
    for (int i = 0; i < 6; i++) {
        const int is_prf = i >= 4, mode = i % 4 < 2 ? EXPAND : EXTRACT;
        const long ours = count(octuple_ctx, is_prf, mode, digests[i % 2]);
        assert_int_equal(ours, 100);                                        /* EVP_KDF_CTX */
        assert_true(count(plain_ctx, is_prf, mode, digests[i % 2]) > ours); /* the counter counts */
    }
}

/* --- secrets */

/* More contexts than the provider keeps for next derivations. */
#define MANY 20

/* Of so many contexts at once some are kept and the others are freed. OpenSSL's own implementation, which has some of
 * them, does not take a salt for a secret. */
static void test_no_secret_is_freed(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, i >= 4 ? "TLS1-PRF" : "TLS13-KDF", NULL);
        EVP_KDF_CTX *ctx[MANY];
        struct kdf_params p;
        uint8_t out[48];
        libssl_params(&p, i >= 4, i % 2 ? EXPAND : EXTRACT, "SHA2-384");
        if (i == 3 || i == 5)
            add_text(&p, OSSL_KDF_PARAM_PROPERTIES, "provider=default");
        secrets_freed = 0;
        for (int j = 0; j < MANY; j++)
            ctx[j] = EVP_KDF_CTX_new(kdf);
        for (int j = 0; j < MANY; j++)
            assert_int_equal(EVP_KDF_derive(ctx[j], out, sizeof out, p.list), 1);
        for (int j = 0; j < MANY; j++)
            EVP_KDF_CTX_free(ctx[j]);
        assert_int_equal(secrets_freed, 0);
        EVP_KDF_free(kdf);
    }
    OPENSSL_free(OPENSSL_memdup(secret, sizeof secret)); /* the search finds what there is */
    assert_int_equal(secrets_freed, 1);
}

/* --- no memory */

/* One derivation by a context that is not a kept one, with the n-th allocation failing if there is one. */
static int derive_failing(EVP_KDF *kdf, const struct kdf_params *p, long n, int *failed)
{
    EVP_KDF_CTX *others[MANY];
    int ok;

    for (int i = 0; i < MANY; i++)
        assert_non_null(others[i] = EVP_KDF_CTX_new(kdf));
    fail_at = allocations + n;
    ok = derive_once(kdf, p, 48);
    *failed = allocations > fail_at;
    fail_at = -1;
    for (int i = 0; i < MANY; i++)
        EVP_KDF_CTX_free(others[i]);
    ERR_clear_error();
    return ok;
}

/* Every allocation fails in its turn: that is failure, or the derivation can do without it. */
static void check_failures(const char *name, const struct kdf_params *p)
{
    EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, name, NULL);
    int failed = 1, failures = 0;

    for (long n = 0; failed; n++) {
        const int ok = derive_failing(kdf, p, n, &failed);
        assert_true(ok || failed);
        failures += !ok;
        assert_true(n < 200); /* there is an end of allocations */
    }
    assert_true(failures >= 2); /* at least for EVP's context and for ours */
    EVP_KDF_free(kdf);
}

static void test_no_memory(void **state)
{
    struct kdf_params p;

    (void)state;
    for (int i = 0; i < 6; i++) {
        libssl_params(&p, i >= 4, i % 2 ? EXPAND : EXTRACT, "SHA2-384");
        if (i % 4 > 1)
            add_text(&p, OSSL_KDF_PARAM_PROPERTIES, "provider=default");
        check_failures(i >= 4 ? "TLS1-PRF" : "TLS13-KDF", &p);
    }
}

int main(void)
{
    if (!CRYPTO_set_mem_functions(counted_malloc, counted_realloc, counted_free))
        return 1;
    memset(secret, SECRET, sizeof secret);
    return RUN_TESTS(open_contexts, close_contexts, test_no_allocation, test_no_secret_is_freed, test_no_memory);
}
