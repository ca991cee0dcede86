/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-2048 public operation: one modulus in 40 limbs. */
#include "kernels/rsa/rsa.h"

#define LIMBS 40
#define STRIP 5
#define SLOTS 4
#define MONT_SQUARE
#include "kernels/rsa/mont_impl.h"
#include "kernels/rsa/rsa_public_impl.h"

const size_t OCT_NAME(rsa40_public_workspace) = PUBLIC_WORKSPACE;

void OCT_NAME(rsa40_public)(const struct oct_rsa_public_args *args)
{
    public_run(args);
}
