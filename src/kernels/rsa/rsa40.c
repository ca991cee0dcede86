/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-4096 private operation: two primes of 2048 bits in 8 blocks. With 257 bits, sums of eight fit. */
#include "kernels/rsa/rsa.h"

#define BLOCKS     8
#define BLOCK      5
#define BLOCK_BITS 257
#define WINDOW     5
#define PRIME_BITS 2048
#define SLOTS      5
#define TOGETHER   2
#include "kernels/rsa/fold_impl.h"

#include "kernels/rsa/fold_number_impl.h"
#include "kernels/rsa/rsa_crt_impl.h"
#include "kernels/rsa/rsa_strong_impl.h"

const size_t OCT_NAME(rsa40_crt_workspace) = sizeof(struct crt_workspace);
const size_t OCT_NAME(rsa40_strong_workspace) = sizeof(struct crt_workspace);

void OCT_NAME(rsa40_crt)(const struct oct_rsa_crt_args *args)
{
    crt_run(args);
}

void OCT_NAME(rsa40_strong)(const struct oct_rsa_strong_args *args)
{
    strong_run(args);
}
