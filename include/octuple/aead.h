/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Authenticated encryption: AES-GCM (NIST SP 800-38D), ChaCha20-Poly1305 (RFC 8439), and SM4-GCM and SM4-CCM of
 * China's national suite (RFC 8998). One record a call, or in pieces; SM4-CCM has whole records only, since it wants
 * lengths first. octuple/sm4.h has SM4 in other modes, and CCM with other lengths of nonces and tags.
 *
 * Nothing here allocates but oct_aead_key_new(). A key is made once and then only read: any number of threads may use
 * it at once. Texts, additional data and keys may have any alignment. Secret are the key, the texts, and what is
 * derived from them; lengths, nonces' lengths and pointers are public. The caller sees to it that no nonce is used
 * twice with one key to seal: with each AEAD that gives the texts away, and with GCM the key's authenticity.
 */
#ifndef OCTUPLE_AEAD_H
#define OCTUPLE_AEAD_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are stable: new ones are added at the end. Keys of 16, 24, 32, 32, 16 and 16 bytes. */
enum oct_aead {
    OCT_AEAD_AES_128_GCM = 0,
    OCT_AEAD_AES_192_GCM = 1,
    OCT_AEAD_AES_256_GCM = 2,
    OCT_AEAD_CHACHA20_POLY1305 = 3,
    OCT_AEAD_SM4_GCM = 4,
    OCT_AEAD_SM4_CCM = 5,
    OCT_AEAD_COUNT = 6
};

#define OCT_AEAD_NONCE_BYTES 12
#define OCT_AEAD_TAG_BYTES   16
/* At most so many bytes, and aligned so: enough for every AEAD of this version of the interface. */
#define OCT_AEAD_KEY_MAX_BYTES 2432
#define OCT_AEAD_STREAM_BYTES  2432
#define OCT_AEAD_ALIGN         64
#define OCT_AEAD_STREAM_ALIGN  16

/* An expanded key: no pointer to anything of the caller's, but not to be copied or moved to another process. */
struct oct_aead_key;

/* "aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "chacha20-poly1305", "sm4-gcm", "sm4-ccm"; NULL for a number that is no
 * AEAD. */
OCT_API const char *oct_aead_name(int aead);
/* The number of the AEAD that oct_aead_name() calls so; -1 for NULL, and for a name that none has. */
OCT_API int oct_aead_find(const char *name);
/* The key's length in bytes; 0 for a number that is no AEAD. */
OCT_API size_t oct_aead_key_len(int aead);
/* 1 if the AEAD is served in this process, else 0. The first call runs its known-answer test (microseconds). */
OCT_API int oct_aead_is_on(int aead);
/* The width of vector that serves it: "zmm", "ymm", "xmm", "c", or "none"; and why, in plain words. Static. */
OCT_API const char *oct_aead_tier(int aead);
OCT_API const char *oct_aead_reason(int aead);
/* 1 if what serves it was faster than OpenSSL's own code, or as fast, in records and in pieces of every size that was
 * measured (bench/README.md): AES-GCM and SM4 on zmm and ymm, ChaCha20-Poly1305 on zmm. `openssl_version` is what
 * OpenSSL_version_num() says: from 3.1 on OpenSSL has AES-GCM of its own for zmm, beside which none pays on a CPU that
 * has them. The OpenSSL provider serves only what pays unasked. */
OCT_API int oct_aead_pays(int aead, unsigned long openssl_version);

/*
 * A key from its bytes (`len` must be the AEAD's), with memory of its own, or in memory of the caller's:
 * oct_aead_key_size() bytes (at most OCT_AEAD_KEY_MAX_BYTES), aligned to OCT_AEAD_ALIGN, which is more than malloc()
 * does. The bytes are not kept. Errors, with *key or the memory left as it was: OCT_ERR_ARGUMENT (NULL, misaligned, no
 * such AEAD), OCT_ERR_LENGTH, OCT_ERR_UNSUPPORTED (off: oct_aead_reason()), OCT_ERR_MEMORY.
 */
OCT_API OCT_MUST_USE int oct_aead_key_new(struct oct_aead_key **key, int aead, const uint8_t *bytes, size_t len);
OCT_API size_t oct_aead_key_size(void);
OCT_API OCT_MUST_USE int oct_aead_key_init(void *memory, int aead, const uint8_t *bytes, size_t len);

/* Wipes a key; the first one gives its memory back too (NULL: nothing). */
OCT_API void oct_aead_key_free(struct oct_aead_key *key);
OCT_API void oct_aead_key_clear(struct oct_aead_key *key);

/* The AEAD of a key, for programs that keep keys of several. */
OCT_API int oct_aead_key_aead(const struct oct_aead_key *key);

