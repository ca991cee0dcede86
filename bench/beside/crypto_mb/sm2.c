/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include <crypto_mb/ec_sm2.h>
#include <octuple/sm2.h>

#define CURVE  sm2
#define WHICH  OCT_EC_SM2
#define BYTES  (256 / 8)
#define PREFIX "sm2"
#define ROWS   crypto_mb_sm2
#define OF_MESSAGES
#include "ec_impl.h"
