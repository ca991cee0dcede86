/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Removing the padding of decrypted RSA blocks (RFC 8017 sections 7.1.2 and 7.2.2, RFC 5246 section 7.4.7.1) without
 * telling, by time or by addresses, whether it was good: whoever can tell decrypts anything (Bleichenbacher 1998,
 * Manger 2001). Secret are the block, what is derived from it, and every mask; public are its length and the sizes of
 * buffers. No OpenSSL here, so that the constant-time checks can run this file alone.
 */
#ifndef OCT_PROVIDER_UNPAD_H
#define OCT_PROVIDER_UNPAD_H

#include <stddef.h>
#include <stdint.h>

#define OCT_TLS_PREMASTER 48

/* The numbers that a length is chosen from for a bad block: 128 of 16 bits. */
#define OCT_REJECT_LENGTHS 256

/*
 * PKCS#1 v1.5 with implicit rejection: a bad block yields a message that is as random as its length but always the same
 * for the same ciphertext. `synthetic` is that message, `size` bytes of which the last so many are used, and
 * `lengths` its candidates (reject.c makes both). em is overwritten. Writes the message to out (room for size - 11
 * bytes, beyond the message unchanged) and returns its length, which may be made public: it does not tell a bad block.
 */
size_t oct_unpad_pkcs1_implicit(uint8_t *out, uint8_t *em, const uint8_t *synthetic,
                                const uint8_t lengths[OCT_REJECT_LENGTHS], size_t size);

/* PKCS#1 v1.5 with an error for a bad block, for those who ask for it: returns a mask, ones if good. *len and out are
 * written only then. em is overwritten. */
uint64_t oct_unpad_pkcs1_explicit(uint8_t *out, size_t *len, uint8_t *em, size_t size);

/* The pre-master secret of TLS: 48 bytes, which start with the client's version, or with `other` (0: none) for
 * clients that get this wrong. A bad block or version yields `random`. size is at least 48 + 11. */
void oct_unpad_tls(uint8_t out[OCT_TLS_PREMASTER], const uint8_t *em, size_t size, unsigned version, unsigned other,
                   const uint8_t random[OCT_TLS_PREMASTER]);

/*
 * OAEP after the masks are off: db (len bytes) is lHash, zeros, 01, message. `good` says whether the first byte of the
 * block was zero. Returns the mask of the whole; *message_len and out (room for len - hash_len - 1) are written only if
 * it is ones. db is overwritten.
 */
uint64_t oct_unpad_oaep(uint8_t *out, size_t *message_len, uint8_t *db, size_t len, const uint8_t *hash,
                        size_t hash_len, uint64_t good);

#endif
