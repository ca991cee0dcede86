/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 on several texts at once: counter mode, chained blocks decrypted, and records of SM4-GCM. */
#include "kernels/gcm/ghash_impl.h"
#include "kernels/sm4/sm4_many_impl.h"

#include <stddef.h>

/* Round keys stand behind the powers of an expanded key of SM4-GCM. */
#define SM4_GCM_ROUND offsetof(struct gcm_key, round)

/* Memory for columns of round keys. */
struct sm4_room {
    uint8_t column[SM4_ROUNDS][SM4_VECTOR] OCT_ALIGN64;
};

/* Whether keys stand in columns now: if they are not one. They are `offset` bytes into the expanded keys. */
VEC_STEP int sm4_many_keys(struct sm4_many *m, struct sm4_room *room, size_t offset)
{
    m->round = (const uint8_t(*)[4])(m->args->key[m->first] + offset);
    if (!m->args->own_keys)
        return 0;
    sm4_columns(room->column, m->args->key, m->first, SM4_SET, offset);
    m->round = (const uint8_t(*)[4])room->column;
    return 1;
}

void OCT_NAME(sm4_ctr_many)(const struct oct_sm4_many_args *args)
{
    struct sm4_room room;
    for (size_t first = 0; first < args->count; first += SM4_SET) {
        struct sm4_many m = sm4_many_of(args, first);
        const struct sm4_counters c = sm4_counters_of(&m, 0);
        if (sm4_many_keys(&m, &room, 0)) {
            sm4_many_steps(&m, &c, 0, 0, SM4_COLUMNS);
            oct_cleanse(&room, sizeof room);
        } else {
            sm4_many_steps(&m, &c, 0, 0, SM4_FORWARDS);
        }
    }
    blocks_clear_registers();
}

void OCT_NAME(sm4_cbc_open_many)(const struct oct_sm4_many_args *args)
{
    uint8_t before[SM4_SET][16];
    struct sm4_room room;
    for (size_t first = 0; first < args->count; first += SM4_SET) {
        struct sm4_many m = sm4_many_of(args, first);
        for (size_t t = 0; t < SM4_SET; t++)
            b1_store(before[t], sm4_many_block(&m, t, 0));
        if (sm4_many_keys(&m, &room, 0)) {
            sm4_many_cbc_open(&m, before, SM4_COLUMNS);
            oct_cleanse(&room, sizeof room);
        } else {
            sm4_many_cbc_open(&m, before, SM4_FORWARDS);
        }
    }
    blocks_clear_registers();
}

/* --- SM4-GCM */

/* A block fewer than a vector has: the one that is left has the lengths. */
#define SM4_KEEP ((size_t)16 * (BV_LANES - 1))

/* p += bytes, at most a vector of them, times the powers of H from e on. */
VEC_STEP void sm4_many_hash(struct products *p, const struct gcm_key *key, const uint8_t *in, size_t n, size_t e)
{
    ghash_mul1(p, bv_reverse(bv_load_some(in, n)), ghash_powers(key, e));
}

/* A record's products, not reduced. The block of lengths, which meets H^1, goes with the end of the additional data. */
VEC_STEP struct products sm4_many_products(const struct oct_sm4_many_args *args, size_t t, const int opening)
{
    const struct gcm_key *key = (const struct gcm_key *)args->key[t];
    const uint8_t *aad = args->aad[t], *text = opening ? args->in[t] : args->out[t];
    const b1 lengths = b1_set(8 * (uint64_t)args->len[t], 8 * (uint64_t)args->aad_len[t]);
    size_t left = args->aad_len[t], e = (left + 15) / 16 + (args->len[t] + 15) / 16 + 1;
    struct products p = products_zero();
    for (size_t n; left > SM4_KEEP; left -= n, aad += n, e -= (n + 15) / 16) {
        n = left < BV_BYTES ? left : BV_BYTES;
        sm4_many_hash(&p, key, aad, n, e);
    }
    ghash_mul1(&p, bv_put(bv_reverse(bv_load_some(aad, left)), BV_LANES - 1, lengths),
               bv_put(ghash_powers(key, e), BV_LANES - 1, b1_load(ghash_power(key, 1))));
    e -= (left + 15) / 16;
    for (left = args->len[t]; left > BV_BYTES; left -= BV_BYTES, text += BV_BYTES, e -= BV_LANES)
        ghash_mul1(&p, bv_reverse(bv_load(text)), ghash_powers(key, e));
    if (left)
        sm4_many_hash(&p, key, text, left, e);
    return p;
}

