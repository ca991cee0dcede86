/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-4096 private operation (two primes of 2048 bits in 40 limbs) and RSA-2048 public operation (one modulus). */
#include "kernels/rsa.h"

#define LIMBS            40
#define STRIP            5
#define WINDOW           5
#define PRIME_BITS       2048
#define SLOTS            ((1 << WINDOW) + 5)
#define MONT_LOOKUP_BITS WINDOW
#define MONT_SQUARE
#include "kernels/mont_impl.h"
#include "kernels/rsa_crt_impl.h"
#include "kernels/rsa_public_impl.h"

const size_t OCT_NAME(rsa40_crt_workspace) = sizeof(struct crt_workspace);
const size_t OCT_NAME(rsa40_public_workspace) = PUBLIC_WORKSPACE;

void OCT_NAME(rsa40_crt)(const struct oct_rsa_crt_args *args)
{
    crt_run(args);
}

void OCT_NAME(rsa40_public)(const struct oct_rsa_public_args *args)
{
    public_run(args);
}
