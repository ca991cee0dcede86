/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Text of counter mode and CBC, in pieces of any length. */
#include "provider/core/provider.h"
#include "sm4.h"

#include <openssl/crypto.h>
#include <openssl/proverr.h>
#include <stdbool.h>
#include <string.h>

#define BLOCK OCT_SM4_BLOCK_BYTES

static int done(const struct oct_sm4_mode *c, int status)
{
    return status == OCT_OK ? 1 : OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
}

/* Whether there is a key, and room for `need` bytes. */
static bool may_write(const struct oct_sm4_mode *c, size_t need, size_t room)
{
    if (!c->has_key)
        return OCT_RAISE(c->prov, OCT_REASON_NO_KEY);
    return need <= room ? 1 : OCT_RAISE(c->prov, OCT_REASON_BUFFER_TOO_SMALL);
}

/* --- counter mode */

/* Text for which there is key stream; returns how much that was. */
static size_t ctr_ready(struct oct_sm4_mode *c, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t n = len < c->ready ? len : c->ready;
    const uint8_t *stream = c->ahead + OCT_SM4_AHEAD - c->ready;

    for (size_t i = 0; i < n; i++)
        out[i] = in[i] ^ stream[i];
    c->ready -= n;
    return n;
}

int oct_sm4_ctr_update(void *vc, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
    static const uint8_t zeros[OCT_SM4_AHEAD];
    struct oct_sm4_mode *c = vc;
    size_t begun, whole;

    *out_len = 0;
    if (!may_write(c, len, room))
        return 0;
    begun = ctr_ready(c, out, in, len);
    whole = (len - begun) / OCT_SM4_AHEAD * OCT_SM4_AHEAD;
    if (whole > 0 && !done(c, oct_sm4_ctr(&c->key, c->iv, in + begun, whole, out + begun)))
        return 0;
    if (begun + whole < len) {
        if (!done(c, oct_sm4_ctr(&c->key, c->iv, zeros, sizeof zeros, c->ahead)))
            return 0;
        c->ready = OCT_SM4_AHEAD;
        ctr_ready(c, out + begun + whole, in + begun + whole, len - begun - whole);
    }
    c->done += len;
    *out_len = len;
    return 1;
}

int oct_sm4_ctr_final(void *vc, unsigned char *out, size_t *out_len, size_t room)
{
    (void)out, (void)room;
    *out_len = 0;
    return may_write(vc, 0, 0);
}

int oct_sm4_ctr_call(void *vc, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
    return oct_sm4_ctr_update(vc, out, out_len, room, in, len);
}

/* --- CBC */

/* Whole blocks. */
static int cbc_blocks(struct oct_sm4_mode *c, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct oct_sm4_cbc text = {c->iv, in, len, out};
    return len == 0 ||
           done(c, c->encrypt ? oct_sm4_cbc_encrypt(&c->key, &text, 1) : oct_sm4_cbc_decrypt(&c->key, &text, 1));
}

/* How many bytes of the `total` that there are go on now: whole blocks, but not one that may be the last and padded. */
static size_t cbc_passes(const struct oct_sm4_mode *c, size_t total)
{
    const size_t whole = total / BLOCK * BLOCK;
    return !c->encrypt && c->pads && whole == total && whole > 0 ? whole - BLOCK : whole;
}

/* What is held comes first, and fills a block. As with OpenSSL's own, `out` may be `in` only where nothing is held. */
static int cbc_text(struct oct_sm4_mode *c, uint8_t *out, const uint8_t *in, size_t passes, size_t len)
{
    if (passes > 0 && c->held > 0) {
        const size_t fill = BLOCK - c->held;
        memcpy(c->ahead + c->held, in, fill);
        if (!cbc_blocks(c, out, c->ahead, BLOCK))
            return 0;
        c->held = 0;
        in += fill;
        len -= fill;
        out += BLOCK;
        passes -= BLOCK;
    }
    /* The end is read before what it might be overwritten by. */
    memcpy(c->ahead + c->held, in + passes, len - passes);
    c->held += len - passes;
    return cbc_blocks(c, out, in, passes);
}

int oct_sm4_cbc_update(void *vc, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
    struct oct_sm4_mode *c = vc;
    size_t passes;

    *out_len = 0;
    if (len == 0)
        return may_write(c, 0, room);
    passes = cbc_passes(c, c->held + len);
    if (!may_write(c, passes, room) || !cbc_text(c, out, in, passes, len))
        return 0;
    *out_len = passes;
    return 1;
}

static int final_encrypt(struct oct_sm4_mode *c, uint8_t *out, size_t *out_len, size_t room)
{
    if (!c->pads)
        return c->held == 0 ? 1 : OCT_RAISE(c->prov, ERR_PACK(ERR_LIB_PROV, 0, PROV_R_WRONG_FINAL_BLOCK_LENGTH));
    if (!may_write(c, BLOCK, room))
        return 0;
    memset(c->ahead + c->held, (int)(BLOCK - c->held), BLOCK - c->held);
    if (!cbc_blocks(c, out, c->ahead, BLOCK))
        return 0;
    c->held = 0;
    *out_len = BLOCK;
    return 1;
}

/* How many bytes of padding a block has; 0 if it is none. All of the block is looked at, whatever is in it; that it is
 * bad shows in the result, as with OpenSSL's own. */
static size_t padding_of(const uint8_t block[BLOCK])
{
    const unsigned n = block[BLOCK - 1];
    unsigned bad = (n - 1) >> 4;

    for (unsigned i = 0; i < BLOCK; i++) {
        const unsigned inside = 0u - ((i - n) >> 31 & 1);
        bad |= inside & (block[BLOCK - 1 - i] ^ n);
    }
    return bad ? 0 : n;
}

static int final_decrypt(struct oct_sm4_mode *c, uint8_t *out, size_t *out_len, size_t room)
{
    uint8_t block[BLOCK];
    size_t padding;
    int good;

    if (c->held != BLOCK)
        return c->held == 0 && !c->pads
                   ? 1
                   : OCT_RAISE(c->prov, ERR_PACK(ERR_LIB_PROV, 0, PROV_R_WRONG_FINAL_BLOCK_LENGTH));
    if (!cbc_blocks(c, block, c->ahead, BLOCK))
        return 0;
    padding = padding_of(block);
    good = padding > 0 || OCT_RAISE(c->prov, ERR_PACK(ERR_LIB_PROV, 0, PROV_R_BAD_DECRYPT));
    good = good && may_write(c, BLOCK - padding, room);
    if (good) {
        memcpy(out, block, BLOCK - padding);
        *out_len = BLOCK - padding;
        c->held = 0;
    }
    OPENSSL_cleanse(block, sizeof block);
    return good;
}

int oct_sm4_cbc_final(void *vc, unsigned char *out, size_t *out_len, size_t room)
{
    struct oct_sm4_mode *c = vc;

    *out_len = 0;
    if (!may_write(c, 0, room))
        return 0;
    return c->encrypt ? final_encrypt(c, out, out_len, room) : final_decrypt(c, out, out_len, room);
}

/* EVP_Cipher(): whole blocks as they are. */
int oct_sm4_cbc_call(void *vc, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
    struct oct_sm4_mode *c = vc;

    *out_len = 0;
    if (!may_write(c, len, room))
        return 0;
    if (len % BLOCK)
        return OCT_RAISE(c->prov, OCT_REASON_INPUT_LENGTH);
    if (!cbc_blocks(c, out, in, len))
        return 0;
    *out_len = len;
    return 1;
}
