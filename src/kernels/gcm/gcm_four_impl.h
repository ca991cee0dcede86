/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Four short QUIC packets side by side, in gcm_packet_impl.h, on vectors of four lanes: a vector of key stream is
 * four blocks of one packet, as memory has them; then rows become columns, a packet in each lane, so that GHASH needs
 * no sums over lanes, and one vector has the four E(J0), the four last blocks of headers, the four blocks of lengths,
 * the four tags.
 */

#define GCM_FOUR_VECTORS 3  /* at most so many of text each */
#define GCM_FOUR_HEADER  32 /* and so many bytes of header */

/* What is ready before four packets' own bytes are read; for packets of one shape, that is of the same lengths, only
 * once. */
struct gcm_four {
    bv counter[GCM_FOUR_VECTORS], to_j0; /* without numbers; what makes J0 of lane i of packet i's first vector */
    size_t len[4], blocks[4];
    size_t at[4];    /* where a header's last block begins, 0 or 16 */
    size_t headers;  /* their lengths, one or-ed to the other: at most 16 only if no header has two blocks */
    bv last, before; /* the bytes of headers in their last blocks and in those before */
    struct products lengths;
};

VEC_STEP void gcm_four_counters(struct gcm_four *f, const struct gcm_key *key, b1 j0, const int n)
{
    const bv one = bv_last_bytes(1, 1, 1, 1), base = bv_xor3(bv_set1(j0), one, bv_load(key->round[0]));
    VEC_UNROLL
    for (int z = 0; z < n; z++)
        f->counter[z] = bv_xor(base, gcm_low_counters((uint8_t)(2 + BV_LANES * z)));
    f->to_j0 = bv_xor(one, gcm_low_counters(2));
}

VEC_STEP void gcm_four_shape(struct gcm_four *f, const struct gcm_key *key, const struct oct_aead_packet *packet)
{
    bv lengths = bv_zero();
    size_t last[4];
    f->headers = 0;
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        const size_t header = packet[i].header_len;
        f->len[i] = packet[i].len;
        f->blocks[i] = (packet[i].len + 15) / 16;
        f->at[i] = header > 16 ? 16 : 0;
        f->headers |= header;
        last[i] = header - f->at[i];
        lengths = bv_put(lengths, (size_t)i, b1_set(8 * (uint64_t)f->len[i], 8 * (uint64_t)header));
    }
    f->last = bv_first_bytes(last);
    f->before = bv_first_bytes(f->at);
    f->lengths = products_zero();
    ghash_mul1_whole(&f->lengths, lengths, bv_broadcast(ghash_power(key, 1)));
}

/* H^e for each packet's e = blocks + above in its lane: what meets the block that so many others follow, the lengths
 * included. Where there is no such block all is zero, and any power will do. */
VEC_STEP bv gcm_four_power(const struct gcm_key *key, const struct gcm_four *f, const int above, const int same)
{
    size_t e[4];
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        e[i] = above > 0 || f->blocks[i] > (size_t)-above ? f->blocks[i] + (size_t)above : 1;
    bv h = bv_broadcast(key->power[GHASH_POWERS - e[0]]);
    if (same)
        return h;
    VEC_UNROLL
    for (int i = 1; i < 4; i++)
        h = bv_put(h, (size_t)i, b1_load(key->power[GHASH_POWERS - e[i]]));
    return h;
}

/* What GHASH needs of four packets: ciphertext, the header's last block and the one before, reversed. */
struct gcm_rows {
    bv x[GCM_FOUR_VECTORS][4], last, before, mask;
};

/* The last block may be read as a whole: a tag follows the text. */
VEC_STEP void gcm_four_headers(struct gcm_rows *r, const struct oct_aead_packet *packet, const struct gcm_four *f,
                               const int same)
{
    r->last = r->before = bv_zero();
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        r->last = bv_put(r->last, (size_t)i, b1_load(packet[i].data + f->at[same ? 0 : i]));
    r->last = bv_reverse(bv_and(r->last, f->last));
    if (f->headers <= 16)
        return;
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        r->before = bv_put(r->before, (size_t)i, b1_load(packet[i].data));
    r->before = bv_reverse(bv_and(r->before, f->before));
}

/* Vector z of a text; returns what became of it. A whole vector is stored as such: what is stored under a mask is not
 * at hand for loads that follow soon. */
VEC_STEP bv gcm_four_row(const struct gcm_key *key, uint8_t *p, size_t len, bv stream, const int z)
{
    const size_t at = 64 * (size_t)z, left = len > at ? len - at : 0;
    const bv k = bv_load(key->round[GCM_ROUNDS]);
    if (left >= 64) {
        const bv out = bv_aes_last(stream, bv_xor(k, bv_load(p + at)));
        bv_store(p + at, out);
        return out;
    }
    const bv out = bv_aes_last(stream, bv_xor(k, bv_load_part(p + at, left)));
    bv_store_part(p + at, out, left);
    return bv_keep(out, left);
}

