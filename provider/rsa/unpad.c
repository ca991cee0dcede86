/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See unpad.h. */
#include "unpad.h"

#include "ct.h"

#define OVERHEAD 11 /* 00 02, eight bytes that are not zero, 00 */

/* Moves buf down by `shift` (secret, at most len): one pass over all of it for each bit that a length can have. */
static void shift_down(uint8_t *buf, size_t len, uint64_t shift)
{
    for (size_t step = 1; step <= len; step <<= 1) {
        const uint8_t move = (uint8_t)oct_mask_nonzero(shift & step);
        for (size_t i = 0; i < len - step; i++)
            buf[i] ^= move & (buf[i] ^ buf[i + step]);
        for (size_t i = len - step; i < len; i++)
            buf[i] &= (uint8_t)~move;
    }
}

/* Copies the first `used` (secret) of len bytes where mask is ones; reads and writes all of them. */
static void copy_masked(uint8_t *out, const uint8_t *in, size_t len, uint64_t used, uint64_t mask)
{
    for (size_t i = 0; i < len; i++)
        out[i] = ct_select_8(mask & ct_lt(i, used), in[i], out[i]);
}

/* 00 02, padding, 00: the mask, and where the message starts. */
static uint64_t scan_pkcs1(uint64_t *start, const uint8_t *em, size_t size)
{
    uint64_t good = ct_is_zero(em[0]) & ct_eq(em[1], 2);
    uint64_t zero_at = 0, found = 0;

    for (size_t i = 2; i < size; i++) {
        const uint64_t zero = ct_is_zero(em[i]);
        zero_at = ct_select(~found & zero, i, zero_at);
        found |= zero;
    }
    *start = zero_at + 1;
    /* Without a zero byte zero_at is 0, and this fails too. */
    return good & ct_ge(zero_at, OVERHEAD - 1);
}

/* The last candidate that is short enough; every one is looked at. 0 if none is, which has a chance of 2^-128. */
static uint64_t synthetic_length(const uint8_t lengths[OCT_REJECT_LENGTHS], size_t size)
{
    const uint64_t limit = size - (OVERHEAD - 1);
    uint64_t mask = limit, chosen = 0;

    for (unsigned shift = 1; shift < 16; shift <<= 1)
        mask |= mask >> shift;
    for (size_t i = 0; i < OCT_REJECT_LENGTHS; i += 2) {
        const uint64_t candidate = ((uint64_t)lengths[i] << 8 | lengths[i + 1]) & mask;
        chosen = ct_select(ct_lt(candidate, limit), candidate, chosen);
    }
    return chosen;
}

size_t oct_unpad_pkcs1_implicit(uint8_t *out, uint8_t *em, const uint8_t *synthetic,
                                const uint8_t lengths[OCT_REJECT_LENGTHS], size_t size)
{
    uint64_t start, used;
    const uint64_t good = scan_pkcs1(&start, em, size);

    start = ct_select(good, start, size - synthetic_length(lengths, size));
    used = size - start;
    for (size_t i = 0; i < size; i++)
        em[i] = ct_select_8(good, em[i], synthetic[i]);
    shift_down(em, size, start);
    copy_masked(out, em, size - OVERHEAD, used, ~(uint64_t)0);
    return used;
}

uint64_t oct_unpad_pkcs1_explicit(uint8_t *out, size_t *len, uint8_t *em, size_t size)
{
    uint64_t start;
    const uint64_t good = scan_pkcs1(&start, em, size);

    shift_down(em, size, start);
    copy_masked(out, em, size - OVERHEAD, size - start, good);
    *len = ct_select(good, size - start, *len);
    return good;
}

static uint64_t version_is(const uint8_t *bytes, unsigned version)
{
    return ct_eq(bytes[0], version >> 8 & 0xff) & ct_eq(bytes[1], version & 0xff);
}

void oct_unpad_tls(uint8_t out[OCT_TLS_PREMASTER], const uint8_t *em, size_t size, unsigned version, unsigned other,
                   const uint8_t random[OCT_TLS_PREMASTER])
{
    const uint8_t *secret = em + size - OCT_TLS_PREMASTER;
    uint64_t good = ct_is_zero(em[0]) & ct_eq(em[1], 2) & ct_is_zero(secret[-1]);
    uint64_t good_version = version_is(secret, version);

    for (const uint8_t *p = em + 2; p < secret - 1; p++)
        good &= ~ct_is_zero(*p);
    if (other != 0)
        good_version |= version_is(secret, other);
    good &= good_version;
    for (size_t i = 0; i < OCT_TLS_PREMASTER; i++)
        out[i] = ct_select_8(good, secret[i], random[i]);
}

uint64_t oct_unpad_oaep(uint8_t *out, size_t *message_len, uint8_t *db, size_t len, const uint8_t *hash,
                        size_t hash_len, uint64_t good)
{
    uint64_t found = 0, one_at = 0, differs = 0;

    for (size_t i = 0; i < hash_len; i++)
        differs |= (uint64_t)(db[i] ^ hash[i]);
    good &= ct_is_zero(differs);
    for (size_t i = hash_len; i < len; i++) {
        const uint64_t one = ct_eq(db[i], 1);
        one_at = ct_select(~found & one, i, one_at);
        found |= one;
        good &= found | ct_is_zero(db[i]);
    }
    good &= found;
    shift_down(db, len, one_at + 1);
    copy_masked(out, db, len - hash_len - 1, len - one_at - 1, good);
    *message_len = ct_select(good, len - one_at - 1, *message_len);
    return good;
}
