/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What loading the provider settles: a program that clears its environment before its first handshake, as servers do,
 * keeps the table and the counters that its environment asked for. A process loads once, so the tests are in order.
 */
#include "common.h"

#include <openssl/provider.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/octuple-test-XXXXXX";
static char path[64];

static void read_file(struct oct_counters *counters)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    assert_int_equal(fread(counters, sizeof *counters, 1, file), 1);
    fclose(file);
    assert_true(counters->magic == OCT_COUNTERS_MAGIC);
}

/* No operation has run, none was even asked for. */
static void test_file_is_made(void **state)
{
    struct oct_counters counters;

    (void)state;
    read_file(&counters);
    assert_int_equal(counters.pid, getpid());
    for (int op = 0; op < OCT_OP_COUNT; op++)
        assert_int_equal(counters.op[op].fallback, 0);
}

static void sign(EVP_PKEY *key)
{
    uint8_t digest[32] = {1}, signature[MAX_BYTES];
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    size_t len = sizeof signature;

    assert_int_equal(EVP_PKEY_sign_init(ctx), 1);
    assert_int_equal(EVP_PKEY_sign(ctx, signature, &len, digest, sizeof digest), 1);
    EVP_PKEY_CTX_free(ctx);
}

static void test_first_operation_counts(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    struct oct_counters counters;

    (void)state;
    assert_true(is_ours(key));
    sign(key);
    read_file(&counters);
    assert_int_equal(counters.op[OCT_OP_RSA2048_PRIVATE].fallback, 1);
    sign(key);
    read_file(&counters);
    assert_int_equal(counters.op[OCT_OP_RSA2048_PRIVATE].fallback, 2);
    EVP_PKEY_free(key);
}

/* The environment asks for counters, the provider is loaded, and the environment is another one from then on. */
static int load_and_clear(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%ld.octuple", folder, (long)getpid());
    assert_int_equal(setenv("OCTUPLE_COUNTERS", folder, 1), 0);
    octuple_ctx = new_octuple_ctx(NULL);
    plain_ctx = OSSL_LIB_CTX_new();
    assert_non_null(OSSL_PROVIDER_load(plain_ctx, "default"));
    assert_int_equal(setenv("OCTUPLE_TABLE", "off", 1), 0);
    assert_int_equal(setenv("OCTUPLE_COUNTERS", "/nowhere", 1), 0);
    return 0;
}

static int clean(void **state)
{
    unlink(path);
    rmdir(folder);
    return close_contexts(state);
}

/* Asked in a child, since asking is what settles it. */
static int has_table(void)
{
    struct oct_cpu_info info;
    const pid_t child = fork();
    int status = -1;

    if (child == 0) {
        oct_cpu_info_get(&info);
        _exit(strcmp(info.table, "none") != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        abort();
    return WEXITSTATUS(status);
}

int main(void)
{
    if (!has_table()) {
        printf("skipped: this CPU has not the table that the environment asks for\n");
        return 77;
    }
    return RUN_TESTS(load_and_clear, clean, test_file_is_made, test_first_operation_counts);
}
