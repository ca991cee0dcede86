/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include <crypto_mb/ec_nistp384.h>

#define CURVE  nistp384
#define WHICH  OCT_EC_P384
#define BYTES  (384 / 8)
#define PREFIX "p384"
#define ROWS   crypto_mb_p384
#include "ec_impl.h"
