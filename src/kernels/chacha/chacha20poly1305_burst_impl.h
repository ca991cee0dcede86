/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Records under one key side by side: short ones, and longer ones of one length. ChaCha20's lanes are (record, counter)
 * pairs, the blocks with Poly1305's keys among them, so that short records leave no lane empty but at the end. Poly1305
 * has a record in each lane. Other records go one after the other.
 *
 * Positions are public, and stand in registers; struct aside is secret, and stands alone in the frame of the exported
 * function, as struct message does.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_BURST_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_BURST_IMPL_H

#include "kernels/chacha/chacha20poly1305_impl.h"
#include "kernels/chacha/poly1305_rows_impl.h"

#define ASIDE_TEXT  256
#define ASIDE_AAD   32
#define ASIDE_LEAST 2 /* records */
_Static_assert(ASIDE_TEXT / 16 + ASIDE_AAD / 16 + 1 <= POLY_ROW_BLOCKS, "a short record fits a row");

#define PAIRS (CHACHA_SETS * WORDS_LANES)
struct aside {
    struct chacha chacha;
    struct chacha_pairs pairs;
    struct poly_rows poly;
    uint8_t stream[PAIRS][CHACHA_BLOCK] OCT_ALIGN64;
};

/* How many blocks of key stream a text takes, and how many blocks Poly1305 gets of a record. */
OCT_INLINE size_t stream_blocks(const struct oct_aead_record *r)
{
    return (r->len + CHACHA_BLOCK - 1) / CHACHA_BLOCK;
}
OCT_INLINE size_t message_blocks(const struct oct_aead_record *r)
{
    return (size_t)(padded(r->aad_len) + padded(r->len)) / 16 + 1;
}

/* The next PAIRS blocks of key stream, or as many as there are: from block `counter` of record i on. */
VEC_STEP void make_stream(struct aside *a, const struct oct_aead_record *record, size_t count, size_t i, size_t counter)
{
    size_t n = 0;
    for (; n < PAIRS && i < count; n++) {
        chacha_set_pair(&a->pairs, n, (uint32_t)counter, record[i].nonce);
        counter++;
        if (counter > stream_blocks(&record[i])) {
            counter = 0;
            i++;
        }
    }
    chacha_some_pairs(&a->chacha, &a->pairs, n, a->stream[0]);
}

/* Additional data to row i from block `first` on. */
VEC_STEP void begin_row(struct poly_rows *p, size_t i, size_t first, const struct oct_aead_record *r)
{
    uint8_t *to = p->row[i].block[first];
#if !TIER_WIDE
    p->blocks[i] = POLY_ROW_BLOCKS - first;
#endif
    for (size_t at = 0; at < r->aad_len; at += WORDS_BYTES)
        words_store(to + at, words_load_part(r->aad + at, words_part_bytes(r->aad_len - at)));
}
/* `len` bytes of text, at most a vector, to their place; ciphertext, and zeros behind it, to the row. */
VEC_STEP void take_vector(uint8_t *row, uint8_t *out, const uint8_t *in, words stream, size_t len,
                          const unsigned opening)
{
    if (len == WORDS_BYTES) {
        const words text = words_load(in), other = words_xor(text, stream);
        words_store(out, other);
        words_store(row, opening ? text : other);
    } else {
        const words text = words_load_part(in, len), other = words_xor(text, stream);
        words_store_part(out, other, len);
        words_store(row, opening ? text : words_keep(other, len));
    }
}
/* Block `counter` of a record: to Poly1305's key, or through the text to its place, and to its place in the row. */
VEC_STEP void take_block(struct poly_row *p, uint8_t *place, const struct oct_aead_record *r, size_t counter,
                         const uint8_t stream[CHACHA_BLOCK], const unsigned opening)
{
    if (counter == 0) {
        poly_row_key(p, stream);
        return;
    }
    const size_t begin = CHACHA_BLOCK * (counter - 1), left = r->len - begin;
    const size_t all = left < CHACHA_BLOCK ? left : CHACHA_BLOCK;
    for (size_t at = 0; at < all; at += WORDS_BYTES) {
        take_vector(place + at, r->out + begin + at, r->in + begin + at, words_load(stream + at),
                    words_part_bytes(all - at), opening);
    }
}
/* The block of lengths: after the text, which is stored in whole vectors. */
VEC_STEP void put_lengths(uint8_t block[16], const struct oct_aead_record *r)
{
    tier_store64(block, r->aad_len);
    tier_store64(block + 8, r->len);
}

