/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA-44 (FIPS 204, table 1). */
#define MLDSA_SET         44
#define MLDSA_K           4
#define MLDSA_L           4
#define MLDSA_ETA         2
#define MLDSA_TAU         39
#define MLDSA_GAMMA1_BITS 17
#define MLDSA_HIGHS       44
#define MLDSA_OMEGA       80
#define MLDSA_C_BYTES     32
#include "kernels/lattice/mldsa_impl.h"
