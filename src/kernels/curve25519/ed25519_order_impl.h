/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Arithmetic modulo l = 2^252 + 27742317777372353535851937790883648493, the order of the base point of the Edwards
 * curve. */
#ifndef OCT_KERNELS_ED25519_ORDER_IMPL_H
#define OCT_KERNELS_ED25519_ORDER_IMPL_H

#define LIMBS       5
#define EC_BITS     256 /* of what is read: scalars as they come */
#define EC_PRODUCT  VEC_STEP
#define EC_ORDER_K0 0x51da312547e1b
#include "kernels/ec/ec_num_impl.h"

static const uint64_t fn_modulus[LIMBS] = {0x2631a5cf5d3ed, 0xdea2f79cd6581, 0x14def9, 0, 0x100000000000};
static const uint64_t fn_rr[LIMBS] = {0x9d265e952d13b, 0xd63c715bea69f, 0x5be65cb687604, 0x3dceec73d217f,
                                      0x9411b7c309a};

#include "kernels/ec/ec_order_impl.h"
#define MOD_PREFIX fn
#include "kernels/ec/ec_mod_impl.h"
#undef MOD_PREFIX
#include "kernels/ec/ec_wide_impl.h"

#endif