/* All blocks of all records, in turn: each record's first is for Poly1305's key. */
VEC_STEP void take_blocks(struct aside *a, const struct oct_aead_record *record, size_t count, const unsigned opening)
{
    size_t at = PAIRS;
    for (size_t i = 0; i < count; i++) {
        struct poly_row *row = &a->poly.row[i];
        uint8_t *place = row->block[POLY_ROW_BLOCKS - 1 - padded(record[i].len) / 16];
        for (size_t counter = 0; counter <= stream_blocks(&record[i]); counter++, at++) {
            if (at == PAIRS) {
                make_stream(a, record, count, i, counter);
                at = 0;
            }
            take_block(row, place, &record[i], counter, a->stream[at], opening);
            place += counter > 0 ? CHACHA_BLOCK : 0;
        }
        put_lengths(row->block[POLY_ROW_BLOCKS - 1], &record[i]);
    }
}

/* Poly1305 of all of them. */
VEC_STEP void add_rows(struct poly_rows *p, const struct oct_aead_record *record, size_t count)
{
#if TIER_WIDE
    for (size_t i = 0; i < count; i++)
        poly_row_add(p, i, POLY_ROW_BLOCKS - message_blocks(&record[i]));
#else
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = message_blocks(&record[i]) > most ? message_blocks(&record[i]) : most;
    poly_rows_add(p, (unsigned)(POLY_ROW_BLOCKS - (most + 1) / 2 * 2), POLY_ROW_BLOCKS, 1, 1);
#endif
}

/* Short records, at most POLY_ROWS. */
VEC_STEP void take_aside(struct aside *a, const void *key, const struct oct_aead_record *record, size_t count,
                         const unsigned opening)
{
    memset(&a->pairs, 0, sizeof a->pairs);
    memset(&a->poly, 0, sizeof a->poly);
    a->chacha = *(const struct chacha *)key;
    for (size_t i = 0; i < count; i++)
        begin_row(&a->poly, i, POLY_ROW_BLOCKS - message_blocks(&record[i]), &record[i]);
    take_blocks(a, record, count, opening);
    add_rows(&a->poly, record, count);
    for (size_t i = 0; i < count; i++)
        poly_row_tag(record[i].tag, &a->poly, i);
    oct_cleanse(a, sizeof *a);
}

#if TIER_WIDE
/* One after the other longer records are quicker: Poly1305 is then beside ChaCha20. */
VEC_STEP size_t take_some_alike(struct aside *a, const void *key, const struct oct_aead_record *record, size_t count,
                                const unsigned opening)
{
    (void)a, (void)key, (void)record, (void)count, (void)opening;
    return 0;
}
#else
/*
 * Longer records, all of one length: STEP blocks of key stream for each at a time. Of the rows Poly1305 takes an even
 * number of blocks, and one that is left goes to their front; if a message has an odd number, a block of nothing is
 * before it.
 */
#define ALIKE_TEXT  2048
#define ALIKE_LEAST (POLY_ROWS / 2 + 2) /* records; with fewer too many lanes stay empty */
#define STEP        (PAIRS / POLY_ROWS)
_Static_assert(1 + STEP * CHACHA_BLOCK / 16 + 1 <= POLY_ROW_BLOCKS, "a block that is left, a step, the lengths fit");

/* Key stream for the blocks counter .. counter + STEP - 1 of each record. */
VEC_STEP void make_step(struct aside *a, const struct oct_aead_record *record, size_t count, size_t counter)
{
    if (counter > 0)
        chacha_next_pairs(&a->pairs, STEP);
    for (size_t i = 0; counter == 0 && i < count; i++)
        for (size_t j = 0; j < STEP; j++)
            chacha_set_pair(&a->pairs, i * STEP + j, (uint32_t)j, record[i].nonce);
    chacha_some_pairs(&a->chacha, &a->pairs, count * STEP, a->stream[0]);
}
/* These blocks of all records, to their rows from block `have` on. Returns how many blocks the rows have then: with the
 * records' last ones, the lengths too. */
VEC_STEP size_t take_step(struct aside *a, const struct oct_aead_record *record, size_t count, size_t counter,
                          size_t have, const unsigned opening)
{
    const size_t last = stream_blocks(record), begin = counter > 0 ? CHACHA_BLOCK * (counter - 1) : 0;
    const size_t end = counter + STEP > last ? record->len : CHACHA_BLOCK * (counter + STEP - 1);
    const size_t full = have + padded(end - begin) / 16;
    make_step(a, record, count, counter);
    for (size_t i = 0; i < count; i++) {
        struct poly_row *row = &a->poly.row[i];
        uint8_t *place = row->block[have];
        for (size_t j = 0; j < STEP && counter + j <= last; j++) {
            take_block(row, place, &record[i], counter + j, a->stream[i * STEP + j], opening);
            place += counter + j > 0 ? CHACHA_BLOCK : 0;
        }
        if (end == record->len)
            put_lengths(row->block[full], &record[i]);
    }
    return full + (end == record->len);
}

