/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Longer records on vectors of four lanes, after gcm_impl.h: groups of GCM_GROUP vectors, at least one, then 1 to
 * GCM_GROUP vectors, the last one with any number of bytes. In the rounds of a group stand the products of the group
 * before when sealing, its own when opening. The last whole group and what follows it meet consecutive powers, and one
 * reduction serves both. Long records have bulk groups before all that.
 */

#define GCM_GROUP       4
#define GCM_GROUP_BYTES ((size_t)BV_BYTES * GCM_GROUP)
/* From here on there are bulk groups; they leave one more group at least. */
#define GCM_LONG      3900
#define GCM_LONG_KEEP (GCM_GROUP_BYTES + 1)
_Static_assert(2 * BV_LANES * GCM_GROUP + BV_LANES + 1 <= GHASH_POWERS && 2 * GCM_GROUP <= BV_BULK,
               "powers for two groups");

/* What is hashed in the rounds of a group. */
enum gcm_weave {
    GCM_NOTHING,
    GCM_BULK,       /* the bulk group before, and the reduction follows */
    GCM_LANES_MORE, /* a whole group, lane by lane, and another one follows before the reduction */
    GCM_LANES,      /* the same, and the reduction follows */
    GCM_CONSECUTIVE /* vectors that meet consecutive powers */
};

/* p += products of vectors i and i+1 of n (constants), which begin at power e; the first one gets the sum. */
VEC_STEP void gcm_pair(struct products *p, const struct gcm_run *r, const bv *x, const int i, const int n,
                       const enum gcm_weave weave, size_t e)
{
    const bv x0 = i == 0 ? bv_xor(bv_reverse(x[0]), r->sum) : bv_reverse(x[i]);
    if (weave == GCM_LANES || weave == GCM_LANES_MORE) {
        ghash_pair(p, x0, bv_reverse(x[i + 1]), r->key, i, weave == GCM_LANES ? n : 2 * n);
        return;
    }
    const bv h0 = ghash_powers(r->key, e - BV_LANES * (size_t)i);
    if (i + 1 < n) {
        const bv h1 = ghash_powers(r->key, e - BV_LANES * (size_t)(i + 1));
        ghash_mul2(p, x0, bv_reverse(x[i + 1]), h0, h1, ghash_middle(h0, h1));
    } else {
        ghash_mul1(p, x0, h0);
    }
}

/* Vectors that are hashed, n of them (constant), from power e on; the last one of text may have the lengths in it. Or
 * a bulk group. */
struct gcm_hashed {
    bv x[GCM_GROUP];
    size_t e;
    struct gcm_bulk bulk;
};

/* A vector of blocks, with the first round key, that goes through a group's rounds beside it. */
struct gcm_beside {
    bv x;
    const uint8_t (*key)[16]; /* NULL: the key of the text */
};

VEC_STEP void gcm_beside_round(struct gcm_beside *e, const int round, bv k)
{
    if (e && e->key)
        k = bv_broadcast(e->key[round]);
    if (e)
        e->x = round < GCM_ROUNDS ? bv_aes(e->x, k) : bv_aes_last(e->x, k);
}

/* Vectors i and i+1 of what is woven into a group's rounds. */
VEC_STEP void gcm_woven_pair(struct products *p, const struct gcm_run *r, const struct gcm_hashed *h, const int i,
                             const int n, const enum gcm_weave weave)
{
    if (weave == GCM_BULK)
        gcm_bulk_pair(p, r, &h->bulk, i);
    else
        gcm_pair(p, r, h->x, i, n, weave, h->e);
}

/* The rounds of n vectors but for the first key and the last round, with what is woven in. */
VEC_STEP void gcm_group_rounds(bv *b, const int n, struct products *p, const struct gcm_run *r,
                               const struct gcm_hashed *h, const int hashed, const enum gcm_weave weave,
                               struct gcm_beside *e)
{
    const int pairs = weave == GCM_NOTHING ? 0 : weave == GCM_BULK ? BV_BULK / 2 : (hashed + 1) / 2;
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        const bv k = bv_load(r->key->round[round]);
        VEC_UNROLL
        for (int i = 0; i < n; i++)
            b[i] = bv_aes(b[i], k);
        gcm_beside_round(e, round, k);
        VEC_UNROLL
        for (int q = 0; q < pairs; q++)
            if (round - 1 == q * (GCM_ROUNDS - 1) / pairs)
                gcm_woven_pair(p, r, h, 2 * q, hashed, weave);
    }
    gcm_beside_round(e, GCM_ROUNDS, bv_load(r->key->round[GCM_ROUNDS]));
}

