/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Several records under one key, after gcm_impl.h. Where vectors have four lanes, four short records go side by side:
 * one vector has their four E(J0), their four last blocks of additional data, their four blocks of lengths, and one
 * reduction serves their four tags. All others go one after the other, and the processor overlaps what it can.
 */
#if BV_LANES == 4

#define GCM_FOUR_VECTORS 3 /* at most so many of text each */

/* The four records' blocks that stand outside of their texts, a record in each lane, and the powers that they meet. */
struct gcm_four {
    bv mask, aad, before, lengths; /* before: the block before the last of additional data */
    bv aad_power, before_power;
};

VEC_STEP void gcm_four_load(struct gcm_four *f, const struct gcm_key *key, const struct oct_aead_record *record)
{
    *f = (struct gcm_four){bv_zero(), bv_zero(), bv_zero(), bv_zero(), bv_zero(), bv_zero()};
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        const size_t blocks = (record[i].len + 15) / 16, aad_len = record[i].aad_len, first = aad_len > 16 ? 16 : 0;
        f->aad = bv_put(f->aad, (size_t)i, b1_load_part(record[i].aad + first, aad_len - first));
        f->before = bv_put(f->before, (size_t)i, b1_load_part(record[i].aad, first));
        f->lengths = bv_put(f->lengths, (size_t)i, b1_set(8 * (uint64_t)record[i].len, 8 * (uint64_t)aad_len));
        f->aad_power = bv_put(f->aad_power, (size_t)i, b1_load(ghash_power(key, blocks + 2)));
        f->before_power = bv_put(f->before_power, (size_t)i, b1_load(ghash_power(key, blocks + 3)));
    }
    f->aad = bv_reverse(f->aad);
    f->before = bv_reverse(f->before);
}

/* The counter blocks of one record, its J0 in lane i of `mask`. */
VEC_STEP void gcm_four_counters(bv *b, bv *mask, const struct gcm_key *key, const uint8_t *nonce, const int i,
                                const int n)
{
    const b1 j0 = b1_or(b1_load_part(nonce, OCT_AEAD_NONCE), b1_set(0, (uint64_t)1 << 56));
    const bv k0 = bv_broadcast(key->round[0]), step = bv_set1(b1_set(0, (uint64_t)4 << 56));
    bv block = bv_add32(bv_set1(j0), bv_reverse(bv_add32(bv_lane_numbers(), bv_set1(b1_set(1, 0)))));
    *mask = bv_put(*mask, (size_t)i, j0);
    VEC_UNROLL
    for (int z = 0; z < n; z++) {
        b[z] = bv_xor(block, k0);
        block = bv_add32(block, step);
    }
}

/* The text of one record, and its products. A vector that the text does not reach is zero, whatever power it meets. */
VEC_STEP void gcm_four_text(struct products *p, bv *b, const struct gcm_key *key, const struct oct_aead_record *record,
                            const enum gcm_mode mode, const int n)
{
    const bv k = bv_broadcast(key->round[GCM_ROUNDS]);
    const size_t e = (record->len + 15) / 16 + 1;
    bv x[GCM_FOUR_VECTORS], h[GCM_FOUR_VECTORS];
    VEC_UNROLL
    for (int z = 0; z < n; z++) {
        const size_t at = 64 * (size_t)z, left = record->len > at ? record->len - at : 0, here = left < 64 ? left : 64;
        const bv text = bv_load_part(record->in + at, here), out = bv_aes_last(b[z], bv_xor(k, text));
        bv_store_part(record->out + at, out, here);
        x[z] = bv_reverse(mode == GCM_SEAL ? bv_keep(out, here) : text);
        h[z] = ghash_powers(key, e > 4 * (size_t)z ? e - 4 * (size_t)z : 1);
    }
    *p = products_zero();
    if (n > 1)
        ghash_mul2(p, x[0], x[1], h[0], h[1], ghash_middle(h[0], h[1]));
    if (n & 1)
        ghash_mul1(p, x[n - 1], h[n - 1]);
}

