/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packets one after the other, in gcm_packet_impl.h, on vectors of four lanes: all that gcm_four_impl.h does not
 * take. What is left to hash of a packet when it is sealed waits, and stands between the rounds of the next one; an
 * opened packet is hashed in its own rounds. Four packets share the rounds of their J0 and one reduction: their sums
 * become one vector, a packet in each lane, and so do their tags.
 */

#define GCM_FLOW_TEXT 3900 /* at most so many bytes each: counters stay below 256 */

/* Packets that are complete; in memory. */
struct gcm_sums {
    struct products of[4];
};

/* Nothing takes its address but what becomes part of its caller, so that it is registers. */
struct gcm_flow {
    const struct oct_aead_packets_args *args;
    struct gcm_sums *sums;
    struct gcm_hashed h; /* when sealing: the last vectors of the packet before */
    struct products p;   /* what else there is of it */
    bv mask;             /* four E(J0) */
};

/* The J0 of m packets from `at` on. */
VEC_STEP struct gcm_beside gcm_flow_j0(const struct oct_aead_packets_args *args, size_t at, size_t m)
{
    const struct gcm_key *key = args->key;
    bv numbers = bv_zero();
    VEC_UNROLL
    for (size_t i = 0; i < 4; i++)
        numbers = bv_put(numbers, i, b1_number(args->packet[at + (i < m ? i : 0)].number));
    return (struct gcm_beside){bv_xor3(numbers, bv_set1(gcm_packet_j0(args)), bv_load(key->round[0])), NULL};
}

/* The samples of four headers from `at` on. */
VEC_STEP struct gcm_beside gcm_flow_samples(const struct oct_aead_packets_args *args, size_t at)
{
    const uint8_t(*key)[16] = args->mask_key;
    bv x = bv_broadcast(key[0]);
    bv samples = bv_zero();
    VEC_UNROLL
    for (size_t i = 0; i < 4; i++)
        samples = bv_put(samples, i, b1_load(gcm_sample(&args->packet[at + i])));
    return (struct gcm_beside){bv_xor(x, samples), key};
}

VEC_STEP void gcm_flow_protect(const struct oct_aead_packets_args *args, size_t at, bv masks)
{
    uint8_t mask[GCM_PACKETS][16] OCT_ALIGN64;
    bv_store(mask[0], masks);
    gcm_mask_headers(&args->packet[at], mask, 4);
}

/* The tags of m packets from `at` on. */
VEC_STEP void gcm_flow_tags(struct gcm_flow *f, size_t at, size_t m, const enum gcm_mode mode)
{
    const struct products *of = f->sums->of;
    const struct products p = {bv_fold4(of[0].low, of[1].low, of[2].low, of[3].low),
                               bv_fold4(of[0].mid, of[1].mid, of[2].mid, of[3].mid),
                               bv_fold4(of[0].high, of[1].high, of[2].high, of[3].high)};
    const bv tag = bv_xor(f->mask, bv_reverse(ghash_reduce(&p)));
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        if ((size_t)i < m)
            b1_store(gcm_packet_tag(f->args, at + (size_t)i, mode), bv_lane(tag, i));
}

/* Products of a header and, where the text is a single group, of the lengths. */
VEC_STEP struct products gcm_flow_header(const struct gcm_key *key, const struct oct_aead_packet *packet, b1 lengths)
{
    const size_t len = packet->len, aad_len = packet->header_len, blocks = (len + 15) / 16;
    if (len > GCM_GROUP_BYTES)
        return gcm_before(key, bv_reverse(bv_load_ending(packet->data, aad_len)), len);
    struct products p = products_zero();
    const bv x = bv_put(bv_reverse(bv_load_part(packet->data, aad_len)), BV_LANES - 1, lengths);
    const bv h = ghash_powers(key, (aad_len + 15) / 16 + blocks + 1);
    ghash_mul1(&p, x, bv_put(h, BV_LANES - 1, b1_load(ghash_power(key, 1))));
    return p;
}

/* What a packet's text begins with. */
VEC_STEP struct gcm_run gcm_flow_begin(const struct gcm_flow *f, const struct oct_aead_packet *packet)
{
    uint8_t *text = packet->data + packet->header_len;
    const b1 nonce = b1_xor(b1_load_part(f->args->iv, OCT_AEAD_NONCE), b1_number(packet->number));
    return gcm_text_run(f->args->key, text, text, packet->len, nonce);
}