/* Four texts, n vectors of each. What they have become is for `sealed`, if that is not NULL. */
VEC_STEP void gcm_four_texts(struct gcm_rows *sealed, const struct gcm_key *key, const struct oct_aead_packet *packet,
                             const struct gcm_four *f, bv b[GCM_FOUR_VECTORS][4], const int n, const int same)
{
    VEC_UNROLL
    for (int z = 0; z < n; z++) {
        VEC_UNROLL
        for (int i = 0; i < 4; i++) {
            uint8_t *text = packet[i].data + packet[i].header_len;
            const bv out = gcm_four_row(key, text, f->len[same ? 0 : i], b[z][i], z);
            if (sealed)
                sealed->x[z][i] = out;
        }
    }
}

/* Four texts that are ciphertext. */
VEC_STEP void gcm_four_load(struct gcm_rows *r, const struct oct_aead_packet *packet, const struct gcm_four *f,
                            const int n, const int same)
{
    VEC_UNROLL
    for (int z = 0; z < n; z++) {
        VEC_UNROLL
        for (int i = 0; i < 4; i++) {
            const size_t at = 64 * (size_t)z, len = f->len[same ? 0 : i], left = len > at ? len - at : 0;
            const uint8_t *p = packet[i].data + packet[i].header_len + at;
            r->x[z][i] = left >= 64 ? bv_load(p) : bv_load_part(p, left);
        }
    }
}

/* Step q of 2 n + 1: the headers' products, then those of half a vector of each text, whose rows become columns
 * first. */
VEC_STEP void gcm_four_step(struct products *p, const struct gcm_key *key, struct gcm_rows *r, const struct gcm_four *f,
                            const int q, const int same)
{
    const int z = (q - 1) / 2, j = (q - 1) % 2 * 2;
    if (q == 0) {
        ghash_mul1_whole(p, r->last, gcm_four_power(key, f, 2, same));
        if (f->headers > 16)
            ghash_mul1_whole(p, r->before, gcm_four_power(key, f, 3, same));
        return;
    }
    if (j == 0)
        bv_transpose(r->x[z]);
    const bv h0 = gcm_four_power(key, f, 1 - 4 * z - j, same), h1 = gcm_four_power(key, f, -4 * z - j, same);
    ghash_mul2_whole(p, bv_reverse(r->x[z][j]), bv_reverse(r->x[z][j + 1]), h0, h1);
}

/* The first counter blocks of n vectors each, and the four J0. */
VEC_STEP bv gcm_four_blocks(bv b[GCM_FOUR_VECTORS][4], const struct oct_aead_packet *packet, const struct gcm_four *f,
                            const int n)
{
    bv mask = bv_zero();
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        const bv number = bv_number(packet[i].number);
        VEC_UNROLL
        for (int z = 0; z < n; z++)
            b[z][i] = bv_xor(number, f->counter[z]);
        mask = i == 0 ? b[0][0] : bv_blend(mask, i, b[0][i]);
    }
    return bv_xor(mask, f->to_j0);
}

/* The rounds but the last one of four packets, in which the products of `r` are woven, if there are any: those of the
 * same packets to open, of the four before to seal. Returns the four E(J0). */
VEC_STEP bv gcm_four_rounds(bv b[GCM_FOUR_VECTORS][4], bv mask, struct products *p, const struct gcm_key *key,
                            struct gcm_rows *r, const struct gcm_four *f, const int n, const int same)
{
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        const bv k = bv_load(key->round[round]);
        mask = bv_aes(mask, k);
        VEC_UNROLL
        for (int z = 0; z < n; z++) {
            VEC_UNROLL
            for (int i = 0; i < 4; i++)
                b[z][i] = bv_aes(b[z][i], k);
        }
        if (r && round < 2 * n + 2)
            gcm_four_step(p, key, r, f, round - 1, same);
    }
    return bv_aes_last(mask, bv_load(key->round[GCM_ROUNDS]));
}

VEC_STEP void gcm_four_tags(const struct oct_aead_packets_args *args, size_t at, const struct products *p, bv mask,
                            const enum gcm_mode mode)
{
    const bv tag = bv_xor(mask, bv_reverse(ghash_reduce_whole(p)));
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        b1_store(gcm_packet_tag(args, at + (size_t)i, mode), bv_lane(tag, i));
}

/* Groups from `at` on to `end`: the products of each are woven into the rounds of its own. */
VEC_STEP void gcm_four_open(const struct oct_aead_packets_args *args, size_t at, size_t end, const struct gcm_four *f,
                            const int n, const int same)
{
    for (; at < end; at += 4) {
        const struct oct_aead_packet *packet = &args->packet[at];
        bv b[GCM_FOUR_VECTORS][4];
        struct gcm_rows r;
        struct products p = f->lengths;
        gcm_four_headers(&r, packet, f, same);
        gcm_four_load(&r, packet, f, n, same);
        const bv j0 = gcm_four_blocks(b, packet, f, n);
        const bv mask = gcm_four_rounds(b, j0, &p, args->key, &r, f, n, same);
        gcm_four_texts(NULL, args->key, packet, f, b, n, same);
        gcm_four_tags(args, at, &p, mask, GCM_OPEN);
    }
}