/* Lane j = the sum of row[j]'s lanes. */
VEC_STEP bv sm4_fold_rows(bv row[BV_LANES])
{
    bv_transpose(row);
    VEC_UNROLL
    for (int j = 1; j < BV_LANES; j++)
        row[0] = bv_xor(row[0], row[j]);
    return row[0];
}

/* GHASH of BV_LANES records from number t on. */
static OCT_NOINLINE void sm4_many_sums(uint8_t *sums, const struct oct_sm4_many_args *args, size_t t, int opening)
{
    bv low[BV_LANES], mid[BV_LANES], high[BV_LANES];
    VEC_UNROLL
    for (size_t j = 0; j < BV_LANES; j++) {
        const struct products p = sm4_many_products(args, t + j, opening);
        low[j] = p.low;
        mid[j] = p.mid;
        high[j] = p.high;
    }
    const struct products p = {sm4_fold_rows(low), sm4_fold_rows(mid), sm4_fold_rows(high)};
    bv_store(sums, bv_reverse(ghash_reduce(&p)));
}

/* Those of a set. */
VEC_STEP void sm4_many_hashes(uint8_t *sums, const struct sm4_many *m, int opening)
{
    for (size_t j = 0; j < SM4_SET; j += BV_LANES)
        if (m->first + j < m->args->count)
            sm4_many_sums(sums + 16 * j, m->args, m->first + j, opening);
}

/* A set's texts under counters that follow j0, and E(j0). */
VEC_STEP void sm4_many_crypt(const struct sm4_many *m, uint8_t *mask, const int how)
{
    const struct sm4_counters c = sm4_counters_of(m, 1);
    if (m->shortest >= SM4_STEP)
        sm4_many_step(m, &c, 0, 1, how, 1, mask, 1);
    else
        sm4_many_step(m, &c, 0, 1, how, 0, mask, 1);
    sm4_many_steps(m, &c, SM4_STEP, 1, how);
}

static OCT_NOINLINE void sm4_many_gcm(const struct oct_sm4_many_args *args, size_t first, int opening)
{
    uint8_t sums[SM4_SET_BYTES] OCT_ALIGN64, mask[SM4_SET_BYTES] OCT_ALIGN64;
    struct sm4_many m = sm4_many_of(args, first);
    struct sm4_room room;
    if (opening)
        sm4_many_hashes(sums, &m, opening);
    if (sm4_many_keys(&m, &room, SM4_GCM_ROUND)) {
        sm4_many_crypt(&m, mask, SM4_COLUMNS);
        oct_cleanse(&room, sizeof room);
    } else {
        sm4_many_crypt(&m, mask, SM4_FORWARDS);
    }
    if (!opening)
        sm4_many_hashes(sums, &m, opening);
    for (size_t t = 0; t < SM4_SET && first + t < args->count; t++)
        b1_store(args->tag[first + t], b1_xor(b1_load(sums + 16 * t), b1_load(mask + 16 * t)));
    oct_cleanse(mask, sizeof mask);
    oct_cleanse(sums, sizeof sums);
}

void OCT_NAME(sm4gcm_seal_many)(const struct oct_sm4_many_args *args)
{
    for (size_t first = 0; first < args->count; first += SM4_SET)
        sm4_many_gcm(args, first, 0);
    blocks_clear_registers();
}

void OCT_NAME(sm4gcm_open_many)(const struct oct_sm4_many_args *args)
{
    for (size_t first = 0; first < args->count; first += SM4_SET)
        sm4_many_gcm(args, first, 1);
    blocks_clear_registers();
}