/* Seals a packet whose last group, which may be the first, has n vectors (constant), as the one before has; what is
 * left of that is hashed, and its sum goes to `done`. */
VEC_STEP void gcm_flow_seal(struct gcm_flow *f, const struct oct_aead_packet *packet, struct products *done,
                            const int n, struct gcm_beside *e)
{
    const b1 lengths = b1_set(8 * (uint64_t)packet->len, 8 * (uint64_t)packet->header_len);
    struct gcm_run r = gcm_flow_begin(f, packet);
    const struct products header = gcm_flow_header(r.key, packet, lengths);
    const size_t groups = gcm_groups_of(packet->len);
    if (groups > 0) {
        gcm_group(&r, &f->p, &f->h, GCM_GROUP, BV_BYTES, n, GCM_CONSECUTIVE, GCM_SEAL, e);
        *done = f->p;
        f->p = header;
        gcm_groups(&r, &f->p, &f->h, groups, GCM_SEAL);
        gcm_last_group(&r, &f->p, &f->h, lengths, n, GCM_SEAL, NULL);
    } else {
        const size_t last = packet->len - BV_BYTES * (size_t)(n - 1);
        gcm_group(&r, &f->p, &f->h, n, last, n, GCM_CONSECUTIVE, GCM_SEAL, e);
        *done = f->p;
        f->p = header;
        f->h.e = (packet->len + 15) / 16 + 1;
    }
}

/* Opens a packet whose last group has n vectors; its sum goes to `done`. */
VEC_STEP void gcm_flow_open(struct gcm_flow *f, const struct oct_aead_packet *packet, struct products *done,
                            const int n)
{
    const b1 lengths = b1_set(8 * (uint64_t)packet->len, 8 * (uint64_t)packet->header_len);
    struct gcm_run r = gcm_flow_begin(f, packet);
    const size_t groups = gcm_groups_of(packet->len);
    struct products p = gcm_flow_header(r.key, packet, lengths);
    if (groups > 0) {
        gcm_groups(&r, &p, &f->h, groups, GCM_OPEN);
        gcm_last_group(&r, &p, &f->h, lengths, n, GCM_OPEN, NULL);
    } else {
        const size_t last = packet->len - BV_BYTES * (size_t)(n - 1);
        gcm_load_text(f->h.x, r.in, n, last);
        f->h.e = (packet->len + 15) / 16 + 1;
        gcm_group(&r, &p, &f->h, n, last, n, GCM_CONSECUTIVE, GCM_OPEN, NULL);
    }
    *done = p;
}

OCT_INLINE size_t gcm_flow_four(size_t at, size_t end)
{
    return end - at < 4 ? end - at : 4;
}

/* Packet i of m from `at` on. Beside the first one stand the J0 of all of them, beside the third the header masks of
 * the four before, whose tags are there by then. */
VEC_STEP void gcm_flow_seal_one(struct gcm_flow *f, size_t at, const size_t i, struct gcm_beside *j0, const int before,
                                const int n)
{
    const struct oct_aead_packet *packet = &f->args->packet[at + i];
    struct products *done = &f->sums->of[(i + 3) % 4];
    if (i == 2 && before && f->args->mask_key) {
        struct gcm_beside e = gcm_flow_samples(f->args, at - 4);
        gcm_flow_seal(f, packet, done, n, &e);
        gcm_flow_protect(f->args, at - 4, e.x);
        return;
    }
    gcm_flow_seal(f, packet, done, n, i == 0 ? j0 : NULL);
    if (i == 0 && before)
        gcm_flow_tags(f, at - 4, 4, GCM_SEAL);
    if (i == 0)
        f->mask = j0->x;
}

