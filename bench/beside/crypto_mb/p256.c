/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include <crypto_mb/ec_nistp256.h>

#define CURVE  nistp256
#define WHICH  OCT_EC_P256
#define BYTES  (256 / 8)
#define PREFIX "p256"
#define ROWS   crypto_mb_p256
#include "ec_impl.h"
