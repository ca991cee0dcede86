/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AEAD keys and whole records: checks the arguments, calls the tier, judges the tag. */
#include "api/cipher/aead_internal.h"
#include "base/checkmem.h"

#include <octuple/op.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t key_len;
    uint64_t max_text; /* bytes: block counters have 32 bits, of which GCM keeps two; CCM states a length in 3 bytes */
    bool quic;         /* RFC 9001, 5.3 */
} about[OCT_AEAD_COUNT] = {
    [OCT_AEAD_AES_128_GCM] = {"aes-128-gcm", 16, ((uint64_t)1 << 36) - 32, true},
    [OCT_AEAD_AES_192_GCM] = {"aes-192-gcm", 24, ((uint64_t)1 << 36) - 32, false},
    [OCT_AEAD_AES_256_GCM] = {"aes-256-gcm", 32, ((uint64_t)1 << 36) - 32, true},
    [OCT_AEAD_CHACHA20_POLY1305] = {"chacha20-poly1305", 32, ((uint64_t)1 << 38) - 64, true},
    [OCT_AEAD_SM4_GCM] = {"sm4-gcm", 16, ((uint64_t)1 << 36) - 32, false},
    [OCT_AEAD_SM4_CCM] = {"sm4-ccm", 16, ((uint64_t)1 << 24) - 1, false},
};

static bool is_aead(int aead)
{
    return aead >= 0 && aead < OCT_AEAD_COUNT;
}

bool oct_aead_is_for_quic(int aead)
{
    return is_aead(aead) && about[aead].quic;
}

const char *oct_aead_name(int aead)
{
    return is_aead(aead) ? about[aead].name : NULL;
}

int oct_aead_find(const char *name)
{
    for (int aead = 0; name && aead < OCT_AEAD_COUNT; aead++)
        if (strcmp(about[aead].name, name) == 0)
            return aead;
    return -1;
}

size_t oct_aead_key_len(int aead)
{
    return is_aead(aead) ? about[aead].key_len : 0;
}

int oct_cipher_width(const char **reason)
{
    return oct_aead_width(reason);
}

int oct_aead_is_on(int aead)
{
    return oct_aead_selected(aead, NULL) != NULL;
}

const char *oct_aead_tier(int aead)
{
    const struct oct_aead_ops *ops = oct_aead_selected(aead, NULL);
    return ops ? ops->tier : "none";
}

/* OpenSSL uses its zmm wherever there are any, whatever width is chosen here. */
static bool openssl_has_zmm_gcm(int aead, unsigned long openssl_version)
{
    const struct oct_aead_ops *runnable[OCT_AEAD_TIERS];
    const unsigned count = oct_aead_runnable(aead, runnable);
    return openssl_version >= 0x30100000UL && count > 0 && strcmp(runnable[count - 1]->tier, "zmm") == 0;
}

static bool is_worth(int aead, const struct oct_aead_ops *ops)
{
    return ops &&
           (strcmp(ops->tier, "zmm") == 0 || (strcmp(ops->tier, "ymm") == 0 && aead != OCT_AEAD_CHACHA20_POLY1305));
}

/* What the best tier would not be worth is known without the tests that choosing one begins with: others are narrower.
 */
int oct_aead_pays(int aead, unsigned long openssl_version)
{
    if (aead >= OCT_AEAD_AES_128_GCM && aead <= OCT_AEAD_AES_256_GCM && openssl_has_zmm_gcm(aead, openssl_version))
        return 0;
    return is_worth(aead, oct_aead_possible(aead)) && is_worth(aead, oct_aead_selected(aead, NULL));
}

const char *oct_aead_reason(int aead)
{
    const char *reason;
    oct_aead_selected(aead, &reason);
    return reason;
}

