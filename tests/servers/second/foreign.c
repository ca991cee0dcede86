/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* With LIBRARY: a TLS library of somebody else's whose functions have OpenSSL's names and no version, as LibreSSL's and
 * BoringSSL's have. Without: a program that is linked to it, and loads the libraries beside it that it is told. */
#include <stddef.h>

#define FUNCTIONS(X)                                                                                                   \
    X(SSL_new)                                                                                                         \
    X(SSL_free)                                                                                                        \
    X(SSL_clear)                                                                                                       \
    X(SSL_up_ref)                                                                                                      \
    X(SSL_do_handshake)                                                                                                \
    X(SSL_accept)                                                                                                      \
    X(SSL_connect)                                                                                                     \
    X(SSL_read)                                                                                                        \
    X(SSL_read_ex)                                                                                                     \
    X(SSL_peek)                                                                                                        \
    X(SSL_peek_ex)                                                                                                     \
    X(SSL_read_early_data)                                                                                             \
    X(SSL_write)                                                                                                       \
    X(SSL_write_ex)                                                                                                    \
    X(SSL_write_early_data)                                                                                            \
    X(SSL_get_error)                                                                                                   \
    X(SSL_want)                                                                                                        \
    X(SSL_shutdown)                                                                                                    \
    X(SSL_CTX_new_ex)                                                                                                  \
    X(SSL_CTX_new)

#ifdef LIBRARY
/* Each gives a number of its own for whatever it is given. */
enum {
#define NUMBER(name) number_##name,
    BEFORE_THE_FIRST = 1000,
    FUNCTIONS(NUMBER)
};
#define DEFINE(name)                                                                                                   \
    long name(void *a, void *b, size_t c, size_t *d);                                                                  \
    long name(void *a, void *b, size_t c, size_t *d)                                                                   \
    {                                                                                                                  \
        (void)a, (void)b, (void)c, (void)d;                                                                            \
        return number_##name;                                                                                          \
    }
FUNCTIONS(DEFINE)
#else
#include <dlfcn.h>
#include <stdio.h>

#define DECLARE(name) long name(void *a, void *b, size_t c, size_t *d);
FUNCTIONS(DECLARE)

int main(int count, char **arguments)
{
    size_t n = 0;
    char object[4096] = {0};
    for (int i = 1; i < count; i++)
        if (dlopen(arguments[i], RTLD_NOW | RTLD_GLOBAL) == NULL)
            return 3;
#define CALL(name)    printf(#name " %ld\n", name(object, object, 0, &n));
    FUNCTIONS(CALL)
    return 0;
}
#endif