VEC_STEP void gcm_four(const struct gcm_key *key, const struct oct_aead_record *record, const enum gcm_mode mode,
                       const int n)
{
    bv b[4][GCM_FOUR_VECTORS];
    struct gcm_four f;
    struct products p[4], all = products_zero();
    gcm_four_load(&f, key, record);
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        gcm_four_counters(b[i], &f.mask, key, record[i].nonce, i, n);
    f.mask = bv_xor(f.mask, bv_broadcast(key->round[0]));
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        const bv k = bv_broadcast(key->round[round]);
        f.mask = bv_aes(f.mask, k);
        VEC_UNROLL
        for (int i = 0; i < 4; i++)
            VEC_UNROLL
            for (int z = 0; z < n; z++)
                b[i][z] = bv_aes(b[i][z], k);
    }
    f.mask = bv_aes_last(f.mask, bv_broadcast(key->round[GCM_ROUNDS]));
    ghash_mul1(&all, f.aad, f.aad_power);
    ghash_mul1(&all, f.before, f.before_power);
    ghash_mul1(&all, f.lengths, bv_broadcast(ghash_power(key, 1)));
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        gcm_four_text(&p[i], b[i], key, &record[i], mode, n);
    all.low = bv_xor(all.low, bv_fold4(p[0].low, p[1].low, p[2].low, p[3].low));
    all.mid = bv_xor(all.mid, bv_fold4(p[0].mid, p[1].mid, p[2].mid, p[3].mid));
    all.high = bv_xor(all.high, bv_fold4(p[0].high, p[1].high, p[2].high, p[3].high));
    const bv tag = bv_xor(f.mask, bv_reverse(ghash_reduce(&all)));
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        b1_store(record[i].tag, bv_lane(tag, i));
}

/* Four records, if they are short enough; else 0. */
VEC_STEP int gcm_four_any(const struct gcm_key *key, const struct oct_aead_record *record, const enum gcm_mode mode)
{
    size_t most = 0, aad_most = 0;
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        most = record[i].len > most ? record[i].len : most;
        aad_most = record[i].aad_len > aad_most ? record[i].aad_len : aad_most;
    }
    if (most > 64 * GCM_FOUR_VECTORS || aad_most > 32)
        return 0;
    if (most <= 64)
        gcm_four(key, record, mode, 1);
    else if (most <= 128)
        gcm_four(key, record, mode, 2);
    else
        gcm_four(key, record, mode, 3);
    return 1;
}

/* Functions of their own, so that the record is an argument. */
static OCT_NOINLINE int gcm_seal_four(const struct gcm_key *key, const struct oct_aead_record *record)
{
    return gcm_four_any(key, record, GCM_SEAL);
}
static OCT_NOINLINE int gcm_open_four(const struct gcm_key *key, const struct oct_aead_record *record)
{
    return gcm_four_any(key, record, GCM_OPEN);
}
#else
OCT_INLINE int gcm_seal_four(const struct gcm_key *key, const struct oct_aead_record *record)
{
    (void)key, (void)record;
    return 0;
}
OCT_INLINE int gcm_open_four(const struct gcm_key *key, const struct oct_aead_record *record)
{
    (void)key, (void)record;
    return 0;
}
#endif

OCT_INLINE void gcm_burst(const struct oct_aead_burst_args *args, const enum gcm_mode mode)
{
    const struct oct_aead_record *record = args->record;
    for (size_t left = args->count; left > 0;) {
        if (left >= 4 && (mode == GCM_SEAL ? gcm_seal_four(args->key, record) : gcm_open_four(args->key, record))) {
            record += 4;
            left -= 4;
            continue;
        }
        if (mode == GCM_SEAL)
            gcm_seal(args->key, record);
        else
            gcm_open(args->key, record);
        record++;
        left--;
    }
}

void GCM_NAME(seal_burst)(const struct oct_aead_burst_args *args)
{
    gcm_burst(args, GCM_SEAL);
}

void GCM_NAME(open_burst)(const struct oct_aead_burst_args *args)
{
    gcm_burst(args, GCM_OPEN);
}
