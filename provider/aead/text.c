/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Text in pieces. What opening gives before final is not authentic yet, here as with every cipher of OpenSSL; a record
 * of TLS 1.2 (tls.c) is opened as a whole, and gives nothing if its tag does not fit.
 */
#include "cipher.h"
#include "provider/core/provider.h"

#include <openssl/rand.h>

/* A status of octuple/aead.h as OpenSSL's 1 or 0. */
static int done(const struct oct_aead_cipher *c, int status)
{
    if (status == OCT_OK)
        return 1;
    return OCT_RAISE(c->prov, status == OCT_ERR_LENGTH  ? OCT_REASON_INPUT_LENGTH
                              : status == OCT_ERR_STATE ? OCT_REASON_AAD_AFTER_TEXT
                                                        : OCT_REASON_INTERNAL);
}

int oct_aead_cipher_random_iv(struct oct_aead_cipher *c)
{
    OSSL_LIB_CTX *libctx;

    if (c->iv_state != OCT_IV_NONE)
        return 1;
    if (!c->sealing || !oct_aead_cipher_is_gcm(c) || c->iv_len < OCT_AEAD_NONCE_BYTES)
        return OCT_RAISE(c->prov, OCT_REASON_NO_IV);
    libctx = oct_app_ctx(c->prov);
    if (libctx == NULL || RAND_bytes_ex(libctx, c->iv, c->iv_len, 0) <= 0)
        return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
    c->iv_state = OCT_IV_SET;
    c->iv_is_random = 1;
    return 1;
}

int oct_aead_cipher_begin(struct oct_aead_cipher *c)
{
    if (c->key == NULL)
        return OCT_RAISE(c->prov, OCT_REASON_NO_KEY);
    if (!oct_aead_cipher_random_iv(c))
        return 0;
    if (c->iv_state == OCT_IV_SPENT)
        return OCT_RAISE(c->prov, OCT_REASON_NO_IV);
    if (!done(c, oct_aead_stream_init(&c->stream, oct_aead_cipher_key(c), c->iv, c->iv_len, c->sealing)))
        return 0;
    c->iv_state = OCT_IV_IN_USE;
    return 1;
}

/* len > 0. */
static int cipher_text(struct oct_aead_cipher *c, uint8_t *out, const uint8_t *in, size_t len)
{
    if (c->iv_state != OCT_IV_IN_USE && !oct_aead_cipher_begin(c))
        return 0;
    return done(c, out == NULL ? oct_aead_stream_aad(&c->stream, in, len)
                               : oct_aead_stream_update(&c->stream, in, len, out));
}

int oct_aead_cipher_update(void *vc, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                           size_t len)
{
    struct oct_aead_cipher *c = vc;

    *out_len = 0;
    if (len == 0)
        return 1;
    if (out_size < len)
        return OCT_RAISE(c->prov, OCT_REASON_BUFFER_TOO_SMALL);
    if (c->tls_pending)
        return oct_aead_tls_record(c, out, out_len, in, len);
    if (!cipher_text(c, out, in, len))
        return 0;
    *out_len = len;
    return 1;
}

/* Either ends the stream, and with it the nonce. */
static int cipher_end(struct oct_aead_cipher *c)
{
    int status;

    c->iv_state = OCT_IV_SPENT;
    /* As OpenSSL's own, ChaCha20-Poly1305 takes the text for good where no tag was set to compare with. */
    if (!c->sealing && c->tag_len == 0)
        return 1;
    if (!c->sealing) {
        status = oct_aead_stream_finish_open(&c->stream, c->tag, c->tag_len);
        return status == OCT_ERR_AUTH ? 0 : done(c, status);
    }
    c->tag_len = sizeof c->tag;
    return done(c, oct_aead_stream_finish_seal(&c->stream, c->tag));
}

int oct_aead_cipher_final(void *vc, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct oct_aead_cipher *c = vc;

    (void)out, (void)out_size;
    *out_len = 0;
    if (c->tls_pending)
        return OCT_RAISE(c->prov, OCT_REASON_TLS_RECORD);
    if (c->iv_state != OCT_IV_IN_USE && !oct_aead_cipher_begin(c))
        return 0;
    if (!c->sealing && c->tag_len == 0 && oct_aead_cipher_is_gcm(c))
        return OCT_RAISE(c->prov, OCT_REASON_TAG);
    return cipher_end(c);
}

/* EVP_Cipher(): no input is the end. OpenSSL's own AES-GCM says here that it wrote as much as it read, also where it
 * opened a record. */
int oct_aead_cipher_call(void *vc, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                         size_t len)
{
    const struct oct_aead_cipher *c = vc;

    if (in == NULL)
        return oct_aead_cipher_final(vc, out, out_len, out_size);
    if (!oct_aead_cipher_update(vc, out, out_len, out_size, in, len))
        return 0;
    if (oct_aead_cipher_is_gcm(c))
        *out_len = len;
    return 1;
}
