/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-3072 private operation: two primes of 1536 bits in 30 limbs. */
#include "kernels/rsa.h"

#define LIMBS            30
#define STRIP            5
#define WINDOW           5
#define PRIME_BITS       1536
#define SLOTS            ((1 << WINDOW) + 5)
#define MONT_LOOKUP_BITS WINDOW
#define MONT_SQUARE
#include "kernels/mont_impl.h"
#include "kernels/rsa_crt_impl.h"

const size_t OCT_NAME(rsa30_crt_workspace) = sizeof(struct crt_workspace);

void OCT_NAME(rsa30_crt)(const struct oct_rsa_crt_args *args)
{
    crt_run(args);
}
