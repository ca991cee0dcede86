/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Records of TLS 1.2 as libssl hands them over: first the additional data, then the record as a whole, which is sealed
 * or opened at once. AES-GCM (RFC 5288): eight bytes of nonce, text, tag, in place. ChaCha20-Poly1305 (RFC 7905): text
 * and tag, the nonce being the fixed one with the sequence number added.
 */
#include "cipher.h"
#include "provider/core/provider.h"

#include <openssl/rand.h>
#include <stdbool.h>
#include <string.h>

int oct_aead_tls_set_aad(struct oct_aead_cipher *c, const uint8_t *aad, size_t len)
{
    const size_t explicit_len = oct_aead_cipher_is_gcm(c) ? OCT_AEAD_TLS_EXPLICIT : 0;
    const size_t overhead = explicit_len + (c->sealing ? 0 : OCT_AEAD_TAG_BYTES);
    size_t text;

    if (len != OCT_AEAD_TLS_AAD)
        return OCT_RAISE(c->prov, OCT_REASON_TLS_RECORD);
    text = (size_t)aad[OCT_AEAD_TLS_AAD - 2] << 8 | aad[OCT_AEAD_TLS_AAD - 1];
    if (text < overhead)
        return OCT_RAISE(c->prov, OCT_REASON_TLS_RECORD);
    text -= overhead;
    memcpy(c->tls_aad, aad, OCT_AEAD_TLS_AAD - 2);
    c->tls_aad[OCT_AEAD_TLS_AAD - 2] = (uint8_t)(text >> 8);
    c->tls_aad[OCT_AEAD_TLS_AAD - 1] = (uint8_t)text;
    c->tls_pending = 1;
    c->tls_pad = OCT_AEAD_TAG_BYTES;
    return 1;
}

static int set_fixed_gcm(struct oct_aead_cipher *c, const uint8_t *fixed, size_t len)
{
    OSSL_LIB_CTX *libctx;

    if (len == (size_t)-1)
        len = c->iv_len;
    else if (len < OCT_AEAD_TLS_FIXED || len > c->iv_len || c->iv_len - len < OCT_AEAD_TLS_EXPLICIT)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    if (c->iv_len < OCT_AEAD_TLS_EXPLICIT)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    if (c->sealing && len < c->iv_len) {
        libctx = oct_app_ctx(c->prov);
        if (libctx == NULL || RAND_bytes_ex(libctx, c->iv + len, c->iv_len - len, 0) <= 0)
            return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
        c->iv_is_random = 1;
    }
    memcpy(c->iv, fixed, len);
    c->iv_is_counter = 1;
    return 1;
}

int oct_aead_tls_set_fixed(struct oct_aead_cipher *c, const uint8_t *fixed, size_t len)
{
    if (oct_aead_cipher_is_gcm(c)) {
        if (!set_fixed_gcm(c, fixed, len))
            return 0;
    } else {
        if (len != OCT_AEAD_NONCE_BYTES)
            return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
        memcpy(c->iv, fixed, len);
    }
    c->iv_state = OCT_IV_SET;
    return 1;
}

/* Moves the counter on; what it was has to be in use by then. */
static int count_iv(struct oct_aead_cipher *c)
{
    if (oct_aead_iv_count(c->iv + c->iv_len - OCT_AEAD_TLS_EXPLICIT, &c->iv_used))
        return 1;
    return OCT_RAISE(c->prov, OCT_REASON_NONCES);
}

/* A nonce that counts, and a key to use it with. */
static bool can_count(const struct oct_aead_cipher *c)
{
    if (c->key == NULL)
        return OCT_RAISE(c->prov, OCT_REASON_NO_KEY);
    if (!c->iv_is_counter || c->iv_state == OCT_IV_NONE || c->iv_len < OCT_AEAD_TLS_EXPLICIT)
        return OCT_RAISE(c->prov, OCT_REASON_NO_IV);
    return 1;
}

