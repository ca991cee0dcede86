/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-2048 private operation: two primes of 1024 bits in 20 limbs. Window 4: two tables of 20 KB stay in the L1 cache.
 */
#include "kernels/rsa.h"

#define LIMBS            20
#define STRIP            4
#define WINDOW           4
#define PRIME_BITS       1024
#define SLOTS            ((1 << WINDOW) + 5)
#define MONT_LOOKUP_BITS WINDOW
#define MONT_SQUARE
#include "kernels/mont_impl.h"
#include "kernels/rsa_crt_impl.h"

const size_t OCT_NAME(rsa20_crt_workspace) = sizeof(struct crt_workspace);

void OCT_NAME(rsa20_crt)(const struct oct_rsa_crt_args *args)
{
    crt_run(args);
}

void OCT_NAME(clear_registers)(void)
{
    v8_clear_registers();
}
