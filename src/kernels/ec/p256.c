/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The kernels of P-256. */
#include "kernels/ec/p256_impl.h"

#define EC_NAME(name) p256_##name
#include "kernels/ec/ec_entry_impl.h"
