/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c */
/*
 * A child takes its parent's library contexts apart and ends by exit(), as workers of servers do. What it leaves of
 * them is no leak: with AddressSanitizer, the build's or a program's own, the child would end with a failure.
 */
#include "common.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static OSSL_LIB_CTX *other_ctx;

static void test_exit_status(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a"), *other = EVP_PKEY_Q_keygen(other_ctx, NULL, "EC", "P-256");
    int status;

    assert_true(is_ours(key) && is_ours(other));
    const pid_t child = fork();
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    if (child == 0) {
        OSSL_LIB_CTX_free(other_ctx);
        close_contexts(state);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int open_both(void **state)
{
    const int result = open_contexts(state);

    other_ctx = new_octuple_ctx(NULL);
    return result;
}

static int close_both(void **state)
{
    OSSL_LIB_CTX_free(other_ctx);
    return close_contexts(state);
}

int main(void)
{
    return RUN_TESTS(open_both, close_both, test_exit_status);
}
