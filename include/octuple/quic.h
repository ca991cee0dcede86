/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packet protection (RFC 9001, section 5): any number of packets of one connection and direction in one call, in
 * place: AEAD with the packet number as nonce and the header as additional data, and header protection. Long and
 * short headers and all lengths may be mixed; packets of similar length are worked on together.
 *
 * Nothing here allocates but oct_quic_keys_new(). Keys count what they have done: one thread at a time may use them.
 * Packets and numbers are public as soon as they are sealed; secret are the keys and the payloads.
 */
#ifndef OCTUPLE_QUIC_H
#define OCTUPLE_QUIC_H

#include <octuple/aead.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The keys of one direction at one encryption level. */
struct oct_quic_keys;

/*
 * From "quic key" and "quic hp" of RFC 9001, 5.1 (each as long as the AEAD's key) and "quic iv" (12 bytes). The key
 * serves packets of key phase 0, and long headers. aead: enum oct_aead but for AES-192-GCM. Errors, with *keys as it
 * was: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH, OCT_ERR_UNSUPPORTED, OCT_ERR_MEMORY.
 */
OCT_API OCT_MUST_USE int oct_quic_keys_new(struct oct_quic_keys **keys, int aead, const uint8_t *key, size_t key_len,
                                           const uint8_t *iv, const uint8_t *hp);
/* Wipes them and gives the memory back; NULL: nothing. */
OCT_API void oct_quic_keys_free(struct oct_quic_keys *keys);

/* Key update (RFC 9001, 6): the key and iv of a key phase (0 or 1) from now on; those of the other phase stay
 * as they are, and the header protection key never changes. Errors, with nothing changed: OCT_ERR_ARGUMENT,
 * OCT_ERR_LENGTH. */
OCT_API OCT_MUST_USE int oct_quic_keys_update(struct oct_quic_keys *keys, int phase, const uint8_t *key, size_t key_len,
                                              const uint8_t *iv);

/*
 * One packet, at `data`: the header, which ends with a packet number of 1 to 4 bytes, the payload, 16 bytes of tag.
 * Packets of one call overlap nowhere.
 *
 * To seal: the caller has written header and payload; header_len is the header with the packet number, whose length
 * stands in the lowest two bits of the first byte (plus 1), len is all but the tag, for which there is room. number:
 * the full packet number. Header and payload have to give the sample of RFC 9001, 5.4.2: number and payload together
 * 4 bytes or more.
 *
 * To open: header_len is the header without the packet number, len is all. number: what is expected next, the largest
 * number seen so far plus 1; it becomes the packet's own, header_len grows by its length, and len shrinks to header
 * and payload.
 */
struct oct_quic_packet {
    uint8_t *data;
    size_t header_len, len;
    uint64_t number;
    int status; /* what became of it */
};

/*
 * Seals `count` packets. The key phase bit of a short header says which key. OCT_OK, or the status of the first
 * packet that was not sealed: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH (no sample, or more than the AEAD can do),
 * OCT_ERR_RANGE (number of 2^62 or more), OCT_ERR_KEY (no key for its phase), OCT_ERR_LIMIT (RFC 9001, 6.6: 2^23
 * packets by one AES-GCM key). Such a packet stays as it was.
 */
OCT_API OCT_MUST_USE int oct_quic_seal(struct oct_quic_keys *keys, struct oct_quic_packet packet[], size_t count);

/*
 * Opens them. OCT_OK, or the status of the first packet that was not opened: as above, or OCT_ERR_AUTH: its payload
 * has been zeroed, and its header is as good as random. After 2^52 (AES-GCM) or 2^36 (ChaCha20-Poly1305) of those
 * every packet ends with OCT_ERR_LIMIT.
 */
OCT_API OCT_MUST_USE int oct_quic_open(struct oct_quic_keys *keys, struct oct_quic_packet packet[], size_t count);

/* What has been counted: packets sealed by the key of a phase since it was set, packets that were not authentic. For
 * the limits of RFC 9001, section 6.6, on both. */
OCT_API uint64_t oct_quic_keys_sealed(const struct oct_quic_keys *keys, int phase);
OCT_API uint64_t oct_quic_keys_forged(const struct oct_quic_keys *keys);

/*
 * Header protection alone (RFC 9001, 5.4), for a stack that does it apart from the AEAD: such a one counts packets and
 * makes nonces itself, and seals with oct_aead_seal(). A key is made once and then only read: any number of threads
 * may use it at once.
 */
struct oct_quic_header_key;
#define OCT_QUIC_SAMPLE_BYTES 16
#define OCT_QUIC_MASK_BYTES   5

/* From "quic hp", as long as the AEAD's key. aead and errors as in oct_quic_keys_new(). */
OCT_API OCT_MUST_USE int oct_quic_header_key_new(struct oct_quic_header_key **key, int aead, const uint8_t *hp,
                                                 size_t len);
/* Wipes it and gives the memory back; NULL: nothing. */
OCT_API void oct_quic_header_key_free(struct oct_quic_header_key *key);

/* mask[i] from the 16 bytes at sample[i], which it does not overlap: a byte for the first byte of the header, of which
 * 4 bits (long header) or 5 are used, then four for the packet number. OCT_ERR_ARGUMENT: nothing was written. */
OCT_API OCT_MUST_USE int oct_quic_header_mask(const struct oct_quic_header_key *key,
                                              uint8_t mask[][OCT_QUIC_MASK_BYTES], const uint8_t *const sample[],
                                              size_t count);

#ifdef __cplusplus
}
#endif
#endif
