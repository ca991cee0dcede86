/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 keys on a tier of the caller's choice: for src/api and for tests. */
#ifndef OCT_API_SM4_INTERNAL_H
#define OCT_API_SM4_INTERNAL_H

#include "ops/sm4.h"

#include <octuple/sm4.h>

/* oct_sm4_key_init() with the tier of the caller's choice. */
int oct_sm4_key_init_on(const struct oct_sm4_ops *ops, struct oct_sm4_key *key, const uint8_t *bytes);

#endif
