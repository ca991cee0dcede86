/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS once SOURCES provider/x25519/direct.c */
/* OpenSSL's own X25519, called by its tables (provider/x25519/direct.c), where memory fails: no secret, no crash,
 * nothing lost. */
#include "provider/x25519/direct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#define BYTES OCT_X25519_BYTES

static long allocations, fail_at = -1, held;

static void *counted_malloc(size_t size, const char *file, int line)
{
    void *block = allocations++ == fail_at ? NULL : malloc(size);

    (void)file, (void)line;
    held += block != NULL;
    return block;
}

static void *counted_realloc(void *data, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    if (data == NULL)
        return counted_malloc(size, file, line);
    return allocations++ == fail_at ? NULL : realloc(data, size);
}

static void counted_free(void *data, const char *file, int line)
{
    (void)file, (void)line;
    held -= data != NULL;
    free(data);
}

struct numbers {
    uint8_t private_key[BYTES], public_key[BYTES], peer[BYTES];
};

/* Any 32 bytes are a private key, and nearly any a public one; a derivation does not ask whether the pair is one. */
static struct numbers draw(void)
{
    struct numbers x;
    memset(x.private_key, 0x11, BYTES);
    memset(x.public_key, 0x22, BYTES);
    memset(x.peer, 0x33, BYTES);
    return x;
}

/* One derivation with the n-th allocation failing if there is one. OpenSSL's errors have room of their own beforehand.
 */
static int derive_failing(const struct oct_x25519_direct *direct, const struct numbers *x, uint8_t secret[BYTES],
                          long n, int *failed)
{
    int ok;

    ERR_raise(ERR_LIB_USER, 1);
    ERR_clear_error();
    fail_at = n < 0 ? -1 : allocations + n;
    ok = oct_x25519_direct_derive(direct, secret, x->private_key, x->public_key, x->peer) > 0;
    *failed = fail_at >= 0 && allocations > fail_at;
    fail_at = -1;
    ERR_clear_error();
    return ok;
}

static void test_no_memory(void **state)
{
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(ctx, "default");
    const struct numbers x = draw();
    struct oct_x25519_direct direct;
    uint8_t right[BYTES], secret[BYTES];
    int failed, failures = 0;

    (void)state;
    assert_int_equal(oct_x25519_direct_find(&direct, provider), 1);
    assert_int_equal(derive_failing(&direct, &x, right, -1, &failed), 1);
    failed = 1;
    for (long n = 0; failed; n++) {
        const long before = held;
        const int ok = derive_failing(&direct, &x, secret, n, &failed);
        assert_true(n < 100); /* there is an end of allocations */
        assert_true(ok || failed);
        assert_true(!ok || memcmp(secret, right, BYTES) == 0);
        assert_true(held - before <= 2 && (failed || held == before)); /* texts of errors may stay */
        failures += !ok;
    }
    assert_true(failures >= 3); /* at least both keys and the context */
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(ctx);
}

int main(void)
{
    if (!CRYPTO_set_mem_functions(counted_malloc, counted_realloc, counted_free))
        return 1;
    return RUN_TESTS(NULL, NULL, test_no_memory);
}
