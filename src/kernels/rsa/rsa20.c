/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-2048 private operation: two primes of 1024 bits in 4 blocks, or with OCT_ROWS in 20 limbs. Window 4: a table of
 * 20 KB for each. Blocks take both primes side by side, since each waits for its chains; rows hardly wait, and leave
 * more of the L1 cache to the other thread of the core. */
#include "kernels/rsa/rsa.h"

#define PRIME_BITS 1024
#define SLOTS      5
#if defined(OCT_ROWS)
#define LIMBS    20
#define STRIP    5
#define WINDOW   4
#define TOGETHER 1
#include "kernels/rsa/fold_rows_impl.h"
#else
#define BLOCKS     4
#define BLOCK      5
#define BLOCK_BITS 258
#define WINDOW     4
#define TOGETHER   2
#include "kernels/rsa/fold_impl.h"
#endif

#include "kernels/rsa/fold_number_impl.h"
#include "kernels/rsa/rsa_crt_impl.h"
#include "kernels/rsa/rsa_strong_impl.h"

const size_t OCT_NAME(rsa20_crt_workspace) = sizeof(struct crt_workspace);
const size_t OCT_NAME(rsa20_strong_workspace) = sizeof(struct crt_workspace);

void OCT_NAME(rsa20_crt)(const struct oct_rsa_crt_args *args)
{
    crt_run(args);
}

void OCT_NAME(rsa20_strong)(const struct oct_rsa_strong_args *args)
{
    strong_run(args);
}

void OCT_NAME(clear_registers)(void)
{
    v8_clear_registers();
}
