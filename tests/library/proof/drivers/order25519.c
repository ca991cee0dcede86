/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "kernels/curve25519/curve25519.h"
#include "kernels/curve25519/ed25519.h"
#include "kernels/curve25519/ed25519_order_impl.h"

#define TWICE 253
#include "ec_numbers.h"

int main(void)
{
    PROVE_MOD(fn, 48, 52);
    prove_numbers();
    prove_load_wide();
    return 0;
}
