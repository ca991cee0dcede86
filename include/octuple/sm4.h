/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4 (GB/T 32907, RFC 8998) in the modes that aead.h does not have: counter mode, chained blocks (CBC), and CCM with
 * nonces and tags of all lengths. SM4-GCM is in aead.h.
 *
 * CBC encryption and the MAC of CCM are chains, which no vector makes shorter: so each of these calls takes several
 * texts, and runs up to OCT_SM4_LANES of them side by side. One alone takes as long as sixteen.
 *
 * Nothing here allocates. A key is made once and then only read: any number of threads may use it at once. Texts may
 * have any alignment. Secret are the key and the texts; lengths, pointers, counters and initialization vectors are
 * public. Neither counter mode nor CBC says whether a text is authentic.
 */
#ifndef OCTUPLE_SM4_H
#define OCTUPLE_SM4_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_SM4_KEY_BYTES   16
#define OCT_SM4_BLOCK_BYTES 16
#define OCT_SM4_LANES       16

/* An expanded key; it may be moved within a process. */
struct oct_sm4_key {
    uint8_t opaque[192] __attribute__((aligned(64)));
};

/* 1 if SM4 is served in this process, else 0; by which width of vector, and why, as oct_aead_tier() says it. For
 * programs that show it. */
OCT_API int oct_sm4_is_on(void);
OCT_API const char *oct_sm4_tier(void);
OCT_API const char *oct_sm4_reason(void);
/* 1 if what serves it was faster than OpenSSL's own code, or as fast, at every length that was measured: on zmm and
 * ymm. The least gain is that of a single short text under CBC or CCM. */
OCT_API int oct_sm4_pays(void);

/* From 16 bytes, which are not kept. OCT_ERR_ARGUMENT (NULL, misaligned), OCT_ERR_UNSUPPORTED (off).
 * Clearing wipes it. */
OCT_API OCT_MUST_USE int oct_sm4_key_init(struct oct_sm4_key *key, const uint8_t *bytes);
OCT_API void oct_sm4_key_clear(struct oct_sm4_key *key);

/* Counter mode: text to ciphertext and back. `counter` is the first block's, a number of 128 bits, the first byte the
 * highest, and becomes that of the block behind the last one, which may be cut short. `out` is `in`, or overlaps it
 * nowhere. OCT_ERR_ARGUMENT for NULL. */
OCT_API OCT_MUST_USE int oct_sm4_ctr(const struct oct_sm4_key *key, uint8_t counter[OCT_SM4_BLOCK_BYTES],
                                     const uint8_t *in, size_t len, uint8_t *out);

/* A text of many in counter mode. `counter` is as above, and becomes the same. */
struct oct_sm4_ctr_text {
    uint8_t *counter; /* 16 bytes */
    const uint8_t *in;
    size_t len;
    uint8_t *out; /* in, or apart from it */
};

/* For programs that serve many peers: `count` texts of any lengths that overlap nowhere, each under a key of its own:
 * key[i] is that of text i. Keys may be the same. Up to OCT_SM4_LANES texts go side by side; it is short ones that gain
 * by it. OCT_ERR_ARGUMENT for NULL, and then nothing is written. */
OCT_API OCT_MUST_USE int oct_sm4_ctr_many(const struct oct_sm4_key *const key[], const struct oct_sm4_ctr_text *text,
                                          size_t count);

/* A text of whole blocks under CBC. `iv` becomes its last block of ciphertext, so that a text may come in pieces. */
struct oct_sm4_cbc {
    uint8_t *iv; /* 16 bytes */
    const uint8_t *in;
    size_t len;
    uint8_t *out; /* in, or apart from it */
};

/* `count` texts, of any lengths, that overlap nowhere. OCT_ERR_ARGUMENT for NULL, OCT_ERR_LENGTH if one has a part of a
 * block; then nothing is written. Decryption is parallel within a text, encryption only beside others. */
OCT_API OCT_MUST_USE int oct_sm4_cbc_encrypt(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text,
                                             size_t count);
OCT_API OCT_MUST_USE int oct_sm4_cbc_decrypt(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text,
                                             size_t count);

/* The same under keys of their own, for programs that serve many peers: key[i] is that of text i. */
OCT_API OCT_MUST_USE int oct_sm4_cbc_encrypt_many(const struct oct_sm4_key *const key[], const struct oct_sm4_cbc *text,
                                                  size_t count);
OCT_API OCT_MUST_USE int oct_sm4_cbc_decrypt_many(const struct oct_sm4_key *const key[], const struct oct_sm4_cbc *text,
                                                  size_t count);

/* A record under CCM (NIST SP 800-38C): as oct_aead_seal() has it, with nonces of `nonce_len` bytes and tags of
 * `tag_len`. */
struct oct_sm4_ccm {
    const uint8_t *nonce;
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *in;
    size_t len;
    uint8_t *out;
    uint8_t *tag; /* sealing writes it, opening reads it */
    int status;   /* opening: OCT_OK, or OCT_ERR_AUTH; then `out` is zeros */
};

/*
 * `count` records under one key; no output overlaps any other record. nonce_len: 7 to 13; tag_len: 4, 6, 8, ... 16.
 * A text may have less than 256 to the power of (15 - nonce_len) bytes, and less than 2^36 - 16. Errors, with nothing
 * written: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH. Opening returns OCT_ERR_AUTH if any tag does not fit, and says in each
 * record whether it is that one.
 */
OCT_API OCT_MUST_USE int oct_sm4_ccm_seal(const struct oct_sm4_key *key, size_t nonce_len, size_t tag_len,
                                          struct oct_sm4_ccm *record, size_t count);
OCT_API OCT_MUST_USE int oct_sm4_ccm_open(const struct oct_sm4_key *key, size_t nonce_len, size_t tag_len,
                                          struct oct_sm4_ccm *record, size_t count);

#ifdef __cplusplus
}
#endif
#endif
