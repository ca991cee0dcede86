/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A record in pieces: counts what has passed, so that the kernels know where in a block they stand, and keeps the order
 * of calls.
 *
 * Small pieces of text do not come to a kernel at all: here they meet key stream that was made for a whole window of
 * text (kernels/aead.h), and what they become is held until a window of it is there. General registers do it, one word
 * at a time, so that no vector register has to be cleared.
 *
 * Most streams are records of TLS 1.3: a nonce of 12 bytes, some additional data, one piece of text. With an AEAD that
 * has first_bytes, nonce and additional data are only kept until text comes. If that is short, it is sealed or opened
 * as a record, and what the tag is if nothing follows is kept, with a copy of the ciphertext: where something does
 * follow, the kernel's state is made from that.
 */
#include "api/cipher/aead_internal.h"

#include <string.h>

enum phase { ENDED, AAD, TEXT };
/* Whether the kernel's state has been made; if not, whether there is a first text. */
enum kept { NOTHING, KEPT, KEPT_TEXT };
#define KEPT_AAD 48

/* All here but the tag and the state is public. */
struct stream {
    const struct oct_aead_key *key;
    uint64_t aad_len, text_len;
    uint32_t phase, sealing;
    uint32_t ready; /* bytes of key stream that are ready for the next text */
    uint32_t held;  /* bytes of ciphertext, the last ones, that the kernel has not had */
    uint32_t kept;
    uint8_t nonce[OCT_AEAD_NONCE], tag[OCT_AEAD_TAG], aad[KEPT_AAD]; /* while kept */
    uint8_t state[OCT_AEAD_STATE_BYTES] __attribute__((aligned(16)));
};
_Static_assert(OCT_GCM_STATE_BYTES + OCT_GCM_FIRST <= OCT_AEAD_STATE_BYTES, "a kept text fits");
_Static_assert(OCT_SM4GCM_STATE_BYTES + OCT_GCM_FIRST <= OCT_AEAD_STATE_BYTES, "and so it does with SM4");
_Static_assert(sizeof(struct stream) <= OCT_AEAD_STREAM_BYTES, "a stream fits");

static struct stream *inside(struct oct_aead_stream *stream)
{
    return (struct stream *)stream->opaque;
}

size_t oct_aead_stream_size(int aead)
{
    if (!oct_aead_key_len(aead) || aead == OCT_AEAD_SM4_CCM)
        return 0;
    const size_t gcm = aead == OCT_AEAD_SM4_GCM ? OCT_SM4GCM_STATE_BYTES : OCT_GCM_STATE_BYTES;
    return offsetof(struct stream, state) +
           (aead == OCT_AEAD_CHACHA20_POLY1305 ? OCT_CHACHA20POLY1305_STATE_BYTES : gcm + OCT_GCM_FIRST);
}

/* The last two windows of the state: key stream, and what is held. */
static uint8_t *key_stream(struct stream *s)
{
    return s->state + s->key->ops->state_bytes - 2 * s->key->ops->window_bytes;
}
static uint8_t *ciphertext(struct stream *s)
{
    return s->state + s->key->ops->state_bytes - s->key->ops->window_bytes;
}
/* The first text's ciphertext, while it is kept. */
static uint8_t *first_text(struct stream *s)
{
    return s->state + s->key->ops->state_bytes;
}

/* What every kernel of a stream reads. No more is written than is read: a struct that is made zero first, or copied,
 * costs as much as a small piece. */
static void arguments(struct stream *s, struct oct_aead_stream_args *args, const uint8_t *in, size_t len)
{
    args->key = s->key->expanded;
    args->state = s->state;
    args->in = in;
    args->len = len;
}

/* n mod a power of two: a division would cost as much as a small piece. */
static size_t over(uint64_t n, size_t power)
{
    return (size_t)n & (power - 1);
}

/* For text and tag, with what is held. It ends where text does, or fills the window. */
static void hand_over(struct stream *s, struct oct_aead_stream_args *args, const uint8_t *in, size_t len)
{
    const size_t window = s->key->ops->window_bytes, within = over(s->text_len, window);
    arguments(s, args, in, len);
    args->before = s->text_len;
    args->held = ciphertext(s) + (within ? within : window) - s->held;
    args->held_len = s->held;
    args->aad_total = s->aad_len;
    s->held = 0;
}

static void start(struct stream *s, const uint8_t *iv, size_t iv_len)
{
    struct oct_aead_stream_args args;
    arguments(s, &args, NULL, 0);
    args.iv = iv;
    args.iv_len = iv_len;
    s->key->ops->start(&args);
}