VEC_STEP void take_alike(struct aside *a, const void *key, const struct oct_aead_record *record, size_t count,
                         const unsigned opening)
{
    const size_t last = stream_blocks(record), odd = message_blocks(record) % 2;
    size_t have = odd + padded(record->aad_len) / 16;
    memset(&a->pairs, 0, sizeof a->pairs);
    memset(&a->poly, 0, sizeof a->poly);
    a->chacha = *(const struct chacha *)key;
    for (size_t i = 0; i < count; i++)
        begin_row(&a->poly, i, odd, &record[i]);
    for (size_t counter = 0; counter <= last; counter += STEP) {
        have = take_step(a, record, count, counter, have, opening);
        poly_rows_add(&a->poly, 0, (unsigned)have / 2 * 2, counter == 0, counter + STEP > last);
        for (size_t i = 0; i < count; i++) {
            memcpy(a->poly.row[i].block[0], a->poly.row[i].block[have - 1], 16);
            a->poly.blocks[i] = POLY_ROW_BLOCKS;
        }
        have %= 2;
    }
    for (size_t i = 0; i < count; i++)
        poly_row_tag(record[i].tag, &a->poly, i);
    oct_cleanse(a, sizeof *a);
}

/* How many records from the first on are like it; at most POLY_ROWS. */
VEC_STEP size_t alike_records(const struct oct_aead_record *record, size_t count)
{
    size_t n = 0;
    if (record->len <= ASIDE_TEXT || record->len > ALIKE_TEXT || record->aad_len > ASIDE_AAD)
        return 0;
    while (n < count && n < POLY_ROWS && record[n].len == record->len && record[n].aad_len == record->aad_len)
        n++;
    return n;
}
VEC_STEP size_t take_some_alike(struct aside *a, const void *key, const struct oct_aead_record *record, size_t count,
                                const unsigned opening)
{
    const size_t alike = alike_records(record, count);
    if (alike < ALIKE_LEAST)
        return 0;
    take_alike(a, key, record, alike, opening);
    return alike;
}
#endif

/* How many records from the first on are short; at most POLY_ROWS. */
VEC_STEP size_t short_records(const struct oct_aead_record *record, size_t count)
{
    size_t n = 0;
    while (n < count && n < POLY_ROWS && record[n].len <= ASIDE_TEXT && record[n].aad_len <= ASIDE_AAD)
        n++;
    return n;
}
/* As many of the records, from the first on, as go side by side. Returns how many; 0 if the first goes alone. */
VEC_STEP size_t take_together(struct aside *a, const void *key, const struct oct_aead_record *record, size_t count,
                              const unsigned opening)
{
    const size_t some = short_records(record, count);
    if (some < ASIDE_LEAST)
        return take_some_alike(a, key, record, count, opening);
    take_aside(a, key, record, some, opening);
    return some;
}
static OCT_NOINLINE size_t seal_together(struct aside *a, const void *key, const struct oct_aead_record *record,
                                         size_t count)
{
    return take_together(a, key, record, count, 0);
}
static OCT_NOINLINE size_t open_together(struct aside *a, const void *key, const struct oct_aead_record *record,
                                         size_t count)
{
    return take_together(a, key, record, count, 1);
}

void OCT_NAME(chacha20poly1305_seal_burst)(const struct oct_aead_burst_args *args)
{
    union {
        struct message one;
        struct aside several;
    } work;
    for (size_t i = 0, n; i < args->count; i += n) {
        n = seal_together(&work.several, args->key, &args->record[i], args->count - i);
        if (n == 0) {
            const struct oct_aead_record *r = &args->record[i];
            seal_record(&work.one, args->key, r->nonce, r->aad, r->aad_len, r->in, r->len, r->out, r->tag);
            n = 1;
        }
    }
}

void OCT_NAME(chacha20poly1305_open_burst)(const struct oct_aead_burst_args *args)
{
    union {
        struct message one;
        struct aside several;
    } work;
    for (size_t i = 0, n; i < args->count; i += n) {
        n = open_together(&work.several, args->key, &args->record[i], args->count - i);
        if (n == 0) {
            const struct oct_aead_record *r = &args->record[i];
            open_record(&work.one, args->key, r->nonce, r->aad, r->aad_len, r->in, r->len, r->out, r->tag);
            n = 1;
        }
    }
}

#endif
