/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 on intervals, in records and pieces of lengths that reach every branch: the control flow is
 * that of public lengths. ChaCha20 has no bounds; it runs on numbers here.
 */
#include "bound_aead.h"

#include "kernels/chacha/chacha20poly1305.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern uint64_t oct_bound_checked;

static uint8_t key[OCT_AEAD_EXPANDED_BYTES] OCT_ALIGN64, mask_key[OCT_AEAD_MASK_KEY_BYTES] OCT_ALIGN64;
static uint8_t state[OCT_AEAD_STATE_BYTES] OCT_ALIGN64, bytes[64], text[8192], tag[16];

struct kernels {
    oct_aead_expand_fn *expand;
    oct_aead_seal_fn *seal;
    oct_aead_open_fn *open;
    oct_aead_burst_fn *seal_burst, *open_burst;
    oct_aead_mask_fn *mask;
    oct_aead_stream_fn *start, *aad, *stream_seal, *stream_open, *finish;
    void (*clear_registers)(void);
};

static void run_record(const struct kernels *k, size_t aad_len, size_t len)
{
    const struct oct_aead_record record = {bytes, text, aad_len, text, text, len, tag};
    struct oct_aead_burst_args burst = {key, 1, {record}};
    k->seal(key, bytes, text, aad_len, text, len, text, tag);
    k->open(key, bytes, text, aad_len, text, len, text, tag);
    for (; burst.count <= OCT_AEAD_BURST; burst.count += OCT_AEAD_BURST - 1) {
        for (size_t i = 0; i < burst.count; i++)
            burst.record[i] = record;
        k->seal_burst(&burst);
        k->open_burst(&burst);
    }
}

/* The next text: the first piece, whole windows, or what is left of a window, whose key stream is asked for first. */
static void run_text(oct_aead_stream_fn *update, struct oct_aead_stream_args *args, size_t left, size_t piece)
{
    static uint8_t stream[OCT_CHACHA20POLY1305_WINDOW];
    const size_t room = sizeof stream - (size_t)(args->before % sizeof stream);
    const int whole = args->before > 0 && room == sizeof stream && left >= room && piece >= room;
    args->len = args->before == 0 ? piece : whole ? left - left % room : room < piece ? room : piece;
    args->len = args->len < left ? args->len : left;
    if (args->before == 0 || whole) {
        update(args);
        return;
    }
    struct oct_aead_stream_args ask = *args;
    ask.len = 0;
    ask.ahead = stream;
    update(&ask);
    ask.before += args->len;
    ask.held = args->in;
    ask.held_len = args->len;
    ask.ahead = NULL;
    update(&ask);
}

static void run_stream(const struct kernels *k, oct_aead_stream_fn *update, size_t aad_len, size_t len, size_t piece)
{
    struct oct_aead_stream_args args = {
        .key = key, .state = state, .iv = bytes, .iv_len = 12, .in = text, .out = text, .tag = tag};
    k->start(&args);
    for (size_t at = 0; at < aad_len; at += args.len) {
        args.len = aad_len - at < piece ? aad_len - at : piece;
        args.before = at;
        k->aad(&args);
    }
    args.aad_total = aad_len;
    for (size_t at = 0; at < len; at += args.len) {
        args.before = at;
        run_text(update, &args, len - at, piece);
    }
    args.before = args.text_total = len;
    args.len = 0;
    k->finish(&args);
}

static void prove(const char *name, const struct kernels *k)
{
    static const size_t aads[] = {0, 13, 64, 128, 300}, texts[] = {0, 1, 64, 200, 300, 960, 1440, 5000, 8192};
    const struct oct_aead_expand_args expand = {key, mask_key, bytes};
    const struct oct_aead_mask_args mask = {mask_key, 2, {text, text}, text};
    oct_bound_checked = 0;
    k->expand(&expand);
    k->mask(&mask);
    for (unsigned i = 0; i < OCT_ARRAY_LEN(aads); i++)
        for (unsigned j = 0; j < OCT_ARRAY_LEN(texts); j++) {
            run_record(k, aads[i], texts[j]);
            run_stream(k, k->stream_seal, aads[i], texts[j], 77);
            run_stream(k, k->stream_open, aads[i], texts[j], 1500);
        }
    k->clear_registers();
    printf("kernel %s: %lu bounds hold\n", name, oct_bound_checked);
}

#define KERNELS(name)                                                                                                  \
    &(const struct kernels)                                                                                            \
    {                                                                                                                  \
        name##_expand, name##_seal, name##_open, name##_seal_burst, name##_open_burst, name##_mask, name##_start,      \
            name##_aad, name##_stream_seal, name##_stream_open, name##_finish, name##_clear_registers                  \
    }

void prove_chacha20poly1305(void)
{
    prove("chacha20poly1305", KERNELS(oct_bound_chacha20poly1305));
}
