/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The table of one backend; compiled once for each, with OCT_TABLE set to its name. */
#include "ops/ops.h"

/* Twice, so that OCT_TABLE is expanded before it is pasted. */
#define KERNEL_(table, name)    oct_##table##_##name
#define KERNEL(table, name)     KERNEL_(table, name)
#define WORKSPACE_(table, name) oct_##table##_##name##_workspace
#define WORKSPACE(table, name)  WORKSPACE_(table, name)
#define COMB(table, place, curve, bytes, limbs)                                                                        \
    [place] = {KERNEL(table, curve##_comb), &WORKSPACE(table, curve##_comb), &BYTES(table, curve##_comb)},
#define BYTES_(table, name) oct_##table##_##name##_bytes
#define BYTES(table, name)  BYTES_(table, name)
#define TABLE_NAME_(table)  oct_ops_##table
#define TABLE_NAME(table)   TABLE_NAME_(table)
#define TEXT_(x)            #x
#define TEXT(x)             TEXT_(x)

const struct oct_ops TABLE_NAME(OCT_TABLE) = {
    .name = TEXT(OCT_TABLE),
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    .family[size] = {KERNEL(OCT_TABLE, kernel), &WORKSPACE(OCT_TABLE, kernel)},
#include "ops/ops.def"
#undef OCT_OPERATION
    .rsa_strong = {{KERNEL(OCT_TABLE, rsa20_strong)},
                   {KERNEL(OCT_TABLE, rsa30_strong)},
                   {KERNEL(OCT_TABLE, rsa40_strong)}},
    .comb25519_make = {KERNEL(OCT_TABLE, comb25519_make), &WORKSPACE(OCT_TABLE, comb25519_make)},
    .ec_comb = {OCT_EC_ROWS(COMB, OCT_TABLE)},
    .ed25519_scalar = {KERNEL(OCT_TABLE, ed25519_scalar)},
    .sha512 = {KERNEL(OCT_TABLE, sha512)},
    .clear_registers = KERNEL(OCT_TABLE, clear_registers),
};