/* The same, sealed: the products of each are woven into the rounds of the next. Samples may reach into tags, so masks
 * come last. */
VEC_STEP void gcm_four_seal(const struct oct_aead_packets_args *args, size_t at, size_t end, const struct gcm_four *f,
                            const int n, const int same)
{
    bv b[GCM_FOUR_VECTORS][4];
    struct gcm_rows r;
    struct products p = f->lengths;
    bv mask = gcm_four_rounds(b, gcm_four_blocks(b, &args->packet[at], f, n), &p, args->key, NULL, f, n, same);
    gcm_four_headers(&r, &args->packet[at], f, same);
    gcm_four_texts(&r, args->key, &args->packet[at], f, b, n, same);
    while (same && (at += 4) < end) {
        const struct oct_aead_packet *packet = &args->packet[at];
        const bv next = gcm_four_rounds(b, gcm_four_blocks(b, packet, f, n), &p, args->key, &r, f, n, same);
        gcm_four_tags(args, at - 4, &p, mask, GCM_SEAL);
        gcm_protect(args, at - 4, 4);
        mask = next;
        p = f->lengths;
        gcm_four_headers(&r, packet, f, same);
        gcm_four_texts(&r, args->key, packet, f, b, n, same);
    }
    VEC_UNROLL
    for (int q = 0; q < 2 * n + 1; q++)
        gcm_four_step(&p, args->key, &r, f, q, same);
    gcm_four_tags(args, end - 4, &p, mask, GCM_SEAL);
    gcm_protect(args, end - 4, 4);
}

/* Packets from `at` on to `end`, a multiple of four, of at most n vectors of text; all of one shape if they are the
 * same, else four. */
VEC_STEP void gcm_four_run(const struct oct_aead_packets_args *args, size_t at, size_t end, const enum gcm_mode mode,
                           const int n, const int same)
{
    struct gcm_four f;
    gcm_four_counters(&f, args->key, gcm_packet_j0(args), n);
    gcm_four_shape(&f, args->key, &args->packet[at]);
    if (mode == GCM_SEAL)
        gcm_four_seal(args, at, end, &f, n, same);
    else
        gcm_four_open(args, at, end, &f, n, same);
}

VEC_STEP void gcm_fours(const struct oct_aead_packets_args *args, size_t at, size_t count, size_t most,
                        const enum gcm_mode mode, const int same)
{
    if (most <= 64)
        gcm_four_run(args, at, at + count, mode, 1, same);
    else if (most <= 128)
        gcm_four_run(args, at, at + count, mode, 2, same);
    else
        gcm_four_run(args, at, at + count, mode, 3, same);
}

/* Once each: of one shape and of several, four packets then. */
static OCT_NOINLINE void gcm_seal_same(const struct oct_aead_packets_args *args, size_t at, size_t count, size_t most)
{
    gcm_fours(args, at, count, most, GCM_SEAL, 1);
}
static OCT_NOINLINE void gcm_seal_mixed(const struct oct_aead_packets_args *args, size_t at, size_t most)
{
    gcm_fours(args, at, 4, most, GCM_SEAL, 0);
}
static OCT_NOINLINE void gcm_open_same(const struct oct_aead_packets_args *args, size_t at, size_t count, size_t most)
{
    gcm_fours(args, at, count, most, GCM_OPEN, 1);
}
static OCT_NOINLINE void gcm_open_mixed(const struct oct_aead_packets_args *args, size_t at, size_t most)
{
    gcm_fours(args, at, 4, most, GCM_OPEN, 0);
}

/* How many packets of one shape stand from `at` on. */
OCT_INLINE size_t gcm_count_same(const struct oct_aead_packets_args *args, size_t at)
{
    const struct oct_aead_packet *p = &args->packet[at];
    size_t n = 1;
    while (at + n < args->count && p[n].len == p[0].len && p[n].header_len == p[0].header_len)
        n++;
    return n;
}

/* Packets from `at` on, if four of them are short enough, of which the last is the longest; returns how many. */
VEC_STEP size_t gcm_fours_any(const struct oct_aead_packets_args *args, size_t at, const enum gcm_mode mode)
{
    const struct oct_aead_packet *p = &args->packet[at];
    if (args->count - at < 4 || p[3].len > 64 * GCM_FOUR_VECTORS)
        return 0;
    for (size_t i = 0; i < 4; i++)
        if (p[i].header_len > GCM_FOUR_HEADER)
            return 0;
    const size_t most = p[3].len;
    const size_t same = gcm_count_same(args, at) & ~(size_t)3;
    if (same && mode == GCM_SEAL)
        gcm_seal_same(args, at, same, most);
    else if (same)
        gcm_open_same(args, at, same, most);
    else if (mode == GCM_SEAL)
        gcm_seal_mixed(args, at, most);
    else
        gcm_open_mixed(args, at, most);
    return same ? same : 4;
}