int oct_aead_key_init_on(const struct oct_aead_ops *ops, void *memory, int aead, const uint8_t *bytes, size_t len)
{
    struct oct_aead_key *key = memory;
    if (!memory || !bytes || !is_aead(aead) || (uintptr_t)memory % OCT_AEAD_ALIGN)
        return OCT_ERR_ARGUMENT;
    if (len != about[aead].key_len)
        return OCT_ERR_LENGTH;
    if (!ops)
        return OCT_ERR_UNSUPPORTED;
    memset(key, 0, sizeof *key);
    key->ops = ops;
    key->aead = aead;
    const struct oct_aead_expand_args args = {.key = key->expanded, .bytes = bytes};
    ops->expand(&args);
    ops->clear_registers();
    return OCT_OK;
}

int oct_aead_key_init(void *memory, int aead, const uint8_t *bytes, size_t len)
{
    return oct_aead_key_init_on(oct_aead_selected(aead, NULL), memory, aead, bytes, len);
}

size_t oct_aead_key_size(void)
{
    return sizeof(struct oct_aead_key);
}

int oct_aead_key_new(struct oct_aead_key **key, int aead, const uint8_t *bytes, size_t len)
{
    if (!key)
        return OCT_ERR_ARGUMENT;
    struct oct_aead_key *made = aligned_alloc(OCT_AEAD_ALIGN, sizeof *made);
    if (!made)
        return OCT_ERR_MEMORY;
    const int status = oct_aead_key_init(made, aead, bytes, len);
    if (status == OCT_OK)
        *key = made;
    else
        free(made);
    return status;
}

void oct_aead_key_clear(struct oct_aead_key *key)
{
    if (key)
        oct_cleanse(key, sizeof *key);
}

void oct_aead_key_free(struct oct_aead_key *key)
{
    oct_aead_key_clear(key);
    free(key);
}

int oct_aead_key_aead(const struct oct_aead_key *key)
{
    return key->aead;
}

int oct_aead_check_lengths(int aead, uint64_t aad_len, uint64_t len)
{
    return len > about[aead].max_text || aad_len >= (uint64_t)1 << 61 ? OCT_ERR_LENGTH : OCT_OK;
}

int oct_aead_same_tag(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t differ = 0, x, y;
    for (; len >= 8; len -= 8, a += 8, b += 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        differ |= x ^ y;
    }
    for (size_t i = 0; i < len; i++)
        differ |= a[i] ^ b[i];
    differ = oct_mask_nonzero(differ);
    /* Whether the tag fits shows in the result. */
    OCT_DECLASSIFY(&differ, sizeof differ);
    return differ == 0;
}

/* What every AEAD can do, of text and of additional data. */
#define ANY_LENGTH (((size_t)1 << 24) - 1)

/* A pointer that is needed, where there is something to point to. */
static inline bool missing(const void *p, size_t len)
{
    return OCT_UNLIKELY(!p) && len;
}

/* Branches that are never taken, one for each pointer: what a short record waits for is not this. */
static inline int check_record(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                               const uint8_t *in, size_t len, const uint8_t *out, const uint8_t *tag)
{
    if (OCT_UNLIKELY(!key) || OCT_UNLIKELY(!nonce) || OCT_UNLIKELY(!tag) || missing(aad, aad_len) || missing(in, len) ||
        missing(out, len))
        return OCT_ERR_ARGUMENT;
    if ((len | aad_len) < ANY_LENGTH)
        return OCT_OK;
    return oct_aead_check_lengths(key->aead, aad_len, len);
}

int oct_aead_seal(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                  const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)
{
    const int status = check_record(key, nonce, aad, aad_len, in, len, out, tag);
    return status == OCT_OK ? key->ops->seal(key->expanded, nonce, aad, aad_len, in, len, out, tag) : status;
}

int oct_aead_open(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                  const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag)
{
    const int status = check_record(key, nonce, aad, aad_len, in, len, out, tag);
    if (status != OCT_OK)
        return status;
    uint64_t differ = oct_mask_nonzero(key->ops->open(key->expanded, nonce, aad, aad_len, in, len, out, tag));
    /* Whether the tag fits shows in the result. */
    OCT_DECLASSIFY(&differ, sizeof differ);
    if (differ == 0)
        return OCT_OK;
    if (len)
        oct_cleanse(out, len);
    return OCT_ERR_AUTH;
}
