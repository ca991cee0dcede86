/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The table of one backend; compiled once for each, with OCT_TABLE set to its name. With OCT_REST, the name of another
 * backend, it differs from that one's in these kernels only: src/CMakeLists.txt compiles their files with OCT_ROWS. */
#include "ops/ops.h"

#if defined(OCT_REST)
#define ROWS_rsa20_crt    , OCT_TABLE
#define ROWS_rsa20_strong , OCT_TABLE
#else
#define OCT_REST OCT_TABLE
#endif
/* OCT_TABLE for the kernels above, else OCT_REST. */
#define SECOND_(a, b, ...) b
#define SECOND(...)        SECOND_(__VA_ARGS__, )
#define FROM(kernel)       SECOND(ROWS_##kernel, OCT_REST)

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
    .family[size] = {KERNEL(FROM(kernel), kernel), &WORKSPACE(FROM(kernel), kernel)},
#include "ops/ops.def"
#undef OCT_OPERATION
    .comb25519_make = {KERNEL(OCT_REST, comb25519_make), &WORKSPACE(OCT_REST, comb25519_make)},
    .ec_comb = {OCT_EC_ROWS(COMB, OCT_REST)},
    .ed25519_scalar = {KERNEL(OCT_REST, ed25519_scalar)},
    .sha512 = {KERNEL(OCT_REST, sha512)},
    .clear_registers = KERNEL(OCT_REST, clear_registers),
};
