/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SHA-3 and SHAKE of eight messages of one length, any number of bytes, one per lane. */
#include "kernels/lattice/keccak.h"

#include "kernels/lattice/keccak_impl.h"
#include "kernels/limb8.h"

#include <string.h>

struct keccak_workspace {
    w8 state[KECCAK_WORDS];
    oct_limb8 part;
    uint8_t block[V8_LANES][8 * 8];
};

/* The last 0 to 7 bytes of each message, as a word. */
VEC_CHAIN w8 keccak_load_part(oct_limb8 *part, const uint8_t *const lane[V8_LANES], unsigned lanes, size_t offset,
                              size_t bytes)
{
    for (unsigned i = 0; i < V8_LANES; i++) {
        uint64_t x = 0;
        for (size_t j = bytes; j-- > 0;)
            x = x << 8 | lane[keccak_lane(i, lanes)][offset + j];
        (*part)[i] = x;
    }
    return w8_load(*part);
}

/* Eight words of the state, from word `at` on, as rows in the workspace. */
VEC_CHAIN void keccak_rows(struct keccak_workspace *w, unsigned at)
{
    w8 x[V8_LANES];
    for (unsigned j = 0; j < V8_LANES; j++)
        x[j] = at + j < KECCAK_WORDS ? w->state[at + j] : w8_set1(0);
    w8_transpose(x, x);
    for (int i = 0; i < V8_LANES; i++)
        w8_store_row(w->block[i], x[i], 8);
}

VEC_CHAIN void keccak_squeeze(struct keccak_workspace *w, unsigned rate, uint8_t *const out[V8_LANES], unsigned lanes,
                              size_t len)
{
    for (size_t done = 0; done < len;) {
        for (unsigned at = 0; at < rate && done < len; at += 8) {
            const size_t have = rate - at < 8 ? 8 * (size_t)(rate - at) : 64, n = len - done < have ? len - done : have;
            keccak_rows(w, at);
            for (unsigned i = 0; i < lanes; i++)
                memcpy(out[i] + done, w->block[i], n);
            done += n;
        }
        if (done < len)
            keccak_permute(w->state, w->state);
    }
}

const size_t OCT_NAME(keccak_workspace) = sizeof(struct keccak_workspace);

void OCT_NAME(keccak)(const struct oct_keccak_args *args)
{
    struct keccak_workspace *w = args->workspace;
    const enum oct_keccak_function f = args->function;
    const unsigned rate = f == OCT_SHA3_512   ? KECCAK_RATE_512
                          : f == OCT_SHAKE128 ? KECCAK_RATE_SHAKE128
                                              : KECCAK_RATE_256;
    const unsigned suffix = f == OCT_SHAKE128 || f == OCT_SHAKE256 ? KECCAK_SUFFIX_SHAKE : KECCAK_SUFFIX_SHA3;
    const size_t words = args->in_len / 8, rest = args->in_len % 8;
    keccak_clear(w->state);
    const unsigned at = keccak_absorb(w->state, 0, rate, args->in, args->lanes, 0, words);
    const w8 part = keccak_load_part(&w->part, args->in, args->lanes, 8 * words, rest);
    w->state[at] = w8_xor(w->state[at], w8_xor(part, w8_set1((uint64_t)suffix << 8 * rest)));
    w->state[rate - 1] = w8_xor(w->state[rate - 1], w8_set1((uint64_t)1 << 63));
    keccak_permute(w->state, w->state);
    keccak_squeeze(w, rate, args->out, args->lanes, args->out_len);
    v8_clear_registers();
}