/*
 * One record: `len` bytes from `in` to `out`, which is `in` or overlaps none of the inputs; the tag, 16 bytes,
 * overlaps no input and not `out`. nonce: 12 bytes. aad and in may be NULL where their length is 0. Errors, with
 * nothing written: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH (more than the AEAD can do: 2^36 - 32 bytes for GCM, 2^38 - 64 for
 * ChaCha20-Poly1305, 2^24 - 1 for SM4-CCM, aad of 2^61 bytes).
 */
OCT_API OCT_MUST_USE int oct_aead_seal(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad,
                                       size_t aad_len, const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag);

/* The reverse. OCT_ERR_AUTH if the tag does not fit the rest: then `out` is `len` zeros (in place, the ciphertext is
 * gone). During the call `out` holds what was decrypted, checked or not: no other thread may look at it. Errors as
 * above. */
OCT_API OCT_MUST_USE int oct_aead_open(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad,
                                       size_t aad_len, const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag);

/* A record of many: as oct_aead_seal() and oct_aead_open() have it. */
struct oct_aead_many {
    const struct oct_aead_key *key;
    const uint8_t *nonce;
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *in;
    size_t len;
    uint8_t *out;
    uint8_t *tag; /* sealing writes it, opening reads it */
    int status;   /* OCT_OK; opening also OCT_ERR_AUTH: then `out` is zeros */
};

/*
 * `count` records of any AEADs and lengths, each under a key of its own or some under one; no output overlaps any other
 * record. Records of SM4-GCM and SM4-CCM go side by side, up to sixteen of them; it is short ones that gain by it. All
 * others go one after the other. This is for programs that send to many peers at once, such as a VPN or a proxy.
 * Errors, with nothing written, not even a status: OCT_ERR_ARGUMENT, OCT_ERR_LENGTH. Opening returns OCT_ERR_AUTH if
 * any tag does not fit, and says in each record whether it is that one.
 */
OCT_API OCT_MUST_USE int oct_aead_seal_many(struct oct_aead_many *record, size_t count);
OCT_API OCT_MUST_USE int oct_aead_open_many(struct oct_aead_many *record, size_t count);

/*
 * A record in pieces: init, then aad as often as wanted, then update as often as wanted, then one of finish_seal and
 * finish_open. It is memory of the caller's without pointers into itself: a copy goes on from the same place (that is
 * how a context is duplicated; sealing two different texts from there is the mistake above). It refers to the key,
 * which has to live.
 */
struct oct_aead_stream {
    uint8_t opaque[OCT_AEAD_STREAM_BYTES] __attribute__((aligned(OCT_AEAD_STREAM_ALIGN)));
};

/* How much of that memory streams of this AEAD use, for those who keep many: less is enough then. 0 for a number that
 * is no AEAD, and for SM4-CCM. */
OCT_API size_t oct_aead_stream_size(int aead);

/* iv: any length from 1 byte for GCM, 12 bytes for ChaCha20-Poly1305 (else OCT_ERR_LENGTH). sealing: 1 to seal, 0 to
 * open. OCT_ERR_UNSUPPORTED for SM4-CCM. */
OCT_API OCT_MUST_USE int oct_aead_stream_init(struct oct_aead_stream *stream, const struct oct_aead_key *key,
                                              const uint8_t *iv, size_t iv_len, int sealing);
/* OCT_ERR_STATE after text has begun or after the end; OCT_ERR_ARGUMENT, OCT_ERR_LENGTH as above. */
OCT_API OCT_MUST_USE int oct_aead_stream_aad(struct oct_aead_stream *stream, const uint8_t *aad, size_t len);
/* The next `len` bytes. What opening gives is not authentic before oct_aead_stream_finish_open() has said so. */
OCT_API OCT_MUST_USE int oct_aead_stream_update(struct oct_aead_stream *stream, const uint8_t *in, size_t len,
                                                uint8_t *out);
/* The tag: 16 bytes written; or checked, its first `tag_len` bytes (1 to 16; OCT_ERR_AUTH if they differ). Either
 * wipes the stream. OCT_ERR_STATE if the stream was made for the other, or has ended. */
OCT_API OCT_MUST_USE int oct_aead_stream_finish_seal(struct oct_aead_stream *stream, uint8_t *tag);
OCT_API OCT_MUST_USE int oct_aead_stream_finish_open(struct oct_aead_stream *stream, const uint8_t *tag,
                                                     size_t tag_len);
/* Wipes a stream that is not to be finished, all of the struct: for programs whose connection ends in mid-record. */
OCT_API void oct_aead_stream_clear(struct oct_aead_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
