/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See mlkem_steps.h; compiled as kernels are. */
#include "mlkem_steps.h"

#define MLKEM_SET speed
#define MLKEM_K   3
#define MLKEM_DU  10
#define MLKEM_DV  4
#include "kernels/lattice/mlkem.h"
OCT_MLKEM_DECLARE(avx512, speed)
#include "kernels/lattice/mlkem_impl.h"

struct speed_workspace {
    struct mlkem_workspace w;
    uint8_t bytes[2][OCT_MLKEM_MAX_DK_BYTES];
};

static const uint8_t (*noise_of(struct speed_workspace *s))[NOISE_BYTES]
{
    return (const uint8_t(*)[NOISE_BYTES])s->w.noise[0];
}

#define STEP(name, ...)                                                                                                \
    static void name(void *workspace)                                                                                  \
    {                                                                                                                  \
        struct speed_workspace *s = workspace;                                                                         \
        struct mlkem_workspace *w = &s->w;                                                                             \
        __VA_ARGS__;                                                                                                   \
    }
STEP(permute, keccak_permute(w->state, w->state))
STEP(hash_key, const uint8_t *const lane[V8_LANES] = {s->bytes[0]}; mlkem_hash_key(w, lane, 1, 0))
STEP(matrix, sample_matrix(&w->sample, w->matrix, 1, 2))
STEP(stream, sample_stream(&w->sample, 7))
STEP(accept, (void)sample_accept(w->matrix, w->sample.bytes[0], 11))
STEP(noise, sample_noise(&w->sample, w->noise[0], w->seed, 1))
STEP(multiplier, mlkem_multiplier_of_noise(&w->y, noise_of(s), 0, 1))
STEP(encrypt_u, mlkem_encrypt_u(w, 0, 1))
STEP(encrypt_v, mlkem_encrypt_v(w, s->bytes[0], s->bytes[1], 0))
STEP(of_u, mlkem_multiplier_of_u(&w->y, s->bytes[0], s->bytes[1], 0, 1))
STEP(decrypt, mlkem_decrypt_pair(w, s->bytes[0], s->bytes[1], s->bytes[0], s->bytes[1], 0))
STEP(public_row, mlkem_public_row(w, s->bytes[0], 0, 1))
STEP(secret_row, mlkem_secret_row(w, s->bytes[0], 0, 1))
STEP(keep_error, mlkem_keep_error(w, 0, 1))

const struct speed_step speed_steps[] = {
    {"Keccak-f", permute, 8, 45},
    {"H of the key", hash_key, 8, 1},
    {"matrix element", matrix, 8, 9},
    {"  its stream", stream, 8, 9},
    {"  its rejection", accept, 1, 9},
    {"noise bytes", noise, 8, 7},
    {"noise, NTT, prepare", multiplier, 2, 3},
    {"u: product, back, compress", encrypt_u, 2, 3},
    {"v: decode, product, back", encrypt_v, 2, 1},
    {"(decaps) u: decode, NTT", of_u, 2, 0},
    {"(decaps) message", decrypt, 2, 0},
    {"(keygen) row of t", public_row, 1, 0},
    {"(keygen) row of s", secret_row, 1, 0},
    {"(keygen) error, NTT", keep_error, 2, 0},
};
const size_t speed_step_count = OCT_ARRAY_LEN(speed_steps), speed_step_workspace = sizeof(struct speed_workspace);
