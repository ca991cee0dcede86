/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA encryption and decryption. A decrypted block is secret, also whether its padding is good, until the padding's own
 * rules say what may be told: PKCS#1 v1.5 nothing (implicit rejection, TLS), OAEP one bit. The raw operation and
 * the unpadding are the same for lanes and for OpenSSL's code, so that both behave alike on every version of OpenSSL.
 */
#include "cipher.h"

#include "ct.h"
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"
#include "pad.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdatomic.h>
#include <string.h>

static void *cipher_new(void *provctx)
{
    struct oct_rsa_cipher *cipher = OPENSSL_zalloc(sizeof *cipher);

    if (cipher != NULL)
        cipher->prov = provctx;
    else
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    return cipher;
}

static void cipher_free(void *vcipher)
{
    struct oct_rsa_cipher *cipher = vcipher;

    if (cipher == NULL)
        return;
    EVP_MD_free(cipher->oaep_md);
    EVP_MD_free(cipher->mgf1_md);
    OPENSSL_free(cipher->label);
    oct_prov_key_free(cipher->key);
    OPENSSL_free(cipher);
}

static void *cipher_dup(void *vcipher)
{
    const struct oct_rsa_cipher *cipher = vcipher;
    struct oct_rsa_cipher *copy = OPENSSL_memdup(cipher, sizeof *cipher);

    if (copy == NULL)
        return NULL;
    if (copy->key != NULL)
        oct_prov_key_up_ref(copy->key);
    if (copy->oaep_md != NULL && !EVP_MD_up_ref(copy->oaep_md))
        copy->oaep_md = NULL;
    if (copy->mgf1_md != NULL && !EVP_MD_up_ref(copy->mgf1_md))
        copy->mgf1_md = NULL;
    if (cipher->label != NULL) {
        copy->label = OPENSSL_memdup(cipher->label, cipher->label_len);
        if (copy->label == NULL) {
            cipher_free(copy);
            return NULL;
        }
    }
    return copy;
}

/* As OpenSSL's own RSA in this process: upstream has it from 3.2 on, and some distributions before. Where it has not,
 * programs go by the error: CMS and PKCS #7 try the next of several recipients. Without memory the safer of the two. */
static unsigned rejects_implicitly(struct oct_prov *prov)
{
    static _Atomic(unsigned) known; /* and one more; 0: not yet */
    unsigned rejects = atomic_load_explicit(&known, memory_order_relaxed);

    if (rejects != 0)
        return rejects - 1;
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(prov);
    EVP_ASYM_CIPHER *own = libctx != NULL ? EVP_ASYM_CIPHER_fetch(libctx, "RSA", NULL) : NULL;
    if (own == NULL)
        return 1;
    const OSSL_PARAM *settable = EVP_ASYM_CIPHER_settable_ctx_params(own);
    rejects = settable == NULL || OSSL_PARAM_locate_const(settable, OCT_PARAM_IMPLICIT_REJECTION) != NULL;
    EVP_ASYM_CIPHER_free(own);
    atomic_store_explicit(&known, rejects + 1, memory_order_relaxed);
    return rejects;
}

static int cipher_init(void *vcipher, void *key, const OSSL_PARAM params[])
{
    struct oct_rsa_cipher *cipher = vcipher;

    if (cipher == NULL)
        return 0;
    if (key == NULL || ((struct oct_prov_rsa *)key)->fallback == NULL)
        return OCT_RAISE(cipher->prov, OCT_REASON_NO_KEY);
    oct_prov_key_up_ref(key);
    oct_prov_key_free(cipher->key);
    cipher->key = key;
    cipher->pad_mode = RSA_PKCS1_PADDING;
    cipher->implicit_rejection = rejects_implicitly(cipher->prov);
    return oct_rsa_cipher_set_params(cipher, params);
}

static int oaep_of(struct oct_rsa_cipher *cipher, struct oct_oaep *oaep)
{
    oaep->md = oct_rsa_cipher_oaep_md(cipher);
    oaep->mgf1_md = cipher->mgf1_md != NULL ? cipher->mgf1_md : oaep->md;
    oaep->label = cipher->label;
    oaep->label_len = cipher->label_len;
    return oaep->md != NULL;
}

