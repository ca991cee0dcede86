/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See common.h. */
#include "common.h"

#include <openssl/conf.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <stdlib.h>
#include <string.h>

OSSL_LIB_CTX *octuple_ctx, *plain_ctx;

const char *const lane_keys[] = {"2048a", "2048b", "2048e3", "3072a", "4096a", NULL};
const char *const plain_keys[] = {"1024", "2047", "1025", "2048x3", NULL};
const char *const all_keys[] = {"2048a", "2048b", "2048e3", "3072a", "4096a", "1024", "2047", "1025", "2048x3", NULL};

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        fprintf(stderr, "%s is not set: run this test with ctest\n", name);
        exit(1);
    }
    return value;
}

/* Through a configuration file, as users do it. */
OSSL_LIB_CTX *new_octuple_ctx(const char *settings)
{
    char path[] = "/tmp/octuple-test-XXXXXX";
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    assert_non_null(file);
    fprintf(file,
            "openssl_conf = init\n[init]\nproviders = list\nalg_section = algorithms\n"
            "[list]\ndefault = default_section\noctuple = octuple_section\n[default_section]\nactivate = 1\n"
            "[octuple_section]\nactivate = 1\nmodule = %s/octuple.so\n%s\n"
            "[algorithms]\ndefault_properties = ?octuple.serves=yes\n",
            environment("OPENSSL_MODULES"), settings == NULL ? "" : settings);
    fclose(file);
    assert_int_equal(OSSL_LIB_CTX_load_config(ctx, path), 1);
    remove(path);
    assert_true(OSSL_PROVIDER_available(ctx, "octuple"));
    return ctx;
}

static int any_op_is_on(void)
{
    for (int op = 0; op < OCT_OP_COUNT; op++)
        if (oct_op_is_on(op))
            return 1;
    return 0;
}

int open_contexts(void **state)
{
    struct oct_cpu_info info;

    (void)state;
    if (!any_op_is_on()) {
        oct_cpu_info_get(&info);
        printf("skipped: no operation is on (%s)\n", info.table_reason);
        exit(77);
    }
    octuple_ctx = new_octuple_ctx(NULL);
    plain_ctx = OSSL_LIB_CTX_new();
    assert_non_null(OSSL_PROVIDER_load(plain_ctx, "default"));
    return 0;
}

int close_contexts(void **state)
{
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(plain_ctx, "default");

    (void)state;
    OSSL_PROVIDER_unload(provider);
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(plain_ctx);
    OSSL_LIB_CTX_free(octuple_ctx);
    return 0;
}

int is_slow(void)
{
    struct oct_cpu_info info;
    oct_cpu_info_get(&info);
    return strcmp(info.table, "c") == 0;
}

static FILE *open_key(const char *name)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s.pem", environment("OCT_TEST_KEYS"), name);
    file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s: cannot be opened", path);
    return file;
}

static EVP_PKEY *read_key(OSSL_LIB_CTX *ctx, const char *name, int selection)
{
    char file_name[64];
    EVP_PKEY *key;
    FILE *file;

    snprintf(file_name, sizeof file_name, selection == EVP_PKEY_KEYPAIR ? "%s" : "%s.pub", name);
    file = open_key(file_name);
    key = selection == EVP_PKEY_KEYPAIR ? PEM_read_PrivateKey_ex(file, NULL, NULL, NULL, ctx, NULL)
                                        : PEM_read_PUBKEY_ex(file, NULL, NULL, NULL, ctx, NULL);
    fclose(file);
    assert_non_null(key);
    return key;
}

EVP_PKEY *copy_key(OSSL_LIB_CTX *ctx, const char *properties, const EVP_PKEY *key, int selection)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, EVP_PKEY_get0_type_name(key), properties);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *copy = NULL;

    assert_int_equal(EVP_PKEY_todata(key, selection, &params), 1);
    assert_int_equal(EVP_PKEY_fromdata_init(pctx), 1);
    assert_int_equal(EVP_PKEY_fromdata(pctx, &copy, selection, params), 1);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(pctx);
    return copy;
}

int derive_secret(OSSL_LIB_CTX *ctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t *out, size_t *len)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, own, NULL);
    const int ok = pctx != NULL && EVP_PKEY_derive_init(pctx) > 0 && EVP_PKEY_derive_set_peer(pctx, peer) > 0 &&
                   EVP_PKEY_derive(pctx, out, len) > 0;

    EVP_PKEY_CTX_free(pctx);
    return ok;
}

static EVP_PKEY *load(OSSL_LIB_CTX *ctx, const char *name, int selection)
{
    EVP_PKEY *source = read_key(plain_ctx, name, selection), *key = source;

    if (ctx != plain_ctx) {
        key = copy_key(ctx, NULL, source, selection);
        EVP_PKEY_free(source);
    }
    assert_int_equal(is_ours(key), ctx == octuple_ctx);
    return key;
}

EVP_PKEY *load_key(OSSL_LIB_CTX *ctx, const char *name)
{
    return load(ctx, name, EVP_PKEY_KEYPAIR);
}

EVP_PKEY *load_public_key(OSSL_LIB_CTX *ctx, const char *name)
{
    return load(ctx, name, EVP_PKEY_PUBLIC_KEY);
}

EVP_PKEY *decode_key(const char *name)
{
    return read_key(octuple_ctx, name, EVP_PKEY_KEYPAIR);
}

int is_ours(const EVP_PKEY *key)
{
    const OSSL_PROVIDER *provider = EVP_PKEY_get0_provider(key);
    return provider != NULL && strcmp(OSSL_PROVIDER_get0_name(provider), "octuple") == 0;
}

struct fibre {
    ASYNC_JOB *job;
    ASYNC_WAIT_CTX *wait;
    int running, result;
};

struct call {
    int (*function)(int index, void *arg);
    int index;
    void *arg;
};

static int call_function(void *arg)
{
    const struct call *call = arg;
    return call->function(call->index, call->arg);
}

/* Returns 1 while the fibre has not ended. */
static int step(struct fibre *fibre, const struct call *call)
{
    switch (ASYNC_start_job(&fibre->job, fibre->wait, &fibre->result, call_function, (void *)call, sizeof *call)) {
    case ASYNC_PAUSE:
        return 1;
    case ASYNC_FINISH:
        return 0;
    default:
        fail_msg("ASYNC_start_job failed");
        return 0;
    }
}

void run_fibres(int count, int (*function)(int index, void *arg), void *arg)
{
    struct fibre fibre[64] = {{0}};
    int running = count;

    assert_true(count <= 64);
    for (int i = 0; i < count; i++) {
        fibre[i].wait = ASYNC_WAIT_CTX_new();
        fibre[i].running = 1;
    }
    while (running > 0) {
        for (int i = 0; i < count; i++) {
            const struct call call = {function, i, arg};
            if (fibre[i].running && !step(&fibre[i], &call)) {
                fibre[i].running = 0;
                running--;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        ASYNC_WAIT_CTX_free(fibre[i].wait);
        if (!fibre[i].result)
            fail_msg("fibre %d of %d failed", i, count);
    }
}

void fill(uint8_t *out, size_t len, unsigned seed)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    for (size_t i = 0; i < len; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        out[i] = (uint8_t)(x >> 24);
    }
}

uint64_t lanes_done(void)
{
    struct oct_counters counters;
    uint64_t sum = 0;

    oct_counters_read(&counters);
    for (int op = 0; op < OCT_OP_COUNT; op++)
        sum += counters.op[op].done;
    return sum;
}
