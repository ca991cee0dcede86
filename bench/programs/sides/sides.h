/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The two sides of a comparison in one process: their library contexts, and what many turns come to. */
#ifndef OCT_BENCH_SIDES_H
#define OCT_BENCH_SIDES_H

#include <openssl/types.h>
#include <stddef.h>

/* OpenSSL's own provider; with the folder of octuple.so, Octuple's beside it, and these properties by default. NULL if
 * either cannot be loaded. It is the caller's. */
OSSL_LIB_CTX *sides_libctx(const char *modules, const char *properties);

/* Of n > 0 values, which are sorted by it. */
double sides_median(double *value, size_t n);

#endif
