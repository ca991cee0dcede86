/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM-1024. */
#define MLKEM_SET 1024
#define MLKEM_K   4
#define MLKEM_DU  11
#define MLKEM_DV  5
#include "kernels/lattice/mlkem_impl.h"
