/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See bound_mlkem.h: each kernel once, with eight lanes and with one, whose neighbour in a pair is itself; with and
 * without kept matrices. */
#include "bound_mlkem.h"

#include "kernels/lattice/keccak.h"
#include "kernels/lattice/mlkem.h"
#include "prove.h"

static uint8_t in[4096], out[4096];
static int16_t matrix[OCT_MLKEM_MATRIX_NUMBERS(4)] OCT_ALIGN64;

#define PROVE_SET(set)                                                                                                 \
    do {                                                                                                               \
        const size_t bytes_ = oct_bound_mlkem##set##_workspace;                                                        \
        PROVE(mlkem##set##_keygen, bytes_,                                                                             \
              (struct oct_mlkem_keygen_args){.workspace = workspace_,                                                  \
                                             .lanes = lanes,                                                           \
                                             .d = EIGHT(in),                                                           \
                                             .z = EIGHT(in),                                                           \
                                             .ek = EIGHT(out),                                                         \
                                             .dk = EIGHT(out)});                                                       \
        PROVE(mlkem##set##_encaps, bytes_,                                                                             \
              (struct oct_mlkem_encaps_args){.workspace = workspace_,                                                  \
                                             .lanes = lanes,                                                           \
                                             .ek = EIGHT(in),                                                          \
                                             .m = EIGHT(in),                                                           \
                                             .ct = EIGHT(out),                                                         \
                                             .secret = EIGHT(out)});                                                   \
        PROVE(mlkem##set##_decaps, bytes_,                                                                             \
              (struct oct_mlkem_decaps_args){                                                                          \
                  .workspace = workspace_, .lanes = lanes, .dk = EIGHT(in), .ct = EIGHT(in), .secret = EIGHT(out)});   \
        PROVE(mlkem##set##_keygen, bytes_,                                                                             \
              (struct oct_mlkem_keygen_args){.workspace = workspace_,                                                  \
                                             .lanes = lanes,                                                           \
                                             .d = EIGHT(in),                                                           \
                                             .z = EIGHT(in),                                                           \
                                             .ek = EIGHT(out),                                                         \
                                             .dk = EIGHT(out),                                                         \
                                             .matrix = EIGHT(matrix)});                                                \
        PROVE(mlkem##set##_decaps, bytes_,                                                                             \
              (struct oct_mlkem_decaps_args){.workspace = workspace_,                                                  \
                                             .lanes = lanes,                                                           \
                                             .dk = EIGHT(in),                                                          \
                                             .ct = EIGHT(in),                                                          \
                                             .secret = EIGHT(out),                                                     \
                                             .matrix = EIGHT(matrix)});                                                \
        PROVE(mlkem##set##_check, bytes_,                                                                              \
              (struct oct_mlkem_check_args){.workspace = workspace_, .lanes = lanes, .dk = EIGHT(in)});                \
    } while (0)

void prove_mlkem(void)
{
    for (unsigned lanes = 1; lanes <= 8; lanes += 7) {
        PROVE_SET(768);
        PROVE_SET(1024);
        PROVE(keccak, oct_bound_keccak_workspace,
              (struct oct_keccak_args){.workspace = workspace_,
                                       .lanes = lanes,
                                       .in = EIGHT(in),
                                       .out = EIGHT(out),
                                       .in_len = 300,
                                       .out_len = 300,
                                       .function = OCT_SHAKE128});
    }
}
