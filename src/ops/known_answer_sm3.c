/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The known-answer test of SM3: two blocks in each lane, from the state that messages start with. */
#include "ops/known_answer.h"

#include <string.h>

#define BLOCK 64

uint64_t oct_known_sm3(const struct oct_ops *ops, int size, void *workspace, uint64_t digest)
{
    static const uint32_t start[8] = OCT_SM3_START;
    struct oct_sm3_args args = {.state = workspace, .blocks = 1};
    uint8_t block[OCT_SM3_KERNEL_LANES][BLOCK];
    uint64_t state = 0x6f6374736d330001 + (uint64_t)size;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned lane = 0; lane < OCT_SM3_KERNEL_LANES; lane++)
            args.state[i][lane] = start[i];
    for (int n = 0; n < 2; n++) {
        for (unsigned lane = 0; lane < OCT_SM3_KERNEL_LANES; lane++) {
            oct_known_draw_bytes(block[lane], BLOCK, &state);
            args.block[lane] = block[lane];
        }
        ops->sm3[0].run(&args);
    }
    for (unsigned lane = 0; lane < OCT_SM3_KERNEL_LANES; lane++)
        for (unsigned i = 0; i < 8; i++)
            digest = oct_known_digest(digest, args.state[i][lane]);
    return digest;
}
