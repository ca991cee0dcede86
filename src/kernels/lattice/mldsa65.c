/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA-65 (FIPS 204, table 1). */
#define MLDSA_SET         65
#define MLDSA_K           6
#define MLDSA_L           5
#define MLDSA_ETA         4
#define MLDSA_TAU         49
#define MLDSA_GAMMA1_BITS 19
#define MLDSA_HIGHS       16
#define MLDSA_OMEGA       55
#define MLDSA_C_BYTES     48
#include "kernels/lattice/mldsa_impl.h"