/* The next n vectors (constant), the last one with `last` bytes; between the rounds stand `hashed` vectors of h, which
 * are the text's own when opening, and which become the ciphertext when sealing. */
VEC_STEP void gcm_group(struct gcm_run *r, struct products *p, struct gcm_hashed *h, const int n, size_t last,
                        const int hashed, const enum gcm_weave weave, const enum gcm_mode mode, struct gcm_beside *e)
{
    bv b[GCM_GROUP], t[GCM_GROUP];
    gcm_counters(r, b, n);
    gcm_group_rounds(b, n, p, r, h, hashed, weave, e);
    gcm_load_text(t, r->in, n, last);
    gcm_store_text(b, t, r->key, r->out, n, last);
    VEC_UNROLL
    for (int i = 0; mode == GCM_SEAL && i < n; i++)
        h->x[i] = b[i];
    if (weave == GCM_LANES || weave == GCM_BULK) {
        r->sum = ghash_reduce(p);
        *p = products_zero();
    } else if (weave != GCM_NOTHING) {
        r->sum = bv_zero();
    }
    gcm_advance(r, BV_BYTES * (size_t)(n - 1) + last);
}

/* A whole group. */
VEC_STEP void gcm_whole_group(struct gcm_run *r, struct products *p, struct gcm_hashed *h, const enum gcm_weave weave,
                              const enum gcm_mode mode)
{
    if (mode == GCM_OPEN)
        gcm_load_text(h->x, r->in, GCM_GROUP, BV_BYTES);
    gcm_group(r, p, h, GCM_GROUP, BV_BYTES, GCM_GROUP, weave, mode, NULL);
}

/* The block of lengths behind `blocks` blocks, whose last vector is x: in that vector, if there is room. */
VEC_STEP bv gcm_with_lengths(struct products *p, const struct gcm_key *key, bv x, size_t blocks, b1 lengths)
{
    if (blocks % BV_LANES)
        return bv_put(x, blocks % BV_LANES, b1_reverse(lengths));
    ghash_mul1(p, bv_first_lane(lengths), bv_first_lane(b1_load(ghash_power(key, 1))));
    return x;
}

/* The last n vectors (constant), r->left bytes, with the block of lengths. When sealing h is the last group, and these
 * vectors wait in it afterwards. */
VEC_STEP void gcm_last_group(struct gcm_run *r, struct products *p, struct gcm_hashed *h, b1 lengths, const int n,
                             const enum gcm_mode mode, struct gcm_beside *e)
{
    const size_t blocks = (r->left + 15) / 16, last = r->left - BV_BYTES * (size_t)(n - 1);
    if (mode == GCM_OPEN) {
        gcm_load_text(h->x, r->in, n, last);
        h->x[n - 1] = gcm_with_lengths(p, r->key, h->x[n - 1], blocks, lengths);
        h->e = blocks + 1;
    }
    gcm_group(r, p, h, n, last, mode == GCM_OPEN ? n : GCM_GROUP, GCM_CONSECUTIVE, mode, e);
    if (mode == GCM_SEAL) {
        h->x[n - 1] = gcm_with_lengths(p, r->key, h->x[n - 1], blocks, lengths);
        h->e = blocks + 1;
    }
}

/* Products of n vectors (constant) that wait. */
VEC_STEP void gcm_hash_waiting(struct gcm_run *r, struct products *p, const struct gcm_hashed *h, const int n)
{
    VEC_UNROLL
    for (int i = 0; i < n; i += 2)
        gcm_pair(p, r, h->x, i, n, GCM_CONSECUTIVE, h->e);
}

/* The end of a record; returns its tag. J0 goes through the rounds here and not before: E(J0) would have to be stored
 * meanwhile, and loads that look as if they met that store would wait for it. */
VEC_STEP b1 gcm_long_end(struct gcm_run *r, struct products *p, struct gcm_hashed *h, b1 lengths, b1 j0, const int n,
                         const enum gcm_mode mode)
{
    struct gcm_beside e = {bv_xor(bv_first_lane(j0), bv_load(r->key->round[0])), NULL};
    gcm_last_group(r, p, h, lengths, n, mode, &e);
    if (mode == GCM_SEAL)
        gcm_hash_waiting(r, p, h, n);
    return b1_xor(bv_first(e.x), b1_reverse(bv_fold(ghash_reduce(p))));
}

#define GCM_LONG_END(n)                                                                                                \
    case n:                                                                                                            \
        return gcm_long_end(r, p, h, lengths, j0, n, mode)

