/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A provider inside the test, as an application may have one: digests under names that OpenSSL's default provider has
 * not (MD4, MD2, MDC2, FOLD), another SHA-256, and a random generator whose bytes are known. None of them is any good.
 * */
#ifndef OCT_TESTS_PROVIDER_FOREIGN_H
#define OCT_TESTS_PROVIDER_FOREIGN_H

#include <openssl/core_dispatch.h>

/* All have the property provider=foreign. */
OSSL_provider_init_fn foreign_init;

/* The name of the generator: its bytes are 1, 2, 3, ... at each call. */
#define FOREIGN_RAND "FOREIGN-RAND"

#endif
