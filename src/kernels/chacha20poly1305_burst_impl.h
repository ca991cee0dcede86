/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Short records under one key side by side. ChaCha20's lanes are (record, counter) pairs, one after the other, the
 * blocks with Poly1305's keys among them: however short a record is, no lane stays empty but at the end. Poly1305 has a
 * record in each lane. Long records go one after the other, since each of them fills lanes.
 *
 * Positions are public, and stand in registers; struct aside is secret, and stands alone in the frame of the exported
 * function, as struct message does.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_BURST_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_BURST_IMPL_H

#include "kernels/chacha20poly1305_impl.h"
#include "kernels/poly1305_rows_impl.h"

#define ASIDE_TEXT 256
#define ASIDE_AAD 32
#define ASIDE_LEAST 2 /* records */
_Static_assert(ASIDE_TEXT / 16 + ASIDE_AAD / 16 + 1 <= POLY_ROW_BLOCKS, "a short record fits a row");

#define PAIRS (CHACHA_SETS * WORDS_LANES)
struct aside {
    struct chacha chacha;
    struct chacha_pairs pairs;
    struct poly_rows poly;
    uint8_t stream[PAIRS][CHACHA_BLOCK];
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
    if (n > WORDS_LANES)
        chacha_all_pairs(&a->chacha, &a->pairs, a->stream[0]);
    else
        chacha_half_pairs(&a->chacha, &a->pairs, a->stream[0]);
}

/* Additional data to row i, and how much there will be in it. */
VEC_STEP void begin_row(struct poly_rows *p, size_t i, const struct oct_aead_record *r)
{
    uint8_t *to = p->row[i].block[POLY_ROW_BLOCKS - message_blocks(r)];
    p->blocks[i] = message_blocks(r);
    for (size_t at = 0; at < r->aad_len; at += WORDS_BYTES)
        words_store(to + at, words_load_part(r->aad + at, words_part_bytes(r->aad_len - at)));
}
/* Block `counter` of the text of record i, to its place and to row i. */
VEC_STEP void take_block(struct poly_rows *p, size_t i, const struct oct_aead_record *r, size_t counter,
                         const uint8_t stream[CHACHA_BLOCK], const unsigned opening)
{
    const size_t begin = CHACHA_BLOCK * (counter - 1), left = r->len - begin;
    const size_t end = begin + (left < CHACHA_BLOCK ? left : CHACHA_BLOCK);
    uint8_t *row = p->row[i].block[POLY_ROW_BLOCKS - 1 - padded(r->len) / 16];
    for (size_t at = begin; at < end; at += WORDS_BYTES) {
        const size_t len = words_part_bytes(end - at);
        const words in = words_load_part(r->in + at, len), out = words_xor(in, words_load(stream + at - begin));
        words_store_part(r->out + at, out, len);
        words_store(row + at, opening ? in : words_keep(out, len));
    }
}
/* The block of lengths: after the text, which is stored in whole vectors. */
VEC_STEP void end_row(struct poly_rows *p, size_t i, const struct oct_aead_record *r)
{
    tier_store64(p->row[i].block[POLY_ROW_BLOCKS - 1], r->aad_len);
    tier_store64(p->row[i].block[POLY_ROW_BLOCKS - 1] + 8, r->len);
}

/* All blocks of all records, in turn: each record's first is for Poly1305's key. */
VEC_STEP void take_blocks(struct aside *a, const struct oct_aead_record *record, size_t count, const unsigned opening)
{
    size_t at = PAIRS;
    for (size_t i = 0; i < count; i++) {
        for (size_t counter = 0; counter <= stream_blocks(&record[i]); counter++, at++) {
            if (at == PAIRS) {
                make_stream(a, record, count, i, counter);
                at = 0;
            }
            if (counter == 0)
                poly_row_key(&a->poly.row[i], a->stream[at]);
            else
                take_block(&a->poly, i, &record[i], counter, a->stream[at], opening);
        }
        end_row(&a->poly, i, &record[i]);
    }
}

/* Short records, at most QUADS_LANES. */
VEC_STEP void take_aside(struct aside *a, const void *key, const struct oct_aead_record *record, size_t count,
                         const unsigned opening)
{
    size_t most = 0;
    memset(&a->pairs, 0, sizeof a->pairs);
    memset(&a->poly, 0, sizeof a->poly);
    a->chacha = *(const struct chacha *)key;
    for (size_t i = 0; i < count; i++) {
        begin_row(&a->poly, i, &record[i]);
        most = message_blocks(&record[i]) > most ? message_blocks(&record[i]) : most;
    }
    take_blocks(a, record, count, opening);
    poly_rows_sum(&a->poly, (unsigned)most);
    for (size_t i = 0; i < count; i++)
        poly_row_tag(record[i].tag, &a->poly, i);
    oct_cleanse(a, sizeof *a);
}
static OCT_NOINLINE void seal_aside(struct aside *a, const void *key, const struct oct_aead_record *record,
                                    size_t count)
{
    take_aside(a, key, record, count, 0);
}
static OCT_NOINLINE void open_aside(struct aside *a, const void *key, const struct oct_aead_record *record,
                                    size_t count)
{
    take_aside(a, key, record, count, 1);
}

/* How many records from the first on are short, at most QUADS_LANES. */
VEC_STEP size_t short_records(const struct oct_aead_record *record, size_t count)
{
    size_t n = 0;
    while (n < count && n < QUADS_LANES && record[n].len <= ASIDE_TEXT && record[n].aad_len <= ASIDE_AAD)
        n++;
    return n;
}

void OCT_NAME(chacha20poly1305_seal_burst)(const struct oct_aead_burst_args *args)
{
    union {
        struct message one;
        struct aside several;
    } work;
    for (size_t i = 0, n; i < args->count; i += n) {
        n = short_records(&args->record[i], args->count - i);
        if (n >= ASIDE_LEAST) {
            seal_aside(&work.several, args->key, &args->record[i], n);
        } else {
            seal_record(&work.one, args->key, &args->record[i]);
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
        n = short_records(&args->record[i], args->count - i);
        if (n >= ASIDE_LEAST) {
            open_aside(&work.several, args->key, &args->record[i], n);
        } else {
            open_record(&work.one, args->key, &args->record[i]);
            n = 1;
        }
    }
}

#endif