/* Packets from `at` on to `end`, all with n vectors in their last group. */
VEC_STEP void gcm_flow_seal_all(struct gcm_flow *f, size_t at, size_t end, const int n)
{
    const size_t begin = at, last = (end - begin - 1) % 4 + 1;
    struct gcm_run r = {.key = f->args->key};
    r.sum = bv_zero();
    for (; at < end; at += 4) {
        const size_t m = gcm_flow_four(at, end);
        struct gcm_beside j0 = gcm_flow_j0(f->args, at, m);
        VEC_UNROLL
        for (size_t i = 0; i < 4; i++)
            if (i < m)
                gcm_flow_seal_one(f, at, i, &j0, at > begin, n);
        if (m < 3 && at > begin)
            gcm_protect(f->args, at - 4, 4);
    }
    gcm_hash_waiting(&r, &f->p, &f->h, n);
    f->sums->of[last - 1] = f->p;
    gcm_flow_tags(f, end - last, last, GCM_SEAL);
    gcm_protect(f->args, end - last, last);
}

VEC_STEP void gcm_flow_open_all(struct gcm_flow *f, size_t at, size_t end, const int n)
{
    for (; at < end; at += 4) {
        const size_t m = gcm_flow_four(at, end);
        bv b[1] = {gcm_flow_j0(f->args, at, m).x};
        gcm_rounds(b, 1, f->args->key);
        f->mask = bv_aes_last(b[0], bv_load(((const struct gcm_key *)f->args->key)->round[GCM_ROUNDS]));
        VEC_UNROLL
        for (size_t i = 0; i < 4; i++)
            if (i < m)
                gcm_flow_open(f, &f->args->packet[at + i], &f->sums->of[i], n);
        gcm_flow_tags(f, at, m, GCM_OPEN);
    }
}

VEC_STEP void gcm_flow_run(struct gcm_flow *f, size_t at, size_t end, const int n, const enum gcm_mode mode)
{
    if (mode == GCM_SEAL)
        gcm_flow_seal_all(f, at, end, n);
    else
        gcm_flow_open_all(f, at, end, n);
}

/* Nothing waits yet: zeros meet any powers. */
VEC_STEP void gcm_flow_any(const struct oct_aead_packets_args *args, size_t at, size_t end, const enum gcm_mode mode)
{
    struct gcm_sums sums;
    struct gcm_flow f;
    f.args = args;
    f.sums = &sums;
    f.p = products_zero();
    f.mask = bv_zero();
    for (int i = 0; i < 4; i++)
        sums.of[i] = f.p;
    f.h.e = BV_LANES * GCM_GROUP;
    VEC_UNROLL
    for (int i = 0; i < GCM_GROUP; i++)
        f.h.x[i] = bv_zero();
    switch ((gcm_blocks_behind(args->packet[at].len) + BV_LANES - 1) / BV_LANES) {
    case 1:
        gcm_flow_run(&f, at, end, 1, mode);
        break;
    case 2:
        gcm_flow_run(&f, at, end, 2, mode);
        break;
    case 3:
        gcm_flow_run(&f, at, end, 3, mode);
        break;
    default:
        gcm_flow_run(&f, at, end, 4, mode);
    }
    oct_cleanse(&sums, sizeof sums);
}

static OCT_NOINLINE void gcm_flow_seal_run(const struct oct_aead_packets_args *args, size_t at, size_t end)
{
    gcm_flow_any(args, at, end, GCM_SEAL);
}
static OCT_NOINLINE void gcm_flow_open_run(const struct oct_aead_packets_args *args, size_t at, size_t end)
{
    gcm_flow_any(args, at, end, GCM_OPEN);
}

/* How many vectors a text has. */
OCT_INLINE size_t gcm_vectors(size_t bytes)
{
    return (bytes + BV_BYTES - 1) / BV_BYTES;
}

/* Packets from `at` on with as many vectors of text as the first one, if they are at least two, and none too long;
 * returns how many. */
VEC_STEP size_t gcm_flow(const struct oct_aead_packets_args *args, size_t at, const enum gcm_mode mode)
{
    const struct oct_aead_packet *p = &args->packet[at];
    size_t count = 0;
    if (p->len == 0)
        return 0;
    while (at + count < args->count && p[count].len <= GCM_FLOW_TEXT && p[count].header_len <= GCM_NEAR &&
           gcm_vectors(p[count].len) == gcm_vectors(p->len))
        count++;
    if (count < 2)
        return 0;
    if (mode == GCM_SEAL)
        gcm_flow_seal_run(args, at, at + count);
    else
        gcm_flow_open_run(args, at, at + count);
    return count;
}
