/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The provider as a whole: what it says of itself, what its switches switch off, loading, unloading, and stepping
 * aside. */
#include "common.h"

#include <dlfcn.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_parameters(void **state)
{
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(octuple_ctx, "octuple");
    char *name = NULL, *version = NULL, *build = NULL;
    int status = 0;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, &name, 0),
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, &version, 0),
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, &build, 0),
        OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &status),
        OSSL_PARAM_construct_end(),
    };

    (void)state;
    assert_non_null(provider);
    assert_int_equal(OSSL_PROVIDER_get_params(provider, params), 1);
    assert_string_equal(name, "Octuple provider");
    assert_string_equal(version, oct_version());
    assert_non_null(strstr(build, oct_version()));
    assert_int_equal(status, 1);
    for (const OSSL_PARAM *p = OSSL_PROVIDER_gettable_params(provider); p->key != NULL; p++)
        assert_non_null(OSSL_PARAM_locate(params, p->key));
    OSSL_PROVIDER_unload(provider);
}

/* A core of another major version. */
static int says_another(const OSSL_CORE_HANDLE *handle, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_CORE_VERSION);

    (void)handle;
    return p == NULL || OSSL_PARAM_set_utf8_ptr(p, "99.0.1");
}

/* The provider is there for it, and offers nothing. */
static void test_another_core(void **state)
{
    const OSSL_DISPATCH core[] = {{OSSL_FUNC_CORE_GET_PARAMS, (void (*)(void))says_another}, {0, NULL}};
    const OSSL_DISPATCH *offers = NULL;
    OSSL_provider_init_fn *init = NULL;
    void *provctx = NULL, *module;
    char path[4096];

    (void)state;
    snprintf(path, sizeof path, "%s/octuple.so", getenv("OPENSSL_MODULES"));
    module = dlopen(path, RTLD_NOW);
    assert_non_null(module);
    *(void **)&init = dlsym(module, "OSSL_provider_init");
    assert_non_null(init);
    assert_int_equal(init(NULL, core, &offers, &provctx), 1);
    for (; offers->function_id != 0; offers++)
        assert_int_not_equal(offers->function_id, OSSL_FUNC_PROVIDER_QUERY_OPERATION);
    dlclose(module);
}

/* Groups over keys that we serve, whoever announces them. */
static int count_group(const OSSL_PARAM params[], void *arg)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
    const char *algorithm = "";

    assert_true(p != NULL && OSSL_PARAM_get_utf8_string_ptr(p, &algorithm));
    *(int *)arg +=
        strcmp(algorithm, "EC") == 0 || strcmp(algorithm, "X25519") == 0 || strcmp(algorithm, "curveSM2") == 0;
    return 1;
}

/* Those of ours alone: all five where OpenSSL has none of them, else the hybrid ones where lanes serve them. */
static int count_hybrid(const OSSL_PARAM params[], void *arg)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
    const char *algorithm = "";

    assert_true(p != NULL && OSSL_PARAM_get_utf8_string_ptr(p, &algorithm));
    *(int *)arg += strstr(algorithm, "MLKEM") != NULL;
    return 1;
}

static int expected_hybrids(void)
{
    if (OpenSSL_version_num() >= 0x30500000)
        return oct_op_is_possible(OCT_OP_X25519MLKEM768_SERVER) ? 3 + (OPENSSL_version_major() >= 4) : 0;
    return OpenSSL_version_num() >= 0x300000a0 ? 5 : 0;
}

/* ML-DSA signs in TLS where libssl learns its algorithms from providers. */
static int expected_signatures(void)
{
    const int sm2 = OPENSSL_version_major() >= 4 && oct_op_is_possible(OCT_OP_SM2_SIGN);
    return sm2 + (OpenSSL_version_num() >= 0x30500000 && oct_op_is_possible(OCT_OP_MLDSA44_SIGN) ? 2 : 0);
}

static int count_any(const OSSL_PARAM params[], void *arg)
{
    (void)params;
    ++*(int *)arg;
    return 1;
}

static void test_capabilities(void **state)
{
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(octuple_ctx, "octuple");
    OSSL_PROVIDER *plain = OSSL_PROVIDER_load(plain_ctx, "default");
    int count = 0, ours = 0, theirs = 0, hybrids = 0, signatures = 0;

    (void)state;
    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "TLS-GROUP", count_group, &ours), 1);
    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "TLS-GROUP", count_hybrid, &hybrids), 1);
    assert_int_equal(hybrids, expected_hybrids());
    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "TLS-GROUP", count_any, &count), 1);
    assert_int_equal(OSSL_PROVIDER_get_capabilities(plain, "TLS-GROUP", count_group, &theirs), 1);
    assert_true(ours > 4);
    assert_int_equal(ours, theirs);
    assert_int_equal(ours + hybrids, count); /* and no others */
    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "TLS-SIGALG", count_any, &signatures), 1);
    assert_int_equal(signatures, expected_signatures());
    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "anything", count_any, &count), 1);
    assert_int_equal(ours + hybrids, count);
    OSSL_PROVIDER_unload(plain);
    OSSL_PROVIDER_unload(provider);
}

/* An error has OpenSSL's library and reason where there is one. */
static void test_error_text(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    uint8_t out[256] = {0};
    size_t len = sizeof out;
    const char *reason;

    (void)state;
    ERR_clear_error();
    assert_int_equal(EVP_PKEY_sign_init(ctx), 1);
    assert_true(EVP_PKEY_sign(ctx, out, &len, out, 246) <= 0);
    reason = ERR_reason_error_string(ERR_peek_error()); /* above it OpenSSL 3.4 and later say that a provider failed */
    assert_non_null(reason);
    assert_string_equal(reason, "data too large for key size");
    ERR_clear_error();
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
}