static int encrypt_pad(struct oct_rsa_cipher *cipher, uint8_t *em, const uint8_t *in, size_t in_len)
{
    const size_t size = cipher->key->size;
    struct oct_oaep oaep;

    if (cipher->pad_mode == RSA_PKCS1_PADDING)
        return oct_pkcs1_encrypt_pad(cipher->prov, em, size, in, in_len);
    if (cipher->pad_mode == RSA_PKCS1_OAEP_PADDING)
        return oaep_of(cipher, &oaep) && oct_oaep_pad(cipher->prov, &oaep, em, size, in, in_len);
    if (cipher->pad_mode != RSA_NO_PADDING)
        return OCT_RAISE(cipher->prov, ERR_PACK(ERR_LIB_RSA, 0, RSA_R_UNKNOWN_PADDING_TYPE));
    if (in_len != size)
        return OCT_RAISE(cipher->prov, ERR_PACK(ERR_LIB_RSA, 0,
                                                in_len > size ? RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE
                                                              : RSA_R_DATA_TOO_SMALL_FOR_KEY_SIZE));
    memcpy(em, in, size);
    return 1;
}

static int cipher_encrypt(void *vcipher, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                          size_t in_len)
{
    struct oct_rsa_cipher *cipher = vcipher;
    size_t size;
    uint8_t *em;
    int is_padded, ok;

    if (cipher == NULL || cipher->key == NULL)
        return 0;
    size = cipher->key->size;
    if (out != NULL && out_size < size)
        return OCT_RAISE(cipher->prov, OCT_REASON_BUFFER_TOO_SMALL);
    *out_len = size;
    if (out == NULL)
        return 1;
    em = OPENSSL_malloc(2 * size);
    if (em == NULL)
        return OCT_RAISE(cipher->prov, OCT_REASON_MEMORY);
    is_padded = encrypt_pad(cipher, em, in, in_len);
    ok = is_padded && oct_rsa_raw(cipher->key, OCT_RAW_PUBLIC, em + size, em);
    if (ok)
        memcpy(out, em + size, size);
    OPENSSL_clear_free(em, 2 * size);
    if (ok)
        return 1;
    /* As OpenSSL's own: 0 if the padding of OAEP failed, and -1 for all else. */
    return is_padded || cipher->pad_mode != RSA_PKCS1_OAEP_PADDING ? -1 : 0;
}

static int unpad_oaep(struct oct_rsa_cipher *cipher, uint8_t *out, size_t *out_len, uint8_t *em)
{
    struct oct_oaep oaep;
    uint64_t good;

    if (!oaep_of(cipher, &oaep) || !oct_oaep_unpad(cipher->prov, &oaep, out, out_len, &good, em, cipher->key->size))
        return 0;
    /* The one bit that OAEP may tell, after everything has been looked at. */
    return good != 0 ? 1 : OCT_RAISE(cipher->prov, OCT_REASON_OAEP_DECODING);
}

/* ciphertext: size bytes. Errors here do not depend on the block. */
static int unpad_pkcs1_implicit(struct oct_rsa_cipher *cipher, uint8_t *out, size_t *out_len, uint8_t *em,
                                const uint8_t *ciphertext)
{
    const size_t size = cipher->key->size;
    uint8_t lengths[OCT_REJECT_LENGTHS];
    uint8_t *synthetic;

    if (!cipher->key->has_d_hash)
        return OCT_RAISE(cipher->prov, OCT_REASON_INTERNAL);
    synthetic = OPENSSL_malloc(size);
    if (synthetic == NULL)
        return OCT_RAISE(cipher->prov, OCT_REASON_MEMORY);
    oct_reject_make(synthetic, lengths, cipher->key->d_hash, ciphertext, size);
    *out_len = oct_unpad_pkcs1_implicit(out, em, synthetic, lengths, size);
    OPENSSL_clear_free(synthetic, size);
    OPENSSL_cleanse(lengths, sizeof lengths);
    return 1;
}

static int unpad_tls(struct oct_rsa_cipher *cipher, uint8_t *out, size_t *out_len, const uint8_t *em)
{
    OSSL_LIB_CTX *libctx = oct_app_ctx(cipher->prov);
    uint8_t random[OCT_TLS_PREMASTER];

    if (cipher->tls_version == 0)
        return OCT_RAISE(cipher->prov, OCT_REASON_TLS_VERSION);
    if (libctx == NULL || RAND_priv_bytes_ex(libctx, random, sizeof random, 0) <= 0)
        return OCT_RAISE(cipher->prov, OCT_REASON_INTERNAL);
    oct_unpad_tls(out, em, cipher->key->size, cipher->tls_version, cipher->tls_other_version, random);
    OPENSSL_cleanse(random, sizeof random);
    *out_len = OCT_TLS_PREMASTER;
    return 1;
}

