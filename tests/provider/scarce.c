/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See scarce.h. */
#include "scarce.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

static atomic_long left; /* before the one that fails */
static atomic_bool armed;

static bool is_out(void)
{
    return atomic_load(&armed) && atomic_fetch_sub(&left, 1) == 0;
}

/* OpenSSL 3.0 loses numbers of RSA keys where memory fails. What is allocated by files of the provider is looked for.
 */
static void pass_over_leak(const void *block, const char *file)
{
#ifdef __SANITIZE_ADDRESS__
    if (block != NULL && atomic_load(&armed) && (file == NULL || strstr(file, "/provider/") == NULL))
        __lsan_ignore_object(block);
#endif
    (void)block, (void)file;
}

static void *scarce_malloc(size_t size, const char *file, int line)
{
    void *block = is_out() ? NULL : malloc(size); /* a block also of 0 bytes, as some programs' functions give one */

    (void)line;
    pass_over_leak(block, file);
    return block;
}

static void *scarce_realloc(void *data, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    if (size > 0)
        return is_out() ? NULL : realloc(data, size);
    free(data);
    return NULL;
}

static void scarce_free(void *data, const char *file, int line)
{
    (void)file, (void)line;
    free(data);
}

bool scarce_begin(void)
{
    return CRYPTO_set_mem_functions(scarce_malloc, scarce_realloc, scarce_free) == 1;
}

void scarce_arm(long n)
{
    atomic_store(&left, n);
    atomic_store(&armed, true);
}

bool scarce_disarm(void)
{
    atomic_store(&armed, false);
    return atomic_load(&left) < 0;
}