struct offered {
    int keymgmt, signature, cipher;
};

static struct offered offered_by(OSSL_LIB_CTX *ctx)
{
    EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(ctx, "RSA", "provider=octuple");
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(ctx, "RSA", "provider=octuple");
    EVP_ASYM_CIPHER *cipher = EVP_ASYM_CIPHER_fetch(ctx, "RSA", "provider=octuple");
    const struct offered offered = {keymgmt != NULL, signature != NULL, cipher != NULL};

    EVP_KEYMGMT_free(keymgmt);
    EVP_SIGNATURE_free(signature);
    EVP_ASYM_CIPHER_free(cipher);
    ERR_clear_error();
    return offered;
}

/* Whatever is off: signing and decrypting still work, by one provider or the other. */
static void check_still_works(OSSL_LIB_CTX *ctx)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, "RSA", (size_t)2048);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, key, NULL);
    uint8_t out[256], back[256];
    size_t len = sizeof out, back_len = sizeof back;

    assert_int_equal(EVP_DigestSignInit_ex(md, NULL, "SHA256", ctx, NULL, key, NULL), 1);
    assert_int_equal(EVP_DigestSign(md, out, &len, (const uint8_t *)"abc", 3), 1);
    len = sizeof out;
    assert_true(EVP_PKEY_encrypt_init(pctx) > 0 && EVP_PKEY_encrypt(pctx, out, &len, (const uint8_t *)"abc", 3) > 0);
    assert_true(EVP_PKEY_decrypt_init(pctx) > 0 && EVP_PKEY_decrypt(pctx, back, &back_len, out, len) > 0);
    assert_int_equal(back_len, 3);
    EVP_PKEY_CTX_free(pctx);
    EVP_MD_CTX_free(md);
    EVP_PKEY_free(key);
}

static void check_switches(const char *settings, int keymgmt, int signature, int cipher)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx(settings);
    const struct offered offered = offered_by(ctx);

    assert_int_equal(offered.keymgmt, keymgmt);
    assert_int_equal(offered.signature, signature);
    assert_int_equal(offered.cipher, cipher);
    check_still_works(ctx);
    OSSL_LIB_CTX_free(ctx);
}

static void test_switches(void **state)
{
    (void)state;
    check_switches(NULL, 1, 1, 1);
    check_switches("rsa = off", 0, 0, 0);
    check_switches("rsa = False", 0, 0, 0);
    check_switches("rsa = whatever\nx25519 = NO\nec = 0", 1, 1, 1);
}

/* Names of the release before: off counts for the whole family, and a message says so, once. */
static void test_former_switches(void **state)
{
    char *said = NULL;
    size_t size = 0;

    (void)state;
    fflush(stderr);
    const int before = dup(STDERR_FILENO), file = memfd_create("stderr", 0);
    assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    check_switches("rsa-signature = off", 0, 0, 0);
    check_switches("rsa-signature = off", 0, 0, 0);
    check_switches("rsa-keymgmt = on\nrsa-decryption = whatever", 1, 1, 1);
    check_switches("x25519-pool = off\nrsa = on", 1, 1, 1);
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    size = (size_t)lseek(file, 0, SEEK_END);
    said = calloc(1, size + 1);
    assert_non_null(said);
    assert_int_equal(pread(file, said, size, 0), (ssize_t)size);
    const char *signature = strstr(said, "rsa-signature of openssl.cnf is now rsa;");
    assert_non_null(signature);
    assert_null(strstr(signature + 1, "rsa-signature"));
    assert_non_null(strstr(said, "rsa-decryption of openssl.cnf is now rsa;"));
    assert_non_null(strstr(said, "x25519-pool of openssl.cnf is now pools;"));
    free(said);
    close(file);
    close(before);
}

static void test_reload(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        OSSL_LIB_CTX *ctx = new_octuple_ctx(NULL);
        if (i % 2 == 0)
            check_still_works(ctx);
        OSSL_LIB_CTX_free(ctx);
    }
}

/* Runs a part of this program in a process of its own, which must end well. */
static void check_apart(const char *part)
{
    const pid_t child = fork();
    int status = -1;

    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_provider", part, (char *)NULL);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* What a program has of the provider may go after libcrypto: Squid frees its SSL_CTX in a static object. */
static void test_outlives_libcrypto(void **state)
{
    (void)state;
    check_apart("outlives");
}

static int outlives(void)
{
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "octuple");
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "RSA", "provider=octuple");

    if (provider == NULL || signature == NULL)
        return 2;
    OSSL_PROVIDER_unload(provider);
    OPENSSL_cleanup();
    EVP_SIGNATURE_free(signature);
    return 0;
}

/* With every operation off nothing is offered; a process chooses its table once, so another process asks. */
static void test_steps_aside(void **state)
{
    (void)state;
    setenv("OCTUPLE_TABLE", "off", 1);
    check_apart("steps-aside");
}

static int steps_aside(void)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx(NULL);
    const struct offered offered = offered_by(ctx);

    check_still_works(ctx);
    OSSL_LIB_CTX_free(ctx);
    return offered.keymgmt || offered.signature || offered.cipher;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "outlives") == 0)
        return outlives();
    if (argc == 2 && strcmp(argv[1], "steps-aside") == 0)
        return steps_aside();
    return RUN_TESTS(open_contexts, close_contexts, test_parameters, test_another_core, test_capabilities,
                     test_error_text, test_switches, test_former_switches, test_reload, test_outlives_libcrypto,
                     test_steps_aside);
}
