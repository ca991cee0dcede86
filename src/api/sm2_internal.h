/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* oct_sm2_digest_x8() on a given table, which may be NULL: for src/api and for tests. */
#ifndef OCT_API_SM2_INTERNAL_H
#define OCT_API_SM2_INTERNAL_H

#include "ops/ops.h"

#include <octuple/sm2.h>

int oct_sm2_digest_on(const struct oct_ops *ops, const struct oct_sm2_digest_lane lane[], unsigned lanes);

#endif
