/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signature contexts of all families: sig.c (their life, how an operation starts, the digest, what is OpenSSL's own)
 * and sig_message.c (messages instead of digests). A family puts a struct oct_sig first into a struct of its own, and
 * says the rest in a struct oct_sig_family.
 */
#ifndef OCT_PROVIDER_SIG_H
#define OCT_PROVIDER_SIG_H

#include "provider/core/digest.h"
#include "provider/core/key.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#define OCT_DIGEST_NAME_MAX 64

/* "digest-size" is OpenSSL's name, which its headers have for other purposes only. */
#define OCT_SIG_PARAM_DIGEST_SIZE "digest-size"

/* A digest that was chosen by name; md is NULL if none was. */
struct oct_sig_digest {
    EVP_MD *md;
    const struct oct_digest *info;  /* NULL: not in our table, left to OpenSSL */
    char name[OCT_DIGEST_NAME_MAX]; /* as the application called it */
};

struct oct_sig;

struct oct_sig_family {
    size_t context_size;
    /* The family's defaults for a new operation; 0 if the key cannot serve one. */
    int (*start)(struct oct_sig *sig);
    /* 1 if this digest may be chosen now; else 0 with an error raised. */
    int (*takes_digest)(const struct oct_sig *sig, const struct oct_sig_digest *digest);
    /* The largest signature with the key; 0 with an error raised. */
    size_t (*signature_size)(const struct oct_sig *sig);
    /* OpenSSL's own key, borrowed; NULL with an error raised. */
    EVP_PKEY *(*fallback_key)(const struct oct_sig *sig);
    /* Gives the family's settings, and the digest, to a context of OpenSSL's own. */
    int (*copy_settings)(EVP_PKEY_CTX *ctx, const struct oct_sig *sig);
    OSSL_FUNC_signature_set_ctx_params_fn *set_params;
    OSSL_FUNC_signature_sign_fn *sign;
    OSSL_FUNC_signature_verify_fn *verify;
};

struct oct_sig {
    const struct oct_sig_family *family;
    struct oct_prov *prov;
    char *props;   /* the application's for this operation, where a digest has none of its own; NULL: none */
    void *key;     /* of the family (core/key.h), with a reference; NULL until the first operation */
    int operation; /* EVP_PKEY_OP_SIGN, _VERIFY, _VERIFYRECOVER, _SIGNCTX, _VERIFYCTX */
    struct oct_sig_digest digest;
    int digest_is_fixed; /* while a message is being digested */
    int is_final;        /* the digest was taken: no more update or final */
    EVP_MD_CTX *md_ctx;
};

/* A context, zeros but for the family, provider and properties; the family's part of a copy is copied bytewise. */
void *oct_sig_new(struct oct_prov *prov, const struct oct_sig_family *family, const char *props);
OSSL_FUNC_signature_freectx_fn oct_sig_free;
OSSL_FUNC_signature_dupctx_fn oct_sig_dup;

/* The context for a new operation; key may be NULL to keep the one that it has. */
int oct_sig_start(struct oct_sig *sig, void *key, int operation, const OSSL_PARAM params[]);
OSSL_FUNC_signature_sign_init_fn oct_sig_sign_init;
OSSL_FUNC_signature_verify_init_fn oct_sig_verify_init;

/* A digest by name, and by properties if they are not NULL, else by those of the operation; 0 with an error raised. */
int oct_sig_digest_fetch(const struct oct_sig *sig, struct oct_sig_digest *digest, const char *name, const char *props);

/* Chooses the digest; an error if it is fixed to another, or does not suit the family's settings. */
int oct_sig_set_digest(struct oct_sig *sig, const char *name, const char *props);

/* The digest's size, 0 without a digest. */
size_t oct_sig_digest_size(const struct oct_sig *sig);

/* While the digest is fixed neither it nor its properties are settable: the first two of a family's list. */
const OSSL_PARAM *oct_sig_settable_params(const struct oct_sig *sig, const OSSL_PARAM list[]);

/* Answers, if that is asked for, with the DER of the algorithm and its parameters: OpenSSL's by construction. */
int oct_sig_give_algorithm_id(const struct oct_sig *sig, OSSL_PARAM params[]);

/* A context of OpenSSL's own implementation with the same key and settings; the caller frees it. NULL with an error. */
EVP_PKEY_CTX *oct_sig_fallback_ctx(const struct oct_sig *sig, int operation);

/* Signing a digest and verifying it there. */
int oct_sig_sign_fallback(const struct oct_sig *sig, uint8_t *out, size_t *len, const uint8_t *tbs, size_t tbs_len);
int oct_sig_verify_fallback(const struct oct_sig *sig, const uint8_t *in, size_t in_len, const uint8_t *tbs,
                            size_t tbs_len);

/* Messages: digest, then the family's sign or verify. */
OSSL_FUNC_signature_digest_sign_init_fn oct_sig_message_sign_init;
OSSL_FUNC_signature_digest_sign_update_fn oct_sig_message_update;
OSSL_FUNC_signature_digest_sign_final_fn oct_sig_message_sign_final;
OSSL_FUNC_signature_digest_sign_fn oct_sig_message_sign;
OSSL_FUNC_signature_digest_verify_init_fn oct_sig_message_verify_init;
OSSL_FUNC_signature_digest_verify_final_fn oct_sig_message_verify_final;
OSSL_FUNC_signature_digest_verify_fn oct_sig_message_verify;
OSSL_FUNC_signature_get_ctx_md_params_fn oct_sig_get_md_params;
OSSL_FUNC_signature_gettable_ctx_md_params_fn oct_sig_gettable_md_params;
OSSL_FUNC_signature_set_ctx_md_params_fn oct_sig_set_md_params;
OSSL_FUNC_signature_settable_ctx_md_params_fn oct_sig_settable_md_params;

/* Those of a family's dispatch table that are the same for all who digest and then sign; core/dispatch.h is theirs to
 * include. */
/* clang-format off */
#define OCT_SIG_MESSAGE_ENTRIES                                                                                        \
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_INIT, digest_sign_init, oct_sig_message_sign_init),                                \
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_UPDATE, digest_sign_update, oct_sig_message_update),                               \
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_FINAL, digest_sign_final, oct_sig_message_sign_final),                             \
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN, digest_sign, oct_sig_message_sign),                                               \
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_INIT, digest_verify_init, oct_sig_message_verify_init),                          \
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_UPDATE, digest_verify_update, oct_sig_message_update),                           \
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_FINAL, digest_verify_final, oct_sig_message_verify_final),                       \
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY, digest_verify, oct_sig_message_verify),                                         \
    OCT_SIGNATURE_ENTRY(GET_CTX_MD_PARAMS, get_ctx_md_params, oct_sig_get_md_params),                                  \
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_MD_PARAMS, gettable_ctx_md_params, oct_sig_gettable_md_params),                   \
    OCT_SIGNATURE_ENTRY(SET_CTX_MD_PARAMS, set_ctx_md_params, oct_sig_set_md_params),                                  \
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_MD_PARAMS, settable_ctx_md_params, oct_sig_settable_md_params)
/* clang-format on */

#endif
