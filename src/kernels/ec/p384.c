/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The kernels of P-384. */
#include "kernels/ec/p384_impl.h"

#define EC_NAME(name) p384_##name
#include "kernels/ec/ec_entry_impl.h"
