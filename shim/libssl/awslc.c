/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See awslc.h. */
#include "libssl/awslc.h"

#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

#define ERR_LIB_OF_SSL 16
#define INTERNAL_ERROR (4 | 64)

/* Left open where it is not there, as in oct_ssl_present(). */
extern __typeof__(int(void)) RSA_sign_raw __attribute__((weak));

static bool asked;

OCT_AT_START void oct_awslc_start(const char *setting)
{
    size_t length;
    const char *says = oct_setting_option(setting, "awslc", &length);
    asked = says != NULL && length == strlen("on") && strncmp(says, "on", length) == 0;
}

OCT_AT_START bool oct_awslc_present(void)
{
    return asked && RSA_sign_raw != NULL && !oct_ssl_present() && oct_symbol(NULL, "awslc_api_version_num") != NULL &&
           oct_symbol(NULL, "SSL_set_private_key_method") != NULL;
}

/* What is asked for and not there: the mode of an object, its provider, a job. There is none. */
static long nothing(void)
{
    return 0;
}

/* Its error queue keeps other numbers. */
static void raise_error(int library, int reason, const char *format, ...)
{
    (void)library, (void)reason, (void)format;
    (oct_awslc()->ERR_put_error)(ERR_LIB_OF_SSL, 0, INTERNAL_ERROR, __FILE__, __LINE__);
}

/* Its names of states are strings that stay where they are. */
static OSSL_HANDSHAKE_STATE state_of(const SSL *s)
{
    const char *name = oct_awslc()->SSL_state_string_long(s);
    return strcmp(name, "TLS server start_accept") == 0 ? TLS_ST_BEFORE
                                                        : (OSSL_HANDSHAKE_STATE)((uintptr_t)name | 1u << 30);
}

static int is_before(const SSL *s)
{
    return state_of(s) == TLS_ST_BEFORE;
}

static void *allocate(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return calloc(1, size);
}

static void give_back(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    free(memory);
}

bool oct_awslc_fill(struct oct_ssl_functions *ssl)
{
    struct oct_awslc *awslc = asked ? calloc(1, sizeof *awslc) : NULL;
    bool complete = awslc != NULL && ssl->CRYPTO_free_ex_data != NULL;
#define FIND(result, name, arguments)                                                                                  \
    if (complete)                                                                                                      \
        *(void **)&awslc->name = oct_symbol(ssl->handle, #name);                                                       \
    complete = complete && awslc->name != NULL;
    OCT_AWSLC_FUNCTIONS(FIND)
#undef FIND
    if (!complete || awslc->FIPS_mode() != 0) {
        free(awslc);
        return false;
    }
#define FILL(name)                                                                                                     \
    if (ssl->name == NULL)                                                                                             \
        *(void **)&ssl->name = (void *)nothing;
    OCT_SSL_HELPERS(FILL)
#undef FILL
    ssl->ERR_set_error = raise_error;
    ssl->SSL_get_state = state_of;
    ssl->SSL_in_before = is_before;
    ssl->CRYPTO_malloc = ssl->CRYPTO_zalloc = allocate;
    ssl->CRYPTO_free = give_back;
    ssl->awslc = awslc;
    return true;
}