/* One to GCM_GROUP vectors. */
VEC_STEP b1 gcm_long_end_any(struct gcm_run *r, struct products *p, struct gcm_hashed *h, b1 lengths, b1 j0,
                             const enum gcm_mode mode)
{
    switch ((r->left + BV_BYTES - 1) / BV_BYTES) {
        GCM_LONG_END(1);
        GCM_LONG_END(2);
        GCM_LONG_END(3);
    default:
        return gcm_long_end(r, p, h, lengths, j0, GCM_GROUP, mode);
    }
}

/* Whole groups before the last vectors, and blocks in these; of more than no bytes. */
OCT_INLINE size_t gcm_groups_of(size_t bytes)
{
    return (bytes - 1) / GCM_GROUP_BYTES;
}
OCT_INLINE size_t gcm_blocks_behind(size_t bytes)
{
    return (bytes - gcm_groups_of(bytes) * GCM_GROUP_BYTES + 15) / 16;
}

/* All groups of a text that has at least one, but when sealing not the first one, which is in h. */
VEC_STEP void gcm_groups(struct gcm_run *r, struct products *p, struct gcm_hashed *h, size_t groups,
                         const enum gcm_mode mode)
{
    h->e = BV_LANES * GCM_GROUP + gcm_blocks_behind(r->left) + 1;
    groups -= 1;
    r->first = 0;
    if (groups % 2)
        gcm_whole_group(r, p, h, GCM_LANES, mode);
    for (groups /= 2; groups > 0; groups--) {
        gcm_whole_group(r, p, h, GCM_LANES_MORE, mode);
        gcm_whole_group(r, p, h, GCM_LANES, mode);
    }
    if (mode == GCM_OPEN)
        gcm_whole_group(r, p, h, GCM_CONSECUTIVE, mode);
}

/* Products of the vector before a text of at least one group: before the first group of a reduction, or before the one
 * that meets consecutive powers. */
VEC_STEP struct products gcm_before(const struct gcm_key *key, bv before, size_t len)
{
    const size_t groups = gcm_groups_of(len), far = BV_LANES * ((groups % 2 ? 2 : 1) * GCM_GROUP + 1);
    const size_t near = BV_LANES * (GCM_GROUP + 1) + gcm_blocks_behind(len) + 1;
    struct products p = products_zero();
    ghash_mul1(&p, before, groups > 1 ? bv_set1(b1_load(ghash_power(key, far))) : ghash_powers(key, near));
    return p;
}

/* A text's beginning; the nonce has zeros above. */
VEC_STEP struct gcm_run gcm_text_run(const struct gcm_key *key, const uint8_t *in, uint8_t *out, size_t len, b1 nonce)
{
    struct gcm_run r = {.key = key, .in = in, .out = out, .left = len, .rows = 1, .first = 1};
    r.counter = bv_set1(b1_reverse(nonce));
    r.base = gcm_row_base(bv_set1(nonce), key);
    r.sum = bv_zero();
    return r;
}

/* A record of more than one group, with at most GCM_NEAR bytes of additional data; returns its tag. */
VEC_STEP b1 gcm_long(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in, uint8_t *out,
                     size_t len, b1 nonce, const enum gcm_mode mode)
{
    struct gcm_run r = gcm_text_run(key, in, out, len, nonce);
    const b1 j0 = gcm_j0(nonce);
    const b1 lengths = b1_set(8 * (uint64_t)len, 8 * (uint64_t)aad_len);
    const bv before = bv_reverse(bv_load_ending(aad, aad_len));
    struct products p = products_zero();
    struct gcm_hashed h;
    size_t groups;
    if (len > GCM_LONG) {
        r.sum = ghash_lanes_mul(before, ghash_wide(key, 1));
        gcm_bulk_text(&r, &h.bulk, mode, GCM_LONG_KEEP);
        groups = gcm_groups_of(r.left);
        if (mode == GCM_SEAL)
            gcm_whole_group(&r, &p, &h, GCM_BULK, mode);
    } else {
        p = gcm_before(key, before, len);
        groups = gcm_groups_of(r.left);
        if (mode == GCM_SEAL)
            gcm_whole_group(&r, &p, &h, GCM_NOTHING, mode);
    }
    gcm_groups(&r, &p, &h, groups, mode);
    return gcm_long_end_any(&r, &p, &h, lengths, j0, mode);
}

static OCT_NOINLINE b1 gcm_seal_long(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                     uint8_t *out, size_t len, b1 nonce)
{
    return gcm_long(key, aad, aad_len, in, out, len, nonce, GCM_SEAL);
}
static OCT_NOINLINE b1 gcm_open_long(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                     uint8_t *out, size_t len, b1 nonce)
{
    return gcm_long(key, aad, aad_len, in, out, len, nonce, GCM_OPEN);
}
