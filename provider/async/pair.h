/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#ifndef OCT_PROVIDER_PAIR_H
#define OCT_PROVIDER_PAIR_H

#include "batch/pool.h"

#include <stdbool.h>
#include <stdint.h>

struct oct_prov;

/* An ephemeral key pair of an operation that makes such pairs (batch/pool.h), of the application's random bytes. False
 * if none is to be had here, or the pools are switched off. No error is raised. */
bool oct_pair_take(struct oct_prov *prov, int op, uint8_t *public_key, uint8_t *private_key);

#endif
