/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See bound_mldsa.h: each kernel with eight lanes and with one, private and public keys, kept matrices and made ones.
 */
#include "bound_mldsa.h"

#include "kernels/lattice/mldsa.h"
#include "prove.h"

#define PROVE_SET(set)                                                                                                 \
    do {                                                                                                               \
        const size_t bytes_ = oct_bound_mldsa##set##_workspace;                                                        \
        PROVE(mldsa##set##_keygen, bytes_,                                                                             \
              (struct oct_mldsa_keygen_args){                                                                          \
                  .workspace = workspace_, .lanes = lanes, .seed = EIGHT(in), .pk = EIGHT(pk), .sk = EIGHT(out)});     \
        PROVE(mldsa##set##_expand, bytes_, (struct oct_mldsa_expand_args){workspace_, in, pk, matrix, t1, secrets});   \
        PROVE(mldsa##set##_expand, bytes_, (struct oct_mldsa_expand_args){workspace_, NULL, pk, matrix, t1, NULL});    \
        PROVE(mldsa##set##_sign, bytes_,                                                                               \
              (struct oct_mldsa_sign_args){.workspace = workspace_,                                                    \
                                           .lanes = lanes,                                                             \
                                           .matrix = EIGHT(matrix),                                                    \
                                           .secrets = EIGHT(secrets),                                                  \
                                           .key_seed = EIGHT(in),                                                      \
                                           .rnd = EIGHT(in),                                                           \
                                           .mu = EIGHT(in),                                                            \
                                           .signature = EIGHT(out)});                                                  \
        PROVE(mldsa##set##_verify, bytes_,                                                                             \
              (struct oct_mldsa_verify_args){                                                                          \
                  .workspace = workspace_, .lanes = lanes, .pk = EIGHT(pk), .mu = EIGHT(in), .signature = EIGHT(in)}); \
        PROVE(mldsa##set##_verify, bytes_,                                                                             \
              (struct oct_mldsa_verify_args){.workspace = workspace_,                                                  \
                                             .lanes = lanes,                                                           \
                                             .matrix = EIGHT(matrix),                                                  \
                                             .t1 = EIGHT(t1),                                                          \
                                             .mu = EIGHT(in),                                                          \
                                             .signature = EIGHT(in)});                                                 \
    } while (0)

static uint8_t in[4096], out[4096], pk[2048];
static int32_t matrix[OCT_MLDSA_MAX_MATRIX_NUMBERS] OCT_ALIGN64, t1[OCT_MLDSA_MAX_T1_NUMBERS] OCT_ALIGN64;
static int32_t secrets[OCT_MLDSA_MAX_SECRET_NUMBERS] OCT_ALIGN64;

void prove_mldsa(void)
{
    for (unsigned lanes = 1; lanes <= 8; lanes += 7) {
        PROVE_SET(44);
        PROVE_SET(65);
        PROVE(shake256, oct_bound_shake256_workspace,
              (struct oct_shake256_args){.workspace = workspace_,
                                         .lanes = lanes,
                                         .head = EIGHT(in),
                                         .head_len = EIGHT(100),
                                         .body = EIGHT(in),
                                         .body_len = EIGHT(200),
                                         .out = EIGHT(out)});
    }
}
