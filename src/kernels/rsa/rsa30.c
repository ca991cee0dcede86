/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-3072 private operation: two primes of 1536 bits in 8 blocks. Six of 258 bits would hold one, but six are not made
 * of pairs. Window 4: a table of 32 KB for each. One prime after the other: two tables at once would not stay in the L1
 * cache, and on Zen 5 take three parts in a hundred longer. */
#include "kernels/rsa/rsa.h"

#define PRIME_BITS 1536
#define SLOTS      5
#define BLOCKS     8
#define BLOCK      4
#define BLOCK_BITS 204
#define WINDOW     4
#define TOGETHER   1
#include "kernels/rsa/fold_impl.h"

#include "kernels/rsa/fold_number_impl.h"
#include "kernels/rsa/rsa_crt_impl.h"
#include "kernels/rsa/rsa_strong_impl.h"

const size_t OCT_NAME(rsa30_crt_workspace) = sizeof(struct crt_workspace);
const size_t OCT_NAME(rsa30_strong_workspace) = sizeof(struct crt_workspace);

void OCT_NAME(rsa30_crt)(const struct oct_rsa_crt_args *args)
{
    crt_run(args);
}

void OCT_NAME(rsa30_strong)(const struct oct_rsa_strong_args *args)
{
    strong_run(args);
}
