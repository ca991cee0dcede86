/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM-768. */
#define MLKEM_SET 768
#define MLKEM_K   3
#define MLKEM_DU  10
#define MLKEM_DV  4
#include "kernels/lattice/mlkem_impl.h"
