/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The X25519 batch calls on a given table: for src/api and for tests. */
#ifndef OCT_API_X25519_INTERNAL_H
#define OCT_API_X25519_INTERNAL_H

#include "ops/ops.h"

#include <octuple/x25519.h>

int oct_x25519_derive_on(const struct oct_ops *ops, const struct oct_x25519_lane lane[], unsigned lanes,
                         struct oct_lanes *result);
int oct_x25519_public_on(const struct oct_ops *ops, const struct oct_x25519_lane lane[], unsigned lanes,
                         struct oct_lanes *result);

#endif