static int unpad(struct oct_rsa_cipher *cipher, uint8_t *out, size_t *out_len, uint8_t *em, const uint8_t *ciphertext)
{
    switch (cipher->pad_mode) {
    case RSA_PKCS1_PADDING:
        if (cipher->implicit_rejection)
            return unpad_pkcs1_implicit(cipher, out, out_len, em, ciphertext);
        /* No error is raised for a bad block: it would be one more way to tell. The answer itself tells those who asked
         * for it. */
        return (int)(oct_unpad_pkcs1_explicit(out, out_len, em, cipher->key->size) & 1);
    case RSA_PKCS1_WITH_TLS_PADDING:
        return unpad_tls(cipher, out, out_len, em);
    case RSA_PKCS1_OAEP_PADDING:
        return unpad_oaep(cipher, out, out_len, em);
    case RSA_NO_PADDING:
        memcpy(out, em, cipher->key->size);
        *out_len = cipher->key->size;
        return 1;
    default:
        return OCT_RAISE(cipher->prov, ERR_PACK(ERR_LIB_RSA, 0, RSA_R_UNKNOWN_PADDING_TYPE));
    }
}

/* What can be said before the raw operation, from lengths and settings alone. A TLS client that sends no ciphertext at
 * all hears what every bad one does, as from OpenSSL. */
static int check_decrypt(const struct oct_rsa_cipher *cipher, size_t out_size, size_t in_len)
{
    const size_t size = cipher->key->size;
    const int tls = cipher->pad_mode == RSA_PKCS1_WITH_TLS_PADDING;

    if (out_size < (tls ? OCT_TLS_PREMASTER : size))
        return OCT_RAISE(cipher->prov, OCT_REASON_BAD_LENGTH);
    if (in_len > size)
        return OCT_RAISE(cipher->prov, ERR_PACK(ERR_LIB_RSA, 0, RSA_R_DATA_GREATER_THAN_MOD_LEN));
    if (in_len == 0 && !tls)
        return OCT_RAISE(cipher->prov, OCT_REASON_INPUT_LENGTH);
    if (size < OCT_PKCS1_OVERHEAD + (tls ? OCT_TLS_PREMASTER : 1))
        return OCT_RAISE(cipher->prov, OCT_REASON_KEY_TOO_SMALL);
    return 1;
}

/* What fails here is public: the ciphertext is out of range, or the key has no private part. */
static int decrypt_raw(const struct oct_rsa_cipher *cipher, uint8_t *em, const uint8_t *ciphertext)
{
    if (oct_rsa_raw(cipher->key, OCT_RAW_DECRYPT, em, ciphertext))
        return 1;
    if (cipher->pad_mode == RSA_PKCS1_OAEP_PADDING || cipher->pad_mode == RSA_PKCS1_WITH_TLS_PADDING)
        OCT_RAISE(cipher->prov, OCT_REASON_DECRYPTION);
    return 0;
}

/* Shorter input has lost leading zeros: some encryptors cut them off. */
static int cipher_decrypt(void *vcipher, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                          size_t in_len)
{
    struct oct_rsa_cipher *cipher = vcipher;
    uint8_t *em, *ciphertext;
    size_t size;
    int ok;

    if (cipher == NULL || cipher->key == NULL)
        return 0;
    size = cipher->key->size;
    if (out == NULL) {
        *out_len = cipher->pad_mode == RSA_PKCS1_WITH_TLS_PADDING ? OCT_TLS_PREMASTER : size;
        return 1;
    }
    if (!check_decrypt(cipher, out_size, in_len))
        return 0;
    em = OPENSSL_malloc(2 * size);
    if (em == NULL)
        return OCT_RAISE(cipher->prov, OCT_REASON_MEMORY);
    ciphertext = em + size;
    memset(ciphertext, 0, size - in_len);
    if (in_len != 0)
        memcpy(ciphertext + size - in_len, in, in_len);
    ok = decrypt_raw(cipher, em, ciphertext) && unpad(cipher, out, out_len, em, ciphertext);
    OPENSSL_clear_free(em, 2 * size);
    return ok;
}

const OSSL_DISPATCH oct_rsa_cipher_table[] = {
    OCT_CIPHER_ENTRY(NEWCTX, newctx, cipher_new),
    OCT_CIPHER_ENTRY(FREECTX, freectx, cipher_free),
    OCT_CIPHER_ENTRY(DUPCTX, dupctx, cipher_dup),
    OCT_CIPHER_ENTRY(ENCRYPT_INIT, encrypt_init, cipher_init),
    OCT_CIPHER_ENTRY(ENCRYPT, encrypt, cipher_encrypt),
    OCT_CIPHER_ENTRY(DECRYPT_INIT, decrypt_init, cipher_init),
    OCT_CIPHER_ENTRY(DECRYPT, decrypt, cipher_decrypt),
    OCT_CIPHER_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_rsa_cipher_get_params),
    OCT_CIPHER_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, oct_rsa_cipher_gettable_params),
    OCT_CIPHER_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_rsa_cipher_set_params),
    OCT_CIPHER_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, oct_rsa_cipher_settable_params),
    OCT_DISPATCH_END,
};