static void absorb_aad(struct stream *s, const uint8_t *aad, size_t len, uint64_t before)
{
    struct oct_aead_stream_args args;
    arguments(s, &args, aad, len);
    args.before = before;
    if (len)
        s->key->ops->aad(&args);
}

/* The kernel's state of what is kept. To have the first text's ciphertext hashed, it is opened once more, in place. */
static void make_state(struct stream *s)
{
    const size_t len = (size_t)s->text_len, window = s->key->ops->window_bytes;
    struct oct_aead_stream_args args;
    start(s, s->nonce, sizeof s->nonce);
    absorb_aad(s, s->aad, (size_t)s->aad_len, 0);
    if (s->kept == KEPT_TEXT) {
        arguments(s, &args, first_text(s), len);
        args.out = first_text(s);
        args.before = args.held_len = 0;
        args.aad_total = s->aad_len;
        args.ahead = key_stream(s);
        s->key->ops->stream_open(&args);
        oct_cleanse(first_text(s), len);
        s->ready = (uint32_t)(window - over(len, window));
    }
    s->kept = NOTHING;
}

/* The first text as a record: what is kept is the tag, which is secret, and ciphertext. */
static void take_first(struct stream *s, const uint8_t *in, size_t len, uint8_t *out)
{
    const struct oct_aead_ops *ops = s->key->ops;
    if (len && !s->sealing)
        memcpy(first_text(s), in, len);
    (s->sealing ? ops->seal : ops->open_first)(s->key->expanded, s->nonce, s->aad, (size_t)s->aad_len, in, len, out,
                                               s->tag);
    if (len && s->sealing)
        memcpy(first_text(s), out, len);
    s->text_len = len;
    s->kept = KEPT_TEXT;
}

int oct_aead_stream_init(struct oct_aead_stream *stream, const struct oct_aead_key *key, const uint8_t *iv,
                         size_t iv_len, int sealing)
{
    if (!stream || !key || !iv || (sealing != 0 && sealing != 1))
        return OCT_ERR_ARGUMENT;
    if (iv_len == 0 || (uint64_t)iv_len >= (uint64_t)1 << 61 ||
        (key->aead == OCT_AEAD_CHACHA20_POLY1305 && iv_len != OCT_AEAD_NONCE))
        return OCT_ERR_LENGTH;
    if (!key->ops->start)
        return OCT_ERR_UNSUPPORTED;
    struct stream *s = inside(stream);
    memset(s, 0, offsetof(struct stream, nonce));
    s->key = key;
    s->phase = AAD;
    s->sealing = (uint32_t)sealing;
    if (key->ops->first_bytes && iv_len == OCT_AEAD_NONCE) {
        memcpy(s->nonce, iv, OCT_AEAD_NONCE);
        s->kept = KEPT;
    } else {
        start(s, iv, iv_len);
    }
    return OCT_OK;
}

int oct_aead_stream_aad(struct oct_aead_stream *stream, const uint8_t *aad, size_t len)
{
    if (!stream || (!aad && len))
        return OCT_ERR_ARGUMENT;
    struct stream *s = inside(stream);
    if (s->phase != AAD)
        return OCT_ERR_STATE;
    if (len > UINT64_MAX - s->aad_len || oct_aead_check_lengths(s->key->aead, s->aad_len + len, 0) != OCT_OK)
        return OCT_ERR_LENGTH;
    if (s->kept && len <= KEPT_AAD && s->aad_len + len <= KEPT_AAD) {
        if (len)
            memcpy(s->aad + s->aad_len, aad, len);
    } else {
        if (s->kept)
            make_state(s);
        absorb_aad(s, aad, len, s->aad_len);
    }
    s->aad_len += len;
    return OCT_OK;
}

/* out = in xor stream, and `cipher` gets the one of them that is ciphertext. `out` may be `in`. The barrier keeps
 * compilers from making vectors of it. */
static void combine(uint8_t *out, const uint8_t *in, const uint8_t *stream, uint8_t *cipher, size_t len, int sealing)
{
    for (; len >= 8; len -= 8, in += 8, out += 8, stream += 8, cipher += 8) {
        uint64_t from, to;
        memcpy(&from, in, 8);
        memcpy(&to, stream, 8);
        to = oct_value_barrier(to ^ from);
        memcpy(cipher, sealing ? &to : &from, 8);
        memcpy(out, &to, 8);
    }
    for (size_t i = 0; i < len; i++) {
        const uint8_t from = in[i], to = (uint8_t)oct_value_barrier(from ^ stream[i]);
        cipher[i] = sealing ? to : from;
        out[i] = to;
    }
}

