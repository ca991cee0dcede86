/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA-4096 public operation: one modulus in 80 limbs. */
#include "kernels/rsa/rsa.h"

#define LIMBS 80
#define STRIP 5
#define SLOTS 4
#include "kernels/rsa/mont_impl.h"
#include "kernels/rsa/rsa_public_impl.h"

const size_t OCT_NAME(rsa80_public_workspace) = PUBLIC_WORKSPACE;

void OCT_NAME(rsa80_public)(const struct oct_rsa_public_args *args)
{
    public_run(args);
}