int oct_aead_tls_next_iv(struct oct_aead_cipher *c, uint8_t *out, size_t len)
{
    uint8_t now[OCT_AEAD_IV_MAX];

    if (!can_count(c))
        return 0;
    if (len == 0 || len > c->iv_len)
        len = c->iv_len;
    memcpy(now, c->iv, c->iv_len);
    if (!count_iv(c))
        return 0;
    if (oct_aead_stream_init(&c->stream, oct_aead_cipher_key(c), now, c->iv_len, c->sealing) != OCT_OK)
        return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
    memcpy(out, now + c->iv_len - len, len);
    c->iv_state = OCT_IV_IN_USE;
    return 1;
}

int oct_aead_tls_set_explicit(struct oct_aead_cipher *c, const uint8_t *in, size_t len)
{
    if (!can_count(c))
        return 0;
    if (c->sealing || len > c->iv_len)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    memcpy(c->iv + c->iv_len - len, in, len);
    c->iv_state = OCT_IV_SET;
    return oct_aead_cipher_begin(c);
}

/* The text's length: what the additional data says. */
static size_t text_len(const struct oct_aead_cipher *c)
{
    return (size_t)c->tls_aad[OCT_AEAD_TLS_AAD - 2] << 8 | c->tls_aad[OCT_AEAD_TLS_AAD - 1];
}

/* The record's nonce; to seal with AES-GCM, its explicit part goes in front of the record. */
static int record_nonce(struct oct_aead_cipher *c, uint8_t nonce[OCT_AEAD_NONCE_BYTES], uint8_t *record)
{
    uint8_t *counter = c->iv + OCT_AEAD_TLS_FIXED;

    if (!oct_aead_cipher_is_gcm(c)) {
        memcpy(nonce, c->iv, OCT_AEAD_NONCE_BYTES);
        for (int i = 0; i < OCT_AEAD_TLS_EXPLICIT; i++)
            nonce[OCT_AEAD_TLS_FIXED + i] ^= c->tls_aad[i];
        return 1;
    }
    if (!c->sealing)
        memcpy(counter, record, OCT_AEAD_TLS_EXPLICIT);
    memcpy(nonce, c->iv, OCT_AEAD_NONCE_BYTES);
    if (!c->sealing)
        return 1;
    memcpy(record, counter, OCT_AEAD_TLS_EXPLICIT);
    return count_iv(c);
}

/* Everything that can be said before the first byte is touched. */
static int check_record(const struct oct_aead_cipher *c, const uint8_t *out, const uint8_t *in, size_t len)
{
    const int gcm = oct_aead_cipher_is_gcm(c);

    if (c->iv_len != OCT_AEAD_NONCE_BYTES)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    if (in == NULL || out == NULL || (gcm && in != out) ||
        len != text_len(c) + OCT_AEAD_TAG_BYTES + (gcm ? OCT_AEAD_TLS_EXPLICIT : 0))
        return OCT_RAISE(c->prov, OCT_REASON_TLS_RECORD);
    if (gcm)
        return can_count(c);
    if (c->key == NULL || c->iv_state == OCT_IV_NONE)
        return OCT_RAISE(c->prov, c->key == NULL ? OCT_REASON_NO_KEY : OCT_REASON_NO_IV);
    return 1;
}

/* As OpenSSL's own does it, the length is that of the text where a record was opened, and of the whole where one was
 * sealed. */
int oct_aead_tls_record(struct oct_aead_cipher *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len)
{
    const size_t text = text_len(c), skip = oct_aead_cipher_is_gcm(c) ? OCT_AEAD_TLS_EXPLICIT : 0;
    uint8_t nonce[OCT_AEAD_NONCE_BYTES];
    int status;

    *out_len = 0;
    c->tls_pending = 0;
    if (!check_record(c, out, in, len) || !record_nonce(c, nonce, out))
        return 0;
    c->iv_state = OCT_IV_SPENT;
    out += skip;
    in += skip;
    if (c->sealing)
        status = oct_aead_seal(oct_aead_cipher_key(c), nonce, c->tls_aad, OCT_AEAD_TLS_AAD, in, text, out, out + text);
    else
        status = oct_aead_open(oct_aead_cipher_key(c), nonce, c->tls_aad, OCT_AEAD_TLS_AAD, in, text, out, in + text);
    if (status == OCT_ERR_AUTH)
        return 0;
    if (status != OCT_OK)
        return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
    *out_len = c->sealing ? len : text;
    return 1;
}