/* Text for which there is key stream. */
static void take_ready(struct stream *s, const uint8_t *in, size_t len, uint8_t *out)
{
    const size_t at = s->key->ops->window_bytes - s->ready;
    combine(out, in, key_stream(s) + at, ciphertext(s) + at, len, (int)s->sealing);
    s->text_len += len;
    s->ready -= (uint32_t)len;
    s->held += (uint32_t)len;
}

/* Text by the kernel, which may have no length; and key stream for what follows, if something does. */
static void take_whole(struct stream *s, const uint8_t *in, size_t len, uint8_t *out, int follows)
{
    const size_t window = s->key->ops->window_bytes;
    struct oct_aead_stream_args args;
    hand_over(s, &args, in, len);
    args.out = out;
    args.ahead = follows ? key_stream(s) : NULL;
    (s->sealing ? s->key->ops->stream_seal : s->key->ops->stream_open)(&args);
    s->text_len += len;
    s->ready = follows ? (uint32_t)(window - over(s->text_len, window)) : 0;
}

/* How much of `len` bytes the kernel may have at once. Less than half a window is cheaper by the key stream for all of
 * it. */
static size_t whole_of(const struct stream *s, size_t len)
{
    const struct oct_aead_ops *ops = s->key->ops;
    const size_t whole = len - over(len, ops->grain_bytes);
    if (s->text_len == 0)
        return len;
    return over(s->text_len, ops->grain_bytes) == 0 && whole >= ops->window_bytes / 2 ? whole : 0;
}

/* Text that is more than what is ready. */
static void take_text(struct stream *s, const uint8_t *in, size_t len, uint8_t *out)
{
    for (size_t n; len > 0; in += n, out += n, len -= n) {
        if (s->ready) {
            n = len < s->ready ? len : s->ready;
            take_ready(s, in, n, out);
        } else {
            n = whole_of(s, len);
            take_whole(s, in, n, out, n < len);
        }
    }
}

int oct_aead_stream_update(struct oct_aead_stream *stream, const uint8_t *in, size_t len, uint8_t *out)
{
    if (!stream || ((!in || !out) && len))
        return OCT_ERR_ARGUMENT;
    struct stream *s = inside(stream);
    if (s->phase == ENDED)
        return OCT_ERR_STATE;
    if (len > UINT64_MAX - s->text_len || oct_aead_check_lengths(s->key->aead, 0, s->text_len + len) != OCT_OK)
        return OCT_ERR_LENGTH;
    if (!len)
        return OCT_OK;
    s->phase = TEXT;
    if (s->kept == KEPT && len <= s->key->ops->first_bytes) {
        take_first(s, in, len, out);
        return OCT_OK;
    }
    if (s->kept)
        make_state(s);
    if (len <= s->ready)
        take_ready(s, in, len, out);
    else
        take_text(s, in, len, out);
    return OCT_OK;
}

/* The tag, and the end of the stream. */
static void finish(struct stream *s, uint8_t tag[OCT_AEAD_TAG])
{
    struct oct_aead_stream_args args;
    if (s->kept == KEPT)
        take_first(s, NULL, 0, NULL);
    if (s->kept == KEPT_TEXT) {
        /* The rest is public, or was not used. */
        memcpy(tag, s->tag, OCT_AEAD_TAG);
        oct_cleanse(s, offsetof(struct stream, state));
        return;
    }
    hand_over(s, &args, NULL, 0);
    args.text_total = s->text_len;
    args.tag = tag;
    s->key->ops->finish(&args);
    oct_cleanse(s, offsetof(struct stream, state) + s->key->ops->state_bytes);
}

int oct_aead_stream_finish_seal(struct oct_aead_stream *stream, uint8_t *tag)
{
    if (!stream || !tag)
        return OCT_ERR_ARGUMENT;
    struct stream *s = inside(stream);
    if (s->phase == ENDED || !s->sealing)
        return OCT_ERR_STATE;
    finish(s, tag);
    return OCT_OK;
}

int oct_aead_stream_finish_open(struct oct_aead_stream *stream, const uint8_t *tag, size_t tag_len)
{
    uint8_t wanted[OCT_AEAD_TAG];
    if (!stream || !tag)
        return OCT_ERR_ARGUMENT;
    if (tag_len < 1 || tag_len > OCT_AEAD_TAG)
        return OCT_ERR_LENGTH;
    struct stream *s = inside(stream);
    if (s->phase == ENDED || s->sealing)
        return OCT_ERR_STATE;
    finish(s, wanted);
    const int good = oct_aead_same_tag(wanted, tag, tag_len);
    oct_cleanse(wanted, sizeof wanted);
    return good ? OCT_OK : OCT_ERR_AUTH;
}

void oct_aead_stream_clear(struct oct_aead_stream *stream)
{
    if (stream)
        oct_cleanse(stream, sizeof *stream);
}
