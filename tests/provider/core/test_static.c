/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * A program that has libcrypto inside, linked statically, while the provider brings the shared one: keys work, and the
 * program ends as it would without Octuple, whether or not it takes anything down itself.
 */
#include <octuple/op.h>

#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static EVP_PKEY *left;

static int check(int ok, const char *what)
{
    if (!ok)
        fprintf(stderr, "%s failed\n", what);
    return ok;
}

/* As users do it. OpenSSL's legacy provider has a context in the second libcrypto, too, which it takes down at the
 * end. */
static int configure(char path[])
{
    char legacy[1024];
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!check(file != NULL, path))
        return 0;
    snprintf(legacy, sizeof legacy, "%s/legacy.so", OPENSSL_info(OPENSSL_INFO_MODULES_DIR));
    fprintf(file,
            "openssl_conf = init\n[init]\nproviders = list\nalg_section = algorithms\n"
            "[list]\ndefault = default_section\noctuple = octuple_section\n[default_section]\nactivate = 1\n"
            "[octuple_section]\nactivate = 1\nmodule = %s/octuple.so\n"
            "[algorithms]\ndefault_properties = ?provider=octuple\n",
            getenv("OPENSSL_MODULES"));
    if (access(legacy, R_OK) == 0)
        fprintf(file, "[list]\nlegacy = legacy_section\n[legacy_section]\nactivate = 1\nmodule = %s\n", legacy);
    return check(fclose(file) == 0 && setenv("OPENSSL_CONF", path, 1) == 0, "configuration");
}

static int sign_and_verify(EVP_PKEY *key, const char *digest)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char out[256];
    size_t len = sizeof out;
    int ok = EVP_DigestSignInit_ex(ctx, NULL, digest, NULL, NULL, key, NULL) == 1 &&
             EVP_DigestSign(ctx, out, &len, (const unsigned char *)"abc", 3) == 1;

    EVP_MD_CTX_free(ctx);
    ctx = EVP_MD_CTX_new();
    ok = ok && EVP_DigestVerifyInit_ex(ctx, NULL, digest, NULL, NULL, key, NULL) == 1 &&
         EVP_DigestVerify(ctx, out, len, (const unsigned char *)"abc", 3) == 1;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static int use_keys(void)
{
    EVP_PKEY *rsa = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
    EVP_PKEY *ec = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"), *ed25519 = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    const OSSL_PROVIDER *provider = rsa == NULL ? NULL : EVP_PKEY_get0_provider(rsa);
    int ok = check(provider != NULL && strstr(OSSL_PROVIDER_get0_name(provider), "octuple") != NULL, "our key") &&
             check(sign_and_verify(rsa, "SHA256"), "RSA") && check(sign_and_verify(ec, "SHA256"), "EC") &&
             check(sign_and_verify(ed25519, NULL), "Ed25519");

    EVP_PKEY_free(ec);
    EVP_PKEY_free(ed25519);
    left = rsa; /* for the handlers of exit, or nobody */
    return ok;
}

static void free_at_exit(void)
{
    EVP_PKEY_free(left);
}

static int run(int frees_key)
{
    int ok = use_keys();

    if (frees_key)
        atexit(free_at_exit);
    return !ok;
}

static int ends_well(int frees_key)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0)
        exit(run(frees_key));
    if (child < 0 || waitpid(child, &status, 0) != child)
        return check(0, "fork");
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* In a child, since nobody loads the module before OpenSSL in what is tested. */
static int is_served(void)
{
    char path[1024];
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        snprintf(path, sizeof path, "%s/octuple.so", getenv("OPENSSL_MODULES"));
        void *module = dlopen(path, RTLD_NOW);
        int (*is_on)(int) = module == NULL ? NULL : (int (*)(int))dlsym(module, "oct_op_is_on");
        _exit(is_on != NULL && !is_on(OCT_OP_RSA2048_PRIVATE) ? 77 : 0);
    }
    return waitpid(child, &status, 0) == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 77);
}

int main(void)
{
    char path[] = "/tmp/octuple-test-XXXXXX";
    int ok;

    if (!is_served()) {
        printf("skipped: this CPU has not what the table needs\n");
        return 77;
    }
    ok = configure(path);

    ok = ok && check(ends_well(1), "with its key freed") && check(ends_well(0), "with a key left");
    remove(path);
    return ok ? 0 : 1;
}
