/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A record in pieces: counts what has passed, so that the kernels know where in a block they stand, and keeps the
 * order of calls. */
#include "api/aead_internal.h"

#include <string.h>

enum phase { ENDED, AAD, TEXT };

struct stream {
    const struct oct_aead_key *key;
    uint64_t aad_len, text_len;
    uint32_t phase, sealing;
    uint8_t state[OCT_AEAD_STATE_BYTES] __attribute__((aligned(16)));
};
_Static_assert(sizeof(struct stream) <= OCT_AEAD_STREAM_BYTES, "a stream fits");

static struct stream *inside(struct oct_aead_stream *stream)
{
    return (struct stream *)stream->opaque;
}

static struct oct_aead_stream_args arguments(struct stream *s, const uint8_t *in, size_t len)
{
    return (struct oct_aead_stream_args){.key = s->key->expanded, .state = s->state, .in = in, .len = len,
                                         .aad_total = s->aad_len, .text_total = s->text_len};
}

int oct_aead_stream_init(struct oct_aead_stream *stream, const struct oct_aead_key *key, const uint8_t *iv,
                         size_t iv_len, int sealing)
{
    if (!stream || !key || !iv || (sealing != 0 && sealing != 1))
        return OCT_ERR_ARGUMENT;
    if (iv_len == 0 || (uint64_t)iv_len >= (uint64_t)1 << 61 ||
        (key->aead == OCT_AEAD_CHACHA20_POLY1305 && iv_len != OCT_AEAD_NONCE))
        return OCT_ERR_LENGTH;
    struct stream *s = inside(stream);
    memset(stream, 0, sizeof *stream);
    s->key = key;
    s->phase = AAD;
    s->sealing = (uint32_t)sealing;
    struct oct_aead_stream_args args = arguments(s, NULL, 0);
    args.iv = iv;
    args.iv_len = iv_len;
    key->ops->start(&args);
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
    struct oct_aead_stream_args args = arguments(s, aad, len);
    args.before = s->aad_len;
    if (len)
        s->key->ops->aad(&args);
    s->aad_len += len;
    return OCT_OK;
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
    struct oct_aead_stream_args args = arguments(s, in, len);
    args.before = s->text_len;
    args.out = out;
    (s->sealing ? s->key->ops->stream_seal : s->key->ops->stream_open)(&args);
    s->phase = TEXT;
    s->text_len += len;
    return OCT_OK;
}

/* The tag, and the end of the stream. */
static void finish(struct stream *s, uint8_t tag[OCT_AEAD_TAG])
{
    struct oct_aead_stream_args args = arguments(s, NULL, 0);
    args.tag = tag;
    s->key->ops->finish(&args);
    oct_cleanse(s, sizeof *s);
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
