/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The kernels of SM2. */
#include "kernels/ec/sm2_impl.h"

#define EC_NAME(name) sm2_##name
#define EC_SM2
#include "kernels/ec/ec_entry_impl.h"
