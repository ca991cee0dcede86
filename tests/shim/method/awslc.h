/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What tests of the shim use and AWS-LC does not have. A test of what it cannot do at all is skipped there. */
#ifndef OCT_TEST_AWSLC_H
#define OCT_TEST_AWSLC_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>

#define ERR_raise(library, reason) ERR_put_error(library, 0, reason, __FILE__, __LINE__)

#define SSL_READ_EARLY_DATA_ERROR  0
#define SSL_READ_EARLY_DATA_FINISH 2

static inline int SSL_read_early_data(SSL *s, void *buf, size_t n, size_t *moved)
{
    (void)buf, (void)n;
    *moved = 0;
    return SSL_do_handshake(s) == 1 ? SSL_READ_EARLY_DATA_FINISH : SSL_READ_EARLY_DATA_ERROR;
}

#define SSL_up_ref(s)           (skip(), 0)
#define SSL_dup(s)              (skip(), (SSL *)NULL)
#define ASYNC_cleanup_thread()  skip()
#define ASYNC_init_thread(a, b) 0

#endif
